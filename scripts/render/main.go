package main

import (
	"bufio"
	"cmp"
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"time"

	"github.com/dustin/go-humanize/english"
	"golang.org/x/perf/benchunit"

	"raysteps/beyond/instrumented"
	"raysteps/common"
	"raysteps/common/film"
	"raysteps/common/phase"
	"raysteps/common/scene"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/steps"
)

func main() { cli.Main(command) }

//go:embed doc.go
var manual string

var command = cli.Command{Name: "render", Synopsis: "-o FILE [flags]", Manual: manual, Setup: setup}

type options struct {
	step, scene, out string
	stats, phases    bool
	settings         common.Settings
}

func setup(flags *flag.FlagSet) cli.Run {
	o := options{settings: common.Default()}
	flags.StringVar(&o.step, "step", "13", "the `step` that renders: 4, step04 or avx512")
	flags.StringVar(&o.scene, "scene", "large", "a built-in `scene`: small, medium, large, or sphereflake=0 to 6 or cloud=10 to 1048576, of so many levels or spheres; or a JSON file with one of your own, by its ending")
	flags.StringVar(&o.out, "o", "", "the picture `file` to write, .png or .tga")
	flags.IntVar(&o.settings.Width, "width", o.settings.Width, "width in `pixels`")
	flags.IntVar(&o.settings.Height, "height", o.settings.Height, "height in `pixels`")
	flags.IntVar(&o.settings.Samples, "samples", o.settings.Samples, "`samples` a pixel")
	workers := flags.Int("workers", 0, "`number` of goroutines that render, for a step that uses several (default one a processor)")
	flags.BoolVar(&o.stats, "stats", false, "print the statistics of the render")
	flags.BoolVar(&o.phases, "phases", false, "print the phases of the command and their shares of the processor time")
	return func(ctx context.Context, env *cli.Env, _ []string) error {
		step, sc, err := o.check(*workers)
		if err != nil {
			return cli.Misuse("%w", err)
		}
		return o.draw(ctx, env, step, sc)
	}
}

// instruments reports whether a render is measured with one.
func (o *options) instruments() bool { return o.stats || o.phases }

// check says what is wrong with the flags, or what they mean.
func (o *options) check(workers int) (step steps.Step, sc *scene.Scene, err error) {
	if step, err = steps.Find(o.step); err != nil {
		return step, nil, fmt.Errorf("-step: %w", err)
	}
	switch {
	case !step.Workers && workers > 1:
		err = fmt.Errorf("-workers is %d, and %s renders on one goroutine; want 1, or a step that uses several", workers, step.Name)
	case o.instruments() && step.Number != 13:
		err = fmt.Errorf("%s has no instruments; leave out -step %s: -stats and -phases render with step 13", step.Name, o.step)
	case o.out == "" && !o.instruments():
		err = errors.New("-o is missing; want the name of a picture, such as -o large.png")
	}
	o.settings.Workers = cmp.Or(workers, o.settings.Workers)
	if err = cmp.Or(err, o.settings.Validate()); err == nil && o.out != "" {
		err = film.CheckName(o.out)
	}
	if err != nil {
		return step, nil, err
	}
	if filepath.Ext(o.scene) == ".json" {
		sc, err = scene.ReadFile(o.scene)
	} else if sc, err = scene.ByName(o.scene); err != nil {
		err = fmt.Errorf("%w, or a file that ends in .json", err)
	}
	return step, sc, err
}

// draw renders, writes the picture and says what was measured.
func (o *options) draw(ctx context.Context, env *cli.Env, step steps.Step, sc *scene.Scene) (err error) {
	var profiler *phase.Profiler
	if o.phases {
		if profiler, err = phase.Start(); err != nil {
			return err
		}
		defer profiler.Stop()
	}
	name, f := step.Name, film.New(o.settings.Width, o.settings.Height)
	if o.instruments() {
		name = "instrumented"
	}
	bar := env.Progress(int64(f.Width*f.Height), name+", "+sc.Name)
	f.Progress = func(pixels int) { bar.Add(pixels) }
	defer bar.Clear()
	defer bar.Exit() // a render that is left to itself reports pixels still

	var tracer common.Tracer
	phase.Do(ctx, "Build", func(context.Context) { tracer = constructors[name](sc) })
	measured, _ := tracer.(*instrumented.Tracer)
	if o.stats {
		measured.Instruments.Stats = instrumented.Statistics.NewRun()
	}
	var rays int64
	start := time.Now()
	phase.Do(ctx, "Render", func(ctx context.Context) { rays, err = render(ctx, tracer, f, o.settings) })
	seconds := time.Since(start).Seconds()
	if err == nil && o.out != "" {
		phase.Do(ctx, "Write", func(context.Context) { err = f.WriteFile(o.out) })
		name = o.out + ": " + name
	}
	if err != nil {
		return err
	}
	if t, ok := tracer.(common.KernelTracer); ok && (step.Beyond || o.instruments() || t.Kernel() == "plain") {
		// Not every build and processor has the kernel that a step is about.
		name += " (" + t.Kernel() + ")"
	}
	out := bufio.NewWriter(env.Stdout)
	fmt.Fprintf(out, "%s, scene %s, %dx%d, %s a pixel: %d rays in %ss, %s rays/s\n", name, sc.Name, f.Width, f.Height,
		english.Plural(o.settings.Samples, "sample", ""), rays, benchunit.Scale(seconds, benchunit.Decimal), benchunit.Scale(float64(rays)/seconds, benchunit.Decimal))
	if o.phases {
		profile, err := profiler.Stop()
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "\n%s", phase.Read(profile, instrumented.Phases()...))
	}
	if o.stats {
		fmt.Fprintf(out, "\n%s", measured.Instruments.Stats.Report())
	}
	return out.Flush()
}

// render ends early if the context is done. The tracer does not know of it and is left to itself:
// there is nothing to keep of a picture that is not finished, and the command ends.
func render(ctx context.Context, tracer common.Tracer, f *film.Film, s common.Settings) (rays int64, err error) {
	done := make(chan int64, 1)
	go func() { done <- tracer.Render(f, s) }()
	select {
	case <-ctx.Done():
	case rays = <-done:
	}
	return rays, ctx.Err()
}
