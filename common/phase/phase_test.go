package phase

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"runtime/pprof"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/pprof/profile"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sampled is n samples with labels, as "key=value ...", and a stack, outermost
// first: "a b+c" is a, which calls b, into which c is inlined.
type sampled struct {
	n      int64
	labels string
	stack  string
}

// handmade makes a CPU profile, in the form that a file gives.
func handmade(t testing.TB, samples ...sampled) *profile.Profile {
	const period = 10_000_000
	p := &profile.Profile{
		SampleType:    []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}},
		PeriodType:    &profile.ValueType{Type: "cpu", Unit: "nanoseconds"},
		Period:        period,
		DurationNanos: int64(2 * time.Second),
	}
	functions := map[string]*profile.Function{}
	for _, s := range samples {
		one := &profile.Sample{Value: []int64{s.n, s.n * period}, Label: map[string][]string{}}
		for _, l := range strings.Fields(s.labels) {
			key, value, _ := strings.Cut(l, "=")
			one.Label[key] = []string{value}
		}
		for _, call := range strings.Fields(s.stack) {
			loc := &profile.Location{ID: uint64(len(p.Location) + 1)}
			for name := range strings.SplitSeq(call, "+") {
				f := functions[name]
				if f == nil {
					f = &profile.Function{ID: uint64(len(p.Function) + 1), Name: name}
					functions[name] = f
					p.Function = append(p.Function, f)
				}
				loc.Line = slices.Insert(loc.Line, 0, profile.Line{Function: f})
			}
			p.Location = append(p.Location, loc)
			one.Location = slices.Insert(one.Location, 0, loc)
		}
		p.Sample = append(p.Sample, one)
	}
	var file bytes.Buffer
	require.NoError(t, p.Write(&file))
	read, err := profile.Parse(&file)
	require.NoError(t, err)
	return read
}

// outline is the counts of a report, "A 3 (B 2 (C 1), D 1)", and in brackets
// those of samples in no phase and of the runtime.
func outline(r *Report) string {
	var list func(phases []*Phase) string
	list = func(phases []*Phase) string {
		var s []string
		for _, p := range phases {
			text := fmt.Sprint(p.Name, " ", p.Samples)
			if len(p.Phases) > 0 {
				text += " (" + list(p.Phases) + ")"
			}
			s = append(s, text)
		}
		return strings.Join(s, ", ")
	}
	return fmt.Sprintf("%s [%d %d]", list(r.Phases), r.NoPhase.Samples, r.Runtime.Samples)
}

func TestRead(t *testing.T) {
	marks := []Mark{
		{"Hit", []string{"m.(*World).Hit", "m.hitAVX"}},
		{"Shade", []string{"m.shade"}},
		{"Random", []string{"m.(*RNG).Next"}},
	}
	for name, c := range map[string]struct {
		samples []sampled
		marks   []Mark
		want    string
	}{
		"nothing": {want: " [0 0]"},
		"functions": {
			samples: []sampled{
				{3, "", "runtime.main main.main m.(*World).Hit"},
				{2, "", "runtime.main main.main m.(*World).Hit m.hitAVX"},
				{1, "", "runtime.main main.main m.(*World).Hit m.shade m.more"},
			},
			marks: marks,
			want:  "Hit 6 (Shade 1) [0 0]",
		},
		"inlined": {
			samples: []sampled{
				{3, "", "runtime.main main.main+m.shade"},
				{4, "", "runtime.main main.main+m.shade+m.(*RNG).Next runtime.memmove"},
			},
			marks: marks,
			want:  "Shade 7 (Random 4) [0 0]",
		},
		"outside and runtime": {
			samples: []sampled{
				{1, "", "runtime.main main.main main.f"},
				{2, "", "main.worker runtime.mallocgc"},
				{4, "", "runtime.gcBgMarkWorker runtime.gcDrain"},
				{8, "", "runtime/pprof.profileWriter compress/flate.deflate"},
				{16, "", "runtime.mcall runtime.schedule"},
				{32, "", ""},
				{64, "phase1=Render", "runtime._ExternalCode"},
			},
			want: "Render 64 [35 28]",
		},
		"two parents": {
			samples: []sampled{
				{1, "phase1=Build", "main.main m.(*RNG).Next"},
				{2, "phase1=Render", "main.main m.(*RNG).Next"},
				{4, "phase1=Render", "main.main m.shade m.(*RNG).Next"},
				{8, "", "main.main m.(*RNG).Next"},
			},
			marks: marks,
			want:  "Random 8, Render 6 (Shade 4 (Random 4), Random 2), Build 1 (Random 1) [0 0]",
		},
		"foreign labels": {
			samples: []sampled{
				{1, "user=7 phase1=A phase=x phase3=y phase01=z", "main.main"},
				{2, "phase2=A", "main.main"},
			},
			want: "A 1 [2 0]",
		},
		"names": {
			samples: []sampled{
				{2, "", "main.main png.Encode"},
				{4, "", "main.main png.Encoder"},
				{8, "", "main.main png.Encode.func1"},
			},
			marks: []Mark{{"Function", []string{"png.Encode"}}},
			want:  "Function 2 [12 0]",
		},
		"equal counts": {
			samples: []sampled{{1, "phase1=b", "x"}, {1, "phase1=c", "x"}, {1, "phase1=a", "x"}, {2, "phase1=d", "x"}},
			want:    "d 2, a 1, b 1, c 1 [0 0]",
		},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := Read(handmade(t, c.samples...), c.marks...)
			require.NoError(t, err)
			assert.Equal(t, c.want, outline(r))
			var sum int64
			for _, s := range c.samples {
				sum += s.n
			}
			assert.Equal(t, sum, r.Samples)
			assert.Equal(t, time.Duration(sum)*10*time.Millisecond, r.CPU)
			assert.Equal(t, 2*time.Second, r.Wall)
		})
	}
}

func TestReadErrors(t *testing.T) {
	cpu := handmade(t, sampled{1, "", "main.main"})
	heap := handmade(t)
	heap.SampleType = []*profile.ValueType{{Type: "alloc_space", Unit: "bytes"}, {Type: "samples", Unit: "bytes"}}
	counts := handmade(t)
	counts.SampleType = counts.SampleType[:1]
	for name, c := range map[string]struct {
		prof  *profile.Profile
		marks []Mark
		want  string
	}{
		"another kind": {prof: heap, want: "samples/count and cpu/nanoseconds"},
		"no time":      {prof: counts, want: "samples/count and cpu/nanoseconds"},
		"two phases":   {prof: cpu, marks: []Mark{{"A", []string{"m.f"}}, {"B", []string{"m.f"}}}, want: `m.f is marked as "A" and as "B"`},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := Read(c.prof, c.marks...)
			assert.ErrorContains(t, err, c.want)
			assert.Nil(t, r)
		})
	}
}

// TestError holds the error against intervals worked out by hand from
// Wilson's formula: the distance to their further ends.
func TestError(t *testing.T) {
	for _, c := range []struct {
		samples, total int64
		want           float64
	}{
		{0, 0, 0},
		{0, 10, 0.2775},  // 0 to 0.2775
		{0, 100, 0.0370}, // 0 to 0.0370
		{1, 10, 0.4042 - 0.1},
		{81, 263, 0.3662 - 81./263}, // the example of Newcombe 1998
		{50, 100, 0.5962 - 0.5},
		{100, 100, 0.0370},
		{700_000, 1_000_000, 1.96 * math.Sqrt(0.21/1e6)}, // the normal limit
	} {
		p := Part{Samples: c.samples}
		p.finish(c.total)
		assert.InDelta(t, c.want, p.Error, 1e-4, "%d of %d", c.samples, c.total)
	}
}

type shape struct{}

func (shape) value()    {}
func (*shape) pointer() {}

func generic[T any](T) {}

func TestFunc(t *testing.T) {
	const dir = "raysteps/common/phase."
	literal := func() {}
	assert.Equal(t, Mark{"A", []string{
		"fmt.Sprint", dir + "shape.value", dir + "(*shape).pointer", dir + "(*shape).pointer",
		dir + "generic[...]", "math.Floor", dir + "TestFunc.func1",
	}}, Func("A", fmt.Sprint, shape.value, (*shape).pointer, new(shape).pointer, generic[int], math.Floor, literal))
	assert.Equal(t, Mark{Phase: "A"}, Func("A"))

	var missing func()
	for _, f := range []any{3, missing, nil} {
		assert.Panics(t, func() { Func("A", f) })
	}
}

func start(t testing.TB) *Profiler {
	p, err := Start()
	require.NoError(t, err)
	t.Cleanup(func() { p.Stop() })
	return p
}

// now reads the stacks and labels of the goroutines that are in a function of
// the test as if each had been sampled once.
func now(t testing.TB, marks ...Mark) string {
	var file bytes.Buffer
	require.NoError(t, pprof.Lookup("goroutine").WriteTo(&file, 0))
	p, err := profile.Parse(&file)
	require.NoError(t, err)
	p.SampleType = []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}}
	in := "raysteps/common/phase." + t.Name()
	p.Sample = slices.DeleteFunc(p.Sample, func(s *profile.Sample) bool {
		s.Value = []int64{s.Value[0], s.Value[0]}
		return !slices.ContainsFunc(stack(s), func(f string) bool { return f == in || strings.HasPrefix(f, in+".") })
	})
	r, err := Read(p, marks...)
	require.NoError(t, err)
	return outline(r)
}

func marked(f func()) { f() }

func other(f func()) { f() }

func TestDo(t *testing.T) {
	marks := []Mark{Func("Marked", marked), Func("Other", other)}
	ctx := pprof.WithLabels(t.Context(), pprof.Labels("user", "7", "phase", "x"))
	is := func(want, when string) {
		t.Helper()
		assert.Equal(t, want+" [0 0]", now(t, marks...), when)
	}
	Do(ctx, "A", func(inner context.Context) {
		assert.Equal(t, ctx, inner)
		assert.Equal(t, " [1 0]", now(t), "before the profiler starts")
	})
	assert.Zero(t, testing.AllocsPerRun(100, func() { Do(ctx, "A", call) }))
	start(t)
	Do(ctx, "A", func(a context.Context) {
		is("A 1", "")
		user, _ := pprof.Label(a, "user")
		assert.Equal(t, "7", user)
		Do(a, "B", func(b context.Context) {
			is("A 1 (B 1)", "inside")
			Do(b, "A", func(c context.Context) {
				is("A 1 (B 1)", "recursive")
				Do(c, "C", func(context.Context) { is("A 1 (B 1 (C 1))", "inside that") })
			})
			is("A 1 (B 1)", "left again")
			Do(ctx, "D", func(context.Context) { is("D 1", "with an outer context") })
		})
		marked(func() {
			Do(a, "B", func(context.Context) {
				other(func() { is("A 1 (B 1 (Marked 1 (Other 1)))", "labels are outside functions") })
			})
		})
		assert.Panics(t, func() { Do(a, "B", func(context.Context) { panic("in B") }) })
		is("A 1", "after a panic")
	})
	assert.Equal(t, " [1 0]", now(t, marks...))
}

func TestDoWorkers(t *testing.T) {
	start(t)
	ready, finish := make(chan bool), make(chan bool)
	defer close(finish)
	wait := func() {
		ready <- true
		<-finish
	}
	// Three that run before the phase begins take it up from its context.
	early := make(chan context.Context)
	go func() { Do(<-early, "Early", func(context.Context) { wait() }) }()
	go func() { Do(<-early, "Render", func(context.Context) { wait() }) }()
	go func() {
		pprof.SetGoroutineLabels(<-early)
		wait()
	}()
	Do(t.Context(), "Render", func(ctx context.Context) {
		for range 3 {
			early <- ctx
		}
		go wait()
		for range 3 {
			go Do(ctx, "Tile", func(context.Context) {
				go marked(wait)
				wait()
			})
		}
		for range 3 + 1 + 3*2 {
			<-ready
		}
		// One more is this goroutine.
		assert.Equal(t, "Render 11 (Tile 6 (Marked 3), Early 1) [0 0]", now(t, Func("Marked", marked)))
	})
}

func TestStart(t *testing.T) {
	require.NoError(t, pprof.StartCPUProfile(new(bytes.Buffer)))
	_, err := Start()
	assert.ErrorContains(t, err, "no other profile running")
	assert.False(t, on.Load(), "labels while somebody else takes a profile")
	pprof.StopCPUProfile()

	p := start(t)
	_, err = Start()
	assert.Error(t, err)
	assert.True(t, on.Load(), "labels after a second Start")
	prof, err := p.Stop()
	require.NoError(t, err)
	assert.False(t, on.Load())
	_, err = Read(prof)
	assert.NoError(t, err)

	second := start(t)
	same, err := p.Stop()
	require.NoError(t, err)
	assert.Same(t, prof, same)
	assert.True(t, on.Load(), "stopped by the one before")
	_, err = second.Stop()
	assert.NoError(t, err)
}

//go:noinline
func call(context.Context) {}

// BenchmarkMark is the cost of being in a phase once, the call of a function
// included, which is all there is to a phase by function.
func BenchmarkMark(b *testing.B) {
	for _, by := range []struct {
		name string
		run  func(context.Context)
	}{
		{"function", call},
		{"label", func(ctx context.Context) { Do(ctx, "Tile", call) }},
	} {
		for _, profiler := range []string{"off", "on"} {
			b.Run("by="+by.name+"/profiler="+profiler, func(b *testing.B) {
				if profiler == "on" {
					p, err := Start()
					if err != nil {
						b.Skip(err) // with -cpuprofile
					}
					defer p.Stop()
				}
				Do(b.Context(), "Render", func(ctx context.Context) {
					for b.Loop() {
						by.run(ctx)
					}
				})
			})
		}
	}
}
