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

	"raysteps/common"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/launch"
	"raysteps/scripts/internal/results"
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

// renderPeers renders whole pictures with the steps and their peers, all of them
// in each round, in random order. A round has a link order of its own.
func (p *plan) renderPeers(ctx context.Context, env *cli.Env, f *file) (done, all int, err error) {
	all = p.extent.Orders * p.extent.Launches
	bar := env.Progress(int64(all), "rendering")
	defer bar.Finish()
	for ; done < all; done++ {
		records, err := p.roundOfPeers(ctx, done, bar.Describe)
		if err != nil {
			return done, all, err
		}
		for i := range records {
			records[i].Order, records[i].Launch = done%p.extent.Orders+1, done+1
		}
		if err := p.keep(f)(records); err != nil {
			return done, all, err
		}
		bar.Add(1)
	}
	return done, all, nil
}

func (p *plan) roundOfPeers(ctx context.Context, order int, describe func(string)) ([]launch.Record, error) {
	l, err := p.slicer.Launch(ctx, order)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	session := l.(*launch.SlicerSession)
	var records []launch.Record
	var renders []func() error
	for _, peer := range p.peers {
		renders = append(renders, func() error {
			describe("rendering with " + peer.pkg)
			got, err := peer.render(ctx, p.folder)
			records = append(records, got...)
			return err
		})
	}
	for _, g := range p.groups {
		for _, subject := range g.Subjects {
			renders = append(renders, func() error {
				describe("rendering the " + g.Title + " with " + subject.Slot.Variant)
				alone := launch.Group{Title: g.Title + ", " + subject.Slot.Variant, Subjects: []launch.Subject{subject}}
				if err := session.Open(&alone); err != nil {
					return err
				}
				rays, took, _, _, err := session.Full(0, common.Default(), 0)
				if err != nil {
					return err
				}
				r := rendered(subject.Slot.Scene, rays, took/1e9)
				r.Package = subject.Package
				records = append(records, r)
				return nil
			})
		}
	}
	for _, i := range rand.Perm(len(renders)) {
		if err := renders[i](); err != nil {
			return nil, err
		}
	}
	return records, nil
}
