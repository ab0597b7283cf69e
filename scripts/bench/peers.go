package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"

	"golang.org/x/perf/benchfmt"

	"raysteps/common/scene"
	"raysteps/common/turns"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/launch"
	"raysteps/scripts/internal/steps"
)

// peerSteps are those that a reader of the article's tables looks for, and what
// goes on from them.
const peerSteps = "1,4,8-13,avx512,wavefront,tree"

// peer is a program in C++ that renders the same scenes as the steps, 1280x720 with
// ten samples a pixel, and prints how long that took.
type peer struct {
	pkg   string // that the file shows
	file  string
	args  []string
	scene string // that it renders, or empty for all three
	stdin string // a file, or empty
}

// picture is what one took.
type picture struct{ rays, seconds float64 }

// findPeers looks in a folder for the article's program, as COMPILER/stepN for the
// chosen steps; for Toy Path Tracer with one and with all threads, as toy0 and toy1;
// and for a path tracer over Embree, as embree beside SCENE.scene.
func findPeers(folder string, chosen []steps.Step) ([]peer, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	var all []peer
	for _, step := range chosen {
		files, err := filepath.Glob(filepath.Join(folder, "*", fmt.Sprintf("step%d", step.Number)))
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			all = append(all, peer{pkg: "peer/" + filepath.Base(filepath.Dir(file)) + "/" + step.Name, file: file, args: []string{"-w"}})
		}
	}
	for _, toy := range []string{"toy0", "toy1"} {
		all = append(all, peer{pkg: "peer/" + toy, file: filepath.Join(folder, toy), args: []string{"2"}, scene: "medium"})
	}
	for _, sc := range scene.Names() {
		all = append(all, peer{"peer/embree", filepath.Join(folder, "embree"), []string{"1", "1280", "720", "10", "1"}, sc, filepath.Join(folder, sc+".scene")})
	}
	all = slices.DeleteFunc(all, func(p peer) bool {
		program, err := os.Stat(p.file)
		_, err2 := os.Stat(cmp.Or(p.stdin, p.file))
		return err != nil || err2 != nil || program.IsDir()
	})
	if len(all) == 0 {
		return nil, cli.Misuse("-peers %s: it holds no program; want COMPILER/stepN, such as clang/step12, toy0 and toy1, or embree", folder)
	}
	return all, nil
}

// printed is what tells of a picture: in the article's program the name of a scene,
// and below it the time and the rays; in the others one line.
var printed = regexp.MustCompile(`(\w+)\s+elapsed time:\s+([\d.]+)s\s+total samples:\s+\d+\s+total rays:\s+(\d+)|rays (\d+) seconds ([\d.]+)`)

// read returns the pictures by scene. Of a scene that is rendered more than once, the
// last picture counts.
func (p peer) read(output string) (map[string]picture, error) {
	all, want := map[string]picture{}, 1
	if p.scene == "" {
		want = len(scene.Names())
	}
	for _, m := range printed.FindAllStringSubmatch(output, -1) {
		var pic picture
		if _, err := fmt.Sscan(m[3]+m[4]+" "+m[2]+m[5], &pic.rays, &pic.seconds); err == nil && pic.rays > 0 && pic.seconds > 0 {
			all[cmp.Or(m[1], p.scene)] = pic
		}
	}
	if len(all) != want {
		return nil, fmt.Errorf("it printed %d scenes with rays and time above 0; want %d", len(all), want)
	}
	return all, nil
}

// round renders the pictures of some programs once, in random order.
func (p *plan) round(ctx context.Context, peers []peer) ([]*benchfmt.Result, error) {
	var all []*benchfmt.Result
	for _, i := range rand.Perm(len(peers)) {
		peer := peers[i]
		in, err := os.ReadFile(cmp.Or(peer.stdin, os.DevNull))
		var pictures map[string]picture
		if err == nil {
			cmd := exec.CommandContext(ctx, peer.file, peer.args...)
			cmd.Dir, cmd.Stdin = p.bin, bytes.NewReader(in) // where it leaves its pictures
			var out string
			if out, err = launch.Output(ctx, cmd); err == nil {
				pictures, err = peer.read(out)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", peer.file, err)
		}
		for sc, pic := range pictures {
			r := &benchfmt.Result{Name: benchfmt.Name(fmt.Sprintf("Full/scene=%s-%d", sc, runtime.GOMAXPROCS(0))), Iters: 1,
				Values: []benchfmt.Value{{Value: pic.rays, Unit: "rays/op"}, {Value: pic.rays / pic.seconds, Unit: "rays/s"}, {Value: pic.seconds, Unit: "sec/op"}}}
			turns.Set(r, "pkg", peer.pkg)
			turns.Set(r, "link-order", strconv.Itoa(p.done+1))
			all = append(all, r)
		}
	}
	return all, nil
}
