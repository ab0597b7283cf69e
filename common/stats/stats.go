// Package stats counts what a program does while it runs on all cores, at about
// the price of an ordinary addition, and reports it grouped by category. It
// follows pbrt (Pharr, Jakob and Humphreys, Physically Based Rendering, third
// edition, appendix A.7.1), which lost 10 to 15% of its speed when it counted
// with atomics: cores that write to one place in memory wait for each other.
//
// A statistic is declared in one line where it is used, at package level. Its
// title says where it stands in the report:
//
//	var set stats.Set
//	var cameraRays = set.Counter("Rays/Camera")
//
// A [Run] is one piece of work that a report is about, such as a picture. Each
// worker has a [Shard] of it, memory that nobody else writes to:
//
//	run := set.NewRun()
//	for range workers {
//		go func() {
//			shard := run.NewShard()
//			defer shard.Close()
//			cameraRays.Add(shard, 1)
//		}()
//	}
//	// Wait for the workers; then:
//	fmt.Print(run.Report())
//
// A statistic itself holds no value: it may be copied, be an element of an array, and
// count for more than one run at once. A title that is not of two parts, or declared twice
// in a set, panics before main begins; and so does an update through a shard after its
// Close, or of a statistic that was declared after the run started.
//
// An update is inlined. It adds, behind two branches that are easy to predict:
// whether there is a shard, and whether it has a value of the statistic.
package stats

import (
	"fmt"
	"strings"
	"sync"
	"time"
)

// Set is a set of statistics that are reported together. The zero value is an
// empty set. A set must not be copied. Its methods may be called at any time
// and from several goroutines; a run has the statistics that were declared
// before it.
type Set struct {
	mu       sync.Mutex  // for what follows
	declared []statistic // appended to only, so that a run may keep a part of it
	size     size        // of all that is declared
}

// statistic is a declaration.
type statistic struct {
	category, name string
	value          func(*values) Value
}

// size says how many values of each type a set needs.
type size struct{ sums, ints, floats int }

// declare adds a statistic whose value is the next or the next two of those that n
// counts, and returns the index of the first.
func (s *Set) declare(title string, n *int, numbers int, value func(v *values, i int) Value) int {
	category, name, _ := strings.Cut(title, "/")
	if category == "" || name == "" || category != strings.TrimSpace(category) || name != strings.TrimSpace(name) {
		panic(fmt.Sprintf("stats: title %q; want Category/Name, with no space around either", title))
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.declared {
		if d.category == category && d.name == name {
			panic(fmt.Sprintf("stats: title %q is declared twice; want a title for each statistic of a set", title))
		}
	}
	i := *n
	s.declared = append(s.declared, statistic{category, name, func(v *values) Value { return value(v, i) }})
	*n += numbers
	return i
}

// Counter is a count of events.
type Counter struct{ index int }

// Counter declares a counter. It panics, as all declarations do, if the title is
// malformed or taken.
func (s *Set) Counter(title string) Counter {
	return Counter{s.declare(title, &s.size.sums, 1, func(v *values, i int) Value {
		return Count(v.sums[i])
	})}
}

// Add adds n events.
func (c Counter) Add(s *Shard, n int64) {
	if s != nil {
		s.sums[c.index] += n
	}
}

// Memory declares a counter of bytes, which are reported in KiB, MiB and so on. What
// is given back may be subtracted.
func (s *Set) Memory(title string) Counter {
	return Counter{s.declare(title, &s.size.sums, 1, func(v *values, i int) Value {
		return Bytes(v.sums[i])
	})}
}

// IntDistribution is the minimum, maximum and mean of integers.
type IntDistribution struct{ index int }

// IntDistribution declares a distribution of integers.
func (s *Set) IntDistribution(title string) IntDistribution {
	return IntDistribution{s.declare(title, &s.size.ints, 1, func(v *values, i int) Value {
		return v.ints[i]
	})}
}

// Add adds a value to the distribution.
func (d IntDistribution) Add(s *Shard, v int64) {
	if s != nil {
		s.ints[d.index].add(v)
	}
}

// FloatDistribution is the minimum, maximum and mean of floating-point numbers.
// One NaN among them makes the mean NaN, which the report shows.
type FloatDistribution struct{ index int }

// FloatDistribution declares a distribution of floating-point numbers.
func (s *Set) FloatDistribution(title string) FloatDistribution {
	return FloatDistribution{s.declare(title, &s.size.floats, 1, func(v *values, i int) Value {
		return v.floats[i]
	})}
}

// Add adds a value to the distribution.
func (d FloatDistribution) Add(s *Shard, v float64) {
	if s != nil {
		// Converted, so that a product is rounded and not fused with the addition.
		s.floats[d.index].add(float64(v))
	}
}

// Percentage is how many of all cases were of one sort, in percent.
type Percentage struct{ index int }

// Percentage declares a percentage.
func (s *Set) Percentage(title string) Percentage {
	return Percentage{s.declare(title, &s.size.sums, 2, func(v *values, i int) Value {
		return Share{v.sums[i], v.sums[i+1]}
	})}
}

// Add adds cases, and how many of them were of the sort.
func (p Percentage) Add(s *Shard, part, whole int64) { Ratio(p).Add(s, part, whole) }

// Count adds one case, and whether it was of the sort.
func (p Percentage) Count(s *Shard, is bool) {
	p.Add(s, 0, 1)
	if is {
		p.Add(s, 1, 0)
	}
}

// Ratio is how many of one thing there were for each of another. It says more
// than a percentage where it is above 1.
type Ratio struct{ index int }

// Ratio declares a ratio.
func (s *Set) Ratio(title string) Ratio {
	return Ratio{s.declare(title, &s.size.sums, 2, func(v *values, i int) Value {
		return Quotient{v.sums[i], v.sums[i+1]}
	})}
}

// Add adds to the numerator and to the denominator.
func (r Ratio) Add(s *Shard, numerator, denominator int64) {
	if s != nil {
		s.sums[r.index] += numerator
		s.sums[r.index+1] += denominator
	}
}

// Timer is the time that workers spent on something, added up over them, so
// that it may exceed the time that passed.
type Timer struct{ index int }

// Timer declares a timer.
func (s *Set) Timer(title string) Timer {
	return Timer{s.declare(title, &s.size.sums, 2, func(v *values, i int) Value {
		return Elapsed{time.Duration(v.sums[i]), v.sums[i+1]}
	})}
}

// Add adds the time of one call.
func (t Timer) Add(s *Shard, d time.Duration) { Ratio(t).Add(s, int64(d), 1) }

// Since adds the time since start. Deferred, it times the rest of a function,
// as the arguments of a deferred call are evaluated at once:
//
//	defer buildTime.Since(shard, time.Now())
//
// Reading the clock twice takes tens of nanoseconds, too many for a function that
// is called millions of times a second.
func (t Timer) Since(s *Shard, start time.Time) { t.Add(s, time.Since(start)) }
