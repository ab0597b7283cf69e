package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime/trace"
	"strings"
	"testing"
	"time"

	"github.com/aymanbagabas/go-udiff"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/scripts/internal/exectrace"
)

// traced is an execution trace with so many ends of tiles.
func traced(t *testing.T, tiles int) string {
	t.Helper()
	if trace.IsEnabled() {
		t.Skip("the tests are being traced, and there is one trace at a time")
	}
	var b bytes.Buffer
	require.NoError(t, trace.Start(&b))
	for range tiles {
		trace.Log(context.Background(), marks, "done")
	}
	trace.Stop()
	return b.String()
}

func TestDrawTimeline(t *testing.T) {
	dir := testdata(t)
	const ms = time.Millisecond
	span := func(start, end time.Duration) exectrace.Span { return exectrace.Span{Start: start * ms, End: end * ms} }
	run := func(goroutine int64, start, end time.Duration, marks ...time.Duration) exectrace.Run {
		for i := range marks {
			marks[i] *= ms
		}
		return exectrace.Run{Span: span(start, end), Goroutine: goroutine, Marks: marks}
	}
	two := &exectrace.Timeline{Procs: []exectrace.Proc{
		{ID: 0, Ran: []exectrace.Run{run(21, 0, 40, 11, 35), run(20, 41, 90, 50, 60, 88)}},
		{ID: 2, Ran: []exectrace.Run{run(20, 4, 30, 8, 12, 20), run(7, 30, 36), run(21, 42, 100, 100)}},
	}}
	collected := &exectrace.Timeline{Procs: two.Procs, GCs: []exectrace.Span{span(28, 44)}}
	many := &exectrace.Timeline{}
	for i := range int64(40) {
		many.Procs = append(many.Procs, exectrace.Proc{ID: i, Ran: []exectrace.Run{run(i, 0, 10+time.Duration(i), 5)}})
	}
	tests := []struct {
		name            string
		timeline        *exectrace.Timeline
		shown, notShown []string // in the chart
	}{
		{"two", two, []string{"P 0", "P 2", "worker 1: 6 tiles", "worker 2: 3 tiles", "others", "time (ms)"}, []string{"garbage collection"}},
		{"collected", collected, []string{"garbage collection"}, nil},
		{"many", many, []string{"P 0", "P 39"}, []string{"worker 1: 1 tile", "others"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			drawn := drawTimeline(tt.timeline)
			golden(t, dir, "timeline "+tt.name, drawn.alt+"\n\n"+drawn.note+"\n")
			svg, err := renderSVG(drawn)
			require.NoError(t, err)
			if tt.name == "collected" {
				file := filepath.Join(dir, "timeline-collected.svg")
				if *update {
					require.NoError(t, os.WriteFile(file, svg, 0o666))
				}
				want, err := os.ReadFile(file)
				require.NoError(t, err, "go test -update writes it")
				assert.Empty(t, udiff.Unified(file, "as drawn", string(want), string(svg)))
			}
			all := texts(t, svg)
			for _, text := range tt.shown {
				assert.Contains(t, all, text)
			}
			for _, text := range tt.notShown {
				assert.NotContains(t, all, text)
			}
		})
	}
}

func TestPublishTrace(t *testing.T) {
	const svg, chart = "docs/charts/timeline.svg", "chart kind=timeline"
	own := traced(t, 5)
	root := filled(t)
	write(t, root, map[string]string{"docs/x.md": region(chart), "t.trace": own})
	status, stdout, stderr := execute(t, "-publish", "t.trace")
	require.Zero(t, status, stderr)
	assert.Equal(t, "docs/x.md\n"+svg+"\nresults/a-timeline.trace\nresults/published\n", stdout)
	assert.Equal(t, "steps: a.txt\nexperiments: b.txt\ntimeline: a-timeline.trace\n", read(t, root, "results/published"))
	assert.Equal(t, own, read(t, root, "results/a-timeline.trace"))
	page := read(t, root, "docs/x.md")
	assert.Contains(t, page, "while 1 worker rendered 5 tiles")
	assert.Contains(t, page, "\n*Abacus 9 (family 25, model 17, Counting House), 2 cores, plan9/amd64*\n")
	for _, args := range [][]string{{}, {"-check"}, {"-publish", "results/a-timeline.trace"}} {
		status, stdout, stderr = execute(t, args...)
		assert.Zero(t, status)
		assert.Empty(t, stdout+stderr)
	}

	// Steps of another machine leave it where it is, and it says so.
	write(t, root, map[string]string{"s.txt": measurement{machine: quipu}.steps()})
	status, stdout, stderr = execute(t, "-publish", "s.txt")
	require.Zero(t, status, stderr)
	assert.Contains(t, stdout, "The timeline in the pages is still that of results/a-timeline.trace, of another machine; "+traceCommand+" takes yours\n")
	assert.Contains(t, read(t, root, "docs/x.md"), "\n*On another machine than the steps: a-timeline*\n")

	// With a machine's name, steps and trace have it, in any order.
	status, stdout, stderr = execute(t, "-publish", "t.trace", "-machine", "My own", "-publish", "s.txt")
	require.Zero(t, status, stderr)
	assert.NotContains(t, stdout, "The timeline")
	assert.Equal(t, "steps: my-own.txt\nexperiments: b.txt\ntimeline: my-own-timeline.trace\n", read(t, root, "results/published"))
	assert.Contains(t, read(t, root, "docs/x.md"), "\n*Quipu (R) 3, 7 cores, linux/arm64*\n")

	// A trace alone has no machine but its name.
	root = module(t, map[string]string{"docs/x.md": region(chart), "t.trace": own})
	status, _, stderr = execute(t, "-publish", "t.trace", "-machine", "Quipu")
	require.Zero(t, status, stderr)
	assert.Equal(t, "timeline: quipu-timeline.trace\n", read(t, root, "results/published"))
	assert.Contains(t, read(t, root, "docs/x.md"), "\n*quipu-timeline*\n")
}

func TestPublishTraceErrors(t *testing.T) {
	own, none := traced(t, 5), traced(t, 0)
	tests := []struct {
		name, text string
		args       []string
		want       string // behind "readme: "
	}{
		{"no tile", none, []string{"-publish", "t.trace"}, `-publish: trace "t.trace": no tile ends in it; want one that ` + traceCommand + " takes"},
		{"cut short", own[:len(own)/2], []string{"-publish", "t.trace"}, "want a complete trace"},
		{"twice", own, []string{"-publish", "t.trace", "-publish", "t.trace"}, `-publish: trace "t.trace": a second trace; want one`},
		{"watts", own, []string{"-publish", "t.trace", "-watts", "5"}, `-watts goes into files of measurements, and "t.trace" is a trace; want measurements as well`},
		{"no name", own, []string{"-publish", "t.trace", "-machine", "?"}, `-machine is "?"; want a name with letters a to z or digits, 100 at the most`},
		{"beside", own, []string{"-compare", "t.trace"}, `-compare: results "t.trace": `},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root := filled(t)
			write(t, root, map[string]string{"t.trace": tt.text})
			before := tree(t, root)
			status, stdout, stderr := execute(t, tt.args...)
			assert.Equal(t, 2, status)
			assert.Empty(t, stdout)
			assert.Contains(t, stderr, tt.want)
			assert.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
			assert.Equal(t, before, tree(t, root), "nothing is written")
		})
	}
	t.Run("folders", func(t *testing.T) {
		root := filled(t)
		s := newSite(root, false)
		text := "go 1.26 trace\x00\x00\x00" + filepath.ToSlash(root) + "/step13/tracer.go"
		_, err := s.publishTrace([]ownTrace{{"t.trace", []byte(text)}}, request{}, "a.txt")
		assert.EqualError(t, err, `-publish: trace "t.trace": names folders of this machine; want one that `+traceCommand+" takes")
	})
	t.Run("no steps", func(t *testing.T) {
		module(t, map[string]string{"t.trace": own})
		status, _, stderr := execute(t, "-publish", "t.trace")
		assert.Equal(t, 2, status)
		assert.Equal(t, "readme: -publish: trace \"t.trace\": does not say of which machine it is; want a name for it, with -machine\n", stderr)
	})
	for _, tt := range []struct{ name, text, want string }{
		{"gone", "", "results/published names results/t.trace, which does not exist; want a file in results"},
		{"no trace", "A\n", `trace "results/t.trace": execution trace: `},
	} {
		t.Run(tt.name, func(t *testing.T) {
			files := map[string]string{"results/published": "timeline: t.trace\n"}
			if tt.text != "" {
				files["results/t.trace"] = tt.text
			}
			root := module(t, files)
			_, err := fill(t, root, "chart kind=timeline")
			assert.ErrorContains(t, err, fmt.Sprintf("docs/a.md:1: chart: %s", tt.want))
		})
	}
}
