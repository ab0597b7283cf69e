package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"raysteps/common"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/measure"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/steps"
)

// measurement is what takes part, and what came of it.
type measurement struct {
	options
	measure.Measurement
	env       *cli.Env
	root, tmp string // folders: of the module, and for what is built
	start     time.Time
	files     int      // in that folder
	binaries  int      // that stand beside each other and differ in their link order alone; 0 for one
	simd      []string // environment of packages that want GOEXPERIMENT=simd; nil before it is asked for

	counted []*benchfmt.Result
	set     *results.Set // of all lines, once it is over
}

// run measures what the flags ask for and prints what it found.
func run(ctx context.Context, env *cli.Env, asked kind, o options) (err error) {
	m := &measurement{options: o, env: env}
	if m.root, err = cli.ModuleRoot(); err != nil {
		return err
	}
	if m.tmp, err = os.MkdirTemp("", "raysteps-bench-"); err != nil {
		return err
	}
	defer os.RemoveAll(m.tmp)
	unlock, err := cli.LockMeasuring(ctx, env)
	if err != nil {
		return err
	}
	defer unlock()
	m.start = time.Now()
	if err := asked.plan(ctx, m); err != nil {
		return err
	}
	stopped := m.measure(ctx)
	lines := m.allLines()
	if len(lines) == 0 {
		return stopped
	}
	if m.set, err = results.Of(lines, "this run"); err != nil {
		return err
	}
	m.set.Partial = true // what was not measured is left out
	file := ""
	if _, ofNoPage := asked.(*against); !ofNoPage || m.out != "" {
		if file, err = results.Record(ctx, m.root, m.out, lines); err != nil {
			return err
		}
	}
	if stopped != nil {
		fmt.Fprintf(env.Stdout, "Stopped early: %d launches are finished and kept.\n\n", m.Done)
	}
	err = asked.print(m)
	if file != "" {
		fmt.Fprintf(env.Stdout, "The measurements are in %s.\n", file)
	}
	if file != m.out {
		fmt.Fprint(env.Stdout, "To see them in the README and the pages: go run ./scripts/readme; to take them out again: go run ./scripts/readme -reset\n")
	}
	return cmp.Or(stopped, err)
}

// measure takes the time that the flags say, or for so long and in so many link orders.
func (m *measurement) measure(ctx context.Context) error {
	bar := m.env.Progress(int64(m.limit/time.Second), "measuring")
	defer bar.Finish()
	defer m.env.EachMinute(func() string {
		return fmt.Sprintf("bench: %v of %v, %d link orders", time.Since(m.start).Round(time.Second), m.limit, m.Done)
	})()
	m.Before = func(int) { bar.Set(int(time.Since(m.start) / time.Second)) }
	m.Wanted, m.End = fewest, m.start.Add(m.limit)
	return m.Run(ctx)
}

// fewest is how many link orders give an interval. If time is short each has fewer rounds,
// so that so many fit in.
const fewest = 4

// defaults sets how long is measured if no flag says it, and in how many link orders.
func (m *measurement) defaults(orders, rounds int, limit time.Duration) {
	m.Rounds = rounds
	switch {
	case m.limit == 0 && m.quick:
		m.limit = 94 * time.Second
	case m.limit == 0:
		m.Orders, m.limit = orders, limit
	}
}

// find returns packages of a tree, for a build. None of them is written to.
func (m *measurement) find(ctx context.Context, root string, b build, patterns ...string) ([]*measure.Package, error) {
	m.files++
	env := append(b.environment(), "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -trimpath -pgo=off"))
	return measure.Find(ctx, root, filepath.Join(m.tmp, fmt.Sprint("overlay", m.files)), env, patterns...)
}

// side makes a package a side.
func (m *measurement) side(p *measure.Package, config map[string]string, flags ...string) *measure.Side {
	m.files++
	first := 1 + m.files<<20 // so that each side has link orders of its own
	return p.Side(filepath.Join(m.tmp, fmt.Sprint(m.files, ".exe")), func(order int) int { return first + order }, config, flags...)
}

// allSteps is the package whose benchmarks render with all steps.
const allSteps = "./scripts/internal/tracers"

// tracers returns that package of a tree.
func (m *measurement) tracers(ctx context.Context, root string, b build) (*measure.Package, error) {
	found, err := m.find(ctx, root, b, allSteps)
	if err != nil {
		return nil, err
	}
	return found[0], nil
}

const (
	sliceTime  = 3 * time.Millisecond  // that a slice takes at least, if it can be made longer
	workerTime = 50 * time.Millisecond // the same for workers: for the first milliseconds the system may run them on one core
	longest    = 2 * time.Second       // of a slice; a tracer that takes longer takes no part
)

// addRenders adds groups of the benchmarks of steps in a function, one for each scene, to a
// unit, whose sides are of the package of all steps. A slice of workers takes long, and so
// they have few.
func (m *measurement) addRenders(ctx context.Context, u *measure.Unit, function string, chosen []steps.Step, few int) error {
	if err := u.Sides[0].Link(ctx, 0); err != nil {
		return fmt.Errorf("building the steps: %w", err)
	}
	groups := map[string]*measure.Group{}
	for _, workers := range []bool{false, true} {
		var names []string
		for _, step := range chosen {
			if step.Workers == workers {
				names = append(names, step.Short())
			}
		}
		if len(names) == 0 {
			continue
		}
		cpu, all, slice, slices := 1, 0, sliceTime, 0
		if workers && function != "Sizes" {
			cpu, all, slice, slices = runtime.GOMAXPROCS(0), runtime.GOMAXPROCS(0), workerTime, few
		}
		if function == "Full" {
			slices = 1
		}
		found, err := u.Sides[0].Benchmarks(ctx, "Benchmark"+function, "^Benchmark"+function+"$/^step=("+strings.Join(names, "|")+")$", cpu, slice)
		if err != nil {
			return err
		}
		for _, b := range found {
			if b.Failure != "" {
				return fmt.Errorf("%s: %s", b.Name, b.Failure)
			}
			if b.Took > longest && function != "Full" {
				continue
			}
			_, scene, _ := strings.Cut(keys.ReplaceAllString(b.Name, ""), "/")
			if groups[scene] == nil {
				groups[scene] = &measure.Group{}
				u.Groups = append(u.Groups, groups[scene])
			}
			for side := range u.Sides {
				groups[scene].Subjects = append(groups[scene].Subjects, &measure.Subject{Side: side, Name: b.Name, N: b.N, CPU: cpu, Workers: all, Few: slices, Edit: ofStep})
			}
		}
	}
	return nil
}

// addVariants adds a group of the benchmarks of a function.
func (m *measurement) addVariants(ctx context.Context, u *measure.Unit, function string, slice time.Duration) error {
	cpu, g := runtime.GOMAXPROCS(0), &measure.Group{}
	found, err := u.Sides[0].Benchmarks(ctx, function, "^"+function+"$", cpu, slice)
	for _, b := range found {
		if b.Failure != "" {
			return fmt.Errorf("%s: %s", b.Name, b.Failure)
		}
		g.Subjects = append(g.Subjects, &measure.Subject{Name: b.Name, N: b.N, CPU: cpu})
	}
	u.Groups = append(u.Groups, g)
	return err
}

// keys are what a name says of a step, and the number of processors.
var keys = regexp.MustCompile(`/(step|as)=([^/]+)|-\d+$`)

// ofStep makes a line of the benchmarks of all steps one of the package of its step.
func ofStep(line *benchfmt.Result) {
	name, whole := string(line.Name), common.Default()
	config := map[string]string{"size": fmt.Sprintf("%dx%d", whole.Width, whole.Height), "samples": strconv.Itoa(whole.Samples)}
	for _, m := range keys.FindAllStringSubmatch(name, -1) {
		switch m[1] {
		case "step":
			step, _ := steps.Find(m[2]) // which it was measured by
			config["pkg"], config["kernel"] = step.Package(), step.Kernel
		case "as":
			config["kernel"] = m[2]
		}
		if m[1] != "" {
			name = strings.Replace(name, m[0], "", 1)
		}
	}
	line.Name = benchfmt.Name(strings.Replace(name, "Sizes/", "Render/", 1))
	full := strings.HasPrefix(name, "Full/")
	if !full {
		config["blocks"] = "drawn for a cycle"
	}
	var values []benchfmt.Value
	for _, v := range line.Values {
		switch _, odd := strings.CutPrefix(v.Unit, "odd-"); {
		case odd:
			config["place"] += " " + []string{"even", "odd"}[int(v.Value+0.5)]
		case full && (v.Unit == "sec/op" || v.Unit == "rays/op"), v.Unit == "rays/s", v.Unit == "processors":
			values = append(values, v)
		}
	}
	line.Values = values
	for _, key := range []string{"pkg", "kernel", "size", "samples", "blocks", "place"} {
		measure.SetConfig(line, key, strings.TrimSpace(config[key]))
	}
}

// allLines returns what was measured and counted. Where two processes stand beside each
// other that are linked alike but for the order, each is a link order of its own. There the
// first step of the second process over that of the first is noise.
func (m *measurement) allLines() (all []*benchfmt.Result) {
	for _, line := range m.Lines() {
		side := line.GetConfig(sideKey)
		measure.SetConfig(line, sideKey, "")
		if side != "" {
			order, _ := strconv.Atoi(line.GetConfig("link-order"))
			measure.SetConfig(line, "link-order", strconv.Itoa(2*order-1))
			if step := steps.All()[0]; side == "2" && line.GetConfig("pkg") == step.Package() {
				noise := line.Clone()
				measure.SetConfig(noise, "pkg", results.Again)
				all = append(all, noise)
			}
			if side == "2" {
				measure.SetConfig(line, "link-order", strconv.Itoa(2*order))
			}
		}
		all = append(all, line)
	}
	return append(all, m.counted...)
}

// sideKey is the configuration that tells two such processes apart.
const sideKey = "side"
