package results

import (
	"context"
	_ "embed"
	"fmt"
	"math"
	"regexp"
	"runtime"
	"strings"
	"time"

	"github.com/klauspost/cpuid/v2"

	"raysteps/scripts/internal/tool"
)

// machineConfig returns what is known of this machine, of the go command that builds the steps,
// and of the module at root, by configuration keys. What the system does not tell is empty.
func machineConfig(ctx context.Context, root string) (config [][2]string, err error) {
	cpu, family := cpuid.CPU, ""
	if cpu.Family != 0 {
		family = fmt.Sprintf("%d, model %d, %s", cpu.Family, cpu.Model, cpu.VendorString)
	}
	system, _ := tool.Output(ctx, "", nil, "uname", "-sr")
	// The commit, with a + if files were changed since, if this is a clone.
	revision, err := tool.Output(ctx, root, nil,
		"git", "describe", "--always", "--dirty=+", "--exclude=*", "--abbrev=10")
	if err != nil {
		revision = "unknown"
	}
	variables := []string{"GOAMD64", "GOARM64", "GOFLAGS", "GOEXPERIMENT", "GOVERSION"} // never empty
	values, err := tool.Output(ctx, "", nil, "go", append([]string{"env"}, variables...)...)
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	config = [][2]string{
		{"goos", runtime.GOOS}, {"goarch", runtime.GOARCH}, {"cpu", cpu.BrandName}, // as the testing package has them
		{"cpu-family", family}, {"cpu-generation", generation(cpu)}, {"cpu-clock", fmt.Sprintf("%.2f GHz", Clock())},
		{"cpu-features", strings.ToLower(strings.Join(cpu.FeatureSet(), " "))},
		{"cpu-cores", fmt.Sprint(runtime.NumCPU())}, {"cpu-caches", cacheSizes(cpu)}, {"system", system},
		{"gomaxprocs", fmt.Sprint(runtime.GOMAXPROCS(0))}, {"pgo", "off"},
		{"measured", time.Now().UTC().Format(time.RFC3339)}, {"revision", revision},
	}
	for i, value := range strings.Split(values, "\n") {
		config = append(config, [2]string{strings.ToLower(variables[i]), strings.TrimSpace(value)})
	}
	return config, nil
}

// cacheSizes lists those that the processor tells; a virtual one may keep some to itself.
func cacheSizes(cpu cpuid.CPUInfo) string {
	var known []string
	for _, level := range []struct {
		name string
		size int
	}{{"L1d", cpu.Cache.L1D}, {"L1i", cpu.Cache.L1I}, {"L2", cpu.Cache.L2}, {"L3", cpu.Cache.L3}} {
		if level.size > 0 {
			known = append(known, fmt.Sprintf("%s %d KiB", level.name, level.size>>10))
		}
	}
	if cpu.CacheLine > 0 {
		known = append(known, fmt.Sprintf("lines of %d bytes", cpu.CacheLine))
	}
	return strings.Join(known, ", ")
}

// generations name microarchitectures, each with what [generation] says of such a processor.
//
//go:embed generations.txt
var generations string

// generation names the microarchitecture, or nothing if it is not known here.
func generation(cpu cpuid.CPUInfo) string {
	about := fmt.Sprintf("%s %d model %d avx512=%t L2 %d KiB, L3 %d MiB", cpu.VendorID, cpu.Family, cpu.Model,
		cpu.Supports(cpuid.AVX512F), cpu.Cache.L2>>10, cpu.Cache.L3>>20)
	for line := range strings.Lines(generations) {
		name, pattern, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if match, _ := regexp.MatchString(pattern, about); match && pattern != "" {
			return name
		}
	}
	return ""
}

// Clock measures the clock of this moment in GHz by a chain of additions and exclusive
// ors that each wait for the one before, which take a cycle each on all processors that
// Go knows. (Of additions alone the compiler would make fewer.) It returns the fastest
// of some tries: others are interrupted, or come before the clock has risen.
func Clock() float64 {
	const operations = 320_000
	fastest := time.Duration(math.MaxInt64)
	for range 200 {
		start := time.Now()
		a, b := uint64(start.UnixNano()), uint64(1)
		for range operations / 2 {
			a += b
			b ^= a
		}
		if took := time.Since(start); b != 0 { // so that the sums are used
			fastest = min(fastest, took)
		}
	}
	return operations / float64(fastest.Nanoseconds())
}
