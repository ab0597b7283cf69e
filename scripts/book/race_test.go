package main

import (
	"context"
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/common"
	"raysteps/common/film"
	"raysteps/common/scene"
	"raysteps/scripts/internal/steps"
	"raysteps/scripts/internal/tracers"
)

func TestRaceRequest(t *testing.T) {
	lanes, err := newLanes(request{"small", []string{"step01", "tree"}, 320, 1, 1})
	require.NoError(t, err)
	require.Len(t, lanes, 2)
	for _, tt := range []struct {
		r    request
		want string
	}{
		{request{"../../etc/passwd", []string{"1", "2"}, 320, 1, 1}, `unknown scene`},
		{request{"small", []string{"step99", "2"}, 320, 1, 1}, `unknown step "step99"`},
		{request{"small", nil, 320, 1, 1}, `0 steps; want 2 to 4`},
		{request{"small", []string{"1", "2", "3", "4", "5"}, 320, 1, 1}, `5 steps; want 2 to 4`},
		{request{"small", []string{"1", "step01"}, 320, 1, 1}, `step 1 runs twice`},
		{request{"small", []string{"1", "2"}, 321, 1, 1}, `width is 321; want one of`},
		{request{"small", []string{"1", "2"}, 1 << 40, 1, 1}, `width is 1099511627776`},
		{request{"small", []string{"1", "2"}, 320, 0, 1}, `samples is 0; want 1 to 100`},
		{request{"small", []string{"1", "2"}, 320, 101, 1}, `samples is 101`},
		{request{"small", []string{"1", "2"}, 320, 1, 1 << 20}, `workers is 1048576; want 1 to`},
	} {
		_, err := newLanes(tt.r)
		require.ErrorContains(t, err, tt.want)
		assert.NotContains(t, err.Error(), "\n")
	}
}

// picture puts together what the frames of a lane hold.
type picture struct {
	rows []byte
	last laneFrame
}

// run runs a race and looks at its frames.
func run(t *testing.T, ctx context.Context, lanes []*lane, look func(frame)) ([]picture, error) {
	frames, ended := make(chan frame, 1), make(chan error, 1)
	go func() {
		defer close(frames)
		ended <- race(ctx, lanes, frames)
	}()
	pictures := make([]picture, len(lanes))
	for i := range pictures {
		pictures[i].rows = make([]byte, 3*lanes[i].film.Width*lanes[i].film.Height)
	}
	for f := range frames {
		look(f)
		for i, l := range f.Lanes {
			p := &pictures[i]
			copy(p.rows[3*lanes[i].film.Width*l.Row:], l.Pixels)
			assert.GreaterOrEqual(t, l.Share, p.last.Share)
			assert.GreaterOrEqual(t, l.Seconds, p.last.Seconds)
			p.last = l
		}
	}
	return pictures, <-ended
}

// paced is a tracer whose pixels take four microseconds each on the clock of a bubble, so
// that turns come the same way on every machine. It counts the rows that end after the
// race was left, and ends the render itself when there are more than the limit.
type paced struct {
	common.Tracer
	left  context.Context
	late  *atomic.Int64
	limit int64
}

func (p paced) Render(f *film.Film, s common.Settings) int64 {
	progress := f.Progress
	f.Progress = func(pixels int) {
		time.Sleep(time.Duration(pixels) * 4 * time.Microsecond)
		if p.left.Err() != nil && p.late.Add(1) > p.limit {
			runtime.Goexit()
		}
		progress(pixels)
	}
	return p.Tracer.Render(f, s)
}

// pace returns the lanes of a race in a bubble.
func pace(t *testing.T, ctx context.Context, r request) (lanes []*lane, late *atomic.Int64, limit int64) {
	lanes, err := newLanes(r)
	require.NoError(t, err)
	for _, l := range lanes {
		limit = max(limit, int64(l.workers)) // those of one lane render at a time
	}
	late = new(atomic.Int64)
	for _, l := range lanes {
		l.tracer = paced{l.tracer, ctx, late, limit}
	}
	return lanes, late, limit
}

// Every step renders in a race what it renders alone, and counts the same rays,
// however often it waits.
func TestRacePictures(t *testing.T) {
	all := steps.All()
	for at := 0; at < len(all); at += 3 {
		at = min(at, len(all)-3)
		r := request{Scene: "medium", Width: 320, Samples: 1, Workers: runtime.GOMAXPROCS(0)}
		for _, step := range all[at : at+3] {
			r.Steps = append(r.Steps, step.Name)
		}
		synctest.Test(t, func(t *testing.T) {
			lanes, _, _ := pace(t, t.Context(), r)
			pictures, err := run(t, t.Context(), lanes, func(frame) {})
			require.NoError(t, err)
			places := map[int]float64{}
			for i, step := range all[at : at+3] {
				f := film.New(320, 180)
				rays := tracers.New(step, scene.Medium()).Render(f, common.Settings{Samples: 1, Bounces: common.Default().Bounces, Workers: 1})
				var want []byte
				for y := 179; y >= 0; y-- {
					want = f.AppendRow(want, y)
				}
				l := pictures[i].last
				assert.True(t, string(want) == string(pictures[i].rows), step.Name)
				assert.Equal(t, []any{float64(rays), true, 1.0}, []any{l.Rays, l.Done, l.Share}, step.Name)
				assert.NotContains(t, places, l.Place)
				places[l.Place] = l.Seconds
			}
			assert.LessOrEqual(t, places[1], places[2])
			assert.LessOrEqual(t, places[2], places[3])
			assert.Len(t, places, 3)
		})
	}
}

// Two workers take half the time of one on the clock of the race.
func TestRaceClock(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	seconds := map[int]float64{}
	for _, workers := range []int{1, 2} {
		synctest.Test(t, func(t *testing.T) {
			lanes, _, _ := pace(t, t.Context(), request{"small", []string{"step12", "step13"}, 640, 1, workers})
			pictures, err := run(t, t.Context(), lanes, func(frame) {})
			require.NoError(t, err)
			seconds[workers] = pictures[1].last.Seconds
		})
	}
	assert.InEpsilon(t, 640*360*4e-6, seconds[1], 0.01)
	assert.InEpsilon(t, seconds[1]/2, seconds[2], 0.02)
}

// While a race goes on, its clocks are level, frames are no more than thirty a
// second, and the estimate of the rays is close.
func TestRaceOnTheWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start, n := time.Now(), 0
		var middle []laneFrame
		lanes, _, _ := pace(t, t.Context(), request{"large", []string{"step06", "step12", "step13"}, 320, 1, 1})
		pictures, err := run(t, t.Context(), lanes, func(f frame) {
			n++
			if f.Lanes[0].Share < 0.6 {
				middle = f.Lanes
			}
			if !f.End {
				assert.InDelta(t, f.Lanes[0].Seconds, f.Lanes[1].Seconds, (slice + time.Millisecond).Seconds())
			}
		})
		require.NoError(t, err)
		assert.LessOrEqual(t, n, 2+int(time.Since(start)/perFrame))
		require.NotNil(t, middle)
		// The upper half of this picture is sky for the most part.
		share := middle[0].Rays / pictures[0].last.Rays
		assert.Less(t, share, middle[0].Share)
		assert.Greater(t, share, middle[0].Share/3)
	})
}

// A race that is left ends with the row that each goroutine is in, whichever
// step it is. The bubble fails if a goroutine of it waits or stays.
func TestRaceIsLeft(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2)) // many workers are at the end before three frames
	all := steps.All()
	for i := range all {
		for _, frames := range []int{0, 1, 3} {
			r := request{"small", []string{all[i].Name, all[(i+1)%len(all)].Name}, 640, 1, 2}
			t.Run(fmt.Sprint(r.Steps, " after ", frames), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					ctx, cancel := context.WithCancel(t.Context())
					lanes, late, limit := pace(t, ctx, r)
					seen, at := 0, time.Now()
					leave := func(frame) {
						if seen == frames {
							at = time.Now()
							cancel()
						}
						seen++
					}
					leave(frame{})
					pictures, err := run(t, ctx, lanes, leave)
					assert.ErrorIs(t, err, context.Canceled)
					assert.LessOrEqual(t, late.Load(), limit, "rows that end after the race was left")
					assert.Less(t, time.Since(at), slice)
					for _, p := range pictures {
						assert.Less(t, p.last.Share, 1.0)
					}
				})
			})
		}
	}
}
