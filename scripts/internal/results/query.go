package results

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
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
	words := []string{strings.Join(q.Packages, ", "), q.Bench, q.Where}
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), " ")
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
		if q.Bench != "" && name != q.Bench || b.build != "" && !q.Builds || b.build == "" && q.Builds && name != "Count" || b.pkg == Again && !q.Noise ||
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

// rank is where a benchmark stands in a table: a step and then its peers; what belongs
// to no step but stands beside steps, and the noise, come last.
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
func (s *Set) bases(b *benchmark, base string, rows []*benchmark) ([]*benchmark, error) {
	at := id{Package(base), b.name, b.build}
	first, rest, two := strings.Cut(base, " ")
	key, value, isKey := strings.Cut(base, "=")
	switch {
	case base == "first":
		return rows[:1], nil
	case first == "first":
		key := "/" + strings.TrimPrefix(rest, "of ")
		if partOf(b, key) == "" {
			return nil, fmt.Errorf("%s has no key %s", b.id, key[1:])
		}
		i := slices.IndexFunc(rows, func(other *benchmark) bool { return partOf(other, key) == partOf(b, key) })
		return rows[i : i+1], nil
	case base == "before":
		at.pkg = ""
		if b.step != nil && b.pkg != Again {
			previous, _ := b.step.Previous()
			at.pkg = previous.Package()
		}
	case base == "peer":
		var all []*benchmark
		for _, other := range s.benchmarks {
			if b.step != nil && b.pkg == b.step.Package() && other.name == b.name && strings.HasPrefix(other.pkg, peerPrefix) && strings.HasSuffix(other.pkg, "/"+b.step.Peer) {
				all = append(all, other)
			}
		}
		return all, nil
	case two:
		at = id{Package(first), rest, ""}
	case key == "build":
		at = id{b.pkg, b.name, value}
	case isKey:
		old := partOf(b, "/"+key)
		if old == "" {
			return nil, fmt.Errorf("%s has no key %s", b.id, key)
		}
		at = id{b.pkg, strings.Replace(b.name+"/", "/"+key+"="+old+"/", "/"+base+"/", 1), b.build}
		at.name = strings.TrimSuffix(at.name, "/")
	}
	if other := s.index[at]; other != nil {
		return []*benchmark{other}, nil
	}
	return nil, nil
}

// partOf returns the value of a key of the name, "/scene", or nothing.
func partOf(b *benchmark, key string) string {
	_, rest, _ := strings.Cut(b.name+"/", key+"=")
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
	if err != nil {
		return v, false, err
	}
	var over []estimate.Launch
	best := 0.
	for _, base := range candidates {
		if of, there := base.estimate(c.Unit); there && base != b && of.Center > best {
			over, best = base.in(c.Unit), of.Center
		}
	}
	if over == nil {
		return v, false, nil
	}
	if v = estimate.Ratio(of, over); v.Orders > 0 {
		return v, true, nil
	}
	switch {
	case strings.Contains(c.Base, " "): // another benchmark may be of another run
		over, _ := candidates[0].estimate(c.Unit)
		of, _ := b.estimate(c.Unit)
		return apart(of, over), true, nil
	case s.Own: // and the reader's as well
		return v, false, nil
	}
	return v, false, fmt.Errorf("results %q: %s and what it is compared with have no launch in common", s.Name, b.id)
}

// apart is the ratio of what was measured in launches of their own.
func apart(of, over estimate.Estimate) estimate.Estimate {
	return estimate.Estimate{Center: of.Center / over.Center, Lo: of.Lo / over.Hi, Hi: of.Hi / over.Lo}
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
			others = append(others, other.in(unit))
		}
	}
	launches := b.in(unit)
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

// spheresOf returns how many spheres are in the benchmark's scene, or are its number n
// or spheres. An experiment that names none of these is of the large scene.
func spheresOf(b *benchmark) float64 {
	if n, err := strconv.ParseFloat(partOf(b, "/spheres")+partOf(b, "/n"), 64); err == nil {
		return n
	}
	sc, err := scene.ByName(partOf(b, "/scene"))
	if err != nil {
		sc = scene.Large()
	}
	return float64(len(sc.Spheres))
}

// raysOf returns the number of rays of a picture of 1280x720 of the benchmark's
// step and scene, or 0.
func raysOf(b *benchmark) int64 {
	if b.step == nil {
		return 0
	}
	rays, _ := answers.Rays(b.step.Name, partOf(b, "/scene"))
	return rays
}

// clockOf returns the cycles a second that were measured on the machine.
func (s *Set) clockOf(b *benchmark) (float64, error) {
	ghz, err := strconv.ParseFloat(strings.TrimSuffix(b.line.GetConfig("cpu-clock"), " GHz"), 64)
	if err != nil {
		return 0, &NotMeasuredError{s.Name, "cpu-clock, in GHz, beside " + b.id.String()}
	}
	return ghz * 1e9, nil
}
