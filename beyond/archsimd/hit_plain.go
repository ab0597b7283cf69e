//go:build !(goexperiment.simd && (amd64 || (arm64 && go1.27))) || purego

package archsimd

// Variables and not constants, since a test of all forms sets them.
var has512, has256, has128 = false, false, false

func run512(p *firstPass, r *Ray) {
	panic("built without GOEXPERIMENT=simd, or not for a processor that it has")
}
func run256(p *firstPass, r *Ray) {
	panic("built without GOEXPERIMENT=simd, or not for a processor that it has")
}
func run128(p *firstPass, r *Ray) {
	panic("built without GOEXPERIMENT=simd, or not for a processor that it has")
}

func few256(p *firstPass, r *Ray, tMin, tMax float32) (closest int, t float32) {
	panic("built without GOEXPERIMENT=simd, or not for a processor that it has")
}
