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

// figure is the estimate of a benchmark by its name.
func (s *Set) figure(i id, unit string) (v estimate.Estimate, there bool) {
	if b := s.index[i]; b != nil {
		return b.estimate(unit)
	}
	return v, false
}

func readText(t *testing.T, text string) *Set {
	lines, err := parse([]byte(text), "abacus")
	require.NoError(t, err)
	set, err := Of(lines, "dir/abacus.txt")
	require.NoError(t, err)
	set.complete = true
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

// measuredLine is a benchmark, measured once in each launch.
type measuredLine struct {
	pkg, name, build string
	values           string // as a line has them
	rate             float64
}

func rateOf(pkg, name string, rate float64) measuredLine {
	return measuredLine{pkg: pkg, name: name, rate: rate}
}

func lineOf(pkg, name, unit string, value float64) measuredLine {
	return measuredLine{pkg: pkg, name: name, values: fmt.Sprint(value, " ", unit)}
}

// textOf returns a file of so many launches, each of another link order. Rates scatter by up
// to some thousandths between launches.
func textOf(machine string, launches int, scatter float64, lines ...measuredLine) string {
	var b strings.Builder
	b.WriteString("Unit rays/s better=higher\n\n" + machine)
	for launch := range launches {
		for n, line := range lines {
			values := line.values
			if line.rate > 0 {
				values = fmt.Sprintf("%.6g rays/s", line.rate*(1+scatter*float64((7*n+3*launch)%11-5)))
			}
			fmt.Fprintf(&b, "\npkg: %s\nbuild: %s\nlink-order: %d\nlaunch: %[3]d\n\nBenchmark%s-2 9 %s\n", line.pkg, line.build, launch+1, line.name, values)
		}
	}
	return b.String()
}

// stepsOf returns the renders of all steps in the three scenes, and of the first one
// again; each step is a quarter faster than the one before.
func stepsOf() (all []measuredLine) {
	for scene, rate := range map[string]float64{"small": 16e6, "medium": 4e6, "large": 0.5e6} {
		all = append(all, rateOf("raysteps/step01/again", "Render/scene="+scene, rate))
		for i, step := range steps.All() {
			all = append(all, rateOf(step.Package(), "Render/scene="+scene, rate*(1+float64(i)/4)))
		}
	}
	slices.SortFunc(all, func(a, b measuredLine) int { return strings.Compare(a.name+a.pkg, b.name+b.pkg) })
	return all
}
