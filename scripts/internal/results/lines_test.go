package results

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/estimate"
	"raysteps/scripts/internal/steps"
)

// published are the machines of the folder results, read once for all tests.
var published = sync.OnceValues(func() ([]*Set, error) {
	root, err := cli.ModuleRoot()
	if err != nil {
		return nil, err
	}
	machines, _, err := Open(root)
	return machines, err
})

// figure is the estimate of a benchmark.
func (s *Set) figure(pkg, name, unit string) (v estimate.Estimate, there bool) {
	return s.Quantity(pkg, name, "", Column{Unit: unit})
}

func readText(t *testing.T, text string) *Set {
	lines, err := Parse([]byte(text), "abacus")
	require.NoError(t, err)
	set, err := NewSet(lines, "dir/abacus.txt")
	require.NoError(t, err)
	set.Local = false
	return set
}

// columns reads several, with commas between.
func columns(t *testing.T, show string) (all []Column) {
	for text := range strings.SplitSeq(show, ",") {
		column, err := ParseColumn(text)
		require.NoError(t, err)
		all = append(all, column)
	}
	return all
}

// abacus is the configuration of a machine.
const abacus = "goos: plan9\ngoarch: amd64\ncpu: Abacus 9\ncpu-generation: Counting House\ncpu-clock: 2.00 GHz\ncpu-cores: 2\ngoversion: go1.26.8\ngoamd64: v1\n"

// measured is what a launch says of a benchmark.
type measured struct{ pkg, name, build, values string }

func of(pkg, name, unit string, value float64) measured {
	return measured{pkg: pkg, name: name, values: fmt.Sprint(value, " ", unit)}
}

func rate(pkg, name string, value float64) measured { return of(pkg, name, "rays/s", value) }

// textOf returns a file of so many launches, each of another link order.
func textOf(machine string, launches int, all ...measured) string {
	var b strings.Builder
	b.WriteString("Unit rays/s better=higher\n\n" + machine)
	for launch := range launches {
		for _, m := range all {
			fmt.Fprintf(&b, "\npkg: %s\nbuild: %s\nlink-order: %d\nlaunch: %[3]d\n\nBenchmark%s-2 9 %s\n", m.pkg, m.build, launch+1, m.name, m.values)
		}
	}
	return b.String()
}

// stepsOf returns the renders of all steps in the three scenes, and of the first one
// again; each step is a quarter faster than the one before.
func stepsOf() (all []measured) {
	for scene, first := range map[string]float64{"small": 16e6, "medium": 4e6, "large": 0.5e6} {
		all = append(all, rate(NoisePackage, "Render/scene="+scene, first))
		for i, step := range steps.All() {
			all = append(all, rate(step.Package(), "Render/scene="+scene, first*(1+float64(i)/4)))
		}
	}
	slices.SortFunc(all, func(a, b measured) int { return strings.Compare(a.name+a.pkg, b.name+b.pkg) })
	return all
}
