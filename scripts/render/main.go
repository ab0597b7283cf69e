// Render renders one picture with one step.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/perf/benchunit"

	"raysteps/common"
	"raysteps/common/film"
	"raysteps/common/instrument"
	"raysteps/common/phase"
	"raysteps/common/scene"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/steps"
	"raysteps/scripts/internal/toolchain"
	"raysteps/scripts/internal/tracers"
)

func main() { cli.Main(command()) }

func command() cli.Command {
	return cli.Command{
		Name:     "render",
		Synopsis: "-o FILE [flags]",
		Help: `Render renders one picture with one step, writes it as PNG or TGA by the
ending of its name, and says how many rays it took and how many a second.

Instead of a picture, or beside it, render shows how it was made. -stats, -perf,
-api and -heat measure step 13 from inside, in a build of its own; such a render
takes longer. -phases samples any step and slows it down by little.

The scene is one of the three built-in ones, or your own from a JSON file;
docs/scene-format.md describes it. The rate is that of a single run: to
compare steps, use bench.

The steps wavefront and archsimd have their vectors only in a build with
GOEXPERIMENT=simd; set that in the environment, as bench does by itself.`,
		Examples: `
			go run ./scripts/render -step 4 -scene large -o large.png
			go run ./scripts/render -scene small -quick -o small.tga
			go run ./scripts/render -scene-file common/scene/example.json -samples 100 -o example.png
			go run ./scripts/render -scene medium -stats
			go run ./scripts/render -scene medium -phases -profile cpu.out
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
	size := common.Default()
	flags.StringVar(&o.step, "step", marked[0], "the `step` that renders: 4, step04 or avx512")
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
		o.settings = size
		if o.quick {
			quick := common.Quick()
			if !o.given["width"] {
				o.settings.Width = quick.Width
			}
			if !o.given["height"] {
				o.settings.Height = quick.Height
			}
			if !o.given["samples"] {
				o.settings.Samples = quick.Samples
			}
		}
		if o.given["scene"] && o.given["scene-file"] {
			return cli.Misuse("-scene and -scene-file exclude each other; want one of them")
		}
		step, sc, err := check(o)
		if err != nil {
			return err
		}
		if o.instruments.builtIn() && !instrument.On {
			return runWithInstruments(ctx, env, flags)
		}
		return draw(ctx, env, o, step, sc)
	}
}

// check says what is wrong with the flags, or what they mean.
func check(o options) (steps.Step, *scene.Scene, error) {
	step, err := steps.Find(o.step)
	if err != nil {
		return step, nil, cli.Misuse("-step: %v", err)
	}
	if err := o.settings.Validate(); err != nil {
		return step, nil, cli.Misuse("%v", err)
	}
	if !step.Workers && o.given["workers"] && o.settings.Workers != 1 {
		return step, nil, cli.Misuse("-workers is %d, and %s renders on one goroutine; want 1, or a step that uses several", o.settings.Workers, step.Name)
	}
	if err := o.instruments.check(step, o.out); err != nil {
		return step, nil, err
	}
	if o.out == "" && !o.instruments.any() {
		return step, nil, cli.Misuse("-o is missing; want the name of a picture, such as -o large.png")
	}
	if o.out != "" {
		if err := film.CheckName(o.out); err != nil {
			return step, nil, cli.Misuse("-o: %v", err)
		}
	}
	load, name := scene.ByName, o.scene
	if o.given["scene-file"] {
		load, name = scene.ReadFile, o.sceneFile
	}
	sc, err := load(name)
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
		defer bar.Exit() // a step that is left to itself reports pixels still
	}

	set := o.instruments.set(env, f)
	ctx = instrument.NewContext(ctx, set)
	var tracer common.Tracer
	phase.Do(ctx, "Build", func(context.Context) { tracer = newTracer(step, sc) })
	if hint := simdHint(step, tracer); hint != "" {
		fmt.Fprintln(env.Stderr, "render: "+hint)
	}
	var rays int64
	var err error
	start := time.Now()
	phase.Do(ctx, "Render", func(ctx context.Context) { rays, err = render(ctx, tracer, f, o.settings) })
	elapsed := time.Since(start)
	if err != nil {
		return err
	}
	what := step.Name
	if o.out != "" {
		phase.Do(ctx, "Write", func(context.Context) { err = f.WriteFile(o.out) })
		if err != nil {
			return err
		}
		what = o.out + ": " + what
	}
	if t, ok := tracer.(common.KernelTracer); ok && (step.Number == 0 || t.Kernel() == "plain") {
		// Not every build and processor has the kernel that a step is about.
		what += " (" + t.Kernel() + ")"
	}
	rate := float64(rays) / elapsed.Seconds()
	if _, err = fmt.Fprintf(o.instruments.text(env), "%s, scene %s, %dx%d, %d samples a pixel: %d rays in %ss, %s rays/s\n",
		what, sc.Name, f.Width, f.Height, o.settings.Samples,
		rays, benchunit.Scale(elapsed.Seconds(), benchunit.Decimal), benchunit.Scale(rate, benchunit.Decimal)); err != nil {
		return err
	}
	if profiler != nil {
		if err := o.instruments.reportPhases(env, profiler, step); err != nil {
			return err
		}
	}
	return o.instruments.report(env, set, o.settings.Samples)
}

// simdHint says what to set if the step is built without the vectors that it is
// about: its plain form takes many times as long.
func simdHint(step steps.Step, tracer common.Tracer) string {
	t, ok := tracer.(common.KernelTracer)
	if !ok || t.Kernel() != "plain" || strings.Contains(os.Getenv("GOEXPERIMENT"), toolchain.SIMD) {
		return ""
	}
	root, err := cli.ModuleRoot()
	if err != nil {
		return ""
	}
	if uses, err := toolchain.UsesSIMD(filepath.Join(root, filepath.FromSlash(step.Folder()))); err != nil || !uses {
		return ""
	}
	return fmt.Sprintf("%s is built without vectors and takes many times as long; set GOEXPERIMENT=%s, which Go has for amd64, and run this again",
		step.Name, toolchain.SIMD)
}

func render(ctx context.Context, tracer common.Tracer, f *film.Film, s common.Settings) (int64, error) {
	if t, ok := tracer.(common.ParallelTracer); ok {
		return t.RenderContext(ctx, f, s)
	}
	// Any other tracer does not know of the context. An interrupt ends the
	// command without it: there is nothing to keep of a picture that is not
	// finished.
	done := make(chan int64, 1)
	go func() { done <- tracer.Render(f, s) }()
	select {
	case <-ctx.Done():
		return 0, ctx.Err()
	case rays := <-done:
		return rays, ctx.Err()
	}
}
