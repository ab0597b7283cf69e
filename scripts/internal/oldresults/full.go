package results

import (
	"cmp"
	"fmt"

	"raysteps/scripts/internal/estimate"
	"raysteps/scripts/internal/steps"
)

// FullKey names the benchmark of a whole picture of a step.
func FullKey(pkg, scene string) Key { return Key{pkg, fullPrefix + scene} }

// SliceRate is the unit of the rate of slices before and after a
// whole picture.
const SliceRate = "slice-rays/s"

// FullTable returns a table of whole pictures, of 1280x720 with ten samples a
// pixel, a row for each step: the time that each took, and what slices of the
// same minutes say against it. What was not rendered is left empty.
func (s *Set) FullTable() (Table, error) {
	scenes := s.Scenes()
	t := s.newTable().right("step")
	for _, scene := range scenes {
		t.right(scene+", time", "slices over the whole")
	}
	for _, step := range s.measuredSteps(fullPrefix) {
		t.text(step.Short())
		for _, scene := range scenes {
			key := FullKey(step.Package(), scene)
			if !s.Has(key) {
				t.text("", "")
				continue
			}
			seconds, err := s.Estimate(key, "sec/op")
			t.cell(func(v estimate.Estimate) string { return Format(v.Center, "sec/op") }, seconds, err)
			whole, err := s.Estimate(key, "rays/s")
			slices, err2 := s.Estimate(key, SliceRate)
			t.cell(func(v estimate.Estimate) string { return fmt.Sprintf("%.3f", v.Center/whole.Center) }, slices, cmp.Or(err, err2))
		}
		t.end()
	}
	return t.done(nil)
}

// Counters are the units of what a processor counts, a ray.
func Counters() []string {
	return []string{"instructions/ray", "cycles/ray", "branch-misses/ray", "cache-misses/ray"}
}

// CountersTable returns a table of what the processor counted: a row for each
// step and scene. It has none if nothing was counted.
func (s *Set) CountersTable() Table {
	t := s.newTable().right("step").left("scene").right(Counters()...)
	for _, scene := range s.Scenes() {
		for _, step := range steps.All() {
			key := RenderKey(step.Package(), scene)
			if len(s.values[key][Counters()[0]]) == 0 {
				continue
			}
			t.text(step.Short(), scene)
			for _, unit := range Counters() {
				t.value(key, unit)
			}
			t.end()
		}
	}
	return t.table
}
