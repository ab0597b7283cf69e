// Package timeline reads execution traces of BenchmarkTimeline: what ran on each
// processor of Go, and when tiles of a picture were finished.
package timeline

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"time"

	"golang.org/x/exp/trace"
)

// Command takes one. Without -trimpath it would name the folders of the
// machine.
const Command = "go test -trimpath -run '^$' -bench Timeline -benchtime 1x -trace FILE ./step13"

// tileCategory is that of the log messages at the end of a tile.
const tileCategory = "tile"

var traceHeader = regexp.MustCompile(`^go 1\.\d+ trace\x00`)

func IsTrace(text []byte) bool { return traceHeader.Match(text) }

// Execution is what an execution trace tells. Times count from its start.
type Execution struct {
	// procs are what Go calls Ps: as many as GOMAXPROCS, each of which runs one
	// goroutine at a time.
	Procs       []Proc
	Collections []Span // of garbage
}

// Proc is a row of the chart.
type Proc struct {
	ID     int64
	Stints []Stint // in the order of time
}

// Stint is the time for which a goroutine ran on one processor without a break.
type Stint struct {
	Span
	Goroutine int64
	Tiles     []time.Duration // ends of tiles
}

type Span struct{ Start, End time.Duration }

// collection is the name of a range in which garbage is collected.
const collection = "GC concurrent mark phase"

// parseTrace reads a trace, as go test -trace writes it. It fails if the trace
// is not complete.
func parseTrace(r io.Reader) (*Execution, error) {
	reader, err := trace.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("execution trace: %w; want what go test -trace writes", err)
	}
	var (
		first   trace.Time
		events  int
		running = map[trace.GoID]*Stint{}
		procs   = map[trace.ProcID]*Proc{}
		on      = map[trace.GoID]trace.ProcID{}
		whole   Execution
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
		p.Stints = append(p.Stints, *run)
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
				running[g] = &Stint{Span: Span{Start: now}, Goroutine: int64(g)}
				on[g] = ev.Proc()
			} else if from.Executing() && !to.Executing() {
				stop(g)
			}
		case trace.EventLog:
			if run := running[ev.Goroutine()]; run != nil && ev.Log().Category == tileCategory {
				run.Tiles = append(run.Tiles, now)
			}
		case trace.EventRangeBegin:
			if ev.Range().Name == collection {
				gcStart = now
			}
		case trace.EventRangeEnd:
			if ev.Range().Name == collection && gcStart >= 0 {
				whole.Collections = append(whole.Collections, Span{gcStart, now})
				gcStart = -1
			}
		}
	}
	for _, g := range slices.Sorted(maps.Keys(running)) {
		stop(g)
	}
	for _, p := range procs {
		slices.SortFunc(p.Stints, func(a, b Stint) int { return cmp.Compare(a.Start, b.Start) })
		whole.Procs = append(whole.Procs, *p)
	}
	slices.SortFunc(whole.Procs, func(a, b Proc) int { return cmp.Compare(a.ID, b.ID) })
	return &whole, nil
}

// Read returns the part of a trace in which tiles are rendered: from the
// start of the first stint that ends one to the end of the last.
func Read(text []byte) (*Execution, error) {
	whole, err := parseTrace(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	if part := whole.rendering(); len(part.Procs) > 0 {
		return part, nil
	}
	return nil, fmt.Errorf("no tile ends in it; want one that %s takes", Command)
}

func (e *Execution) rendering() *Execution {
	from, to := time.Duration(-1), time.Duration(-1)
	for _, p := range e.Procs {
		for _, s := range p.Stints {
			if len(s.Tiles) > 0 {
				if from < 0 || s.Start < from {
					from = s.Start
				}
				to = max(to, s.End)
			}
		}
	}
	part := new(Execution)
	clip := func(s Span) (Span, bool) {
		s = Span{max(s.Start, from) - from, min(s.End, to) - from}
		return s, s.Start < s.End
	}
	for _, p := range e.Procs {
		cut := Proc{ID: p.ID}
		for _, s := range p.Stints {
			if at, ok := clip(s.Span); ok {
				s.Span, s.Tiles = at, slices.Clone(s.Tiles)
				for i := range s.Tiles {
					s.Tiles[i] -= from
				}
				cut.Stints = append(cut.Stints, s)
			}
		}
		if len(cut.Stints) > 0 {
			part.Procs = append(part.Procs, cut)
		}
	}
	for _, s := range e.Collections {
		if at, ok := clip(s); ok {
			part.Collections = append(part.Collections, at)
		}
	}
	return part
}
