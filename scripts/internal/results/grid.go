package results

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
	"golang.org/x/perf/benchproc"

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
	benchmark *benchmark // with these launches; nil for an empty cell, and for one of a field
	text      string
}

// position is where a benchmark stands in a grid.
type position struct{ row, group benchproc.Key }

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
	parts, groups, shown := g.place(list, rows, cols)
	for _, field := range rows.Fields() {
		g.columns = append(g.columns, g.fieldColumn(field))
	}
	found := map[Column]bool{}
	for _, group := range groups {
		title := displayName(group.StringValues())
		if step, err := steps.Find(title); err == nil && spec.Cols == "step" {
			title = step.Title()
		}
		for _, c := range spec.Columns {
			cells := make([]cell, len(g.rows))
			for i, row := range g.rows {
				var measured bool
				if cells[i], measured = s.cell(parts[position{row, group}], c, list); measured {
					found[c] = true
				}
			}
			g.columns = append(g.columns, column{c, title, false, cells})
		}
	}
	for _, c := range spec.Columns {
		if !found[c] && (len(found) == 0 || !s.Local) {
			return g, s.notMeasured(spec.String(), "by", spec.Rows, "in", c.Unit)
		}
	}
	g.caption = caption(shown)
	return g, nil
}

// place finds the rows of a grid, and the groups of its columns. It returns the launches of benchmarks
// by where they stand, and the benchmarks that stand somewhere. A launch in which a field is empty
// stands nowhere, such as that of a scene by number of spheres in a table by /scene.
func (g *grid) place(
	list []*benchmark, rows, cols *benchproc.Projection,
) (parts map[position]*benchmark, groups []benchproc.Key, shown []*benchmark) {
	parts = map[position]*benchmark{}
	for _, b := range list {
		for _, l := range b.launches {
			at := position{rows.Project(l.fields), cols.Project(l.fields)}
			if hasEmptyField(at.row) || hasEmptyField(at.group) {
				continue
			}
			if parts[at] == nil || parts[at].id != b.id {
				part := *b // but for its launches
				part.launches = nil
				parts[at] = &part
				g.rows, groups = appendNew(g.rows, at.row), appendNew(groups, at.group)
				shown = appendNew(shown, b)
			}
			parts[at].launches = append(parts[at].launches, l)
		}
	}
	return parts, groups, shown
}

// cell says what a column says of some launches of a benchmark, and whether anything was measured.
// Rows are the benchmarks of the table.
func (s *Set) cell(part *benchmark, c Column, rows []*benchmark) (cell, bool) {
	if v, there := s.quantity(part, c, rows); there {
		return cell{v, part, c.text(v)}, true
	}
	if part != nil && part.taken() && c.Base == "" && c.Form == "" {
		return cell{text: "processors taken"}, false
	}
	return cell{}, false
}

// fieldColumn returns the column of a field of the rows. Words stand to the left.
func (g grid) fieldColumn(field *benchproc.Field) (c column) {
	key, isKey := strings.CutPrefix(field.Name, "/")
	c.Unit = key
	for _, row := range g.rows {
		text := row.Get(field)
		n, err := strconv.ParseFloat(text, 64)
		switch c.left = c.left || err != nil && key != "step"; {
		case err == nil:
			text = humanize.Commaf(n)
		case !isKey:
			text = displayName(text)
		}
		c.cells = append(c.cells, cell{text: text})
	}
	return c
}

// hasEmptyField reports whether a value of a field is empty.
func hasEmptyField(key benchproc.Key) bool {
	empty := func(f *benchproc.Field) bool { return key.Get(f) == "" }
	return slices.ContainsFunc(key.Projection().Fields(), empty)
}

// appendNew appends an element, unless it is there already.
func appendNew[T comparable](all []T, element T) []T {
	if slices.Contains(all, element) {
		return all
	}
	return append(all, element)
}
