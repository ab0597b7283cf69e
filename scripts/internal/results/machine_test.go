package results

import (
	"runtime"
	"testing"

	"github.com/klauspost/cpuid/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestGeneration(t *testing.T) {
	amd, intel := cpuid.CPUInfo{VendorID: cpuid.AMD, Family: 26, Model: 2}, cpuid.CPUInfo{VendorID: cpuid.Intel, Family: 6, Model: 167}
	assert.Equal(t, "Zen 5", generation(amd))
	amd.Family = 25
	assert.Equal(t, "Zen 3", generation(amd))
	amd.Enable(cpuid.AVX512F)
	assert.Equal(t, "Zen 4", generation(amd))
	amd.Family = 23
	assert.Equal(t, "Zen", generation(amd))
	assert.Empty(t, generation(intel), "without AVX-512")
	intel.Enable(cpuid.AVX512F)
	for want, cache := range map[string]cpuid.CPUInfo{"Granite Rapids": caches(2048, 480), "Rocket Lake": caches(512, 16), "Sapphire Rapids": caches(2048, 105)} {
		intel.Cache = cache.Cache
		assert.Equal(t, want, generation(intel))
	}
}

func caches(l2, l3 int) (c cpuid.CPUInfo) {
	c.Cache.L2, c.Cache.L3 = l2<<10, l3<<20
	return c
}

func TestDescribe(t *testing.T) {
	lines, err := describe(t.Context(), ".")
	require.NoError(t, err)
	values := map[string]string{}
	for _, l := range lines {
		assert.Regexp(t, `^[a-z][a-z0-9-]*: .+$`, l[0]+": "+l[1])
		assert.NotContains(t, values, l[0], "twice")
		values[l[0]] = l[1]
	}
	assert.Equal(t, []string{runtime.GOOS, runtime.GOARCH, runtime.Version()}, []string{values["goos"], values["goarch"], values["goversion"]})
	assert.Regexp(t, `^[0-7]\.\d\d GHz$`, values["cpu-clock"], "additions must not be folded")
}
