//go:build !(goexperiment.simd && go1.27 && (amd64 || arm64)) || purego

package archsimd

func hasPortable() bool { return false }

func portableBits() int { return 0 }

func runPortable(p *firstPass, r Ray) { panic("built without GOEXPERIMENT=simd, or by Go 1.26") }
