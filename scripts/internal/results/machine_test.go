package results

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/cpuid/v2"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestGeneration(t *testing.T) {
	cpu := cpuid.CPUInfo{VendorID: cpuid.AMD}
	for family, want := range map[int]string{26: "Zen 5", 25: "Zen 3", 23: "Zen", 22: ""} {
		cpu.Family = family
		assert.Equal(t, want, generation(cpu))
	}
	cpu.Family = 25
	cpu.Enable(cpuid.AVX512F)
	assert.Equal(t, "Zen 4", generation(cpu))
	cpu.VendorID, cpu.Family, cpu.Model = cpuid.Intel, 6, 167 // which may mask another
	for want, kib := range map[string][2]int{"Granite Rapids": {2048, 480 << 10}, "Rocket Lake": {512, 16 << 10}, "Sapphire Rapids": {2048, 105 << 10}} {
		cpu.Cache.L2, cpu.Cache.L3 = kib[0]<<10, kib[1]<<10
		assert.Equal(t, want, generation(cpu))
	}
}

func TestCacheSizes(t *testing.T) {
	cpu := cpuid.CPUInfo{CacheLine: 64}
	cpu.Cache.L1D, cpu.Cache.L1I, cpu.Cache.L2, cpu.Cache.L3 = 48<<10, 32<<10, 1<<20, -1
	assert.Equal(t, "L1d 48 KiB, L1i 32 KiB, L2 1024 KiB, lines of 64 bytes", cacheSizes(cpu))
	assert.Empty(t, cacheSizes(cpuid.CPUInfo{}), "an arm64 tells nothing")
}

func TestDescribe(t *testing.T) {
	lines, err := machineConfig(t.Context(), ".")
	require.NoError(t, err)
	values := map[string]string{}
	for _, l := range lines {
		assert.Regexp(t, `^[a-z][a-z0-9-]*: .*$`, l[0]+": "+l[1])
		assert.NotContains(t, values, l[0], "twice")
		values[l[0]] = l[1]
	}
	assert.Equal(t, []string{runtime.GOOS, runtime.GOARCH, runtime.Version()}, []string{values["goos"], values["goarch"], values["goversion"]})
	assert.Regexp(t, `^[0-7]\.\d\d GHz$`, values["cpu-clock"], "additions must not be folded")
}

// What was measured says its commit, and a + if the clone was not as that has it.
func TestRevision(t *testing.T) {
	clone := t.TempDir()
	file := filepath.Join(clone, "a.txt")
	revision := func() string {
		config, err := machineConfig(t.Context(), clone)
		require.NoError(t, err)
		return config[slices.IndexFunc(config, func(c [2]string) bool { return c[0] == "revision" })][1]
	}
	assert.Equal(t, "unknown", revision(), "no clone")
	require.NoError(t, os.WriteFile(file, []byte("a"), 0o666))
	for _, args := range []string{"init -q", "add a.txt", "-c user.name=a -c user.email=a@example.com commit -q -m a", "tag v1"} {
		require.NoError(t, exec.Command("git", append([]string{"-C", clone}, strings.Fields(args)...)...).Run(), args)
	}
	clean := revision()
	assert.Regexp(t, `^[0-9a-f]{10}$`, clean)
	require.NoError(t, os.WriteFile(file, []byte("b"), 0o666))
	assert.Equal(t, clean+"+", revision())
}
