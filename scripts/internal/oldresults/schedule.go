package results

import (
	"fmt"

	"github.com/dustin/go-humanize/english"

	"raysteps/scripts/internal/estimate"
	"raysteps/scripts/internal/steps"
)

// efficiency is the unit of a schedule: speed-up over one worker, divided by the
// number of workers.
const efficiency = "efficiency"

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

// Divisions lists those that were measured, in the order of the file.
func (s *Set) Divisions() []Division {
	var all []Division
	for _, value := range s.Values("division") {
		all = append(all, Division(value))
	}
	return all
}

// Efficiency returns that of a division among workers.
func (s *Set) Efficiency(step steps.Step, scene string, division Division, workers int) (estimate.Estimate, error) {
	name := fmt.Sprintf("%s%s/division=%s/workers=%d", schedulePrefix, scene, division, workers)
	return s.Estimate(Key{step.Package(), name}, efficiency)
}

// ScheduleTable returns a table of a step's efficiency in one scene: a row for
// each division and a column for each number of workers.
func (s *Set) ScheduleTable(step steps.Step, scene string) (Table, error) {
	numbers := s.Numbers("workers")
	t := s.newTable().left("division")
	for _, n := range numbers {
		t.right(english.Plural(n, "worker", ""))
	}
	for _, division := range s.Divisions() {
		t.text(division.Title())
		for _, n := range numbers {
			v, err := s.Efficiency(step, scene, division, n)
			t.cell(FormatShare, v, err)
		}
		t.end()
	}
	return t.done(s.notMeasured(step.Package(), "Schedule/...", ""))
}
