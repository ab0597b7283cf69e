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

// handmade makes a CPU profile of two seconds.
func handmade(samples ...sampled) *profile.Profile {
	p := &profile.Profile{
		SampleType:    []*profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}},
		DurationNanos: int64(2 * time.Second),
	}
	for _, s := range samples {
		one := &profile.Sample{Value: []int64{s.n, s.n * 10_000_000}, Label: map[string][]string{}}
		for _, l := range strings.Fields(s.labels) {
			key, value, _ := strings.Cut(l, "=")
			one.Label[key] = []string{value}
		}
		for _, call := range strings.Fields(s.stack) {
			loc := new(profile.Location)
			for name := range strings.SplitSeq(call, "+") {
				loc.Line = slices.Insert(loc.Line, 0, profile.Line{Function: &profile.Function{Name: name}})
			}
			one.Location = slices.Insert(one.Location, 0, loc)
		}
		p.Sample = append(p.Sample, one)
	}
	return p
}

// outline is the counts of a report, "A 3, >B 2, >>C 1, >D 1, none 0".
func outline(r *Report) string {
	text := ""
	walk(r.Phases, "", func(name string, p Part) {
		text += strings.ReplaceAll(fmt.Sprintf("%s %d, ", name, p.Samples), "  ", ">")
	})
	return fmt.Sprint(text, "none ", r.NoPhase.Samples)
}

func TestRead(t *testing.T) {
	for _, c := range []struct {
		name, want string
		samples    []sampled
	}{
		{"nothing", "none 0", nil},
		{"functions", "Hit 6, >Shade 1, none 0", []sampled{
			{3, "", "runtime.main main.main m.(*World).Hit"},
			{2, "", "runtime.main main.main m.(*World).Hit m.hitAVX"},
			{1, "", "runtime.main main.main m.(*World).Hit m.shade m.more"},
		}},
		{"inlined", "Shade 7, >Random 4, none 0", []sampled{
			{3, "", "runtime.main main.main+m.shade"},
			{4, "", "runtime.main main.main+m.shade+m.(*RNG).Next runtime.memmove"},
		}},
		{"outside", "Render 64, none 63", []sampled{
			{1, "", "runtime.main main.main main.f"},
			{30, "", "runtime.gcBgMarkWorker runtime.gcDrain"},
			{32, "", ""},
			{64, "phase1=Render", "runtime._ExternalCode"},
		}},
		{"two parents", "Random 8, Render 6, >Shade 4, >>Random 4, >Random 2, Build 1, >Random 1, none 0", []sampled{
			{1, "phase1=Build", "main.main m.(*RNG).Next"},
			{2, "phase1=Render", "main.main m.(*RNG).Next"},
			{4, "phase1=Render", "main.main m.shade m.(*RNG).Next"},
			{8, "", "main.main m.(*RNG).Next"},
		}},
		{"foreign labels", "A 1, none 2", []sampled{
			{1, "user=7 phase1=A phase=x phase3=y phase01=z", "main.main"},
			{2, "phase2=A", "main.main"},
		}},
		{"names", "Shade 2, none 12", []sampled{{2, "", "main.main m.shade"}, {4, "", "main.main m.shader"}, {8, "", "main.main m.shade.func1"}}},
		{"equal counts", "d 2, a 1, b 1, c 1, none 0", []sampled{{1, "phase1=b", "x"}, {1, "phase1=c", "x"}, {1, "phase1=a", "x"}, {2, "phase1=d", "x"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := Read(handmade(c.samples...),
				Mark{"Hit", []string{"m.(*World).Hit", "m.hitAVX"}}, Mark{"Shade", []string{"m.shade"}}, Mark{"Random", []string{"m.(*RNG).Next"}})
			assert.Equal(t, c.want, outline(r))
		})
	}
}

func TestString(t *testing.T) {
	r := Read(handmade(sampled{80, "phase1=Render", "m.hit"}, sampled{40, "phase1=Render", ""}, sampled{23, "phase1=Büchertürme", ""}, sampled{1, "", ""}),
		Mark{"Intersect", []string{"m.hit"}})
	assert.Equal(t, `144 samples, 1.44s of processor time in 2s; ± is the 95% interval of sampling

phase                 share   samples
Render        83.3% ±  6.9%       120
  Intersect   55.6% ±  8.2%        80
Büchertürme   16.0% ±  6.9%        23
(no phase)     0.7% ±  3.1%         1
`, r.String())
	assert.Equal(t, "no samples in 2s; the processor has to be busy for 10ms to give one\n", Read(handmade()).String())
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

	for _, f := range []any{3, (func())(nil), nil} {
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
	return outline(Read(p, marks...))
}

func marked(f func()) { f() }

func TestDo(t *testing.T) {
	ctx := pprof.WithLabels(t.Context(), pprof.Labels("user", "7", "phase", "x"))
	is := func(want, when string) {
		t.Helper()
		assert.Equal(t, want, now(t, Func("Marked", marked)), when)
	}
	Do(ctx, "A", func(inner context.Context) {
		assert.Equal(t, ctx, inner)
		is("none 1", "before the profiler starts")
	})
	assert.Zero(t, testing.AllocsPerRun(100, func() { Do(ctx, "A", call) }))
	start(t)
	Do(ctx, "A", func(a context.Context) {
		is("A 1, none 0", "")
		user, _ := pprof.Label(a, "user")
		assert.Equal(t, "7", user)
		Do(a, "B", func(b context.Context) {
			is("A 1, >B 1, none 0", "inside")
			Do(b, "A", func(c context.Context) {
				is("A 1, >B 1, none 0", "recursive")
				Do(c, "C", func(context.Context) { is("A 1, >B 1, >>C 1, none 0", "inside that") })
			})
			is("A 1, >B 1, none 0", "left again")
			Do(ctx, "D", func(context.Context) { is("D 1, none 0", "with an outer context") })
		})
		marked(func() {
			Do(a, "B", func(context.Context) { is("A 1, >B 1, >>Marked 1, none 0", "labels are outside functions") })
		})
		assert.Panics(t, func() { Do(a, "B", func(context.Context) { panic("in B") }) })
		is("A 1, none 0", "after a panic")
	})
	is("none 1", "after all")
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
	for i, want := range []profile.ValueType{{Type: "samples", Unit: "count"}, {Type: "cpu", Unit: "nanoseconds"}} {
		assert.Equal(t, want, *prof.SampleType[i], "which Read takes for granted")
	}
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
