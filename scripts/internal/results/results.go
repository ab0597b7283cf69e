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
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize/english"
	"golang.org/x/perf/benchfmt"

	"raysteps/common/outfile"
	"raysteps/scripts/internal/estimate"
	"raysteps/scripts/internal/steps"
)

// Folders of files, from the root of the module. What is in Local is the reader's
// and ignored by git.
const (
	Folder = "results"
	Local  = "results/local"
)

// Reference names the machine that the sentences of the pages are about. A figure
// that it lacks is that of the first other machine, by name, that has it.
const Reference = "amd-epyc-zen-5"

// Again is the package under which a copy of the first step is measured, linked
// at another place: what it differs by is noise.
const Again = "raysteps/step01/again"

// peerPrefix begins the packages of programs in C++: peer/g++/step12.
const peerPrefix = "peer/"

// Set is what was measured on one machine.
type Set struct {
	Name string // of the file, without .txt
	Own  bool   // the reader's own

	benchmarks []*benchmark // in the order of the file
	index      map[id]*benchmark
}

// id names a benchmark: the import path of its package, its name without
// "Benchmark" and the number of processors, and the build, if builds are compared.
type id struct{ pkg, name, build string }

func (i id) String() string {
	if i.build != "" {
		return fmt.Sprintf("%s %s in build %s", i.pkg, i.name, i.build)
	}
	return i.pkg + " " + i.name
}

// benchmark holds what the launches say of one benchmark.
type benchmark struct {
	id
	step     *steps.Step      // nil if it is of none
	line     *benchfmt.Result // the last one, with the fields that describe adds
	launches []launch
}

// launch is one line of a file.
type launch struct {
	order, number int
	odd           []bool
	values        []benchfmt.Value
}

// Open reads the machines in the folder results, the reference first and then by
// name, and with local the reader's own file, nil if there is none. More than one
// of those is an error that names them.
func Open(root string, local bool) (machines []*Set, own *Set, err error) {
	read := func(folder string) (sets []*Set, err error) {
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(folder), "*.txt"))
		for _, file := range files {
			set, err := ReadFile(file)
			if err != nil {
				return nil, err
			}
			sets = append(sets, set)
		}
		return sets, err
	}
	if machines, err = read(Folder); err != nil {
		return nil, nil, err
	}
	if i := slices.IndexFunc(machines, func(s *Set) bool { return s.Name == Reference }); i > 0 {
		machines = slices.Concat(machines[i:i+1], machines[:i], machines[i+1:])
	}
	if !local {
		return machines, nil, nil
	}
	sets, err := read(Local)
	switch {
	case err != nil || len(sets) == 0:
		return machines, nil, err
	case len(sets) > 1:
		return machines, nil, fmt.Errorf("%s holds %s.txt and %s.txt; want one file, that of this machine: move the others elsewhere", Local, sets[0].Name, sets[1].Name)
	}
	sets[0].Own = true
	return machines, sets[0], nil
}

// ReadFile reads the file of a machine. A line that looks like a benchmark but is
// none is an error, and so is a file without any. Where the same benchmark stands
// there under several configurations, such as releases of Go, the last one counts.
func ReadFile(name string) (*Set, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("results %q: %w", name, errors.Unwrap(err))
	}
	return read(string(text), name)
}

func read(text, name string) (*Set, error) {
	records, err := parse(strings.NewReader(text), name)
	if err != nil {
		return nil, err
	}
	var lines []*benchfmt.Result
	for _, record := range records {
		if line, ok := record.(*benchfmt.Result); ok {
			lines = append(lines, line)
		}
	}
	return Of(lines, name)
}

// Of makes a set of lines, which stay as they are; the name is for messages.
func Of(lines []*benchfmt.Result, name string) (*Set, error) {
	set := &Set{Name: strings.TrimSuffix(filepath.Base(name), ".txt"), index: map[id]*benchmark{}}
	var runs []string
	release := ""
	for _, line := range lines {
		if strings.HasPrefix(string(line.Name), "Render/") && line.GetConfig("build") == "" {
			release = line.GetConfig("goversion")
		}
	}
	for _, line := range lines {
		// Link orders of another run are others, and nothing pairs them with these.
		run := line.GetConfig("measured")
		if !slices.Contains(runs, run) {
			runs = append(runs, run)
		}
		if err := set.add(line.Clone(), slices.Index(runs, run)*ordersOfRun, release); err != nil {
			_, at := line.Pos()
			return nil, fmt.Errorf("results %q: line %d: %w", name, at, err)
		}
	}
	if len(set.benchmarks) == 0 {
		return nil, fmt.Errorf("results %q: no measurements; want a file in the Go benchmark format, as go run ./scripts/bench writes it", name)
	}
	for _, b := range set.benchmarks {
		b.describe()
	}
	return set, nil
}

func parse(r io.Reader, name string) ([]benchfmt.Record, error) {
	var records []benchfmt.Record
	reader := benchfmt.NewReader(r, name)
	for reader.Scan() {
		switch record := reader.Result().(type) {
		case *benchfmt.SyntaxError:
			_, line := record.Pos()
			return nil, fmt.Errorf("results %q: line %d: %s; want the Go benchmark format", name, line, record.Msg)
		case *benchfmt.Result:
			records = append(records, record.Clone())
		default:
			records = append(records, record)
		}
	}
	if err := reader.Err(); err != nil {
		return nil, fmt.Errorf("results %q: %w", name, err)
	}
	return records, nil
}

func idOf(line *benchfmt.Result) id {
	base, parts := line.Name.Parts()
	name := string(base)
	for _, part := range parts {
		if part[0] != '-' {
			name += string(part)
		}
	}
	return id{line.GetConfig("pkg"), name, line.GetConfig("build")}
}

// configuration is what a benchmark may be measured under besides its build.
func configuration(line *benchfmt.Result) [3]string {
	return [3]string{line.GetConfig("goversion"), line.GetConfig("goamd64"), line.GetConfig("pgo")}
}

// ordersOfRun is more than the link orders that a run has.
const ordersOfRun = 1 << 20

// add adds a line of a run whose link orders begin after a number. What another release
// of Go than that of the renders counted is a build of its own.
func (s *Set) add(line *benchfmt.Result, after int, release string) error {
	l := launch{values: line.Values}
	for key, number := range map[string]*int{"link-order": &l.order, "launch": &l.number} {
		text := cmp.Or(line.GetConfig(key), "1")
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 {
			return fmt.Errorf("%s is %q; want a whole number of at least 1", key, text)
		}
		*number = n
	}
	l.order += after
	for _, place := range strings.Fields(line.GetConfig("place")) {
		if place != "odd" && place != "even" {
			return fmt.Errorf("place is %q; want odd or even, for each hot function", place)
		}
		l.odd = append(l.odd, place == "odd")
	}
	key := idOf(line)
	if version := line.GetConfig("goversion"); strings.HasPrefix(key.name, "Count/") && release != "" && version != release {
		key.build = version
	}
	b := s.index[key]
	if b == nil || configuration(b.line) != configuration(line) {
		s.benchmarks = slices.DeleteFunc(s.benchmarks, func(other *benchmark) bool { return other == b })
		b = &benchmark{id: key}
		s.benchmarks = append(s.benchmarks, b)
		s.index[key] = b
	}
	b.line = line
	b.launches = append(b.launches, l)
	return nil
}

// toy are the programs that are no steps.
var toy = map[string]string{"toy0": "Toy Path Tracer, one thread", "toy1": "Toy Path Tracer, all threads", "embree": "Embree, one thread"}

// describe adds fields to the line that rows and columns can be made of: step and
// label, from the registry, and program, Go or the compiler of one in C++.
func (b *benchmark) describe() {
	of, program := strings.TrimPrefix(b.pkg, "raysteps/"), "Go"
	if peer, ok := strings.CutPrefix(b.pkg, peerPrefix); ok {
		of, program = path.Base(peer), cmp.Or(strings.TrimSuffix(path.Dir(peer), "."), "g++")
	}
	b.line.SetConfig("program", program)
	if toy[of] != "" {
		b.line.SetConfig("step", toy[of])
	}
	step, err := steps.Find(strings.TrimSuffix(of, "/again"))
	if err != nil || strings.Contains(strings.TrimPrefix(of, "beyond/"), "/") && b.pkg != Again {
		return
	}
	b.step = &step
	label, kernel := step.Label, b.line.GetConfig("kernel")
	switch {
	case b.pkg == Again:
		label = "the same code at another place: the noise"
	case kernel == "plain":
		label += ", in plain Go"
	case kernel != "" && kernel != step.Kernel:
		label += ", as " + kernel
	}
	b.line.SetConfig("step", step.Short())
	b.line.SetConfig("label", label)
}

// in returns what the launches say of a benchmark in a unit, in the order of the file.
func (b *benchmark) in(unit string) []estimate.Launch {
	var all []estimate.Launch
	for _, l := range b.launches {
		for _, v := range l.values {
			if v.Unit == unit {
				all = append(all, estimate.Launch{Order: l.order, Log: math.Log(v.Value), Odd: l.odd})
			}
		}
	}
	return all
}

// estimate returns what all launches say together, if there are any. What was counted,
// once and for all and maybe as 0, and what was the same in all of them has a point as
// its interval.
func (b *benchmark) estimate(unit string) (v estimate.Estimate, there bool) {
	launches := b.in(unit)
	differ := func(l estimate.Launch) bool { return l.Log != launches[0].Log }
	counted := strings.HasSuffix(unit, "/ray") && unit != "sec/ray"
	switch {
	case len(launches) == 0:
		return v, false
	case (counted || len(launches) > 1) && !slices.ContainsFunc(launches, differ):
		x, _ := b.line.Value(unit) // to the last digit
		return estimate.Estimate{Center: x, Lo: x, Hi: x}, true
	}
	return estimate.Of(launches), true
}

// figure is the estimate of a benchmark by its name.
func (s *Set) figure(i id, unit string) (v estimate.Estimate, there bool) {
	if b := s.index[i]; b != nil {
		return b.estimate(unit)
	}
	return v, false
}

// Title names the machine in a few words: by the generation of its processor, if
// the file says it.
func (s *Set) Title() string {
	last := s.benchmarks[len(s.benchmarks)-1].line
	return cmp.Or(last.GetConfig("cpu-generation"), last.GetConfig("cpu"), s.Name)
}

// caption says in one line where and how benchmarks were measured: in how many
// launches the least measured of them was.
func caption(list []*benchmark) string {
	var parts []string
	add := func(format string, keys ...string) {
		var all []string
		for _, b := range list {
			v := b.line.GetConfig(keys[0])
			for _, key := range keys[1:] {
				v += "/" + b.line.GetConfig(key)
			}
			if v != "" && !slices.Contains(all, v) {
				all = append(all, v)
			}
		}
		if len(all) > 0 {
			parts = append(parts, fmt.Sprintf(format, strings.Join(all, " and ")))
		}
	}
	if list[0].line.GetConfig("llvm-mca") != "" {
		add("llvm-mca %s", "llvm-mca")
		add("%s", "goversion")
		return strings.Join(parts, ", ")
	}
	add("%s", "cpu")
	add("%s", "cpu-generation")
	add("%s cores", "cpu-cores")
	add("%s", "goos", "goarch")
	if list[0].build == "" { // which compare several
		add("GOAMD64=%s", "goamd64")
		add("%s", "goversion")
	}
	add("GOEXPERIMENT=%s", "goexperiment")
	add("code of the %s", "code") // older than the code beside it
	launches, orders := math.MaxInt, math.MaxInt
	for _, b := range list {
		launches, orders = min(launches, len(b.launches)), min(orders, b.orders())
	}
	return strings.Join(append(parts, english.Plural(launches, "launch", "launches")+" of "+english.Plural(orders, "link order", "")), ", ")
}

// orders returns in how many link orders a benchmark was launched.
func (b *benchmark) orders() int {
	seen := map[int]bool{}
	for _, l := range b.launches {
		seen[l.order] = true
	}
	return len(seen)
}

// Merge puts fresh measurements into the file of a machine, which it makes if
// there is none. Those of a package, a benchmark and a configuration take the place
// of the ones that stand there; the rest stays. The file is replaced as a whole.
func Merge(file string, fresh []byte) error {
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	old, err := parse(strings.NewReader(string(text)), file)
	if err != nil {
		return err
	}
	added, err := parse(strings.NewReader(string(fresh)), "what was measured")
	if err != nil {
		return err
	}
	type key struct {
		id
		configuration [3]string
	}
	keyOf := func(line *benchfmt.Result) key { return key{idOf(line), configuration(line)} }
	replaced := map[key]bool{}
	for _, record := range added {
		if line, ok := record.(*benchfmt.Result); ok {
			replaced[keyOf(line)] = true
		}
	}
	if len(replaced) == 0 {
		return fmt.Errorf("results %q: nothing was measured; want benchmark lines", file)
	}
	units := map[string]benchfmt.Record{}
	var lines []benchfmt.Record
	for i, record := range slices.Concat(old, added) {
		switch record := record.(type) {
		case *benchfmt.UnitMetadata:
			units[record.OrigUnit+" "+record.Key] = record
		case *benchfmt.Result:
			if i >= len(old) || !replaced[keyOf(record)] {
				lines = append(lines, record)
			}
		}
	}
	var out strings.Builder
	w := benchfmt.NewWriter(&out)
	for _, name := range slices.Sorted(maps.Keys(units)) {
		err = cmp.Or(err, w.Write(units[name]))
	}
	out.WriteString("\n")
	for _, line := range lines {
		err = cmp.Or(err, w.Write(line))
	}
	if err := cmp.Or(err, os.MkdirAll(filepath.Dir(file), 0o777)); err != nil {
		return err
	}
	return outfile.Write("results", file, []byte(out.String()))
}
