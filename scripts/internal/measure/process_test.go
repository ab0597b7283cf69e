package measure

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestChild is no test, but a process of these tests.
func TestChild(t *testing.T) {
	if os.Getenv("CHILD") == "" {
		t.Skip("is run by others")
	}
	Add("BenchmarkA", func(b *testing.B) {
		fmt.Print("BenchmarkA 1 1 ns/op\n", mark)
		for b.Loop() {
		}
		cycle, _ := strconv.Atoi(os.Getenv("RAYSTEPS_CYCLE"))
		b.ReportMetric(float64(cycle), "apples")
	})
	Add("BenchmarkBad", func(b *testing.B) {
		b.Run("x=1", func(b *testing.B) { b.Fatal("no apples") })
		b.Run("x=2", func(b *testing.B) { b.ReportMetric(4, "apples") })
	})
	Add("BenchmarkOuter", func(b *testing.B) { b.Run("x=1", func(*testing.B) {}) })
	Add("BenchmarkPanics", func(*testing.B) { panic("out of apples") })
	require.NoError(t, Serve())
	require.Empty(t, flag.Lookup("test.bench").Value.String(), "or the last slice would run again")
	fmt.Fprint(out, strings.Repeat("much\n", 1<<18))
}

func child(t *testing.T, ctx context.Context) Server {
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run=^TestChild$", "-test.cpu=1")
	cmd.Env = append(os.Environ(), "CHILD=yes")
	p, err := Start(ctx, cmd)
	require.NoError(t, err)
	return p
}

func TestProcess(t *testing.T) {
	p := child(t, t.Context())
	slices, err := p.Ask(Request{Cycle: 3, Slices: []SliceRequest{{"A", 7, 0}, {"Bad/x=2", 2, 0}}})
	require.NoError(t, err)
	for i, want := range []struct {
		name   string
		n      int
		apples float64
	}{{"A", 7, 3}, {"Bad/x=2", 2, 4}} {
		assert.Equal(t, want.name, slices[i].Name)
		assert.Equal(t, want.n, slices[i].N)
		assert.Equal(t, want.apples, slices[i].Values["apples"])
		assert.Positive(t, slices[i].Took)
	}

	found, err := p.Ask(Request{Function: "BenchmarkBad", Bench: "."})
	require.NoError(t, err)
	require.Len(t, found, 2, "and not the outer one, which fails by the inner")
	assert.Regexp(t, `^process_test.go:\d+: no apples$`, found[0].Failure)
	assert.Equal(t, []string{"Bad/x=1", "Bad/x=2"}, []string{found[0].Name, found[1].Name})
	assert.NoError(t, p.Close(), "what it prints is read to the end")
	assert.NotNil(t, p.(*process).cmd.ProcessState, "and it has ended, and is waited for")

	for name, want := range map[string]string{
		"Bad/x=1": "Bad/x=1: process_test.go:",
		"Outer":   "Outer is not among the benchmarks of ",
		"Nosuch":  "Nosuch is not among the benchmarks of ",
		"Panics":  "the process ended: exit status 2: panic: out of apples",
	} {
		_, err := child(t, t.Context()).Ask(Request{Slices: []SliceRequest{{"A", 1, 0}, {name, 1, 0}}})
		assert.ErrorContains(t, err, want)
	}
	ctx, cancel := context.WithCancel(t.Context())
	p = child(t, ctx)
	cancel()
	_, err = p.Ask(Request{Slices: []SliceRequest{{"A", 1, 0}}})
	assert.ErrorIs(t, err, context.Canceled)
}

// What others had of the time does not count.
func TestAccount(t *testing.T) {
	values := func() map[string]float64 {
		return map[string]float64{"sec/op": 2e-3, "B/s": 1e6, "B/op": 64, "rays/s": 3}
	}
	for _, tt := range []struct {
		name      string
		spent     Output             // 0.008 s were timed
		want      map[string]float64 // what changes, or is added
		disturbed bool
	}{
		{"alone", Output{Took: 0.010}, nil, false},
		{"a fifth", Output{Took: 0.010, Waited: 0.0015}, map[string]float64{"sec/op": 1.7e-3, "B/s": 1e6 / 0.85, "rays/s": 3 / 0.85}, true},
		{"a little", Output{Took: 0.010, Waited: 0.0005}, map[string]float64{"sec/op": 1.9e-3, "B/s": 1e6 / 0.95, "rays/s": 3 / 0.95}, false},
		{"longer than it was not timed", Output{Took: 0.010, Waited: 0.004}, map[string]float64{"sec/op": 1e-3, "B/s": 2e6, "rays/s": 6}, false},
		{"before it was timed", Output{Took: 0.100, Waited: 0.090}, nil, true},
		{"always", Output{Took: 0.010, Waited: 0.0099}, nil, false},
		{"both processors", Output{Took: 0.010, Used: 0.018}, map[string]float64{Processors: 2}, false},
		{"one of them", Output{Took: 0.010, Used: 0.010}, map[string]float64{Processors: 1}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := Slice{N: 4, Values: values()}
			r.account(tt.spent)
			want := values()
			maps.Copy(want, tt.want)
			assert.InDeltaMapValues(t, want, r.Values, 1e-9)
			assert.Equal(t, tt.disturbed, r.Disturbed)
		})
	}
}
