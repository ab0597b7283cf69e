package results

import (
	"slices"
	"strconv"
	"strings"
)

// enoughProcessors is the share of the workers' processors that a render has to have
// had for its rate to be that of the workers.
const enoughProcessors = 0.95

// Lacks reports whether other programs had some of the processors on which so many
// workers ran: what was measured then says nothing of them. It is not known for 0.
func Lacks(had float64, workers int) bool {
	return had > 0 && had < enoughProcessors*float64(workers)
}

// lacks does so for a launch.
func (l launch) lacks() bool {
	had, _ := l.Value("processors")
	name := l.Name.String()
	workers, err := strconv.Atoi(name[strings.LastIndexByte(name, '-')+1:])
	return err == nil && Lacks(had, workers)
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
func (s *Set) Taken() bool {
	return slices.ContainsFunc(s.benchmarks, (*benchmark).taken)
}

// TakenFrom reports whether processors were taken from a benchmark.
func (s *Set) TakenFrom(pkg, name string) bool {
	b := s.index[id{pkg, name, ""}]
	return b != nil && b.taken()
}
