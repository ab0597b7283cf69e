package timeline

import (
	"bytes"
	"context"
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
	execution, err := parseTrace(bytes.NewReader(data))
	require.NoError(t, err)
	require.NotEmpty(t, execution.Procs)
	assert.LessOrEqual(t, len(execution.Procs), runtime.GOMAXPROCS(0)+1)
	assert.NotEmpty(t, execution.Collections)

	byGoroutine := map[int64]int{}
	for _, p := range execution.Procs {
		end := time.Duration(0)
		for _, r := range p.Stints {
			assert.LessOrEqual(t, r.Start, r.End)
			assert.GreaterOrEqual(t, r.Start, end, "one goroutine at a time on a processor")
			end = r.End
			for _, m := range r.Tiles {
				assert.True(t, r.Start <= m && m <= r.End)
				byGoroutine[r.Goroutine]++
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
	whole := &Execution{
		Procs: []Proc{
			{0, []Stint{
				{Span{1 * ms, 3 * ms}, 1, nil},
				{Span{5 * ms, 9 * ms}, 7, []time.Duration{6 * ms, 9 * ms}},
				{Span{12 * ms, 13 * ms}, 1, nil},
			}},
			{1, []Stint{
				{Span{4 * ms, 6 * ms}, 2, nil},
				{Span{7 * ms, 10 * ms}, 8, []time.Duration{8 * ms}},
			}},
		},
		Collections: []Span{{0, 2 * ms}, {8 * ms, 20 * ms}},
	}
	assert.Equal(t, &Execution{
		Procs: []Proc{
			{0, []Stint{{Span{0, 4 * ms}, 7, []time.Duration{1 * ms, 4 * ms}}}},
			{1, []Stint{{Span{0, 1 * ms}, 2, nil}, {Span{2 * ms, 5 * ms}, 8, []time.Duration{3 * ms}}}},
		},
		Collections: []Span{{3 * ms, 5 * ms}},
	}, whole.rendering())
	assert.Empty(t, new(Execution).rendering().Procs)
}

func TestTraceErrors(t *testing.T) {
	_, err := parseTrace(strings.NewReader("# a heading\n"))
	assert.ErrorContains(t, err, "want what go test -trace writes")
	data := record(t, 2000)
	_, err = parseTrace(bytes.NewReader(data[:len(data)/2]))
	assert.ErrorContains(t, err, "want a complete trace")
}
