//go:build goexperiment.simd && go1.27 && !amd64

package start

func clearUppers() {}
