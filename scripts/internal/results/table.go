package results

import (
	"cmp"
	_ "embed"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/dustin/go-humanize"
	"golang.org/x/perf/benchproc"
	"golang.org/x/perf/benchunit"

	"raysteps/scripts/internal/estimate"
	"raysteps/scripts/internal/steps"
)

// grid holds the cells of a table or a chart.
type grid struct {
	fields       []string // of a row
	rows, groups []string
	cells        map[place]cell
	used         []*benchmark // that are in cells
}

// place is where a cell stands: in which row, which is the values of its fields with lines
// between, group of columns, and column of the group.
type place struct {
	row, group string
	column     int
}

// cell is the one estimate of what launches say in a column.
type cell struct {
	estimate.Estimate
	of   *benchmark
	text string
}

// grid estimates the cells of a table: one for each benchmark, or for each value that Rows
// and Cols have in its launches.
func (s *Set) grid(spec Spec) (g grid, err error) {
	list, err := s.choose(spec)
	if err != nil {
		return g, err
	}
	rows := cmp.Or(spec.Rows, keysOf(list[0]))
	fields, err := new(benchproc.ProjectionParser).Parse(strings.TrimSuffix(rows+","+spec.Cols, ","), nil)
	if err != nil {
		return g, fmt.Errorf("fields %q, %q: %w", rows, spec.Cols, err)
	}
	g.fields, g.cells = strings.Split(rows, ","), map[place]cell{}
	found := make([]bool, len(spec.Columns))
	for _, b := range list {
		parts := map[place]*benchmark{} // by the values of their launches
		for _, l := range b.launches {
			var values []string
			key := fields.Project(l.Result)
			for _, field := range fields.Fields() {
				values = append(values, key.Get(field))
			}
			row, group := values[:len(g.fields)], strings.Join(values[len(g.fields):], "")
			at := place{row: strings.Join(row, "\n"), group: group}
			if slices.Contains(row, "") || spec.Cols != "" && group == "" {
				continue // such as scenes by number of spheres, in a table by /scene
			}
			if parts[at] == nil {
				parts[at] = &benchmark{id: b.id, step: b.step, line: l.Result}
				g.rows, g.groups = with(g.rows, at.row), with(g.groups, at.group)
			}
			parts[at].launches = append(parts[at].launches, l)
		}
		for at, part := range parts {
			for i, c := range spec.Columns {
				if v, there := s.quantity(part, c, list); there {
					at.column, found[i] = i, true
					g.cells[at], g.used = cell{v, b, c.text(v, b.taken)}, append(g.used, b)
				}
			}
		}
	}
	for i, c := range spec.Columns {
		if s.complete && !found[i] && c.Form != "place" { // older files lack places
			return g, s.notMeasured(spec.String(), "by", rows, "in", c.Unit)
		}
	}
	if len(g.used) == 0 {
		return g, s.notMeasured(spec.String(), "by", rows)
	}
	return g, nil
}

// with adds a text to others, unless it is one of them.
func with(all []string, text string) []string {
	if slices.Contains(all, text) {
		return all
	}
	return append(all, text)
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

// Table is a table of finished cells. Every row has as many as the header.
type Table struct {
	Header  []string
	Right   []bool // by column: aligned to the right
	Rows    [][]string
	Caption string // where and how it was measured
}

// Table makes one. Columns without content are left out; an error within which is
// [ErrNotMeasured] says that nothing is left or, of a published machine, that a column is empty.
func (s *Set) Table(spec Spec) (t Table, err error) {
	g, err := s.grid(spec)
	if err != nil {
		return t, err
	}
	t.Caption, t.Rows = caption(g.used), make([][]string, len(g.rows))
	add := func(title string, right bool, texts []string) {
		t.Header, t.Right = append(t.Header, title), append(t.Right, right)
		for row, text := range texts {
			t.Rows[row] = append(t.Rows[row], text)
		}
	}
	for i, field := range g.fields {
		texts, words := make([]string, len(g.rows)), false
		for row, values := range g.rows {
			text := strings.Split(values, "\n")[i]
			n, err := strconv.ParseFloat(text, 64)
			if words = words || err != nil; err == nil {
				text = humanize.Commaf(n)
			} else if !strings.HasPrefix(field, "/") {
				text = word(text)
			}
			texts[row] = text
		}
		add(word(strings.TrimPrefix(field, "/")), field == "step" || !words, texts)
	}
	for _, group := range g.groups {
		for column, c := range spec.Columns {
			texts := make([]string, len(g.rows))
			for row, values := range g.rows {
				texts[row] = g.cells[place{values, group, column}].text
			}
			if strings.Join(texts, "") != "" {
				add(spec.title(c, group), true, texts)
			}
		}
	}
	return t, nil
}

// title is that of a column.
func (spec Spec) title(c Column, group string) string {
	text := word(c.Unit)
	switch {
	case c.Form == "place":
		text = c.Form
	case c.Base != "" && c.Unit == "rays/s":
		text = baseTitle(c.Base)
	case c.Base != "":
		text += " " + baseTitle(c.Base)
	}
	switch {
	case spec.Cols == "":
		return text
	case strings.HasPrefix(text, "over "):
		return valueTitle(spec.Cols, group) + " " + text
	}
	return valueTitle(spec.Cols, group) + ", " + text
}

// valueTitle is how headers and legends write a value of a field.
func valueTitle(field, value string) string {
	if step, err := steps.Find(value); err == nil && field == "step" {
		return step.Title()
	}
	return word(value)
}

// baseTitle says in a header what a figure is over.
func baseTitle(base string) string {
	if step, err := steps.Find(base); err == nil {
		return "over " + step.Title()
	}
	if key, isOf := strings.CutPrefix(base, "first of "); isOf {
		return word("over first") + " of the same " + key
	}
	return strings.ReplaceAll(word("over "+base), "=", " ")
}

// text writes what a column says, or nothing of what is its own base.
func (c Column) text(v estimate.Estimate, taken bool) string {
	switch {
	case c.Form == "place" && v.Place < 0.005, c.Base != "" && v.Orders == 0 && v.Lo == v.Hi:
		return ""
	case c.Base != "" && taken:
		return "taken"
	case c.Form == "place":
		return fmt.Sprintf("%.0f %%", 100*v.Place)
	case c.Base == "":
		return formatValue(v, c.Unit)
	case c.Form == "":
		return estimate.FormatRatio(v)
	case !v.Excludes(1) && !math.IsInf(v.Hi, 0) && v.Lo < v.Hi:
		return "~"
	}
	return short(v.Center)
}

// short writes a ratio with three digits.
func short(x float64) string {
	return strconv.FormatFloat(x, 'f', max(0, 2-int(math.Log10(max(1, x*1.0005)))), 64)
}

// Format writes a figure without an interval.
func Format(value float64, unit string) string {
	if value < 1000 && (counted(unit) || strings.Contains(unit, "cycle")) {
		return strconv.FormatFloat(value, 'g', 4, 64) // and no thousandths
	}
	text := benchunit.Scale(value, benchunit.ClassOf(unit))
	if strings.Contains(unit, "sec") {
		text += "s"
	}
	return text
}

// formatValue writes a figure and the half width of its interval: "503.1 ± 1%". A count
// that was the same every time stands alone, and so does a rate: rates of one evening are
// some percent apart, however narrow their intervals; only ratios repeat.
func formatValue(v estimate.Estimate, unit string) string {
	if strings.HasSuffix(unit, share) {
		return fmt.Sprintf("%.0f %% (%.0f to %.0f)", v.Center, v.Lo, v.Hi)
	}
	half := 100 * v.HalfWidth()
	switch count := math.Round(v.Center); {
	case v.Lo == v.Hi && counted(unit) && !strings.HasSuffix(unit, "/ray") && math.Abs(v.Center-count) <= 1e-12*v.Center:
		return humanize.Comma(int64(count))
	case v.Lo == v.Hi || strings.HasSuffix(unit, "/s") || unit == "sec/picture" || math.IsInf(half, 0) || math.IsNaN(half):
		return Format(v.Center, unit)
	}
	return fmt.Sprintf("%s ± %.1f%%", Format(v.Center, unit), half)
}

// Text returns the table for a terminal.
func (t Table) Text() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, row := range slices.Concat([][]string{t.Header}, t.Rows) {
		fmt.Fprintln(w, strings.TrimRight(strings.Join(row, "\t"), "\t"))
	}
	w.Flush()
	return b.String()
}

// Markdown returns the table as a page on a code-hosting site shows it, without its
// caption. The figures of a table of more than six columns do not wrap.
func (t Table) Markdown() string {
	line := func(cells []string) string { return "| " + strings.Join(cells, " | ") + " |\n" }
	rule := make([]string, len(t.Header))
	for i, right := range t.Right {
		if rule[i] = ":--- "; right {
			rule[i] = " ---:"
		}
	}
	text := line(t.Header) + "|" + strings.Join(rule, "|") + "|\n"
	for _, row := range t.Rows {
		row = slices.Clone(row)
		for i := range row {
			row[i] = strings.ReplaceAll(row[i], "|", `\|`)
			if t.Right[i] && len(row) > 6 {
				row[i] = strings.ReplaceAll(row[i], " ", "\u00A0")
			}
		}
		text += line(row)
	}
	return text
}

// NumberSpec is what a sentence shows of one benchmark.
type NumberSpec struct {
	Package string // as Spec has them
	Bench   string // with its keys: Render/scene=large
	Column         // whose form, if it has one, is place
}

// Number writes a figure or a ratio, without an interval; with the form place it is how many
// times as large the ratio is at the best place of the code as at the worst.
func (s *Set) Number(spec NumberSpec) (string, error) {
	v, there := s.Quantity(Package(spec.Package), spec.Bench, "", spec.Column)
	switch {
	case !there:
		return "", s.notMeasured(spec.Package, spec.Bench, "in", strings.TrimSuffix(spec.Unit+" over "+spec.Base, " over "))
	case spec.Form == "place":
		return short(1 + v.Place), nil
	case spec.Base != "":
		return short(v.Center), nil
	case spec.Unit == "sec/picture":
		return fmt.Sprintf("%.3g s", v.Center), nil
	}
	return Format(v.Center, spec.Unit), nil
}

// words are what tables have for units, fields, bases, and values of fields.
//
//go:embed words.txt
var words string

func word(text string) string {
	_, rest, _ := strings.Cut("\n"+words, "\n"+text+" = ")
	line, _, _ := strings.Cut(rest, "\n")
	return cmp.Or(line, text)
}
