package main

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/plot/palette/moreland"

	"raysteps/beyond/instrumented"
	"raysteps/common"
	"raysteps/common/apiprof"
	"raysteps/common/film"
	"raysteps/common/perf"
	"raysteps/common/phase"
	"raysteps/scripts/internal/cli"
)

// instrumentedStep is the step that has instruments.
const instrumentedStep = "instrumented"

// instruments says what a render is measured with.
type instruments struct {
	stats, phases, perf, api bool
	heat                     string
}

func (i *instruments) flags(flags *flag.FlagSet) {
	flags.BoolVar(&i.stats, "stats", false, "print the statistics of the render")
	flags.BoolVar(&i.phases, "phases", false, "print the phases of the command and their shares of the processor time")
	flags.BoolVar(&i.perf, "perf", false, "print the times of tiles and hit tests as JSON; what else is printed goes to standard error")
	flags.BoolVar(&i.api, "api", false, "say once a second how much of a worker's time is in the hit test")
	flags.StringVar(&i.heat, "heat", "", "a picture `file` to write that shows how many rays each pixel took")
}

func (i *instruments) any() bool { return *i != instruments{} }

// attach gives a tracer what a render of the film is to be measured with, if
// anything.
func (i *instruments) attach(env *cli.Env, tracer common.Tracer, f *film.Film) *instrumented.Instruments {
	if !i.any() {
		return nil
	}
	in := &tracer.(*instrumented.Tracer).Instruments
	if i.stats {
		in.Stats = instrumented.Statistics.NewRun()
	}
	if i.perf {
		in.Timers = new(perf.Timers)
		in.Timers.On()
	}
	if i.api {
		in.HitTest = &apiprof.API{Name: "hit test", Log: env.Stderr}
	}
	if i.heat != "" {
		in.Heat = make([]int32, f.Width*f.Height)
	}
	return in
}

// report appends what was measured to the text, or writes it: JSON to standard
// output, and a picture.
func (i *instruments) report(env *cli.Env, text *bytes.Buffer, in *instrumented.Instruments, profiler *phase.Profiler, s common.Settings) error {
	if i.phases {
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
	if i.stats {
		fmt.Fprintf(text, "\n%s", in.Stats.Report())
	}
	if i.heat != "" {
		samples := float64(s.Samples)
		if err := writeHeat(i.heat, in.Heat, s.Width, samples); err != nil {
			return err
		}
		fmt.Fprintf(text, "%s: %.2f to %.2f rays a sample, from dark to bright, on a logarithmic scale\n",
			i.heat, float64(slices.Min(in.Heat))/samples, float64(slices.Max(in.Heat))/samples)
	}
	if i.perf {
		return in.Timers.Report().WriteJSON(env.Stdout)
	}
	return nil
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
