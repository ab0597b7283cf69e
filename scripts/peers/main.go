// Peers measures programs that others wrote, in C++, beside ours: on the same rays, and
// by whole pictures of the same scenes.
package main

import (
	"bytes"
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
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/sync/errgroup"

	"raysteps/common/scene"
	"raysteps/common/turns"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/launch"
	"raysteps/scripts/internal/results"
)

func main() { cli.Main(command) }

var command = cli.Command{
	Name:     "peers",
	Synopsis: "[flags]",
	Help: `Peers builds programs of others, with what scripts/peers/cpp has for them, and ours;
scripts/peers/programs.json has their commands. It measures them in turns, scene by
scene, in rounds for which ours are linked in other orders:

  rays      the closest hits of the same recorded rays, on one core: the tree, the
            wavefront, step 12, and Embree by rtcIntersect1, 8 and 16
  pictures  1280x720 with four samples: our steps, the article's program, Toy Path
            Tracer, and a path tracer over Embree that draws the numbers of the tree
  flags     the article's steps 9 to 12 with and without FMA and -ffast-math, and ours

All have our clock, with the conversion to 8 bits inside. What is missing is said, and
left out. Ours find the same hits as the others but for one ray in fifty.`,
	Examples: `
		apt-get install g++ clang-19 lld-19 libembree-dev
		git clone https://github.com/montib/rays1bench ../rays1bench
		git clone https://github.com/aras-p/ToyPathTracer ../ToyPathTracer
		go run ./scripts/peers                            # about a quarter of an hour
		go run ./scripts/peers -only rays -rounds 3
		go run ./scripts/peers -embree ../embree/install  # beside a build of Embree 4`,
	Setup: func(flags *flag.FlagSet) cli.Run {
		p := &peers{folders: map[string]string{}}
		folder := func(name, key, value, usage string) {
			p.folders[key], _ = filepath.Abs(value)
			flags.Func(name, usage, func(value string) (err error) {
				p.folders[key], err = filepath.Abs(value)
				return err
			})
		}
		folder("article", "ARTICLE", "../rays1bench", "the `folder` of the article's repository (default ../rays1bench)")
		folder("toy", "TOY", "../ToyPathTracer", "the `folder` of Toy Path Tracer (default ../ToyPathTracer)")
		folder("embree", "EMBREE", "/usr", "the `folder` below which Embree is installed (default /usr)")
		flags.StringVar(&p.only, "only", "rays,pictures,flags", "a `list` of what to measure")
		flags.IntVar(&p.rounds, "rounds", 5, "`number` of rounds")
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
	Needs                  map[string]string // files, and commands by their names; how to get them
	Each                   [][]map[string]string
	Copy, To               string            // a folder, before the build
	Defines                map[string]string // macros to change in Config.h of the copy
	Build, Run             string
}

type peers struct {
	folders   map[string]string // by key
	only, out string
	rounds    int
	jobs      []job
	all       []*benchfmt.Result
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
			return cmp.Or(j.choice[key], p.folders[key], map[string]string{"ROUND": strconv.Itoa(round), "SCENE": j.scene}[key])
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
	p.folders["CPP"] = filepath.Join(root, "scripts", "peers", "cpp")
	if p.folders["BIN"], err = os.MkdirTemp("", "raysteps-peers-"); err != nil {
		return err
	}
	defer os.RemoveAll(p.folders["BIN"])
	if err := cmp.Or(p.plan(env), p.build(ctx, env, root)); err != nil {
		return err
	}
	bar := env.Progress(int64(p.rounds*len(p.jobs)), "measuring")
	defer bar.Finish()
	for round := 1; round <= p.rounds; round++ {
		// Scene by scene, so that what is compared runs within some seconds.
		rand.Shuffle(len(p.jobs), func(i, j int) { p.jobs[i], p.jobs[j] = p.jobs[j], p.jobs[i] })
		slices.SortStableFunc(p.jobs, func(a, b job) int { return strings.Compare(a.scene, b.scene) })
		for _, j := range p.jobs {
			if err := p.measure(ctx, j, round); err != nil {
				return fmt.Errorf("%s: %w", strings.Join(p.words(j.Run, j, round), " "), err)
			}
			bar.Add(1)
		}
	}
	bar.Clear()
	where, err := results.Record(root, p.out, p.all)
	fmt.Fprintf(env.Stdout, "Measured for %v, building included: %d rounds. The measurements are in %s.\n", time.Since(start).Round(time.Second), p.rounds, where)
	return err
}

// plan lists the jobs.
func (p *peers) plan(env *cli.Env) error {
	p.folders["MAJOR"] = "3"
	if _, err := os.Stat(filepath.Join(p.folders["EMBREE"], "include", "embree4", "rtcore.h")); err == nil {
		p.folders["MAJOR"] = "4"
	}
	var all []program
	if err := json.Unmarshal(programs, &all); err != nil {
		return fmt.Errorf("programs.json: %w", err)
	}
	missing, others := map[string]bool{}, 0
	for i := range all {
		if !slices.ContainsFunc(strings.Fields(all[i].Kinds), func(kind string) bool { return strings.Contains(p.only, kind) }) {
			continue
		}
		choices := []map[string]string{{}}
		for _, more := range all[i].Each {
			var next []map[string]string
			for _, a := range choices {
				for _, b := range more {
					both := maps.Clone(a)
					maps.Copy(both, b)
					next = append(next, both)
				}
			}
			choices = next
		}
		for _, choice := range choices {
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
			if compiler := strings.Fields(all[i].Build)[0]; compiler != "go" {
				compiler = p.words(compiler, j, 0)[0]
				version, _ := exec.Command(compiler, "--version").Output() // which was found
				j.config["compiler"], _, _ = strings.Cut(string(version), "\n")
				j.config["built"] = os.Expand(all[i].Build, func(key string) string { return cmp.Or(choice[key], "$"+key) })
				others++
			}
			if all[i].Package != "" {
				j.config["pkg"] = p.words(all[i].Package, j, 0)[0]
			}
			for j.scene = range strings.FieldsSeq(all[i].Scenes) {
				p.jobs = append(p.jobs, j)
			}
		}
	}
	if others == 0 {
		return errors.New("no program of others is left to measure")
	}
	return nil
}

// build carries out the builds, as many at a time as there are cores, and then writes the
// scenes and the rays.
func (p *peers) build(ctx context.Context, env *cli.Env, root string) error {
	l := &launch.Linker{Root: root, Bin: p.folders["BIN"]}
	if err := l.UseSIMD([]launch.Variant{{Package: cli.Module + "/beyond/wavefront"}}); err != nil {
		return err
	}
	if l.Note != "" {
		fmt.Fprintln(env.Stdout, l.Note)
	}
	group, ctx2 := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	done := map[string]bool{}
	for _, j := range p.jobs {
		for round := 1; round <= p.rounds; round++ {
			args := p.words(j.Build, j, round)
			if done[strings.Join(args, " ")] {
				continue
			}
			done[strings.Join(args, " ")] = true
			if err := p.copy(j); err != nil {
				return err
			}
			group.Go(func() (err error) {
				if args[0] == "go" {
					_, err = l.Go(ctx2, launch.Build{}, args[1:]...)
				} else {
					_, err = cli.Output(ctx2, exec.CommandContext(ctx2, args[0], args[1:]...))
				}
				return err
			})
		}
	}
	if err := group.Wait(); err != nil {
		return fmt.Errorf("building: %w", err)
	}
	for _, j := range p.jobs {
		var err error
		switch file := strings.Fields(j.Run)[0]; {
		case file == "$BIN/embree":
			err = p.writeScene(j.scene)
		case file == "$BIN/tree-$ROUND":
			words := p.words("$BIN/tree-1 -test.run ^TestRecordRays -recorded $BIN/$SCENE.rays", j, 1)
			_, err = cli.Output(ctx, exec.CommandContext(ctx, words[0], words[1:]...))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// copy copies the folder of a program, if it wants that, and changes macros.
func (p *peers) copy(j job) error {
	if j.Copy == "" {
		return nil
	}
	to := p.words(j.To, j, 0)[0]
	err := os.CopyFS(to, os.DirFS(p.words(j.Copy, j, 0)[0]))
	config := filepath.Join(to, "Config.h")
	text, err2 := os.ReadFile(config)
	for name, value := range j.Defines {
		text = regexp.MustCompile(`(?m)^(#define `+name+`)\s.*$`).ReplaceAll(text, []byte("$1 "+p.words(value, j, 0)[0]))
	}
	return errors.Join(err, err2, os.WriteFile(config, text, 0o644))
}

// writeScene writes a line for the camera of a scene (from, at, up, vertical field of
// view, aperture, focus), and one for each sphere (center, radius, kind, albedo, fuzz,
// index).
func (p *peers) writeScene(name string) error {
	sc, err := scene.ByName(name)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	c := &sc.Camera
	fmt.Fprintln(&text, c.From, c.At, c.Up, c.FOV, c.Aperture, c.Focus)
	for _, s := range sc.Spheres {
		fmt.Fprintln(&text, s.Center, s.Radius, uint8(s.Material.Kind), s.Material.Albedo, s.Material.Fuzz, s.Material.Index)
	}
	plain := strings.NewReplacer("[", "", "]", "").Replace(text.String()) // of arrays
	return os.WriteFile(filepath.Join(p.folders["BIN"], name+".scene"), []byte(plain), 0o644)
}

// measure calls a program and keeps its lines. What others find is compared with the
// tree's, and the pictures of a compiler that may neither fuse nor reorder.
func (p *peers) measure(ctx context.Context, j job, round int) error {
	args := p.words(j.Run, j, round)
	out, err := cli.Output(ctx, exec.CommandContext(ctx, args[0], args[1:]...))
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
			turns.Set(r, key, value)
		}
		turns.Set(r, "link-order", strconv.Itoa(round))
		p.all = append(p.all, r)
		others, _ := r.Value("others/op")
		if others > 1<<17/50 {
			return fmt.Errorf("%.0f rays hit other spheres than those of the tree", others)
		}
	}
	if len(p.all) == n {
		return fmt.Errorf("it printed no benchmark line: %s", out)
	}
	return nil
}
