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
	rows    []benchproc.Key
	columns []column // those of the rows' fields first
	caption string
}

// column is what stands below one header, or one series.
type column struct {
	Column        // a field has its name as unit
	group  string // the title of what stands side by side
	left   bool   // aligned to the left
	cells  []cell // by row
}

// cell is the one estimate of what launches say in a column, if there are any.
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
	type place struct{ row, group benchproc.Key }
	parts := map[place]*benchmark{}
	var groups []benchproc.Key
	var used []*benchmark
	for _, b := range list {
		for _, l := range b.launches {
			at := place{rows.Project(l.Result), cols.Project(l.Result)}
			if lacks(at.row) || lacks(at.group) {
				continue // such as scenes by number of spheres, in a table by /scene
			}
			if parts[at] == nil || parts[at].id != b.id {
				parts[at] = &benchmark{id: b.id, step: b.step}
				g.rows, groups, used = with(g.rows, at.row), with(groups, at.group), with(used, b)
			}
			parts[at].launches = append(parts[at].launches, l)
		}
	}
	for _, field := range rows.Fields() {
		g.columns = append(g.columns, g.names(field))
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
				part := parts[place{row, group}]
				if v, there := s.quantity(part, c, list); there {
					cells[i], found[c] = cell{v, part, c.text(v)}, true
				} else if part != nil && part.taken() && c.Base == "" && c.Form == "" {
					cells[i].text = "processors taken"
				}
			}
			g.columns = append(g.columns, column{c, title, false, cells})
		}
	}
	for _, c := range spec.Columns {
		if !found[c] && (len(found) == 0 || !s.Own) {
			return g, s.notMeasured(spec.String(), "by", spec.Rows, "in", c.Unit)
		}
	}
	g.caption = caption(used)
	return g, nil
}

// names returns the column of a field of the rows. Words stand to the left.
func (g grid) names(field *benchproc.Field) (c column) {
	key, isKey := strings.CutPrefix(field.Name, "/")
	c.Unit = key
	for _, row := range g.rows {
		text := row.Get(field)
		n, err := strconv.ParseFloat(text, 64)
		switch c.left = c.left || err != nil && key != "step"; {
		case err == nil:
			text = humanize.Commaf(n)
		case !isKey:
			text = word(text)
		}
		c.cells = append(c.cells, cell{text: text})
	}
	return c
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
	for _, c := range g.columns {
		if !slices.ContainsFunc(c.cells, func(c cell) bool { return c.text != "" }) {
			continue
		}
		t.Header, t.Right = append(t.Header, c.title()), append(t.Right, !c.left)
		for row, cell := range c.cells {
			t.Rows[row] = append(t.Rows[row], cell.text)
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
	if c.group == "" || strings.HasPrefix(title, "over ") {
		return strings.TrimSpace(c.group + " " + title)
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

// Figure is the one kind of chart of measurements: series of points over an axis.
// Charts of the pages and of the book are drawn from it.
type Figure struct {
	X, Y    Axis
	Series  []Series
	Stacked bool // the series are parts of a sum, and the last place stands out
	Caption string
}

// Axis is logarithmic unless its places have names or Linear says so.
type Axis struct {
	Title  string
	Names  []string // of the places 0, 1, ..., or nil
	Linear bool
}

// Series is what has one color.
type Series struct {
	Name   string
	Points []Point
	Joined int // how many points, from the first, a line connects
}

// Point is an estimate over a number. Lo and Hi are Center where the interval has no end.
type Point struct {
	X              float64
	Label          string // what X is
	Center, Lo, Hi float64
	Text           string // the figure as tables have it
}

// Figure makes what a chart shows: a table with one field in its rows, which is across, and
// one in its columns, the series. Several columns are parts of a sum, and the series.
func (s *Set) Figure(spec Spec, linear bool) (fig Figure, err error) {
	g, err := s.grid(spec)
	if err != nil {
		return fig, err
	}
	byStep, byOrder := spec.Rows == "step", spec.Rows == "link-order"
	fig.X, fig.Y.Linear = Axis{Title: strings.TrimPrefix(spec.Rows, "/"), Linear: byOrder}, linear
	fig.Stacked, fig.Caption = len(spec.Columns) > 1, g.caption
	for _, column := range g.columns {
		series := Series{Name: column.group}
		if fig.Stacked {
			series.Name = word(column.Unit)
		}
		for i, c := range column.cells {
			if c.of == nil {
				continue
			}
			p := Point{Label: g.rows[i].StringValues(), Center: c.Center, Lo: c.Lo, Hi: c.Hi, Text: c.text}
			if math.IsInf(p.Hi, 0) {
				p.Lo, p.Hi = p.Center, p.Center
			}
			if p.X, err = strconv.ParseFloat(p.Label, 64); byStep || err != nil {
				fig.X.Names = with(fig.X.Names, p.Label)
				p.X = float64(slices.Index(fig.X.Names, p.Label))
			}
			if p.X <= 0 && fig.X.Names == nil || p.Center < 0 || p.Center == 0 && !linear || !(p.Center < 1e38) {
				return fig, fmt.Errorf("%s: %v at %s is %s; want numbers above 0, and below 1e38", c.of.id, p.Center, spec.Rows, p.Label)
			}
			step, _ := steps.Find(p.Label)
			if byStep {
				p.Label = step.Title() + ", " + c.of.line().GetConfig("label")
			}
			series.Points = append(series.Points, p)
			// Builds are compared at a step. What is beyond the numbered ones does not go on from each other.
			if !byOrder && spec.Cols != "build" && !(byStep && step.Beyond) {
				series.Joined++
			}
		}
		if len(series.Points) > 0 {
			slices.SortStableFunc(series.Points, func(a, b Point) int { return cmp.Compare(a.X, b.X) })
			fig.Series = append(fig.Series, series)
		}
	}
	return fig, nil
}
