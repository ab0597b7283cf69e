package main

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"raysteps/common"
	"raysteps/common/answers"
	"raysteps/common/film"
	"raysteps/common/scene"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/steps"
)

// request is what a browser asks for. Everything in it is bounded by check.
type request struct {
	Scene   string   `json:"scene"`
	Steps   []string `json:"steps"`
	Width   int      `json:"width"` // pixels; the picture is 16:9
	Samples int      `json:"samples"`
	Workers int      `json:"workers"` // of steps that use several
}

// Bounds of a race.
const (
	minLanes, maxLanes = 2, 4
	maxRaceSamples     = 100
)

// raceWidths are multiples of a tile and of 16.
var raceWidths = []int{320, 480, 640, 960, 1280}

// check returns the steps and the scene of a request.
func (r request) check() ([]steps.Step, *scene.Scene, error) {
	var chosen []steps.Step
	for _, name := range r.Steps[:min(len(r.Steps), maxLanes+1)] {
		step, err := steps.Find(name)
		if err != nil {
			return nil, nil, err
		}
		if slices.ContainsFunc(chosen, func(other steps.Step) bool { return other.Name == step.Name }) {
			return nil, nil, fmt.Errorf("%s runs twice; want steps that differ", step.Title())
		}
		chosen = append(chosen, step)
	}
	switch {
	case len(r.Steps) < minLanes || len(r.Steps) > maxLanes:
		return nil, nil, fmt.Errorf("%d steps; want %d to %d", len(r.Steps), minLanes, maxLanes)
	case !slices.Contains(raceWidths, r.Width):
		return nil, nil, fmt.Errorf("width is %d; want one of %v", r.Width, raceWidths)
	case r.Samples < 1 || r.Samples > maxRaceSamples:
		return nil, nil, fmt.Errorf("samples is %d; want 1 to %d", r.Samples, maxRaceSamples)
	case r.Workers < 1 || r.Workers > runtime.GOMAXPROCS(0):
		return nil, nil, fmt.Errorf("workers is %d; want 1 to %d", r.Workers, runtime.GOMAXPROCS(0))
	}
	sc, err := scene.ByName(r.Scene)
	return chosen, sc, err
}

// The steps of a race take turns, as they do in measurements: one that uses all
// cores would otherwise slow the others, and so would four on two cores. Each has a
// clock that goes in its turns only, and the one whose clock is behind goes next.
// So they are level at any time, as in a race on as many machines.
const (
	slice     = 10 * time.Millisecond // of a turn, at least; a row or a tile is finished
	perFrame  = time.Second / 30      // between frames, at least
	tileSide  = 32                    // of the steps with workers
	tilesEach = 4                     // that a worker may have begun at a time, in wavefront
)

// lane is a step in a race. Its renders run in goroutines of the step; Progress,
// which they call once a row or a tile, is where they wait for a turn and where they
// end if the race is left.
type lane struct {
	step     steps.Step
	tracer   common.Tracer
	film     *film.Film
	settings common.Settings
	workers  int // goroutines that render
	tail     int // pixels at the end that are rendered in one turn

	// What the referee alone reads and writes.
	clock    time.Duration
	sent     int // pixels that were done in the last frame
	finished bool
	place    int // from 1, or 0 as long as it may change

	mu      sync.Mutex
	started time.Time     // of the turn
	ending  bool          // goroutines that come to the end of a row or tile wait
	waiting int           // of them
	left    bool          // nobody waits any more
	busy    time.Duration // of the goroutines that wait, in this turn, together
	resume  chan struct{} // closed when the next turn begins
	done    int           // pixels
	rays    int64         // counted by the step, at the end
	err     error

	parked chan struct{} // gets a value when all goroutines wait
	over   chan struct{} // closed when the render has ended
}

func newLane(step steps.Step, sc *scene.Scene, r request) *lane {
	s := common.Settings{Width: r.Width, Height: r.Width * 9 / 16, Samples: r.Samples, Bounces: common.Default().Bounces, Workers: r.Workers}
	l := &lane{step: step, tracer: step.New(sc), film: film.New(s.Width, s.Height), settings: s, workers: 1,
		resume: make(chan struct{}), parked: make(chan struct{}, 1), over: make(chan struct{})}
	if !step.Single {
		columns, rows := (s.Width+tileSide-1)/tileSide, (s.Height+tileSide-1)/tileSide
		l.workers = min(s.Workers, columns*rows)
		// While more is left, there are tiles that nobody has begun, enough for
		// each worker to begin those it may: none ends, and all come to wait.
		l.tail = 2 * tilesEach * l.workers * tileSide * tileSide
	}
	return l
}

// warm renders a small picture and writes to the film, so that neither code nor
// memory is used for the first time in the race.
func (l *lane) warm(ctx context.Context) {
	for y := range l.film.Height {
		for x := range l.film.Width {
			l.film.SetMean(x, y, 0, 0, 0)
		}
	}
	small := film.New(64, 36)
	s := l.settings
	s.Samples = 1
	if t, ok := l.tracer.(common.ParallelTracer); ok {
		_, _ = t.RenderContext(ctx, small, s)
	} else {
		l.tracer.Render(small, s)
	}
}

// start begins the render, which waits for its first turn.
func (l *lane) start(ctx context.Context) {
	l.film.Progress = func(pixels int) { l.progress(ctx, pixels) }
	first := l.resume
	go func() {
		defer close(l.over)
		defer func() {
			if v := recover(); v != nil {
				l.err = fmt.Errorf("%s: panic: %v", l.step.Title(), v)
			}
		}()
		<-first
		if ctx.Err() != nil {
			return
		}
		if t, ok := l.tracer.(common.ParallelTracer); ok {
			l.rays, l.err = t.RenderContext(ctx, l.film, l.settings)
		} else {
			l.rays = l.tracer.Render(l.film, l.settings)
		}
	}()
}

// progress is called by the step when a row or a tile is finished.
func (l *lane) progress(ctx context.Context, pixels int) {
	now := time.Now()
	l.mu.Lock()
	l.done += pixels
	if now.Sub(l.started) >= slice && l.film.Width*l.film.Height-l.done > l.tail {
		l.ending = true
	}
	if l.ending && !l.left {
		l.waiting++
		l.busy += now.Sub(l.started)
		if l.waiting == l.workers {
			l.parked <- struct{}{}
		}
		resume := l.resume
		l.mu.Unlock()
		<-resume
	} else {
		l.mu.Unlock()
	}
	if l.step.Single && ctx.Err() != nil {
		// Render does not know of the context. Nothing of the tracer is used
		// after this.
		runtime.Goexit()
	}
}

// turn lets the step render for a slice. Its clock goes on by the mean time of its
// goroutines, as those that have to wait for others at the end of a turn would not
// do so in a render without turns.
func (l *lane) turn(ctx context.Context) {
	l.mu.Lock()
	l.ending, l.waiting, l.busy = false, 0, 0
	resume := l.resume
	l.resume = make(chan struct{})
	l.started = time.Now()
	l.mu.Unlock()
	close(resume)
	select {
	case <-l.parked:
		l.clock += l.busy / time.Duration(l.workers)
	case <-l.over:
		l.clock += time.Since(l.started)
		l.finished = true
	case <-ctx.Done():
		l.leave()
	}
}

// leave waits until the render has ended, which it does at the next row or tile as
// the context is done. Nobody waits for another there: some goroutines may have
// ended already.
func (l *lane) leave() {
	l.mu.Lock()
	l.left = true
	close(l.resume)
	l.mu.Unlock()
	<-l.over
	l.finished = true
}

// laneFrame is what has changed of a lane since the last frame.
type laneFrame struct {
	Share   float64 `json:"share"`   // of the pixels
	Seconds float64 `json:"seconds"` // on its clock
	Rays    float64 `json:"rays"`    // estimated until it is finished
	Done    bool    `json:"done"`
	Place   int     `json:"place"`
	Row     int     `json:"row"`    // the first, from the top
	Pixels  []byte  `json:"pixels"` // red, green and blue, whole rows
}

// frame is what the browser is sent, up to thirty times a second.
type frame struct {
	Lanes []laneFrame `json:"lanes"`
	End   bool        `json:"end"`
	Error string      `json:"error,omitempty"`
}

// race runs to its end, or until the context is done. Then no goroutine of it is
// left. Frames go to the channel when it has room, and the last one always. A frame
// is made between turns, so it takes no time of a step.
func race(ctx context.Context, r request, frames chan<- frame) error {
	chosen, sc, err := r.check()
	if err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	profile := rayProfile(r.Scene)
	var lanes []*lane
	for _, step := range chosen {
		l := newLane(step, sc, r)
		l.warm(ctx)
		lanes = append(lanes, l)
	}
	for _, l := range lanes {
		l.start(ctx)
	}
	defer func() {
		stop()
		for _, l := range lanes {
			if !l.finished {
				l.leave()
			}
		}
	}()

	last := time.Time{}
	for ctx.Err() == nil {
		var next *lane
		for _, l := range lanes {
			if !l.finished && (next == nil || l.clock < next.clock) {
				next = l
			}
		}
		if next != nil {
			next.turn(ctx)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if next.finished && next.err != nil {
				return next.err
			}
			rank(lanes)
		}
		if now := time.Now(); next == nil || now.Sub(last) >= perFrame && len(frames) < cap(frames) {
			last = now
			f := frame{End: next == nil}
			for _, l := range lanes {
				f.Lanes = append(f.Lanes, l.frame(profile))
			}
			select {
			case frames <- f:
			case <-ctx.Done():
			}
		}
		if next == nil {
			break
		}
	}
	return ctx.Err()
}

// rank gives places to lanes that are finished, as soon as no other can be before
// them.
func rank(lanes []*lane) {
	for _, l := range lanes {
		if !l.finished || l.place > 0 {
			continue
		}
		before, open := 0, false
		for _, other := range lanes {
			if other != l && other.clock < l.clock {
				before++
				open = open || !other.finished
			}
		}
		if !open {
			l.place = before + 1
		}
	}
}

// frame returns what has changed. Nobody renders at that time.
func (l *lane) frame(p profile) laneFrame {
	width, height := l.film.Width, l.film.Height
	total := width * height
	f := laneFrame{Share: float64(l.done) / float64(total), Seconds: l.clock.Seconds(), Done: l.finished, Place: l.place}
	if l.finished {
		f.Rays = float64(l.rays)
	} else {
		f.Rays = p.rays(f.Share, l.step.Single) * float64(total*l.settings.Samples)
	}
	if l.done == l.sent {
		return f
	}
	// Rows that may have changed, from the top.
	from, to := l.sent/width, l.done/width
	if !l.step.Single {
		// Tiles begin at the bottom, and are finished nearly in their order.
		band, scatter := tileSide*width, tilesEach*l.workers*tileSide*tileSide
		low := max(0, l.sent-scatter) / band * tileSide
		high := (min(total, l.done+scatter) + band - 1) / band * tileSide
		from, to = max(0, height-high), height-low
	}
	l.sent = l.done
	f.Row = from
	for y := from; y < to; y++ {
		f.Pixels = l.film.AppendRow(f.Pixels, height-1-y)
	}
	return f
}

// profile says how many rays lie below which row: rays of a sample for each pixel
// of the picture, from its lowest band of tiles up.
type profile []float64

// rays returns how many have been traced for each pixel of the picture and sample
// when a share of the picture is done, from the top or from the bottom.
func (p profile) rays(share float64, fromTop bool) float64 {
	if fromTop {
		return p[len(p)-1] - p.rays(1-share, false)
	}
	at := share * float64(len(p)-1)
	i := min(int(at), len(p)-2)
	return p[i] + (at-float64(i))*(p[i+1]-p[i])
}

// profileSize is the picture of which rays are counted; its height is a multiple of
// a tile's.
const profileWidth, profileHeight = 288, 160

// profiles holds those of the scenes. No step tells how many rays it has traced so
// far. But a step with workers, when it is canceled, tells how many it has traced,
// so a small picture is rendered up to each of its bands.
var profiles = func() map[string]func() profile {
	all := map[string]func() profile{}
	for _, name := range scene.Names() {
		all[name] = sync.OnceValue(func() profile { return countRays(name) })
	}
	return all
}()

func rayProfile(name string) profile { return profiles[name]() }

func countRays(name string) profile {
	sc, err := scene.ByName(name)
	if err != nil {
		panic(err) // it is one of scene.Names
	}
	numbered := steps.Numbered()
	tracer, ok := numbered[len(numbered)-1].New(sc).(common.ParallelTracer)
	if !ok {
		return profile{0, 1}
	}
	p := profile{0}
	for rows := tileSide; rows <= profileHeight; rows += tileSide {
		ctx, stop := context.WithCancel(context.Background())
		f := film.New(profileWidth, profileHeight)
		done := 0
		f.Progress = func(pixels int) {
			if done += pixels; done >= rows*profileWidth {
				stop()
			}
		}
		rays, _ := tracer.RenderContext(ctx, f, common.Settings{Samples: 1, Bounces: common.Default().Bounces, Workers: 1})
		stop()
		p = append(p, float64(rays)/(profileWidth*profileHeight))
	}
	return p
}

// raceInfo is what the page of the race knows beforehand: what is published, and
// what a replay needs.
type raceInfo struct {
	Credit string               `json:"credit"`
	Scenes map[string]raceScene `json:"scenes"`
	Steps  []raceStep           `json:"steps"`
}

type raceScene struct {
	Profile profile            `json:"profile"`
	Seconds map[string]float64 `json:"seconds"` // of 1280x720 with 10 samples, by step
	Rays    map[string]int64   `json:"rays"`    // of the same
	Ratios  map[string]string  `json:"ratios"`  // "step01,step02": how many times as fast the second is
}

type raceStep struct {
	Name   string `json:"name"`
	Title  string `json:"title"`
	Label  string `json:"label"`
	Single bool   `json:"single"`
	Kernel string `json:"kernel"` // what it was measured with, if that is another than its own
}

func (b *book) raceData() ([]byte, error) {
	info := raceInfo{Scenes: map[string]raceScene{}}
	files, err := b.measurements(results.OfSteps)
	if err != nil {
		return nil, err
	}
	var set *results.Set
	if i := slices.IndexFunc(files, func(m measured) bool { return m.Published }); i >= 0 {
		set = files[i].set
		info.Credit = set.Machine()
	}
	all := steps.All()
	for _, step := range all {
		s := raceStep{Name: step.Name, Title: step.Title(), Label: step.Label, Single: step.Single}
		if set != nil {
			s.Kernel = strings.TrimPrefix(set.OtherKernel(step), ", ")
		}
		info.Steps = append(info.Steps, s)
	}
	for _, name := range scene.Names() {
		sc := raceScene{rayProfile(name), map[string]float64{}, map[string]int64{}, map[string]string{}}
		info.Scenes[name] = sc
		if set == nil {
			continue
		}
		for i, step := range all {
			key := results.RenderKey(step.Package(), name)
			rays, known := answers.Rays(step.Name, name)
			rate, err := set.Estimate(key, "rays/s")
			if err != nil || !known {
				continue
			}
			sc.Seconds[step.Name], sc.Rays[step.Name] = float64(rays)/rate.Center, rays
			for _, other := range all[:i] {
				if v, err := set.Ratio(key, results.RenderKey(other.Package(), name), "rays/s"); err == nil {
					sc.Ratios[other.Name+","+step.Name] = results.FormatRatio(v)
				}
			}
		}
	}
	return data("race", info)
}

func (b *book) racePage() ([]byte, error) {
	return b.tool("race.html", "The race", "race.html", map[string]any{
		"Live": b.live, "Steps": steps.All(), "Scenes": scene.Names(),
		"Widths": raceWidths, "MaxSamples": maxRaceSamples, "MaxWorkers": runtime.GOMAXPROCS(0),
	}, "assets/race.js")
}
