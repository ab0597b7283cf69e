package results

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const kernelFile = `link-order: 1
launch: 1
pkg: raysteps/scripts/peak
BenchmarkPeak/op=fma/bits=256-2 10 5 ns/op 1e11 flop/s
pkg: raysteps/step12
BenchmarkKernel/kernel=generic/n=8-2 10 30 ns/op 3.75 ns/sphere 4e9 flop/s
BenchmarkKernel/kernel=avx2/n=8-2 10 5 ns/op 0.625 ns/sphere 2.5e10 flop/s
BenchmarkKernel/kernel=avx2/n=48-2 10 10 ns/op 0.2 ns/sphere 8e10 flop/s
`

func TestShare(t *testing.T) {
	set := read(t, kernelFile)
	table, err := set.Share("raysteps/step12", "avx2", "fma", 256, nil)
	require.NoError(t, err)
	assert.Equal(t, [][]string{
		{"8", "5.000ns ± ∞", "0.6250ns ± ∞", "25.00G ± ∞", "25% (± ∞)"},
		{"48", "10.00ns ± ∞", "0.2000ns ± ∞", "80.00G ± ∞", "80% (± ∞)"},
		{"the peak", "", "", "100.0G ± ∞", ""},
	}, table.Rows)
	assert.Len(t, table.Header, 5)
	assert.Len(t, table.Right, 5)

	table, err = set.Share("raysteps/step12", "generic", "fma", 256, []int{8})
	require.NoError(t, err)
	assert.Len(t, table.Rows, 2)

	_, err = set.Share("raysteps/step12", "sse", "fma", 256, nil)
	assert.ErrorIs(t, err, ErrNotMeasured)

	arm := read(t, strings.NewReplacer("bits=256", "bits=128", "kernel=avx2", "kernel=neon").Replace(kernelFile))
	table, err = arm.Share("raysteps/step12", "avx2", "fma", 256, nil)
	require.NoError(t, err)
	assert.Equal(t, "time a ray, NEON", table.Header[1])
	key := Key{"raysteps/step12", "Kernel/kernel=avx2/n=8"}
	assert.Equal(t, Key{"raysteps/step12", "Kernel/kernel=neon/n=8"}, arm.KernelHere(key))
	assert.Equal(t, key, set.KernelHere(key))

	before, rest, _ := strings.Cut(kernelFile, "BenchmarkPeak")
	_, after, _ := strings.Cut(rest, "flop/s\n")
	peakless := before + after
	tests := []struct{ name, text, pkg, op, want string }{
		{"no peak", peakless, "raysteps/step12", "fma", `results "a.txt": no peak; go run ./scripts/bench -experiments measures it, and the kernels`},
		{"another peak", kernelFile, "raysteps/step12", "add", `results "a.txt": no benchmark "Peak/op=add/bits=256" of package raysteps/scripts/peak`},
		{"no kernel", kernelFile, "raysteps/step11", "fma", `results "a.txt": no benchmark "Kernel/..." of package raysteps/step11; go run ./scripts/bench -experiments measures it`},
		{"bad size", kernelFile + "BenchmarkKernel/kernel=avx2/n=all-2 10 5 ns/op\n", "raysteps/step12", "fma", `results "a.txt": raysteps/step12 Kernel/kernel=avx2/n=all: n is "all"; want a number of spheres`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := read(t, tt.text).Share(tt.pkg, "avx2", tt.op, 256, nil)
			assert.EqualError(t, err, tt.want)
		})
	}
}
