// Package resultstest makes files of measurements, as scripts/bench writes them,
// for tests.
package resultstest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/steps"
)

// The configuration lines of two machines.
const (
	Abacus = "goos: plan9\ngoarch: amd64\ncpu: Abacus 9\ncpu-family: 25, model 17, Counting House\ncpu-cores: 2\ngoversion: go1.26.8\ngoamd64: v1\n"
	Quipu  = "goos: linux\ngoarch: arm64\ncpu: Quipu (R) 3\ncpu-cores: 7\ngoversion: go1.26.9\n"
)

// File says how much is measured, and where.
type File struct {
	Machine          string // configuration lines; those of Abacus if empty
	Orders, Launches int    // 16 link orders and 2 launches of each if 0
}

// Benchmark is measured once in each launch.
type Benchmark struct {
	Package, Name string             // the latter without "Benchmark"
	Build         string             // or empty
	Values        map[string]float64 // by unit
}

// Text returns the file of some benchmarks. Rates and times scatter by a few
// thousandths between launches.
func (f File) Text(benchmarks ...Benchmark) string {
	if f.Machine == "" {
		f.Machine = Abacus
	}
	if f.Orders == 0 {
		f.Orders, f.Launches = 16, 2
	}
	var b strings.Builder
	b.WriteString("Unit rays/s better=higher\n\n" + f.Machine)
	for launch := range f.Orders * max(f.Launches, 1) {
		for n, benchmark := range benchmarks {
			fmt.Fprintf(&b, "\npkg: %s\n", benchmark.Package)
			if benchmark.Build != "" {
				fmt.Fprintf(&b, "build: %s\n", benchmark.Build)
			}
			fmt.Fprintf(&b, "link-order: %d\nlaunch: %d\n\nBenchmark%s-2 9", launch%f.Orders+1, launch+1, benchmark.Name)
			scatter := 1 + 0.001*float64((7*n+3*launch)%11-5)
			for _, unit := range slices.Sorted(maps.Keys(benchmark.Values)) {
				value := benchmark.Values[unit]
				switch {
				case strings.HasPrefix(unit, "ns/"):
					value /= scatter
				case strings.HasSuffix(unit, "/s"), unit == "efficiency":
					value *= scatter
				}
				fmt.Fprintf(&b, " %.6g %s", value, unit)
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

// Steps returns the benchmarks of all steps in the three scenes, and of the first
// one again. Rates are multiplied by a factor.
func Steps(factor float64) []Benchmark {
	all := steps.All()
	packages := []string{results.Again(all[0])}
	for _, step := range all {
		packages = append(packages, step.Package())
	}
	var benchmarks []Benchmark
	for i, pkg := range packages {
		speed := 1 + float64(max(i, 1)-1)/4
		for scene, rate := range []float64{16e6, 4e6, 0.5e6} {
			name := "Render/scene=" + []string{"small", "medium", "large"}[scene]
			benchmarks = append(benchmarks, Benchmark{Package: pkg, Name: name, Values: map[string]float64{"rays/s": rate * speed * factor}})
		}
	}
	return benchmarks
}

// Only returns the benchmarks whose package ends with one of some names.
func Only(benchmarks []Benchmark, names ...string) []Benchmark {
	return slices.DeleteFunc(slices.Clone(benchmarks), func(b Benchmark) bool {
		return !slices.ContainsFunc(names, func(name string) bool { return strings.HasSuffix(b.Package, name) })
	})
}

// Experiments returns the benchmarks of two chapters.
func Experiments() []Benchmark {
	line := func(pkg, name string, nanoseconds, bytes float64) Benchmark {
		return Benchmark{Package: pkg, Name: name, Values: map[string]float64{"ns/op": nanoseconds, "ns/sphere": nanoseconds / 46, "B/op": bytes}}
	}
	return []Benchmark{
		line("raysteps/step01", "HitLoop/ray=pointer/record=pointer", 2000, 0),
		line("raysteps/step01", "HitLoop/ray=value/record=pointer", 2500, 24),
		line("raysteps/step01", "HitLoop/ray=value/record=value", 5000, 48),
		line("raysteps/step04", "Layout/n=46", 200, 0),
		line("raysteps/step04", "Layout/n=484", 2100, 0),
	}
}

// rates returns a benchmark with a rate.
func rates(pkg, name, build string, rate float64) Benchmark {
	return Benchmark{Package: pkg, Name: name, Build: build, Values: map[string]float64{"rays/s": rate}}
}

// Sweep returns step 13 with 1 to 8 workers and three sizes of tiles.
func Sweep() []Benchmark {
	var all []Benchmark
	for i, scene := range []string{"small", "medium", "large"} {
		for j, tile := range []int{8, 32, 128} {
			for k, workers := range []int{1, 2, 4, 8} {
				each := 4e6 * float64(i+1) * []float64{0.97, 1, 0.99 - 0.02*float64(k)}[j] * (1 - 0.02*float64(k*(3-i)))
				all = append(all, rates("raysteps/step13", fmt.Sprintf("Sweep/scene=%s/tile=%d/workers=%d", scene, tile, workers), "", each*float64(workers)))
			}
		}
	}
	return all
}

// Schedules returns step 13 on up to 256 processors that are simulated.
func Schedules() []Benchmark {
	var all []Benchmark
	for i, scene := range []string{"small", "medium", "large"} {
		for j, division := range []string{"8", "32", "128", "row", "parts"} {
			for _, workers := range []int{1, 2, 16, 256} {
				lost := float64(workers-1) * []float64{0.05, 0.2, 3, 0.4, 0.9}[j] / float64(100*(i+1))
				all = append(all, Benchmark{Package: "raysteps/step13", Name: fmt.Sprintf("Schedule/scene=%s/division=%s/workers=%d", scene, division, workers),
					Values: map[string]float64{"efficiency": 1 / (1 + lost)}})
			}
		}
	}
	return all
}

// Spheres returns four steps in scenes of 1 to 100,000 spheres. The last
// one takes 100 ns a ray: as long as the others with 15, 20 and 200 spheres.
func Spheres() []Benchmark {
	var all []Benchmark
	for i, pkg := range []string{"raysteps/step01", "raysteps/step04", "raysteps/step12", "raysteps/beyond/tree"} {
		for _, n := range []int{1, 10, 100, 1000, 10_000, 100_000} {
			cost := 40 + float64(n)*[]float64{4, 3, 0.3, 0}[i] + []float64{0, 0, 0, 60}[i]
			all = append(all, rates(pkg, fmt.Sprintf("Render/spheres=%d", n), "", 1e9/cost))
		}
	}
	return all
}

// Builds returns two steps in four builds.
func Builds() []Benchmark {
	var all []Benchmark
	for i, build := range []string{"v1", "v3", "v1+pgo", "v1+align64"} {
		for j, step := range []string{"raysteps/step04", "raysteps/step12"} {
			for k, scene := range []string{"small", "medium", "large"} {
				rate := []float64{16e6, 4e6, 0.5e6}[k] * float64(j+1) * (1 + 0.01*float64(i*(3-k)))
				all = append(all, rates(step, "Render/scene="+scene, build, rate))
			}
		}
	}
	return all
}

// Full returns whole pictures of two steps.
func Full() []Benchmark {
	var all []Benchmark
	for i, pkg := range []string{"raysteps/step01", "raysteps/step04"} {
		for j, scene := range []string{"small", "large"} {
			rate := 1e6 * float64(i+1) / float64(j+1)
			all = append(all, Benchmark{Package: pkg, Name: "Full/scene=" + scene, Values: map[string]float64{
				"ns/op": 2e16 / rate, "rays/s": rate, results.SliceRate: 1.01 * rate}})
		}
	}
	return all
}

// Kernel returns a kernel with 16 operations a sphere over n of them.
func Kernel(pkg, name string, n int, speed float64) Benchmark {
	nanoseconds := 16e9 / speed
	return Benchmark{Package: "raysteps/" + pkg, Name: fmt.Sprintf("Kernel/kernel=%s/n=%d", name, n), Values: map[string]float64{
		"ns/op": nanoseconds * float64(n), "ns/sphere": nanoseconds, "flop/s": speed}}
}

// Peak returns what one core can do at most.
func Peak(op string, bits int, speed float64) Benchmark {
	unit := "flop/s"
	if op == "load" {
		unit = "B/s"
	}
	key := results.PeakKey(op, bits)
	return Benchmark{Package: key.Package, Name: key.Name, Values: map[string]float64{unit: speed}}
}
