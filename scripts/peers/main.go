package main

import (
	"cmp"
	"context"
	_ "embed" // for the programs
	"encoding/json"
	"errors"
	"flag"
	"fmt"
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

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/launch"
	"raysteps/scripts/internal/results"
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
		flags.StringVar(&p.out, "o", "", "merge the measurements into this `file`, not into that of this machine")
		return p.run
	},
}

//go:embed programs.json
var programs []byte

// program is an entry of programs.json. In its texts $KEY stands for a folder, for the
// round or the scene, or for what a choice of Each has under that key.
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
	all                             []*benchfmt.Result
	pictures                        map[string]string // that have to be the same
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
	bar := env.Progress(int64(p.rounds*len(p.jobs)), "measuring")
	defer bar.Finish()
	done := 0 // lines of finished rounds, which are kept
	var stopped error
measuring:
	for round := 1; round <= p.rounds; round++ {
		// Scene by scene, so that what is compared runs within some seconds.
		rand.Shuffle(len(p.jobs), func(i, j int) { p.jobs[i], p.jobs[j] = p.jobs[j], p.jobs[i] })
		slices.SortStableFunc(p.jobs, func(a, b job) int { return strings.Compare(a.scene, b.scene) })
		for _, j := range p.jobs {
			if stopped = p.measure(ctx, j, round); stopped != nil {
				stopped = fmt.Errorf("%s: %w", strings.Join(p.words(j.Run, j, round), " "), stopped)
				break measuring
			}
			bar.Add(1)
		}
		done = len(p.all)
	}
	if done == 0 {
		return stopped
	}
	where, err := results.Record(ctx, root, p.out, p.all[:done])
	fmt.Fprintf(env.Stdout, "Measured for %v, building included. The measurements are in %s.\n", time.Since(start).Round(time.Second), where)
	return errors.Join(stopped, err)
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
	l := &launch.Linker{Root: root, Bin: p.keys["BIN"]}
	l.UseSIMD("beyond/wavefront")
	fmt.Fprint(env.Stdout, l.Note)
	fmt.Fprintln(env.Stderr, "building")
	for _, text := range []func(j job) string{func(j job) string { return j.Build }, func(j job) string { return j.Prepare }} {
		group, ctx := errgroup.WithContext(ctx)
		group.SetLimit(runtime.GOMAXPROCS(0))
		done := map[string]bool{"": true}
		for i := range p.jobs {
			for round := 1; round <= p.rounds; round++ {
				j, all := p.jobs[i], text(p.jobs[i])
				name := strings.Join(p.words(all, j, round), " ")
				if done[name] {
					continue
				}
				done[name] = true
				group.Go(func() (err error) {
					for command := range strings.SplitSeq(all, "&&") {
						args := p.words(command, j, round)
						if args[0] == "go" {
							_, err = l.Go(ctx, launch.Build{}, args[1:]...)
						} else {
							_, err = cli.Output(ctx, "", nil, args[0], args[1:]...)
						}
						if err != nil {
							return fmt.Errorf("building for %s: %w", j.scene, err)
						}
					}
					return nil
				})
			}
		}
		if err := group.Wait(); err != nil {
			return err
		}
	}
	return nil
}

// measure calls a program and keeps its lines. What others find is compared with the
// tree's, and the pictures of a compiler that may neither fuse nor reorder.
func (p *peers) measure(ctx context.Context, j job, round int) error {
	args := p.words(j.Run, j, round)
	out, err := cli.Output(ctx, "", nil, args[0], args[1:]...)
	if err != nil {
		return err
	}
	n, reader := len(p.all), benchfmt.NewReader(strings.NewReader(out), "")
	for reader.Scan() {
		r, ok := reader.Result().(*benchfmt.Result)
		if !ok {
			continue
		}
		r = r.Clone()
		for key, value := range j.config {
			results.SetConfig(r, key, value)
		}
		results.SetConfig(r, "link-order", strconv.Itoa(round))
		p.all = append(p.all, r)
		if others, _ := r.Value("others/op"); others > 1<<17/50 {
			return fmt.Errorf("%.0f rays hit other spheres than those of the tree", others)
		}
		if strings.Contains(r.GetConfig("pkg"), "fp-contract=off") {
			key := strings.NewReplacer("native", "", "x86-64-v2", "").Replace(r.GetConfig("pkg")) + string(r.Name)
			picture := r.GetConfig("picture")
			if p.pictures[key] = cmp.Or(p.pictures[key], picture); p.pictures[key] != picture {
				return errors.New("its picture is not that of the other -march; want the same, as nothing is fused or reordered")
			}
		}
	}
	if len(p.all) == n {
		return fmt.Errorf("it printed no benchmark line: %s", out)
	}
	return nil
}
