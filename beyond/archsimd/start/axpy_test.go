package start

import (
	"math"
	"testing"
)

func TestAxpy(t *testing.T) {
	t.Log("Axpy is", way)
	for n := range 100 { // every length around a vector or two
		x, got, want := make([]float32, n), make([]float32, n), make([]float32, n)
		for i := range n {
			x[i] = float32(math.Sin(float64(i + n)))
			got[i], want[i] = 1/x[i], 1/x[i]
		}
		Axpy(got, 0.1, x)
		axpyPlain(want, 0.1, x)
		for i := range n {
			if math.Float32bits(got[i]) != math.Float32bits(want[i]) {
				t.Fatalf("%d of %d: got %v, want %v", i, n, got[i], want[i])
			}
		}
	}
}

func BenchmarkAxpy(b *testing.B) {
	x, y := make([]float32, 4000), make([]float32, 4000)
	for name, f := range map[string]func([]float32, float32, []float32){"plain": axpyPlain, way: Axpy} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				f(y, 0.1, x)
			}
		})
	}
}
