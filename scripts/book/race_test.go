package main

import (
	"context"
	"encoding/json"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/common"
	"raysteps/common/answers"
	"raysteps/common/film"
	"raysteps/common/scene"
	"raysteps/scripts/internal/steps"
)

func TestCheck(t *testing.T) {
	good := request{"small", []string{"step01", "tree"}, 320, 1, 1}
	_, _, err := good.check()
	require.NoError(t, err)
	for _, tt := range []struct {
		name   string
		change func(*request)
		want   string
	}{
		{"scene", func(r *request) { r.Scene = "../../etc/passwd" }, `unknown scene`},
		{"no scene", func(r *request) { r.Scene = "" }, `scene`},
		{"step", func(r *request) { r.Steps[0] = "step99" }, `unknown step "step99"`},
		{"one step", func(r *request) { r.Steps = r.Steps[:1] }, `1 steps; want 2 to 4`},
		{"none", func(r *request) { r.Steps = nil }, `0 steps; want 2 to 4`},
		{"many", func(r *request) { r.Steps = strings.Split(strings.Repeat("1,", 5000), ",") }, `step 1 runs twice`},
		{"five", func(r *request) { r.Steps = []string{"1", "2", "3", "4", "5"} }, `5 steps; want 2 to 4`},
		{"twice", func(r *request) { r.Steps = []string{"1", "step01"} }, `step 1 runs twice`},
		{"width", func(r *request) { r.Width = 321 }, `width is 321; want one of`},
		{"huge", func(r *request) { r.Width = 1 << 40 }, `width is 1099511627776`},
		{"negative", func(r *request) { r.Width = -640 }, `width is -640`},
		{"no samples", func(r *request) { r.Samples = 0 }, `samples is 0; want 1 to 100`},
		{"samples", func(r *request) { r.Samples = 101 }, `samples is 101`},
		{"no workers", func(r *request) { r.Workers = 0 }, `workers is 0; want 1 to`},
		{"workers", func(r *request) { r.Workers = 1 << 20 }, `workers is 1048576`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := good
			r.Steps = append([]string{}, good.Steps...)
			tt.change(&r)
			_, _, err := r.check()
			require.Error(t, err)
			assert.Contains(t, err.Error(), tt.want)
			assert.NotContains(t, err.Error(), "\n")
		})
	}
}

// picture puts together what the frames of a lane hold.
type picture struct {
	rows []byte
	last laneFrame
}

// run runs a race and looks at its frames.
func run(t *testing.T, ctx context.Context, r request, look func(frame)) ([]picture, error) {
	frames := make(chan frame, 1)
	var err error
	go func() {
		defer close(frames)
		err = race(ctx, r, frames)
	}()
	lanes := make([]picture, len(r.Steps))
	for i := range lanes {
		lanes[i].rows = make([]byte, 3*r.Width*r.Width*9/16)
	}
	for f := range frames {
		if look != nil {
			look(f)
		}
		for i, l := range f.Lanes {
			copy(lanes[i].rows[3*r.Width*l.Row:], l.Pixels)
			assert.GreaterOrEqual(t, l.Share, lanes[i].last.Share)
			assert.GreaterOrEqual(t, l.Seconds, lanes[i].last.Seconds)
			lanes[i].last = l
		}
	}
	return lanes, err
}

// Every step renders in a race what it renders alone, and counts the same rays,
// however often it waits.
func TestRacePictures(t *testing.T) {
	all := steps.All()
	for len(all) > 0 {
		n := min(maxLanes, len(all))
		if len(all)-n == 1 {
			n--
		}
		chosen := all[:n]
		all = all[n:]
		r := request{Scene: "medium", Width: 320, Samples: 1, Workers: runtime.GOMAXPROCS(0)}
		for _, step := range chosen {
			r.Steps = append(r.Steps, step.Name)
		}
		lanes, err := run(t, t.Context(), r, nil)
		require.NoError(t, err)
		first := 0
		for i, step := range chosen {
			f := film.New(320, 180)
			rays := step.New(scene.Medium()).Render(f, common.Settings{Samples: 1, Bounces: 50, Workers: 1})
			var want []byte
			for y := 179; y >= 0; y-- {
				want = f.AppendRow(want, y)
			}
			l := lanes[i].last
			assert.True(t, string(want) == string(lanes[i].rows), step.Name)
			assert.Equal(t, float64(rays), l.Rays, step.Name)
			assert.True(t, l.Done)
			assert.Equal(t, 1.0, l.Share)
			assert.Positive(t, l.Place)
			if l.Place == 1 {
				first++
				for _, other := range lanes {
					assert.LessOrEqual(t, l.Seconds, other.last.Seconds)
				}
			}
		}
		assert.Equal(t, 1, first)
	}
}

// While a race goes on, its clocks are level, frames are no more than thirty a
// second, and the estimate of the rays is close.
func TestRaceOnTheWay(t *testing.T) {
	r := request{"large", []string{"step03", "step12", "step13"}, 320, 4, runtime.GOMAXPROCS(0)}
	start, n := time.Now(), 0
	var middle []laneFrame
	lanes, err := run(t, t.Context(), r, func(f frame) {
		n++
		if f.Lanes[0].Share < 0.6 {
			middle = f.Lanes
		}
	})
	require.NoError(t, err)
	assert.LessOrEqual(t, float64(n), 2+30*time.Since(start).Seconds())
	require.NotNil(t, middle)
	total, _ := answers.Rays("step03", "large")
	want := float64(total) * 320 * 180 * 4 / (1280 * 720 * 10)
	assert.InEpsilon(t, want, lanes[0].last.Rays, 0.02)
	// The upper half of this picture is sky for the most part.
	assert.Less(t, middle[0].Rays/want, middle[0].Share)
	assert.Greater(t, middle[0].Rays/want, middle[0].Share/3)
}

func TestProfile(t *testing.T) {
	for _, name := range scene.Names() {
		p := rayProfile(name)
		require.Len(t, p, profileHeight/tileSide+1)
		for i := range p[1:] {
			assert.Greater(t, p[i+1], p[i])
		}
		whole, _ := answers.Rays("step13", name)
		assert.InEpsilon(t, float64(whole)/(1280*720*10), p[len(p)-1], 0.03, name)
		assert.InDelta(t, 0, p.rays(0, true), 1e-9)
		assert.InDelta(t, p[len(p)-1], p.rays(1, true), 1e-9)
		assert.InDelta(t, p[len(p)-1], p.rays(0.3, true)+p.rays(0.7, false), 1e-9)
	}
}

// A race that is left in the middle ends, whichever step it is in, and none of its
// goroutines stays.
func TestRaceIsLeft(t *testing.T) {
	before := runtime.NumGoroutine()
	all := steps.All()
	for i := 0; i+1 < len(all); i += 2 {
		for _, frames := range []int{0, 1, 3} {
			ctx, cancel := context.WithCancel(t.Context())
			if frames == 0 {
				cancel()
			}
			seen := 0
			r := request{"small", []string{all[i].Name, all[i+1].Name}, 1280, 100, runtime.GOMAXPROCS(0)}
			lanes, err := run(t, ctx, r, func(frame) {
				if seen++; seen == frames {
					cancel()
				}
			})
			assert.ErrorIs(t, err, context.Canceled)
			for _, l := range lanes {
				assert.Less(t, l.last.Share, 1.0)
			}
			cancel()
		}
	}
	settle(t, before) // the last may be on its way out
}

// bomb is a step whose render fails after some rows.
type bomb struct{}

func (bomb) Render(f *film.Film, s common.Settings) int64 {
	if f.Width > 64 { // not when it warms up
		f.Done(f.Width)
		panic("out of rays")
	}
	return 0
}

func TestRaceWithPanic(t *testing.T) {
	sc := scene.Small()
	l := newLane(steps.Step{Number: 1, Name: "step01", Single: true, New: func(*scene.Scene) common.Tracer { return bomb{} }},
		sc, request{"small", nil, 320, 1, 1})
	l.warm(t.Context())
	l.start(t.Context())
	for !l.finished {
		l.turn(t.Context())
	}
	assert.EqualError(t, l.err, "step 1: panic: out of rays")
}

// BenchmarkRace compares a step's rate in a race with that of whole renders, in
// turns: the median of rates in a race over those without one is to be within 3 %
// of 1.
func BenchmarkRace(b *testing.B) {
	for _, name := range []string{"step01", "step06", "step12", "step13"} {
		b.Run(name, func(b *testing.B) {
			step, err := steps.Find(name)
			require.NoError(b, err)
			r := request{"medium", []string{name, "step11"}, 320, 10, runtime.GOMAXPROCS(0)}
			tracer, f := step.New(scene.Medium()), film.New(320, 180)
			s := common.Settings{Samples: r.Samples, Bounces: 50, Workers: r.Workers}
			tracer.Render(f, s)
			var ratios []float64
			for b.Loop() {
				frames := make(chan frame, 1)
				go func() {
					defer close(frames)
					_ = race(b.Context(), r, frames)
				}()
				var last frame
				for last = range frames {
					_, _ = json.Marshal(last)
				}
				start := time.Now()
				rays := tracer.Render(f, s)
				alone := float64(rays) / time.Since(start).Seconds()
				ratios = append(ratios, last.Lanes[0].Rays/last.Lanes[0].Seconds/alone)
			}
			slices.Sort(ratios)
			b.ReportMetric(ratios[len(ratios)/2], "race/render")
		})
	}
}
