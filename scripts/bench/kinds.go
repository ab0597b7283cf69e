package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"raysteps/common/scene"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/measure"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/steps"
	"raysteps/scripts/internal/toolchain"
)

// renders measures the steps in the three scenes.
type renders struct{ chosen []steps.Step }

func (k *renders) plan(ctx context.Context, m *measurement) (err error) {
	m.defaults(0, 8, 11*time.Minute+15*time.Second)
	selection := ""
	if m.quick { // and nothing beyond them, so that their ratios are narrow
		selection = "1-13"
	}
	k.chosen, err = m.pair(ctx, selection, "Render")
	return err
}

// pair adds two processes of the steps in a selection, linked in different orders, with
// the benchmarks of some functions. It returns the steps.
func (m *measurement) pair(ctx context.Context, selection string, functions ...string) ([]steps.Step, error) {
	chosen, err := m.choose(selection)
	if err != nil {
		return nil, err
	}
	p, err := m.tracers(ctx, m.root, m.usual(chosen))
	if err != nil {
		return nil, err
	}
	u := &measure.Unit{}
	for _, number := range []string{"1", "2"} {
		u.Sides = append(u.Sides, m.side(p, map[string]string{sideKey: number}))
	}
	m.Units, m.binaries = []*measure.Unit{u}, len(u.Sides)
	for _, function := range functions {
		if err := m.addRenders(ctx, u, function, chosen, 2); err != nil {
			return nil, err
		}
	}
	return chosen, nil
}

// pictures measures whole pictures, too, to see that they agree with slices.
type pictures struct{}

func (pictures) plan(ctx context.Context, m *measurement) error {
	m.defaults(2, 8, time.Hour)
	_, err := m.pair(ctx, "", "Slice", "Full") // names that leave the lines of the default run alone
	return err
}

// spheres measures scenes of 2 to 1,000,000 spheres on one core.
type spheres struct{}

func (spheres) plan(ctx context.Context, m *measurement) error {
	m.defaults(3, 8, 15*time.Minute)
	_, err := m.pair(ctx, "12,wavefront,tree", "Sizes")
	return err
}

// builds measures builds of the steps beside each other.
type builds struct{}

func (builds) plan(ctx context.Context, m *measurement) error {
	m.defaults(20, 15, 10*time.Minute)
	chosen, err := m.choose("")
	if err != nil {
		return err
	}
	u := &measure.Unit{}
	for _, b := range m.builds {
		b.base = m.usual(chosen).base
		p, err := m.tracers(ctx, m.root, b)
		if err != nil {
			return err
		}
		var flags []string
		if b.guided {
			if flags, err = m.profile(ctx, p, chosen); err != nil {
				return err
			}
		}
		u.Sides = append(u.Sides, m.side(p, map[string]string{buildKey: b.String(), "goversion": b.toolchain, "goamd64": b.level, "pgo": b.pgo()}, flags...))
	}
	m.Units = []*measure.Unit{u}
	return m.addRenders(ctx, u, "Render", chosen, 4)
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
	counted, err := toolchain.Count(ctx, m.env, root, steps.Packages(chosen), scene.Names())
	if err != nil {
		return err
	}
	for _, line := range counted {
		measure.SetConfig(line, buildKey, build)
	}
	m.counted = append(m.counted, counted...)
	return nil
}

// against measures a step as it is beside what it was in a revision.
type against struct {
	revision string
	step     steps.Step
	changed  error // a picture that is another one
}

// plan adds the step as it is in the revision, as it is here, and the first once more,
// linked in other orders.
func (k *against) plan(ctx context.Context, m *measurement) error {
	m.defaults(0, 15, time.Minute)
	k.revision = m.against
	k.step = m.chosen[0]
	tree := filepath.Join(m.tmp, "tree") // of the revision
	commit, err := measure.CheckOut(ctx, m.root, k.revision, tree)
	if commit == "" {
		return cli.Misuse("-against %s: git knows no such revision; want one such as HEAD, a branch or a tag: %w", k.revision, err)
	}
	if err != nil {
		return err
	}
	old, err := m.tracers(ctx, tree, m.usual(m.chosen))
	if err == nil && !slices.ContainsFunc(old.Functions, func(f measure.Function) bool { return f.Name == "BenchmarkRender" }) {
		err = cli.Misuse("-against %s: it has no benchmark of the steps in %s; want a newer revision", k.revision, allSteps)
	}
	if err != nil {
		return err
	}
	now, err := m.tracers(ctx, m.root, m.usual(m.chosen))
	if err != nil {
		return err
	}
	u := &measure.Unit{Sides: []*measure.Side{
		m.side(old, map[string]string{buildKey: k.revision}),
		m.side(now, map[string]string{buildKey: workingTree}),
		m.side(old, map[string]string{buildKey: k.revision + ", linked again"}),
	}}
	m.Units = []*measure.Unit{u}
	if err := m.addRenders(ctx, u, "Render", m.chosen, 4); err != nil {
		return fmt.Errorf("%s: %w", k.revision, err)
	}
	for _, g := range u.Groups {
		g.Done = func() bool { return k.narrow(g) }
	}
	if k.changed, err = k.compare(ctx, m, tree); err != nil || toolchain.CanCount() != nil {
		return err
	}
	if err := m.count(ctx, tree, m.chosen, k.revision); err != nil {
		return err
	}
	return m.count(ctx, m.root, m.chosen, workingTree)
}

// compare renders the scenes in the size of a thumbnail as in the revision and as here.
// Its first result says what differs, and where both pictures are kept.
func (k *against) compare(ctx context.Context, m *measurement, tree string) (changed, err error) {
	folder, err := os.MkdirTemp("", "raysteps-pictures-")
	if err != nil {
		return nil, err
	}
	names := [2]string{"revision", "working-tree"}
	file := func(side int, scene string) string { return filepath.Join(folder, scene+"-"+names[side]+".tga") }
	group, ctx := errgroup.WithContext(ctx)
	for side, root := range []string{tree, m.root} {
		group.Go(func() error {
			render := filepath.Join(m.tmp, names[side]+".exe")
			_, err := cli.Output(ctx, root, m.usual(m.chosen).environment(), "go", "build", "-trimpath", "-pgo=off", "-o", render, "./scripts/render")
			for _, sc := range scene.Names() {
				if err == nil {
					_, err = cli.Output(ctx, root, nil, render, "-step", k.step.Name, "-scene", sc, "-width", "320", "-height", "180", "-samples", "2", "-o", file(side, sc))
				}
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	for _, sc := range scene.Names() {
		old, err := os.ReadFile(file(0, sc))
		now, err2 := os.ReadFile(file(1, sc))
		if err = cmp.Or(err, err2); err != nil {
			return nil, err
		}
		if bytes.Equal(old, now) {
			continue
		}
		const header = 18 // bytes of a TGA file, before three for each pixel, row after row from the lowest
		at := header
		for at < min(len(old), len(now)) && old[at] == now[at] {
			at++
		}
		pixel := (at - header) / 3
		return fmt.Errorf("the pictures are NOT those of %s: in the %s scene the first pixel that differs is (%d, %d), from the lower left; both are in %s",
			k.revision, sc, pixel%320, pixel/320, folder), nil
	}
	return nil, os.RemoveAll(folder)
}

// narrow reports whether a scene is known to 1 %.
func (k *against) narrow(g *measure.Group) bool {
	if len(g.Lines) == 0 {
		return false
	}
	set, err := results.Of(g.Lines, "this run")
	if err != nil {
		return false
	}
	_, sc, _ := strings.Cut(keys.ReplaceAllString(g.Subjects[0].Name, ""), "/")
	e, ok := set.Quantity(k.step.Package(), "Render/"+sc, workingTree, over("build="+k.revision))
	return ok && e.Orders >= 8 && e.HalfWidth() <= 0.01
}

// experiments measures benchmarks of packages: the variants of one take turns.
type experiments struct{}

func (experiments) plan(ctx context.Context, m *measurement) error {
	m.defaults(20, 15, 10*time.Minute)
	var patterns []string
	for _, step := range m.chosen {
		patterns = append(patterns, "./"+step.Folder()) // go list names a package once
	}
	if m.chosen == nil {
		patterns = []string{"./..."}
	}
	packages, err := m.find(ctx, m.root, m.usual(steps.All()), patterns...)
	if err != nil {
		return err
	}
	wanted, found := strings.Split(m.experiments, ","), map[string]bool{}
	for _, p := range packages {
		u := &measure.Unit{}
		for _, f := range p.Functions {
			name := strings.TrimPrefix(f.Name, "Benchmark")
			every := m.experiments == "all" && !slices.Contains(notAlone, name)
			if !every && !slices.Contains(wanted, name) {
				continue
			}
			found[name] = true
			slice := sliceTime
			if f.Workers { // for the first milliseconds the system may run them on one core
				slice = 5 * sliceTime
			}
			if len(u.Sides) == 0 {
				u.Sides = []*measure.Side{m.side(p, map[string]string{"pkg": p.ImportPath})}
				if err := u.Sides[0].Link(ctx, 0); err != nil {
					return fmt.Errorf("building the benchmarks of %s: %w", p.ImportPath, err)
				}
			}
			if err := m.addVariants(ctx, u, f.Name, slice); err != nil {
				return err
			}
		}
		if len(u.Groups) > 0 {
			m.Units = append(m.Units, u)
		}
	}
	for _, name := range wanted {
		if !found[name] && (m.experiments != "all" || len(found) == 0) {
			return cli.Misuse("-experiments: no package that was chosen has a Benchmark%s; want names of benchmarks, or all", name)
		}
	}
	return nil
}

// notAlone are benchmarks that -experiments all leaves out: of the steps, of an execution
// trace, and of rays that scripts/peers records.
var notAlone = []string{"Render", "Slice", "Full", "Sizes", "Race", "Rays"}
