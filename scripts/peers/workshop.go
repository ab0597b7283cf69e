package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/steps"
	"raysteps/scripts/internal/tool"
)

// workshop builds programs and runs them.
type workshop struct {
	out     *cli.Env
	env     []string // of commands
	vars    map[string]string
	recipes map[string]*recipe
	ran     map[string]error // what came of the commands that build, by their text
	told    map[string]bool  // why something is left out
}

func newWorkshop(out *cli.Env, vars map[string]string) (*workshop, error) {
	recipes, err := readRecipes(recipesText)
	w := &workshop{out: out, vars: vars, recipes: recipes}
	w.ran, w.told = map[string]error{}, map[string]bool{}
	return w, err
}

// job is a program with a scene.
type job struct {
	program
	scene string
}

// recipe returns the recipe of a program with its variables in it, and a scene and a round if
// these are given.
func (w *workshop) recipe(x program, scene string, round int) (r recipe) {
	r = *w.recipes[x.recipe]
	vars := maps.Clone(w.vars)
	maps.Copy(vars, x.vars)
	vars["CLONE"] = r.clone(w.vars["CLONES"])
	vars["ROUND"] = strconv.Itoa(round)
	if scene != "" {
		vars["SCENE"] = scene
	}
	r.commands = slices.Clone(r.commands)
	for i, c := range r.commands {
		r.commands[i] = c.expand(vars)
	}
	return r
}

// command runs a command and returns what it prints.
func (w *workshop) command(ctx context.Context, c command) (string, error) {
	return tool.Output(ctx, "", w.env, c[0], c[1:]...)
}

// needs returns an error if the clone of a recipe is not there at its commit.
func (w *workshop) needs(ctx context.Context, r recipe) error {
	if r.repository == "" {
		return nil
	}
	folder, at := r.clone(w.vars["CLONES"]), "nowhere"
	if _, err := os.Stat(folder); err == nil {
		at, _ = w.command(ctx, command{"git", "-C", folder, "rev-parse", "HEAD"})
	}
	if at != r.commit {
		return fmt.Errorf("%s is at %s; want git clone https://%s %[1]s && git -C %[1]s checkout %[4]s", folder, at, r.repository, r.commit)
	}
	return nil
}

// make builds a program for a round, unless it was built before. What a program needs that has
// no scene is made by all of its commands.
func (w *workshop) make(ctx context.Context, x program, round int) error {
	r := w.recipe(x, "", round)
	err := w.needs(ctx, r)
	commands := r.commands
	if x.scenes != "" {
		commands = commands[:len(commands)-1]
	}
	for _, c := range commands {
		text := c.String()
		if _, done := w.ran[text]; err == nil && !done {
			_, w.ran[text] = w.command(ctx, c)
		}
		err = cmp.Or(err, w.ran[text])
	}
	return err
}

// build makes the programs for a round and returns what runs in it: all with all of their
// scenes, but for those that cannot be built. It says once why not.
func (w *workshop) build(ctx context.Context, all []program, round int) (jobs []job, err error) {
	bar := w.out.Progress(int64(len(all)), fmt.Sprint("building for round ", round))
	defer bar.Finish()
	for _, x := range all {
		if err := w.make(ctx, x, round); err == nil {
			for scene := range strings.FieldsSeq(x.scenes) {
				jobs = append(jobs, job{x, scene})
			}
		} else if ctx.Err() == nil && !w.told[err.Error()] {
			w.told[err.Error()] = true
			bar.Clear()
			line := fmt.Sprintf("Left out: %s, and what fails alike: %v", cmp.Or(x.pkg, x.recipe), err)
			fmt.Fprintln(w.out.Stdout, cli.Wrap(line))
		}
		bar.Add(1)
	}
	return jobs, ctx.Err()
}

// measure returns the lines of the rounds that are finished, and what stopped it.
func (w *workshop) measure(ctx context.Context, all []program, rounds int) (
	lines []*benchfmt.Result, stopped error) {
	for round := 1; round <= rounds; round++ {
		jobs, err := w.build(ctx, all, round)
		if err != nil {
			return lines, err
		}
		bar := w.out.Progress(int64(len(jobs)), fmt.Sprintf("round %d of %d", round, rounds))
		defer bar.Finish()
		rand.Shuffle(len(jobs), func(i, j int) { jobs[i], jobs[j] = jobs[j], jobs[i] })
		slices.SortStableFunc(jobs, func(a, b job) int { return strings.Compare(a.scene, b.scene) })
		done := len(lines)
		for _, j := range jobs { // scene by scene, so that what is compared runs within a minute
			some, err := w.run(ctx, j, round)
			if err != nil {
				return lines[:done], fmt.Errorf("%s %s, scene %s: %w", j.recipe, j.pkg, j.scene, err)
			}
			lines = append(lines, some...)
			bar.Add(1)
		}
	}
	return lines, nil
}

// run runs a job and reads the lines that it prints.
func (w *workshop) run(ctx context.Context, j job, round int) (lines []*benchfmt.Result, err error) {
	r := w.recipe(j.program, j.scene, round)
	out, err := w.command(ctx, r.commands[len(r.commands)-1])
	if err != nil {
		return nil, err
	}
	if lines, err = results.Parse([]byte(out), "output"); err == nil && len(lines) == 0 {
		err = fmt.Errorf("it printed no benchmark line: %s", out)
	}
	if err != nil {
		return nil, err
	}
	config := w.config(ctx, j.program, round)
	for _, line := range lines {
		for _, c := range config {
			results.SetConfig(line, c[0], cmp.Or(c[1], line.GetConfig(c[0])))
		}
		if err := clean(line, j.scene); err != nil {
			return nil, err
		}
	}
	return lines, w.hold(j, lines[0])
}

// hold adds to a line by how much the picture of a program differs from that of step 13, and returns
// an error if it is too much.
func (w *workshop) hold(j job, line *benchfmt.Result) error {
	if j.against == "" {
		return nil
	}
	name := func(recipe string) string { return filepath.Join(w.vars["BIN"], recipe+"-"+j.scene+".png") }
	d, err := difference(name(j.recipe), name(j.against))
	if err == nil && j.within > 0 && d > j.within {
		err = fmt.Errorf("its picture differs from that of step 13 by %.2f of what chance explains; want at most %g", d, j.within)
	}
	line.Values = append(line.Values, benchfmt.Value{Value: d, Unit: "difference/chance"})
	return err
}

// config says how a program was built, by configuration keys.
func (w *workshop) config(ctx context.Context, x program, round int) (config [][2]string) {
	config = [][2]string{{"link-order", strconv.Itoa(round)}, {"pkg", x.pkg}, {"commit", w.recipes[x.recipe].commit}}
	if cxx := x.vars["CXX"]; cxx != "" {
		version, _ := w.command(ctx, command{cxx, "--version"}) // it has built the program
		first, _, _ := strings.Cut(version, "\n")
		config = append(config, [2]string{"compiler", first})
	}
	if x.vars["CXX"] != "" || w.recipes[x.recipe].repository != "" {
		config = append(config, [2]string{"built", w.built(x)})
	}
	if x.kinds == "rays" {
		config = append(config, [2]string{"gomaxprocs", "1"})
	}
	return config
}

// built is the last of the commands that build a program, with the folders of no machine in it.
func (w *workshop) built(x program) string {
	commands := w.recipes[x.recipe].commands
	return commands[len(commands)-2].expand(x.vars).String()
}

// clean gives a line of ours the name that those of others have, and takes out what compares
// nothing. What others find is compared with what the tree does.
func clean(line *benchfmt.Result, scene string) error {
	if slice, ok := steps.ParseSliceName(string(line.Name)); ok && slice.Function == "Picture" {
		results.SetConfig(line, "kernel", slice.Form)
		line.Name = benchfmt.Name("Picture/scene=" + scene)
		line.Values = slices.DeleteFunc(line.Values, func(v benchfmt.Value) bool {
			return v.Unit == "crc32" || strings.HasPrefix(v.Unit, "odd-")
		})
	}
	if others, _ := line.Value("others/op"); others > 1<<17/50 {
		return fmt.Errorf("%.0f rays hit other spheres than those of the tree", others)
	}
	return nil
}
