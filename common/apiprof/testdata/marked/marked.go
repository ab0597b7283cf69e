// Package marked has one function several times, with marks and without, so
// that a test can compare what the compiler makes of them. None has a jump,
// whose target would differ by the address of the function.
package marked

import "raysteps/common/apiprof"

// Plain has no marks. It takes the worker, as what is compared are the marks.
func Plain(w *apiprof.Worker, a, b float64) float64 {
	x := a + b
	return x * x
}

// Pair is marked without defer.
func Pair(w *apiprof.Worker, a, b float64) float64 {
	w.Enter()
	x := a + b
	w.Leave()
	return x * x
}

// Deferred is marked the way that the package comment of apiprof says.
func Deferred(w *apiprof.Worker, a, b float64) float64 {
	if apiprof.Enabled {
		w.Enter()
		defer w.Leave()
	}
	x := a + b
	return x * x
}

// Unguarded lacks the constant around the defer.
func Unguarded(w *apiprof.Worker, a, b float64) float64 {
	w.Enter()
	defer w.Leave()
	x := a + b
	return x * x
}
