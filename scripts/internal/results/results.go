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
package results

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize/english"
	"golang.org/x/perf/benchfmt"

	"raysteps/common/infile"
	"raysteps/scripts/internal/estimate"
	"raysteps/scripts/internal/steps"
)

const (
	Local      = "results/local/machine.txt" // the reader's own file, which git ignores
	Reference  = "amd-epyc-zen-5"            // the machine that the pages are about
	Again      = "raysteps/step01/again"     // a copy of the first step at another place: noise
	peerPrefix = "peer/"                     // of programs in C++: peer/g++/step12
)

// Set is what was measured on one machine.
type Set struct {
	Name  string // of the file, without .txt
	Own   bool   // the reader's: columns that it lacks are left out, and an error in others
	Taken bool   // other programs had some processors in launches, which do not count

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
	launches []launch
}

// launch is one line of a file, with the fields that describe adds.
type launch struct {
	*benchfmt.Result
	order  int       // the same for all launches of a link order in a run
	places []float64 // of its hot functions
}

// taken reports whether other programs had some of its processors in all launches.
func (b *benchmark) taken() bool { return len(b.line().Values) == 0 }

// line returns the last launch.
func (b *benchmark) line() *benchfmt.Result { return b.launches[len(b.launches)-1].Result }

// Open reads the machines in the folder results, the reference first and then by name, and
// the reader's own file, nil if there is none.
func Open(root string) (machines []*Set, own *Set, err error) {
	files, _ := fs.Glob(os.DirFS(root), "results/*.txt") // the pattern is right
	for _, file := range append(files, Local) {
		lines, err := readFile(filepath.Join(root, file))
		if err != nil || file == Local && lines == nil {
			return machines, nil, err
		}
		set, err := Of(lines, file)
		if err != nil {
			return nil, nil, err
		}
		switch set.Own = file == Local; {
		case set.Own:
			own = set
		case set.Name == Reference:
			machines = slices.Insert(machines, 0, set)
		default:
			machines = append(machines, set)
		}
	}
	return machines, own, nil
}

// maxFile is more bytes than all machines have together.
const maxFile = 1 << 28

// readFile returns the benchmarks of a file, none if it does not exist or is empty.
func readFile(file string) ([]*benchfmt.Result, error) {
	text, err := infile.Read("results", file, maxFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	lines, err := Parse(text, file)
	if err == nil && len(lines) == 0 && len(text) > 0 {
		err = fmt.Errorf("results %q: there is something else in it; want a file of measurements, or a new one", file)
	}
	return lines, err
}

// Parse returns the benchmarks of a file. A line that looks like a benchmark but is none
// is an error.
func Parse(text []byte, name string) (lines []*benchfmt.Result, err error) {
	reader := benchfmt.NewReader(bytes.NewReader(text), name)
	for reader.Scan() {
		switch record := reader.Result().(type) {
		case *benchfmt.SyntaxError:
			_, line := record.Pos()
			return nil, fmt.Errorf("results %q: line %d: %s; want the Go benchmark format", name, line, record.Msg)
		case *benchfmt.Result:
			lines = append(lines, record.Clone())
		}
	}
	return lines, reader.Err()
}

// Of makes a set of lines, which stay as they are, and adds what follows from them; the name
// is for messages.
func Of(lines []*benchfmt.Result, name string) (*Set, error) {
	if len(lines) == 0 {
		return nil, fmt.Errorf("results %q: no measurements; want a file in the Go benchmark format, as go run ./scripts/bench writes it", name)
	}
	set := &Set{Name: strings.TrimSuffix(filepath.Base(name), ".txt"), Own: true, index: map[id]*benchmark{}}
	orders := map[[2]string]int{}
	for _, line := range lines {
		i := idOf(line)
		had, _ := line.Value("processors")
		workers, _ := strconv.Atoi(strings.TrimPrefix(processors.FindString(string(line.Name)), "-"))
		line = line.Clone()
		if estimate.Lacks(had, workers) {
			set.Taken, line.Values = true, nil // it says nothing
		}
		b := set.index[i]
		if b == nil {
			b = &benchmark{id: i}
			set.benchmarks, set.index[i] = append(set.benchmarks, b), b
		}
		// Link orders of another run are others, and nothing pairs them with these.
		order := [2]string{line.GetConfig("measured"), line.GetConfig("link-order")}
		orders[order] = cmp.Or(orders[order], len(orders)+1)
		var odd []bool
		for place := range strings.FieldsSeq(line.GetConfig("place")) {
			odd = append(odd, place == "odd")
		}
		b.launches = append(b.launches, launch{line, orders[order], estimate.Places(odd)})
	}
	for _, b := range set.benchmarks {
		silent := func(l launch) bool { return len(l.Values) == 0 }
		if said := slices.DeleteFunc(slices.Clone(b.launches), silent); len(said) > 0 {
			b.launches = said
		}
		b.describe()
	}
	set.derive()
	return set, nil
}

// describe adds fields that rows and columns can be made of: step, label and question, from
// the registry, or the name of a program that is no step; and program, Go or the compiler of
// one in C++. And it ranks: steps in their order, each before its peers; then the noise and
// programs that are compared with no step, such as Toy Path Tracer. Benchmarks of none of
// these stay in the order of the file, before all others.
func (b *benchmark) describe() {
	registry, name := steps.All(), path.Base(strings.TrimSuffix(b.pkg, "/again"))
	fields := map[string]string{"program": "Go", "build": b.build}
	step, err := steps.Find(name)
	if err == nil {
		b.step, b.rank = &step, 2*slices.Index(registry, step)
		fields["step"], fields["label"], fields["question"] = step.Short(), step.Label, step.Question
	}
	peer, isPeer := strings.CutPrefix(b.pkg, peerPrefix)
	switch kernel := b.line().GetConfig("kernel"); {
	case isPeer:
		fields["program"] = cmp.Or(strings.TrimSuffix(path.Dir(peer), "."), "g++")
		if b.rank++; err != nil {
			fields["step"], b.rank = name, 2*len(registry)+1
		}
	case b.pkg == Again:
		fields["label"], b.rank = "again", 2*len(registry)
	case err == nil && kernel != "" && kernel != step.Kernel:
		fields["label"] += ", as " + kernel
	}
	for _, l := range b.launches {
		for field, text := range fields {
			l.SetConfig(field, text)
		}
		b.convert(l.Result)
	}
}

// in returns what the launches say of a benchmark in a unit, in the order of the file.
func (b *benchmark) in(unit string) (all []estimate.Launch) {
	for _, l := range b.launches {
		if v, ok := l.Value(unit); ok {
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
		return estimate.Of(nil), false
	}
	launches, x := b.in(unit), value(b.line(), unit)
	differ := func(l estimate.Launch) bool { return l.Log != launches[0].Log }
	if _, given := b.line().Value(unit + "-lo"); given {
		return estimate.Estimate{Center: x, Lo: value(b.line(), unit+"-lo"), Hi: value(b.line(), unit+"-hi")}, true
	}
	if slices.ContainsFunc(launches, differ) || len(launches) < 2 && !counted(unit) {
		return estimate.Of(launches), len(launches) > 0
	}
	return estimate.Estimate{Center: x, Lo: x, Hi: x}, len(launches) > 0 // to the last digit
}

// value returns what a line says in a unit, or 0.
func value(line *benchfmt.Result, unit string) float64 {
	v, _ := line.Value(unit)
	return v
}

// counted reports whether a unit is none of time.
func counted(unit string) bool {
	return !strings.Contains(unit, "sec") && !strings.HasSuffix(unit, "/s") && !strings.Contains(unit, "cycle")
}

// caption says in one line where and how benchmarks were measured: in how many link orders
// the least measured of them was.
func caption(list []*benchmark) string {
	var parts []string
	for _, form := range []string{"${cpu}", "${cpu-generation}", "${cpu-cores} cores", "${goos}/${goarch}", "GOAMD64=${goamd64}",
		"${goversion}", "GOEXPERIMENT=${goexperiment}"} {
		var all []string
		for _, b := range list {
			if text := os.Expand(form, b.line().GetConfig); text != os.Expand(form, new(benchfmt.Result).GetConfig) {
				all = with(all, text)
			}
		}
		if all != nil {
			parts = append(parts, strings.Join(all, " and "))
		}
	}
	var old []string // packages whose code has changed since
	for _, b := range list {
		if b.line().GetConfig("code") == "older" {
			old = with(old, path.Base(b.pkg))
		}
	}
	if old != nil {
		parts = append(parts, "older code: "+english.WordSeries(old, "and"))
	}
	least := math.MaxInt
	for _, b := range list {
		if b.pkg == Again { // which has one of two
			continue
		}
		orders := map[int]bool{}
		for _, l := range b.launches {
			orders[l.order] = true
		}
		least = min(least, len(orders))
	}
	if list[0].line().GetConfig("link-order") != "" {
		parts = append(parts, english.Plural(least, "link order", ""))
	}
	return strings.Join(parts, ", ")
}
