package phase

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/google/pprof/profile"
)

// A Mark says that functions are a phase: a sample whose stack has one of them
// is in it. Functions bear the names that a profile shows, with the path of
// their package: "image/png.Encode", "main.(*World).Hit". Functions that the
// compiler inlined and functions in assembly are found like any other.
type Mark struct {
	Phase     string
	Functions []string
}

// Func marks functions that the caller can refer to: functions, methods as in
// (*World).Hit, assembly functions. A method of an interface does not stand for
// those of the types that have it.
//
// Func panics if an argument is not a function, or is nil.
func Func(phase string, functions ...any) Mark {
	m := Mark{Phase: phase}
	for i, f := range functions {
		v := reflect.ValueOf(f)
		if v.Kind() != reflect.Func || v.IsNil() {
			panic(fmt.Sprintf("phase.Func: %s: argument %d is %T(%v); want a function", phase, i+1, f, f))
		}
		name := runtime.FuncForPC(v.Pointer()).Name()
		m.Functions = append(m.Functions, strings.TrimSuffix(name, "-fm")) // of a method value
	}
	return m
}

// A Part is a number of samples and what it says about the time.
type Part struct {
	Samples int64
	// Share is the part of all samples, from 0 to 1.
	Share float64
	// Error is what Share may be off because the time was sampled: how far it is
	// to the further end of the 95% interval of a binomial proportion (Wilson's,
	// which goes above 0 for a phase with no sample too).
	Error float64
}

// A Phase is one place in the hierarchy. It includes the phases within it.
type Phase struct {
	Name string
	Part
	Phases []*Phase // the most samples first
}

// A Report tells where the time went.
type Report struct {
	Samples int64
	CPU     time.Duration // processor time
	Wall    time.Duration // from Start to Stop
	Phases  []*Phase
	// NoPhase is the rest, with what the runtime did by itself: scheduling,
	// collecting garbage in the background, writing the profile.
	NoPhase Part
}

// Read sorts the samples of a CPU profile, as [Profiler.Stop] returns it, into phases, those
// by label and those by the marks. A function is in the phase of the last mark that has it.
//
// The profiler keeps the innermost 64 functions of a stack. Marked functions
// further out are missing.
func Read(prof *profile.Profile, marks ...Mark) *Report {
	phaseOf := map[string]string{}
	for _, mark := range marks {
		for _, f := range mark.Functions {
			phaseOf[f] = mark.Phase
		}
	}
	r := &Report{Wall: time.Duration(prof.DurationNanos)}
	var root Phase
	for _, s := range prof.Sample {
		n := s.Value[0]
		r.Samples += n
		r.CPU += time.Duration(s.Value[1])
		path := labels(s)
		for _, f := range stack(s) {
			path = nest(path, phaseOf[f])
		}
		root.add(path, n)
		if len(path) == 0 {
			r.NoPhase.Samples += n
		}
	}
	root.finish(r.Samples)
	r.Phases = root.Phases
	r.NoPhase.finish(r.Samples)
	return r
}

// nest returns the phases of a path, outermost first, and within them a further
// one, unless that is one of them already, or "".
func nest(path []string, phase string) []string {
	if phase == "" || slices.Contains(path, phase) {
		return path
	}
	return append(slices.Clip(path), phase)
}

// labels are the phases by label of a sample, outermost first.
func labels(s *profile.Sample) []string {
	var phases []string
	for {
		v := s.Label[labelKey(len(phases)+1)]
		if len(v) == 0 {
			return phases
		}
		phases = append(phases, v[0])
	}
}

// stack is the functions that were active, outermost first.
func stack(s *profile.Sample) []string {
	var frames []string
	for _, l := range slices.Backward(s.Location) {
		for _, line := range slices.Backward(l.Line) { // inlined ones come first
			if line.Function != nil {
				frames = append(frames, line.Function.Name)
			}
		}
	}
	return frames
}

// add counts n samples for p and for the phases of path within it.
func (p *Phase) add(path []string, n int64) {
	p.Samples += n
	if len(path) == 0 {
		return
	}
	i := slices.IndexFunc(p.Phases, func(c *Phase) bool { return c.Name == path[0] })
	if i < 0 {
		i = len(p.Phases)
		p.Phases = append(p.Phases, &Phase{Name: path[0]})
	}
	p.Phases[i].add(path[1:], n)
}

// finish sorts the phases and fills the shares of a total in.
func (p *Phase) finish(total int64) {
	p.Part.finish(total)
	slices.SortFunc(p.Phases, func(a, b *Phase) int {
		return cmp.Or(cmp.Compare(b.Samples, a.Samples), strings.Compare(a.Name, b.Name))
	})
	for _, c := range p.Phases {
		c.finish(total)
	}
}

func (p *Part) finish(total int64) {
	if total == 0 {
		return
	}
	const z = 1.96 // of the normal distribution, 95% are within
	n := float64(total)
	p.Share = float64(p.Samples) / n
	center := (p.Share + z*z/(2*n)) / (1 + z*z/n)
	half := z / (1 + z*z/n) * math.Sqrt(p.Share*(1-p.Share)/n+z*z/(4*n*n))
	p.Error = math.Abs(p.Share-center) + half
}

// String returns the report as aligned text: a line about the whole, a table
// with a line a phase, indented by two spaces within its parent. Of a profile
// without samples it says so in one line.
func (r *Report) String() string {
	wall := r.Wall.Round(10 * time.Millisecond)
	if r.Samples == 0 {
		return fmt.Sprintf("no samples in %v; the processor has to be busy for 10ms to give one\n", wall)
	}
	// The table is a hierarchy as well.
	table := append(slices.Clip(r.Phases), &Phase{Name: "(no phase)", Part: r.NoPhase})
	width := 0
	walk(table, "", func(name string, _ Part) { width = max(width, utf8.RuneCountInString(name)) })

	text := fmt.Sprintf("%d samples, %v of processor time in %v; ± is the 95%% interval of sampling\n\n",
		r.Samples, r.CPU.Round(10*time.Millisecond), wall)
	text += fmt.Sprintf("%-*s  %14s  %8s\n", width, "phase", "share", "samples")
	walk(table, "", func(name string, p Part) {
		text += fmt.Sprintf("%-*s  %5.1f%% ± %4.1f%%  %8d\n", width, name, 100*p.Share, 100*p.Error, p.Samples)
	})
	return text
}

// walk calls do for each phase, in the order of the table.
func walk(phases []*Phase, indent string, do func(name string, p Part)) {
	for _, p := range phases {
		do(indent+p.Name, p.Part)
		walk(p.Phases, indent+"  ", do)
	}
}
