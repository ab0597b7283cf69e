//go:build !(goexperiment.simd && (amd64 || (arm64 && go1.27))) || purego

package archsimd

// Variables and not constants, since a test of all forms sets them.
var has512, has256, has128 = false, false, false

const missing = "built without GOEXPERIMENT=simd, or not for a processor that it has"

func run512(*firstPass, Ray) { panic(missing) }
func run256(*firstPass, Ray) { panic(missing) }
func run128(*firstPass, Ray) { panic(missing) }

func few256(*firstPass, Ray, float32, float32) (closest int, t float32) { panic(missing) }
