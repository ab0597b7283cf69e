package results

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"

	"raysteps/scripts/internal/estimate"
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

// Point is an estimate over a number. Without an interval Lo and Hi are Center.
type Point struct {
	X         float64
	Label     string // what X is
	Center    float64
	Lo, Hi    float64
	Text      string // the figure as tables have it
	Unbounded bool   // the interval has no end, and is not drawn
}

// FigureSpec is what a chart shows.
type FigureSpec struct {
	Query
	X      string   // a field such as step or link-order
	Series string   // a field
	Y      []Column // if there are several, they are parts of a sum and the series
	XTitle string   // X, if it is empty
	YTitle string
	Linear bool  // of Y
	Words  Words // of the names of series, and of parts
}

// Figure makes what a chart shows: a point for each benchmark, or for each value that X
// and Series have in its launches.
func (s *Set) Figure(spec FigureSpec) (Figure, error) {
	x := spec.X
	named, perOrder := x == "step", x == "link-order"
	fig := Figure{
		X: Axis{Title: cmp.Or(spec.XTitle, strings.TrimPrefix(x, "/")), Linear: perOrder},
		Y: Axis{Title: spec.YTitle, Linear: spec.Linear},
	}
	list, err := s.choose(spec.Query)
	if err != nil {
		return Figure{}, err
	}
	fig.Stacked = len(spec.Y) > 1
	keyOf, err := project(x + "," + spec.Series)
	if err != nil {
		return Figure{}, err
	}
	var used []*benchmark
	for at := range len(list) * len(spec.Y) {
		b, y := list[at/len(spec.Y)], spec.Y[at%len(spec.Y)]
		for _, part := range b.parts(keyOf) {
			key := keyOf(part.line)
			p, there, err := s.point(part, y, list)
			if err != nil {
				return Figure{}, err
			}
			if !there || slices.Contains(key, "") {
				continue
			}
			used = append(used, b)
			switch {
			case named:
				if !slices.Contains(fig.X.Names, key[0]) {
					fig.X.Names = append(fig.X.Names, key[0])
				}
				p.X, p.Label = float64(slices.Index(fig.X.Names, key[0])), b.step.Title()+", "+b.line.GetConfig("label")
			case strings.HasSuffix(key[0], "%"): // 0 among them, which has no place on a logarithmic axis
				if !slices.Contains(fig.X.Names, key[0]) {
					fig.X.Names = append(fig.X.Names, key[0])
				}
				p.X, p.Label = float64(slices.Index(fig.X.Names, key[0])), key[0]
			default:
				if p.X, err = strconv.ParseFloat(key[0], 64); err != nil || p.X <= 0 {
					return Figure{}, fmt.Errorf("%s: %s is %q; want a number above 0", b.id, x, key[0])
				}
				p.Label = key[0]
			}
			name := seriesName(spec.Series, key[1])
			if fig.Stacked {
				name = y.Unit
			}
			name = spec.Words.of(name)
			i := slices.IndexFunc(fig.Series, func(s Series) bool { return s.Name == name })
			if i < 0 {
				i, fig.Series = len(fig.Series), append(fig.Series, Series{Name: name})
			}
			series := &fig.Series[i]
			series.Points = append(series.Points, p)
			// What is beyond the numbered steps does not go on from each other.
			if !perOrder && spec.Series != "build" && !(named && b.step.Beyond) {
				series.Joined++
			}
		}
	}
	if len(fig.Series) == 0 {
		return Figure{}, &NotMeasuredError{s.Name, spec.Query.String()}
	}
	for _, series := range fig.Series {
		slices.SortStableFunc(series.Points, func(a, b Point) int { return cmp.Compare(a.X, b.X) })
	}
	fig.Caption = caption(used)
	return fig, nil
}

// parts divides a benchmark by what the launches have in some fields.
func (b *benchmark) parts(keyOf func(*benchfmt.Result) []string) (all []*benchmark) {
	index := map[string]*benchmark{}
	for _, l := range b.launches {
		key := strings.Join(keyOf(l.Result), "\x00")
		if index[key] == nil {
			index[key] = &benchmark{id: b.id, step: b.step, line: l.Result}
			all = append(all, index[key])
		}
		index[key].launches = append(index[key].launches, l)
	}
	return all
}

// point returns the point of a benchmark, without X, if it was measured. A benchmark that
// is its own base is at 1.
func (s *Set) point(b *benchmark, y Column, rows []*benchmark) (p Point, there bool, err error) {
	v, there, err := s.quantity(b, y, rows)
	if err != nil || y.Base != "" && b.taken() { // of which a table says so
		return p, false, err
	}
	if there {
		p.Text, err = s.cell(b, y, rows)
	} else if base, _ := s.bases(b, y.Base, rows); y.Base != "" && len(base) == 1 && base[0].id == b.id {
		v, there, p.Text = estimate.Estimate{Center: 1, Lo: 1, Hi: 1}, true, "1"
	}
	if p.Center, p.Lo, p.Hi = v.Center, v.Lo, v.Hi; y.Form == "time" {
		p.Center, p.Lo, p.Hi = b.time(v.Center), b.time(v.Hi), b.time(v.Lo)
	}
	if isShare(y.Unit) {
		return p, there, err
	}
	if math.IsInf(v.Hi, 0) || !(v.Lo > 0) {
		p.Lo, p.Hi, p.Unbounded = p.Center, p.Center, true
		if y.Base != "" {
			p.Text = formatShort(v)
		}
	}
	if there && !(p.Center > 0 && p.Center < 1e38) {
		err = fmt.Errorf("%s: %v; want a number above 0, and below 1e38", b.id, p.Center)
	}
	return p, there, err
}

// Table has the values of the figure: a row for each place, a column for each
// series.
func (f Figure) Table() Table {
	t := Table{Header: []string{f.X.Title}, Right: []bool{false}}
	rows := map[float64]int{}
	for i, s := range f.Series {
		t.Header, t.Right = append(t.Header, s.Name), append(t.Right, true)
		for _, p := range s.Points {
			at, ok := rows[p.X]
			if !ok {
				at = len(t.Rows)
				rows[p.X] = at
				t.Rows = append(t.Rows, append([]string{p.Label}, make([]string, len(f.Series))...))
			}
			t.Rows[at][i+1] = p.Text
		}
	}
	return t
}
