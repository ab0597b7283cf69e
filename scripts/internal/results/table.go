package results

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dustin/go-humanize"
	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchproc"
	"golang.org/x/perf/benchunit"

	"raysteps/common/answers"
	"raysteps/scripts/internal/estimate"
	"raysteps/scripts/internal/steps"
)

// TableSpec is what a table shows.
type TableSpec struct {
	Query
	Rows    string   // fields of benchproc, with commas between: "step,label" or "/call,/types"; all keys of the names if empty
	Cols    string   // a field whose values stand side by side, or empty
	Columns []Column // for each value of Cols
}

// Table is a table of finished cells. Every row has as many as the header.
type Table struct {
	Header  []string
	Right   []bool // by column: aligned to the right
	Rows    [][]string
	Caption []string // where and how it was measured, a line for each machine
}

// project returns the values of fields of benchproc, with commas between them.
func project(fields string) (func(*benchfmt.Result) []string, error) {
	p, err := new(benchproc.ProjectionParser).Parse(fields, nil)
	if err != nil {
		return nil, fmt.Errorf("fields %q: %w", fields, err)
	}
	return func(line *benchfmt.Result) (values []string) {
		key := p.Project(line)
		for _, field := range p.Fields() {
			values = append(values, key.Get(field))
		}
		return values
	}, nil
}

// keysOf are the keys of a benchmark's name, as fields.
func keysOf(b *benchmark) string {
	var keys []string
	for _, part := range strings.Split(b.name, "/")[1:] {
		key, _, _ := strings.Cut(part, "=")
		keys = append(keys, "/"+key)
	}
	return cmp.Or(strings.Join(keys, ","), ".name")
}

// Tabulate makes one table of some machines: the rows that any of them has, in the
// order of the first, and for each machine its columns. Columns without content are
// left out. Of the reader's own machine the titles say "yours", and it may have
// nothing; of any other that is a [NotMeasuredError].
func Tabulate(sets []*Set, spec TableSpec) (t Table, err error) {
	all := grid{}
	for _, set := range sets {
		prefix := ""
		switch {
		case set.Own && len(sets) > 1:
			prefix = "yours: "
		case slices.ContainsFunc(sets[1:], func(s *Set) bool { return !s.Own }):
			prefix = set.Title() + ": "
		}
		list, err := set.choose(spec.Query)
		if err == nil {
			spec.Rows = cmp.Or(spec.Rows, keysOf(list[0]))
			list, err = all.fill(set, list, spec, prefix)
		}
		if _, none := err.(*NotMeasuredError); set.Own && none {
			continue
		}
		if err != nil {
			return Table{}, err
		}
		line := caption(list)
		switch {
		case set.Own:
			line = "Yours: " + line
		case set.Name != Reference && sets[0] == set && !strings.HasPrefix(line, "llvm-mca"):
			line = "Not the machine of the other tables: " + line
		}
		t.Caption = append(t.Caption, line)
	}
	t.Rows = make([][]string, len(all.labels))
	for i, field := range strings.Split(spec.Rows, ",") {
		words := false
		for j, labels := range all.labels {
			n, err := strconv.ParseFloat(strings.ReplaceAll(labels[i], "k", ""), 64)
			words = words || err != nil
			if field == "/spheres" && err == nil {
				labels[i] = humanize.Commaf(n)
			}
			t.Rows[j] = append(t.Rows[j], labels[i])
		}
		t.Header, t.Right = append(t.Header, word(strings.TrimPrefix(field, "/"))), append(t.Right, field == "step" || !words)
	}
	for _, c := range all.columns {
		if len(c.cells) == 0 {
			continue
		}
		t.Header, t.Right = append(t.Header, c.title), append(t.Right, true)
		for j := range t.Rows {
			t.Rows[j] = append(t.Rows[j], c.cells[j])
		}
	}
	return t, nil
}

// grid is what a table is made of.
type grid struct {
	labels  [][]string // by row
	columns []column
}

type column struct {
	title string
	cells map[int]string // by row
}

// fill adds the rows and columns of a machine, and returns the benchmarks that are in
// them.
func (g *grid) fill(set *Set, list []*benchmark, spec TableSpec, prefix string) (used []*benchmark, err error) {
	labelsOf, err := project(spec.Rows)
	if err != nil {
		return nil, err
	}
	groupOf, err := project(spec.Cols)
	if err != nil {
		return nil, err
	}
	start := map[string]int{} // the first column of each group
	for _, b := range list {
		labels, group := labelsOf(b.line), strings.Join(groupOf(b.line), "")
		if slices.Contains(labels, "") || spec.Cols != "" && group == "" { // such as scenes by number of spheres, in a table by /scene
			continue
		}
		used = append(used, b)
		row := slices.IndexFunc(g.labels, func(other []string) bool { return slices.Equal(other, labels) })
		if row < 0 {
			row, g.labels = len(g.labels), append(g.labels, labels)
		}
		at, there := start[group]
		if !there {
			at, start[group] = len(g.columns), len(g.columns)
			for _, c := range spec.Columns {
				g.columns = append(g.columns, column{prefix + spec.title(c, group), map[int]string{}})
			}
		}
		for i, c := range spec.Columns {
			cell, err := set.cell(b, c, list)
			if err != nil {
				return nil, err
			}
			if cell != "" {
				g.columns[at+i].cells[row] = cell
			}
		}
	}
	for i, c := range spec.Columns {
		full := set.Own && len(used) > 0 || c.Form == "place" // which older files lack
		for _, at := range start {
			full = full || len(g.columns[at+i].cells) > 0
		}
		if !full {
			return nil, &NotMeasuredError{set.Name, spec.Query.String() + " by " + spec.Rows}
		}
	}
	return used, nil
}

// title is that of a column.
func (spec TableSpec) title(c Column, group string) string {
	title := word(c.Unit)
	if c.Base != "" {
		title = baseTitle(c.Base)
		if c.Unit != "rays/s" && !strings.HasPrefix(c.Unit, "flop") {
			title = word(c.Unit) + " " + title
		}
	}
	switch c.Form {
	case "place":
		title = c.Form
	case "time", "rays":
		title = c.Form + " of 1280x720"
	}
	switch {
	case spec.Cols == "":
		return title
	case strings.HasPrefix(title, "over "):
		return seriesName(spec.Cols, group) + " " + title
	}
	return seriesName(spec.Cols, group) + ", " + title
}

// word is what a header calls a unit, a field or a base.
func word(text string) string {
	return cmp.Or(map[string]string{
		"sec/op": "time", "sec/sphere": "time a sphere", "sec/ray": "time a ray", "sec/operation": "time an operation",
		"B/op": "heap bytes", "allocs/op": "allocations", "label": "what changes",
		"first": "against the first row", "before": "over the step before", "peer": "over the better in C++",
		"scripts/peak Peak/op=mul-add/bits=128": "over the peak", "scripts/peak Peak/op=fma/bits=256": "over the peak",
	}[text], text)
}

// baseTitle says in a header what a figure is over.
func baseTitle(base string) string {
	if step, err := steps.Find(base); err == nil {
		return "over " + step.Title()
	}
	if flags, isPeer := strings.CutPrefix(base, "peer "); isPeer {
		return "over C++, " + flags
	}
	if key, isOf := strings.CutPrefix(base, "first of "); isOf {
		return "against the first row of the same " + key
	}
	if title := word(base); title != base {
		return title
	}
	return "over " + strings.ReplaceAll(base, "=", " ")
}

// seriesName is how a title or a legend writes a value of a field.
func seriesName(field, value string) string {
	if step, err := steps.Find(value); err == nil && field == "step" {
		return step.Title()
	}
	return value
}

// cell writes the quantity of a column, or nothing.
func (s *Set) cell(b *benchmark, c Column, rows []*benchmark) (string, error) {
	v, there, err := s.quantity(b, c, rows)
	if err != nil || !there {
		return "", err
	}
	switch c.Form {
	case "place":
		if v.Place >= 0.005 {
			return fmt.Sprintf("%.0f %%", 100*v.Place), nil
		}
		return "", nil
	case "time", "rays":
		rays := int64(0) // of a picture of 1280x720
		if b.step != nil && b.pkg != Again {
			rays, _ = answers.Rays(b.step.Name, partOf(b, "scene"))
		}
		switch {
		case rays == 0:
			return "", nil
		case c.Form == "rays":
			return humanize.Comma(rays), nil
		}
		return Format(float64(rays)/v.Center, "sec/op"), nil
	case "short":
		if c.Base == "" {
			return Format(v.Center, c.Unit), nil
		}
		return formatShort(v), nil
	}
	if c.Base != "" {
		return estimate.FormatRatio(v), nil
	}
	return FormatValue(v, c.Unit), nil
}

// Format writes a figure without an interval.
func Format(value float64, unit string) string {
	text := benchunit.Scale(value, benchunit.ClassOf(unit))
	if strings.HasPrefix(unit, "sec") || strings.HasSuffix(unit, "-sec") {
		text += "s"
	}
	return text
}

// FormatValue writes a figure and the half width of its interval: "503.1k ± 1%".
// A count that was the same every time stands alone.
func FormatValue(v estimate.Estimate, unit string) string {
	half, digits := 100*v.HalfWidth(), 1
	if half >= 9.95 {
		digits = 0
	}
	counted := !strings.HasPrefix(unit, "sec") && !strings.HasSuffix(unit, "/s")
	count := math.Round(v.Center)
	switch {
	case v.Lo == v.Hi && counted && math.Abs(v.Center-count) <= 1e-12*v.Center:
		return humanize.Comma(int64(count))
	case v.Lo == v.Hi && counted:
		return strconv.FormatFloat(v.Center, 'g', 4, 64)
	case v.Lo == v.Hi:
		return Format(v.Center, unit)
	case math.IsInf(half, 0) || math.IsNaN(half):
		return Format(v.Center, unit) + " ± ∞"
	}
	return fmt.Sprintf("%s ± %.*f%%", Format(v.Center, unit), digits, half)
}

// formatShort writes a ratio alone, or "~" where the interval contains 1.
func formatShort(v estimate.Estimate) string {
	switch {
	case !v.Excludes(1) && !math.IsInf(v.Hi, 0) && v.Lo < v.Hi:
		return "~"
	case v.Center < 9.995:
		return fmt.Sprintf("%.2f", v.Center)
	}
	return fmt.Sprintf("%.1f", v.Center)
}

// Text returns the table for a terminal.
func (t Table) Text() string {
	widths := make([]int, len(t.Header))
	lines := slices.Concat([][]string{t.Header}, t.Rows)
	for i, right := range t.Right {
		for _, row := range lines {
			widths[i] = max(widths[i], utf8.RuneCountInString(row[i]))
		}
		if !right {
			widths[i] = -widths[i] // to the left
		}
	}
	var b strings.Builder
	for _, row := range lines {
		line := ""
		for i, cell := range row {
			line += fmt.Sprintf(" %*s ", widths[i], cell)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

// Markdown returns the table as a page on a code-hosting site shows it, without its
// caption. The figures of a table of more than six columns do not wrap.
func (t Table) Markdown() string {
	var b strings.Builder
	for i, row := range slices.Concat([][]string{t.Header}, t.Rows) {
		b.WriteString("|")
		for j, cell := range row {
			cell = strings.ReplaceAll(cell, "|", `\|`)
			if i > 0 && t.Right[j] && len(t.Header) > 6 {
				cell = strings.ReplaceAll(cell, " ", "\u00A0")
			}
			b.WriteString(" " + cell + " |")
		}
		b.WriteString("\n")
		if i > 0 {
			continue
		}
		for _, right := range t.Right {
			b.WriteString(map[bool]string{false: "|:--- ", true: "| ---:"}[right])
		}
		b.WriteString("|\n")
	}
	return b.String()
}
