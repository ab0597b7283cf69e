// Package results reads measurements and makes tables, figures for charts, and
// numbers for sentences of them.
//
// A machine has one file, in the Go benchmark format, with all that was measured
// on it. Each line is what one launch of a program says of one benchmark, and
// configuration lines number the launch and the link order of the program. In a
// launch all benchmarks of a group, such as the steps in a scene, took slices in
// turns, so a ratio of two of them is formed launch by launch. Package benchproc
// selects benchmarks and says what is a row, a column or a series; package
// estimate makes a figure with an interval of what the launches say.
//
// Nobody changes a line that was read. What follows from it, such as the cycles of a
// ray, is computed when somebody asks for its unit: see derivedUnits.
package results

import (
	"cmp"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"

	"raysteps/scripts/internal/estimate"
	"raysteps/scripts/internal/steps"
)

const (
	Local        = "results/local/machine.txt" // the reader's own file, which git ignores
	Reference    = "amd-epyc-zen-3"            // the machine that the pages are about
	NoisePackage = "raysteps/step01/again"     // the first step in link orders of its own: noise
	peerPrefix   = "peer/"                     // of programs in C++: peer/g++/step12
)

// Set is what was measured on one machine.
type Set struct {
	Name string // of the file, without .txt
	// Local says that it is the reader's: columns that it lacks are left out, and an error in others.
	Local bool
	// Disturbed says that other programs had some processors in launches, which do not count.
	Disturbed bool

	benchmarks []*benchmark // in the order of the file
	index      map[id]*benchmark
}

// id names a benchmark: the import path of its package, its name without "Benchmark" and the
// number of processors, and the build, if builds are compared.
type id struct{ pkg, name, build string }

func (i id) String() string { return strings.TrimSpace(i.pkg + " " + i.name + " " + i.build) }

// processors ends the name of a benchmark.
var processors = regexp.MustCompile(`-\d+$`)

func idOf(line *benchfmt.Result) id {
	return id{line.GetConfig("pkg"), processors.ReplaceAllString(string(line.Name), ""), line.GetConfig("build")}
}

// benchmark holds what the launches say of one.
type benchmark struct {
	id
	step     *steps.Step // nil if it is of none
	rank     int         // where it stands in a table
	budget   *budget     // of the cycles of a sphere; nil where none is known
	launches []launch
}

// launch is one line of a file.
type launch struct {
	line   *benchfmt.Result // as it was read
	fields *benchfmt.Result // its name and configuration, and fields of the registry, for benchproc
	order  int              // the same for all launches of a link order in a run
	places []float64        // of its hot functions, as [estimate.PlaceEffects] codes them
	taken  bool             // other programs had some of its processors, so that it says nothing
}

// taken reports whether other programs had some of its processors in all launches.
func (b *benchmark) taken() bool { return b.last().taken }

// last returns the last launch.
func (b *benchmark) last() launch { return b.launches[len(b.launches)-1] }

// Open reads the machines in the folder results, the reference first and then by name, and
// the reader's own file, nil if there is none.
func Open(root string) (machines []*Set, local *Set, err error) {
	files, _ := fs.Glob(os.DirFS(root), "results/*.txt") // the pattern is right
	for _, file := range append(files, Local) {
		lines, err := readFile(filepath.Join(root, file))
		if err != nil || file == Local && lines == nil {
			return machines, nil, err
		}
		set, err := NewSet(lines, file)
		if err != nil {
			return nil, nil, err
		}
		switch set.Local = file == Local; {
		case set.Local:
			local = set
		case set.Name == Reference:
			machines = slices.Insert(machines, 0, set)
		default:
			machines = append(machines, set)
		}
	}
	return machines, local, nil
}

// NewSet makes a set of lines, which it keeps and nobody may change. The name is for messages.
func NewSet(lines []*benchfmt.Result, name string) (*Set, error) {
	if len(lines) == 0 {
		return nil, fmt.Errorf("results %q: no measurements; want a file in the Go benchmark format, as go run ./scripts/bench writes it", name)
	}
	set := &Set{Name: strings.TrimSuffix(filepath.Base(name), ".txt"), Local: true, index: map[id]*benchmark{}}
	orders := map[[2]string]int{}
	for _, line := range lines {
		// Link orders of another run are others, and nothing pairs them with these.
		order := [2]string{line.GetConfig("measured"), line.GetConfig("link-order")}
		orders[order] = cmp.Or(orders[order], len(orders)+1)
		set.add(newLaunch(line, orders[order]))
	}
	for _, b := range set.benchmarks {
		taken := func(l launch) bool { return l.taken }
		set.Disturbed = set.Disturbed || slices.ContainsFunc(b.launches, taken)
		if rest := slices.DeleteFunc(slices.Clone(b.launches), taken); len(rest) > 0 {
			b.launches = rest
		}
		b.register()
	}
	set.addBudgets()
	for _, b := range set.benchmarks {
		b.addFields()
	}
	return set, nil
}

// newLaunch returns what a line says, of a launch of a link order.
func newLaunch(line *benchfmt.Result, order int) launch {
	l := launch{line: line, order: order}
	had, _ := line.Value("processors")
	workers, _ := strconv.Atoi(strings.TrimPrefix(processors.FindString(string(line.Name)), "-"))
	l.taken = estimate.ProcessorsTaken(had, workers)
	var odd []bool
	for place := range strings.FieldsSeq(line.GetConfig("place")) {
		odd = append(odd, place == "odd")
	}
	l.places = estimate.PlaceEffects(odd)
	return l
}

// add adds a launch to the benchmark that it is of.
func (s *Set) add(l launch) {
	i := idOf(l.line)
	b := s.index[i]
	if b == nil {
		b = &benchmark{id: i}
		s.benchmarks, s.index[i] = append(s.benchmarks, b), b
	}
	b.launches = append(b.launches, l)
}

// values returns what the launches say of a benchmark in a unit, in the order of the file.
func (b *benchmark) values(unit string) (all []estimate.Launch) {
	for _, l := range b.launches {
		if v, ok := b.value(l, unit); ok {
			all = append(all, estimate.Launch{Order: l.order, Log: math.Log(v), Places: l.places})
		}
	}
	return all
}

// estimate returns what all launches say together, if there are any; nil has none. A value that
// is the same in all launches is exact, and so is a single count, which may be 0 and has no
// logarithm then. Of a share, whose unit ends in -%, a line may say the interval.
func (b *benchmark) estimate(unit string) (v estimate.Estimate, there bool) {
	if b == nil {
		return estimate.Mean(nil), false
	}
	launches := b.values(unit)
	x, _ := b.value(b.last(), unit)
	if lo, given := b.value(b.last(), unit+"-lo"); given {
		hi, _ := b.value(b.last(), unit+"-hi")
		return estimate.Estimate{Center: x, Lo: lo, Hi: hi}, true
	}
	differ := func(l estimate.Launch) bool { return l.Log != launches[0].Log }
	if slices.ContainsFunc(launches, differ) || len(launches) < 2 && !counted(unit) {
		return estimate.Mean(launches), len(launches) > 0
	}
	return estimate.Estimate{Center: x, Lo: x, Hi: x}, len(launches) > 0 // to the last digit
}

// counted reports whether a unit is none of time.
func counted(unit string) bool {
	return !strings.Contains(unit, "sec") && !strings.HasSuffix(unit, "/s") && !strings.Contains(unit, "cycle")
}
