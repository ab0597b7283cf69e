package chart

import (
	"fmt"
	"image/color"
	"slices"
	"strings"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"raysteps/scripts/internal/estimate"
	"raysteps/scripts/internal/results"
)

// roof is what one core can do at most with operands of so many bits.
type roof struct {
	op    string
	bits  int
	label string
	color color.Color
}

func (r roof) key() results.Key { return results.PeakKey(r.op, r.bits) }

var (
	roof512 = roof{"fma", 512, "fused multiply-add, 512 bits", palette[4]}
	roof256 = roof{"fma", 256, "fused multiply-add, 256 bits", palette[1]}
	roof128 = roof{"mul-add", 128, "multiply and add, 128 bits", palette[0]}
)

// kernel is one of the roofline.
type kernel struct {
	pkg, name    string // in the results
	title, short string // for a reader, in the legend and beside the mark
	roof         roof
	glyph        draw.GlyphStyle
	right        bool // the text beside the mark
	optional     bool // not missed where it was not measured
}

// kernels of the roofline. Some are hardly apart, so their marks have different
// sizes.
var kernels = []kernel{
	{"step10", "sse", "step 10, SSE", "10", roof128, draw.GlyphStyle{Color: palette[0], Radius: 6, Shape: draw.CircleGlyph{}}, false, false},
	{"step11", "sse", "step 11, SSE", "11", roof128, draw.GlyphStyle{Color: palette[2], Radius: 4, Shape: draw.PyramidGlyph{}}, true, false},
	{"step12", "avx2", "step 12, AVX2", "12", roof256, draw.GlyphStyle{Color: palette[1], Radius: 5, Shape: draw.BoxGlyph{}}, false, false},
	{"beyond/archsimd", "archsimd256", "archsimd, 256 bits", "archsimd256", roof256, draw.GlyphStyle{Color: palette[5], Radius: 5, Shape: draw.TriangleGlyph{}}, false, true},
	{"beyond/avx512", "avx512", "avx512", "avx512", roof512, draw.GlyphStyle{Color: palette[4], Radius: 6, Shape: draw.RingGlyph{}}, false, true},
	{"beyond/archsimd", "archsimd512", "archsimd, 512 bits", "archsimd512", roof512, draw.GlyphStyle{Color: palette[3], Radius: 4, Shape: draw.SquareGlyph{}}, false, true},
}

const (
	kernelSpheres  = 484   // about as many as the large scene has
	bytesPerSphere = 4 * 4 // the center and the radius squared
)

// giga is the unit of the roofline, in operations and bytes a second.
const giga = 1e9

// measuredRoof is a roof in the unit of the chart.
type measuredRoof struct {
	roof
	peak, bandwidth float64 // the latter is 0 if it was not measured
}

func measuredRoofs(set *results.Set) ([]measuredRoof, error) {
	var all []measuredRoof
	for _, r := range []roof{roof512, roof256, roof128} {
		if !set.Has(r.key()) {
			continue
		}
		peak, err := positive(set, r.key(), "flop/s")
		if err != nil {
			return nil, err
		}
		m := measuredRoof{roof: r, peak: peak.Center / giga}
		if load := results.PeakKey("load", r.bits); set.Has(load) {
			bandwidth, err := positive(set, load, "B/s")
			if err != nil {
				return nil, err
			}
			m.bandwidth = bandwidth.Center / giga
		}
		all = append(all, m)
	}
	return all, nil
}

// crowded reports whether the label of a roof has no room above it, since
// another roof is there.
func crowded(roofs []measuredRoof, i int, height func(measuredRoof) float64) bool {
	const room = 1.2 // on a logarithmic axis
	return slices.ContainsFunc(slices.Concat(roofs[:i], roofs[i+1:]), func(other measuredRoof) bool {
		return height(other) > height(roofs[i]) && height(other) < room*height(roofs[i])
	})
}

type measuredKernel struct {
	kernel
	intensity    float64           // operations a byte
	speed, share estimate.Estimate // in flop/s, and of the peak
}

// measuredKernels also returns those that were not measured and should have been.
func measuredKernels(set *results.Set) (all []measuredKernel, missing []kernel, err error) {
	for _, k := range kernels {
		key := results.KernelKey("raysteps/"+k.pkg, k.name, kernelSpheres)
		if !set.Has(key) {
			if !k.optional {
				missing = append(missing, k)
			}
			continue
		}
		speed, err := positive(set, key, "flop/s")
		if err != nil {
			return nil, nil, err
		}
		seconds, err := positive(set, key, "sec/sphere")
		if err != nil {
			return nil, nil, err
		}
		share, err := set.Ratio(key, k.roof.key(), "flop/s")
		if err != nil {
			return nil, nil, err
		}
		all = append(all, measuredKernel{k, speed.Center * seconds.Center / bytesPerSphere, speed, share})
	}
	return all, missing, nil
}

// Roofline draws the speed of the kernels over the operations that they do
// with each byte, and above them what the core can do at most: as many
// operations as it can start, and as many as it can load numbers for.
func Roofline(set *results.Set) (Chart, error) {
	if err := set.NeedPeak(); err != nil {
		return Chart{}, err
	}
	roofs, err := measuredRoofs(set)
	if err != nil {
		return Chart{}, err
	}
	if len(roofs) == 0 {
		return Chart{Note: "No chart: the processor or the build has neither SSE nor AVX2."}, nil
	}
	measured, missing, err := measuredKernels(set)
	if err != nil {
		return Chart{}, err
	}

	// The axes go as far as there is something to see.
	xs, ys := []float64{1}, []float64{}
	for _, r := range roofs {
		ys = append(ys, r.peak)
		if r.bandwidth > 0 {
			xs = append(xs, r.peak/r.bandwidth)
		}
	}
	for _, k := range measured {
		xs, ys = append(xs, k.intensity), append(ys, k.speed.Center/giga)
		if bounded(k.speed) {
			ys = append(ys, k.speed.Lo/giga, k.speed.Hi/giga)
		}
	}
	p := newPlot("arithmetic intensity (flop per byte loaded)", "speed (GFLOP/s)")
	ticks := ticksOfTwo(slices.Min(xs)/3, slices.Max(xs)*6)
	logarithmic(&p.X, ticks)
	left, right := ticks[0].Value, ticks[len(ticks)-1].Value

	for i, r := range roofs {
		dy := vg.Length(4)
		if crowded(roofs, i, func(r measuredRoof) float64 { return r.peak }) {
			dy = -insideSize - 1
		}
		path := plotter.XYs{{X: left, Y: r.peak}, {X: right, Y: r.peak}}
		if r.bandwidth > 0 {
			start, corner := plotter.XY{X: left, Y: r.bandwidth * left}, plotter.XY{X: r.peak / r.bandwidth, Y: r.peak}
			path = plotter.XYs{start, corner, path[1]}
			p.Add(slanted{start, corner, fmt.Sprintf("loads, %d bits: %.3g GB/s", r.bits, r.bandwidth),
				crowded(roofs, i, func(r measuredRoof) float64 { return r.bandwidth })})
			ys = append(ys, start.Y)
		}
		p.Add(&plotter.Line{XYs: path, LineStyle: draw.LineStyle{Color: r.color, Width: lineWidth}},
			label{at: path[1], dy: dy, text: fmt.Sprintf("%s: %.3g GFLOP/s", r.label, r.peak), last: true})
	}
	key := newLegend()
	p.Add(key)
	alt := []string{"Roofline of one core"}
	intervals := true
	onLeft, onRight := &labels{left: true}, &labels{}
	for _, k := range measured {
		speed := k.speed.Center / giga
		marks, icon := mark(k.intensity, k.speed, giga, k.glyph, ink)
		p.Add(marks...)
		side := onLeft
		if k.right {
			side = onRight
		}
		side.text = append(side.text, label{at: plotter.XY{X: k.intensity, Y: speed}, text: k.short})
		text := fmt.Sprintf("%s: %.3g GFLOP/s, %.0f%% of the %d-bit peak", k.title, speed, 100*k.share.Center, k.roof.bits)
		key.Add(text, icon)
		alt = append(alt, text)
		intervals = intervals && bounded(k.speed)
	}
	p.Add(onLeft, onRight)
	logarithmic(&p.Y, ticks125(slices.Min(ys)/2.5, slices.Max(ys)*1.4))

	note := fmt.Sprintf("Kernels over %d spheres, each with a bar for the interval, below what one core can do at most.", kernelSpheres)
	if !intervals {
		note = fmt.Sprintf("Kernels over %d spheres, below what one core can do at most. An interval takes several link orders.", kernelSpheres)
	}
	if len(missing) > 0 {
		var names []string
		for _, k := range missing {
			step, kind, _ := strings.Cut(k.title, ", ")
			names = append(names, fmt.Sprintf("the %s kernel of %s", kind, step))
		}
		note += " Not measured there: " + strings.Join(names, ", ") + "."
	}
	return Chart{plot: p, Alt: strings.Join(alt, "; "), Note: note}, nil
}
