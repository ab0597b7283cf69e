package main

import (
	"bytes"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/palette/moreland"

	"raysteps/beyond/instrumented"
	"raysteps/common"
	"raysteps/common/film"
	"raysteps/common/phase"
)

// instrumentedStep is the step that has instruments.
const instrumentedStep = "instrumented"

// attach gives a tracer what a render of the film is to be measured with, if it has
// instruments.
func (o *options) attach(tracer common.Tracer, f *film.Film) *instrumented.Instruments {
	t, ok := tracer.(*instrumented.Tracer)
	if !ok {
		return nil
	}
	if o.stats {
		t.Instruments.Stats = instrumented.Statistics.NewRun()
	}
	if o.heat != "" {
		t.Instruments.Heat = make([]int32, f.Width*f.Height)
	}
	return &t.Instruments
}

// report appends what was measured to the text, or writes it as a picture.
func (o *options) report(text *bytes.Buffer, in *instrumented.Instruments, profiler *phase.Profiler) error {
	if o.phases {
		profile, err := profiler.Stop()
		if err != nil {
			return err
		}
		phases, err := phase.Read(profile, instrumented.Phases()...)
		if err != nil {
			return err
		}
		text.WriteByte('\n')
		phases.WriteText(text)
	}
	if o.stats {
		fmt.Fprintf(text, "\n%s", in.Stats.Report())
	}
	if o.heat == "" {
		return nil
	}
	samples := float64(o.settings.Samples)
	fmt.Fprintf(text, "%s: %.2f to %.2f rays a sample, from dark to bright, on a logarithmic scale\n",
		o.heat, float64(slices.Min(in.Heat))/samples, float64(slices.Max(in.Heat))/samples)
	return writeHeat(o.heat, in.Heat, o.settings.Width, samples)
}

// writeHeat draws the number of rays of each pixel, from 1 a sample to the most
// that a pixel took, on a logarithmic scale, in colors whose luminance rises
// evenly (Moreland's black body).
func writeHeat(name string, rays []int32, width int, samples float64) error {
	scale := func(rays int32) float64 { return math.Log(float64(rays) / samples) }
	colors := moreland.BlackBody()
	colors.SetMin(0)
	colors.SetMax(max(scale(slices.Max(rays)), 1e-9)) // a sky is all dark
	linear := func(v uint32) float32 { return float32(v) * float32(v) / (0xFFFF * 0xFFFF) }
	f := film.New(width, len(rays)/width)
	for i, n := range rays {
		c, err := colors.At(scale(n))
		if err != nil {
			return fmt.Errorf("picture %q: pixel (%d, %d): %w", name, i%width, i/width, err)
		}
		r, g, b, _ := c.RGBA()
		f.SetMean(i%width, i/width, linear(r), linear(g), linear(b))
	}
	return f.WriteFile(name)
}
