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
	"path/filepath"
	"slices"
	"strconv"
	"strings"

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
	runs       []string     // when they were measured
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
	line     *benchfmt.Result // the last one, with the fields that derive adds
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
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			set, err := ReadFile(file)
			if err != nil {
				return nil, err
			}
			sets = append(sets, set)
		}
		return sets, nil
	}
	if machines, err = read(Folder); err != nil {
		return nil, nil, err
	}
	slices.SortStableFunc(machines, func(a, b *Set) int {
		rank := map[bool]int{true: -1}
		return cmp.Compare(rank[a.Name == Reference], rank[b.Name == Reference])
	})
	if !local {
		return machines, nil, nil
	}
	sets, err := read(Local)
	switch {
	case err != nil:
		return machines, nil, err
	case len(sets) > 1:
		var names []string
		for _, set := range sets {
			names = append(names, set.Name+".txt")
		}
		return machines, nil, fmt.Errorf("%s holds %s; want one file, that of this machine: move the others elsewhere", Local, strings.Join(names, " and "))
	case len(sets) == 1:
		own = sets[0]
		own.Own = true
	}
	return machines, own, nil
}

// ReadFile reads the file of a machine.
func ReadFile(name string) (*Set, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("results %q: %w", name, errors.Unwrap(err))
	}
	defer f.Close()
	return Read(f, name)
}

// Read reads measurements; the name is for messages. A line that looks like a
// benchmark but is none is an error, and so is a file without any. Where the same
// benchmark stands there under several configurations, such as releases of Go, the
// last one counts.
func Read(r io.Reader, name string) (*Set, error) {
	records, err := readRecords(r, name)
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

// Of is [Read] of lines, which stay as they are.
func Of(lines []*benchfmt.Result, name string) (*Set, error) {
	set := &Set{Name: strings.TrimSuffix(filepath.Base(name), ".txt"), index: map[id]*benchmark{}}
	for _, line := range lines {
		if err := set.add(line.Clone()); err != nil {
			_, at := line.Pos()
			return nil, fmt.Errorf("results %q: line %d: %w", name, at, err)
		}
	}
	if len(set.benchmarks) == 0 {
		return nil, fmt.Errorf("results %q: no measurements; want a file in the Go benchmark format, as go run ./scripts/bench writes it", name)
	}
	set.derive()
	return set, nil
}

func readRecords(r io.Reader, name string) ([]benchfmt.Record, error) {
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

func (s *Set) add(line *benchfmt.Result) error {
	l := launch{order: 1, number: 1, values: line.Values}
	for key, number := range map[string]*int{"link-order": &l.order, "launch": &l.number} {
		if text := line.GetConfig(key); text != "" {
			n, err := strconv.Atoi(text)
			if err != nil || n < 1 {
				return fmt.Errorf("%s is %q; want a whole number of at least 1", key, text)
			}
			*number = n
		}
	}
	// Link orders of another run are others, and nothing pairs them with these.
	run := line.GetConfig("measured")
	if !slices.Contains(s.runs, run) {
		s.runs = append(s.runs, run)
	}
	l.order += slices.Index(s.runs, run) * ordersOfRun
	for _, place := range strings.Fields(line.GetConfig("place")) {
		if place != "odd" && place != "even" {
			return fmt.Errorf("place is %q; want odd or even, for each hot function", place)
		}
		l.odd = append(l.odd, place == "odd")
	}
	key := idOf(line)
	b := s.index[key]
	if b != nil && configuration(b.line) != configuration(line) {
		s.benchmarks = slices.DeleteFunc(s.benchmarks, func(other *benchmark) bool { return other == b })
		b = nil
	}
	if b == nil {
		b = &benchmark{id: key}
		s.benchmarks = append(s.benchmarks, b)
		s.index[key] = b
	}
	b.line = line
	b.launches = append(b.launches, l)
	return nil
}

// derive adds fields to the lines that rows and columns can be made of: step and
// label, from the registry, and program, Go or the compiler of one in C++.
func (s *Set) derive() {
	named := map[string]steps.Step{}
	for _, step := range steps.All() {
		named[step.Package()] = step
		named[step.Name] = step
	}
	for _, b := range s.benchmarks {
		step, known := named[b.pkg]
		label, program := step.Label, "Go"
		switch {
		case b.pkg == Again:
			step, known, label = named["step01"], true, "the same code at another place: the noise"
		case strings.HasPrefix(b.pkg, peerPrefix+"toy"):
			program = "g++"
			b.line.SetConfig("step", map[string]string{"toy0": "Toy Path Tracer, one thread", "toy1": "Toy Path Tracer, all threads"}[strings.TrimPrefix(b.pkg, peerPrefix)])
		case strings.HasPrefix(b.pkg, peerPrefix):
			parts := strings.Split(b.pkg, "/")
			program = parts[1]
			step, known = named[parts[len(parts)-1]]
		}
		if known {
			b.line.SetConfig("step", step.Short())
			if kernel := b.line.GetConfig("kernel"); kernel == "plain" {
				label += ", in plain Go"
			} else if kernel != "" {
				label += ", as " + kernel
			}
			b.line.SetConfig("label", label)
		}
		b.line.SetConfig("program", program)
	}
}

// sample is what the launches say of a benchmark in a unit, in the order of the
// file.
type sample struct {
	launches []estimate.Launch
	values   []float64
	exact    bool // counted, once: another count would be the same
}

func (b *benchmark) sample(unit string) sample {
	s := sample{exact: strings.HasSuffix(unit, "/ray") && unit != "sec/ray"}
	for _, l := range b.launches {
		for _, v := range l.values {
			if v.Unit == unit {
				s.values = append(s.values, v.Value)
				s.launches = append(s.launches, estimate.Launch{Order: l.order, Log: math.Log(v.Value), Odd: l.odd})
			}
		}
	}
	return s
}

// estimate is that of the sample. A count, which may be 0, or what was the same in
// all launches has no ratios: its interval is the point.
func (s sample) estimate() estimate.Estimate {
	sorted := slices.Sorted(slices.Values(s.values))
	if len(sorted) > 0 && (sorted[0] <= 0 || (s.exact || len(sorted) > 1) && sorted[0] == sorted[len(sorted)-1]) {
		middle := sorted[len(sorted)/2]
		return estimate.Estimate{Center: middle, Lo: middle, Hi: middle}
	}
	return estimate.Of(s.launches)
}

// counts returns how often the least measured of some benchmarks was launched, and
// in how many link orders.
func counts(list []*benchmark) (launches, orders int) {
	launches, orders = math.MaxInt, math.MaxInt
	for _, b := range list {
		seen := map[int]bool{}
		for _, l := range b.launches {
			seen[l.order] = true
		}
		launches, orders = min(launches, len(b.launches)), min(orders, len(seen))
	}
	return launches, orders
}

// Title names the machine in a few words: by the generation of its processor, if
// the file says it.
func (s *Set) Title() string {
	last := s.benchmarks[len(s.benchmarks)-1].line
	return cmp.Or(last.GetConfig("cpu-generation"), last.GetConfig("cpu"), s.Name)
}

// Caption says in one line where and how benchmarks were measured.
func caption(list []*benchmark) string {
	var parts []string
	add := func(format, key string) {
		values := map[string]bool{}
		var all []string
		for _, b := range list {
			if v := b.line.GetConfig(key); v != "" && !values[v] {
				values[v] = true
				all = append(all, v)
			}
		}
		if len(all) > 0 {
			parts = append(parts, fmt.Sprintf(format, strings.Join(all, " and ")))
		}
	}
	builds := slices.ContainsFunc(list, func(b *benchmark) bool { return b.build != "" })
	add("%s", "cpu")
	add("%s", "cpu-generation")
	add("%s cores", "cpu-cores")
	system := list[0].line
	if model := system.GetConfig("llvm-mca"); model != "" {
		return "llvm-mca " + model + ", " + system.GetConfig("goversion")
	}
	parts = append(parts, system.GetConfig("goos")+"/"+system.GetConfig("goarch"))
	if !builds { // which compare several
		add("GOAMD64=%s", "goamd64")
		add("%s", "goversion")
	}
	add("GOEXPERIMENT=%s", "goexperiment")
	add("code of the %s", "code") // older than the code beside it
	launches, orders := counts(list)
	parts = append(parts, fmt.Sprintf("%s of %s", plural(launches, "launch", "launches"), plural(orders, "link order", "link orders")))
	return strings.Join(parts, ", ")
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprint(n, " ", many)
}

// Merge puts fresh measurements into the file of a machine, which it makes if
// there is none. Those of a package, a benchmark and a configuration take the place
// of the ones that stand there; the rest stays. The file is replaced as a whole.
func Merge(file string, fresh []byte) error {
	var old []benchfmt.Record
	text, err := os.ReadFile(file)
	if err == nil {
		old, err = readRecords(strings.NewReader(string(text)), file)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	added, err := readRecords(strings.NewReader(string(fresh)), "what was measured")
	if err != nil {
		return err
	}
	type key struct {
		id
		configuration [3]string
	}
	replaced := map[key]bool{}
	units := map[string]*benchfmt.UnitMetadata{}
	var lines []*benchfmt.Result
	for i, record := range slices.Concat(added, old, added) {
		switch record := record.(type) {
		case *benchfmt.UnitMetadata:
			units[record.OrigUnit+" "+record.Key] = record
		case *benchfmt.Result:
			k := key{idOf(record), configuration(record)}
			switch {
			case i < len(added):
				replaced[k] = true
			case i >= len(added)+len(old) || !replaced[k]:
				lines = append(lines, record)
			}
		}
	}
	if len(lines) == 0 {
		return fmt.Errorf("results %q: nothing was measured; want benchmark lines", file)
	}
	var out strings.Builder
	w := benchfmt.NewWriter(&out)
	for _, name := range slices.Sorted(maps.Keys(units)) {
		if err := w.Write(units[name]); err != nil {
			return err
		}
	}
	out.WriteString("\n")
	for _, line := range lines {
		if err := w.Write(line); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	return outfile.Write("results", file, []byte(out.String()))
}
