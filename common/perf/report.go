package perf

import (
	"cmp"
	"math"
	"slices"
)

// Report has for each worker, by number, what it timed: for each label the
// summaries in the order of bytes and flops. As JSON it has the names that
// the recipe has; a worker that timed nothing is an empty object.
type Report []map[string][]Summary

// Summary is about the calls of one kind: those with the same label, bytes and
// flops. Times are in seconds.
type Summary struct {
	Bytes, Flops int64 // of each call
	Calls        int64

	Min, Max, Avg float64
	Stddev        float64 // of these calls: the divisor is their number

	// The rates of an average call, 0 if it took no time that the clock could
	// see. What workers do at the same time adds up.
	GBPerSecond    float64 `json:"GB/s"`
	GFLOPPerSecond float64 `json:"GFLOP/s"`
}

// Report returns what was counted until now. Workers may go on meanwhile; the
// summaries of one worker are of one moment.
func (t *Timers) Report() Report {
	t.lock.Lock()
	workers := slices.Clone(t.workers)
	t.lock.Unlock()
	report := make(Report, len(workers))
	for i, w := range workers {
		report[i] = w.summaries()
	}
	return report
}

func (w *Worker) summaries() map[string][]Summary {
	byLabel := map[string][]Summary{}
	if w == nil {
		return byLabel
	}
	w.lock.Lock()
	for k, r := range w.records {
		s := r.Summary
		s.Stddev = math.Sqrt(r.squares / float64(r.Calls))
		if s.Avg > 0 {
			s.GBPerSecond = float64(s.Bytes) / s.Avg / 1e9
			s.GFLOPPerSecond = float64(s.Flops) / s.Avg / 1e9
		}
		byLabel[k.label] = append(byLabel[k.label], s)
	}
	w.lock.Unlock()
	for _, s := range byLabel {
		slices.SortFunc(s, func(a, b Summary) int {
			return cmp.Or(cmp.Compare(a.Bytes, b.Bytes), cmp.Compare(a.Flops, b.Flops))
		})
	}
	return byLabel
}
