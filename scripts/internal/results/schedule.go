package results

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"raysteps/scripts/internal/estimate"
	"raysteps/scripts/internal/steps"
)

// efficiency is the unit of a schedule: speed-up over one worker, divided by the
// number of workers.
const efficiency = "efficiency"

// Schedule is what BenchmarkSchedule of a step was measured with.
type Schedule struct {
	Scenes    []string   // in the order of the file, as are
	Divisions []Division // the ways to divide a picture
	Workers   []int      // in ascending order
}

// Division is a way to divide a picture among workers: into square tiles, of
// which it is the side in pixels, into rows, or into as many parts as there are
// workers.
type Division string

// The divisions without a number.
const (
	rows       = "row"
	equalParts = "parts"
)

// Title is what a text calls the division.
func (d Division) Title() string {
	switch d {
	case rows:
		return "rows"
	case equalParts:
		return "equal parts"
	}
	return fmt.Sprintf("tiles of %sx%s", string(d), string(d))
}

// Schedule returns what a step was measured with.
func (s *Set) Schedule(step steps.Step) (Schedule, error) {
	var all Schedule
	for _, key := range s.keys {
		if key.Package != step.Package() || !strings.HasPrefix(key.Name, schedulePrefix) {
			continue
		}
		parts := nameParts(key, "Schedule")
		if len(parts) != 3 || parts[1].key != "division" || parts[2].key != "workers" {
			return Schedule{}, fmt.Errorf("results %q: %s; want a name with scene, division and workers", s.Name, key)
		}
		workers, err := strconv.Atoi(parts[2].value)
		if err != nil || workers < 1 {
			return Schedule{}, fmt.Errorf("results %q: %s; want a whole number of workers, at least 1", s.Name, key)
		}
		if side, err := strconv.Atoi(parts[1].value); (err != nil || side < 1) && parts[1].value != rows && parts[1].value != equalParts {
			return Schedule{}, fmt.Errorf("results %q: %s; want a division that is the side of a tile, %s or %s", s.Name, key, rows, equalParts)
		}
		all.Scenes = appendNew(all.Scenes, parts[0].value)
		all.Divisions = appendNew(all.Divisions, Division(parts[1].value))
		all.Workers = appendNew(all.Workers, workers)
	}
	if len(all.Scenes) == 0 {
		return Schedule{}, s.notMeasured(step.Package(), "Schedule/...", "")
	}
	slices.Sort(all.Workers)
	return all, nil
}

func appendNew[T comparable](list []T, item T) []T {
	if slices.Contains(list, item) {
		return list
	}
	return append(list, item)
}

// Efficiency returns that of a division among workers.
func (s *Set) Efficiency(step steps.Step, scene string, division Division, workers int) (estimate.Estimate, error) {
	name := fmt.Sprintf("%s%s/division=%s/workers=%d", schedulePrefix, scene, division, workers)
	return s.Estimate(Key{step.Package(), name}, efficiency)
}

// ScheduleTable returns a table of a step's efficiency in one scene: a row for
// each division and a column for each number of workers.
func (s *Set) ScheduleTable(step steps.Step, scene string) (Table, error) {
	all, err := s.Schedule(step)
	if err != nil {
		return Table{}, err
	}
	table := Table{Header: []string{"division"}, Right: []bool{false}}
	for _, workers := range all.Workers {
		title := fmt.Sprintf("%d workers", workers)
		if workers == 1 {
			title = "1 worker"
		}
		table.Header, table.Right = append(table.Header, title), append(table.Right, true)
	}
	for _, division := range all.Divisions {
		cells := []string{division.Title()}
		for _, workers := range all.Workers {
			v, err := s.Efficiency(step, scene, division, workers)
			if err != nil {
				return Table{}, err
			}
			cells = append(cells, formatEfficiency(v))
		}
		table.Rows = append(table.Rows, cells)
	}
	return table, nil
}

// formatEfficiency is [FormatShare] without an interval that rounds to nothing.
func formatEfficiency(v estimate.Estimate) string {
	center := math.Round(100 * v.Center)
	if math.Round(100*v.Lo) == center && math.Round(100*v.Hi) == center {
		return fmt.Sprintf("%.0f%%", center)
	}
	return FormatShare(v)
}
