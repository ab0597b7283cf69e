package count

import (
	"bytes"
	"testing"
)

var sink int

func BenchmarkWords(b *testing.B) {
	text := bytes.Repeat([]byte("Say what you expect, and then measure: größer is not always slower. "), 100)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		sink = Words(text)
	}
}

func BenchmarkOpen(b *testing.B) {
	bills := make([]Bill, 1000)
	for i := range bills {
		bills[i].Cents, bills[i].Paid = i, i*7919%5 < 3
	}
	for b.Loop() {
		sink = Open(bills)
	}
}

func BenchmarkMeasure(b *testing.B) {
	p := Points{make([]float64, 1000), make([]float64, 1000), make([]float64, 1000)}
	for b.Loop() {
		p.Measure()
	}
}
