package results

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Kind says what a file was measured for. Each has tables and charts of its
// own.
type Kind string

// The kinds of measurements that scripts/bench writes.
const (
	OfSteps       Kind = "steps"       // the three scenes
	OfExperiments Kind = "experiments" // the chapters' own benchmarks
	OfSweep       Kind = "sweeps"      // the three scenes by number of workers and size of tiles
	OfSchedules   Kind = "schedules"   // the three scenes on processors that are simulated
	OfSpheres     Kind = "spheres"     // scenes of one sphere to very many
	OfBuilds      Kind = "builds"      // the three scenes by settings of the compiler
	OfFull        Kind = "full"        // whole pictures against slices
	OfPeers       Kind = "peers"       // whole pictures beside programs in C++
)

// Kinds lists all of them.
func Kinds() []Kind {
	return []Kind{OfSteps, OfExperiments, OfSweep, OfSchedules, OfSpheres, OfBuilds, OfFull, OfPeers}
}

const (
	scenePrefix    = "Render/scene="
	spheresPrefix  = "Render/spheres="
	sweepPrefix    = "Sweep/scene="
	schedulePrefix = "Schedule/scene="
	fullPrefix     = "Full/scene="
	buildKey       = "/build="
)

// Kind tells what the set was measured for.
func (s *Set) Kind() Kind {
	has := func(prefix string) bool {
		return slices.ContainsFunc(s.keys, func(key Key) bool { return strings.HasPrefix(key.Name, prefix) })
	}
	switch {
	case len(s.compilers()) > 0:
		return OfPeers
	case has(sweepPrefix):
		return OfSweep
	case has(schedulePrefix):
		return OfSchedules
	case has(spheresPrefix):
		return OfSpheres
	case has(fullPrefix):
		return OfFull
	case len(s.Builds()) > 0:
		return OfBuilds
	case has(scenePrefix):
		return OfSteps
	}
	return OfExperiments
}

// Whole reports the first benchmark that was not measured as often as the
// others: a file that was cut short would otherwise fail wherever two of them
// are compared.
func (s *Set) Whole() error {
	launches := 0
	for _, key := range s.keys {
		units := slices.Sorted(maps.Keys(s.values[key]))
		switch {
		case strings.HasPrefix(key.Name, scenePrefix), strings.HasPrefix(key.Name, spheresPrefix), strings.HasPrefix(key.Name, sweepPrefix):
			units = []string{"rays/s"}
		case strings.HasPrefix(key.Name, schedulePrefix):
			units = []string{efficiency}
		}
		for _, unit := range units {
			measured, err := s.measurements(key, unit)
			if err != nil {
				return err
			}
			if launches == 0 {
				launches = len(measured)
			}
			if len(measured) != launches {
				return fmt.Errorf("results %q: %d launches of %s in %s and %d of %s; want all of each, as scripts/bench writes them",
					s.Name, len(measured), key, unit, launches, s.keys[0])
			}
		}
	}
	return nil
}
