// Package resultstest makes files of measurements for tests.
package resultstest

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"raysteps/scripts/internal/steps"
)

// Abacus and Quipu are the configuration lines of two machines.
const (
	Abacus = "goos: plan9\ngoarch: amd64\ncpu: Abacus 9\ncpu-generation: Counting House\ncpu-clock: 2.00 GHz\ncpu-cores: 2\ngoversion: go1.26.8\ngoamd64: v1\n"
	Quipu  = "goos: linux\ngoarch: arm64\ncpu: Quipu (R) 3\ncpu-cores: 7\ngoversion: go1.26.9\n"
)

// Line is a benchmark, measured once in each launch.
type Line struct {
	Package, Name, Build string
	Values               map[string]float64 // by unit
}

// Rate is a line with rays a second.
func Rate(pkg, name string, rate float64) Line {
	return Line{Package: pkg, Name: name, Values: map[string]float64{"rays/s": rate}}
}

// Text returns a file of so many launches, each of another link order. Rates and
// times scatter by up to some thousandths between launches.
func Text(machine string, launches int, scatter float64, lines ...Line) string {
	var b strings.Builder
	b.WriteString("Unit rays/s better=higher\n\n" + machine)
	for launch := range launches {
		for n, line := range lines {
			fmt.Fprintf(&b, "\npkg: %s\nbuild: %s\nlink-order: %d\nlaunch: %d\n\nBenchmark%s-2 9", line.Package, line.Build, launch+1, launch+1, line.Name)
			factor := 1 + scatter*float64((7*n+3*launch)%11-5)
			for _, unit := range slices.Sorted(maps.Keys(line.Values)) {
				value := line.Values[unit]
				switch {
				case strings.HasPrefix(unit, "ns/"):
					value /= factor
				case strings.HasSuffix(unit, "/s"):
					value *= factor
				}
				fmt.Fprintf(&b, " %.6g %s", value, unit)
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

// Steps returns the renders of all steps in the three scenes, and of the first one
// again; each step is a quarter faster than the one before.
func Steps(factor float64) []Line {
	var all []Line
	for scene, rate := range map[string]float64{"small": 16e6, "medium": 4e6, "large": 0.5e6} {
		all = append(all, Rate("raysteps/step01/again", "Render/scene="+scene, rate*factor))
		for i, step := range steps.All() {
			all = append(all, Rate(step.Package(), "Render/scene="+scene, rate*factor*(1+float64(i)/4)))
		}
	}
	slices.SortFunc(all, func(a, b Line) int { return strings.Compare(a.Name+a.Package, b.Name+b.Package) })
	return all
}
