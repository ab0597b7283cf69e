package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"image"
	"image/png"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"gonum.org/v1/plot/palette/moreland"

	"raysteps/common/apiprof"
	"raysteps/common/film"
	"raysteps/common/instrument"
	"raysteps/common/outfile"
	"raysteps/common/perf"
	"raysteps/common/phase"
	"raysteps/common/stats"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/steps"
)

// instruments says what a render is measured with.
type instruments struct {
	stats, perf, api, phases bool
	heat, profile            string
}

func (i *instruments) flags(flags *flag.FlagSet) {
	flags.BoolVar(&i.stats, "stats", false, "print the statistics of the render")
	flags.BoolVar(&i.perf, "perf", false, "print the times of tiles and first passes as JSON; what else is printed goes to standard error")
	flags.BoolVar(&i.api, "api", false, "say once a second how much of a worker's time is in the first pass")
	flags.StringVar(&i.heat, "heat", "", "a picture `file` to write, .png, that shows how many rays each pixel took")
	flags.BoolVar(&i.phases, "phases", false, "print the phases of the command and their shares of the processor time")
	flags.StringVar(&i.profile, "profile", "", "a `file` to write the profile to that -phases takes, for go tool pprof")
}

// marked are the steps that carry instruments, first the one that renders if no
// other is asked for.
var marked = []string{"step13", "tree"}

// builtIn reports whether instruments are wanted that are part of the step.
func (i *instruments) builtIn() bool { return i.stats || i.perf || i.api || i.heat != "" }

func (i *instruments) any() bool { return i.builtIn() || i.phases }

func (i *instruments) check(step steps.Step, out string) error {
	if i.builtIn() && !slices.Contains(marked, step.Name) {
		return cli.Misuse("%s carries no instruments for -stats, -perf, -api and -heat; want -step %s", step.Name, strings.Join(marked, " or "))
	}
	if i.profile != "" {
		if !i.phases {
			return cli.Misuse("-profile is the profile of -phases; want both")
		}
		if err := outfile.Check("profile", i.profile); err != nil {
			return cli.Misuse("-profile: %v", err)
		}
	}
	if i.heat == "" {
		return nil
	}
	if out != "" && filepath.Clean(out) == filepath.Clean(i.heat) {
		return cli.Misuse("-o and -heat are both %q; want two files", out)
	}
	if !strings.EqualFold(filepath.Ext(i.heat), ".png") {
		return cli.Misuse("-heat: picture %q: unknown kind of file; want a name that ends in .png", i.heat)
	}
	if err := film.CheckName(i.heat); err != nil {
		return cli.Misuse("-heat: %v", err)
	}
	return nil
}

// runWithInstruments runs the command with the same flags, in a build that has
// instruments. What it says it says itself.
func runWithInstruments(ctx context.Context, env *cli.Env, flags *flag.FlagSet) error {
	root, err := cli.ModuleRoot()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "raysteps-render-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	program := filepath.Join(dir, "render")
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	build := exec.CommandContext(ctx, "go", "build", "-tags", "instrument", "-o", program, "./scripts/render")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("building with instruments: %w; %s", err, bytes.TrimSpace(out))
	}
	var args []string
	flags.Visit(func(f *flag.Flag) { args = append(args, "-"+f.Name+"="+f.Value.String()) })
	render := exec.CommandContext(ctx, program, args...)
	// An interrupt from the keyboard reaches the program as well, which ends by
	// itself. One that was sent to this process alone does not.
	render.Cancel = func() error { return nil }
	render.WaitDelay = 5 * time.Second
	render.Stdout, render.Stderr = env.Stdout, env.Stderr
	if err := render.Run(); err != nil {
		if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.Exited() {
			return cli.ErrReported
		}
		return err
	}
	return nil
}

// set returns the instruments for one render of a film.
func (i *instruments) set(env *cli.Env, f *film.Film) *instrument.Set {
	set := new(instrument.Set)
	if i.stats {
		set.Stats = instrument.NewRun()
	}
	if i.perf {
		set.Timers = new(perf.Timers)
		set.Timers.On()
	}
	if i.api {
		set.Passes = &apiprof.API{Name: "first pass", Log: env.Stderr}
	}
	if i.heat != "" {
		set.Pixels, set.Width = make([]int32, f.Width*f.Height), f.Width
	}
	return set
}

// text is where text goes: JSON has standard output for itself.
func (i *instruments) text(env *cli.Env) io.Writer {
	if i.perf {
		return env.Stderr
	}
	return env.Stdout
}

// report prints and writes what was measured.
func (i *instruments) report(env *cli.Env, set *instrument.Set, samples int) error {
	out := i.text(env)
	if i.stats {
		report := set.Stats.Report()
		report.Categories = slices.DeleteFunc(report.Categories, func(c stats.Category) bool {
			return c.Name == "Tree" && c.Statistics[0].Value == stats.Quotient{} // a step without a tree
		})
		if _, err := fmt.Fprintf(out, "\n%s", report); err != nil {
			return err
		}
	}
	if i.heat != "" {
		if err := writeHeat(i.heat, set, samples); err != nil {
			return err
		}
		most := slices.Max(set.Pixels)
		if _, err := fmt.Fprintf(out, "%s: %.2f to %.2f rays a sample, from dark to bright, on a logarithmic scale\n",
			i.heat, float64(slices.Min(set.Pixels))/float64(samples), float64(most)/float64(samples)); err != nil {
			return err
		}
	}
	if i.perf {
		return set.Timers.Report().WriteJSON(env.Stdout)
	}
	return nil
}

// writeHeat draws the number of rays of each pixel, from 1 a sample to the most
// that a pixel took, on a logarithmic scale, in colors whose luminance rises
// evenly (Moreland's black body).
func writeHeat(name string, set *instrument.Set, samples int) error {
	colors := moreland.BlackBody()
	scale := func(rays int32) float64 { return math.Log(float64(rays) / float64(samples)) }
	colors.SetMin(0)
	colors.SetMax(max(scale(slices.Max(set.Pixels)), 1e-9)) // a sky is all dark
	width, height := set.Width, len(set.Pixels)/set.Width
	img := image.NewNRGBA(image.Rect(0, 0, width, height))
	for y := range height {
		for x := range width {
			c, err := colors.At(scale(set.Pixels[(height-1-y)*width+x]))
			if err != nil {
				return fmt.Errorf("picture %q: pixel (%d, %d): %w", name, x, y, err)
			}
			img.Set(x, y, c)
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		return fmt.Errorf("picture %q: %w", name, err)
	}
	return outfile.Write("picture", name, b.Bytes())
}

// phasesOf are the functions of a step that are phases. Functions that a step
// does not have do no harm.
func phasesOf(step steps.Step) []phase.Mark {
	of := func(names ...string) []string {
		for i, name := range names {
			names[i] = step.Package() + "." + name
		}
		return names
	}
	return []phase.Mark{
		{Phase: "Camera rays", Functions: of("Camera.Ray", "(*Camera).Ray", "drawPlain", "aimPlain", "drawAVX2", "aimAVX2", "drawAVX512", "aimAVX512")},
		{Phase: "Intersection", Functions: of("(*World).Hit", "List.Hit", "(*List).Hit", "(*World).hit", "(*firstPass).",
			"closestSSE", "closestAVX2", "closestAVX512", "closestGeneric", "hitPlain", "hitAVX2", "hitAVX512")},
		{Phase: "Boxes", Functions: of("(*box).meet", "(*wideNode).meet", "(*wideNode).meetGeneric", "meetAVX2")},
		{Phase: "First pass", Functions: of("(*firstPass).run", "(*firstPass).runGeneric")},
		{Phase: "Scattering", Functions: of("(*Material).Scatter", "(*Lambertian).", "(*Metal).", "(*Dielectric).", "Lambertian.", "Metal.", "Dielectric.",
			"scatterPlain", "scatterAVX2", "scatterAVX512")},
		{Phase: "Random numbers", Functions: of("(*RNG).", "drawSSE")},
		{Phase: "Sky", Functions: of("sky")},
	}
}

// reportPhases ends a profile and prints the phases.
func (i *instruments) reportPhases(env *cli.Env, p *phase.Profiler, step steps.Step) error {
	profile, err := p.Stop()
	if err != nil {
		return err
	}
	if i.profile != "" {
		var b bytes.Buffer
		if err := profile.Write(&b); err != nil {
			return fmt.Errorf("profile %q: %w", i.profile, err)
		}
		if err := outfile.Write("profile", i.profile, b.Bytes()); err != nil {
			return err
		}
	}
	report, err := phase.Read(profile, phasesOf(step)...)
	if err != nil {
		return err
	}
	report.Unseen = nil // the marks are those of all steps
	out := i.text(env)
	if _, err := fmt.Fprintln(out); err != nil {
		return err
	}
	return report.WriteText(out)
}
