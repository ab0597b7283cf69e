package results

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"raysteps/scripts/internal/estimate"
	"raysteps/scripts/internal/steps"
)

// peerPrefix begins the package of a program in C++.
const peerPrefix = "peer/"

// PeerPackage names the article's step as a compiler built it, or another program
// if step is empty.
func PeerPackage(compiler, step string) string { return peerPrefix + path.Join(compiler, step) }

// Toys are the programs of Toy Path Tracer: with one thread and with all.
func Toys() []string { return []string{"toy0", "toy1"} }

// compilers lists those that built the article's program.
func (s *Set) compilers() []string {
	var all []string
	for _, key := range s.keys {
		rest, ok := strings.CutPrefix(key.Package, peerPrefix)
		compiler, _, step := strings.Cut(rest, "/")
		if ok && step && !slices.Contains(all, compiler) {
			all = append(all, compiler)
		}
	}
	slices.Sort(all)
	return all
}

// BetterPeer returns the key of the article's step in a scene by the compiler that
// made it fastest.
func (s *Set) BetterPeer(step steps.Step, scene string) (Key, error) {
	var best Key
	rate := 0.
	for _, compiler := range s.compilers() {
		key := FullKey(PeerPackage(compiler, step.Name), scene)
		if !s.Has(key) {
			continue
		}
		e, err := s.Estimate(key, "rays/s")
		if err != nil {
			return best, err
		}
		if e.Center > rate {
			best, rate = key, e.Center
		}
	}
	if rate == 0 {
		return best, fmt.Errorf("results %q: no peer of %s in the %s scene", s.Name, step.Title(), scene)
	}
	return best, nil
}

// OverPeer returns the rate of a step over that of its better peer in a scene.
func (s *Set) OverPeer(step steps.Step, scene string) (estimate.Estimate, error) {
	better, err := s.BetterPeer(step, scene)
	if err != nil {
		return estimate.Estimate{}, err
	}
	return s.Ratio(FullKey(step.Package(), scene), better, "rays/s")
}

// PeersTable returns a table of the steps beside the same of the article's program
// in one scene, by whole pictures, and below them Toy Path Tracer where it was
// measured. Packages of beyond have none of their own, and are compared with that of
// the step that they go on from.
func (s *Set) PeersTable(scene string) (Table, error) {
	compilers := s.compilers()
	t := s.newTable().right("step", "Go, rays/s")
	for _, compiler := range compilers {
		t.right(compiler + ", rays/s")
	}
	t.right("Go over the better")
	value := func(key Key) {
		if s.Has(key) {
			t.value(key, "rays/s")
		} else {
			t.text("")
		}
	}
	for _, step := range s.measuredSteps(fullPrefix) {
		t.text(step.Short())
		value(FullKey(step.Package(), scene))
		for _, compiler := range compilers {
			value(FullKey(PeerPackage(compiler, step.Name), scene))
		}
		same := step
		if step.Number == 0 {
			same, _ = step.Previous()
		}
		if better, err := s.BetterPeer(same, scene); err == nil {
			t.ratio(FullKey(step.Package(), scene), better, "rays/s", FormatRatio)
		} else {
			t.text("")
		}
		t.end()
	}
	for i, toy := range Toys() {
		if key := FullKey(PeerPackage(toy, ""), scene); s.Has(key) {
			t.text([]string{"Toy Path Tracer, one thread", "Toy Path Tracer, all threads"}[i], "")
			for j := range compilers {
				if j == slices.Index(compilers, "g++") {
					t.value(key, "rays/s")
				} else {
					t.text("")
				}
			}
			t.text("").end()
		}
	}
	return t.done(fmt.Errorf("results %q: no peers were measured", s.Name))
}
