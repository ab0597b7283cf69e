package results

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"raysteps/scripts/internal/estimate"
	"raysteps/scripts/internal/steps"
)

// SweepPoint is what BenchmarkSweep of a step was measured with.
type SweepPoint struct {
	Scene   string
	Tile    int // side in pixels
	Workers int
}

// Key names the measurement of a step.
func (p SweepPoint) Key(step steps.Step) Key {
	return Key{step.Package(), fmt.Sprintf("%s%s/tile=%d/workers=%d", sweepPrefix, p.Scene, p.Tile, p.Workers)}
}

// Sweep returns the points that a step was measured with: scenes in the order
// of the file, and then by tile and by workers.
func (s *Set) Sweep(step steps.Step) ([]SweepPoint, error) {
	var points []SweepPoint
	var scenes []string
	for _, key := range s.keys {
		if key.Package != step.Package() || !strings.HasPrefix(key.Name, sweepPrefix) {
			continue
		}
		parts := nameParts(key, "Sweep")
		if len(parts) != 3 || parts[1].key != "tile" || parts[2].key != "workers" {
			return nil, fmt.Errorf("results %q: %s; want a name with scene, tile and workers", s.Name, key)
		}
		tile, err := strconv.Atoi(parts[1].value)
		workers, err2 := strconv.Atoi(parts[2].value)
		if cmp.Or(err, err2) != nil || tile < 1 || workers < 1 {
			return nil, fmt.Errorf("results %q: %s; want whole numbers of at least 1", s.Name, key)
		}
		points = append(points, SweepPoint{parts[0].value, tile, workers})
		if !slices.Contains(scenes, parts[0].value) {
			scenes = append(scenes, parts[0].value)
		}
	}
	if len(points) == 0 {
		return nil, s.notMeasured(step.Package(), "Sweep/...", "")
	}
	slices.SortStableFunc(points, func(a, b SweepPoint) int {
		return cmp.Or(slices.Index(scenes, a.Scene)-slices.Index(scenes, b.Scene), a.Tile-b.Tile, a.Workers-b.Workers)
	})
	return points, nil
}

// SweepTable returns a table of a step's points in one scene, all of them or
// those that keep chooses: the rate, and what each point has over one worker
// with tiles of the same size.
func (s *Set) SweepTable(step steps.Step, scene string, keep func(SweepPoint) bool) (Table, error) {
	points, err := s.Sweep(step)
	if err != nil {
		return Table{}, err
	}
	table := Table{
		Header: []string{"tile", "workers", "rays/s", "speed-up over one worker", "efficiency"},
		Right:  []bool{true, true, true, true, true},
	}
	for _, p := range points {
		if p.Scene != scene || keep != nil && !keep(p) {
			continue
		}
		rate, err := s.Estimate(p.Key(step), "rays/s")
		if err != nil {
			return Table{}, err
		}
		cells := []string{fmt.Sprintf("%dx%d", p.Tile, p.Tile), strconv.Itoa(p.Workers), FormatValue(rate, "rays/s"), "", ""}
		one := p
		one.Workers = 1
		if p.Workers > 1 && s.Has(one.Key(step)) {
			ratio, err := s.Ratio(p.Key(step), one.Key(step), "rays/s")
			if err != nil {
				return Table{}, err
			}
			cells[3], cells[4] = FormatRatio(ratio), FormatShare(Scaled(ratio, 1/float64(p.Workers)))
		}
		table.Rows = append(table.Rows, cells)
	}
	if len(table.Rows) == 0 {
		return Table{}, fmt.Errorf("results %q: no such point of %s in scene %q", s.Name, step.Title(), scene)
	}
	return table, nil
}

// Scaled is a summary in another unit.
func Scaled(v estimate.Estimate, factor float64) estimate.Estimate {
	v.Center, v.Lo, v.Hi = factor*v.Center, factor*v.Lo, factor*v.Hi
	return v
}

// SpheresKey names a step's benchmark of a scene of n spheres.
func SpheresKey(pkg string, n int) Key { return Key{pkg, spheresPrefix + strconv.Itoa(n)} }

// Spheres returns the numbers of spheres that were measured, in their order.
func (s *Set) Spheres() ([]int, error) {
	var all []int
	for _, key := range s.keys {
		value, ok := strings.CutPrefix(key.Name, spheresPrefix)
		if !ok {
			continue
		}
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("results %q: %s; want a number of spheres of at least 1", s.Name, key)
		}
		if !slices.Contains(all, n) {
			all = append(all, n)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("results %q: no measurements by number of spheres", s.Name)
	}
	slices.Sort(all)
	return all, nil
}

// SpheresTable returns a table of rays a second: a row for each number of
// spheres, and a column for each step that was measured.
func (s *Set) SpheresTable() (Table, error) {
	sizes, err := s.Spheres()
	if err != nil {
		return Table{}, err
	}
	table := Table{Header: []string{"spheres"}, Right: []bool{true}}
	list := s.measuredSteps(spheresPrefix)
	for _, step := range list {
		table.Header = append(table.Header, "rays/s, "+step.Title()+s.OtherKernel(step))
		table.Right = append(table.Right, true)
	}
	for _, n := range sizes {
		cells := []string{exact(float64(n))}
		for _, step := range list {
			v, err := s.Estimate(SpheresKey(step.Package(), n), "rays/s")
			if err != nil {
				return Table{}, err
			}
			cells = append(cells, FormatValue(v, "rays/s"))
		}
		table.Rows = append(table.Rows, cells)
	}
	return table, nil
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

// FirstStep returns the first step that the set holds: the only one, in a sweep.
func (s *Set) FirstStep() (steps.Step, error) {
	measured := s.MeasuredSteps()
	if len(measured) == 0 {
		return steps.Step{}, fmt.Errorf("results %q: no step that is known here", s.Name)
	}
	return measured[0], nil
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
	table := Table{
		Header: []string{"step", "what changes", "rays/s, " + builds[0]},
		Right:  []bool{true, false, true},
	}
	for _, build := range builds[1:] {
		table.Header, table.Right = append(table.Header, build+" over "+builds[0]), append(table.Right, true)
	}
	for _, step := range s.measuredSteps(scenePrefix + scene + buildKey) {
		first := BuildKey(step.Package(), scene, builds[0])
		rate, err := s.Estimate(first, "rays/s")
		if err != nil {
			return Table{}, err
		}
		cells := []string{step.Short(), step.Label + s.OtherKernel(step), FormatValue(rate, "rays/s")}
		for _, build := range builds[1:] {
			ratio, err := s.Ratio(BuildKey(step.Package(), scene, build), first, "rays/s")
			if err != nil {
				return Table{}, err
			}
			cells = append(cells, FormatRatio(ratio))
		}
		table.Rows = append(table.Rows, cells)
	}
	if len(table.Rows) == 0 {
		return Table{}, fmt.Errorf("results %q: no step was measured in scene %q", s.Name, scene)
	}
	return table, nil
}

// AgainstRow returns the cells of a step in one scene, in a build and in another
// against it: both rates, the speed, and what that differs by between link
// orders.
func (s *Set) AgainstRow(step steps.Step, scene, before, after string) ([]string, error) {
	a, b := BuildKey(step.Package(), scene, before), BuildKey(step.Package(), scene, after)
	var cells []string
	for _, key := range []Key{a, b} {
		rate, err := s.Estimate(key, "rays/s")
		if err != nil {
			return nil, err
		}
		cells = append(cells, FormatValue(rate, "rays/s"))
	}
	ratio, err := s.Ratio(b, a, "rays/s")
	if err != nil {
		return nil, err
	}
	return append(cells, FormatRatio(ratio), formatBetween(ratio)), nil
}
