package steptest

import (
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"golang.org/x/sys/cpu"

	"raysteps/common"
)

// Kernel fails unless a tracer takes the first of its kernels that this build and this
// processor can run, or plain Go if there is none: a tracer that gives way to a slower one
// in silence still renders the right picture. What can run is asked here once more, so that
// no mistake in the tracer's own question hides itself.
func Kernel(t testing.TB, tracer common.KernelTracer, kernels ...string) {
	t.Helper()
	Fastest(t, tracer.Kernel(), kernels...)
}

// Fastest is Kernel for what is no tracer: it is given the name of what runs.
func Fastest(t testing.TB, got string, kernels ...string) {
	t.Helper()
	assert.Equal(t, append(slices.DeleteFunc(kernels, cannotRun), "plain")[0], got, "the fastest kernel of this build on this processor")
}

// cannotRun reports whether this build or this processor lacks what a kernel needs. Those
// whose names begin with simd or archsimd are in Go, the others in assembly.
func cannotRun(kernel string) bool {
	x86 := cpu.X86
	avx2 := x86.HasAVX2 && x86.HasFMA
	avx512 := avx2 && x86.HasAVX512F && x86.HasAVX512BW && x86.HasAVX512CD &&
		x86.HasAVX512DQ && x86.HasAVX512VL
	can := map[string]bool{
		"sse": runtime.GOARCH == "amd64", "avx2": avx2, "avx512": avx512,
		"neon":        runtime.GOARCH == "arm64",
		"simd128":     Built("GOEXPERIMENT", "simd") && (runtime.GOARCH == "wasm" || runtime.GOARCH == "arm64" && !strings.HasPrefix(runtime.Version(), "go1.26")),
		"archsimd256": Built("GOEXPERIMENT", "simd") && avx2,
		"archsimd512": Built("GOEXPERIMENT", "simd") && avx512,
	}
	return Built("-tags", "purego") || !can[kernel]
}

// Built reports whether a setting of the build, such as GOEXPERIMENT, has a value among others.
func Built(setting, value string) bool {
	build, _ := debug.ReadBuildInfo()
	return slices.ContainsFunc(build.Settings, func(s debug.BuildSetting) bool {
		return s.Key == setting && strings.Contains(s.Value, value)
	})
}
