package results

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchproc"

	"raysteps/scripts/internal/steps"
)

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
	fig.X = Axis{Title: strings.TrimPrefix(spec.Rows, "/"), Linear: spec.Rows == "link-order"}
	fig.Y.Linear, fig.Stacked, fig.Caption = linear, len(spec.Columns) > 1, g.caption
	for _, column := range g.columns {
		series, err := fig.series(column, g.rows, spec)
		if err != nil {
			return fig, err
		}
		if len(series.Points) > 0 {
			fig.Series = append(fig.Series, series)
		}
	}
	return fig, nil
}

// series makes the series of a column, with its points in the order of the axis.
func (fig *Figure) series(column column, rows []benchproc.Key, spec Spec) (series Series, err error) {
	byStep := spec.Rows == "step"
	series.Name = column.group
	if fig.Stacked {
		series.Name = displayName(column.Unit)
	}
	for i, c := range column.cells {
		if c.benchmark == nil {
			continue
		}
		p := fig.point(c, rows[i].StringValues(), byStep)
		placed := p.X > 0 || fig.X.Names != nil
		if !placed || !(p.Center > 0 || p.Center == 0 && fig.Y.Linear) || !(p.Center < 1e38) {
			const format = "%s: %v at %s is %s; want numbers above 0, and below 1e38"
			return series, fmt.Errorf(format, c.benchmark.id, p.Center, spec.Rows, p.Label)
		}
		step, _ := steps.Find(p.Label)
		if byStep {
			p.Label = step.Title() + ", " + c.benchmark.last().fields.GetConfig("label")
		}
		series.Points = append(series.Points, p)
		// Builds are compared at a step. What is beyond the numbered ones does not go on from each other.
		if !fig.X.Linear && spec.Cols != "build" && !(byStep && step.Beyond) {
			series.Joined++
		}
	}
	slices.SortStableFunc(series.Points, func(a, b Point) int { return cmp.Compare(a.X, b.X) })
	return series, nil
}

// point makes the point of a cell at a value of the rows' field. A value that is no number, and a step,
// are names of the axis.
func (fig *Figure) point(c cell, label string, byStep bool) Point {
	p := Point{Label: label, Center: c.Center, Lo: c.Lo, Hi: c.Hi, Text: c.text}
	if math.IsInf(p.Hi, 0) {
		p.Lo, p.Hi = p.Center, p.Center
	}
	var err error
	if p.X, err = strconv.ParseFloat(label, 64); byStep || err != nil {
		fig.X.Names = appendNew(fig.X.Names, label)
		p.X = float64(slices.Index(fig.X.Names, label))
	}
	return p
}
