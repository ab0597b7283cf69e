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

// grid is what a table or a chart shows.
type grid struct {
	fields  []*benchproc.Field // of a row
	rows    []benchproc.Key
	columns []column
	caption string
}

// column is what stands below one header, or one series.
type column struct {
	Column
	group string // the title of what stands side by side
	cells []cell // by row
}

// cell is the one estimate of what launches say in a column, without of if they say nothing.
type cell struct {
	estimate.Estimate
	of   *benchmark // with these launches
	text string
}

// grid estimates the cells of a table: one for each benchmark, or for each value that Rows
// and Cols have in its launches.
func (s *Set) grid(spec Spec) (g grid, err error) {
	list, err := s.choose(spec)
	if err != nil {
		return g, err
	}
	var parser benchproc.ProjectionParser
	rows, err := parser.Parse(spec.Rows, nil)
	cols, err2 := parser.Parse(spec.Cols, nil)
	if err = cmp.Or(err, err2); err != nil {
		return g, fmt.Errorf("fields %q, %q: %w", spec.Rows, spec.Cols, err)
	}
	parts := map[[2]benchproc.Key]*benchmark{} // by row and group
	var groups []benchproc.Key
	var used []*benchmark
	for _, b := range list {
		for _, l := range b.launches {
			row, group := rows.Project(l.Result), cols.Project(l.Result)
			if lacks(row) || lacks(group) {
				continue // such as scenes by number of spheres, in a table by /scene
			}
			part := parts[[2]benchproc.Key{row, group}]
			if part == nil || part.id != b.id {
				part = &benchmark{id: b.id, step: b.step}
				g.rows, groups, used = with(g.rows, row), with(groups, group), with(used, b)
			}
			part.launches = append(part.launches, l)
			parts[[2]benchproc.Key{row, group}] = part
		}
	}
	found := map[Column]bool{}
	for _, group := range groups {
		title := word(group.StringValues())
		if step, err := steps.Find(title); err == nil && spec.Cols == "step" {
			title = step.Title()
		}
		for _, c := range spec.Columns {
			cells := make([]cell, len(g.rows))
			for i, row := range g.rows {
				if part := parts[[2]benchproc.Key{row, group}]; part != nil {
					if v, there := s.quantity(part, c, list); there {
						cells[i], found[c] = cell{v, part, c.text(v)}, true
					}
				}
			}
			g.columns = append(g.columns, column{c, title, cells})
		}
	}
	for _, c := range spec.Columns {
		if !found[c] && (len(found) == 0 || !s.Own && c.Form != "place") { // older files lack places
			return g, s.notMeasured(spec.String(), "by", spec.Rows, "in", c.Unit)
		}
	}
	g.fields, g.caption = rows.Fields(), caption(used)
	return g, nil
}

// lacks reports whether a value of a field is empty.
func lacks(key benchproc.Key) bool {
	return slices.ContainsFunc(key.Projection().Fields(), func(f *benchproc.Field) bool { return key.Get(f) == "" })
}

// with adds something to others, unless it is one of them.
func with[T comparable](all []T, one T) []T {
	if slices.Contains(all, one) {
		return all
	}
	return append(all, one)
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
	t.Caption, t.Rows = g.caption, make([][]string, len(g.rows))
	add := func(title string, right bool, text func(row int) string) {
		t.Header, t.Right = append(t.Header, title), append(t.Right, right)
		for row := range t.Rows {
			t.Rows[row] = append(t.Rows[row], text(row))
		}
	}
	for _, field := range g.fields {
		right := true
		for _, row := range g.rows {
			_, err := strconv.ParseFloat(row.Get(field), 64)
			right = right && err == nil || field.Name == "step"
		}
		key, isKey := strings.CutPrefix(field.Name, "/")
		add(word(key), right, func(row int) string {
			text := g.rows[row].Get(field)
			if n, err := strconv.ParseFloat(text, 64); err == nil {
				return humanize.Commaf(n)
			} else if isKey {
				return text
			}
			return word(text)
		})
	}
	for _, c := range g.columns {
		if slices.ContainsFunc(c.cells, func(c cell) bool { return c.text != "" }) {
			add(c.title(), true, func(row int) string { return c.cells[row].text })
		}
	}
	return t, nil
}

// title is that of a column.
func (c column) title() string {
	title, over := word(c.Unit), strings.ReplaceAll(word("over "+c.Base), "=", " ")
	if step, err := steps.Find(c.Base); err == nil {
		over = "over " + step.Title()
	}
	switch {
	case c.Form == "place":
		title = c.Form
	case c.Base != "" && c.Unit == "rays/s":
		title = over
	case c.Base != "":
		title += " " + over
	}
	switch {
	case c.group == "":
		return title
	case strings.HasPrefix(title, "over "):
		return c.group + " " + title
	}
	return c.group + ", " + title
}

// text writes what a column says, or nothing of what is its own base. Rates have no interval:
// those of one evening are some percent apart, however narrow it is; only ratios repeat.
func (c Column) text(v estimate.Estimate) string {
	ratio, exact := c.Base != "", v.Lo == v.Hi
	switch {
	case ratio && exact && v.Orders == 0, c.Form == "place" && v.Place < 0.005:
		return ""
	case c.Form == "place":
		return fmt.Sprintf("%.0f %%", 100*v.Place)
	case ratio && c.Form == "":
		return estimate.FormatRatio(v)
	case ratio && !exact && !v.Excludes(1) && !math.IsInf(v.Hi, 0):
		return "~"
	case ratio:
		return short(v.Center)
	case strings.HasSuffix(c.Unit, "-%"):
		return fmt.Sprintf("%s (%.0f to %.0f)", format(v, c.Unit), v.Lo, v.Hi)
	case exact || strings.HasSuffix(c.Unit, "/s") || c.Unit == "sec/picture" || math.IsInf(v.Hi, 0):
		return format(v, c.Unit)
	}
	return fmt.Sprintf("%s ± %.1f%%", format(v, c.Unit), 100*v.HalfWidth())
}

// short writes a ratio with three digits.
func short(x float64) string {
	return strconv.FormatFloat(x, 'f', max(0, 2-int(math.Log10(max(1, x*1.0005)))), 64)
}

// format writes a figure without an interval.
func format(v estimate.Estimate, unit string) string {
	switch x := v.Center; {
	case strings.HasSuffix(unit, "-%"):
		return fmt.Sprintf("%.0f %%", x)
	case unit == "sec/picture":
		return fmt.Sprintf("%#.3g s", x)
	case v.Lo == v.Hi && counted(unit) && math.Abs(x-math.Round(x)) <= 1e-12*x:
		return humanize.Comma(int64(math.Round(x)))
	case x < 1000 && (counted(unit) || strings.Contains(unit, "cycle")):
		return strconv.FormatFloat(x, 'g', 4, 64) // and no thousandths
	case strings.Contains(unit, "sec"):
		return benchunit.Scale(x, benchunit.Decimal) + "s"
	}
	return benchunit.Scale(v.Center, benchunit.ClassOf(unit))
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
	text, rule := "| "+strings.Join(t.Header, " | ")+" |\n", "|"
	for _, right := range t.Right {
		rule += map[bool]string{false: ":--- |", true: " ---:|"}[right]
	}
	text += rule + "\n"
	for _, row := range t.Rows {
		text += "|"
		for i, cell := range row {
			if cell = strings.ReplaceAll(cell, "|", `\|`); t.Right[i] && len(row) > 6 {
				cell = strings.ReplaceAll(cell, " ", "\u00A0")
			}
			text += " " + cell + " |"
		}
		text += "\n"
	}
	return text
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
