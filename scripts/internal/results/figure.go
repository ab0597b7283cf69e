package results

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"raysteps/scripts/internal/estimate"
	"raysteps/scripts/internal/steps"
)

// FigureSpec is what a chart shows: a point for each benchmark.
type FigureSpec struct {
	Query
	X      string // a field such as step or /workers; link-order; or a count of a ray, such as instructions/ray
	Series string // a field, or place: of the code, odd or even
	Y      Column

	Linear         bool   // the vertical axis, and that of link orders
	XTitle, YTitle string // in place of those that follow from the rest
}

// Figure is the one kind of chart of measurements: series of points over an axis.
// Charts of the pages and of the book are drawn from it.
type Figure struct {
	X, Y    Axis
	Series  []Series
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
	Short     string // a word to draw beside the point, or empty
	Center    float64
	Lo, Hi    float64
	Text      string // the figure as tables have it
	Unbounded bool   // the interval has no end, and is not drawn

	place string // of the code in this link order: odd or even
}

// Figure makes a figure.
func (s *Set) Figure(spec FigureSpec) (Figure, error) {
	list, err := s.choose(spec.Query)
	if err != nil {
		return Figure{}, err
	}
	named, perOrder, counted := spec.X == "step", spec.X == "link-order", strings.HasSuffix(spec.X, "/ray")
	x := spec.X
	if perOrder || counted {
		x = ".name"
	}
	xOf, err := project(x)
	if err != nil {
		return Figure{}, err
	}
	seriesOf, err := project(spec.Series)
	if err != nil {
		return Figure{}, err
	}
	fig := Figure{
		X: Axis{Title: cmp.Or(spec.XTitle, strings.TrimPrefix(spec.X, "/")), Linear: perOrder},
		Y: Axis{Title: cmp.Or(spec.YTitle, yTitle(spec.Y)), Linear: spec.Linear},
	}
	var used []*benchmark
	for _, b := range list {
		place, group := xOf(b)[0], seriesOf(b)[0]
		if place == "" || group == "" {
			continue
		}
		points, err := s.points(b, spec, list)
		if err != nil {
			return Figure{}, err
		}
		used = append(used, b)
		for _, p := range points {
			switch {
			case named:
				if !slices.Contains(fig.X.Names, place) {
					fig.X.Names = append(fig.X.Names, place)
				}
				p.X, p.Label = float64(slices.Index(fig.X.Names, place)), b.step.Title()+", "+b.line.GetConfig("label")
			case counted:
				count, there := s.figure(b.counted(), spec.X)
				if !there {
					return Figure{}, &NotMeasuredError{s.Name, spec.X + " of " + b.id.String()}
				}
				p.X, p.Short = count.Center, b.step.Short()
				p.Label = fmt.Sprintf("%s, %.0f %s", b.step.Title(), count.Center, unitTitle(spec.X))
			case !perOrder:
				p.Label = Value(spec.X, place)
				if p.X, err = strconv.ParseFloat(place, 64); err != nil || p.X <= 0 {
					return Figure{}, fmt.Errorf("%s: %s is %q; want a number above 0", b.id, spec.X, place)
				}
			}
			if !(p.Center > 0 && p.Center < 1e38) {
				return Figure{}, fmt.Errorf("%s: %v; want a number above 0, and below 1e38", b.id, p.Center)
			}
			name := seriesName(spec.Series, group)
			switch spec.Series {
			case "place":
				name = "at an " + p.place + " place"
			case "/scene":
				name += " scene"
			}
			i := slices.IndexFunc(fig.Series, func(s Series) bool { return s.Name == name })
			if i < 0 {
				i, fig.Series = len(fig.Series), append(fig.Series, Series{Name: name})
			}
			series := &fig.Series[i]
			series.Points = append(series.Points, p)
			// What is beyond the numbered steps does not go on from each other.
			if !perOrder && !counted && spec.Series != "build" && !(named && b.step.Beyond) {
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

// counted names the benchmark of what a ray of the same render executes.
func (b *benchmark) counted() id {
	return id{b.pkg, strings.Replace(b.name, "Render", "Count", 1), b.build}
}

// points returns those of a benchmark, without their places: one, or one for each
// link order.
func (s *Set) points(b *benchmark, spec FigureSpec, rows []*benchmark) ([]Point, error) {
	if spec.X == "link-order" {
		return s.byOrder(b, spec.Y, rows)
	}
	v, there, err := s.quantity(b, spec.Y, rows)
	if err != nil {
		return nil, err
	}
	text := "1"
	if there {
		text, err = s.cell(b, spec.Y, rows)
	} else if base, _ := s.bases(b, spec.Y.Base, rows); spec.Y.Base != "" && slices.Contains(base, b) {
		v = estimate.Estimate{Center: 1, Lo: 1, Hi: 1}
	} else {
		return nil, nil
	}
	if spec.Y.Form == "share" {
		v = scaled(v, 100)
	}
	p := Point{Center: v.Center, Lo: v.Lo, Hi: v.Hi, Text: text}
	if math.IsInf(v.Hi, 0) || !(v.Lo > 0) {
		p.Lo, p.Hi, p.Unbounded = v.Center, v.Center, true
	}
	return []Point{p}, err
}

// byOrder returns a point for each link order.
func (s *Set) byOrder(b *benchmark, c Column, rows []*benchmark) ([]Point, error) {
	candidates, err := s.bases(b, c.Base, rows)
	if err != nil || len(candidates) == 0 || candidates[0] == b {
		return nil, err
	}
	of, over := map[int][]estimate.Launch{}, candidates[0].in(c.Unit)
	var orders []int
	for _, l := range b.in(c.Unit) {
		if of[l.Order] == nil {
			orders = append(orders, l.Order)
		}
		of[l.Order] = append(of[l.Order], l)
	}
	var points []Point
	for _, order := range orders {
		v := estimate.Ratio(of[order], over)
		if v.Orders == 0 {
			continue
		}
		p := Point{X: float64(order % ordersOfRun), Label: fmt.Sprint("link order ", order%ordersOfRun), Center: v.Center, Lo: v.Center, Hi: v.Center, Text: fmt.Sprintf("%.3f", v.Center)}
		if odd := of[order][0].Odd; len(odd) > 0 {
			p.place = map[bool]string{true: "odd", false: "even"}[odd[len(odd)-1]]
		}
		points = append(points, p)
	}
	return points, nil
}

func yTitle(c Column) string {
	words := cmp.Or(map[string]string{"rays/s": "rays per second"}[c.Unit], unitTitle(c.Unit))
	if c.Base != "" {
		words = "speed " + baseTitle(c.Base)
	}
	if c.Form == "share" {
		words += " (%)"
	}
	return words
}

// Table has the values of the figure: a row for each place, a column for each
// series.
func (f Figure) Table() Table {
	t := Table{Header: []string{f.X.Title}, Right: []bool{false}, Caption: []string{f.Caption}}
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

// Rate is that of a step, and its ratios to those before it.
type Rate struct {
	Step   steps.Step
	Center float64
	Over   []string
}

// Rates has the rates of the steps in a scene, for a race at their speeds.
type Rates struct {
	Steps   []Rate
	Caption string
}

// Rates returns the rates of the steps in a scene.
func (s *Set) Rates(scene string) (Rates, error) {
	list, err := s.choose(Query{Bench: "Render", Where: "/scene:" + scene})
	if err != nil {
		return Rates{}, err
	}
	all := Rates{Caption: caption(list)}
	for i, b := range list {
		v, _ := b.estimate("rays/s")
		rate := Rate{Step: *b.step, Center: v.Center}
		for _, other := range list[:i] {
			rate.Over = append(rate.Over, estimate.FormatRatio(estimate.Ratio(b.in("rays/s"), other.in("rays/s"))))
		}
		all.Steps = append(all.Steps, rate)
	}
	return all, nil
}
