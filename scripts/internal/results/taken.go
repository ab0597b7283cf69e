package results

import (
	"slices"
	"strconv"
	"strings"

	"raysteps/scripts/internal/estimate"
)

// lacks reports whether other programs had some of the processors of the workers.
func (l launch) lacks() bool {
	had, _ := l.Value("processors")
	name := l.Name.String()
	workers, err := strconv.Atoi(name[strings.LastIndexByte(name, '-')+1:])
	return err == nil && estimate.Lacks(had, workers)
}

// lacking returns how many launches lacked processors. They do not count, unless there
// are more than half of them: then nothing is known.
func (b *benchmark) lacking() (n int) {
	for _, l := range b.launches {
		if l.lacks() {
			n++
		}
	}
	return n
}

// taken reports whether processors were taken from more than half of the launches.
func (b *benchmark) taken() bool { return 2*b.lacking() > len(b.launches) }

// Taken reports whether processors were taken from any benchmark.
func (s *Set) Taken() bool { return slices.ContainsFunc(s.benchmarks, (*benchmark).taken) }

// TakenFrom reports whether processors were taken from a benchmark.
func (s *Set) TakenFrom(pkg, name string) bool {
	b := s.index[id{pkg, name, ""}]
	return b != nil && b.taken()
}
