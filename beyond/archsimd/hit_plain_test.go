//go:build !(goexperiment.simd && amd64) || purego

package archsimd

var vectors = []implementation{
	{name: "archsimd512", lanes: 16, missing: "built without GOEXPERIMENT=simd, or not for amd64"},
	{name: "archsimd256", lanes: 8, missing: "built without GOEXPERIMENT=simd, or not for amd64"},
}

func choose(string) (restore func()) { return func() {} }
