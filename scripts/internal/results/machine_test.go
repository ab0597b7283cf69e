package results

import (
	"regexp"
	"runtime"
	"strconv"
	"testing"

	"github.com/klauspost/cpuid/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestClock(t *testing.T) {
	c := clock()
	t.Logf("%.3f GHz", c)
	assert.Greater(t, c, 0.2, "GHz")
	assert.Less(t, c, 8., "GHz: additions must not be folded")
}

func TestGeneration(t *testing.T) {
	intel := func(model, l2, l3 int) cpuid.CPUInfo {
		c := cpuid.CPUInfo{VendorID: cpuid.Intel, Family: 6, Model: model}
		c.Enable(cpuid.AVX512F)
		c.Cache.L2, c.Cache.L3 = l2<<10, l3<<20
		return c
	}
	amd := func(family, model int, features ...cpuid.FeatureID) cpuid.CPUInfo {
		c := cpuid.CPUInfo{VendorID: cpuid.AMD, Family: family, Model: model}
		c.Enable(features...)
		return c
	}
	for _, tt := range []struct {
		cpu  cpuid.CPUInfo
		want string
	}{
		{intel(167, 2048, 480), "Granite Rapids"}, // a masked model
		{intel(167, 512, 16), "Rocket Lake"},
		{intel(143, 2048, 105), "Sapphire Rapids"},
		{amd(26, 2, cpuid.AVX512F), "Zen 5"},
		{amd(25, 17, cpuid.AVX512F), "Zen 4"},
		{amd(25, 1), "Zen 3"},
		{cpuid.CPUInfo{VendorID: cpuid.ARM}, ""},
	} {
		assert.Equal(t, tt.want, generation(tt.cpu))
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
	assert.Equal(t, strconv.Itoa(runtime.NumCPU()), values["cpu-cores"])
}
