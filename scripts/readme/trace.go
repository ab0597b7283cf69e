package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"golang.org/x/exp/trace"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/results"
)

// timeline is the kind under which an execution trace is published.
const timeline results.Kind = "timeline"

// traceCommand takes one. Without -trimpath it would name the folders of the
// machine.
const traceCommand = "go test -trimpath -run '^$' -bench Timeline -benchtime 1x -trace FILE ./step13"

// tileCategory is that of the log messages at the end of a tile.
const tileCategory = "tile"

var traceHeader = regexp.MustCompile(`^go 1\.\d+ trace\x00`)

func isTrace(text []byte) bool { return traceHeader.Match(text) }

// traceFile is an execution trace that a flag names.
type traceFile struct {
	file string
	text []byte
}

// traceName is that of the trace of the machine with a file of steps.
func traceName(steps string) string {
	return strings.TrimSuffix(steps, ".txt") + "-" + string(timeline) + ".trace"
}

// publishTrace returns the name that a trace has in results, or gets there: after
// the machine of the request, or otherwise after the one of the steps.
func (s *site) publishTrace(traces []traceFile, r request, steps string) (string, error) {
	t := traces[0]
	if len(traces) > 1 {
		return "", cli.Misuse("-publish: trace %q: a second trace; want one", traces[1].file)
	}
	if bytes.Contains(t.text, []byte(filepath.ToSlash(s.root)+"/")) {
		return "", cli.Misuse("-publish: trace %q: names folders of this machine; want one that %s takes", t.file, traceCommand)
	}
	if _, err := readTrace(t.text); err != nil {
		return "", cli.Misuse("-publish: trace %q: %w", t.file, err)
	}
	s.trace = t.text
	name := s.inResults(t.file)
	switch {
	case r.machine != "":
		machine, err := machineSlug(r.machine)
		if err != nil {
			return "", err
		}
		name = traceName(machine)
	case name != "":
		return name, nil
	case steps == "":
		return "", cli.Misuse("-publish: trace %q: does not say of which machine it is; want a name for it, with -machine", t.file)
	default:
		name = traceName(steps)
	}
	s.asset(path.Join("results", name), t.text, nil)
	return name, nil
}

// timeline returns the chart of the published trace, and the line that says
// where it was taken.
func (p *page) timeline() (chart, string, error) {
	names, err := p.published()
	if err != nil {
		return chart{}, "", err
	}
	name := names[timeline]
	if name == "" {
		return chart{}, "", &missingError{timeline}
	}
	file, text := path.Join("results", name), p.trace
	if text == nil {
		if text, err = os.ReadFile(p.site.path(file)); errors.Is(err, fs.ErrNotExist) {
			return chart{}, "", fmt.Errorf("%s names %s, which does not exist; want a file in results", published, file)
		} else if err != nil {
			return chart{}, "", fmt.Errorf("%s names %s: %w", published, file, err)
		}
	}
	shown, err := readTrace(text)
	if err != nil {
		return chart{}, "", fmt.Errorf("trace %q: %w", file, err)
	}
	below := "\n*" + strings.TrimSuffix(name, path.Ext(name)) + "*\n"
	if names[ofSteps] != "" {
		set, err := p.measured(ofSteps)
		if err != nil {
			return chart{}, "", err
		}
		if name == traceName(names[ofSteps]) {
			below = "\n*" + set.Hardware() + "*\n"
		} else {
			below = "\n*On another machine than the steps: " + strings.TrimSuffix(name, path.Ext(name)) + "*\n"
		}
	}
	return drawTimeline(shown), below, nil
}

// execution is what an execution trace tells. Times count from its start.
type execution struct {
	// procs are what Go calls Ps: as many as GOMAXPROCS, each of which runs one
	// goroutine at a time.
	procs       []proc
	collections []span // of garbage
}

// proc is a row of the chart.
type proc struct {
	id     int64
	stints []stint // in the order of time
}

// stint is the time for which a goroutine ran on one processor without a break.
type stint struct {
	span
	goroutine int64
	tiles     []time.Duration // ends of tiles
}

type span struct{ start, end time.Duration }

// collection is the name of a range in which garbage is collected.
const collection = "GC concurrent mark phase"

// parseTrace reads a trace, as go test -trace writes it. It fails if the trace
// is not complete.
func parseTrace(r io.Reader) (*execution, error) {
	reader, err := trace.NewReader(r)
	if err != nil {
		return nil, fmt.Errorf("execution trace: %w; want what go test -trace writes", err)
	}
	var (
		first   trace.Time
		events  int
		running = map[trace.GoID]*stint{}
		procs   = map[trace.ProcID]*proc{}
		on      = map[trace.GoID]trace.ProcID{}
		whole   execution
		gcStart = time.Duration(-1)
		now     time.Duration
	)
	stop := func(g trace.GoID) {
		run := running[g]
		if run == nil {
			return
		}
		run.end = now
		p := procs[on[g]]
		if p == nil {
			p = &proc{id: int64(on[g])}
			procs[on[g]] = p
		}
		p.stints = append(p.stints, *run)
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
				running[g] = &stint{span: span{start: now}, goroutine: int64(g)}
				on[g] = ev.Proc()
			} else if from.Executing() && !to.Executing() {
				stop(g)
			}
		case trace.EventLog:
			if run := running[ev.Goroutine()]; run != nil && ev.Log().Category == tileCategory {
				run.tiles = append(run.tiles, now)
			}
		case trace.EventRangeBegin:
			if ev.Range().Name == collection {
				gcStart = now
			}
		case trace.EventRangeEnd:
			if ev.Range().Name == collection && gcStart >= 0 {
				whole.collections = append(whole.collections, span{gcStart, now})
				gcStart = -1
			}
		}
	}
	for _, g := range slices.Sorted(maps.Keys(running)) {
		stop(g)
	}
	for _, p := range procs {
		slices.SortFunc(p.stints, func(a, b stint) int { return cmp.Compare(a.start, b.start) })
		whole.procs = append(whole.procs, *p)
	}
	slices.SortFunc(whole.procs, func(a, b proc) int { return cmp.Compare(a.id, b.id) })
	return &whole, nil
}

// readTrace returns the part of a trace in which tiles are rendered: from the
// start of the first stint that ends one to the end of the last.
func readTrace(text []byte) (*execution, error) {
	whole, err := parseTrace(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	if part := whole.rendering(); len(part.procs) > 0 {
		return part, nil
	}
	return nil, fmt.Errorf("no tile ends in it; want one that %s takes", traceCommand)
}

func (e *execution) rendering() *execution {
	from, to := time.Duration(-1), time.Duration(-1)
	for _, p := range e.procs {
		for _, s := range p.stints {
			if len(s.tiles) > 0 {
				if from < 0 || s.start < from {
					from = s.start
				}
				to = max(to, s.end)
			}
		}
	}
	part := new(execution)
	clip := func(s span) (span, bool) {
		s = span{max(s.start, from) - from, min(s.end, to) - from}
		return s, s.start < s.end
	}
	for _, p := range e.procs {
		cut := proc{id: p.id}
		for _, s := range p.stints {
			if at, ok := clip(s.span); ok {
				s.span, s.tiles = at, slices.Clone(s.tiles)
				for i := range s.tiles {
					s.tiles[i] -= from
				}
				cut.stints = append(cut.stints, s)
			}
		}
		if len(cut.stints) > 0 {
			part.procs = append(part.procs, cut)
		}
	}
	for _, s := range e.collections {
		if at, ok := clip(s); ok {
			part.collections = append(part.collections, at)
		}
	}
	return part
}
