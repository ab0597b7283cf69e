package main

import (
	"bytes"
	"errors"
	"fmt"
	"image/color"
	"io/fs"
	"maps"
	"math"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/exectrace"
	"raysteps/scripts/internal/results"
)

// timeline is the kind under which an execution trace is published.
const timeline results.Kind = "timeline"

// traceCommand takes one. Without -trimpath it would name the folders of the
// machine.
const traceCommand = "go test -trimpath -run '^$' -bench Timeline -benchtime 1x -trace FILE ./step13"

// marks is the category of the log messages at the end of a tile.
const marks = "tile"

var traceHeader = regexp.MustCompile(`^go 1\.\d+ trace\x00`)

func isTrace(text []byte) bool { return traceHeader.Match(text) }

// ownTrace is an execution trace that a flag names.
type ownTrace struct {
	file string
	text []byte
}

// traceName is that of the trace of the machine with a file of steps.
func traceName(steps string) string {
	return strings.TrimSuffix(steps, ".txt") + "-" + string(timeline) + ".trace"
}

// publishTrace returns the name that a trace has in results, or gets there: after
// the machine of the request, or otherwise after the one of the steps.
func (s *site) publishTrace(traces []ownTrace, r request, steps string) (string, error) {
	t := traces[0]
	if len(traces) > 1 {
		return "", cli.Misuse("-publish: trace %q: a second trace; want one", traces[1].file)
	}
	if bytes.Contains(t.text, []byte(filepath.ToSlash(s.root)+"/")) {
		return "", cli.Misuse("-publish: trace %q: names folders of this machine; want one that %s takes", t.file, traceCommand)
	}
	if _, err := readTrace(t.text); err != nil {
		return "", cli.Misuse("-publish: trace %q: %w", t.file, err)
	}
	s.trace = t.text
	name := s.inResults(t.file)
	switch {
	case r.machine != "":
		machine, err := machineSlug(r.machine)
		if err != nil {
			return "", err
		}
		name = traceName(machine)
	case name != "":
		return name, nil
	case steps == "":
		return "", cli.Misuse("-publish: trace %q: does not say of which machine it is; want a name for it, with -machine", t.file)
	default:
		name = traceName(steps)
	}
	s.asset(path.Join("results", name), t.text, nil)
	return name, nil
}

// readTrace returns the part of a trace in which tiles are rendered.
func readTrace(text []byte) (*exectrace.Timeline, error) {
	all, err := exectrace.Read(bytes.NewReader(text), marks)
	if err != nil {
		return nil, err
	}
	part := all.Marked()
	part.Procs = slices.DeleteFunc(part.Procs, func(p exectrace.Proc) bool { return len(p.Ran) == 0 })
	if len(part.Procs) == 0 {
		return nil, fmt.Errorf("no tile ends in it; want one that %s takes", traceCommand)
	}
	return part, nil
}

// timeline returns the chart of the published trace, and the line that says
// where it was taken.
func (p *page) timeline() (chart, string, error) {
	names, err := p.published()
	if err != nil {
		return chart{}, "", err
	}
	name := names[timeline]
	if name == "" {
		return chart{}, "", &missingError{timeline}
	}
	file, text := path.Join("results", name), p.trace
	if text == nil {
		if text, err = os.ReadFile(p.site.path(file)); errors.Is(err, fs.ErrNotExist) {
			return chart{}, "", fmt.Errorf("%s names %s, which does not exist; want a file in results", published, file)
		} else if err != nil {
			return chart{}, "", fmt.Errorf("%s names %s: %w", published, file, err)
		}
	}
	shown, err := readTrace(text)
	if err != nil {
		return chart{}, "", fmt.Errorf("trace %q: %w", file, err)
	}
	below := "\n*" + strings.TrimSuffix(name, path.Ext(name)) + "*\n"
	if names[ofSteps] != "" {
		set, err := p.measured(ofSteps)
		if err != nil {
			return chart{}, "", err
		}
		if name == traceName(names[ofSteps]) {
			below = "\n*" + set.Hardware() + "*\n"
		} else {
			below = "\n*On another machine than the steps: " + strings.TrimSuffix(name, path.Ext(name)) + "*\n"
		}
	}
	return drawTimeline(shown), below, nil
}

// Sizes of a timeline.
const (
	rowHeight   vg.Length = 34
	aroundRows  vg.Length = 100 // for legend and axis
	mostOfRows  vg.Length = 500
	barOfRow              = 0.7 // its height
	mostWorkers           = 6   // that the legend names, one for each color
)

var (
	othersColor = color.NRGBA{0x99, 0x99, 0x99, 0xff}
	gcColor     = color.NRGBA{0xf6, 0xe3, 0xb8, 0xff}
)

// drawTimeline draws a row for each processor of Go, and in it what ran there.
func drawTimeline(t *exectrace.Timeline) chart {
	tiles := map[int64]int{} // by goroutine, of those that rendered any
	var workers []int64
	ran := map[int64]time.Duration{} // by goroutine
	var total, end time.Duration     // the former becomes that of the others
	for _, p := range t.Procs {
		for _, r := range p.Ran {
			tiles[r.Goroutine] += len(r.Marks)
			ran[r.Goroutine] += r.End - r.Start
			total += r.End - r.Start
			end = max(end, r.End)
		}
	}
	for _, g := range slices.Sorted(maps.Keys(ran)) {
		if tiles[g] > 0 {
			workers = append(workers, g)
			total -= ran[g]
		}
	}

	p := newPlot("time (ms)", "")
	p.X.Min, p.X.Max = 0, milliseconds(end)
	p.Y.Min, p.Y.Max = 0.5-float64(len(t.Procs)), 0.5
	var ticks []plot.Tick
	for i, proc := range t.Procs {
		ticks = append(ticks, plot.Tick{Value: -float64(i), Label: fmt.Sprintf("P %d", proc.ID)})
	}
	p.Y.Tick.Marker = plot.ConstantTicks(ticks)
	p.Y.Tick.Length = 0
	bars := &rows{timeline: t, colors: map[int64]color.Color{}}
	p.Add(bars)

	var legend []legendEntry
	entry := func(text string, c color.Color) {
		legend = append(legend, legendEntry{text: text, line: &draw.LineStyle{Color: c, Width: 8}})
	}
	var counts []string
	all, colors := 0, "A color is a goroutine"
	for i, g := range workers {
		bars.colors[g] = palette[i%len(palette)]
		all += tiles[g]
		text := fmt.Sprintf("worker %d: %s", i+1, count(tiles[g], "tile"))
		counts = append(counts, text)
		if len(workers) <= mostWorkers {
			entry(text, bars.colors[g])
		}
	}
	if len(workers) > mostWorkers {
		counts = []string{count(len(workers), "worker")}
		colors = "Goroutines have six colors by turns"
	}
	if total > end/200 { // or nobody sees them
		entry("others", othersColor)
	}
	collections := "The garbage collector did not run."
	if n := len(t.GCs); n > 0 {
		entry("garbage collection", gcColor)
		collections = fmt.Sprintf("Garbage collections meanwhile: %d.", n)
	}
	return chart{
		plot: p, legend: legend, height: aroundRows + min(rowHeight*vg.Length(len(t.Procs)), mostOfRows),
		alt: fmt.Sprintf("What ran on %s for %.3g ms; %s", count(len(t.Procs), "processor"), milliseconds(end), strings.Join(counts, "; ")),
		note: fmt.Sprintf("What ran on each processor of Go (P) while %s rendered %s, from an execution trace. %s, and a white line is the end of a tile. %s",
			count(len(workers), "worker"), count(all, "tile"), colors, collections),
	}
}

func milliseconds(d time.Duration) float64 { return d.Seconds() * 1e3 }

func count(n int, what string) string {
	if n != 1 {
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// rows are the bars of a timeline.
type rows struct {
	timeline *exectrace.Timeline
	colors   map[int64]color.Color // of goroutines; the others are gray
}

func (r *rows) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	at := func(d time.Duration) vg.Length { return rounded(x(milliseconds(d))) }
	fill := func(c draw.Canvas, fill color.Color, left, right, bottom, top vg.Length) {
		c.FillPolygon(fill, []vg.Point{{X: left, Y: bottom}, {X: right, Y: bottom}, {X: right, Y: top}, {X: left, Y: top}})
	}
	for _, gc := range r.timeline.GCs {
		fill(c, gcColor, at(gc.Start), at(gc.End), c.Min.Y, c.Max.Y)
	}
	for i, proc := range r.timeline.Procs {
		bottom, top := rounded(y(-float64(i)-barOfRow/2)), rounded(y(-float64(i)+barOfRow/2))
		for _, run := range proc.Ran {
			of, ok := r.colors[run.Goroutine]
			if !ok {
				of = othersColor
			}
			fill(c, of, at(run.Start), at(run.End), bottom, top)
			for _, m := range run.Marks {
				c.StrokeLine2(draw.LineStyle{Color: color.White, Width: 1}, at(m), bottom, at(m), top)
			}
		}
	}
}

// rounded drops digits that nobody sees, so that the file is the same on every
// processor.
func rounded(x vg.Length) vg.Length { return vg.Length(math.Round(float64(x)*100) / 100) }
