package main

import (
	"cmp"
	"context"
	_ "embed"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/measure"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/toolchain"
)

func main() { cli.Main(command) }

//go:embed doc.go
var manual string

var command = cli.Command{
	Name:     "peers",
	Synopsis: "[flags]",
	Manual:   manual,
	Setup: func(flags *flag.FlagSet) cli.Run {
		p := peers{built: map[string]error{}, told: map[string]bool{}}
		flags.StringVar(&p.embree, "embree", usual, "the `folder` below which Embree is installed")
		flags.StringVar(&p.only, "only", "", "the `kind` of programs to measure: rays, pictures or flags (default all)")
		flags.IntVar(&p.rounds, "rounds", 4, "`number` of rounds")
		flags.StringVar(&p.out, "o", "", "merge the measurements into this `file`, not into that of this machine")
		return p.run
	},
}

// usual is where Embree is, if it is anywhere.
const usual = "/usr"

type peers struct {
	embree, only, out string
	rounds            int
	root              string
	env               []string         // of commands
	built             map[string]error // by command, with its round
	told              map[string]bool  // why something is left out
}

// job is a program with a scene.
type job struct {
	program
	scene string
}

// command runs a command in a round and returns what it prints.
func (p *peers) command(ctx context.Context, text, scene string, round int) (string, error) {
	return cli.Output(ctx, p.root, append(p.env, "SCENE="+scene, fmt.Sprint("ROUND=", round)), "sh", "-c", text)
}

func (p *peers) run(ctx context.Context, env *cli.Env, _ []string) (err error) {
	start := time.Now()
	chosen := slices.DeleteFunc(programs(), func(x program) bool { return p.only != "" && !slices.Contains(strings.Fields(x.kinds), p.only) })
	if len(chosen) == 0 || p.rounds < 1 {
		return cli.Misuse("-only %q -rounds %d: want rays, pictures or flags, and 1 round or more", p.only, p.rounds)
	}
	if info, err := os.Stat(p.embree); p.embree != usual && (err != nil || !info.IsDir()) {
		return cli.Misuse("-embree %q: is not a folder; want the one below which Embree is installed", p.embree)
	}
	if p.root, err = cli.ModuleRoot(); err != nil {
		return err
	}
	if err := results.Check(p.root, p.out); err != nil {
		return cli.Misuse("%w", err)
	}
	bin, err := os.MkdirTemp("", "raysteps-peers-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(bin)
	p.env, _ = toolchain.WithSIMD(p.root)
	p.env = append(p.env, "BIN="+bin, "CPP="+filepath.Join(p.root, "scripts", "peers", "cpp"), "EMBREE="+p.embree)
	for _, clone := range []string{"../rays1bench", "../ToyPathTracer"} {
		needs := func(x program) bool { return strings.Contains(x.build, clone) }
		if _, err := os.Stat(filepath.Join(p.root, clone)); err != nil && slices.ContainsFunc(chosen, needs) {
			fmt.Fprintf(env.Stdout, "Left out is what needs %s, which is not there; docs/cpp.md has how to get it.\n", clone)
			chosen = slices.DeleteFunc(chosen, needs)
		}
	}
	release, err := cli.LockMeasuring(ctx, env)
	if err != nil {
		return err
	}
	defer release()
	lines, stopped := p.measure(ctx, env, chosen)
	// In an order in which chance has no part: that of tables' columns.
	slices.SortStableFunc(lines, func(a, b *benchfmt.Result) int { return strings.Compare(a.GetConfig("pkg"), b.GetConfig("pkg")) })
	where, err := results.Record(ctx, p.root, p.out, lines)
	if err != nil {
		return cmp.Or(stopped, err)
	}
	fmt.Fprintf(env.Stdout, "Measured for %v, building included. The measurements are in %s.\n", time.Since(start).Round(time.Second), where)
	return cmp.Or(stopped, show(env.Stdout, lines))
}

// show prints a table of our pictures and one of the rays, as far as they were measured.
func show(w io.Writer, lines []*benchfmt.Result) error {
	set, err := results.Of(lines, "this run")
	if err != nil {
		return err
	}
	over := results.Column{Unit: "rays/s", Base: "peer"}
	for _, spec := range []results.Spec{
		{Bench: "Picture", Where: "pkg:/raysteps/", Rows: "/scene,step", Columns: []results.Column{{Unit: "rays/s"}, over}},
		{Bench: "Rays", Where: "pkg:/raysteps/", Rows: "/scene,/order,step", Columns: []results.Column{{Unit: "sec/ray"}, over}},
	} {
		if table, err := set.Table(spec); err == nil { // it was measured
			slices.SortStableFunc(table.Rows, func(a, b []string) int { return strings.Compare(a[0], b[0]) })
			fmt.Fprint(w, "\n", table.Text())
		}
	}
	return nil
}

// build builds the programs for a round and returns what runs in it: all with all of their
// scenes, but for those that cannot be built. It says once why not.
func (p *peers) build(ctx context.Context, env *cli.Env, all []program, round int) (jobs []job, err error) {
	bar := env.Progress(int64(len(all)), fmt.Sprintf("building for round %d of %d", round, p.rounds))
	defer bar.Finish()
	for _, x := range all {
		key := strings.ReplaceAll(x.build, "$ROUND", strconv.Itoa(round))
		if _, done := p.built[key]; !done {
			_, p.built[key] = p.command(ctx, x.build, "", round)
		}
		if err := p.built[key]; err == nil {
			for scene := range strings.FieldsSeq(x.scenes) {
				jobs = append(jobs, job{x, scene})
			}
		} else if ctx.Err() == nil && !p.told[err.Error()] {
			p.told[err.Error()] = true
			bar.Clear()
			fmt.Fprintln(env.Stdout, cli.Wrap(fmt.Sprintf("Left out: %s, and what fails alike: %v", cmp.Or(x.pkg, x.build), err)))
		}
		bar.Add(1)
	}
	return jobs, ctx.Err()
}

// measure returns the lines of the rounds that are finished, and what stopped it.
func (p *peers) measure(ctx context.Context, env *cli.Env, all []program) (lines []*benchfmt.Result, stopped error) {
	for round := 1; round <= p.rounds; round++ {
		jobs, err := p.build(ctx, env, all, round)
		if err != nil {
			return lines, err
		}
		bar := env.Progress(int64(len(jobs)), fmt.Sprintf("round %d of %d", round, p.rounds))
		defer bar.Finish()
		rand.Shuffle(len(jobs), func(i, j int) { jobs[i], jobs[j] = jobs[j], jobs[i] })
		slices.SortStableFunc(jobs, func(a, b job) int { return strings.Compare(a.scene, b.scene) })
		done := len(lines)
		for _, j := range jobs { // scene by scene, so that what is compared runs within a minute
			some, err := p.one(ctx, j, round)
			if err != nil {
				return lines[:done], fmt.Errorf("%s, scene %s: %w", j.run, j.scene, err)
			}
			lines = append(lines, some...)
			bar.Add(1)
		}
	}
	return lines, nil
}

// one runs a job and reads the lines that it prints. What others find is compared with the tree's.
func (p *peers) one(ctx context.Context, j job, round int) (lines []*benchfmt.Result, err error) {
	out, err := p.command(ctx, j.run, j.scene, round)
	if err != nil {
		return nil, err
	}
	config := [][2]string{{"link-order", strconv.Itoa(round)}, {"pkg", j.pkg}}
	if j.compiler != "" {
		version, _ := p.command(ctx, j.compiler+" --version | head -n 1", "", 0) // it has built the program
		config = append(config, [2]string{"compiler", version}, [2]string{"built", j.build})
	}
	if j.kinds == "rays" {
		config = append(config, [2]string{"gomaxprocs", "1"})
	}
	lines, err = results.Parse([]byte(out), "output")
	for _, r := range lines {
		for _, c := range config {
			measure.SetConfig(r, c[0], cmp.Or(c[1], r.GetConfig(c[0])))
		}
		if step, form, _ := strings.Cut(string(r.Name), ",as="); strings.HasPrefix(step, "Picture/step=") {
			kernel, _, _ := strings.Cut(form, "/") // if it is not that of the step
			measure.SetConfig(r, "kernel", kernel)
			r.Name = benchfmt.Name("Picture/scene=" + j.scene)
			r.Values = slices.DeleteFunc(r.Values, func(v benchfmt.Value) bool { return v.Unit == "crc32" || strings.HasPrefix(v.Unit, "odd-") })
		}
		if others, _ := r.Value("others/op"); others > 1<<17/50 {
			return nil, fmt.Errorf("%.0f rays hit other spheres than those of the tree", others)
		}
	}
	if len(lines) == 0 {
		err = cmp.Or(err, fmt.Errorf("it printed no benchmark line: %s", out))
	}
	return lines, err
}
