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

// tracer names the constructor of what renders: step 13 with instruments is a package of beyond.
func (o *options) tracer(step steps.Step) string {
	if o.instruments() {
		return "instrumented"
	}
	return step.Name
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
	r, err := o.render(ctx, env, o.tracer(step), sc)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(env.Stdout)
	fmt.Fprintln(out, o.summary(step, sc, r))
	if o.phases {
		profile, err := profiler.Stop()
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "\n%s", phase.Read(profile, instrumented.Phases()...))
	}
	if t, ok := r.tracer.(*instrumented.Tracer); ok && o.stats {
		fmt.Fprintf(out, "\n%s", t.Instruments.Stats.Report())
	}
	return out.Flush()
}

// result is what came of a render, and the tracer that it is of.
type result struct {
	tracer  common.Tracer
	rays    int64
	seconds float64
}

// render renders a scene and writes the picture, if it has a file.
func (o *options) render(
	ctx context.Context, env *cli.Env, tracer string, sc *scene.Scene,
) (r result, err error) {
	f := film.New(o.settings.Width, o.settings.Height)
	bar := env.Progress(int64(f.Width*f.Height), tracer+", "+sc.Name)
	f.Progress = func(pixels int) { bar.Add(pixels) }
	defer bar.Clear()
	defer bar.Exit() // a render that is left to itself reports pixels still

	phase.Do(ctx, "Build", func(context.Context) { r.tracer = constructors[tracer](sc) })
	if t, ok := r.tracer.(*instrumented.Tracer); ok && o.stats {
		t.Instruments.Stats = instrumented.Statistics.NewRun()
	}
	start := time.Now()
	phase.Do(ctx, "Render", func(ctx context.Context) { r.rays, err = fill(ctx, f, r.tracer, o.settings) })
	r.seconds = time.Since(start).Seconds()
	if err == nil && o.out != "" {
		phase.Do(ctx, "Write", func(context.Context) { err = f.WriteFile(o.out) })
	}
	return r, err
}

// fill renders, and ends early if the context is done. The tracer does not know of it and is left
// to itself: there is nothing to keep of a picture that is not finished, and the command ends.
func fill(ctx context.Context, f *film.Film, tracer common.Tracer, s common.Settings) (int64, error) {
	var rays int64
	done := make(chan int64, 1)
	go func() { done <- tracer.Render(f, s) }()
	select {
	case <-ctx.Done():
	case rays = <-done:
	}
	return rays, ctx.Err()
}

// summary says in a line what was rendered by what, and how fast.
func (o *options) summary(step steps.Step, sc *scene.Scene, r result) string {
	name := o.tracer(step)
	if o.out != "" {
		name = o.out + ": " + name
	}
	t, ok := r.tracer.(common.KernelTracer)
	if ok && (step.Beyond || o.instruments() || t.Kernel() == "plain") {
		// Not every build and processor has the kernel that a step is about.
		name += " (" + t.Kernel() + ")"
	}
	seconds := benchunit.Scale(r.seconds, benchunit.Decimal)
	rate := benchunit.Scale(float64(r.rays)/r.seconds, benchunit.Decimal)
	return fmt.Sprintf("%s, scene %s, %dx%d, %s a pixel: %d rays in %ss, %s rays/s",
		name, sc.Name, o.settings.Width, o.settings.Height,
		english.Plural(o.settings.Samples, "sample", ""), r.rays, seconds, rate)
}
