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

	"github.com/dustin/go-humanize/english"

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

// place is where a point of a line is, and what was measured there. With a base,
// its value is the ratio to that.
type place struct {
	x         float64
	label     string
	key, base results.Key
}

// newLine returns a line of those places that were measured.
func newLine(set *results.Set, name string, places []place) (line, error) {
	l := line{Name: name}
	for _, p := range places {
		if !set.Has(p.key) {
			continue
		}
		var v estimate.Estimate
		var err error
		text := results.FormatRatio
		if p.base == (results.Key{}) {
			v, err = set.Estimate(p.key, "rays/s")
			text = rateText
		} else {
			v, err = set.Ratio(p.key, p.base, "rays/s")
		}
		if err != nil {
			return l, err
		}
		l.Points = append(l.Points, pointOf(p.x, p.label, v, text(v)))
	}
	return l, nil
}

// alongSteps makes a line for each scene, of values against a step or of rates; x
// is a step's place in the registry, so that machines with other steps agree.
func alongSteps(set *results.Set, base string) ([]line, error) {
	var all []line
	for _, sc := range scenes(set) {
		var places []place
		for i, step := range steps.All() {
			p := place{x: float64(i), label: step.Title() + ", " + step.Label + set.OtherKernel(step), key: results.RenderKey(step.Package(), sc)}
			if base != "" {
				p.base = results.RenderKey(base, sc)
			}
			places = append(places, p)
		}
		l, err := newLine(set, sc, places)
		if err != nil {
			return nil, err
		}
		all = append(all, l)
	}
	return all, nil
}

func rates(set *results.Set) ([]line, error) { return alongSteps(set, "") }

func speedups(set *results.Set) ([]line, error) { return alongSteps(set, steps.All()[0].Package()) }

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
	var all []line
	for _, step := range set.MeasuredSteps() {
		var places []place
		for _, n := range set.Numbers("spheres") {
			places = append(places, place{x: float64(n), label: english.Plural(n, "sphere", ""), key: results.SpheresKey(step.Package(), n)})
		}
		l, err := newLine(set, step.Title()+set.OtherKernel(step), places)
		if err != nil {
			return nil, err
		}
		all = append(all, l)
	}
	return all, nil
}

func workers(set *results.Set) ([]line, error) {
	step, numbers := set.FirstStep(), set.Numbers("workers")
	tile, err := usualTile(set)
	if err != nil {
		return nil, err
	}
	var all []line
	for _, sc := range scenes(set) {
		var places []place
		for _, n := range numbers {
			key := func(workers int) results.Key { return results.SweepKey(step.Package(), sc, tile, workers) }
			places = append(places, place{float64(n), english.Plural(n, "worker", ""), key(n), key(1)})
		}
		l, err := newLine(set, sc, places)
		if err != nil {
			return nil, err
		}
		all = append(all, l)
	}
	return all, nil
}

// usualTile is the size of tiles of the chart of workers: that of the steps, or the
// first that was measured.
func usualTile(set *results.Set) (int, error) {
	tiles := set.Numbers("tile")
	switch {
	case len(tiles) == 0:
		return 0, fmt.Errorf("results %q: no measurements by number of workers", set.Name)
	case slices.Contains(tiles, tileSide):
		return tileSide, nil
	}
	return tiles[0], nil
}

func workerTables(set *results.Set) ([]results.Table, error) {
	var all []results.Table
	for _, sc := range slices.Backward(scenes(set)) {
		t, err := set.SweepTable(set.FirstStep(), sc, 0)
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
		text := results.FormatValue(speed, "flop/s") + " flop/s, loads " + results.Format(bytes.Center, "B/s") + "B/s"
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

// measured is a file of measurements.
type measured struct {
	File      string // its path from the root
	Name      string // of the machine, for a legend
	Published bool
	Local     bool // the reader's own
	time      time.Time
	set       *results.Set
}

// mostLocal is how many of the reader's own files of a kind are offered, the newest
// ones.
const mostLocal = 4

// sets keeps what files hold, by name and time; nil for those that cannot be read.
var sets sync.Map

// measurements reads the files of a kind: the published ones, the reader's own,
// newest first, and the others. What cannot be read, such as a file of another
// version, is left out.
func (b *book) measurements(kind results.Kind) ([]measured, error) {
	list, err := published.Read(b.root)
	if err != nil {
		return nil, err
	}
	var groups [3][]measured
	for _, folder := range []string{published.Folder, published.Local} {
		names, err := fs.Glob(os.DirFS(b.root), folder+"/*.txt")
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			m := measured{File: name, Name: path.Base(name), Local: folder == published.Local}
			info, err := os.Stat(b.path(name))
			if err != nil || !info.Mode().IsRegular() {
				continue
			}
			m.time = info.ModTime()
			key := fmt.Sprint(b.path(name), m.time.UnixNano())
			set, ok := sets.Load(key)
			if !ok {
				read, err := results.ReadFile(b.path(name))
				if err != nil || read.Whole() != nil {
					read = nil
				}
				set, _ = sets.LoadOrStore(key, read)
			}
			if m.set = set.(*results.Set); m.set == nil || m.set.Kind() != kind {
				continue
			}
			m.Published = !m.Local && (list[kind] == m.Name || kind == results.OfSteps && list[published.SecondMachine] == m.Name)
			m.Name = cmp.Or(m.set.Config["cpu"], m.Name)
			group := 2
			switch {
			case m.Published:
				group = 0
			case m.Local:
				m.Name = "yours, " + m.time.Format("2 January 15:04")
				group = 1
			}
			groups[group] = append(groups[group], m)
		}
	}
	slices.SortFunc(groups[1], func(x, y measured) int { return y.time.Compare(x.time) })
	groups[1] = groups[1][:min(len(groups[1]), mostLocal)]
	return slices.Concat(groups[:]...), nil
}

// filled is a chart with its values, for the page and its script.
type filled struct {
	chartKind
	Axis     []string // the steps, or nil
	Machines []machine
}

// machine is a file of measurements in a chart.
type machine struct {
	Name   string
	Credit string
	Shown  bool // at first
	Lines  []line
	Tables template.HTML `json:"-"`
}

func (b *book) fillCharts() ([]filled, error) {
	var all []filled
	for _, c := range charts {
		f := filled{chartKind: c, Machines: []machine{}}
		if c.Steps {
			for _, step := range steps.All() {
				f.Axis = append(f.Axis, step.Short())
			}
		}
		files, err := b.measurements(c.kind)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			m := machine{Name: file.Name, Credit: file.File + ": " + file.set.Machine(), Shown: len(f.Machines) == 0 || file.Local && len(f.Machines) == 1}
			lines, err := c.lines(file.set)
			tables, err2 := c.table(file.set)
			if cmp.Or(err, err2) != nil {
				continue // it lacks something, such as the first step
			}
			m.Lines = lines
			var out bytes.Buffer
			for _, t := range tables {
				if err := markdown.Convert([]byte(t.Markdown()), &out); err != nil {
					return nil, err
				}
			}
			m.Tables = template.HTML(out.String())
			f.Machines = append(f.Machines, m)
		}
		all = append(all, f)
	}
	return all, nil
}

func (b *book) chartsData() ([]byte, error) {
	all, err := b.fillCharts()
	if err != nil {
		return nil, err
	}
	return data("charts", all)
}

func (b *book) chartsPage() ([]byte, error) {
	all, err := b.fillCharts()
	if err != nil {
		return nil, err
	}
	return b.tool("charts.html", "Charts", "charts.html", all, "assets/charts.js")
}
