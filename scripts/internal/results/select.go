package results

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchproc"

	"raysteps/scripts/internal/estimate"
	"raysteps/scripts/internal/steps"
)

// Spec is what a table or a chart shows: benchmarks that it chooses, and how they stand.
type Spec struct {
	// Packages are import paths without the module's, such as step04 or beyond/tree, or steps such as 4
	// or tree; all if it is empty.
	Packages []string
	Bench    string // name without what follows the first slash: Render, or several, with commas
	Where    string // a filter of benchproc: /scene:large
	Builds   bool   // those of builds that are compared, and no others
	Noise    bool   // the copy of the first step, too

	Rows    string   // fields of benchproc, with commas between: "step,label" or "/call,/types"
	Cols    string   // a field whose values stand side by side, or several, or empty
	Columns []Column // for each value of Cols
}

// ErrNotMeasured is within the error of what no benchmark fits.
var ErrNotMeasured = errors.New("nothing was measured")

func (s *Set) notMeasured(what ...string) error {
	return fmt.Errorf("results %q: %w of %s", s.Name, ErrNotMeasured, strings.Join(what, " "))
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

func (q Spec) String() string {
	return strings.Join(strings.Fields(strings.Join(q.Packages, ", ")+" "+q.Bench+" "+q.Where), " ")
}

// choose returns the benchmarks of a query, in the order of the file and those of
// steps in the order of the registry.
func (s *Set) choose(q Spec) (all []*benchmark, err error) {
	filter, err := benchproc.NewFilter(cmp.Or(q.Where, "*"))
	if err != nil {
		return nil, fmt.Errorf("where is %q: %w", q.Where, err)
	}
	packages := map[string]bool{}
	for _, p := range q.Packages {
		packages[Package(p)] = true
	}
	for _, b := range s.benchmarks {
		name, _, _ := strings.Cut(b.name, "/")
		match, _ := filter.Match(b.last().fields)
		bench := q.Bench == "" || slices.Contains(strings.Split(q.Bench, ","), name)
		pkg := len(packages) == 0 || packages[b.pkg]
		if b.pkg == NoisePackage {
			pkg = q.Noise
		}
		shown := s.Local || !b.taken()
		if match.All() && bench && pkg && shown && q.Builds == (b.build != "") {
			all = append(all, b)
		}
	}
	if len(all) == 0 {
		return nil, s.notMeasured(q.String())
	}
	slices.SortStableFunc(all, func(a, b *benchmark) int { return cmp.Compare(a.rank, b.rank) })
	return all, nil
}

// Column is a quantity: a figure in a unit, or what it is over a base. It is written as
// UNIT [over BASE] [as FORM], such as rays/s over 1 as short; scripts/readme/directives.txt says
// which bases and forms there are.
type Column struct{ Unit, Base, Form string }

// ParseColumn reads one.
func ParseColumn(text string) (c Column, err error) {
	rest, form, _ := strings.Cut(text, " as ")
	unit, base, _ := strings.Cut(rest, " over ")
	c = Column{strings.TrimSpace(unit), strings.TrimSpace(base), strings.TrimSpace(form)}
	known := slices.Contains([]string{"", "short", "place", "speed"}, c.Form)
	if c.Unit == "" || strings.Contains(c.Unit, " ") || !known || c.Form == "speed" && c.Base == "" {
		err = fmt.Errorf("column is %q; want UNIT [over BASE] [as short, place, or of a ratio speed], such as rays/s over 1", text)
	}
	return c, err
}

// base returns the benchmark that b is divided by, or nil; rows are those of the table, for
// the first of them.
func (s *Set) base(b *benchmark, c Column, rows []*benchmark) *benchmark {
	at, isStep := b.id, b.step != nil && b.pkg == b.step.Package()
	kind, rest, two := strings.Cut(c.Base, " ")
	key, value, isKey := strings.Cut(kind, "=")
	switch {
	case kind == "first" && rows != nil:
		key := strings.TrimPrefix(rest, "of ")
		return rows[slices.IndexFunc(rows, func(row *benchmark) bool { return row.key(key) == b.key(key) })]
	case kind == "peer" && isStep:
		return s.peer(b, rest, c.Unit)
	case kind == "before" && isStep:
		at.pkg = Package(b.step.Before)
	case kind == "peer" || kind == "before" || isKey && key != "build" && b.key(key) == "":
		return nil
	case two:
		at = id{Package(kind), rest, ""}
	case key == "build":
		at.build = value
	case isKey:
		name := strings.Replace(b.name+"/", "/"+key+"="+b.key(key)+"/", "/"+kind+"/", 1)
		at.name = strings.TrimSuffix(name, "/")
	default:
		at.pkg = Package(kind)
	}
	return s.index[at]
}

// peer returns the fastest of the programs in C++ that do what b does, built with some flags, or
// with those that each has by default.
func (s *Set) peer(b *benchmark, flags, unit string) (best *benchmark) {
	pattern, fastest := path.Join(peerPrefix, "*", flags, b.step.Peer), 0.
	for _, other := range s.benchmarks {
		if match, _ := path.Match(pattern, other.pkg); match && other.name == b.name {
			if v, _ := other.estimate(unit); v.Center > fastest {
				best, fastest = other, v.Center
			}
		}
	}
	return best
}

// quantity is what a column says of a benchmark, if it was measured, and its base in the
// same link orders. A benchmark that is its own base is exactly 1.
func (s *Set) quantity(
	b *benchmark, c Column, rows []*benchmark,
) (v estimate.Estimate, there bool) {
	figure, there := b.estimate(c.Unit)
	if c.Base == "" || !there {
		return figure, there
	}
	base := s.base(b, c, rows)
	over, there := base.estimate(c.Unit)
	if !there || base.id == b.id {
		return estimate.Estimate{Center: 1, Lo: 1, Hi: 1}, there
	}
	if c.Form == "speed" {
		b, base, figure, over = base, b, over, figure
	}
	v = estimate.Ratio(b.values(c.Unit), base.values(c.Unit))
	if v.Orders == 0 && strings.Contains(c.Base, " ") { // another benchmark may be of another run
		v.Center, v.Lo, v.Hi = figure.Center/over.Center, figure.Lo/over.Hi, figure.Hi/over.Lo
		return v, true
	}
	return v, v.Orders > 0
}

// Quantity returns what a column says of a benchmark, if it was measured. The base is of no
// other row.
func (s *Set) Quantity(pkg, name, build string, c Column) (v estimate.Estimate, there bool) {
	return s.quantity(s.index[id{pkg, name, build}], c, nil)
}

// Number writes a figure or a ratio of a benchmark of a package, without an interval; with the
// form place it is how many times as large the ratio is at the best place of the code as at the
// worst, with round it has two digits, as in a sentence, and with percent it is what a ratio
// differs from 1 by.
func (s *Set) Number(pkg, name string, c Column) (string, error) {
	v, there := s.Quantity(Package(pkg), name, "", c)
	switch {
	case !there:
		return "", s.notMeasured(pkg, name, "in", strings.TrimSuffix(c.Unit+" over "+c.Base, " over "))
	case c.Form == "place":
		return short(1 + v.Place), nil
	case c.Form == "percent" && c.Base != "":
		return rounded(100*math.Abs(v.Center-1)) + "\u00a0%", nil
	case c.Form == "round" && math.Abs(v.Center) < 0.01:
		return "", fmt.Errorf("form is round, which writes %s in %s; want no form, which chooses a unit", rounded(v.Center), c.Unit)
	case c.Form == "round":
		return rounded(v.Center), nil
	case c.Form != "":
		return "", fmt.Errorf("form is %q; want place, round, or of a ratio percent", c.Form)
	case c.Base != "":
		return short(v.Center), nil
	}
	return format(v, c.Unit), nil
}

// rounded is a number for a sentence: two digits, or a whole number.
func rounded(x float64) string {
	if x < 9.95 {
		return strconv.FormatFloat(x, 'g', 2, 64)
	}
	return strconv.FormatFloat(x, 'f', 0, 64)
}
