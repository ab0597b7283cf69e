package main

import (
	"cmp"
	"context"
	"fmt"
	"image"
	"maps"
	"math"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"raysteps/common/turns"
	"raysteps/common/turns/benchturns"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/estimate"
	"raysteps/scripts/internal/launch"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/steps"
)

// measurement is what takes part, and what came of it.
type measurement struct {
	options
	env       *cli.Env
	root, bin string // folders of the module and for binaries
	orders    int    // link orders at the most, or 0
	units     []*unit
	enough    func() bool // ends it before the time is up; nil if nothing does

	start time.Time
	done  int // link orders
	lines []*benchfmt.Result
	slow  []float64    // see [estimate.Slowness]
	set   *results.Set // of all lines, once it is over
}

// unit is what is launched together: its sides take turns with each other.
type unit struct {
	sides   []side
	tracers []turns.Picture // of each side, if these are launchers
	groups  []launch.Group
}

// side is a program of a unit.
type side struct {
	program                   // a [launch.Program], but for tests
	config  map[string]string // of all its lines
}

type program interface {
	Link(ctx context.Context, env *cli.Env, orders int) error
	Start(ctx context.Context, order int) (launch.Server, error)
}

// run measures what the flags ask for and prints what it found.
func run(ctx context.Context, env *cli.Env, asked kind, o options) (err error) {
	m := &measurement{options: o, env: env}
	if m.root, err = cli.ModuleRoot(); err != nil {
		return err
	}
	if m.bin, err = os.MkdirTemp("", "raysteps-bench-"); err != nil {
		return err
	}
	defer os.RemoveAll(m.bin)
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
	if len(m.lines) == 0 {
		return stopped
	}
	if m.set, err = results.Of(m.lines, "this run"); err != nil {
		return err
	}
	m.set.Partial = true // what was not measured is left out
	file := ""
	if _, ofNoPage := asked.(*against); !ofNoPage || m.out != "" {
		if file, err = results.Record(ctx, m.root, m.out, m.lines); err != nil {
			return err
		}
	}
	if stopped != nil {
		fmt.Fprintf(env.Stdout, "Stopped early: %d launches are finished and kept.\n\n", m.done)
	}
	err = asked.print(m)
	if file != "" {
		fmt.Fprintf(env.Stdout, "The measurements are in %s.\n", file)
	}
	if file != m.out {
		fmt.Fprint(env.Stdout, "To see them in the pages: go run ./scripts/readme; to take them out again: go run ./scripts/readme -reset\n")
	}
	return cmp.Or(stopped, err)
}

const (
	cycles = 15 // slices of each subject in a launch: more link orders tell more than more slices
	fewest = 4  // link orders; if time is short each has fewer cycles, so that so many fit in
)

// measure launches one link order after the other until the time is up. What stops it
// is an error, beside what was measured before.
func (m *measurement) measure(ctx context.Context) error {
	if len(m.units) == 0 {
		return nil
	}
	bar := m.env.Progress(int64(m.limit/time.Second), "measuring")
	defer bar.Finish()
	defer m.env.EachMinute(func() string {
		return fmt.Sprintf("bench: %v of %v, %d link orders", time.Since(m.start).Round(time.Second), m.limit, m.done)
	})()
	end := m.start.Add(m.limit)
	for ; m.orders == 0 || m.done < m.orders; m.done++ {
		left := time.Until(end)
		if m.done > 0 && left <= 0 || m.done >= fewest && (left < time.Since(m.start)/time.Duration(m.done) || m.enough != nil && m.enough()) {
			break
		}
		if more := max(2, min(8, runtime.GOMAXPROCS(0))); m.done%more == 0 {
			bar.Clear()
			for _, u := range m.units {
				for _, s := range u.sides {
					if err := s.Link(ctx, m.env, m.done+more); err != nil {
						return err
					}
				}
			}
		}
		bar.Set(int(time.Since(m.start) / time.Second))
		share := time.Until(end) / time.Duration(max(1, fewest-m.done)) // of this link order
		launched := time.Now()
		for i, u := range m.units {
			rest := time.Until(launched.Add(share)) / time.Duration(len(m.units)-i)
			lines, err := m.launch(ctx, u, time.Now().Add(rest))
			if err != nil {
				return err
			}
			m.lines = append(m.lines, lines...)
		}
	}
	return nil
}

// launch launches a unit once and returns a line of what each of its subjects says.
func (m *measurement) launch(ctx context.Context, u *unit, until time.Time) (lines []*benchfmt.Result, err error) {
	var servers []launch.Server
	for _, s := range u.sides {
		server, err2 := s.Start(ctx, m.done)
		if err2 != nil {
			return nil, err2
		}
		defer func() { err = cmp.Or(err, server.Close()) }()
		servers = append(servers, server)
	}
	for i, group := range u.groups {
		group.Until = time.Now().Add(time.Until(until) / time.Duration(len(u.groups)-i))
		subjects, cycles, err := group.Take(servers)
		if err != nil {
			return nil, err
		}
		lines = append(lines, m.summarize(u, subjects, cycles)...)
	}
	return lines, nil
}

// summarize returns a line for each subject with one figure a unit.
func (m *measurement) summarize(u *unit, subjects []launch.Subject, cycles [][]turns.Values) (lines []*benchfmt.Result) {
	for i := range subjects {
		keepGiven(cycles, i)
	}
	for i, level := range estimate.Levels(cycles) {
		if len(level) == 0 {
			continue
		}
		line := &benchfmt.Result{Name: benchfmt.Name(subjects[i].Name)}
		for _, cycle := range cycles {
			if cycle[i] != nil {
				line.Iters++
			}
		}
		for _, unit := range slices.Sorted(maps.Keys(level)) {
			if unit != turns.SliceTime && unit != benchturns.Iterations {
				line.Values = append(line.Values, benchfmt.Value{Value: level[unit], Unit: unit})
			}
		}
		for _, config := range []map[string]string{subjects[i].Config, u.sides[subjects[i].Server].config, {"link-order": strconv.Itoa(m.done + 1)}} {
			for _, key := range slices.Sorted(maps.Keys(config)) {
				results.SetConfig(line, key, config[key])
			}
		}
		lines = append(lines, line)
	}
	m.slow = append(m.slow, estimate.Slowness(cycles, "rays/s")...)
	return lines
}

// keepGiven leaves out slices of a subject with workers from which other programs took
// processors, unless it happened to all.
func keepGiven(cycles [][]turns.Values, i int) {
	taken := func(cycle []turns.Values) bool { return results.Lacks(cycle[i]["processors"], runtime.GOMAXPROCS(0)) }
	if slices.ContainsFunc(cycles, func(cycle []turns.Values) bool { return cycle[i] != nil && !taken(cycle) }) {
		for _, cycle := range cycles {
			if taken(cycle) {
				cycle[i] = nil
			}
		}
	}
}

// addSteps adds a side with the chosen steps to a unit. With again, a copy of the first
// step stands beside them, linked at another place: what it differs by is noise.
func (m *measurement) addSteps(ctx context.Context, u *unit, l *launch.Linker, build launch.Build, name string, chosen []steps.Step, again bool) error {
	packages := steps.Packages(chosen)
	if again && chosen[0].Number == 1 {
		packages = append(packages, results.Again)
	}
	program, err := l.Launcher(ctx, m.env, "the steps", build, packages)
	if err != nil {
		return err
	}
	if l.Note != "" {
		fmt.Fprintf(m.env.Stdout, "%s\n\n", l.Note)
	}
	program.Offset = len(u.sides) << 20 // so that each side has link orders of its own
	u.sides = append(u.sides, side{program, map[string]string{buildKey: name, "goversion": build.Toolchain, "goamd64": build.Level, "pgo": strings.Replace(build.PGO, "+pgo", "on", 1)}})
	u.tracers = nil
	for i, pkg := range packages {
		workers := 1
		if i < len(chosen) && chosen[i].Workers {
			workers = runtime.GOMAXPROCS(0)
		}
		u.tracers = append(u.tracers, turns.Picture{Package: pkg, Workers: workers, Times: 1})
	}
	return nil
}

const (
	sliceTime  = 3 * time.Millisecond  // that a slice takes at least, if it can be made longer
	workerTime = 50 * time.Millisecond // the same for workers
	longest    = 2 * time.Second       // of a slice; a tracer that takes longer takes no part
)

// Workers render larger blocks, each of which is several tiles: a fifth of the picture,
// or several.
var workerBlock = image.Pt(64, 64)

const workerShare = 5

// workerSlices is how many slices of workers are in a launch.
const workerSlices = 4

// addScenes decides what the tracers of all sides render of each scene, and adds a group
// for each, whose benchmarks have a name. The slices of tracers on one core have the same
// number of blocks, or several times as many if they are faster, so that all take about as
// long.
func (m *measurement) addScenes(ctx context.Context, u *unit, name string, scenes []string) error {
	first := u.sides[0]
	if err := first.Link(ctx, m.env, 1); err != nil {
		return err
	}
	server, err := first.Start(ctx, 0)
	if err != nil {
		return err
	}
	for _, sc := range scenes {
		work, err := calibrate(server, launch.Pictures(name, sc, u.tracers))
		if err != nil {
			return err
		}
		group := launch.Group{Cycles: cycles, Reload: true, Workers: workerSlices}
		if !slices.ContainsFunc(work, func(w turns.Picture) bool { return w.Workers == 1 }) {
			group.Cycles = workerSlices
		}
		group.Load = launch.Pictures(name, sc, slices.DeleteFunc(work, func(w turns.Picture) bool { return w.Times == 0 }))
		u.groups = append(u.groups, group)
	}
	return server.Close()
}

// grids are the numbers of cells to a side that a slice may have.
var grids = []int{2, 3, 4, 6, 8, 12, 16}

// calibrate returns what each tracer is to render in a slice: Times is 0 for one that
// would take too long.
func calibrate(server launch.Server, load turns.Pictures) ([]turns.Picture, error) {
	work := slices.Clone(load.Tracers)
	for i := range work {
		w := &work[i]
		w.Grid, w.Block, w.Times = grids[0], cmp.Or(w.Block, launch.Block), 1
		if w.Workers > 1 {
			w.Grid, w.Share, w.Block = 0, workerShare, workerBlock
		}
	}
	load.Tracers = slices.Clone(work)
	if _, err := server.Load(load); err != nil {
		return nil, err
	}
	took := make([]float64, len(work)) // seconds of a slice
	slowest := 0.
	for i := range work {
		took[i] = math.Inf(1)
		for cycle := range uint64(4) { // the first of which is cold
			values, err := server.Take(turns.Request{Subjects: []int{i}, Cycle: cycle})
			if err != nil {
				return nil, err
			}
			took[i] = min(took[i], values[0][turns.SliceTime])
			if took[i] > longest.Seconds() {
				break
			}
		}
		if work[i].Workers == 1 && took[i] < longest.Seconds() {
			slowest = max(slowest, took[i])
		}
	}
	grid := grids[0]
	for _, g := range grids {
		if slowest*float64(g*g)/float64(grids[0]*grids[0]) < 1.5*sliceTime.Seconds() {
			grid = g
		}
	}
	for i := range work {
		w := &work[i]
		switch {
		case w.Workers > 1:
			w.Times = max(1, min(workerShare, int(workerTime.Seconds()/took[i])))
		case took[i] > longest.Seconds():
			w.Times = 0
		default:
			slice := took[i] * float64(grid*grid) / float64(grids[0]*grids[0])
			w.Grid, w.Times = grid, 1<<max(0, min(6, int(math.Log2(sliceTime.Seconds()/slice))))
		}
	}
	return work, nil
}
