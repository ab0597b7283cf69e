package exectrace

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
				trace.Log(context.Background(), "other", "done")
			}
		})
	}
	wg.Wait()
	runtime.GC()
	trace.Stop()
	return b.Bytes()
}

func TestRead(t *testing.T) {
	data := record(t, 3, 5, 0)
	timeline, err := Read(bytes.NewReader(data), "tile")
	require.NoError(t, err)
	require.NotEmpty(t, timeline.Procs)
	assert.LessOrEqual(t, len(timeline.Procs), runtime.GOMAXPROCS(0)+1)
	assert.NotEmpty(t, timeline.GCs)

	byGoroutine := map[int64]int{}
	for _, p := range timeline.Procs {
		end := time.Duration(0)
		for _, r := range p.Ran {
			assert.LessOrEqual(t, r.Start, r.End)
			assert.GreaterOrEqual(t, r.Start, end, "one goroutine at a time on a processor")
			end = r.End
			for _, m := range r.Marks {
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

func TestMarked(t *testing.T) {
	const ms = time.Millisecond
	whole := &Timeline{
		Procs: []Proc{
			{0, []Run{
				{Span{1 * ms, 3 * ms}, 1, nil},
				{Span{5 * ms, 9 * ms}, 7, []time.Duration{6 * ms, 9 * ms}},
				{Span{12 * ms, 13 * ms}, 1, nil},
			}},
			{1, []Run{
				{Span{4 * ms, 6 * ms}, 2, nil},
				{Span{7 * ms, 10 * ms}, 8, []time.Duration{8 * ms}},
			}},
		},
		GCs: []Span{{0, 2 * ms}, {8 * ms, 20 * ms}},
	}
	assert.Equal(t, &Timeline{
		Procs: []Proc{
			{0, []Run{{Span{0, 4 * ms}, 7, []time.Duration{1 * ms, 4 * ms}}}},
			{1, []Run{{Span{0, 1 * ms}, 2, nil}, {Span{2 * ms, 5 * ms}, 8, []time.Duration{3 * ms}}}},
		},
		GCs: []Span{{3 * ms, 5 * ms}},
	}, whole.Marked())
	assert.Empty(t, new(Timeline).Marked().Procs)
}

func TestReadErrors(t *testing.T) {
	_, err := Read(strings.NewReader("# a heading\n"), "tile")
	assert.ErrorContains(t, err, "want what go test -trace writes")
	data := record(t, 2000)
	_, err = Read(bytes.NewReader(data[:len(data)/2]), "tile")
	assert.ErrorContains(t, err, "want a complete trace")
}
