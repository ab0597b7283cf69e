//go:build !(goexperiment.simd && amd64) || purego

package archsimd

// Variables and not constants, since a test of all forms sets them.
var has512, has256 = false, false

func run512(p *firstPass, r *Ray) { panic("built without GOEXPERIMENT=simd, or not for amd64") }
func run256(p *firstPass, r *Ray) { panic("built without GOEXPERIMENT=simd, or not for amd64") }
