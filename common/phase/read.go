package phase

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/google/pprof/profile"
)

// A Mark says that functions are a phase: a sample whose stack has one of them
// is in it. Functions bear the names that a profile shows, with the path of
// their package: "image/png.Encode", "main.(*World).Hit". What is between
// brackets does not count, so "slices.SortFunc[...]" is that function for all
// types. Functions that the compiler inlined and functions in assembly are
// found like any other. A name that ends in a dot stands for all that begin
// with it: all functions of a package, "image/png.", all methods of a type,
// "main.(*World).", or the function literals of a function, "main.main.". Where
// several names fit, the longest counts.
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
	Samples int64 `json:"samples"`
	// Share is the part of all samples, from 0 to 1.
	Share float64 `json:"share"`
	// Error is what Share may be off because the time was sampled: how far it is
	// to the further end of the 95% interval of a binomial proportion (Wilson's,
	// which goes above 0 for a phase with no sample too).
	Error float64 `json:"error"`
}

// A Phase is one place in the hierarchy. It includes the phases within it.
type Phase struct {
	Name string `json:"name"`
	Part
	Phases []*Phase `json:"phases,omitempty"` // the most samples first
}

// A Report tells where the time went.
type Report struct {
	Samples int64         `json:"samples"`
	CPU     time.Duration `json:"cpu_ns"`  // processor time
	Wall    time.Duration `json:"wall_ns"` // from Start to Stop
	// Phases, NoPhase and Runtime add up to all samples.
	Phases  []*Phase `json:"phases"`
	NoPhase Part     `json:"no_phase"`
	// Runtime is what the runtime did by itself, in no phase: scheduling,
	// collecting garbage in the background, writing the profile.
	Runtime Part `json:"runtime"`
	// Cut counts samples whose stack was too deep for the profiler, which keeps
	// the innermost 64 functions. Marked functions further out are missing.
	Cut int64 `json:"cut"`
	// Unseen are the marked functions that no sample met. They took little
	// time, or their names are wrong.
	Unseen []string `json:"unseen,omitempty"`
}

// maxStack is the runtime's maxCPUProfStack. It counts runtime.goexit, the
// outermost frame of every stack, which is not in the profile: a stack of this
// many frames lacks it, and was cut.
const maxStack = 64

var enterName = Func("", enter).Functions[0]

// Read sorts the samples of a CPU profile into phases, those by label and those
// by the marks. It fails if the profile is of another kind, or a difference of
// two, and if two marks claim one function.
func Read(prof *profile.Profile, marks ...Mark) (*Report, error) {
	functions, err := newMatcher(marks)
	if err != nil {
		return nil, err
	}
	count, err := valueIndex(prof, "samples", "count")
	if err != nil {
		return nil, err
	}
	cpu, err := valueIndex(prof, "cpu", "nanoseconds")
	if err != nil {
		return nil, err
	}

	r := &Report{Wall: time.Duration(prof.DurationNanos)}
	var root Phase
	for _, s := range prof.Sample {
		n := s.Value[count]
		if n < 0 || s.Value[cpu] < 0 {
			return nil, errors.New("phase: profile has a negative number of samples; want a profile, not a difference of two")
		}
		frames := stack(s)
		r.Samples += n
		r.CPU += time.Duration(s.Value[cpu])
		if len(frames) >= maxStack {
			r.Cut += n
		}
		switch path := functions.path(labels(s), frames); {
		case len(path) > 0:
			root.add(path, n)
		case len(frames) > 0 && isRuntime(frames[0]):
			r.Runtime.Samples += n
		default:
			r.NoPhase.Samples += n
		}
	}
	root.finish(r.Samples)
	r.Phases = root.Phases
	if r.Phases == nil {
		r.Phases = []*Phase{} // a list in JSON too
	}
	r.NoPhase.finish(r.Samples)
	r.Runtime.finish(r.Samples)
	r.Unseen = functions.unseen()
	return r, nil
}

// valueIndex finds one of the numbers that a profile has for each sample.
func valueIndex(prof *profile.Profile, typ, unit string) (int, error) {
	var have []string
	for i, t := range prof.SampleType {
		if t.Type == typ && t.Unit == unit {
			return i, nil
		}
		have = append(have, t.Type+"/"+t.Unit)
	}
	return 0, fmt.Errorf("phase: profile has values %q; want %s/%s among them, as a CPU profile has", have, typ, unit)
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
			name := ""
			if line.Function != nil {
				name = line.Function.Name
			}
			frames = append(frames, name)
		}
	}
	return frames
}

// isRuntime reports whether a goroutine or thread that begins with that
// function is the runtime's own.
func isRuntime(outermost string) bool {
	return outermost != "runtime.main" &&
		(strings.HasPrefix(outermost, "runtime.") || strings.HasPrefix(outermost, "runtime/"))
}

// matcher finds the phases of functions by their names.
type matcher struct {
	phases map[string]string // by the names of the marks
	seen   map[string]bool   // names of the marks
	found  map[string]string // the name of the mark, or "", by functions that were met
}

func newMatcher(marks []Mark) (*matcher, error) {
	m := &matcher{map[string]string{}, map[string]bool{}, map[string]string{}}
	for _, mark := range marks {
		if mark.Phase == "" {
			return nil, fmt.Errorf("phase: mark of %q has no phase; want a name", mark.Functions)
		}
		for _, f := range mark.Functions {
			if f == "" {
				return nil, fmt.Errorf("phase: mark %q has a function without a name; want one such as main.main", mark.Phase)
			}
			f = untyped(f)
			if p, ok := m.phases[f]; ok && p != mark.Phase {
				return nil, fmt.Errorf("phase: function %s is marked as %q and as %q; want one of them", f, p, mark.Phase)
			}
			m.phases[f] = mark.Phase
		}
	}
	return m, nil
}

// phase returns the phase of a function, or "".
func (m *matcher) phase(function string) string {
	name, ok := m.found[function]
	if !ok {
		bare := untyped(function)
		for mark := range m.phases {
			fits := mark == bare || strings.HasSuffix(mark, ".") && strings.HasPrefix(bare, mark)
			if fits && len(mark) > len(name) {
				name = mark
			}
		}
		m.found[function] = name
	}
	if name == "" {
		return ""
	}
	m.seen[name] = true
	return m.phases[name]
}

// untyped leaves type arguments out, as the runtime does where it prints a
// name; a profile has those of the shape that was compiled.
func untyped(function string) string {
	i, j := strings.IndexByte(function, '['), strings.LastIndexByte(function, ']')
	if i < 0 || j < i {
		return function
	}
	return function[:i] + "[...]" + function[j+1:]
}

// path returns the phases of a sample, outermost first, each once.
func (m *matcher) path(labels, frames []string) []string {
	var path []string
	add := func(phase string) {
		if phase != "" && !slices.Contains(path, phase) {
			path = append(path, phase)
		}
	}
	// The labels that were set on this stack are the last ones, each by one
	// frame of enter. Those before are inherited.
	entered := 0
	for _, f := range frames {
		if f == enterName {
			entered++
		}
	}
	for ; len(labels) > entered; labels = labels[1:] {
		add(labels[0])
	}
	for _, f := range frames {
		switch {
		case f != enterName:
			add(m.phase(f))
		case entered > len(labels):
			entered-- // its label is gone: f was given an outer context
		default:
			add(labels[0])
			labels = labels[1:]
			entered--
		}
	}
	return path
}

// unseen are the names in marks that no function had, in order.
func (m *matcher) unseen() []string {
	var names []string
	for name := range m.phases {
		if !m.seen[name] {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
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
