package results

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"
	"golang.org/x/perf/benchproc"

	"raysteps/common/answers"
	"raysteps/common/scene"
	"raysteps/scripts/internal/estimate"
	"raysteps/scripts/internal/steps"
)

// Query chooses benchmarks.
type Query struct {
	Packages []string // import paths without the module's, such as step04 or beyond/tree; or steps such as 4 or tree; all if empty
	Bench    string   // name without what follows the first slash: Render
	Where    string   // a filter of benchproc: /scene:large
	Builds   bool     // those of builds that are compared, and no others
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
	words := []string{strings.Join(q.Packages, ", "), q.Bench, q.Where}
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " ")
}

// choose returns the benchmarks of a query, in the order of the file and those of
// steps in the order of the registry.
func (s *Set) choose(q Query) ([]*benchmark, error) {
	where := q.Where
	if where == "" {
		where = "*"
	}
	filter, err := benchproc.NewFilter(where)
	if err != nil {
		return nil, fmt.Errorf("where: %w", err)
	}
	var packages []string
	for _, p := range q.Packages {
		packages = append(packages, Package(p))
	}
	var all []*benchmark
	for _, b := range s.benchmarks {
		name, _, _ := strings.Cut(b.name, "/")
		switch {
		case q.Bench != "" && name != q.Bench, (b.build != "") != q.Builds:
			continue
		case b.pkg == Again && !q.Noise:
			continue
		case b.pkg != Again && len(packages) > 0 && !slices.Contains(packages, b.pkg):
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
	registry := steps.All()
	rank := func(b *benchmark) int {
		step, ok := stepOf(b)
		at := slices.IndexFunc(registry, func(other steps.Step) bool { return other.Name == step.Name })
		switch {
		case !ok && b.line.GetConfig("step") == "", b.pkg == "": // no step, and in the order of the file
			return 0
		case !ok || b.pkg == Again:
			return 2 * len(registry)
		case strings.HasPrefix(b.pkg, peerPrefix):
			return 2*at + 1
		}
		return 2 * at
	}
	slices.SortStableFunc(all, func(a, b *benchmark) int { return rank(a) - rank(b) })
	return all, nil
}

// Column is a quantity: a figure in a unit, or what it is over a base, in some form.
// It is written as UNIT [over BASE] [as FORM]:
//
//	rays/s
//	rays/s over 1 as short
//	sec/op over first of n
//	flop/s over scripts/peak Peak/op=fma/bits=256 as share
type Column struct {
	Unit string

	// Base is what the figure is divided by, or empty:
	//
	//   - before: the same of the step that the step goes on from
	//   - peer: the same by the better of the programs in C++ of the same step
	//   - first: the first row; first of KEY: the first row with the same KEY
	//   - KEY=VALUE: the same with another value of a key of its name, or build=VALUE
	//   - PACKAGE: the same of another package, such as 1 or step01
	//   - PACKAGE NAME: another benchmark
	//   - unit UNIT: the same benchmark in another unit
	Base string

	// Form is how it is written: by default with an interval.
	//
	//   - short: the figure alone
	//   - share, or efficiency, which is a share of a number of workers: in percent
	//   - relative: over the base, and the base itself as a figure
	//   - time: of a picture of 1280x720 with ten samples a pixel, at this rate
	//   - rays: of that picture
	//   - place: by what share it is larger at the best place of the code than at the worst
	Form string
}

var forms = []string{"short", "share", "efficiency", "relative", "time", "rays", "place"}

// ParseColumn reads one.
func ParseColumn(text string) (Column, error) {
	var c Column
	rest := strings.TrimSpace(text)
	if before, form, ok := strings.Cut(rest, " as "); ok {
		rest, c.Form = before, strings.TrimSpace(form)
		if !slices.Contains(forms, c.Form) {
			return c, fmt.Errorf("%q: the form is %q; want %s", text, c.Form, english.OxfordWordSeries(forms, "or"))
		}
	}
	c.Unit, c.Base, _ = strings.Cut(rest, " over ")
	c.Unit, c.Base = strings.TrimSpace(c.Unit), strings.TrimSpace(c.Base)
	if c.Unit == "" || strings.Contains(c.Unit, " ") {
		return c, fmt.Errorf("column is %q; want UNIT [over BASE] [as FORM], such as rays/s over 1", text)
	}
	return c, nil
}

// bases returns the benchmarks that b may be divided by; rows are those of the
// table, for the first of them. The fastest of them counts.
func (s *Set) bases(b *benchmark, base string, rows []*benchmark) ([]*benchmark, error) {
	found := func(i id) []*benchmark {
		if other := s.index[i]; other != nil {
			return []*benchmark{other}
		}
		return nil
	}
	step, isStep := stepOf(b)
	pkg, name, two := strings.Cut(base, " ")
	key, value, isKey := strings.Cut(base, "=")
	switch {
	case base == "first":
		return rows[:1], nil
	case pkg == "first" && strings.HasPrefix(name, "of "):
		key := "/" + strings.TrimPrefix(name, "of ")
		for _, other := range rows {
			if partOf(other, key) == "" {
				return nil, fmt.Errorf("%s has no key %s", other.id, key[1:])
			}
			if partOf(other, key) == partOf(b, key) {
				return []*benchmark{other}, nil
			}
		}
	case base == "before":
		if previous, ok := step.Previous(); isStep && ok && b.pkg != Again {
			return found(id{previous.Package(), b.name, b.build}), nil
		}
		return nil, nil
	case base == "peer":
		var all []*benchmark
		for _, other := range s.benchmarks {
			if isStep && b.pkg == step.Package() && other.name == b.name && strings.HasPrefix(other.pkg, peerPrefix) && strings.HasSuffix(other.pkg, "/"+step.Peer) {
				all = append(all, other)
			}
		}
		return all, nil
	case pkg == "unit":
		return []*benchmark{b}, nil
	case isKey && key == "build":
		return found(id{b.pkg, b.name, value}), nil
	case two:
		return found(id{Package(pkg), name, ""}), nil
	case isKey:
		parts := strings.Split(b.name, "/")
		for i, part := range parts {
			if strings.HasPrefix(part, key+"=") {
				parts[i] = base
				return found(id{b.pkg, strings.Join(parts, "/"), b.build}), nil
			}
		}
		return nil, fmt.Errorf("%s has no key %s", b.id, key)
	}
	return found(id{Package(base), b.name, b.build}), nil
}

// partOf returns the value of a key of the name, "/scene", or nothing.
func partOf(b *benchmark, key string) string {
	for part := range strings.SplitSeq(b.name, "/") {
		if value, ok := strings.CutPrefix("/"+part, key+"="); ok {
			return value
		}
	}
	return ""
}

func stepOf(b *benchmark) (steps.Step, bool) {
	step, err := steps.Find(b.line.GetConfig("step"))
	return step, err == nil
}

// quantity is what a column shows of a benchmark. Nothing is there if the base is
// the benchmark itself, or was not measured.
func (s *Set) quantity(b *benchmark, c Column, rows []*benchmark) (v estimate.Estimate, there bool, err error) {
	of := b.sample(c.Unit)
	if len(of.values) == 0 {
		return v, false, nil
	}
	if c.Base == "" {
		return of.estimate(), true, nil
	}
	candidates, err := s.bases(b, c.Base, rows)
	if err != nil {
		return v, false, err
	}
	unit := c.Unit
	if other, ok := strings.CutPrefix(c.Base, "unit "); ok {
		unit = other
	}
	var over sample
	best := 0.
	for _, base := range candidates {
		sample := base.sample(unit)
		if base == b && unit == c.Unit || len(sample.values) == 0 {
			continue
		}
		if center := sample.estimate().Center; center > best {
			over, best = sample, center
		}
	}
	if best == 0 {
		return v, false, nil
	}
	v = estimate.Ratio(of.launches, over.launches)
	if v.Orders == 0 && s.Own {
		return v, false, nil // measured in another run
	}
	if v.Orders == 0 {
		return v, false, fmt.Errorf("results %q: %s and what it is compared with have no launch in common", s.Name, b.id)
	}
	return v, true, nil
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

// place returns what the place of its code is worth to a benchmark, against all rows
// of the same name that were measured in the same launches: what the machine did in a
// launch is in all of them.
func (b *benchmark) place(unit string, rows []*benchmark) float64 {
	var others [][]estimate.Launch
	for _, other := range rows {
		if other.name == b.name && len(other.launches) == len(b.launches) {
			others = append(others, other.sample(unit).launches)
		}
	}
	launches := b.sample(unit).launches
	for i := range launches {
		mean := 0.
		for _, other := range others {
			if i >= len(other) || other[i].Order != launches[i].Order {
				return 0
			}
			mean += other[i].Log / float64(len(others))
		}
		launches[i].Log -= mean
	}
	return estimate.Of(launches).Place
}

// spheresOf returns the number of spheres of the benchmark's scene, or 0.
func spheresOf(b *benchmark) int {
	if sc, err := scene.ByName(partOf(b, "/scene")); err == nil {
		return len(sc.Spheres)
	}
	return 0
}

// raysOf returns the number of rays of a picture of 1280x720 of the benchmark's
// step and scene, or 0.
func raysOf(b *benchmark) int64 {
	step, ok := stepOf(b)
	if !ok {
		return 0
	}
	rays, _ := answers.Rays(step.Name, partOf(b, "/scene"))
	return rays
}
