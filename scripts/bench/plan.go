package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"raysteps/common"
	"raysteps/common/scene"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/steps"
)

// plan is what a run measures, linked and ready.
type plan struct {
	source source
	groups []group
	extent extent
	note   string  // what a reader should know of the builds, or empty
	slicer *slicer // the source, if it measures steps
}

// newPlan links what the options ask for.
func newPlan(ctx context.Context, env *cli.Env, root, bin string, o options, chosen []steps.Step) (*plan, error) {
	l := &linker{root: root, bin: bin}
	var p *plan
	var err error
	switch o.kind() {
	case results.OfExperiments, results.OfSweep, results.OfSchedules:
		p, err = planExperiments(ctx, env, l, o, chosen)
	default:
		p, err = planSteps(ctx, env, l, o, chosen)
	}
	if err != nil {
		return nil, err
	}
	p.note = l.note
	p.extent = o.extent()
	share(p.groups, p.extent)
	return p, nil
}

// share divides the time among groups: equally, since the rounds of a fast
// scene are as noisy as those of a slow one.
func share(groups []group, e extent) {
	for i := range groups {
		groups[i].time = e.time / time.Duration(e.orders*e.launches*len(groups))
	}
}

// sceneNames are those of the three scenes, in the order in which tables show
// them.
func sceneNames() []string {
	names := scene.Names()
	slices.Reverse(names)
	return names
}

// slicePictures says in a file which pictures the slices render.
const slicePictures = "small 64x36 with 16 samples, medium 128x72 with 1, large 64x36 with 1 (128x72 from step 10 on); with workers 640x360 or more with 1"

// sliceSettings returns the picture of a slice. It is as small as it can be and
// still has the rays of a large one, within 3 % of the speed: the faster a step,
// the more rays that takes. A step with workers needs many tiles for each.
func sliceSettings(s steps.Step, sceneName string, workers int) common.Settings {
	settings := common.Settings{Width: 64, Height: 36, Samples: 1, Workers: 1}
	fast := s.Number == 0 || s.Number >= 10
	switch {
	case !s.Single:
		scale := min(20, int(math.Ceil(10*math.Sqrt(float64(workers)/2))))
		settings.Width, settings.Height = scale*settings.Width, scale*settings.Height
		settings.Workers = workers
	case sceneName == "small":
		settings.Samples = 16
	case sceneName == "medium" || fast:
		settings.Width, settings.Height = 128, 72
	}
	return settings
}

// sphereSettings is the same for a scene of n spheres.
func sphereSettings(s steps.Step, n, workers int) common.Settings {
	settings := sliceSettings(s, "large", workers)
	if n > 1000 && s.Single {
		settings.Width, settings.Height = 16, 9
	}
	for size := n; size > 10_000 && !s.Single && settings.Width > 128; size /= 4 {
		settings.Width, settings.Height = settings.Width/2, settings.Height/2
	}
	return settings
}

func planSteps(ctx context.Context, env *cli.Env, l *linker, o options, chosen []steps.Step) (*plan, error) {
	kind := o.kind()
	e := o.extent()
	var folders []string
	for _, s := range chosen {
		folders = append(folders, s.Folder())
	}
	if err := l.useSIMD(folders); err != nil {
		return nil, err
	}
	if err := l.checkTags(ctx, o.builds); err != nil {
		return nil, err
	}

	s := &slicer{slots: map[string][]slot{}, pictures: map[string]map[int]picture{}, kernels: map[string]string{}}
	p := &plan{source: s, slicer: s}
	workers := runtime.GOMAXPROCS(0)
	add := func(title string, slots []slot, subjects []subject) {
		s.slots[title] = slots
		p.groups = append(p.groups, group{title: title, subjects: subjects, cycles: 2})
	}
	builds := o.builds
	if len(builds) == 0 {
		builds = []build{{}}
	}
	noise := kind == results.OfSteps && o.against == "" && chosen[0].Number == 1
	if kind == results.OfSpheres {
		for _, n := range o.spheres {
			var slots []slot
			var subjects []subject
			for _, step := range chosen {
				slots = append(slots, slot{0, step.Name, fmt.Sprintf("spheres=%d", n), sphereSettings(step, n, workers)})
				subjects = append(subjects, subject{pkg: step.Package(), name: fmt.Sprintf("Render/spheres=%d", n)})
			}
			add(fmt.Sprintf("%d spheres", n), slots, subjects)
		}
	} else {
		for _, name := range sceneNames() {
			var slots []slot
			var subjects []subject
			for _, step := range chosen {
				for b := range builds {
					slots = append(slots, slot{b, step.Name, name, sliceSettings(step, name, workers)})
					subjects = append(subjects, subject{pkg: step.Package(), name: "Render/scene=" + name, config: builds[b].config(kind)})
				}
			}
			if noise {
				first := chosen[0]
				slots = append(slots, slot{0, again, name, sliceSettings(first, name, workers)})
				subjects = append(subjects, subject{pkg: results.Again(first), name: "Render/scene=" + name})
			}
			add(name+" scene", slots, subjects)
		}
	}

	overlay, err := l.overlay(filepath.Join(l.bin, "launcher"), chosen, noise, kind == results.OfSpheres)
	if err != nil {
		return nil, err
	}
	for i, b := range builds {
		name := "the steps"
		if kind == results.OfBuilds {
			name = b.String()
		}
		file := ""
		if b.pgo {
			unguided := b
			unguided.pgo = false
			binaries, err := l.link(ctx, env, "unguided "+name, unguided, []string{"build"}, overlay, "", "./"+launcherDir, 1)
			if err != nil {
				return nil, err
			}
			var slots []slot
			for _, g := range p.groups {
				slots = append(slots, slices.DeleteFunc(slices.Clone(s.slots[g.title]), func(s slot) bool { return s.build != i })...)
			}
			file = filepath.Join(l.bin, fmt.Sprintf("%d.pprof", i))
			bar := env.Progress(1, "profiling "+name, shownAtOnce)
			err = writeProfile(ctx, binaries[0], file, slots)
			bar.Finish()
			if err != nil {
				return nil, fmt.Errorf("profiling %s: %w", name, err)
			}
		}
		binaries, err := l.link(ctx, env, name, b, []string{"build"}, overlay, file, "./"+launcherDir, e.orders)
		if err != nil {
			return nil, err
		}
		s.binaries = append(s.binaries, binaries)
	}
	return p, nil
}

// config is what the file says of a build that is compared with others.
func (b build) config(kind results.Kind) map[string]string {
	if kind != results.OfBuilds {
		return nil
	}
	return map[string]string{results.BuildConfig: b.String()}
}

func planExperiments(ctx context.Context, env *cli.Env, l *linker, o options, chosen []steps.Step) (*plan, error) {
	kind := o.kind()
	e := o.extent()
	var folders []string
	if kind == results.OfExperiments && !o.has("step") && !o.latest && !o.single {
		var err error
		if folders, err = foldersWithExperiments(ctx, l.root); err != nil {
			return nil, err
		}
	} else {
		for _, s := range chosen {
			folders = append(folders, s.Folder())
		}
	}
	if err := l.useSIMD(folders); err != nil {
		return nil, err
	}
	choose := isExperiment
	var flags []string
	whole := false
	switch kind {
	case results.OfSweep:
		choose = func(name string) bool { return name == sweep }
		flags = []string{"-size", "1280x720", "-samples", "1"}
		if len(o.workers) > 0 {
			flags = append(flags, "-workers", join(o.workers))
		}
		if len(o.tiles) > 0 {
			flags = append(flags, "-tiles", join(o.tiles))
		}
	case results.OfSchedules:
		choose = func(name string) bool { return name == schedules }
		flags = []string{"-size", "full"}
		whole = true
	}
	b := &benchmarker{root: l.root, experiments: map[string]experiment{}}
	p := &plan{source: b}
	for _, folder := range folders {
		names, err := declared(filepath.Join(l.root, filepath.FromSlash(folder)))
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(names, choose) {
			switch kind {
			case results.OfExperiments:
				return nil, fmt.Errorf("%s has no benchmark besides BenchmarkRender", folder)
			default:
				return nil, fmt.Errorf("%s has no Benchmark%s; want a step that has one, such as -step 13", folder, map[results.Kind]string{results.OfSweep: sweep, results.OfSchedules: schedules}[kind])
			}
		}
		binaries, err := l.link(ctx, env, folder, build{}, []string{"test", "-c"}, "", "", "./"+folder, e.orders)
		if err != nil {
			return nil, err
		}
		bar := env.Progress(1, "running "+folder+" once", shownAtOnce)
		groups, err := b.discover(ctx, experiment{folder: folder, binaries: binaries, flags: flags, whole: whole}, choose)
		bar.Finish()
		if err != nil {
			return nil, err
		}
		p.groups = append(p.groups, groups...)
	}
	if len(p.groups) == 0 {
		return nil, fmt.Errorf("none of these benchmarks runs on this machine: %s", strings.Join(folders, ", "))
	}
	return p, nil
}

// planAgainst links a step as it was in a revision, and as it is. Each link
// order is the same for both, so that code that did not change stays where it
// was.
func planAgainst(ctx context.Context, env *cli.Env, root, bin string, o options, step steps.Step) (*plan, error) {
	tree := filepath.Join(bin, "tree")
	if err := checkOut(ctx, root, o.against, tree); err != nil {
		return nil, cli.Misuse("-against %s: %w", o.against, err)
	}
	if info, err := os.Stat(filepath.Join(tree, filepath.FromSlash(step.Folder()))); err != nil || !info.IsDir() {
		return nil, cli.Misuse("-against %s: there is no %s in that revision", o.against, step.Folder())
	}
	s := &slicer{slots: map[string][]slot{}, pictures: map[string]map[int]picture{}, kernels: map[string]string{}}
	p := &plan{source: s, slicer: s, extent: o.extent()}
	for i, of := range []struct{ name, root string }{{step.Title() + " of " + o.against, tree}, {step.Title(), root}} {
		l := &linker{root: of.root, bin: filepath.Join(bin, fmt.Sprint(i))}
		if err := os.Mkdir(l.bin, 0o755); err != nil {
			return nil, err
		}
		if err := l.useSIMD([]string{step.Folder()}); err != nil {
			return nil, err
		}
		overlay, err := l.overlay(filepath.Join(l.bin, "launcher"), []steps.Step{step}, false, false)
		if err != nil {
			return nil, err
		}
		binaries, err := l.link(ctx, env, of.name, build{}, []string{"build"}, overlay, "", "./"+launcherDir, p.extent.orders)
		if err != nil {
			return nil, err
		}
		s.binaries = append(s.binaries, binaries)
		p.note = l.note
	}
	for _, name := range sceneNames() {
		settings := sliceSettings(step, name, runtime.GOMAXPROCS(0))
		s.slots[name] = []slot{{0, step.Name, name, settings}, {1, step.Name, name, settings}}
		p.groups = append(p.groups, group{title: name, cycles: 2, subjects: []subject{
			{pkg: step.Package(), name: "Render/scene=" + name, config: map[string]string{results.BuildConfig: o.against}},
			{pkg: step.Package(), name: "Render/scene=" + name, config: map[string]string{results.BuildConfig: workingTree}},
		}})
	}
	share(p.groups, p.extent)
	return p, nil
}

// workingTree is what -against calls the files as they are. No revision can have
// that name, as a name of git has no space.
const workingTree = "working tree"
