// Package machine describes the computer and the toolchain that measurements
// are taken with, as configuration lines of the Go benchmark format.
package machine

import (
	"fmt"
	"os/exec"
	"runtime"
	"strings"

	"github.com/klauspost/cpuid/v2"
	"github.com/shirou/gopsutil/v4/host"
	"github.com/shirou/gopsutil/v4/mem"
	"golang.org/x/perf/benchfmt"
)

// Describe returns what is known of this machine and of the go command that
// builds the steps. What the system does not tell is left out. The lines that
// the testing package prints itself, goos, goarch and cpu, are not among them.
func Describe() ([]benchfmt.Config, error) {
	env, err := goEnv("GOVERSION", "GOAMD64", "GOARM64", "GOFLAGS", "GOEXPERIMENT")
	if err != nil {
		return nil, err
	}
	var lines []benchfmt.Config
	add := func(key, format string, args ...any) {
		if value := strings.TrimSpace(fmt.Sprintf(format, args...)); value != "" {
			lines = append(lines, benchfmt.Config{Key: key, Value: []byte(value), File: true})
		}
	}

	cpu := cpuid.CPU
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "386" {
		// Elsewhere the testing package may not say cpu.
		add("cpu-brand", "%s", cpu.BrandName)
	}
	if cpu.Family != 0 {
		add("cpu-family", "%d, model %d, %s", cpu.Family, cpu.Model, cpu.VendorString)
	}
	add("cpu-features", "%s", strings.Join(features(cpu), " "))
	add("cpu-cores", "%d", runtime.NumCPU())
	add("cpu-caches", "%s", caches(cpu))
	if m, err := mem.VirtualMemory(); err == nil {
		add("memory", "%.0f GiB", float64(m.Total)/(1<<30))
	}
	if h, err := host.Info(); err == nil {
		add("system", "%s %s, kernel %s", h.Platform, h.PlatformVersion, h.KernelVersion)
	}
	add("goversion", "%s", env["GOVERSION"])
	add("goamd64", "%s", env["GOAMD64"])
	add("goarm64", "%s", env["GOARM64"])
	add("goflags", "%s", env["GOFLAGS"])
	add("goexperiment", "%s", env["GOEXPERIMENT"])
	add("gomaxprocs", "%d", runtime.GOMAXPROCS(0))
	return lines, nil
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

func goEnv(names ...string) (map[string]string, error) {
	out, err := exec.Command("go", append([]string{"env"}, names...)...).Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	env := map[string]string{}
	values := strings.Split(string(out), "\n")
	for i, name := range names {
		if i < len(values) {
			env[name] = strings.TrimSpace(values[i])
		}
	}
	return env, nil
}
