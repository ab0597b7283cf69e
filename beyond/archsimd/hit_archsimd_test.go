//go:build goexperiment.simd && amd64 && !purego

package archsimd

// vectors are the implementations beside the one in plain Go.
var vectors = func() []implementation {
	wide := implementation{name: "archsimd512", lanes: 16, run: run512}
	if !has512 {
		wide.missing = "the processor has no AVX-512"
	}
	half := implementation{name: "archsimd256", lanes: 8, run: run256}
	if !has256 {
		half.missing = "the processor has no AVX2 and FMA"
	}
	return []implementation{wide, half}
}()

// choose makes tracers run an implementation that the processor can run, until
// the function that it returns is called.
func choose(name string) (restore func()) {
	before256, before512 := has256, has512
	has512 = name == "archsimd512"
	has256 = has512 || name == "archsimd256"
	return func() { has256, has512 = before256, before512 }
}
