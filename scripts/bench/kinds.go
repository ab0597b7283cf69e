package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"raysteps/common/scene"
	"raysteps/common/turns/benchturns"
	"raysteps/scripts/internal/ab"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/count"
	"raysteps/scripts/internal/launch"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/steps"
)

// renders measures steps that render slices of pictures. The flags choose one of its forms.
type renders struct {
	selection string         // of steps, if no flag chooses some; all if empty
	builds    []launch.Build // beside each other; that of the environment if there is none
	orders    int            // link orders at the most, and for how long, if no flag says it
	limit     time.Duration
	again     bool // a copy of the first step stands beside the steps
	pictures  bool // whole pictures, too, to see that they agree
	sizes     bool // scenes of so many spheres in place of the three, on one core

	chosen []steps.Step
}

// sizes are the scenes of the form of that name.
var sizes = strings.Fields(`sphereflake=0 sphereflake=1 sphereflake=2 sphereflake=3 sphereflake=4 sphereflake=5 sphereflake=6
	cloud=10 cloud=100 cloud=300 cloud=1000 cloud=3000 cloud=10000 cloud=100000 cloud=1000000`)

func (k *renders) plan(ctx context.Context, m *measurement) (err error) {
	m.defaults(k.orders, k.limit)
	if m.quick { // and nothing beyond them, so that their ratios are narrow
		k.selection = cmp.Or(k.selection, "1-13")
	}
	if k.chosen, err = m.choose(k.selection); err != nil {
		return err
	}
	u, builds, scenes := &unit{}, k.builds, scene.Names()
	if builds == nil {
		builds = make([]launch.Build, 1)
	}
	l := &launch.Linker{Root: m.root, Bin: m.bin}
	for _, build := range builds {
		if err := m.addSteps(ctx, u, l, build, build.String(), k.chosen, k.again); err != nil {
			return err
		}
	}
	m.units = append(m.units, u)
	if k.sizes {
		scenes = sizes
		for i := range u.tracers {
			t := &u.tracers[i]
			t.Workers = 1
			if k.chosen[i].Workers { // which looks in each tile for all blocks
				t.Block = workerBlock
			}
		}
	}
	name := "Render"
	if k.pictures { // a name that leaves the lines of the default run alone
		name = "Slice"
	}
	if err := m.addScenes(ctx, u, name, scenes); err != nil || !k.pictures {
		return err
	}
	for _, sc := range scenes {
		u.groups = append(u.groups, launch.Group{Load: launch.Pictures("Full", sc, u.tracers), Cycles: 3}) // with a Grid of 0
	}
	return nil
}

// defaults sets how long is measured if no flag says it, and in how many link orders.
func (m *measurement) defaults(orders int, limit time.Duration) {
	switch {
	case m.limit == 0 && m.quick:
		m.limit = 94 * time.Second
	case m.limit == 0:
		m.orders, m.limit = orders, limit
	}
}

const (
	buildKey    = "build"        // the configuration line that names the build that was measured
	workingTree = "working tree" // the build of the files as they are
)

// counts counts what a ray executes.
type counts struct{}

func (counts) plan(ctx context.Context, m *measurement) error {
	chosen, err := m.choose("")
	if err != nil {
		return err
	}
	return m.count(ctx, m.root, chosen, "")
}

// count counts steps of a module in the three scenes.
func (m *measurement) count(ctx context.Context, root string, chosen []steps.Step, build string) error {
	counted, err := count.Measure(ctx, m.env, root, steps.Packages(chosen), scene.Names())
	if err != nil {
		return err
	}
	for _, line := range counted {
		results.SetConfig(line, buildKey, build)
	}
	m.lines = append(m.lines, counted...)
	return nil
}

// against measures a step as it is beside what it was in a revision.
type against struct {
	revision string
	step     steps.Step
	changed  error // a picture that is another one
}

// plan adds the step as it is in the revision, as it is here, and the first once more,
// linked in other orders. The loop in which all are measured is that of today.
func (k *against) plan(ctx context.Context, m *measurement) error {
	m.defaults(0, time.Minute)
	if len(m.chosen) != 1 {
		return cli.Misuse("-against takes one step; want -step with its number")
	}
	k.step = m.chosen[0]
	tree := filepath.Join(m.bin, "tree") // of the revision
	commit, err := launch.CheckOut(ctx, m.root, k.revision, tree)
	if commit == "" {
		return cli.Misuse("-against %s: git knows no such revision; want one such as HEAD, a branch or a tag: %w", k.revision, err)
	}
	if err != nil {
		return err
	}
	loop := filepath.Join("common", "turns")
	old := filepath.Join(tree, loop)
	if err := os.RemoveAll(old); err != nil {
		return err
	}
	if err := os.CopyFS(old, os.DirFS(filepath.Join(m.root, loop))); err != nil {
		return err
	}
	u := &unit{}
	for _, name := range []string{k.revision, workingTree, k.revision + ", linked again"} {
		l := &launch.Linker{Root: tree, Bin: m.bin}
		if name == workingTree {
			l.Root = m.root
		}
		if err := m.addSteps(ctx, u, l, launch.Build{}, name, m.chosen, false); err != nil {
			return err
		}
	}
	m.units = append(m.units, u)
	if err := m.addScenes(ctx, u, "Render", scene.Names()); err != nil {
		return err
	}
	if k.changed, err = k.compare(ctx, m, u); err != nil {
		return err
	}
	m.enough = func() bool { return k.narrow(m) }
	if count.Available() != nil {
		return nil
	}
	if err := m.count(ctx, tree, m.chosen, k.revision); err != nil {
		return err
	}
	return m.count(ctx, m.root, m.chosen, workingTree)
}

// compare renders the scenes in the size of a thumbnail as in the revision and as
// here. Its first result says what differs, and where both pictures are kept.
func (k *against) compare(ctx context.Context, m *measurement, u *unit) (changed, err error) {
	if err := u.sides[1].Link(ctx, m.env, 1); err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "raysteps-pictures-")
	if err != nil {
		return nil, err
	}
	for _, sc := range scene.Names() {
		var pictures [2][]byte
		for i, side := range []string{"revision", "working-tree"} {
			load := launch.Pictures("Picture", sc, u.tracers)
			load.Width, load.Height, load.Samples, load.Save = 320, 180, 2, filepath.Join(folder, sc, side)
			if err := os.MkdirAll(load.Save, 0o777); err != nil {
				return nil, err
			}
			server, err := u.sides[i].Start(ctx, 0)
			if err != nil {
				return nil, err
			}
			_, err = server.Load(load)
			if err = cmp.Or(err, server.Close()); err != nil {
				return nil, err
			}
			if pictures[i], err = os.ReadFile(filepath.Join(load.Save, k.step.Name+".tga")); err != nil {
				return nil, err
			}
		}
		const header = 18 // bytes of a TGA file, before three for each pixel, row after row from the lowest
		for at := range pictures[0] {
			if pixel := max(0, at-header) / 3; pictures[0][at] != pictures[1][at] {
				return fmt.Errorf("the pictures are NOT those of %s: in the %s scene the first pixel that differs is (%d, %d), from the lower left; both are in %s",
					k.revision, sc, pixel%320, pixel/320, filepath.Join(folder, sc)), nil
			}
		}
	}
	return nil, os.RemoveAll(folder)
}

// narrow reports whether all scenes are known to 1 %.
func (k *against) narrow(m *measurement) bool {
	set, err := results.Of(m.lines, "this run")
	return err == nil && !slices.ContainsFunc(scene.Names(), func(sc string) bool {
		e, ok := set.Quantity(k.step.Package(), "Render/scene="+sc, workingTree, results.Column{Unit: "rays/s", Base: "build=" + k.revision})
		return !ok || e.Orders < 8 || e.HalfWidth() > 0.01
	})
}

// experiments measures benchmarks of packages: the variants of one take turns.
type experiments struct{ names string }

func (k *experiments) plan(ctx context.Context, m *measurement) error {
	m.defaults(20, 10*time.Minute)
	l := &launch.Linker{Root: m.root, Bin: m.bin}
	l.UseSIMD("beyond/archsimd")
	var patterns []string
	for _, step := range m.chosen {
		patterns = append(patterns, "./"+step.Folder()) // go list names a package once
	}
	if m.chosen == nil {
		patterns = []string{"./..."}
	}
	env := append(l.Environment(launch.Build{}), "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -trimpath -pgo=off"))
	packages, err := ab.Find(ctx, m.root, filepath.Join(m.bin, "overlay"), env, patterns...)
	if err != nil {
		return err
	}
	wanted, found := strings.Split(k.names, ","), map[string]bool{}
	for _, p := range packages {
		u := &unit{}
		for _, f := range p.Functions {
			name := strings.TrimPrefix(f.Name, "Benchmark")
			every := k.names == "all" && !slices.Contains(notAlone, name)
			if !every && !slices.Contains(wanted, name) {
				continue
			}
			found[name] = true
			group := launch.Group{Load: benchturns.Group{Bench: "^" + f.Name + "$", Function: f.Name}, Cycles: cycles, Slice: sliceTime}
			if f.Workers { // for the first milliseconds the system may run them on one core
				group.Slice = 5 * sliceTime
			}
			u.groups = append(u.groups, group)
		}
		if len(u.groups) == 0 {
			continue
		}
		program := &launch.Program{Name: "the benchmarks of " + p.ImportPath, Build: p.Link, Command: p.Command}
		if program.Dir, err = os.MkdirTemp(m.bin, "tests-"); err != nil {
			return err
		}
		u.sides = []side{{program, map[string]string{"pkg": p.ImportPath}}}
		m.units = append(m.units, u)
	}
	for _, name := range wanted {
		if !found[name] && (k.names != "all" || len(found) == 0) {
			return cli.Misuse("-experiments: no package that was chosen has a Benchmark%s; want names of benchmarks, or all", name)
		}
	}
	return nil
}

// notAlone are benchmarks that -experiments all leaves out: of the steps, of an execution
// trace, and of rays that scripts/peers records.
var notAlone = []string{"Render", "Race", "Rays"}
