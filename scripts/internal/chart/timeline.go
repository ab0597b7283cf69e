package chart

import (
	"fmt"
	"image/color"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"raysteps/scripts/internal/timeline"
)

// Sizes of a timeline.
const (
	rowHeight   vg.Length = 34
	aroundRows  vg.Length = 100 // for legend and axis
	mostOfRows  vg.Length = 500
	barOfRow              = 0.7 // its height
	mostWorkers           = 6   // that the legend names, one for each color
)

var (
	otherColor = color.NRGBA{0x99, 0x99, 0x99, 0xff}
	gcColor    = color.NRGBA{0xf6, 0xe3, 0xb8, 0xff}
)

// Timeline draws a row for each processor of Go, and in it what ran there.
func Timeline(t *timeline.Execution) Chart {
	tiles := map[int64]int{} // by goroutine, of those that rendered any
	var workers []int64
	ran := map[int64]time.Duration{} // by goroutine
	var total, end time.Duration     // the former becomes that of the others
	for _, p := range t.Procs {
		for _, r := range p.Stints {
			tiles[r.Goroutine] += len(r.Tiles)
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
	bars := &rows{execution: t, colors: map[int64]color.Color{}}
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
		text := fmt.Sprintf("worker %d: %s", i+1, english.Plural(tiles[g], "tile", ""))
		counts = append(counts, text)
		if len(workers) <= mostWorkers {
			entry(text, bars.colors[g])
		}
	}
	if len(workers) > mostWorkers {
		counts = []string{english.Plural(len(workers), "worker", "")}
		colors = "Goroutines have six colors by turns"
	}
	if total > end/200 { // or nobody sees them
		entry("others", otherColor)
	}
	collections := "The garbage collector did not run."
	if n := len(t.Collections); n > 0 {
		entry("garbage collection", gcColor)
		collections = fmt.Sprintf("Garbage collections meanwhile: %d.", n)
	}
	return Chart{
		plot: p, legend: legend, height: aroundRows + min(rowHeight*vg.Length(len(t.Procs)), mostOfRows),
		Alt: fmt.Sprintf("What ran on %s for %.3g ms; %s", english.Plural(len(t.Procs), "processor", ""), milliseconds(end), strings.Join(counts, "; ")),
		Note: fmt.Sprintf("What ran on each processor of Go (P) while %s rendered %s, from an execution trace. %s, and a white line is the end of a tile. %s",
			english.Plural(len(workers), "worker", ""), english.Plural(all, "tile", ""), colors, collections),
	}
}

func milliseconds(d time.Duration) float64 { return d.Seconds() * 1e3 }

// rows are the bars of a timeline.
type rows struct {
	execution *timeline.Execution
	colors    map[int64]color.Color // of goroutines; the others are gray
}

func (r *rows) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	at := func(d time.Duration) vg.Length { return rounded(x(milliseconds(d))) }
	fill := func(c draw.Canvas, fill color.Color, left, right, bottom, top vg.Length) {
		c.FillPolygon(fill, []vg.Point{{X: left, Y: bottom}, {X: right, Y: bottom}, {X: right, Y: top}, {X: left, Y: top}})
	}
	for _, gc := range r.execution.Collections {
		fill(c, gcColor, at(gc.Start), at(gc.End), c.Min.Y, c.Max.Y)
	}
	for i, proc := range r.execution.Procs {
		bottom, top := rounded(y(-float64(i)-barOfRow/2)), rounded(y(-float64(i)+barOfRow/2))
		for _, run := range proc.Stints {
			of, ok := r.colors[run.Goroutine]
			if !ok {
				of = otherColor
			}
			fill(c, of, at(run.Start), at(run.End), bottom, top)
			for _, m := range run.Tiles {
				c.StrokeLine2(draw.LineStyle{Color: color.White, Width: 1}, at(m), bottom, at(m), top)
			}
		}
	}
}

// rounded drops digits that nobody sees, so that the file is the same on every
// processor.
func rounded(x vg.Length) vg.Length { return vg.Length(math.Round(float64(x)*100) / 100) }
