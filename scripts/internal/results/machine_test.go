package results

import (
	"regexp"
	"runtime"
	"testing"

	"github.com/klauspost/cpuid/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestGeneration(t *testing.T) {
	for _, tt := range []struct {
		vendor        cpuid.Vendor
		family, model int
		avx512        bool
		l2, l3        int // KiB, MiB
		want          string
	}{
		{cpuid.Intel, 6, 167, true, 2048, 480, "Granite Rapids"}, // a masked model
		{cpuid.Intel, 6, 167, true, 512, 16, "Rocket Lake"},
		{cpuid.Intel, 6, 143, true, 2048, 105, "Sapphire Rapids"},
		{cpuid.AMD, 26, 2, true, 0, 0, "Zen 5"},
		{cpuid.AMD, 25, 17, true, 0, 0, "Zen 4"},
		{cpuid.AMD, 25, 1, false, 0, 0, "Zen 3"},
		{cpuid.AMD, 23, 1, false, 0, 0, "Zen"},
		{cpuid.ARM, 0, 0, false, 0, 0, ""},
	} {
		c := cpuid.CPUInfo{VendorID: tt.vendor, Family: tt.family, Model: tt.model}
		c.Cache.L2, c.Cache.L3 = tt.l2<<10, tt.l3<<20
		if tt.avx512 {
			c.Enable(cpuid.AVX512F)
		}
		assert.Equal(t, tt.want, generation(c))
	}
}

func TestDescribe(t *testing.T) {
	lines, err := describe(t.Context(), ".")
	require.NoError(t, err)
	values := map[string]string{}
	for _, l := range lines {
		assert.Regexp(t, regexp.MustCompile(`^[a-z][a-z0-9-]*$`), l.Key)
		assert.NotEmpty(t, string(l.Value), l.Key)
		assert.NotContains(t, string(l.Value), "\n", l.Key)
		assert.NotContains(t, values, l.Key, "twice")
		assert.True(t, l.File, l.Key)
		values[l.Key] = string(l.Value)
	}
	assert.Equal(t, runtime.GOOS, values["goos"])
	assert.Equal(t, runtime.GOARCH, values["goarch"])
	assert.Equal(t, runtime.Version(), values["goversion"])
	assert.Regexp(t, `^[0-7]\.\d\d GHz$`, values["cpu-clock"], "additions must not be folded")
}
