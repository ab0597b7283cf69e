// Package phase tells how much of a program's processor time each phase of its
// execution takes, as an indented hierarchy of percentages (after pbrt, appendix
// A.7.2). Go's CPU profiler samples, and a phase is marked in one of two ways:
//
//   - by label, for phases that begin and end up to some 10,000 times a second:
//     [Do] runs a function with the phase as a label of the goroutine, which a go
//     statement hands on.
//   - by function, for phases of any frequency, at no cost: a [Mark] says that
//     certain functions are a phase.
//
// Phases by label are outside those by function, and within each sort they nest as
// the program nests them. A phase within itself counts once, where it was first
// entered; under two parents it counts apart. go tool pprof opens the profile, with
// the phases as labels phase1 (the outermost), phase2 and so on.
//
// What is counted is processor time. A phase that waits takes none; one that keeps
// two processors busy takes twice the time on the clock.
package phase

import (
	"bytes"
	"context"
	"fmt"
	"runtime/pprof"
	"strconv"
	"sync/atomic"

	"github.com/google/pprof/profile"
)

// on is whether Do sets labels. There is one for the process, as there is one
// CPU profiler.
var on atomic.Bool

// A Profiler is a profile that is being taken.
type Profiler struct{ buf bytes.Buffer }

// Start begins to sample the process, 100 times per second of processor time.
// There is one CPU profiler in a process: while it runs, for Start or for
// anybody else, Start fails. Phases that [Do] entered before are not seen.
func Start() (*Profiler, error) {
	p := new(Profiler)
	if err := pprof.StartCPUProfile(&p.buf); err != nil {
		return nil, fmt.Errorf("phase: cannot start the CPU profiler: %w; want no other profile running", err)
	}
	on.Store(true)
	return p, nil
}

// Stop ends the profile and returns it, for [Read] and for a file. It may take a fifth of
// a second. It may be called again as long as no other profile was started.
func (p *Profiler) Stop() (*profile.Profile, error) {
	on.Store(false)
	pprof.StopCPUProfile()
	prof, err := profile.ParseData(p.buf.Bytes())
	if err != nil {
		return nil, fmt.Errorf("phase: cannot read the CPU profile back: %w", err)
	}
	return prof, nil
}

type activeKey struct{}

// Do calls f in the phase of that name, within the phases of ctx. Goroutines
// that f starts begin in that phase; f's context carries it to goroutines that
// run already, which take it up with Do or with [pprof.SetGoroutineLabels].
//
// As with [pprof.Do], the goroutine is in the phases of ctx when Do returns, so
// ctx must be one that tells them, and not a fresh one: with
// [context.Background] the phase has no parent. Other labels of ctx are kept.
//
// Between [Start] and [Profiler.Stop] a call costs a quarter of a microsecond and
// a few allocations, otherwise a test and the call of f.
func Do(ctx context.Context, name string, f func(context.Context)) {
	if !on.Load() {
		f(ctx)
		return
	}
	outer, _ := ctx.Value(activeKey{}).([]string)
	active := nest(outer, name)
	inner := ctx
	if len(active) > len(outer) {
		// A goroutine has one label of a key, so they are numbered.
		labels := pprof.Labels(labelKey(len(active)), name)
		inner = pprof.WithLabels(context.WithValue(ctx, activeKey{}, active), labels)
	}
	defer pprof.SetGoroutineLabels(ctx)
	pprof.SetGoroutineLabels(inner)
	f(inner)
}

func labelKey(depth int) string { return "phase" + strconv.Itoa(depth) }
