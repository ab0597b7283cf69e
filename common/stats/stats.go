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
// A [Run] is one piece of work that a report is about, as the rendering of a
// picture. Each worker has a [Shard] of it, memory that nobody else writes to:
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
// # Why the shard is passed
//
// In pbrt a statistic is a thread-local variable, so the place that counts
// needs to know no more than its name. Go has no such variables, for good
// reasons: a goroutine moves from thread to thread, and the runtime tells
// nobody on which one it is, nor which goroutine it is. So a function that
// counts is given the shard, most easily in the struct that holds what else
// belongs to a worker. This costs an argument, and has its own advantages: an
// update need not ask where it runs, and two pictures that are rendered at once
// have two reports.
//
// # Declarations and values
//
// A statistic is a name for a place and holds no value, so that it may be
// copied, be an element of an array, and count for several runs at once. The
// values of a run are in its shards and, once these are closed, in the run.
// Nothing needs to be reset: the next run starts from zero.
//
// A set is explicit, and there is no default one, so that packages that are
// linked into one program may use the same titles, and tests do not see what
// other tests declare. Its zero value is ready, so that the order in which Go
// initializes variables does not matter. Packages that report together share
// the set of one of them.
//
// A title that is malformed, or declared twice in a set, is a mistake in the
// program, found before main begins: declaring panics, as in the packages flag
// and expvar. An error could not be handled at package level. Later, nothing
// panics: updates that find no place, as those through a closed shard, are
// counted by themselves, and the report says so. See [Report].
//
// # What it costs
//
// An update is inlined: it adds, behind two branches that are easy to predict.
// One asks whether there is a shard: a program that passes a nil *Shard pays for
// this one only. The other asks whether the statistic has a value in it, which
// in Go any element of a slice is asked; here the answer also tells a closed
// shard, and a statistic of another set. Behind a constant that is false an
// update is nothing at all.
package stats

import (
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"
)

// Set is a set of statistics that are reported together. The zero value is an
// empty set. A set must not be copied. Its methods may be called at any time
// and from several goroutines; a run has the statistics that were declared
// before it.
type Set struct {
	mu       sync.Mutex  // for what follows
	number   uint64      // of this set in the program, from 1; 0: not yet given
	declared []statistic // appended to only, so that a run may keep a part of it
	shape    shape       // of all that is declared
}

// sets is the number of sets that were given a number.
var sets atomic.Uint32

// statistic is a declaration.
type statistic struct {
	category, name string
	kind           Kind
	index          int // of its value among those of its type
}

// shape says how many values of each type a set needs.
type shape struct {
	sums, pairs, ints, floats int
}

// Kind is what a statistic tracks, in words.
type Kind string

// The kinds of statistics.
const (
	KindCounter           Kind = "counter"
	KindMemory            Kind = "memory"
	KindIntDistribution   Kind = "int distribution"
	KindFloatDistribution Kind = "float distribution"
	KindPercentage        Kind = "percentage"
	KindRatio             Kind = "ratio"
	KindTimer             Kind = "timer"
)

// place is where a shard has the value of a statistic: the number of the set in
// the upper half and an index in the lower one. The place of a statistic that
// was not declared is 0, which is in no set.
type place uint64

const setShift = 32

// base returns the place of the first value of each type. The caller holds mu.
func (s *Set) base() place {
	if s.number == 0 {
		s.number = uint64(sets.Add(1))
	}
	return place(s.number << setShift)
}

// declare adds a statistic whose value is the next of those that n counts.
func (s *Set) declare(title string, kind Kind, n *int) place {
	category, name, err := parseTitle(title)
	if err != nil {
		panic("stats: " + err.Error())
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, d := range s.declared {
		if d.category == category && d.name == name {
			panic(fmt.Sprintf("stats: %v %q: a %v has this title; want one of its own in the set", kind, title, d.kind))
		}
	}
	p := s.base() + place(*n)
	s.declared = append(s.declared, statistic{category, name, kind, *n})
	*n++
	return p
}

func parseTitle(title string) (category, name string, err error) {
	category, name, ok := strings.Cut(title, "/")
	plain := func(s string) bool {
		return s != "" && s == strings.TrimSpace(s) && utf8.ValidString(s) &&
			strings.IndexFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) < 0
	}
	if !ok || !plain(category) || !plain(name) {
		return "", "", fmt.Errorf("title %q; want Category/Name, each of printable characters and with no space around it", title)
	}
	return category, name, nil
}

// Counter is a count of events.
type Counter struct{ place place }

// Counter declares a counter. It panics if the title is malformed or taken.
func (s *Set) Counter(title string) Counter {
	return Counter{s.declare(title, KindCounter, &s.shape.sums)}
}

// Memory is a count of bytes, reported in KiB, MiB and so on.
type Memory struct{ place place }

// Memory declares a memory counter. It panics if the title is malformed or
// taken.
func (s *Set) Memory(title string) Memory {
	return Memory{s.declare(title, KindMemory, &s.shape.sums)}
}

// IntDistribution is the minimum, maximum and mean of integers.
type IntDistribution struct{ place place }

// IntDistribution declares a distribution. It panics if the title is malformed
// or taken.
func (s *Set) IntDistribution(title string) IntDistribution {
	return IntDistribution{s.declare(title, KindIntDistribution, &s.shape.ints)}
}

// FloatDistribution is the minimum, maximum and mean of floating-point numbers.
type FloatDistribution struct{ place place }

// FloatDistribution declares a distribution. It panics if the title is
// malformed or taken.
func (s *Set) FloatDistribution(title string) FloatDistribution {
	return FloatDistribution{s.declare(title, KindFloatDistribution, &s.shape.floats)}
}

// Percentage is how many of all cases were of one sort, in percent.
type Percentage struct{ place place }

// Percentage declares a percentage. It panics if the title is malformed or
// taken.
func (s *Set) Percentage(title string) Percentage {
	return Percentage{s.declare(title, KindPercentage, &s.shape.pairs)}
}

// Ratio is how many of one thing there were for each of another. It says more
// than a percentage where it is above 1.
type Ratio struct{ place place }

// Ratio declares a ratio. It panics if the title is malformed or taken.
func (s *Set) Ratio(title string) Ratio {
	return Ratio{s.declare(title, KindRatio, &s.shape.pairs)}
}

// Timer is the time that workers spent on something, added up over them, so
// that it may exceed the time that passed.
type Timer struct{ place place }

// Timer declares a timer. It panics if the title is malformed or taken.
func (s *Set) Timer(title string) Timer {
	return Timer{s.declare(title, KindTimer, &s.shape.pairs)}
}

// Add adds n events.
func (c Counter) Add(s *Shard, n int64) {
	if s == nil {
		return
	}
	if i := c.place - s.base; i < place(len(s.sums)) {
		s.sums[i] += n
	} else {
		s.lose()
	}
}

// Add adds n bytes. What is given back may be subtracted.
func (m Memory) Add(s *Shard, n int64) {
	Counter(m).Add(s, n)
}

// Add adds a value to the distribution.
func (d IntDistribution) Add(s *Shard, v int64) {
	if s == nil {
		return
	}
	if i := d.place - s.base; i < place(len(s.ints)) {
		s.ints[i].add(v)
	} else {
		s.lose()
	}
}

// Add adds a value to the distribution. NaN and infinities are counted apart
// and do not change the others: one of them would leave no mean.
func (d FloatDistribution) Add(s *Shard, v float64) {
	if s == nil {
		return
	}
	if i := d.place - s.base; i < place(len(s.floats)) {
		// Converted, so that a product is rounded and not fused with what is done
		// to it there.
		s.floats[i].add(float64(v))
	} else {
		s.lose()
	}
}

// Add adds cases, and how many of them were of the sort.
func (p Percentage) Add(s *Shard, part, whole int64) {
	Ratio(p).Add(s, part, whole)
}

// Count adds one case, and whether it was of the sort.
func (p Percentage) Count(s *Shard, is bool) {
	n := int64(0)
	if is {
		n = 1
	}
	p.Add(s, n, 1)
}

// Add adds to the numerator and to the denominator.
func (r Ratio) Add(s *Shard, numerator, denominator int64) {
	if s == nil {
		return
	}
	if i := r.place - s.base; i < place(len(s.pairs)) {
		p := &s.pairs[i]
		p.a += numerator
		p.b += denominator
	} else {
		s.lose()
	}
}

// Add adds the time of one call.
func (t Timer) Add(s *Shard, d time.Duration) {
	Ratio(t).Add(s, int64(d), 1)
}

// Since adds the time since start. Deferred, it times the rest of a function,
// as the arguments of a deferred call are evaluated at once:
//
//	defer buildTime.Since(shard, time.Now())
//
// Reading the clock twice takes tens of nanoseconds, too many for a function that
// is called millions of times a second.
func (t Timer) Since(s *Shard, start time.Time) {
	t.Add(s, time.Since(start))
}
