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

	"raysteps/scripts/internal/estimate"
	"raysteps/scripts/internal/steps"
)

// The folder of published machines, and the reader's own file, which git ignores.
const (
	Folder = "results"
	Local  = "results/local/machine.txt"
)

// Reference names the machine that the pages are about, where they name no other.
const Reference = "amd-epyc-zen-5"

// share ends units of shares in percent of what was counted, which may be 0. A line says its
// interval in two units more, called-%-lo and called-%-hi.
const share = "-%"

// Again is the package under which a copy of the first step is measured, linked
// at another place: what it differs by is noise.
const Again = "raysteps/step01/again"

// peerPrefix begins the packages of programs in C++: peer/g++/step12.
const peerPrefix = "peer/"

// Set is what was measured on one machine.
type Set struct {
	Name string // of the file, without .txt
	Own  bool   // the file is the reader's

	complete   bool         // a column that it lacks is an error, and not left out
	benchmarks []*benchmark // in the order of the file
	index      map[id]*benchmark
}

// id names a benchmark: the import path of its package, its name without
// "Benchmark" and the number of processors, and the build, if builds are compared.
type id struct{ pkg, name, build string }

func (i id) String() string { return strings.TrimSpace(i.pkg + " " + i.name + " " + i.build) }

// benchmark holds what the launches say of one benchmark.
type benchmark struct {
	id
	step     *steps.Step      // nil if it is of none
	rank     int              // where it stands in a table
	line     *benchfmt.Result // of the last launch
	launches []launch         // that count
	taken    bool             // more than half of them lacked processors
}

// launch is one line of a file, with the fields that describe adds.
type launch struct {
	*benchfmt.Result
	order  int       // the same for all launches of a link order in a run
	places []float64 // of its hot functions
}

// Open reads the machines in the folder results, the reference first and then by name, and
// the reader's own file, nil if there is none.
func Open(root string) (machines []*Set, own *Set, err error) {
	for _, pattern := range []string{Folder + "/*.txt", Local} {
		files, _ := fs.Glob(os.DirFS(root), pattern) // the patterns are right
		for _, file := range files {
			lines, err := readFile(filepath.Join(root, file))
			if err != nil {
				return nil, nil, err
			}
			set, err := Of(lines, file)
			if err != nil {
				return nil, nil, err
			}
			switch set.Own, set.complete = file == Local, file != Local; {
			case set.Own:
				own = set
			case set.Name == Reference:
				machines = slices.Insert(machines, 0, set)
			default:
				machines = append(machines, set)
			}
		}
	}
	return machines, own, nil
}

// readFile returns the benchmarks of a file, none if it does not exist.
func readFile(file string) ([]*benchfmt.Result, error) {
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return parse(text, file)
}

// parse returns the benchmarks of a file. A line that looks like a benchmark but is none
// is an error.
func parse(text []byte, name string) (lines []*benchfmt.Result, err error) {
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
	if err := reader.Err(); err != nil {
		return nil, fmt.Errorf("results %q: %w", name, err)
	}
	return lines, nil
}

// processors ends the name of a benchmark.
var processors = regexp.MustCompile(`-\d+$`)

func idOf(line *benchfmt.Result) id {
	return id{line.GetConfig("pkg"), processors.ReplaceAllString(string(line.Name), ""), line.GetConfig("build")}
}

// configuration is what a benchmark may be measured under besides its build.
func configuration(line *benchfmt.Result) [3]string {
	return [3]string{line.GetConfig("goversion"), line.GetConfig("goamd64"), line.GetConfig("pgo")}
}

// Of makes a set of lines, which stay as they are, and adds what follows from them; the name
// is for messages. Where the same benchmark stands there under several configurations, the
// last one counts. But a count that was taken with another release of Go than the renders
// gets that release as its build: it stands beside the count of the renders' release, and
// does not replace it.
func Of(lines []*benchfmt.Result, name string) (*Set, error) {
	if len(lines) == 0 {
		return nil, fmt.Errorf("results %q: no measurements; want a file in the Go benchmark format, as go run ./scripts/bench writes it", name)
	}
	set := &Set{Name: strings.TrimSuffix(filepath.Base(name), ".txt"), index: map[id]*benchmark{}}
	release := "" // of the renders
	for _, line := range lines {
		if strings.HasPrefix(string(line.Name), "Render/") && line.GetConfig("build") == "" {
			release = line.GetConfig("goversion")
		}
	}
	orders := map[[2]string]int{}
	for _, line := range lines {
		key := idOf(line)
		if version := line.GetConfig("goversion"); strings.HasPrefix(key.name, "Count/") && release != "" && version != release {
			key.build = version
		}
		b := set.index[key]
		if b == nil || configuration(b.line) != configuration(line) {
			set.benchmarks = slices.DeleteFunc(set.benchmarks, func(other *benchmark) bool { return other == b })
			b = set.add(key)
		}
		// Link orders of another run are others, and nothing pairs them with these.
		order := [2]string{line.GetConfig("measured"), line.GetConfig("link-order")}
		orders[order] = cmp.Or(orders[order], len(orders)+1)
		var odd []bool
		for place := range strings.FieldsSeq(line.GetConfig("place")) {
			odd = append(odd, place == "odd")
		}
		b.line = line.Clone()
		b.launches = append(b.launches, launch{b.line, orders[order], estimate.Places(odd)})
	}
	for _, b := range set.benchmarks {
		had := slices.DeleteFunc(slices.Clone(b.launches), launch.lacks)
		b.taken = 2*len(had) < len(b.launches)
		if !b.taken {
			b.launches, b.line = had, had[len(had)-1].Result
		}
		b.describe()
	}
	set.derive()
	return set, nil
}

// add makes a benchmark, after all others.
func (s *Set) add(i id) *benchmark {
	b := &benchmark{id: i}
	s.benchmarks, s.index[i] = append(s.benchmarks, b), b
	return b
}

// describe adds fields that rows and columns can be made of: step, label and question, from
// the registry, or the name of a program that is no step; and program, Go or the compiler of
// one in C++. And it ranks: steps in their order, each before its peers; then the noise and
// programs that are compared with no step, such as Toy Path Tracer. Benchmarks of none of
// these stay in the order of the file, before all others.
func (b *benchmark) describe() {
	of, program, name, label, question := strings.TrimPrefix(b.pkg, "raysteps/"), "Go", "", "", ""
	registry := steps.All()
	peer, isPeer := strings.CutPrefix(b.pkg, peerPrefix)
	if isPeer {
		of, program = path.Base(peer), cmp.Or(strings.TrimSuffix(path.Dir(peer), "."), "g++")
		name, b.rank = of, 2*len(registry)+1
	}
	if step, err := steps.Find(strings.TrimSuffix(of, "/again")); err == nil {
		b.step, name, label, question = &step, step.Short(), step.Label, step.Question
		b.rank = 2 * slices.Index(registry, step)
		if isPeer {
			b.rank++
		}
		switch kernel := b.line.GetConfig("kernel"); {
		case b.pkg == Again:
			label, b.rank = "again", 2*len(registry)
		case kernel != "" && kernel != step.Kernel:
			label += ", as " + kernel
		}
	}
	for _, l := range b.launches {
		for _, field := range [][2]string{{"program", program}, {"step", name}, {"label", label}, {"question", question}, {"build", b.build}} {
			l.SetConfig(field[0], field[1])
		}
	}
}

// lacks reports whether other programs had some of the processors of the workers.
func (l launch) lacks() bool {
	had, _ := l.Value("processors")
	name := l.Name.String()
	workers, err := strconv.Atoi(name[strings.LastIndexByte(name, '-')+1:])
	return err == nil && estimate.Lacks(had, workers)
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

// estimate returns what all launches say together, if there are any. A value that is the
// same in all launches is exact, and so is a single count, which may be 0 and has no
// logarithm then.
func (b *benchmark) estimate(unit string) (v estimate.Estimate, there bool) {
	launches, x := b.in(unit), value(b.line, unit)
	differ := func(l estimate.Launch) bool { return l.Log != launches[0].Log }
	if _, given := b.line.Value(unit + "-lo"); given { // a share, whose line says its interval
		return estimate.Estimate{Center: x, Lo: value(b.line, unit+"-lo"), Hi: value(b.line, unit+"-hi")}, true
	} else if (len(launches) > 1 || counted(unit)) && len(launches) > 0 && !slices.ContainsFunc(launches, differ) {
		return estimate.Estimate{Center: x, Lo: x, Hi: x}, true // to the last digit
	}
	return estimate.Of(launches), len(launches) > 0
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
// the least measured of them was. What comes last is said only where it differs.
func caption(list []*benchmark) string {
	forms := []string{"${cpu}", "${cpu-generation}", "${cpu-cores} cores", "${goos}/${goarch}", "GOAMD64=${goamd64}", "${goversion}",
		"GOEXPERIMENT=${goexperiment}", "of ${code} code than that beside it"}
	always, parts := len(forms), []string(nil)
	for i, form := range append(forms, "GOMAXPROCS=${gomaxprocs}", "${size} pixels", "-pgo=${pgo}") {
		var all []string
		for _, b := range list {
			text, none := os.Expand(form, b.line.GetConfig), os.Expand(form, func(string) string { return "" })
			if text != none {
				all = with(all, text)
			}
		}
		if len(all) > 1 || all != nil && i < always {
			parts = append(parts, strings.Join(all, " and "))
		}
	}
	orders := slices.MinFunc(list, func(a, b *benchmark) int { return a.orders() - b.orders() }).orders()
	if list[0].line.GetConfig("link-order") != "" {
		parts = append(parts, english.Plural(orders, "link order", ""))
	}
	return strings.Join(parts, ", ")
}

// orders returns in how many link orders a benchmark was launched.
func (b *benchmark) orders() int {
	seen := map[int]bool{}
	for _, l := range b.launches {
		seen[l.order] = true
	}
	return len(seen)
}

// Taken reports whether processors were taken from any benchmark.
func (s *Set) Taken() bool {
	return slices.ContainsFunc(s.benchmarks, func(b *benchmark) bool { return b.taken })
}
