package stats

import (
	"math"
	"sync"
	"sync/atomic"

	"raysteps/common/mem"
)

// Run is one piece of work that a report is about. Its methods may be called
// from several goroutines at once. A nil *Run has nil shards and an empty
// report.
type Run struct {
	base     place
	declared []statistic
	shape    shape
	lost     atomic.Int64

	mu     sync.Mutex
	open   int    // shards that were not closed
	totals values // of those that were
}

// NewRun starts a run with the statistics that the set has by now.
func (s *Set) NewRun() *Run {
	s.mu.Lock()
	defer s.mu.Unlock()
	return &Run{base: s.base(), declared: s.declared, shape: s.shape, totals: newValues(s.shape)}
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
	*s = Shard{run: r, base: r.base, values: newValues(r.shape)}
	return s
}

// Shard is where one worker counts. It belongs to one goroutine at a time. It
// may be handed on, as through a channel.
//
// [Run.NewShard] makes one. A nil *Shard counts nothing, and the zero Shard is
// not for use.
type Shard struct {
	run  *Run
	base place // 0: closed
	values
}

// Close ends the shard and merges it into its run. Further updates through it
// are lost, and the report tells how many. Closing again does nothing.
func (s *Shard) Close() {
	if s == nil || s.base == 0 {
		return
	}
	r := s.run
	r.mu.Lock()
	defer r.mu.Unlock()
	r.totals.merge(&s.values)
	r.open--
	s.values = values{}
	s.base = 0
}

// lose counts an update that has no place in the shard: one of a closed shard,
// of a statistic of another set, of one that was declared after the run
// started, or of one that was not declared.
func (s *Shard) lose() {
	s.run.lost.Add(1)
}

// values are the values of all statistics, by type. Those of a shard are isolated:
// the workers, each with a shard, write to different cache lines.
type values struct {
	sums   []int64
	pairs  []pair
	ints   []intValues
	floats []floatValues
}

func newValues(n shape) values {
	v := values{mem.Isolated[int64](n.sums), mem.Isolated[pair](n.pairs), mem.Isolated[intValues](n.ints), mem.Isolated[floatValues](n.floats)}
	for i := range v.ints {
		v.ints[i] = noInts
	}
	for i := range v.floats {
		v.floats[i] = noFloats
	}
	return v
}

func (v *values) merge(w *values) {
	for i, n := range w.sums {
		v.sums[i] += n
	}
	for i, p := range w.pairs {
		v.pairs[i].a += p.a
		v.pairs[i].b += p.b
	}
	for i := range w.ints {
		v.ints[i].merge(&w.ints[i])
	}
	for i := range w.floats {
		v.floats[i].merge(&w.floats[i])
	}
}

// pair is a numerator and a denominator, or a time in nanoseconds and a number
// of calls.
type pair struct{ a, b int64 }

// intValues is a distribution of integers. The sum wraps around. So that this
// can be undone, each value is rounded to a multiple of 2³², and high is the sum
// of these multiples. What is left of each value is at most 2³¹, and of n values
// at most n·2³¹.
type intValues struct {
	n, sum, high int64
	min, max     int64
}

var noInts = intValues{min: math.MaxInt64, max: math.MinInt64}

func (d *intValues) add(v int64) {
	d.n++
	d.sum += v
	d.high += (v>>31 + 1) >> 1
	if v < d.min {
		d.min = v
	}
	if v > d.max {
		d.max = v
	}
}

func (d *intValues) merge(e *intValues) {
	d.n += e.n
	d.sum += e.sum
	d.high += e.high
	d.min = min(d.min, e.min)
	d.max = max(d.max, e.max)
}

// mean is for at least one value.
func (d *intValues) mean() float64 {
	low := d.sum - d.high<<32
	return (float64(d.high)*(1<<32) + float64(low)) / float64(d.n)
}

// floatValues is a distribution of numbers, of which the finite ones count.
type floatValues struct {
	n         int64
	sum       float64
	min, max  float64
	notFinite int64
}

var noFloats = floatValues{min: math.Inf(1), max: math.Inf(-1)}

func (d *floatValues) add(v float64) {
	if v-v == 0 {
		d.n++
		d.sum += v
		if v < d.min {
			d.min = v
		}
		if v > d.max {
			d.max = v
		}
	} else { // NaN or infinite
		d.notFinite++
	}
}

func (d *floatValues) merge(e *floatValues) {
	d.n += e.n
	d.sum += e.sum
	d.min = min(d.min, e.min)
	d.max = max(d.max, e.max)
	d.notFinite += e.notFinite
}
