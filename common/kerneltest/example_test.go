package kerneltest_test

import (
	"fmt"
	"testing"

	"raysteps/common/kerneltest"
)

// The memory of a kernel lies between guard words. In Go it cannot reach them; what it panics
// with is returned, as is a fault of assembly that touches memory that it may not.
func ExampleGuarded() {
	tooFar := func(x []float32) { copy(x[:cap(x)+1], []float32{1, 2, 3, 4, 5}) }
	within := func(x []float32) { copy(x, []float32{1, 2, 3, 4}) }
	for _, kernel := range []func([]float32){within, tooFar} {
		g := kerneltest.NewGuarded[float32](4, 12) // 12 bytes after a multiple of 64
		fault := kerneltest.FaultOf(func() { kernel(g.Elements) })
		g.Check(new(testing.B), "the sums")
		fmt.Println(fault)
	}
	// Output:
	// <nil>
	// runtime error: slice bounds out of range [:5] with capacity 4
}
