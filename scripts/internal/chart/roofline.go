package chart

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"raysteps/scripts/internal/estimate"
	"raysteps/scripts/internal/results"
)

// roof is what one core can do at most with operands of so many bits.
type roof struct {
	op       string
	bits     int
	label    string
	color    color.Color
	optional bool // drawn only above a kernel that was measured
}

func (r roof) key() results.Key { return results.PeakKey(r.op, r.bits) }

var (
	roof512  = roof{"fma", 512, "fused multiply-add, 512 bits", palette[4], false}
	roof256  = roof{"fma", 256, "fused multiply-add, 256 bits", palette[1], false}
	roofNEON = roof{"fma", 128, "fused multiply-add, 128 bits", palette[1], true}
	roof128  = roof{"mul-add", 128, "multiply and add, 128 bits", palette[0], false}
)

// kernel is one of the roofline.
type kernel struct {
	pkg, name string // in the results
	title     string // for a reader
	roof      roof
	glyph     draw.GlyphStyle
	optional  bool // not missed where it was not measured, and others of its package neither
}

// kernels of the roofline. Some are hardly apart, so their marks have different
// sizes.
var kernels = []kernel{
	{"step10", "sse", "step 10, SSE", roof128, draw.GlyphStyle{Color: palette[0], Radius: 6, Shape: draw.CircleGlyph{}}, false},
	{"step11", "sse", "step 11, SSE", roof128, draw.GlyphStyle{Color: palette[2], Radius: 4, Shape: draw.PyramidGlyph{}}, false},
	{"step12", "avx2", "step 12, AVX2", roof256, draw.GlyphStyle{Color: palette[1], Radius: 5, Shape: draw.BoxGlyph{}}, false},
	{"step10", "neon", "step 10, NEON", roof128, draw.GlyphStyle{Color: palette[0], Radius: 6, Shape: draw.CircleGlyph{}}, true},
	{"step11", "neon", "step 11, NEON", roof128, draw.GlyphStyle{Color: palette[2], Radius: 4, Shape: draw.PyramidGlyph{}}, true},
	{"step12", "neon", "step 12, NEON", roofNEON, draw.GlyphStyle{Color: palette[1], Radius: 5, Shape: draw.BoxGlyph{}}, true},
	{"beyond/archsimd", "archsimd256", "archsimd, 256 bits", roof256, draw.GlyphStyle{Color: palette[5], Radius: 5, Shape: draw.TriangleGlyph{}}, true},
	{"beyond/avx512", "avx512", "avx512", roof512, draw.GlyphStyle{Color: palette[4], Radius: 6, Shape: draw.RingGlyph{}}, true},
	{"beyond/archsimd", "archsimd512", "archsimd, 512 bits", roof512, draw.GlyphStyle{Color: palette[3], Radius: 4, Shape: draw.SquareGlyph{}}, true},
}

// measured reports whether one of the kernels was measured that fit.
func measured(set *results.Set, fits func(kernel) bool) bool {
	return slices.ContainsFunc(kernels, func(k kernel) bool { return fits(k) && set.Has(k.key()) })
}

func (k kernel) key() results.Key {
	return results.KernelKey("raysteps/"+k.pkg, k.name, KernelSpheres)
}

const (
	legendRow vg.Length = 19 // an entry of the roofline's legend takes a line of its own

	KernelSpheres  = 484   // about as many as the large scene has
	BytesPerSphere = 4 * 4 // the center and the radius squared
)

// giga is the unit of the roofline, in operations and bytes a second.
const giga = 1e9

// Roofline draws the speed of the kernels over the operations that they do
// with each byte, and above them what the core can do at most: as many
// operations as it can start, and as many as it can load numbers for.
func Roofline(set *results.Set) (Chart, error) {
	if err := set.NeedPeak(); err != nil {
		return Chart{}, err
	}
	var legend []legendEntry
	var all []series // kernels and corners of roofs, for the axes
	var lines []func(left, right float64) *plotter.Line
	lowest := math.Inf(1) // bandwidth
	for _, r := range []roof{roof512, roof256, roofNEON, roof128} {
		if !set.Has(r.key()) || r.optional && !measured(set, func(k kernel) bool { return k.roof == r }) {
			continue
		}
		peak, err := positive(set, r.key(), "flop/s")
		if err != nil {
			return Chart{}, err
		}
		speed, bandwidth := peak.Center/giga, math.Inf(1)
		text := fmt.Sprintf("%s: %.3g GFLOP/s", r.label, speed)
		if load := results.PeakKey("load", r.bits); set.Has(load) {
			loads, err := positive(set, load, "B/s")
			if err != nil {
				return Chart{}, err
			}
			bandwidth = loads.Center / giga
			text += fmt.Sprintf(", loads %.3g GB/s", bandwidth)
		}
		style := draw.LineStyle{Color: r.color, Width: lineWidth}
		legend = append(legend, legendEntry{text: text, line: &style})
		corner := speed / bandwidth
		all = append(all, series{points: []point{{max(corner, 1), estimate.Estimate{Center: speed, Lo: speed, Hi: speed}}}})
		lowest = min(lowest, bandwidth)
		lines = append(lines, func(left, right float64) *plotter.Line {
			path := plotter.XYs{{X: max(corner, left), Y: speed}, {X: right, Y: speed}}
			if corner > left {
				path = append(plotter.XYs{{X: left, Y: bandwidth * left}}, path...)
			}
			return &plotter.Line{XYs: path, LineStyle: style}
		})
	}
	if len(lines) == 0 {
		return Chart{Note: "No chart: the processor or the build has none of SSE, AVX2 and NEON."}, nil
	}

	p := newPlot("arithmetic intensity (flop per byte loaded)", "speed (GFLOP/s)")
	alt := []string{"Roofline of one core"}
	var missing []string
	var marks []plot.Plotter
	for _, k := range kernels {
		key := k.key()
		if !set.Has(key) {
			if !k.optional && !measured(set, func(other kernel) bool { return other.pkg == k.pkg }) {
				step, kind, _ := strings.Cut(k.title, ", ")
				missing = append(missing, fmt.Sprintf("the %s kernel of %s", kind, step))
			}
			continue
		}
		speed, err := positive(set, key, "flop/s")
		if err != nil {
			return Chart{}, err
		}
		seconds, err := positive(set, key, "sec/sphere")
		if err != nil {
			return Chart{}, err
		}
		share, err := set.Ratio(key, k.roof.key(), "flop/s")
		if err != nil {
			return Chart{}, err
		}
		at := point{speed.Center * seconds.Center / BytesPerSphere, results.Scaled(speed, 1/giga)}
		all = append(all, series{points: []point{at}})
		marks = append(marks, mark(at.x, at.y, k.glyph)...)
		text := fmt.Sprintf("%s: %.3g GFLOP/s, %.0f%% of the %d-bit peak", k.title, at.y.Center, 100*share.Center, k.roof.bits)
		legend = append(legend, legendEntry{text: text, glyph: &k.glyph})
		alt = append(alt, text)
	}

	// The axes go as far as there is something to see.
	left, right := math.Inf(1), math.Inf(-1)
	for _, s := range all {
		left, right = min(left, s.points[0].x), max(right, s.points[0].x)
	}
	ticks := ticksOfTwo(left/3, right*6)
	logarithmic(&p.X, ticks)
	left, right = ticks[0].Value, ticks[len(ticks)-1].Value
	lo, hi := spans(all)
	logarithmic(&p.Y, ticks125(min(lo, lowest*left)/2.5, hi*1.4))
	for _, line := range lines {
		p.Add(line(left, right))
	}
	p.Add(marks...)

	note := fmt.Sprintf("Kernels over %d spheres, below what one core can do at most.", KernelSpheres) + intervals(all)
	if len(missing) > 0 {
		note += " Not measured there: " + strings.Join(missing, ", ") + "."
	}
	return Chart{plot: p, legend: legend, height: chartHeight + legendRow*vg.Length(len(legend)), Alt: strings.Join(alt, "; "), Note: note}, nil
}
