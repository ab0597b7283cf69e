package main

import (
	"cmp"
	"context"
	_ "embed"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/dustin/go-humanize/english"
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
		var p peers
		flags.StringVar(&p.article, "article", "../rays1bench", "the `folder` of the article's repository")
		flags.StringVar(&p.toy, "toy", "../ToyPathTracer", "the `folder` of Toy Path Tracer")
		flags.StringVar(&p.embree, "embree", "/usr", "the `folder` below which Embree is installed")
		flags.StringVar(&p.only, "only", "rays,pictures,flags", "a `list` of what to measure")
		flags.IntVar(&p.rounds, "rounds", 6, "`number` of rounds")
		flags.Func("o", "merge the measurements into this `file`, not into that of this machine", func(name string) error {
			p.out = name
			return results.Check(name)
		})
		return p.run
	},
}

type peers struct {
	article, toy, embree, only, out string
	rounds                          int
	root                            string
	jobs                            []job
}

// job is a program with a scene.
type job struct {
	program
	scene string
}

// command runs a command in a round and returns what it prints.
func (p *peers) command(ctx context.Context, text, scene string, round int) (string, error) {
	env, _ := toolchain.WithSIMD(p.root)
	return cli.Output(ctx, p.root, append(env, "SCENE="+scene, fmt.Sprint("ROUND=", round)), "sh", "-c", text)
}

func (p *peers) run(ctx context.Context, env *cli.Env, _ []string) (err error) {
	start := time.Now()
	for kind := range strings.SplitSeq(p.only, ",") {
		if !slices.Contains([]string{"rays", "pictures", "flags"}, kind) || p.rounds < 1 {
			return cli.Misuse("-only %s -rounds %d: want some of rays,pictures,flags and 1 round or more", p.only, p.rounds)
		}
	}
	if p.root, err = cli.ModuleRoot(); err != nil {
		return err
	}
	bin, err := os.MkdirTemp("", "raysteps-peers-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(bin)
	for key, folder := range map[string]string{"BIN": bin, "CPP": filepath.Join(p.root, "scripts", "peers", "cpp"), "ARTICLE": p.article, "TOY": p.toy, "EMBREE": p.embree} {
		if folder, err = filepath.Abs(folder); err != nil {
			return err
		}
		os.Setenv(key, folder) // of all commands
	}
	if p.out == "" {
		if err := results.CheckOwn(p.root); err != nil {
			return err
		}
	}
	release, err := cli.LockMeasuring(ctx, env)
	if err != nil {
		return err
	}
	defer release()
	if err := p.build(ctx, env, programs(), record); err != nil {
		return err
	}
	lines, stopped := p.measure(ctx, env)
	if len(lines) == 0 {
		return stopped
	}
	slices.SortStableFunc(lines, byProgram)
	where, err := results.Record(ctx, p.root, p.out, lines)
	if err != nil {
		return err
	}
	fmt.Fprintf(env.Stdout, "Measured for %v, building included. The measurements are in %s.\n", time.Since(start).Round(time.Second), where)
	return cmp.Or(stopped, show(env.Stdout, lines))
}

// show prints a table of the pictures and one of the rays, as far as they were measured.
func show(w io.Writer, lines []*benchfmt.Result) error {
	set, err := results.Of(lines, "this run")
	if err != nil {
		return err
	}
	over := results.Column{Unit: "rays/s", Base: "peer"}
	for _, spec := range []results.Spec{
		{Bench: "Picture", Rows: "/scene,step,program", Columns: []results.Column{{Unit: "rays/s"}, over}},
		{Bench: "Rays", Rows: "/scene,/order,step,program", Columns: []results.Column{{Unit: "sec/ray"}, over}},
	} {
		if table, err := set.Table(spec); err == nil { // it was measured
			slices.SortStableFunc(table.Rows, func(a, b []string) int { return strings.Compare(a[0], b[0]) })
			fmt.Fprint(w, "\n", table.Text())
		}
	}
	return nil
}

// build records the rays, builds the programs and lists the jobs of those that can be built.
// Of others it says why not.
func (p *peers) build(ctx context.Context, env *cli.Env, all []program, record string) error {
	bar := env.Progress(int64(len(all)), "building")
	defer bar.Finish()
	if _, err := p.command(ctx, record, "", 0); err != nil {
		return fmt.Errorf("recording rays: %w", err)
	}
	leftOut := map[string][]string{} // programs by reasons
	built := map[string]error{}      // by command and round
	for _, j := range all {
		bar.Add(1)
		if !slices.ContainsFunc(strings.Fields(j.kinds), func(kind string) bool { return strings.Contains(p.only, kind) }) {
			continue
		}
		var err error
		for round := 1; round <= p.rounds && err == nil; round++ {
			name := strings.ReplaceAll(j.build, "$ROUND", fmt.Sprint(round))
			if _, done := built[name]; !done {
				_, built[name] = p.command(ctx, j.build, "", round)
			}
			err = built[name]
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			leftOut[err.Error()] = append(leftOut[err.Error()], cmp.Or(j.pkg, j.run))
			continue
		}
		for scene := range strings.FieldsSeq(j.scenes) {
			p.jobs = append(p.jobs, job{j, scene})
		}
	}
	bar.Clear()
	for _, reason := range slices.Sorted(maps.Keys(leftOut)) {
		fmt.Fprintln(env.Stdout, cli.Wrap(fmt.Sprintf("Left out: %s: %s", english.OxfordWordSeries(leftOut[reason], "and"), reason)))
	}
	return nil
}

// measure returns the lines of the rounds that are finished, and what stopped it.
func (p *peers) measure(ctx context.Context, env *cli.Env) (lines []*benchfmt.Result, stopped error) {
	bar := env.Progress(int64(p.rounds*len(p.jobs)), "measuring")
	defer bar.Finish()
	for round := 1; round <= p.rounds; round++ {
		// Scene by scene, so that what is compared runs within some seconds.
		rand.Shuffle(len(p.jobs), func(i, j int) { p.jobs[i], p.jobs[j] = p.jobs[j], p.jobs[i] })
		slices.SortStableFunc(p.jobs, func(a, b job) int { return strings.Compare(a.scene, b.scene) })
		var all []*benchfmt.Result // of this round
		for _, j := range p.jobs {
			out, err := p.command(ctx, j.run, j.scene, round)
			var some []*benchfmt.Result
			if err == nil {
				some, err = read(j, round, out)
			}
			if err != nil {
				return lines, fmt.Errorf("%s, scene %s: %w", j.run, j.scene, err)
			}
			all = append(all, some...)
			bar.Add(1)
		}
		lines = append(lines, all...)
	}
	return lines, nil
}

// byProgram puts lines in an order in which chance has no part: that of tables' columns.
func byProgram(a, b *benchfmt.Result) int {
	return strings.Compare(a.GetConfig("pkg"), b.GetConfig("pkg"))
}

// read reads the lines that a program prints. What others find is compared with the tree's.
func read(j job, round int, out string) (lines []*benchfmt.Result, err error) {
	reader := benchfmt.NewReader(strings.NewReader(out), "output")
	for reader.Scan() {
		if err, ok := reader.Result().(*benchfmt.SyntaxError); ok {
			return nil, err
		}
		r, ok := reader.Result().(*benchfmt.Result)
		if !ok {
			continue
		}
		r = r.Clone()
		lines = append(lines, r)
		measure.SetConfig(r, "link-order", strconv.Itoa(round))
		if j.compiler != "" {
			version, _ := exec.Command(j.compiler, "--version").Output() // which was called before
			first, _, _ := strings.Cut(string(version), "\n")
			measure.SetConfig(r, "compiler", first)
			measure.SetConfig(r, "built", j.build)
		}
		if j.pkg != "" {
			measure.SetConfig(r, "pkg", j.pkg)
		}
		if strings.HasPrefix(string(r.Name), "Picture/step=") { // by a step, perhaps in another form
			_, form, _ := strings.Cut(string(r.Name), ",as=")
			kernel, _, _ := strings.Cut(form, "/")
			measure.SetConfig(r, "kernel", kernel)
			r.Name = benchfmt.Name("Picture/scene=" + j.scene)
			r.Values = slices.DeleteFunc(r.Values, func(v benchfmt.Value) bool { return v.Unit == "crc32" || strings.HasPrefix(v.Unit, "odd-") })
		}
		if j.kinds == "rays" {
			measure.SetConfig(r, "gomaxprocs", "1")
		}
		if others, _ := r.Value("others/op"); others > 1<<17/50 {
			return nil, fmt.Errorf("%.0f rays hit other spheres than those of the tree", others)
		}
	}
	if err := reader.Err(); err != nil {
		return nil, err
	}
	if len(lines) == 0 {
		return nil, fmt.Errorf("it printed no benchmark line: %s", out)
	}
	return lines, nil
}
