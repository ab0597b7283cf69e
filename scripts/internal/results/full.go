package results

import (
	"fmt"

	"raysteps/scripts/internal/steps"
)

// FullKey names the benchmark of a whole picture of a step.
func FullKey(pkg, scene string) Key { return Key{pkg, fullPrefix + scene} }

// SliceRate is the unit of the rate of slices that took turns with the rows of a
// whole picture.
const SliceRate = "slice-rays/s"

// FullTable returns a table of whole pictures, of 1280x720 with ten samples a
// pixel, a row for each step: the time that each took, and what slices of the
// same minutes say against it. What was not rendered is left empty.
func (s *Set) FullTable() (Table, error) {
	scenes := s.Scenes()
	table := Table{Header: []string{"step"}, Right: []bool{true}}
	for _, scene := range scenes {
		table.Header = append(table.Header, scene+", time", "slices over the whole")
		table.Right = append(table.Right, true, true)
	}
	for _, step := range s.measuredSteps(fullPrefix) {
		cells := []string{step.Short()}
		for _, scene := range scenes {
			key := FullKey(step.Package(), scene)
			if !s.Has(key) {
				cells = append(cells, "", "")
				continue
			}
			seconds, err := s.Estimate(key, "sec/op")
			if err != nil {
				return Table{}, err
			}
			whole, err := s.Estimate(key, "rays/s")
			if err != nil {
				return Table{}, err
			}
			slices, err := s.Estimate(key, SliceRate)
			if err != nil {
				return Table{}, err
			}
			cells = append(cells, scale(seconds.Center, "sec/op"), fmt.Sprintf("%.3f", slices.Center/whole.Center))
		}
		table.Rows = append(table.Rows, cells)
	}
	return table, nil
}

// Counters are the units of what a processor counts, a ray.
func Counters() []string {
	return []string{"instructions/ray", "cycles/ray", "branch-misses/ray", "cache-misses/ray"}
}

// CountersTable returns a table of what the processor counted: a row for each
// step and scene. It has none if nothing was counted.
func (s *Set) CountersTable() Table {
	table := Table{Header: append([]string{"step", "scene"}, Counters()...), Right: []bool{true, false, true, true, true, true}}
	for _, scene := range s.Scenes() {
		for _, step := range steps.All() {
			key := RenderKey(step.Package(), scene)
			if len(s.values[key][Counters()[0]]) == 0 {
				continue
			}
			cells := []string{step.Short(), scene}
			for _, unit := range Counters() {
				cells = append(cells, FormatValue(estimateOf(s.values[key][unit]), unit))
			}
			table.Rows = append(table.Rows, cells)
		}
	}
	return table
}
