package results

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/klauspost/cpuid/v2"
	"golang.org/x/perf/benchfmt"

	"raysteps/common/outfile"
	"raysteps/scripts/internal/tool"
)

// units says what is better, and what is the same every time. A file begins with it.
//
//go:embed units.txt
var units string

// Record adds to lines, which are of one run, what describes the machine, the revision of
// the module at root and the time, and merges them into a file, or if that is empty into
// the reader's own file. It returns the name of the file. Only one command at a time may do
// so: those that measure hold [measure.Lock]. What was measured before Ctrl-C is kept, so
// the context may be canceled.
func Record(ctx context.Context, root, file string, lines []*benchfmt.Result) (name string, err error) {
	if len(lines) == 0 {
		return "", fmt.Errorf("results %q: nothing was measured; want benchmark lines", file)
	}
	config, err := describe(context.WithoutCancel(ctx), root)
	if err != nil {
		return "", err
	}
	for _, line := range lines {
		for _, c := range config {
			if line.GetConfig(c[0]) == "" {
				SetConfig(line, c[0], c[1])
			}
		}
	}
	return cmp.Or(file, Local), merge(cmp.Or(file, filepath.Join(root, Local)), lines, file == "")
}

// SetConfig gives a line a configuration that a file shows; an empty value takes it away.
func SetConfig(line *benchfmt.Result, key, value string) {
	line.SetConfig(key, value)
	if i, ok := line.ConfigIndex(key); ok {
		line.Config[i].File = true
	}
}

// Check says whether measurements can be recorded in a file, as [Record] takes it: one that is
// not there yet, or has measurements and nothing else that would be lost. It makes the folder of
// the reader's own.
func Check(root, file string) error {
	name := cmp.Or(file, filepath.Join(root, Local))
	if file == "" {
		_ = os.MkdirAll(filepath.Dir(name), 0o777) // or there is none, as the next line says
	}
	err := outfile.Check("results", name)
	if err == nil { // or it may be a device, whose text has no end
		_, err = readFile(name)
	}
	return err
}

// merge puts fresh measurements into the file of a machine, which it makes if there is
// none. Those of a package, a benchmark and a build take the place of the ones
// that stand there; the rest stays, but nothing of another machine in a file of one. The file is
// replaced as a whole.
func merge(file string, fresh []*benchfmt.Result, one bool) error {
	lines, err := readFile(file)
	if err != nil {
		return err
	}
	machine := func(line *benchfmt.Result) string { return line.GetConfig("cpu") + line.GetConfig("cpu-generation") }
	replaced := map[id]bool{}
	for _, line := range fresh {
		replaced[idOf(line)] = true
	}
	lines = slices.DeleteFunc(lines, func(line *benchfmt.Result) bool {
		return replaced[idOf(line)] || one && machine(line) != machine(fresh[0])
	})
	out := bytes.NewBufferString(units)
	w := benchfmt.NewWriter(out)
	for _, line := range append(lines, fresh...) {
		_ = w.Write(line) // a buffer takes it
	}
	return outfile.Write("results", file, out.Bytes())
}

// describe returns what is known of this machine, of the go command that builds the steps,
// and of the module at root, by configuration keys. What the system does not tell is empty.
func describe(ctx context.Context, root string) (config [][2]string, err error) {
	cpu, cache, family, caches := cpuid.CPU, cpuid.CPU.Cache, "", ""
	if cpu.Family != 0 {
		family = fmt.Sprintf("%d, model %d, %s", cpu.Family, cpu.Model, cpu.VendorString)
	}
	if cache.L2 > 0 {
		caches = fmt.Sprintf("L1d %d KiB, L1i %d KiB, L2 %d KiB, L3 %d KiB, lines of %d bytes",
			cache.L1D>>10, cache.L1I>>10, cache.L2>>10, cache.L3>>10, cpu.CacheLine)
	}
	system, _ := tool.Output(ctx, "", nil, "uname", "-sr")
	// The commit, with a + if files were changed since, if this is a clone.
	revision, err := tool.Output(ctx, "", nil, "git", "-C", root, "describe", "--always", "--dirty=+", "--exclude=*", "--abbrev=10")
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
		{"cpu-cores", fmt.Sprint(runtime.NumCPU())}, {"cpu-caches", caches}, {"system", system},
		{"gomaxprocs", fmt.Sprint(runtime.GOMAXPROCS(0))}, {"pgo", "off"},
		{"measured", time.Now().UTC().Format(time.RFC3339)}, {"revision", revision},
	}
	for i, value := range strings.Split(values, "\n") {
		config = append(config, [2]string{strings.ToLower(variables[i]), strings.TrimSpace(value)})
	}
	return config, nil
}

// generations name microarchitectures, each with what [generation] says of such a processor.
//
//go:embed generations.txt
var generations string

// generation names the microarchitecture, or nothing if it is not known here.
func generation(cpu cpuid.CPUInfo) string {
	is := fmt.Sprintf("%s %d model %d avx512=%t L2 %d KiB, L3 %d MiB", cpu.VendorID, cpu.Family, cpu.Model,
		cpu.Supports(cpuid.AVX512F), cpu.Cache.L2>>10, cpu.Cache.L3>>20)
	for line := range strings.Lines(generations) {
		name, pattern, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if match, _ := regexp.MatchString(pattern, is); match && pattern != "" {
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
