package stats

import (
	"math"
	"sync"

	"raysteps/common/mem"
)

// Run is one piece of work that a report is about. Its methods may be called
// from several goroutines at once. A nil *Run has nil shards, and no report.
type Run struct {
	declared []statistic
	size     size

	mu     sync.Mutex
	open   int    // shards that were not closed
	totals values // of those that were
}

// NewRun starts a run with the statistics that the set has by now.
func (s *Set) NewRun() *Run {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &Run{declared: s.declared, size: s.size, totals: newValues(s.size)}
}

// NewShard returns a shard for a worker that starts now, or nil for a nil run.
func (r *Run) NewShard() *Shard {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	r.open++
	r.mu.Unlock()
	s := mem.NewIsolated[Shard]()
	*s = Shard{run: r, values: newValues(r.size)}
	return s
}

// Shard is where one worker counts. It belongs to one goroutine at a time.
// [Run.NewShard] makes one. A nil *Shard counts nothing, and the zero Shard is
// not for use.
type Shard struct {
	run *Run
	values
}

// Close ends the shard and merges it into its run. Updates through it panic
// from then on. Closing again does nothing.
func (s *Shard) Close() {
	if s == nil || s.sums == nil {
		return
	}
	s.run.mu.Lock()
	defer s.run.mu.Unlock()
	s.run.totals.merge(&s.values)
	s.run.open--
	s.values = values{}
}

// values are the values of all statistics, by type; those of a closed shard are
// nil. They are isolated: the workers, each with a shard, write to different cache
// lines.
type values struct {
	sums   []int64 // a count; or a numerator and a denominator, or a time and a number of calls
	ints   []Ints
	floats []Floats
}

func newValues(n size) values {
	v := values{mem.Isolated[int64](n.sums), mem.Isolated[Ints](n.ints), mem.Isolated[Floats](n.floats)}
	for i := range v.ints {
		v.ints[i].Min, v.ints[i].Max = math.MaxInt64, math.MinInt64
	}
	for i := range v.floats {
		v.floats[i].Min, v.floats[i].Max = math.Inf(1), math.Inf(-1)
	}
	return v
}

func (v *values) merge(w *values) {
	for i, sum := range w.sums {
		v.sums[i] += sum
	}
	for i := range w.ints {
		v.ints[i].merge(&w.ints[i])
	}
	for i := range w.floats {
		v.floats[i].merge(&w.floats[i])
	}
}
