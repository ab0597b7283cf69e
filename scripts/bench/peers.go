package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"

	"raysteps/common/scene"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/launch"
	"raysteps/scripts/internal/steps"
)

// peerSteps are those that a reader of the article's tables looks for, and what
// goes on from them.
const peerSteps = "1,4,8-13,avx512,wavefront,tree"

// peers are programs in C++ that render the same scenes as the steps, 1280x720 with
// ten samples a pixel, and print how long that took.
type peers struct {
	folder string // that they run in: they leave their pictures there
	all    []peer
}

type peer struct {
	pkg  string // that the file shows
	file string
	args []string
	read func(output string) (map[string]picture, error) // by scene
}

// picture is what one took.
type picture struct{ rays, seconds float64 }

// findPeers looks in a folder for the article's program, as COMPILER/stepN for the
// chosen steps; for Toy Path Tracer with one and with all threads, as toy0 and toy1;
// and for a path tracer over Embree, as embree beside SCENE.scene.
func findPeers(folder string, chosen []steps.Step) (*peers, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	p := &peers{folder: folder}
	add := func(pkg, file string, read func(string) (map[string]picture, error), args ...string) {
		if info, err := os.Stat(file); err == nil && !info.IsDir() {
			p.all = append(p.all, peer{"peer/" + pkg, file, args, read})
		}
	}
	for _, step := range chosen {
		files, err := filepath.Glob(filepath.Join(folder, "*", fmt.Sprintf("step%d", step.Number)))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			add(filepath.Base(filepath.Dir(file))+"/"+step.Name, file, readOriginal, "-w")
		}
	}
	for _, toy := range []string{"toy0", "toy1"} {
		add(toy, filepath.Join(folder, toy), readToy, "2")
	}
	for _, sc := range scene.Names() {
		if file := filepath.Join(folder, sc+".scene"); exists(file) {
			add("embree", filepath.Join(folder, "embree"), readEmbree(sc), "1", "1280", "720", "10", "1", file)
		}
	}
	if len(p.all) == 0 {
		return nil, cli.Misuse("-peers %s: it holds no program; want COMPILER/stepN, such as clang/step12, toy0 and toy1, or embree", folder)
	}
	return p, nil
}

func exists(file string) bool {
	info, err := os.Stat(file)
	return err == nil && !info.IsDir()
}

// readOriginal reads what the article's program prints: the name of a scene, and
// below it the time and the rays.
func readOriginal(output string) (map[string]picture, error) {
	all := map[string]picture{}
	var seconds, rays float64
	name := ""
	for line := range strings.Lines(output) {
		line = strings.TrimSpace(line)
		switch key, value, ok := strings.Cut(line, ":"); {
		case slices.Contains(scene.Names(), line):
			name = line
		case ok && key == "elapsed time":
			fmt.Sscanf(strings.TrimSpace(value), "%fs", &seconds)
		case ok && key == "total rays":
			if fmt.Sscan(value, &rays); name == "" || seconds <= 0 || rays <= 0 {
				return nil, fmt.Errorf("it printed %q; want a scene, and its time and rays", line)
			}
			all[name] = picture{rays, seconds}
			name = ""
		}
	}
	if len(all) != len(scene.Names()) {
		return nil, fmt.Errorf("it printed %d scenes; want %d", len(all), len(scene.Names()))
	}
	return all, nil
}

// readToy reads the last picture of those that Toy Path Tracer renders: "rays N
// seconds S". The first is not counted.
func readToy(output string) (map[string]picture, error) { return readLast(output, "medium") }

func readEmbree(sc string) func(string) (map[string]picture, error) {
	return func(output string) (map[string]picture, error) { return readLast(output, sc) }
}

func readLast(output, sc string) (map[string]picture, error) {
	lines := strings.Split(strings.TrimSpace(output), "\n")
	last := lines[len(lines)-1]
	var p picture
	if _, err := fmt.Sscanf(last, "rays %f seconds %f", &p.rays, &p.seconds); err != nil || p.seconds <= 0 || p.rays <= 0 {
		return nil, fmt.Errorf("it printed %q; want rays N seconds S", last)
	}
	return map[string]picture{sc: p}, nil
}

// round renders the pictures of all peers once, in random order.
func (p *peers) round(ctx context.Context, order int) ([]*benchfmt.Result, error) {
	var results []*benchfmt.Result
	for _, i := range rand.Perm(len(p.all)) {
		peer := p.all[i]
		args := peer.args
		if n := len(args); n > 0 && strings.HasSuffix(args[n-1], ".scene") {
			args = args[:n-1]
		}
		cmd := exec.CommandContext(ctx, peer.file, args...)
		cmd.Dir = p.folder
		if len(args) < len(peer.args) {
			in, err := os.Open(peer.args[len(args)])
			if err != nil {
				return nil, err
			}
			defer in.Close()
			cmd.Stdin = in
		}
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", peer.file, launch.Failure(ctx, err, stderr.String()))
		}
		pictures, err := peer.read(string(out))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", peer.file, err)
		}
		for _, sc := range scene.Names() {
			pic, ok := pictures[sc]
			if !ok {
				continue
			}
			r := &benchfmt.Result{Name: benchfmt.Name(fmt.Sprintf("Full/scene=%s-%d", sc, runtime.GOMAXPROCS(0))), Iters: 1,
				Values: []benchfmt.Value{{Value: pic.rays, Unit: "rays/op"}, {Value: pic.rays / pic.seconds, Unit: "rays/s"}, {Value: pic.seconds, Unit: "sec/op"}}}
			launch.Set(r, "pkg", peer.pkg)
			launch.Set(r, "link-order", strconv.Itoa(order+1))
			results = append(results, r)
		}
	}
	return results, nil
}
