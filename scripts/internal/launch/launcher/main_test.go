package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/common"
	"raysteps/common/film"
	"raysteps/common/scene"
)

// counter is a tracer that says the square of its renders' number in place of
// rays: sums of squares tell which renders were counted.
type counter struct {
	renders     int64
	garbage     int      // bytes that a render leaves
	collections []uint32 // how often garbage had been collected at each render
}

var sink []byte

func (c *counter) Render(*film.Film, common.Settings) int64 {
	var memory runtime.MemStats
	runtime.ReadMemStats(&memory)
	c.collections = append(c.collections, memory.NumGC)
	sink = make([]byte, c.garbage)
	time.Sleep(100 * time.Microsecond) // a turn of a millisecond has several renders
	c.renders++
	return c.renders * c.renders
}

// Kernel is what a step with kernels has.
func (c *counter) Kernel() string { return "abacus" }

// serving returns the tracer that a launcher measures, and what asks for
// answers.
func serving(t *testing.T) (*counter, func(request string) string) {
	c := &counter{}
	variants["counter"] = func(*scene.Scene) common.Tracer { return c }
	percent := debug.SetGCPercent(100)
	debug.SetGCPercent(percent)
	t.Cleanup(func() {
		delete(variants, "counter")
		debug.SetGCPercent(percent)
	})
	l := &launch{}
	return c, func(request string) string {
		var out strings.Builder
		l.serve(strings.NewReader(request+"\n"), &out)
		return strings.TrimSuffix(out.String(), "\n")
	}
}

func TestErrors(t *testing.T) {
	c, ask := serving(t)
	require.Regexp(t, `^ok 0 1 [0-9a-f]{32} abacus$`, ask("prepare counter small 4 3 1 1"))
	tests := []struct{ request, want string }{
		{"dance 1", `error unknown request "dance 1"`},
		{"", `error unknown request ""`},
		{"prepare step99 small 4 3 1 1", `error unknown variant "step99"`},
		{"prepare counter dark 4 3 1 1", `error unknown scene "dark"; want small, medium, large`},
		{"prepare counter spheres=3 4 3 1 1", `error unknown scene "spheres=3"; want small, medium, large`},
		{"prepare counter small 4", "error EOF"},
		{"turn 1 1", "error no slice 1"},
		{"turn -1 1", "error no slice -1"},
		{"turn", "error EOF"},
		{"full 1 4 3 1", "error no slice 1"},
		{"full 0", "error EOF"},
	}
	for _, tt := range tests {
		assert.Equal(t, tt.want, ask(tt.request), tt.request)
	}
	assert.EqualValues(t, 1, c.renders, "what is wrong renders nothing")
	assert.Regexp(t, "^ok 1 ", ask("turn 0 1"), "and it goes on")
}

// The first render of a turn has the caches and predictors of another variant.
func TestFirstRenderOfATurn(t *testing.T) {
	c, ask := serving(t)
	ask("prepare counter small 4 3 1 1")
	for _, atLeast := range []time.Duration{1, time.Millisecond} {
		before := c.renders
		var renders, rays, nanoseconds int64
		answer := ask(fmt.Sprintf("turn 0 %d", atLeast))
		_, err := fmt.Sscanf(answer, "ok %d %d %d", &renders, &rays, &nanoseconds)
		require.NoError(t, err, answer)
		assert.Equal(t, c.renders-before-1, renders, "all but one count")
		want := int64(0)
		for n := before + 2; n <= c.renders; n++ {
			want += n * n
		}
		assert.Equal(t, want, rays, "all but the first")
		assert.GreaterOrEqual(t, nanoseconds, atLeast.Nanoseconds())
	}
}

// Garbage is collected before a turn, if there is much of it, and never in one.
func TestNoCollectionInATurn(t *testing.T) {
	c, ask := serving(t)
	c.garbage = 16 << 20
	ask("prepare counter small 4 3 1 1")
	before := c.collections[0]
	for range 12 {
		c.collections = nil
		require.Regexp(t, "^ok ", ask(fmt.Sprintf("turn 0 %d", time.Millisecond)))
		require.Greater(t, len(c.collections), 1)
		for _, n := range c.collections {
			require.Equal(t, c.collections[0], n, "of all renders of a turn, the first included")
		}
	}
	assert.Greater(t, c.collections[0], before, "the garbage of the turns was collected between them")
}

// What was made for other scenes is gone: a million spheres take hundreds of
// megabytes.
func TestClear(t *testing.T) {
	_, ask := serving(t)
	for range 2 {
		require.Equal(t, "ok", ask("clear"))
		assert.Equal(t, "error no slice 0", ask("turn 0 1"))
		require.Regexp(t, "^ok 0 ", ask("prepare counter small 4 3 1 1"))
		require.Regexp(t, "^ok 1 ", ask("prepare counter small 4 3 1 1"))
	}
}

// rows is a tracer that says that it finished a row.
type rows struct{ counter }

func (r *rows) Render(f *film.Film, s common.Settings) int64 {
	for range f.Height {
		time.Sleep(time.Millisecond)
		f.Done(f.Width)
	}
	return int64(f.Height)
}

// Slices come before and behind a whole picture, and their time does not count
// as its own.
func TestFull(t *testing.T) {
	_, ask := serving(t)
	variants["rows"] = func(*scene.Scene) common.Tracer { return &rows{} }
	defer delete(variants, "rows")
	ask("prepare rows small 4 3 1 1")
	start := time.Now()
	answer := ask("full 0 4 150 1")
	took := time.Since(start)
	var rays, picture, sliceRays, slices int64
	_, err := fmt.Sscanf(answer, "ok %d %d %d %d", &rays, &picture, &sliceRays, &slices)
	require.NoError(t, err, answer)
	assert.EqualValues(t, 150, rays)
	assert.Positive(t, sliceRays)
	assert.Zero(t, sliceRays%3, "slices of three rows")
	assert.Positive(t, slices)
	assert.LessOrEqual(t, picture+slices, took.Nanoseconds(), "no time counts twice")
}
