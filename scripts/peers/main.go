package main

import (
	"cmp"
	"context"
	_ "embed" // for the programs
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/sync/errgroup"

	"raysteps/common/outfile"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/page"
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
			return outfile.Check("results", name)
		})
		return p.run
	},
}

//go:embed programs.json
var programs []byte

// program is an entry of programs.json. In its texts $KEY stands for a folder, for the
// round or the scene, or for what a choice of Each has under that key. Choices with the
// same PICTURE render the same.
type program struct {
	Kinds, Scenes, Package string
	Needs                  map[string]string // files and commands; how to get them
	Each                   [][]map[string]string
	Build                  string // commands, with && between
	Prepare, Run           string
}

type peers struct {
	article, toy, embree, only, out string
	rounds                          int
	keys                            map[string]string // folders, and the major release of Embree
	jobs                            []job
	pictures                        map[string]string // by PICTURE
}

// job is a program with a scene.
type job struct {
	*program
	scene  string
	choice map[string]string
	config map[string]string // of its lines
}

// words expands the words of a text.
func (p *peers) words(text string, j job, round int) (all []string) {
	for word := range strings.FieldsSeq(text) {
		all = append(all, os.Expand(word, func(key string) string {
			return cmp.Or(j.choice[key], p.keys[key], map[string]string{"ROUND": strconv.Itoa(round), "SCENE": j.scene}[key])
		}))
	}
	return all
}

func (p *peers) run(ctx context.Context, env *cli.Env, _ []string) (err error) {
	start := time.Now()
	for kind := range strings.SplitSeq(p.only, ",") {
		if !slices.Contains([]string{"rays", "pictures", "flags"}, kind) || p.rounds < 1 {
			return cli.Misuse("-only %s -rounds %d: want some of rays,pictures,flags and 1 round or more", p.only, p.rounds)
		}
	}
	root, err := cli.ModuleRoot()
	if err != nil {
		return err
	}
	bin, err := os.MkdirTemp("", "raysteps-peers-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(bin)
	p.keys, p.pictures = map[string]string{"MAJOR": "3"}, map[string]string{}
	for key, folder := range map[string]string{"BIN": bin, "CPP": filepath.Join(root, "scripts", "peers", "cpp"), "ARTICLE": p.article, "TOY": p.toy, "EMBREE": p.embree} {
		if p.keys[key], err = filepath.Abs(folder); err != nil {
			return err
		}
	}
	if _, err := os.Stat(filepath.Join(p.embree, "include", "embree4", "rtcore.h")); err == nil {
		p.keys["MAJOR"] = "4"
	}
	if err = p.plan(env); err == nil {
		err = p.build(ctx, env, root)
	}
	if err != nil {
		return err
	}
	release, err := cli.LockMeasuring(ctx, env)
	if err != nil {
		return err
	}
	defer release()
	lines, stopped := p.measure(ctx, env)
	if len(lines) == 0 {
		return stopped
	}
	where, err := results.Record(ctx, root, p.out, lines)
	if err != nil {
		return err
	}
	fmt.Fprintf(env.Stdout, "Measured for %v, building included. The measurements are in %s.\n", time.Since(start).Round(time.Second), where)
	return cmp.Or(stopped, print(env.Stdout, lines))
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
			some, err := p.call(ctx, j, round)
			if err != nil {
				return lines, fmt.Errorf("%s: %w", strings.Join(p.words(j.Run, j, round), " "), err)
			}
			all = append(all, some...)
			bar.Add(1)
		}
		lines = append(lines, all...)
	}
	return lines, nil
}

// print prints a table of the pictures and one of the rays, as far as they were measured.
func print(w io.Writer, lines []*benchfmt.Result) error {
	set, err := results.Of(lines, "this run")
	if err != nil {
		return err
	}
	set.Partial = true
	for _, spec := range []results.TableSpec{
		{Query: results.Query{Bench: "Picture"}, Rows: "/scene,step,program", Columns: []results.Column{{Unit: "rays/s"}, {Unit: "rays/s", Base: "peer"}}},
		{Query: results.Query{Bench: "Rays"}, Rows: "/scene,/order,step,program", Columns: []results.Column{{Unit: "sec/ray", Form: "short"}, {Unit: "rays/s", Base: "peer"}}},
	} {
		spec.Words = page.Words
		table, err := results.Tabulate([]*results.Set{set}, spec)
		if err != nil {
			return err
		}
		if len(table.Rows) > 0 {
			slices.SortStableFunc(table.Rows, func(a, b []string) int { return strings.Compare(a[0], b[0]) })
			fmt.Fprint(w, "\n", table.Text())
		}
	}
	return nil
}

// plan lists the jobs.
func (p *peers) plan(env *cli.Env) error {
	var all []program
	if err := json.Unmarshal(programs, &all); err != nil {
		return fmt.Errorf("programs.json: %w", err)
	}
	missing := map[string]bool{}
	for i := range all {
		if !slices.ContainsFunc(strings.Fields(all[i].Kinds), func(kind string) bool { return strings.Contains(p.only, kind) }) {
			continue
		}
		for _, choice := range choices(all[i].Each) {
			j, there := job{program: &all[i], choice: choice, config: map[string]string{}}, true
			if all[i].Kinds == "rays" {
				j.config["gomaxprocs"] = "1"
			}
			for need, get := range all[i].Needs {
				need = p.words(need, j, 0)[0]
				_, err := os.Stat(need)
				if _, err2 := exec.LookPath(need); err != nil && err2 != nil {
					there = false
					if !missing[need] {
						fmt.Fprintf(env.Stdout, "%s is missing and left out; to get it: %s\n", need, get)
					}
					missing[need] = true
				}
			}
			if !there {
				continue
			}
			build := p.words(all[i].Build[strings.LastIndex(all[i].Build, "&")+1:], j, 0)
			if compiler := build[0]; compiler != "go" {
				version, _ := exec.Command(compiler, "--version").Output() // which was found
				j.config["compiler"], _, _ = strings.Cut(string(version), "\n")
				j.config["built"] = os.Expand(all[i].Build, func(key string) string { return cmp.Or(choice[key], "$"+key) })
			}
			if all[i].Package != "" {
				j.config["pkg"] = p.words(all[i].Package, j, 0)[0]
			}
			for j.scene = range strings.FieldsSeq(all[i].Scenes) {
				p.jobs = append(p.jobs, j)
			}
		}
	}
	return nil
}

// choices are those of one map of each list.
func choices(each [][]map[string]string) (all []map[string]string) {
	if len(each) == 0 {
		return []map[string]string{{}}
	}
	for _, a := range each[0] {
		for _, b := range choices(each[1:]) {
			maps.Copy(b, a)
			all = append(all, b)
		}
	}
	return all
}

// build carries out the builds, as many at a time as there are cores, and then what the
// programs need besides.
func (p *peers) build(ctx context.Context, env *cli.Env, root string) error {
	environment, ok := toolchain.WithSIMD(root)
	if !ok {
		fmt.Fprintf(env.Stdout, "This toolchain has no GOEXPERIMENT=%s for %s: beyond/wavefront is built without it\n", toolchain.SIMD, runtime.GOARCH)
	}
	fmt.Fprintln(env.Stderr, "building")
	run := func(ctx context.Context, commands [][]string) (err error) {
		for _, args := range commands {
			if err == nil && args[0] == "go" {
				_, err = cli.Output(ctx, root, environment, args[0], args[1:]...)
			} else if err == nil {
				_, err = cli.Output(ctx, "", nil, args[0], args[1:]...)
			}
		}
		return err
	}
	for _, text := range []func(j job) string{func(j job) string { return j.Build }, func(j job) string { return j.Prepare }} {
		group, ctx := errgroup.WithContext(ctx)
		group.SetLimit(runtime.GOMAXPROCS(0))
		done := map[string]bool{}
		for _, j := range p.jobs {
			for round := 1; round <= p.rounds && text(j) != ""; round++ {
				var commands [][]string
				for command := range strings.SplitSeq(text(j), "&&") {
					commands = append(commands, p.words(command, j, round))
				}
				if name := fmt.Sprint(commands); !done[name] {
					done[name] = true
					group.Go(func() error {
						if err := run(ctx, commands); err != nil {
							return fmt.Errorf("building for %s: %w", j.scene, err)
						}
						return nil
					})
				}
			}
		}
		if err := group.Wait(); err != nil {
			return err
		}
	}
	return nil
}

// call calls a program and returns its lines. What others find is compared with the
// tree's, and pictures that have to be the same with each other.
func (p *peers) call(ctx context.Context, j job, round int) (lines []*benchfmt.Result, err error) {
	args := p.words(j.Run, j, round)
	out, err := cli.Output(ctx, "", nil, args[0], args[1:]...)
	if err != nil {
		return nil, err
	}
	reader := benchfmt.NewReader(strings.NewReader(out), args[0])
	for reader.Scan() {
		r, ok := reader.Result().(*benchfmt.Result)
		if !ok {
			if err, ok := reader.Result().(*benchfmt.SyntaxError); ok {
				return nil, err
			}
			continue
		}
		r = r.Clone()
		for key, value := range j.config {
			results.SetConfig(r, key, value)
		}
		results.SetConfig(r, "link-order", strconv.Itoa(round))
		lines = append(lines, r)
		if others, _ := r.Value("others/op"); others > 1<<17/50 {
			return nil, fmt.Errorf("%.0f rays hit other spheres than those of the tree", others)
		}
		if key := strings.Join(p.words(j.choice["PICTURE"], j, 0), " "); key != "" {
			picture := r.GetConfig("picture")
			if p.pictures[key] = cmp.Or(p.pictures[key], picture); p.pictures[key] != picture {
				return nil, errors.New("its picture is not that of the other -march; want the same, as nothing is fused or reordered")
			}
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
