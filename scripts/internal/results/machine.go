package results

import (
	"context"
	_ "embed"
	"fmt"
	"math"
	"runtime"
	"strings"
	"time"

	"github.com/klauspost/cpuid/v2"

	"raysteps/scripts/internal/cli"
)

// describe returns what is known of this machine, of the go command that builds the steps,
// and of the module at root, by configuration keys. What the system does not tell is left
// out. The first lines are those that the testing package prints.
func describe(ctx context.Context, root string) (lines [][2]string, err error) {
	add := func(key, format string, args ...any) {
		if value := strings.TrimSpace(fmt.Sprintf(format, args...)); value != "" {
			lines = append(lines, [2]string{key, value})
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
	add("cpu-clock", "%.2f GHz", Clock())
	add("cpu-features", "%s", strings.ToLower(strings.Join(cpu.FeatureSet(), " ")))
	add("cpu-cores", "%d", runtime.NumCPU())
	if c := cpu.Cache; c.L2 > 0 {
		add("cpu-caches", "L1d %d KiB, L1i %d KiB, L2 %d KiB, L3 %d KiB, lines of %d bytes", c.L1D>>10, c.L1I>>10, c.L2>>10, c.L3>>10, cpu.CacheLine)
	}
	if system, err := cli.Output(ctx, "", nil, "uname", "-sr"); err == nil {
		add("system", "%s", system)
	}
	for _, variable := range []string{"GOVERSION", "GOAMD64", "GOARM64", "GOFLAGS", "GOEXPERIMENT"} {
		value, err := cli.Output(ctx, "", nil, "go", "env", variable)
		if err != nil {
			return nil, fmt.Errorf("go env: %w", err)
		}
		add(strings.ToLower(variable), "%s", value)
	}
	add("gomaxprocs", "%d", runtime.GOMAXPROCS(0))
	add("pgo", "off")
	add("measured", "%s", time.Now().UTC().Format(time.RFC3339))
	// The commit, with a + if files were changed since, if this is a clone.
	revision, err := cli.Output(ctx, "", nil, "git", "-C", root, "describe", "--always", "--dirty=+", "--exclude=*", "--abbrev=10")
	if err != nil {
		revision = "unknown"
	}
	add("revision", "%s", revision)
	return lines, nil
}

//go:embed generations.txt
var generations string

// generation names the microarchitecture, or nothing if it is not known here.
func generation(cpu cpuid.CPUInfo) string {
	for line := range strings.Lines(generations) {
		var vendor string
		var family, model, l2, l3 int
		var avx512 bool
		name, wanted, _ := strings.Cut(line, ": ")
		n, _ := fmt.Sscan(wanted, &vendor, &family, &model, &avx512, &l2, &l3)
		if n == 6 && vendor == cpu.VendorID.String() && family == cpu.Family && model <= cpu.Model &&
			(!avx512 || cpu.Supports(cpuid.AVX512F)) && (l2 == 0 || l2 == cpu.Cache.L2>>10) && l3 <= cpu.Cache.L3>>20 {
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
