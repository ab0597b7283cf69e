package results

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"
	"golang.org/x/perf/benchproc"

	"raysteps/scripts/internal/estimate"
	"raysteps/scripts/internal/steps"
)

// Query chooses benchmarks.
type Query struct {
	Packages []string // import paths without the module's, such as step04 or beyond/tree; or steps such as 4 or tree; all if empty
	Bench    string   // name without what follows the first slash: Render, or several, with commas
	Where    string   // a filter of benchproc: /scene:large
	Builds   bool     // those of builds that are compared, and no others; and counts of all releases of Go
	Noise    bool     // the copy of the first step, too
}

// NotMeasuredError says that no benchmark fits.
type NotMeasuredError struct {
	Set, What string
}

func (e *NotMeasuredError) Error() string {
	return fmt.Sprintf("results %q: nothing was measured of %s", e.Set, e.What)
}

// Package returns the import path that a text stands for: a step's number, name or
// folder, a folder of this module, or a program in C++.
func Package(text string) string {
	if step, err := steps.Find(text); err == nil {
		return step.Package()
	}
	if strings.HasPrefix(text, peerPrefix) {
		return text
	}
	return "raysteps/" + strings.TrimPrefix(text, "raysteps/")
}

func (q Query) String() string {
	return strings.Join(strings.Fields(strings.Join(q.Packages, ", ")+" "+q.Bench+" "+q.Where), " ")
}

// choose returns the benchmarks of a query, in the order of the file and those of
// steps in the order of the registry.
func (s *Set) choose(q Query) ([]*benchmark, error) {
	filter, err := benchproc.NewFilter(cmp.Or(q.Where, "*"))
	if err != nil {
		return nil, fmt.Errorf("where: %w", err)
	}
	var packages []string
	for _, p := range q.Packages {
		packages = append(packages, Package(p))
	}
	if q.Noise && len(packages) > 0 {
		packages = append(packages, Again)
	}
	var all []*benchmark
	for _, b := range s.benchmarks {
		name, _, _ := strings.Cut(b.name, "/")
		if q.Bench != "" && !slices.Contains(strings.Split(q.Bench, ","), name) || b.build != "" && !q.Builds || b.build == "" && q.Builds && name != "Count" || b.pkg == Again && !q.Noise ||
			len(packages) > 0 && !slices.Contains(packages, b.pkg) {
			continue
		}
		match, err := filter.Match(b.line)
		if err != nil {
			return nil, err
		}
		if match.All() {
			all = append(all, b)
		}
	}
	if len(all) == 0 {
		return nil, &NotMeasuredError{s.Name, q.String()}
	}
	slices.SortStableFunc(all, func(a, b *benchmark) int { return a.rank() - b.rank() })
	return all, nil
}

// rank is where a benchmark stands in a table: steps in their order, each before its
// peers. Last come the noise and programs that are compared with no step, such as Toy
// Path Tracer. Benchmarks that have no field step stay in the order of the file.
func (b *benchmark) rank() int {
	registry := steps.All()
	at := len(registry)
	if b.step != nil && b.pkg != Again {
		at = slices.IndexFunc(registry, func(other steps.Step) bool { return other.Name == b.step.Name })
	} else if b.step == nil && b.line.GetConfig("step") == "" {
		return 0
	}
	if strings.HasPrefix(b.pkg, peerPrefix) {
		return 2*at + 1
	}
	return 2 * at
}

// Column is a quantity: a figure in a unit, or what it is over a base, in some form.
// It is written as UNIT [over BASE] [as FORM]:
//
//	rays/s
//	rays/s over 1 as short
//	sec/op over first of n
//	flop/s over beyond/experiments Peak/op=fma/bits=256
type Column struct {
	Unit string

	// Base is what the figure is divided by, or empty:
	//
	//   - before: the same of the step that the step goes on from
	//   - peer: the same by the better of the programs in C++ of the same step, built with
	//     their own flags; peer FLAGS: with those, such as x86-64-v2+fast-math
	//   - first: the first row; first of KEY: the first row with the same KEY
	//   - KEY=VALUE: the same with another value of a key of its name, or build=VALUE
	//   - PACKAGE: the same of another package, such as 1 or step01
	//   - PACKAGE NAME: another benchmark
	Base string

	// Form is how it is written: by default with an interval.
	//
	//   - short: the figure alone
	//   - time: of a picture of 1280x720 with ten samples a pixel, at this rate
	//   - place: by what share it is larger at the best place of the code than at the worst;
	//     over something without such places, what the machine did in a launch is left out
	Form string
}

var forms = []string{"short", "time", "place"}

// ParseColumn reads one.
func ParseColumn(text string) (Column, error) {
	var c Column
	rest, form, formed := strings.Cut(text, " as ")
	c.Unit, c.Base, _ = strings.Cut(rest, " over ")
	c.Unit, c.Base, c.Form = strings.TrimSpace(c.Unit), strings.TrimSpace(c.Base), strings.TrimSpace(form)
	if formed && !slices.Contains(forms, c.Form) {
		return c, fmt.Errorf("%q: the form is %q; want %s", text, c.Form, english.OxfordWordSeries(forms, "or"))
	}
	if c.Unit == "" || strings.Contains(c.Unit, " ") {
		return c, fmt.Errorf("column is %q; want UNIT [over BASE] [as FORM], such as rays/s over 1", text)
	}
	return c, nil
}

// bases returns the benchmarks that b may be divided by, of which the fastest counts;
// rows are those of the table, for the first of them.
func (s *Set) bases(b *benchmark, base string, rows []*benchmark) (all []*benchmark, err error) {
	at := id{Package(base), b.name, b.build}
	first, rest, two := strings.Cut(base, " ")
	key, value, isKey := strings.Cut(base, "=")
	step := b.step != nil && b.pkg == b.step.Package()
	switch {
	case first == "first":
		key = strings.TrimPrefix(rest, "of ")
		if two && partOf(b, key) == "" {
			return nil, fmt.Errorf("%s has no key %s", b.id, key)
		}
		i := slices.IndexFunc(rows, func(other *benchmark) bool { return partOf(other, key) == partOf(b, key) })
		return rows[i : i+1], nil
	case first == "peer":
		for _, other := range s.benchmarks {
			folder, of := path.Split(strings.TrimPrefix(other.pkg, peerPrefix))
			_, flags, _ := strings.Cut(strings.Trim(folder, "/"), "/")
			if step && other.name == b.name && strings.HasPrefix(other.pkg, peerPrefix) && of == b.step.Peer && folder != "" && flags == rest { // without a folder they were measured before, on one thread
				all = append(all, other)
			}
		}
		return all, nil
	case base == "before" && step:
		at.pkg = Package(b.step.Before)
	case two:
		at = id{Package(first), rest, ""}
	case key == "build":
		at = id{b.pkg, b.name, value}
	case isKey:
		old := partOf(b, key)
		if old == "" {
			return nil, fmt.Errorf("%s has no key %s", b.id, key)
		}
		name := strings.Replace(b.name+"/", "/"+key+"="+old+"/", "/"+base+"/", 1)
		at = id{b.pkg, strings.TrimSuffix(name, "/"), b.build}
	}
	if other := s.index[at]; other != nil {
		all = append(all, other)
	}
	return all, nil
}

// partOf returns the value of a key of the name, such as scene, or nothing.
func partOf(b *benchmark, key string) string {
	_, rest, _ := strings.Cut(b.name+"/", "/"+key+"=")
	value, _, _ := strings.Cut(rest, "/")
	return value
}

// quantity is what a column shows of a benchmark. Nothing is there if the base is
// the benchmark itself, or was not measured.
func (s *Set) quantity(b *benchmark, c Column, rows []*benchmark) (v estimate.Estimate, there bool, err error) {
	of := b.in(c.Unit)
	if c.Base == "" || len(of) == 0 {
		v, there = b.estimate(c.Unit)
		return v, there, nil
	}
	candidates, err := s.bases(b, c.Base, rows)
	var base *benchmark
	var over estimate.Estimate
	for _, other := range candidates {
		if v, there := other.estimate(c.Unit); there && v.Center > over.Center {
			base, over = other, v
		}
	}
	if err != nil || base == nil || base.id == b.id {
		return v, false, err
	}
	key := ratio{b, base, c.Unit}
	if v, there = s.ratios[key]; !there {
		v = estimate.Ratio(of, base.in(c.Unit))
		s.ratios[key] = v
	}
	if v.Orders > 0 {
		return v, true, nil
	}
	switch {
	case strings.Contains(c.Base, " "): // another benchmark may be of another run
		v, _ = b.estimate(c.Unit)
		return estimate.Estimate{Center: v.Center / over.Center, Lo: v.Lo / over.Hi, Hi: v.Hi / over.Lo}, true, nil
	case s.Partial:
		return v, false, nil
	}
	return v, false, fmt.Errorf("results %q: %s and what it is compared with have no launch in common", s.Name, b.id)
}

// Quantity returns what a column shows of a benchmark, if it was measured. The base
// is of no other row.
func (s *Set) Quantity(pkg, name, build string, c Column) (estimate.Estimate, bool) {
	b := s.index[id{pkg, name, build}]
	if b == nil {
		return estimate.Estimate{}, false
	}
	v, there, err := s.quantity(b, c, nil)
	return v, there && err == nil
}

// FirstOf returns what the first machine that has something makes of it. The error
// is that of the first one if none has it.
func FirstOf[T any](machines []*Set, of func(*Set) (T, error)) (value T, set *Set, err error) {
	err = errors.New("no measurements: want a file of a machine in " + Folder)
	for i, set := range machines {
		value, err2 := of(set)
		none := errors.As(err2, new(*NotMeasuredError))
		if i == 0 || !none {
			err = err2
		}
		if !none {
			return value, set, err
		}
	}
	return value, nil, err
}
