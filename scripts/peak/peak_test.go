package peak

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"raysteps/common/mem"
)

func newInput(m, a float32) *input {
	return &input{m, a, (*[bufferSize]float32)(mem.Aligned[float32](bufferSize, 64))}
}

func (l *loop) name() string { return fmt.Sprintf("op=%s/bits=%d", l.op, l.bits) }

func BenchmarkPeak(b *testing.B) {
	for _, l := range loops() {
		b.Run(l.name(), func(b *testing.B) {
			if l.run == nil {
				b.Skip(l.missing)
			}
			unit, rounds := "flop/s", 1<<12
			if l.op == "load" {
				unit, rounds = "B/s", 1<<6
			}
			in, out := newInput(1, 1), new([16]float32)
			for b.Loop() {
				l.run(rounds, in, out)
			}
			b.ReportMetric(float64(b.N)*float64(rounds)*float64(l.work)/b.Elapsed().Seconds(), unit)
		})
	}
}

// TestWork holds what comes out against the chains and rounds that the
// benchmark counts.
func TestWork(t *testing.T) {
	const m, a = 2, 3
	for _, l := range loops() {
		if l.op == "load" {
			continue
		}
		t.Run(l.name(), func(t *testing.T) {
			if l.run == nil {
				t.Skip(l.missing)
			}
			lanes := l.bits / 32
			for _, n := range []int{1, 2, 4} {
				// The value of a chain after n rounds, from 0 or from 1.
				sum, product, fma := float32(n*a), float32(int(1)<<n), float32(n*m*a)
				if l.bits == 32 {
					product = float32(math.Pow(m, float64(int(1)<<n)))
				}
				var want float32
				switch work := float32(l.work / lanes); l.op {
				case "add":
					want = work * sum
				case "mul-add":
					want = work / 2 * (sum + product)
				case "fma":
					want = work / 2 * fma
				}
				var out [16]float32
				l.run(n, newInput(m, a), &out)
				for i, got := range out {
					if i < lanes {
						assert.Equal(t, want, got, "%d rounds, lane %d", n, i)
					} else {
						assert.Zero(t, got, "%d rounds, lane %d", n, i)
					}
				}
			}
		})
	}
}

// TestLoad changes one number of the buffer after the other and finds it in
// what comes out.
func TestLoad(t *testing.T) {
	for _, l := range loops() {
		if l.op != "load" {
			continue
		}
		t.Run(l.name(), func(t *testing.T) {
			if l.run == nil {
				t.Skip(l.missing)
			}
			in := newInput(0, 0)
			assert.Equal(t, len(in.buffer)*4, l.work)
			for i := range in.buffer {
				in.buffer[i] = math.Pi
				var want, got [16]float32
				want[i%(l.bits/32)] = math.Pi
				l.run(1, in, &got)
				if !assert.Equal(t, want, got, "number %d", i) {
					break
				}
				in.buffer[i] = 0
			}
		})
	}
}
