package results

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"raysteps/scripts/internal/steps"
)

// abacus and quipu are the configuration lines of two machines.
const (
	abacus = "goos: plan9\ngoarch: amd64\ncpu: Abacus 9\ncpu-generation: Counting House\ncpu-clock: 2.00 GHz\ncpu-cores: 2\ngoversion: go1.26.8\ngoamd64: v1\n"
	quipu  = "goos: linux\ngoarch: arm64\ncpu: Quipu (R) 3\ncpu-cores: 7\ngoversion: go1.26.9\n"
)

// measuredLine is a benchmark, measured once in each launch.
type measuredLine struct {
	Package, Name, Build string
	Values               map[string]float64 // by unit
}

// rateOf is a line with rays a second.
func rateOf(pkg, name string, rate float64) measuredLine {
	return measuredLine{Package: pkg, Name: name, Values: map[string]float64{"rays/s": rate}}
}

// textOf returns a file of so many launches, each of another link order. Rates and
// times scatter by up to some thousandths between launches.
func textOf(machine string, launches int, scatter float64, lines ...measuredLine) string {
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

// stepsOf returns the renders of all steps in the three scenes, and of the first one
// again; each step is a quarter faster than the one before.
func stepsOf(factor float64) []measuredLine {
	var all []measuredLine
	for scene, rate := range map[string]float64{"small": 16e6, "medium": 4e6, "large": 0.5e6} {
		all = append(all, rateOf("raysteps/step01/again", "Render/scene="+scene, rate*factor))
		for i, step := range steps.All() {
			all = append(all, rateOf(step.Package(), "Render/scene="+scene, rate*factor*(1+float64(i)/4)))
		}
	}
	slices.SortFunc(all, func(a, b measuredLine) int { return strings.Compare(a.Name+a.Package, b.Name+b.Package) })
	return all
}
