package start

// Axpy adds a*x[i] to y[i], for as many as both have.
func Axpy(y []float32, a float32, x []float32) { axpy(y, a, x) }

var axpy, way = axpyPlain, "plain" // axpy_simd.go, if it is built, may put others in their place

func axpyPlain(y []float32, a float32, x []float32) {
	x = x[:min(len(x), len(y))]
	for i, v := range x {
		y[i] += float32(a * v) // float32 keeps arm64 from rounding product and sum as one
	}
}
