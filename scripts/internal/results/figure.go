package results

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchproc"
	"golang.org/x/perf/benchunit"

	"raysteps/scripts/internal/estimate"
	"raysteps/scripts/internal/steps"
)

// FigureSpec is what a chart shows: a point for each benchmark.
type FigureSpec struct {
	Query
	X      string // a field: step, /workers, link-order
	Series string // a field
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
	Joined int  // how many points, from the first, a line connects
	Bare   bool // a line without marks: what is possible at most
}

// Point is an estimate over a number. Without an interval Lo and Hi are Center.
type Point struct {
	X         float64
	Label     string // what X is
	Center    float64
	Lo, Hi    float64
	Text      string // the figure as tables have it
	Unbounded bool   // the interval has no end, and is not drawn

	place string // of the code in this link order: odd or even
}

func newPoint(x float64, label, text string, v estimate.Estimate) Point {
	p := Point{X: x, Label: label, Center: v.Center, Lo: v.Lo, Hi: v.Hi, Text: text}
	if math.IsInf(v.Hi, 0) || !(v.Lo > 0) {
		p.Lo, p.Hi, p.Unbounded = v.Center, v.Center, true
	}
	return p
}

// Figure makes a figure.
func (s *Set) Figure(spec FigureSpec) (Figure, error) {
	if spec.X == "intensity" {
		return s.roofline(spec)
	}
	list, err := s.choose(spec.Query)
	if err != nil {
		return Figure{}, err
	}
	perOrder := spec.X == "link-order"
	x := spec.X
	// What valgrind counts for a ray has benchmarks of its own, of the same scenes.
	counted := strings.HasSuffix(spec.X, "/ray")
	switch {
	case perOrder:
		x = ".name"
	case counted:
		x = "step"
	}
	ofX, err := projection(x)
	if err != nil {
		return Figure{}, err
	}
	ofSeries, err := projection(spec.Series)
	if err != nil {
		return Figure{}, err
	}
	get := func(p *benchproc.Projection, b *benchmark) string { return p.Project(b.line).Get(p.Fields()[0]) }

	fig := Figure{
		X: Axis{Title: cmp.Or(spec.XTitle, strings.TrimPrefix(spec.X, "/")), Linear: perOrder},
		Y: Axis{Title: cmp.Or(spec.YTitle, yTitle(spec.Y)), Linear: spec.Linear},
	}
	factor := 1.
	if spec.Y.Form == "share" {
		factor = 100
	}
	named := spec.X == "step"
	var used []*benchmark
	for _, b := range list {
		place, name := get(ofX, b), get(ofSeries, b)
		if place == "" || name == "" {
			continue
		}
		var points []Point
		if perOrder {
			points, err = s.byOrder(b, spec.Y, list)
		} else {
			var v estimate.Estimate
			var there bool
			if v, there, err = s.quantity(b, spec.Y, list); err == nil && !there && spec.Y.Base != "" { // the base itself
				if base, err2 := s.bases(b, spec.Y.Base, list); err2 == nil && slices.Contains(base, b) {
					v, there = estimate.Estimate{Center: 1, Lo: 1, Hi: 1}, spec.Y.Form != "relative"
				}
			}
			if there {
				var text string
				if text, err = s.cell(b, spec.Y, list); text == "" {
					text = "1"
				}
				points = []Point{newPoint(0, Value(spec.X, place), text, scaled(v, factor))}
			}
		}
		if err != nil {
			return Figure{}, err
		}
		used = append(used, b)
		for _, p := range points {
			switch {
			case named:
				at := slices.Index(fig.X.Names, place)
				if at < 0 {
					at, fig.X.Names = len(fig.X.Names), append(fig.X.Names, place)
				}
				p.X = float64(at)
				if step, err := steps.Find(place); err == nil {
					p.Label = step.Title() + ", " + b.line.GetConfig("label")
				}
			case counted:
				count, there := s.figure(id{b.pkg, strings.Replace(b.name, "Render", "Count", 1), ""}, spec.X)
				if !there {
					return Figure{}, &NotMeasuredError{s.Name, spec.X + " of " + b.id.String()}
				}
				p.X, p.Label = count.Center, fmt.Sprintf("%s, %.0f %s", p.Label, count.Center, unitTitle(spec.X))
			case !perOrder:
				if p.X, err = strconv.ParseFloat(place, 64); err != nil || p.X <= 0 {
					return Figure{}, fmt.Errorf("%s: %s is %q; want a number above 0", b.id, spec.X, place)
				}
			}
			if !(p.Center > 0 && p.Center < 1e38) {
				return Figure{}, fmt.Errorf("%s: %v; want a number above 0, and below 1e38", b.id, p.Center)
			}
			name := seriesName(spec.Series, name)
			if spec.Series == "place" {
				name = "at an " + p.place + " place"
			}
			if spec.Series == "/scene" {
				name += " scene"
			}
			i := slices.IndexFunc(fig.Series, func(s Series) bool { return s.Name == name })
			if i < 0 {
				i, fig.Series = len(fig.Series), append(fig.Series, Series{Name: name})
			}
			fig.Series[i].Points = append(fig.Series[i].Points, p)
		}
	}
	if len(fig.Series) == 0 {
		return Figure{}, &NotMeasuredError{s.Name, spec.Query.String()}
	}
	for i := range fig.Series {
		series := &fig.Series[i]
		slices.SortStableFunc(series.Points, func(a, b Point) int { return int(math.Copysign(1, a.X-b.X)) })
		series.Joined = len(series.Points)
		if named { // what is beyond the numbered steps does not go on from each other
			series.Joined = slices.IndexFunc(append(slices.Clone(series.Points), Point{X: -1}), func(p Point) bool {
				if p.X < 0 {
					return true
				}
				step, err := steps.Find(fig.X.Names[int(p.X)])
				return err == nil && step.Beyond
			})
		}
		if perOrder || counted || spec.Series == "build" {
			series.Joined = 0
		}
	}
	fig.Caption = caption(used)
	return fig, nil
}

// byOrder returns a point for each link order.
func (s *Set) byOrder(b *benchmark, c Column, rows []*benchmark) ([]Point, error) {
	candidates, err := s.bases(b, c.Base, rows)
	if err != nil || len(candidates) == 0 || candidates[0] == b {
		return nil, err
	}
	byOrder := map[int][]estimate.Launch{}
	for _, l := range candidates[0].sample(c.Unit).launches {
		byOrder[l.Order] = append(byOrder[l.Order], l)
	}
	of := map[int][]estimate.Launch{}
	for _, l := range b.sample(c.Unit).launches {
		of[l.Order] = append(of[l.Order], l)
	}
	var points []Point
	for _, order := range slices.Sorted(maps.Keys(of)) {
		launches := of[order]
		if v := estimate.Ratio(launches, byOrder[order]); v.Launches > 0 {
			text := fmt.Sprintf("%.3f", v.Center)
			p := newPoint(float64(order%ordersOfRun), fmt.Sprint("link order ", order%ordersOfRun), text, estimate.Estimate{Center: v.Center, Lo: v.Center, Hi: v.Center})
			if odd := launches[0].Odd; len(odd) > 0 {
				p.place = map[bool]string{true: "odd", false: "even"}[odd[len(odd)-1]]
			}
			points = append(points, p)
		}
	}
	return points, nil
}

func yTitle(c Column) string {
	unit := map[string]string{"rays/s": "rays per second", "efficiency": "efficiency"}[c.Unit]
	if unit == "" {
		unit = unitTitle(c.Unit)
	}
	if c.Base != "" {
		unit = "speed"
		if !strings.HasSuffix(c.Unit, "/s") {
			unit = unitTitle(c.Unit)
		}
		unit += " " + baseTitle(c.Base)
	}
	if c.Form == "share" {
		unit += " (%)"
	}
	return unit
}

// seriesName is how a title or a legend writes a value of a field.
func seriesName(field, value string) string {
	switch field {
	case "/workers":
		if n, err := strconv.Atoi(value); err == nil {
			return plural(n, "worker", "workers")
		}
	case "step":
		if step, err := steps.Find(value); err == nil {
			return step.Title()
		}
	}
	return Value(field, value)
}

// bytesPerSphere are what a kernel loads for a sphere: the center and the radius
// squared, in four bytes each.
const bytesPerSphere = 4 * 4

// roofline has the kernels that a query chooses, over the operations that they do
// with each byte, and above them what a core can do at most: as many operations as
// it can start, and as many as it can load numbers for.
func (s *Set) roofline(spec FigureSpec) (Figure, error) {
	list, err := s.choose(spec.Query)
	if err != nil {
		return Figure{}, err
	}
	fig := Figure{X: Axis{Title: "arithmetic intensity (flop per byte loaded)"}, Y: Axis{Title: "flop/s"}, Caption: caption(list)}
	left, right := math.Inf(1), 0.
	var kernels []Series
	for _, b := range list {
		speed, there := s.figure(b.id, "flop/s")
		seconds, there2 := s.figure(b.id, "sec/sphere")
		step, known := stepOf(b)
		if !there || !there2 || !known {
			continue
		}
		x := speed.Center * seconds.Center / bytesPerSphere
		left, right = min(left, x), max(right, x)
		name := fmt.Sprintf("%s, %s: %sflop/s", step.Title(), partOf(b, "/kernel"), Format(speed.Center, "flop/s"))
		kernels = append(kernels, Series{Name: name, Points: []Point{newPoint(x, fmt.Sprintf("%.3g flop a byte", x), FormatValue(speed, "flop/s")+" flop/s", speed)}})
	}
	left, right = min(left, 1)/4, max(right, 1)*6
	for _, roof := range []struct{ op, bits, title string }{
		{"fma", "512", "fused multiply-add, 512 bits"}, {"fma", "256", "fused multiply-add, 256 bits"}, {"mul-add", "128", "multiply and add, 128 bits"},
	} {
		speed, there := s.figure(id{Package("scripts/peak"), "Peak/op=" + roof.op + "/bits=" + roof.bits, ""}, "flop/s")
		loads, there2 := s.figure(id{Package("scripts/peak"), "Peak/op=load/bits=" + roof.bits, ""}, "B/s")
		if !there || !there2 {
			continue
		}
		text := fmt.Sprintf("%sflop/s, loads %sB/s", Format(speed.Center, "flop/s"), benchunit.Scale(loads.Center, benchunit.Decimal))
		at := func(x float64) Point {
			y := min(speed.Center, loads.Center*x)
			return newPoint(x, "at most", text, estimate.Estimate{Center: y, Lo: y, Hi: y})
		}
		points := []Point{at(left), at(speed.Center / loads.Center), at(right)}
		fig.Series = append(fig.Series, Series{Name: roof.title + ": " + text, Points: points, Joined: 3, Bare: true})
	}
	if len(fig.Series) == 0 || len(kernels) == 0 {
		return Figure{}, &NotMeasuredError{s.Name, "scripts/peak, or of kernels"}
	}
	fig.Series = append(fig.Series, kernels...)
	return fig, nil
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
