package timeline

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"
	"runtime"
	"runtime/trace"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// record traces goroutines that log so many marks each, and a collection.
func record(t *testing.T, marks ...int) []byte {
	t.Helper()
	if trace.IsEnabled() {
		t.Skip("the tests are being traced, and there is one trace at a time")
	}
	var b bytes.Buffer
	require.NoError(t, trace.Start(&b))
	var wg sync.WaitGroup
	for _, n := range marks {
		wg.Go(func() {
			for range n {
				trace.Log(context.Background(), "tile", "done")
				trace.Log(context.Background(), "pass", "done")
			}
		})
	}
	wg.Wait()
	runtime.GC()
	trace.Stop()
	return b.Bytes()
}

func TestParseTrace(t *testing.T) {
	data := record(t, 3, 5, 0)
	timeline, err := parseTrace(bytes.NewReader(data))
	require.NoError(t, err)
	require.NotEmpty(t, timeline.procs)
	assert.LessOrEqual(t, len(timeline.procs), runtime.GOMAXPROCS(0)+1)
	assert.NotEmpty(t, timeline.collections)

	byGoroutine := map[int64]int{}
	for _, p := range timeline.procs {
		end := time.Duration(0)
		for _, r := range p.stints {
			assert.LessOrEqual(t, r.start, r.end)
			assert.GreaterOrEqual(t, r.start, end, "one goroutine at a time on a processor")
			end = r.end
			for _, m := range r.tiles {
				assert.True(t, r.start <= m && m <= r.end)
				byGoroutine[r.goroutine]++
			}
		}
	}
	var counts []int
	for _, n := range byGoroutine {
		counts = append(counts, n)
	}
	assert.ElementsMatch(t, []int{3, 5}, counts)
}

func TestRendering(t *testing.T) {
	const ms = time.Millisecond
	whole := &execution{
		procs: []proc{
			{0, []stint{
				{span{1 * ms, 3 * ms}, 1, nil},
				{span{5 * ms, 9 * ms}, 7, []time.Duration{6 * ms, 9 * ms}},
				{span{12 * ms, 13 * ms}, 1, nil},
			}},
			{1, []stint{
				{span{4 * ms, 6 * ms}, 2, nil},
				{span{7 * ms, 10 * ms}, 8, []time.Duration{8 * ms}},
			}},
		},
		collections: []span{{0, 2 * ms}, {8 * ms, 20 * ms}},
	}
	assert.Equal(t, &execution{
		procs: []proc{
			{0, []stint{{span{0, 4 * ms}, 7, []time.Duration{1 * ms, 4 * ms}}}},
			{1, []stint{{span{0, 1 * ms}, 2, nil}, {span{2 * ms, 5 * ms}, 8, []time.Duration{3 * ms}}}},
		},
		collections: []span{{3 * ms, 5 * ms}},
	}, whole.rendering())
	assert.Empty(t, new(execution).rendering().procs)
}

func TestTraceErrors(t *testing.T) {
	_, err := parseTrace(strings.NewReader("# a heading\n"))
	assert.ErrorContains(t, err, "want what go test -trace writes")
	data := record(t, 2000)
	_, err = parseTrace(bytes.NewReader(data[:len(data)/2]))
	assert.ErrorContains(t, err, "want a complete trace")
}

func TestPublishTrace(t *testing.T) {
	const svg, chart = "docs/charts/timeline.svg", "chart kind=timeline"
	own := string(record(t, 5))
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
	own, none := string(record(t, 5)), string(record(t, 0))
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
		_, err := s.publishTrace([]traceFile{{"t.trace", []byte(text)}}, request{}, "a.txt")
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
