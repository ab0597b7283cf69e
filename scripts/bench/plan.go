package main

import (
	"archive/zip"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"raysteps/common"
	"raysteps/common/scene"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/launch"
	"raysteps/scripts/internal/oldresults"
	"raysteps/scripts/internal/steps"
)

// workingTree is what -against calls the files as they are. No revision can have
// that name, as a name of git has no space.
const workingTree = "working tree"

// plan is what a run measures, linked and ready.
type plan struct {
	source launch.Source
	groups []launch.Group
	extent extent
	note   string         // what a reader should know of the builds, or empty
	slicer *launch.Slicer // the source, if it measures steps
	peers  []peer         // that take turns with the steps
	folder string         // for temporary files
}

// newPlan links what the options ask for.
func newPlan(ctx context.Context, env *cli.Env, root, bin string, o options, chosen []steps.Step) (*plan, error) {
	var p *plan
	var err error
	switch o.kind() {
	case results.OfExperiments, results.OfSweep, results.OfSchedules:
		p, err = planExperiments(ctx, env, &launch.Linker{Root: root, Bin: bin}, o, chosen)
	default:
		p, err = planSteps(ctx, env, root, bin, o, chosen)
	}
	if err != nil {
		return nil, err
	}
	p.extent = o.extent()
	for i := range p.groups { // equally, since the rounds of a fast scene are as noisy as those of a slow one
		p.groups[i].Time = p.extent.time / time.Duration(p.extent.Orders*p.extent.Launches*len(p.groups))
	}
	return p, nil
}

// sceneNames are those of the three scenes, in the order in which tables show
// them.
func sceneNames() []string {
	names := scene.Names()
	slices.Reverse(names)
	return names
}

// slicePictures says in a file which pictures the slices render.
const slicePictures = "64x36 with 10 samples; of large to step 9 with 1; from step 10 on, large 128x72 and medium 256x144; with workers 384x216 or more"

// spherePictures says the same of scenes by number of spheres.
const spherePictures = "64x36 with 10 samples by one worker, and down to 8x4 with 1 where many spheres make a ray slow"

// sphereSettings is the same for a scene of n spheres: the largest picture in which
// the step tests no more than so many spheres, or the smallest one. All steps use
// one worker: the picture that a step can render in a slice, where a ray takes a
// millisecond, is too small for two.
func sphereSettings(s steps.Step, n int) common.Settings {
	tests, smallest := 30_000_000, 8 // about 0.1 s for step 1
	switch {
	case s.Number == 0 && s.Workers:
		// The wavefront is fast with many rays alone, and the tree leaves out most
		// of the tests.
		tests, smallest = 2_500_000_000, 64
	case s.Number == 0 || s.Number >= 10:
		tests = 100_000_000
	}
	settings := common.Settings{Width: 64, Height: 36, Samples: common.Default().Samples, Workers: 1}
	const raysPerSample = 4
	rays := func() int { return raysPerSample * settings.Width * settings.Height * settings.Samples }
	if n*rays() > tests {
		settings.Samples = 1
	}
	for n*rays() > tests && settings.Width > smallest {
		settings.Width, settings.Height = settings.Width/2, settings.Height/2
	}
	return settings
}

// program is one of those that take turns.
type program struct {
	title  string // for a message
	name   string // what the file calls it, or empty if there is but one
	linker *launch.Linker
	build  launch.Build
}

// programs returns those that the options ask for: one for each build, or the
// step in a revision and as it is, or one.
func (o *options) programs(ctx context.Context, root, bin string, chosen []steps.Step) ([]program, error) {
	if o.against == "" && len(o.builds) == 0 {
		return []program{{title: "the steps", linker: &launch.Linker{Root: root, Bin: bin}}}, nil
	}
	if o.against == "" {
		var all []program
		for _, b := range o.builds {
			all = append(all, program{b.String(), b.String(), &launch.Linker{Root: root, Bin: bin}, b})
		}
		return all, nil
	}
	step, tree := chosen[0], filepath.Join(bin, "tree")
	if err := checkOut(ctx, root, o.against, tree); err != nil {
		return nil, cli.Misuse("-against %s: %w", o.against, err)
	}
	if info, err := os.Stat(filepath.Join(tree, filepath.FromSlash(step.Folder()))); err != nil || !info.IsDir() {
		return nil, cli.Misuse("-against %s: there is no %s in that revision", o.against, step.Folder())
	}
	return []program{
		{title: step.Title() + " of " + o.against, name: o.against, linker: &launch.Linker{Root: tree, Bin: bin}},
		{title: step.Title(), name: workingTree, linker: &launch.Linker{Root: root, Bin: bin}},
	}, nil
}

// planSteps links launchers. Each link order is the same for all programs, so that
// code that does not differ lies at the same place.
func planSteps(ctx context.Context, env *cli.Env, root, bin string, o options, chosen []steps.Step) (*plan, error) {
	kind := o.kind()
	e := o.extent()
	programs, err := o.programs(ctx, root, bin, chosen)
	if err != nil {
		return nil, err
	}
	s := launch.NewSlicer()
	p := &plan{source: s, slicer: s, folder: bin}
	if kind == results.OfPeers {
		if p.peers, err = findPeers(o.peers, chosen); err != nil {
			return nil, err
		}
	}
	workers := runtime.GOMAXPROCS(0)
	noise := kind == results.OfSteps && o.against == "" && chosen[0].Number == 1
	// add adds a group: what is measured in a scene.
	add := func(title, scene, name string, settings func(steps.Step) common.Settings) {
		g := launch.Group{Title: title, Cycles: 2}
		for _, step := range chosen {
			for i, of := range programs {
				subject := launch.Subject{Package: step.Package(), Name: name, Slot: launch.Slot{Build: i, Variant: step.Name, Scene: scene, Settings: settings(step)}}
				if of.name != "" {
					subject.Config = map[string]string{results.BuildConfig: of.name}
				}
				g.Subjects = append(g.Subjects, subject)
			}
		}
		if noise {
			g.Subjects = append(g.Subjects, launch.Subject{Package: results.Again(chosen[0]), Name: name, Slot: launch.Slot{Build: 0, Variant: launch.Again, Scene: scene, Settings: settings(chosen[0])}})
		}
		p.groups = append(p.groups, g)
	}
	for _, n := range o.spheres {
		scene := fmt.Sprintf("spheres=%d", n)
		add(fmt.Sprintf("%d spheres", n), scene, "Render/"+scene, func(step steps.Step) common.Settings { return sphereSettings(step, n) })
	}
	for _, name := range sceneNames() {
		if kind != results.OfSpheres {
			add(name+" scene", name, "Render/scene="+name, func(step steps.Step) common.Settings { return launch.SliceSettings(step, name, workers) })
		}
	}

	for i, of := range programs {
		l := of.linker
		if err := l.UseSIMD(foldersOf(chosen)); err != nil {
			return nil, err
		}
		p.note = l.Note
		variants := launch.Steps(chosen)
		if noise {
			variants = append(variants, launch.Copy(launch.Again, filepath.Join(root, chosen[0].Folder())))
		}
		overlay, err := l.Overlay(filepath.Join(bin, fmt.Sprint("launcher-", i)), variants, kind == results.OfSpheres)
		if err != nil {
			return nil, err
		}
		profile := ""
		if of.build.Has("pgo") {
			unguided := of.build
			unguided.Options = strings.ReplaceAll(unguided.Options, "+pgo", "")
			binaries, err := l.Link(ctx, env, "unguided "+of.title, unguided, []string{"build"}, overlay, "", "./"+launch.LauncherFolder, 1)
			if err != nil {
				return nil, err
			}
			var slots []launch.Slot
			for _, g := range p.groups {
				for _, subject := range g.Subjects {
					if subject.Slot.Build == i {
						slots = append(slots, subject.Slot)
					}
				}
			}
			profile = filepath.Join(bin, fmt.Sprintf("%d.pprof", i))
			bar := env.Progress(1, "profiling "+of.title, launch.ShownAtOnce)
			err = launch.WriteProfile(ctx, binaries[0], profile, slots)
			bar.Finish()
			if err != nil {
				return nil, fmt.Errorf("profiling %s: %w", of.title, err)
			}
		}
		binaries, err := l.Link(ctx, env, of.title, of.build, []string{"build"}, overlay, profile, "./"+launch.LauncherFolder, e.Orders)
		if err != nil {
			return nil, err
		}
		s.Binaries = append(s.Binaries, binaries)
	}
	return p, nil
}

func foldersOf(chosen []steps.Step) []string {
	var folders []string
	for _, s := range chosen {
		folders = append(folders, s.Folder())
	}
	return folders
}

func planExperiments(ctx context.Context, env *cli.Env, l *launch.Linker, o options, chosen []steps.Step) (*plan, error) {
	folders := foldersOf(chosen)
	only := "" // this benchmark, in place of the experiments
	var flags []string
	switch o.kind() {
	case results.OfExperiments:
		if !o.has("step") {
			var err error
			if folders, err = foldersWithExperiments(ctx, l.Root); err != nil {
				return nil, err
			}
		}
	case results.OfSweep:
		only, flags = sweep, []string{"-size", "1280x720", "-samples", "1"}
		if len(o.workers) > 0 {
			flags = append(flags, "-workers", join(o.workers))
		}
		if len(o.tiles) > 0 {
			flags = append(flags, "-tiles", join(o.tiles))
		}
	case results.OfSchedules:
		only, flags = schedules, []string{"-size", "full"}
	}
	if err := l.UseSIMD(folders); err != nil {
		return nil, err
	}
	b := &benchmarker{root: l.Root, experiments: map[string]experiment{}}
	p := &plan{source: b, note: l.Note}
	for _, folder := range folders {
		names, err := declared(filepath.Join(l.Root, filepath.FromSlash(folder)))
		if err != nil {
			return nil, err
		}
		names = slices.DeleteFunc(names, func(name string) bool { return name != only && (only != "" || !isExperiment(name)) })
		if len(names) == 0 {
			return nil, fmt.Errorf("%s has no Benchmark%s; want a step that has one", folder, cmp.Or(only, " besides Render"))
		}
		binaries, err := l.Link(ctx, env, folder, launch.Build{}, []string{"test", "-c"}, "", "", "./"+folder, o.extent().Orders)
		if err != nil {
			return nil, err
		}
		bar := env.Progress(1, "running "+folder+" once", launch.ShownAtOnce)
		groups, err := b.discover(ctx, experiment{folder: folder, binaries: binaries, flags: flags, whole: only == schedules}, names)
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

// verdicts says by scene whether a step still renders the picture that it
// rendered in another revision.
func (p *plan) verdicts() map[string]string {
	all := map[string]string{}
	for _, scene := range sceneNames() {
		pictures := p.slicer.Pictures[scene+" scene"]
		all[scene] = "the same"
		if before, after := pictures[0], pictures[1]; before != after {
			all[scene] = fmt.Sprintf("another, of %d rays in place of %d", after.Rays, before.Rays)
		}
	}
	return all
}

// checkOut writes the tree of a revision into a folder.
func checkOut(ctx context.Context, root, revision, dir string) error {
	git := func(args ...string) (stdout string, err error) {
		cmd := exec.CommandContext(ctx, "git", args...)
		cmd.Dir = root
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			err = launch.Failure(ctx, err, stderr.String())
		}
		return strings.TrimSpace(string(out)), err
	}
	// A revision that begins with - is no option. With --quiet, git says nothing of one
	// that it does not know.
	tree, err := git("rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{tree}")
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == 1 {
		return errors.New("there is no such revision; want one that git knows, such as HEAD, a branch or a tag")
	}
	if err != nil {
		return err
	}
	if _, err := git("archive", "--format=zip", "--output="+dir+".zip", tree); err != nil {
		return err
	}
	archive, err := zip.OpenReader(dir + ".zip")
	if err != nil {
		return err
	}
	defer archive.Close()
	return os.CopyFS(dir, archive)
}
