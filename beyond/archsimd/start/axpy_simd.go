//go:build goexperiment.simd && go1.27

package start

import (
	"fmt"
	"simd"
)

func init() {
	if !simd.Emulated() { // the processor has vectors
		axpy, way = axpySIMD, fmt.Sprint("simd", simd.VectorBitSize())
	}
}

func axpySIMD(y []float32, a float32, x []float32) {
	as := simd.BroadcastFloat32s(a)
	n := as.Len() // 4, 8 or 16: known when the program starts
	for ; len(x) >= n && len(y) >= n; x, y = x[n:], y[n:] {
		simd.LoadFloat32s(y).Add(simd.LoadFloat32s(x).Mul(as)).Store(y)
	}
	clearUppers()
	axpyPlain(y, a, x) // fewer than n are left
}
