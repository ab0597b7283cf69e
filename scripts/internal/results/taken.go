package results

import (
	"slices"
	"strconv"
	"strings"
)

// enoughProcessors is the share of the workers' processors that a render has to have
// had for its rate to be that of the workers.
const enoughProcessors = 0.95

// taken reports whether other programs had some of the processors on which a
// benchmark's workers ran: what was measured then says nothing of them.
func (b *benchmark) taken() bool {
	had, launches := 0.0, 0
	for _, l := range b.launches {
		if v, ok := l.Value("processors"); ok {
			had, launches = had+v, launches+1
		}
	}
	workers, err := strconv.Atoi(b.line.Name.String()[strings.LastIndexByte(b.line.Name.String(), '-')+1:])
	return launches > 0 && err == nil && had/float64(launches*workers) < enoughProcessors
}

// Taken reports whether processors were taken from any benchmark.
func (s *Set) Taken() bool {
	return slices.ContainsFunc(s.benchmarks, (*benchmark).taken)
}

// TakenFrom reports whether processors were taken from a benchmark.
func (s *Set) TakenFrom(pkg, name string) bool {
	b := s.index[id{pkg, name, ""}]
	return b != nil && b.taken()
}
