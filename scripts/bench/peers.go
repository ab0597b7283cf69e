package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"raysteps/common"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/launch"
	"raysteps/scripts/internal/oldresults"
	"raysteps/scripts/internal/steps"
)

// peer is a program in C++ that renders the same scenes as the steps, 1280x720 with
// ten samples a pixel, and prints how long that took.
type peer struct {
	pkg  string // that the file shows
	file string
	args []string
	read func(output string) ([]launch.Record, error)
}

// findPeers looks in a folder for the article's program, as COMPILER/stepN for the
// chosen steps, and for Toy Path Tracer with one and with all threads, as toy0 and
// toy1.
func findPeers(folder string, chosen []steps.Step) ([]peer, error) {
	var all []peer
	for _, step := range chosen {
		files, err := filepath.Glob(filepath.Join(folder, "*", fmt.Sprintf("step%d", step.Number)))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			pkg := results.PeerPackage(filepath.Base(filepath.Dir(file)), step.Name)
			all = append(all, peer{pkg, file, []string{"-w"}, readOriginal})
		}
	}
	for _, name := range results.Toys() {
		if file := filepath.Join(folder, name); exists(file) {
			all = append(all, peer{results.PeerPackage(name, ""), file, []string{"2"}, readToy})
		}
	}
	if len(all) == 0 {
		return nil, cli.Misuse("-peers %s: it holds no program; want COMPILER/stepN, such as clang/step12, or toy0 and toy1", folder)
	}
	for i := range all {
		file, err := filepath.Abs(all[i].file)
		if err != nil {
			return nil, err
		}
		all[i].file = file
	}
	return all, nil
}

func exists(file string) bool {
	info, err := os.Stat(file)
	return err == nil && !info.IsDir()
}

// rendered is what a picture of a scene took.
func rendered(scene string, rays, seconds float64) launch.Record {
	return launch.Record{Subject: launch.Subject{Name: "Full/scene=" + scene}, Slices: 1,
		Values: launch.Values{"rays/op": rays, "sec/op": seconds, "rays/s": rays / seconds}}
}

// readOriginal reads what the article's program prints: the name of a scene, and
// below it the time and the rays.
func readOriginal(output string) ([]launch.Record, error) {
	var all []launch.Record
	var seconds, rays float64
	scene := ""
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		switch key, value, ok := strings.Cut(line, ":"); {
		case slices.Contains(sceneNames(), line):
			scene = line
		case ok && key == "elapsed time":
			fmt.Sscanf(strings.TrimSpace(value), "%fs", &seconds)
		case ok && key == "total rays":
			if fmt.Sscan(value, &rays); scene == "" || seconds <= 0 || rays <= 0 {
				return nil, fmt.Errorf("it printed %q; want a scene, and its time and rays", line)
			}
			all = append(all, rendered(scene, rays, seconds))
			scene = ""
		}
	}
	if len(all) != len(sceneNames()) {
		return nil, fmt.Errorf("it printed %d scenes; want %d", len(all), len(sceneNames()))
	}
	return all, nil
}

// readToy reads the last picture of those that Toy Path Tracer renders: "rays N
// seconds S". The first is not counted.
func readToy(output string) ([]launch.Record, error) {
	lines := strings.Split(strings.TrimSpace(output), "\n")
	last := lines[len(lines)-1]
	var rays, seconds float64
	if _, err := fmt.Sscanf(last, "rays %f seconds %f", &rays, &seconds); err != nil || seconds <= 0 {
		return nil, fmt.Errorf("it printed %q; want rays N seconds S", last)
	}
	return []launch.Record{rendered("medium", rays, seconds)}, nil
}

func (p *peer) render(ctx context.Context, folder string) ([]launch.Record, error) {
	cmd := exec.CommandContext(ctx, p.file, p.args...)
	cmd.Dir = folder // it leaves its pictures there
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.file, launch.Failure(ctx, err, stderr.String()))
	}
	all, err := p.read(string(out))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.file, err)
	}
	for i := range all {
		all[i].Package = p.pkg
	}
	return all, nil
}

// besideFull is how long -full renders slices before a whole picture, and again
// after it.
const besideFull = 2 * time.Second

// renderWhole renders whole pictures. With peers, a round has all of them and those
// of the steps, in random order, and a link order of its own; without, each picture
// is rendered once, in a round for itself, between slices.
func (p *plan) renderWhole(ctx context.Context, env *cli.Env, f *file) (done, all int, err error) {
	var groups []launch.Group // of one picture each
	for _, g := range p.groups {
		for _, s := range g.Subjects {
			groups = append(groups, launch.Group{Title: g.Title + " with " + s.Slot.Variant, Subjects: []launch.Subject{s}})
		}
	}
	rounds := slices.Repeat([][]launch.Group{groups}, p.extent.Orders*p.extent.Launches)
	if p.peers == nil {
		rounds = slices.Collect(slices.Chunk(groups, 1))
	}
	bar := env.Progress(int64(len(rounds)), "rendering")
	defer bar.Finish()
	for ; done < len(rounds); done++ {
		number := done * len(rounds[done]) / len(groups)
		records, err := p.round(ctx, number, rounds[done], bar.Describe)
		if err != nil {
			return done, len(rounds), err
		}
		for i := range records {
			records[i].Order, records[i].Launch = number%p.extent.Orders+1, number+1
		}
		if err := f.append(records); err != nil {
			return done, len(rounds), err
		}
		bar.Add(1)
	}
	return done, len(rounds), nil
}

// round is a launch in which each picture of the groups and of the peers is rendered.
func (p *plan) round(ctx context.Context, order int, groups []launch.Group, describe func(string)) ([]launch.Record, error) {
	l, err := p.slicer.Launch(ctx, order)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	var records []launch.Record
	for _, i := range rand.Perm(len(groups) + len(p.peers)) {
		var got []launch.Record
		if i < len(p.peers) {
			describe("rendering with " + p.peers[i].pkg)
			got, err = p.peers[i].render(ctx, p.folder)
		} else {
			g := &groups[i-len(p.peers)]
			describe("rendering the " + g.Title)
			got, err = p.whole(l.(*launch.SlicerSession), g)
		}
		if err != nil {
			return nil, err
		}
		records = append(records, got...)
	}
	return records, nil
}

// whole renders the picture of a group of one.
func (p *plan) whole(l *launch.SlicerSession, g *launch.Group) ([]launch.Record, error) {
	if err := l.Open(g); err != nil {
		return nil, err
	}
	beside := besideFull
	if p.peers != nil {
		beside = 0
	}
	rays, took, sliceRays, sliceTook, err := l.Full(common.Default(), beside)
	r := rendered(g.Subjects[0].Slot.Scene, rays, took/1e9)
	r.Package, r.Config = g.Subjects[0].Package, g.Subjects[0].Config
	if beside > 0 {
		r.Values[results.SliceRate] = sliceRays / sliceTook * 1e9
	}
	return []launch.Record{r}, err
}
