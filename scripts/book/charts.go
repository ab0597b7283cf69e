package main

import (
	"bytes"
	"cmp"
	"fmt"
	"html/template"
	"io/fs"
	"math"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"raysteps/common/scene"
	"raysteps/scripts/internal/chart"
	"raysteps/scripts/internal/estimate"
	"raysteps/scripts/internal/published"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/steps"
)

// chartKind is a chart that can be asked for its values.
type chartKind struct {
	ID    string // that of the directive in the pages
	Title string
	Note  string
	X, Y  string // titles of the axes
	Steps bool   // the horizontal axis is one of steps
	kind  results.Kind
	lines func(*results.Set) ([]line, error)
	table func(*results.Set) ([]results.Table, error)
}

// line is a series of a chart.
type line struct {
	Name   string  `json:"name"`
	Points []point `json:"points"`
	Roof   float64 `json:"roof,omitempty"` // of the roofline: bytes a second; the point is the corner
}

type point struct {
	X      float64 `json:"x"`
	Label  string  `json:"label"` // what X is
	Center float64 `json:"v"`
	Lo     float64 `json:"lo"`
	Hi     float64 `json:"hi"`
	Text   string  `json:"text"` // the value as tables have it
}

// charts are those of the page, from the top.
var charts = []chartKind{
	{"rates", "Rays per second", "Each step, in each scene.", "step", "rays per second", true, results.OfSteps, rates, stepTables},
	{"speedups", "Speed-up over step 1", "Each step against the first, from ratios within launches.", "step", "times the speed of step 1", true, results.OfSteps, speedups, stepTables},
	{"spheres", "Number of spheres", "How the steps fare with few and many.", "spheres", "rays per second", false, results.OfSpheres, spheres, func(s *results.Set) ([]results.Table, error) { return one(s.SpheresTable()) }},
	{"workers", "Workers", "A step with goroutines against one worker; tiles of the usual size.", "workers", "times the speed of one worker", false, results.OfSweep, workers, workerTables},
	{"roofline", "Roofline", fmt.Sprintf("The kernels over %d spheres, below what one core can do at most.", chart.KernelSpheres), "arithmetic intensity (flop per byte loaded)", "flop/s", false, results.OfExperiments, roofline, kernelTables},
}

func one(t results.Table, err error) ([]results.Table, error) { return []results.Table{t}, err }

// pointOf is an estimate over a number. JSON has no infinity: an interval of one
// link order is none.
func pointOf(x float64, label string, v estimate.Estimate, text string) point {
	if math.IsInf(v.Lo, 0) || math.IsInf(v.Hi, 0) || v.Lo <= 0 {
		v.Lo, v.Hi = v.Center, v.Center
	}
	return point{x, label, v.Center, v.Lo, v.Hi, text}
}

func rateText(v estimate.Estimate) string {
	text := results.FormatValue(v, "rays/s") + " rays/s"
	if v.Lo > 0 && !math.IsInf(v.Hi, 0) {
		text += fmt.Sprintf(" (%s to %s)", results.Format(v.Lo, "rays/s"), results.Format(v.Hi, "rays/s"))
	}
	return text
}

// scenes lists those of a set, from the fewest spheres to the most.
func scenes(set *results.Set) []string {
	measured := set.Scenes()
	return slices.DeleteFunc(scene.Names(), func(name string) bool { return !slices.Contains(measured, name) })
}

// alongSteps makes a line for each scene; x is a step's place in the registry, so
// that machines with other steps agree.
func alongSteps(set *results.Set, value func(step steps.Step, scene string) (estimate.Estimate, error), text func(estimate.Estimate) string) ([]line, error) {
	var all []line
	for _, sc := range scenes(set) {
		l := line{Name: sc}
		for i, step := range steps.All() {
			if !set.Has(results.RenderKey(step.Package(), sc)) {
				continue
			}
			v, err := value(step, sc)
			if err != nil {
				return nil, err
			}
			l.Points = append(l.Points, pointOf(float64(i), step.Title()+", "+step.Label+set.OtherKernel(step), v, text(v)))
		}
		all = append(all, l)
	}
	return all, nil
}

func rates(set *results.Set) ([]line, error) {
	return alongSteps(set, func(step steps.Step, sc string) (estimate.Estimate, error) {
		return set.Estimate(results.RenderKey(step.Package(), sc), "rays/s")
	}, rateText)
}

func speedups(set *results.Set) ([]line, error) {
	first := steps.All()[0].Package()
	return alongSteps(set, func(step steps.Step, sc string) (estimate.Estimate, error) {
		return set.Ratio(results.RenderKey(step.Package(), sc), results.RenderKey(first, sc), "rays/s")
	}, results.FormatRatio)
}

func stepTables(set *results.Set) ([]results.Table, error) {
	var all []results.Table
	for _, sc := range slices.Backward(scenes(set)) {
		t, err := set.Steps(sc, steps.All())
		if err != nil {
			return nil, err
		}
		t.Header[1] = "the " + sc + " scene"
		all = append(all, t)
	}
	return all, nil
}

func spheres(set *results.Set) ([]line, error) {
	sizes, err := set.Numbers("spheres")
	if err != nil {
		return nil, err
	}
	var all []line
	for _, step := range set.MeasuredSteps() {
		l := line{Name: step.Title() + set.OtherKernel(step)}
		for _, n := range sizes {
			if key := results.SpheresKey(step.Package(), n); set.Has(key) {
				v, err := set.Estimate(key, "rays/s")
				if err != nil {
					return nil, err
				}
				l.Points = append(l.Points, pointOf(float64(n), fmt.Sprintf("%d spheres", n), v, rateText(v)))
			}
		}
		all = append(all, l)
	}
	return all, nil
}

func workers(set *results.Set) ([]line, error) {
	step, err := set.FirstStep()
	if err != nil {
		return nil, err
	}
	numbers, err := set.Numbers("workers")
	if err != nil {
		return nil, err
	}
	tile, err := usualTile(set)
	if err != nil {
		return nil, err
	}
	var all []line
	for _, sc := range scenes(set) {
		l := line{Name: sc}
		for _, n := range numbers {
			key, alone := results.SweepKey(step.Package(), sc, tile, n), results.SweepKey(step.Package(), sc, tile, 1)
			if set.Has(key) && set.Has(alone) {
				v, err := set.Ratio(key, alone, "rays/s")
				if err != nil {
					return nil, err
				}
				l.Points = append(l.Points, pointOf(float64(n), fmt.Sprintf("%d workers", n), v, results.FormatRatio(v)))
			}
		}
		all = append(all, l)
	}
	return all, nil
}

// usualTile is the size of tiles of the chart of workers: that of the steps, or the
// first that was measured.
func usualTile(set *results.Set) (int, error) {
	tiles, err := set.Numbers("tile")
	switch {
	case err != nil:
		return 0, err
	case len(tiles) == 0:
		return 0, fmt.Errorf("results %q: no measurements by number of workers", set.Name)
	case slices.Contains(tiles, tileSide):
		return tileSide, nil
	}
	return tiles[0], nil
}

func workerTables(set *results.Set) ([]results.Table, error) {
	step, err := set.FirstStep()
	if err != nil {
		return nil, err
	}
	var all []results.Table
	for _, sc := range slices.Backward(scenes(set)) {
		t, err := set.SweepTable(step, sc, 0)
		if err != nil {
			return nil, err
		}
		t.Header[0] = "tile, " + sc + " scene"
		all = append(all, t)
	}
	return all, nil
}

// peaks are what a core can do at most, by operation and bits.
var peaks = []struct {
	op   string
	bits int
	name string
}{{"fma", 512, "fused multiply-add, 512 bits"}, {"fma", 256, "fused multiply-add, 256 bits"}, {"mul-add", 128, "multiply and add, 128 bits"}}

func roofline(set *results.Set) ([]line, error) {
	if err := set.NeedPeak(); err != nil {
		return nil, err
	}
	var all []line
	for _, p := range peaks {
		key, load := results.PeakKey(p.op, p.bits), results.PeakKey("load", p.bits)
		if !set.Has(key) || !set.Has(load) {
			continue
		}
		speed, err := set.Estimate(key, "flop/s")
		bytes, err2 := set.Estimate(load, "B/s")
		if err = cmp.Or(err, err2); err != nil {
			return nil, err
		}
		corner := speed.Center / bytes.Center
		text := results.FormatValue(speed, "flop/s") + " flop/s, loads " + results.Format(bytes.Center, "B/s") + " B/s"
		all = append(all, line{p.name, []point{pointOf(corner, "at most", speed, text)}, bytes.Center})
	}
	for _, key := range set.Keys() {
		kernel, ok := strings.CutSuffix(strings.TrimPrefix(key.Name, "Kernel/kernel="), fmt.Sprintf("/n=%d", chart.KernelSpheres))
		if !ok || !strings.HasPrefix(key.Name, "Kernel/kernel=") {
			continue
		}
		speed, err := set.Estimate(key, "flop/s")
		seconds, err2 := set.Estimate(key, "sec/sphere")
		step, err3 := steps.Find(path.Base(key.Package))
		if err = cmp.Or(err, err2, err3); err != nil {
			return nil, err
		}
		x := speed.Center * seconds.Center / chart.BytesPerSphere
		all = append(all, line{Name: step.Title() + ", " + kernel, Points: []point{
			pointOf(x, fmt.Sprintf("%.3g flop a byte", x), speed, results.FormatValue(speed, "flop/s")+" flop/s")}})
	}
	return all, nil
}

// kernelTables has the figures of the roofline.
func kernelTables(set *results.Set) ([]results.Table, error) {
	lines, err := roofline(set)
	t := results.Table{Header: []string{"kernel, or peak", "flop per byte loaded", "speed"}, Right: []bool{false, true, true}}
	for _, l := range lines {
		t.Rows = append(t.Rows, []string{l.Name, fmt.Sprintf("%.3g", l.Points[0].X), l.Points[0].Text})
	}
	return []results.Table{t}, err
}

// measured is a file of measurements of one kind.
type measured struct {
	File      string // its path from the root
	Name      string // of the machine, for a legend
	Published bool
	Local     bool
	set       *results.Set
	err       error
}

// mostLocal is how many of the reader's own files of a kind are offered, the newest
// ones.
const mostLocal = 4

// setCache keeps what files hold, by name, size and time.
var setCache sync.Map

// measurements reads the files of a kind: the published one, the others, and the
// reader's own, newest first. A file that cannot be read has its reason.
func (b *book) measurements(kind results.Kind) ([]measured, error) {
	list, err := published.Read(b.root)
	if err != nil {
		return nil, err
	}
	type found struct {
		name string
		time time.Time
	}
	var files []found
	for _, folder := range []string{published.Folder, published.Local} {
		names, err := fs.Glob(os.DirFS(b.root), folder+"/*.txt")
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if info, err := os.Stat(b.path(name)); err == nil && info.Mode().IsRegular() {
				files = append(files, found{name, info.ModTime()})
			}
		}
	}
	slices.SortStableFunc(files, func(x, y found) int { return y.time.Compare(x.time) })
	var all []measured
	local := 0
	for _, f := range files {
		key := fmt.Sprint(b.path(f.name), f.time.UnixNano())
		cached, ok := setCache.Load(key)
		if !ok {
			m := measured{File: f.name, Local: path.Dir(f.name) == published.Local}
			if m.set, m.err = results.ReadFile(b.path(f.name)); m.err == nil {
				m.err = m.set.Whole()
			}
			cached, _ = setCache.LoadOrStore(key, m)
		}
		m := cached.(measured)
		if m.err != nil || m.set.Kind() != kind {
			continue
		}
		if m.Local {
			if local++; local > mostLocal {
				continue
			}
		}
		base := path.Base(f.name)
		m.Published = !m.Local && (list[kind] == base || kind == results.OfSteps && list[published.SecondMachine] == base)
		m.Name = cmp.Or(m.set.Config["cpu"], base)
		if m.Local {
			m.Name = "yours, " + f.time.Format("2 January 15:04")
		}
		all = append(all, m)
	}
	slices.SortStableFunc(all, func(x, y measured) int { return order(x) - order(y) })
	return all, nil
}

// order puts the published machine first, then the reader's own.
func order(m measured) int {
	switch {
	case m.Published:
		return 0
	case m.Local:
		return 1
	}
	return 2
}

// chartData is what the script of the page draws.
type chartData struct {
	ID       string    `json:"id"`
	Title    string    `json:"title"`
	X        string    `json:"x"`
	Y        string    `json:"y"`
	Steps    []string  `json:"steps"` // on the horizontal axis, or null
	Machines []machine `json:"machines"`
}

type machine struct {
	Name   string `json:"name"`
	Credit string `json:"credit"`
	Shown  bool   `json:"shown"` // at first
	Lines  []line `json:"lines"`
}

func (b *book) chartsData() ([]byte, error) {
	var all []chartData
	for _, c := range charts {
		d := chartData{ID: c.ID, Title: c.Title, X: c.X, Y: c.Y, Machines: []machine{}}
		if c.Steps {
			for _, step := range steps.All() {
				d.Steps = append(d.Steps, step.Short())
			}
		}
		files, err := b.measurements(c.kind)
		if err != nil {
			return nil, err
		}
		for _, m := range files {
			// What lacks a part that the chart needs has a table that says so.
			if lines, err := c.lines(m.set); err == nil && len(lines) > 0 {
				d.Machines = append(d.Machines, machine{m.Name, m.File + ": " + m.set.Machine(), len(d.Machines) == 0 || m.Local && len(d.Machines) == 1, lines})
			}
		}
		all = append(all, d)
	}
	return data("charts", all)
}

// chartTables are the tables of a machine beneath a chart.
type chartTables struct {
	Name, Credit string
	Open         bool
	Tables       template.HTML
}

func (b *book) chartsPage() ([]byte, error) {
	t, err := template.ParseFS(assets, "assets/charts.html")
	if err != nil {
		return nil, err
	}
	type section struct {
		chartKind
		Machines []chartTables
	}
	var all []section
	for _, c := range charts {
		s := section{chartKind: c}
		files, err := b.measurements(c.kind)
		if err != nil {
			return nil, err
		}
		for _, m := range files {
			var out bytes.Buffer
			tables, err := c.table(m.set)
			if err != nil {
				fmt.Fprintf(&out, "<p>%s</p>", template.HTMLEscapeString(err.Error()))
			}
			for _, t := range tables {
				if err := markdown.Convert([]byte(t.Markdown()), &out); err != nil {
					return nil, err
				}
			}
			s.Machines = append(s.Machines, chartTables{m.Name, m.File + ": " + m.set.Machine(), len(s.Machines) == 0, template.HTML(out.String())})
		}
		all = append(all, s)
	}
	var out bytes.Buffer
	if err := t.Execute(&out, all); err != nil {
		return nil, err
	}
	return b.render(view{Title: "Charts", Here: "charts.html", Class: "tool", Body: template.HTML(out.String()), Scripts: []string{"assets/charts.js"}})
}
