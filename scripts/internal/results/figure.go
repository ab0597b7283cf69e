package results

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
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
			if byStep {
				p.Label = c.of.step.Title() + ", " + c.of.line().GetConfig("label")
			}
			series.Points = append(series.Points, p)
			// Builds are compared at a step. What is beyond the numbered ones does not go on from each other.
			if !byOrder && spec.Cols != "build" && !(byStep && c.of.step.Beyond) {
				series.Joined++
			}
		}
		if len(series.Points) > 0 {
			slices.SortStableFunc(series.Points, func(a, b Point) int { return cmp.Compare(a.X, b.X) })
			fig.Series = append(fig.Series, series)
		}
	}
	if len(fig.Series) == 0 {
		return fig, s.notMeasured(spec.String())
	}
	return fig, nil
}
