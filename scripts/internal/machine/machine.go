// Package machine describes the computer and the toolchain that measurements
// are taken with, as configuration lines of the Go benchmark format.
package machine

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/klauspost/cpuid/v2"
	"golang.org/x/perf/benchfmt"
)

// Describe returns what is known of this machine and of the go command that
// builds the steps. What the system does not tell is left out: the memory and
// the name of the system are known on Linux alone. The first lines are those that
// the testing package prints: goos, goarch and cpu.
func Describe() ([]benchfmt.Config, error) {
	var lines []benchfmt.Config
	add := func(key, format string, args ...any) {
		if value := strings.TrimSpace(fmt.Sprintf(format, args...)); value != "" {
			lines = append(lines, benchfmt.Config{Key: key, Value: []byte(value), File: true})
		}
	}

	cpu := cpuid.CPU
	add("goos", "%s", runtime.GOOS)
	add("goarch", "%s", runtime.GOARCH)
	add("cpu", "%s", cpu.BrandName)
	if cpu.Family != 0 {
		add("cpu-family", "%d, model %d, %s", cpu.Family, cpu.Model, cpu.VendorString)
	}
	add("cpu-generation", "%s", generation(cpu))
	add("cpu-clock", "%.2f GHz", clock())
	add("cpu-features", "%s", strings.Join(features(cpu), " "))
	add("cpu-cores", "%d", runtime.NumCPU())
	add("cpu-caches", "%s", caches(cpu))
	if kib, err := strconv.ParseFloat(find("/proc/meminfo", `(?m)^MemTotal: *(\d+) kB$`), 64); err == nil {
		add("memory", "%.0f GiB", kib/(1<<20))
	}
	if kernel := find("/proc/sys/kernel/osrelease", `(.+)`); kernel != "" {
		add("system", "%s, kernel %s", cmp.Or(find("/etc/os-release", `(?m)^PRETTY_NAME="?(.*?)"?$`), "Linux"), kernel)
	}
	variables := []string{"GOVERSION", "GOAMD64", "GOARM64", "GOFLAGS", "GOEXPERIMENT"}
	out, err := exec.Command("go", append([]string{"env"}, variables...)...).Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	for i, value := range strings.Split(strings.TrimSuffix(string(out), "\n"), "\n") {
		add(strings.ToLower(variables[i]), "%s", value)
	}
	add("gomaxprocs", "%d", runtime.GOMAXPROCS(0))
	return lines, nil
}

// generation names the processor's microarchitecture, by what it is where that
// tells: a hypervisor may mask the model, but hardly the caches and features. It is
// empty if it is not known here.
func generation(cpu cpuid.CPUInfo) string {
	avx512 := cpu.Supports(cpuid.AVX512F)
	l2, l3 := cpu.Cache.L2>>10, cpu.Cache.L3>>20 // KiB, MiB
	switch cpu.VendorID {
	case cpuid.AMD:
		switch {
		case cpu.Family == 26:
			return "Zen 5"
		case cpu.Family == 25 && avx512:
			return "Zen 4"
		case cpu.Family == 25:
			return "Zen 3"
		case cpu.Family == 23 && cpu.Model >= 0x30:
			return "Zen 2"
		case cpu.Family == 23:
			return "Zen"
		}
	case cpuid.Intel:
		switch {
		case cpu.Family != 6:
		case avx512 && l2 == 2048 && l3 >= 400:
			return "Granite Rapids"
		case avx512 && l2 == 2048 && l3 >= 200:
			return "Emerald Rapids"
		case avx512 && l2 == 2048:
			return "Sapphire Rapids"
		case avx512 && l2 == 1280:
			return "Ice Lake"
		case avx512 && l2 == 512 && cpu.Model == 167:
			return "Rocket Lake"
		case avx512 && l2 == 1024:
			return "Skylake, Cascade Lake or Cooper Lake"
		}
	}
	return ""
}

// clock measures the clock in GHz by a chain of additions and exclusive ors that
// each wait for the one before, which take a cycle each on all processors that Go
// knows. (Of additions alone the compiler would make fewer.) It returns the fastest
// of some tries: others are interrupted, or come before the clock has risen.
func clock() float64 {
	const turns, operations = 40_000, 8
	fastest := time.Duration(math.MaxInt64)
	for range 200 {
		start := time.Now()
		a, b := uint64(start.UnixNano()), uint64(1)
		for range turns {
			a += b
			b ^= a
			a += b
			b ^= a
			a += b
			b ^= a
			a += b
			b ^= a
		}
		if took := time.Since(start); b != 0 { // so that the sums are used
			fastest = min(fastest, took)
		}
	}
	return turns * operations / float64(fastest.Nanoseconds())
}

// find returns what the group of an expression matches in a file, or nothing.
func find(file, expr string) string {
	text, err := os.ReadFile(file)
	if m := regexp.MustCompile(expr).FindSubmatch(text); err == nil && m != nil {
		return string(m[1])
	}
	return ""
}

// features lists what the kernels of the steps may use of this processor.
func features(cpu cpuid.CPUInfo) []string {
	var names []string
	for _, f := range []cpuid.FeatureID{
		cpuid.SSE2, cpuid.SSE4, cpuid.AVX, cpuid.AVX2, cpuid.FMA3,
		cpuid.AVX512F, cpuid.AVX512VL, cpuid.AVX512DQ, cpuid.ASIMD,
	} {
		if cpu.Supports(f) {
			names = append(names, strings.ToLower(f.String()))
		}
	}
	return names
}

func caches(cpu cpuid.CPUInfo) string {
	var sizes []string
	for _, c := range []struct {
		name string
		size int
	}{
		{"L1d", cpu.Cache.L1D}, {"L1i", cpu.Cache.L1I}, {"L2", cpu.Cache.L2}, {"L3", cpu.Cache.L3},
	} {
		if c.size > 0 {
			sizes = append(sizes, fmt.Sprintf("%s %d KiB", c.name, c.size>>10))
		}
	}
	if cpu.CacheLine > 0 {
		sizes = append(sizes, fmt.Sprintf("lines of %d bytes", cpu.CacheLine))
	}
	return strings.Join(sizes, ", ")
}
