package results

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/dustin/go-humanize/english"

	"raysteps/scripts/internal/estimate"
	"raysteps/scripts/internal/steps"
)

// SweepKey names the benchmark of a step with a number of goroutines and with
// tiles of a side in pixels.
func SweepKey(pkg, scene string, tile, workers int) Key {
	return Key{pkg, fmt.Sprintf("%s%s/tile=%d/workers=%d", sweepPrefix, scene, tile, workers)}
}

// SweepTable returns a table of a step in one scene, with tiles of one size or, if
// that is 0, of all: the rate, and what each number of workers has over one with
// tiles of the same size.
func (s *Set) SweepTable(step steps.Step, scene string, size int) (Table, error) {
	t := s.newTable().right("tile", "workers", "rays/s", "speed-up over one worker", "efficiency")
	for _, tile := range s.Numbers("tile") {
		for _, n := range s.Numbers("workers") {
			key, one := SweepKey(step.Package(), scene, tile, n), SweepKey(step.Package(), scene, tile, 1)
			if size != 0 && tile != size || !s.Has(key) {
				continue
			}
			efficiency := func(v estimate.Estimate) string { return FormatShare(Scaled(v, 1/float64(n))) }
			t.text(fmt.Sprintf("%dx%d", tile, tile), strconv.Itoa(n)).value(key, "rays/s")
			t.ratio(key, one, "rays/s", FormatRatio).ratio(key, one, "rays/s", efficiency).end()
		}
	}
	return t.done(fmt.Errorf("results %q: no such point of %s in scene %q", s.Name, step.Title(), scene))
}

// Scaled is a summary in another unit.
func Scaled(v estimate.Estimate, factor float64) estimate.Estimate {
	v.Center, v.Lo, v.Hi = factor*v.Center, factor*v.Lo, factor*v.Hi
	return v
}

// SpheresKey names a step's benchmark of a scene of n spheres.
func SpheresKey(pkg string, n int) Key { return Key{pkg, spheresPrefix + strconv.Itoa(n)} }

// SpheresTable returns a table of rays a second: a row for each number of
// spheres, and a column for each step that was measured.
func (s *Set) SpheresTable() (Table, error) {
	t := s.newTable().right("spheres")
	list := s.measuredSteps(spheresPrefix)
	for _, step := range list {
		t.right("rays/s, " + step.Title() + s.OtherKernel(step))
	}
	for _, n := range s.Numbers("spheres") {
		t.text(exact(float64(n)))
		for _, step := range list {
			t.value(SpheresKey(step.Package(), n), "rays/s")
		}
		t.end()
	}
	return t.done(fmt.Errorf("results %q: no measurements by number of spheres", s.Name))
}

// Crossing returns from how many spheres on a step is faster than another, and
// the interval. In each launch it is the last place where the ratio of their rates
// passes 1, on a line between two measurements on logarithmic axes. The error
// wraps [ErrNoCrossing] if there is none between the least and the largest number.
func (s *Set) Crossing(step, over steps.Step) (estimate.Estimate, error) {
	sizes := s.Numbers("spheres")
	none := fmt.Errorf("results %q: %w %s is faster than %s", s.Name, ErrNoCrossing, step.Title(), over.Title())
	last := len(sizes) - 1
	if last < 1 {
		return estimate.Estimate{}, none
	}
	at := make([]float64, len(sizes))
	ratios := make([][]estimate.Launch, len(sizes))
	for i, n := range sizes {
		at[i] = math.Log(float64(n))
		var err error
		if ratios[i], err = s.ratios(SpheresKey(step.Package(), n), SpheresKey(over.Package(), n), "rays/s"); err != nil {
			return estimate.Estimate{}, err
		}
		if len(ratios[i]) != len(ratios[0]) {
			return estimate.Estimate{}, fmt.Errorf("results %q: %s and %s were not measured with %d spheres in all launches", s.Name, step.Title(), over.Title(), n)
		}
	}
	crossings := slices.Clone(ratios[0])
	for j := range crossings {
		i := last // the least number from which on the step is faster
		for i > 0 && ratios[i-1][j].Log > 0 && ratios[last][j].Log > 0 {
			i--
		}
		crossings[j].Log = at[i]
		if i > 0 && ratios[i][j].Log > 0 {
			above, below := ratios[i][j].Log, ratios[i-1][j].Log
			crossings[j].Log -= (at[i] - at[i-1]) * above / (above - below)
		}
	}
	const rounding = 1 + 1e-9
	v := estimate.Of(crossings)
	if v.Center < float64(sizes[0])*rounding || v.Center > float64(sizes[last])/rounding {
		return v, none
	}
	return v, nil
}

// Crossing is where a step becomes faster than another.
type Crossing struct {
	Over    steps.Step
	Spheres estimate.Estimate
}

// JoinCrossings says them in words: "step 12 from 200 (190 to 210) and wavefront
// from 1,400 (1,400 to 1,500) spheres on".
func JoinCrossings(all []Crossing) string {
	var words []string
	for _, c := range all {
		v := c.Spheres
		words = append(words, fmt.Sprintf("%s from %s (%s to %s)", c.Over.Title(), FormatSpheres(v.Center), FormatSpheres(v.Lo), FormatSpheres(v.Hi)))
	}
	return english.WordSeries(words, "and") + " spheres on"
}

// Crossings returns where the tree becomes faster than each of the other steps, if
// it was measured, and does.
func (s *Set) Crossings() ([]Crossing, error) {
	var all []Crossing
	measured := s.measuredSteps(spheresPrefix)
	tree := slices.IndexFunc(measured, func(step steps.Step) bool { return step.Name == "tree" })
	for i, over := range measured {
		if tree < 0 || i == tree {
			continue
		}
		v, err := s.Crossing(measured[tree], over)
		switch {
		case err == nil:
			all = append(all, Crossing{over, v})
		case !errors.Is(err, ErrNoCrossing):
			return nil, err
		}
	}
	return all, nil
}

// ErrNoCrossing says that a step is not faster than another in the end, or is so
// from the least number on.
var ErrNoCrossing = errors.New("there is no number of spheres from which on")

// FormatSpheres writes a number of spheres with two digits: 3.1, 230 or 1,500.
func FormatSpheres(n float64) string {
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(n, 'e', 1, 64), 64)
	return humanize.Commaf(rounded)
}

// measuredSteps lists the steps with a benchmark whose name begins so.
func (s *Set) measuredSteps(prefix string) []steps.Step {
	return slices.DeleteFunc(steps.All(), func(step steps.Step) bool {
		return !slices.ContainsFunc(s.keys, func(key Key) bool {
			return key.Package == step.Package() && strings.HasPrefix(key.Name, prefix)
		})
	})
}

// MeasuredSteps lists the steps that the set holds.
func (s *Set) MeasuredSteps() []steps.Step { return s.measuredSteps("") }

// FirstStep returns the first step that the set holds: the only one, in a sweep. It
// has no name if there is none that is known here.
func (s *Set) FirstStep() steps.Step {
	for _, step := range s.MeasuredSteps() {
		return step
	}
	return steps.Step{}
}

// BuildKey names a step's benchmark of one scene in one build: "v3+pgo".
func BuildKey(pkg, scene, build string) Key {
	return Key{pkg, scenePrefix + scene + buildKey + build}
}

// Builds lists the builds that were measured, in the order of the file.
func (s *Set) Builds() []string {
	var builds []string
	for _, key := range s.keys {
		if _, build, ok := strings.Cut(key.Name, buildKey); ok && !slices.Contains(builds, build) {
			builds = append(builds, build)
		}
	}
	return builds
}

// BuildsTable returns a table of one scene: a row for each step, the rate of
// the first build, and the speed of each other one against it.
func (s *Set) BuildsTable(scene string) (Table, error) {
	builds := s.Builds()
	if len(builds) == 0 {
		return Table{}, fmt.Errorf("results %q: no measurements by build", s.Name)
	}
	t := s.newTable().right("step").left("what changes").right("rays/s, " + builds[0])
	for _, build := range builds[1:] {
		t.right(build + " over " + builds[0])
	}
	for _, step := range s.measuredSteps(scenePrefix + scene + buildKey) {
		first := BuildKey(step.Package(), scene, builds[0])
		t.text(step.Short(), step.Label+s.OtherKernel(step)).value(first, "rays/s")
		for _, build := range builds[1:] {
			t.ratio(BuildKey(step.Package(), scene, build), first, "rays/s", FormatRatio)
		}
		t.end()
	}
	return t.done(fmt.Errorf("results %q: no step was measured in scene %q", s.Name, scene))
}

// AgainstTable returns a table of a step in one build and in another against it, a
// row for each scene: both rates, the speed, what that differs by between link
// orders, and what there is to say of the pictures.
func (s *Set) AgainstTable(step steps.Step, before, after string, pictures map[string]string) (Table, error) {
	t := s.newTable().left("scene").right("rays/s, "+before, "rays/s, "+after, "speed", "between link orders").left("picture")
	for _, scene := range s.Scenes() {
		a, b := BuildKey(step.Package(), scene, before), BuildKey(step.Package(), scene, after)
		t.text(scene).value(a, "rays/s").value(b, "rays/s")
		t.ratio(b, a, "rays/s", FormatRatio).ratio(b, a, "rays/s", formatBetween).text(pictures[scene]).end()
	}
	return t.done(nil)
}
