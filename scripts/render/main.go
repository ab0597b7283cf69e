// Render renders one picture with one step.
package main

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/perf/benchunit"

	"raysteps/common"
	"raysteps/common/film"
	"raysteps/common/phase"
	"raysteps/common/scene"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/steps"
	"raysteps/scripts/internal/tracers"
)

func main() { cli.Main(command()) }

func command() cli.Command {
	return cli.Command{
		Name:     "render",
		Synopsis: "-o FILE [flags]",
		Help: `Render renders one picture with one step, writes it as PNG or TGA by the
ending of its name, and says how many rays it took and how many a second.

Instead of a picture, or with it, render shows how it was made: -stats, -phases,
-perf, -api and -heat render with the package instrumented, which is step 13 with
instruments. The picture is that of step 13; it takes longer.

The scene is one of the three built-in ones, or your own from a JSON file;
docs/scene-format.md describes it. The rate is that of a single run: to
compare steps, use bench. wavefront and archsimd are "plain", and take many times
as long, unless GOEXPERIMENT=simd is set in the environment.`,
		Examples: `
			go run ./scripts/render -step 4 -scene large -o large.png
			go run ./scripts/render -scene small -quick -o small.tga
			go run ./scripts/render -scene-file common/scene/example.json -samples 100 -o example.png
			go run ./scripts/render -scene medium -stats
			go run ./scripts/render -scene medium -phases
			go run ./scripts/render -scene large -heat heat.png`,
		Setup: setup,
	}
}

type options struct {
	step, scene, sceneFile, out string
	quick                       bool
	given                       map[string]bool // the flags that were, by name
	settings                    common.Settings
	instruments                 instruments
}

func setup(flags *flag.FlagSet) cli.Run {
	var o options
	o.settings = common.Default()
	size := &o.settings
	flags.StringVar(&o.step, "step", "13", "the `step` that renders: 4, step04 or avx512")
	flags.StringVar(&o.scene, "scene", "large", "a built-in `scene`: small, medium or large")
	flags.StringVar(&o.sceneFile, "scene-file", "", "a JSON `file` with a scene of your own, in place of -scene")
	flags.StringVar(&o.out, "o", "", "the picture `file` to write, .png or .tga")
	flags.BoolVar(&o.quick, "quick", false, "80x60 and 4 samples a pixel, where -width, -height and -samples do not say otherwise")
	flags.IntVar(&size.Width, "width", size.Width, "width in `pixels`")
	flags.IntVar(&size.Height, "height", size.Height, "height in `pixels`")
	flags.IntVar(&size.Samples, "samples", size.Samples, "`samples` a pixel")
	flags.IntVar(&size.Workers, "workers", size.Workers, "`number` of goroutines that render, for a step that uses several")
	o.instruments.flags(flags)
	return func(ctx context.Context, env *cli.Env, args []string) error {
		o.given = map[string]bool{}
		flags.Visit(func(f *flag.Flag) { o.given[f.Name] = true })
		quick := common.Quick()
		for name, n := range map[string]int{"width": quick.Width, "height": quick.Height, "samples": quick.Samples} {
			if o.quick && !o.given[name] {
				flags.Set(name, strconv.Itoa(n))
			}
		}
		step, sc, err := check(o)
		if err != nil {
			return err
		}
		return draw(ctx, env, o, step, sc)
	}
}

// check says what is wrong with the flags, or what they mean.
func check(o options) (step steps.Step, sc *scene.Scene, err error) {
	if o.instruments.any() && !o.given["step"] {
		o.step = instrumentedStep
	}
	if step, err = steps.Find(o.step); err != nil {
		return step, nil, cli.Misuse("-step: %v", err)
	}
	switch err := o.settings.Validate(); {
	case err != nil:
		return step, nil, cli.Misuse("%v", err)
	case o.given["scene"] && o.given["scene-file"]:
		return step, nil, cli.Misuse("-scene and -scene-file exclude each other; want one of them")
	case !step.Workers && o.given["workers"] && o.settings.Workers != 1:
		return step, nil, cli.Misuse("-workers is %d, and %s renders on one goroutine; want 1, or a step that uses several", o.settings.Workers, step.Name)
	case o.instruments.any() && step.Name != instrumentedStep:
		return step, nil, cli.Misuse("%s has no instruments for -stats, -phases, -perf, -api and -heat; want -step %s, or none", step.Name, instrumentedStep)
	case o.out == "" && !o.instruments.any():
		return step, nil, cli.Misuse("-o is missing; want the name of a picture, such as -o large.png")
	case o.out != "" && o.instruments.heat != "" && filepath.Clean(o.out) == filepath.Clean(o.instruments.heat):
		return step, nil, cli.Misuse("-o and -heat are both %q; want two files", o.out)
	}
	for _, file := range [][2]string{{"-o", o.out}, {"-heat", o.instruments.heat}} {
		if err := film.CheckName(file[1]); file[1] != "" && err != nil {
			return step, nil, cli.Misuse("%s: %v", file[0], err)
		}
	}
	if o.given["scene-file"] {
		sc, err = scene.ReadFile(o.sceneFile)
	} else {
		sc, err = scene.ByName(o.scene)
	}
	if err != nil {
		return step, nil, cli.Misuse("%v", err)
	}
	return step, sc, nil
}

// newTracer builds the tracer of a step; tests have one of their own.
var newTracer = tracers.New

func draw(ctx context.Context, env *cli.Env, o options, step steps.Step, sc *scene.Scene) error {
	var profiler *phase.Profiler
	if o.instruments.phases {
		var err error
		if profiler, err = phase.Start(); err != nil {
			return err
		}
		defer profiler.Stop()
	}
	f := film.New(o.settings.Width, o.settings.Height)
	if !o.instruments.api { // whose lines a bar would be mixed with
		bar := env.Progress(int64(f.Width)*int64(f.Height), step.Name+", "+sc.Name)
		f.Progress = func(pixels int) { bar.Add(pixels) }
		defer bar.Clear()
		defer bar.Exit() // a render that is left to itself reports pixels still
	}

	var tracer common.Tracer
	phase.Do(ctx, "Build", func(context.Context) { tracer = newTracer(step, sc) })
	in := o.instruments.attach(env, tracer, f)
	var rays int64
	var err error
	start := time.Now()
	phase.Do(ctx, "Render", func(ctx context.Context) { rays, err = render(ctx, tracer, f, o.settings) })
	elapsed := time.Since(start)
	what := step.Name
	if err == nil && o.out != "" {
		phase.Do(ctx, "Write", func(context.Context) { err = f.WriteFile(o.out) })
		what = o.out + ": " + what
	}
	if err != nil {
		return err
	}
	if t, ok := tracer.(common.KernelTracer); ok && (step.Number == 0 || t.Kernel() == "plain") {
		// Not every build and processor has the kernel that a step is about.
		what += " (" + t.Kernel() + ")"
	}
	var text bytes.Buffer
	fmt.Fprintf(&text, "%s, scene %s, %dx%d, %d samples a pixel: %d rays in %ss, %s rays/s\n",
		what, sc.Name, f.Width, f.Height, o.settings.Samples, rays,
		benchunit.Scale(elapsed.Seconds(), benchunit.Decimal), benchunit.Scale(float64(rays)/elapsed.Seconds(), benchunit.Decimal))
	if err := o.instruments.report(env, &text, in, profiler, o.settings); err != nil {
		return err
	}
	if o.instruments.perf { // whose JSON has standard output for itself
		_, err = text.WriteTo(env.Stderr)
	} else {
		_, err = text.WriteTo(env.Stdout)
	}
	return err
}

// render ends early if the context is done. The tracer does not know of it and is
// left to itself: there is nothing to keep of a picture that is not finished, and
// the command ends.
func render(ctx context.Context, tracer common.Tracer, f *film.Film, s common.Settings) (int64, error) {
	done := make(chan int64, 1)
	go func() { done <- tracer.Render(f, s) }()
	select {
	case <-ctx.Done():
		return 0, ctx.Err()
	case rays := <-done:
		return rays, ctx.Err()
	}
}
