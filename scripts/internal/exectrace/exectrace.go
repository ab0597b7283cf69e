// Package exectrace reads the execution trace of a Go program as the rows of a
// chart: what ran on each processor, and when.
package exectrace

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"golang.org/x/exp/trace"
)

// Timeline is what a trace tells. Times count from its first event.
type Timeline struct {
	// Procs are what Go calls Ps: as many as GOMAXPROCS, each of which runs one
	// goroutine at a time.
	Procs []Proc
	// GCs are the garbage collections.
	GCs []Span
}

// Proc is a row: goroutines in the order in which they ran.
type Proc struct {
	ID  int64
	Ran []Run
}

// Run is the time for which a goroutine ran on one processor without a break.
type Run struct {
	Span
	Goroutine int64
	// Marks are when the goroutine logged something with runtime/trace.Log in
	// the category that was asked for.
	Marks []time.Duration
}

// Span is a stretch of time.
type Span struct{ Start, End time.Duration }

// Read reads a trace, as go test -trace writes it. It fails if the trace is not
// complete.
func Read(r io.Reader, category string) (*Timeline, error) {
	reader, err := trace.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("execution trace: %w; want what go test -trace writes", err)
	}
	var (
		first   trace.Time
		events  int
		running = map[trace.GoID]*Run{}
		procs   = map[trace.ProcID]*Proc{}
		on      = map[trace.GoID]trace.ProcID{}
		timed   Timeline
		gcStart = time.Duration(-1)
		now     time.Duration
	)
	stop := func(g trace.GoID) {
		run := running[g]
		if run == nil {
			return
		}
		run.End = now
		p := procs[on[g]]
		if p == nil {
			p = &Proc{ID: int64(on[g])}
			procs[on[g]] = p
		}
		p.Ran = append(p.Ran, *run)
		delete(running, g)
	}
	for ; ; events++ {
		ev, err := reader.ReadEvent()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("execution trace: after %d events: %w; want a complete trace", events, err)
		}
		if events == 0 {
			first = ev.Time()
		}
		now = time.Duration(ev.Time() - first)
		switch ev.Kind() {
		case trace.EventStateTransition:
			st := ev.StateTransition()
			if st.Resource.Kind != trace.ResourceGoroutine {
				continue
			}
			g := st.Resource.Goroutine()
			from, to := st.Goroutine()
			if to.Executing() && running[g] == nil {
				running[g] = &Run{Span: Span{Start: now}, Goroutine: int64(g)}
				on[g] = ev.Proc()
			} else if from.Executing() && !to.Executing() {
				stop(g)
			}
		case trace.EventLog:
			if run := running[ev.Goroutine()]; run != nil && ev.Log().Category == category {
				run.Marks = append(run.Marks, now)
			}
		case trace.EventRangeBegin:
			if ev.Range().Name == gc {
				gcStart = now
			}
		case trace.EventRangeEnd:
			if ev.Range().Name == gc && gcStart >= 0 {
				timed.GCs = append(timed.GCs, Span{gcStart, now})
				gcStart = -1
			}
		}
	}
	for _, g := range slices.Sorted(maps.Keys(running)) {
		stop(g)
	}
	for _, p := range procs {
		slices.SortFunc(p.Ran, func(a, b Run) int { return cmp.Compare(a.Start, b.Start) })
		timed.Procs = append(timed.Procs, *p)
	}
	slices.SortFunc(timed.Procs, func(a, b Proc) int { return cmp.Compare(a.ID, b.ID) })
	return &timed, nil
}

// gc is the name of the range of a garbage collection.
const gc = "GC concurrent mark phase"

// Marked returns the part of the timeline around the runs that have marks: from
// the start of the first such run to the end of the last, with times counted
// from the former. It is empty if there are none.
func (t *Timeline) Marked() *Timeline {
	from, to := time.Duration(-1), time.Duration(-1)
	for _, p := range t.Procs {
		for _, r := range p.Ran {
			if len(r.Marks) > 0 {
				if from < 0 || r.Start < from {
					from = r.Start
				}
				to = max(to, r.End)
			}
		}
	}
	part := new(Timeline)
	clip := func(s Span) (Span, bool) {
		s = Span{max(s.Start, from) - from, min(s.End, to) - from}
		return s, s.Start < s.End
	}
	for _, p := range t.Procs {
		cut := Proc{ID: p.ID}
		for _, r := range p.Ran {
			if span, ok := clip(r.Span); ok {
				run := Run{Span: span, Goroutine: r.Goroutine}
				for _, m := range r.Marks {
					run.Marks = append(run.Marks, m-from)
				}
				cut.Ran = append(cut.Ran, run)
			}
		}
		part.Procs = append(part.Procs, cut)
	}
	for _, s := range t.GCs {
		if span, ok := clip(s); ok {
			part.GCs = append(part.GCs, span)
		}
	}
	return part
}
