package main

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"raysteps/beyond/instrumented"
	"raysteps/common"
	"raysteps/common/answers"
	"raysteps/common/film"
	"raysteps/common/scene"
	"raysteps/scripts/internal/estimate"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/steps"
	"raysteps/scripts/internal/tracers"
)

// request is what a browser asks for. Everything in it is bounded by check.
type request struct {
	Scene   string   `json:"scene"`
	Steps   []string `json:"steps"`
	Width   int      `json:"width"` // pixels; the picture is 16:9
	Samples int      `json:"samples"`
	Workers int      `json:"workers"` // of steps that use several
}

const minLanes, maxLanes, maxRaceSamples = 2, 4, 100

// raceWidths are multiples of a tile and of 16.
var raceWidths = []int{320, 480, 640, 960, 1280}

// newLanes checks a request and returns a lane for each of its steps.
func newLanes(r request) ([]*lane, error) {
	switch {
	case len(r.Steps) < minLanes || len(r.Steps) > maxLanes:
		return nil, fmt.Errorf("%d steps; want %d to %d", len(r.Steps), minLanes, maxLanes)
	case !slices.Contains(raceWidths, r.Width):
		return nil, fmt.Errorf("width is %d; want one of %v", r.Width, raceWidths)
	case r.Samples < 1 || r.Samples > maxRaceSamples:
		return nil, fmt.Errorf("samples is %d; want 1 to %d", r.Samples, maxRaceSamples)
	case r.Workers < 1 || r.Workers > runtime.GOMAXPROCS(0):
		return nil, fmt.Errorf("workers is %d; want 1 to %d", r.Workers, runtime.GOMAXPROCS(0))
	}
	sc, err := scene.ByName(r.Scene)
	if err != nil {
		return nil, err
	}
	var lanes []*lane
	for _, name := range r.Steps {
		step, err := steps.Find(name)
		if err != nil {
			return nil, err
		}
		if slices.ContainsFunc(lanes, func(other *lane) bool { return other.step.Name == step.Name }) {
			return nil, fmt.Errorf("%s runs twice; want steps that differ", step.Title())
		}
		lanes = append(lanes, newLane(step, sc, r))
	}
	return lanes, nil
}

// The steps of a race take turns, as they do in measurements: one that uses all
// cores would otherwise slow the others, and so would four on two cores. Each has a
// clock that goes in its turns only, and the one whose clock is behind goes next.
// So they are level at any time, as in a race on as many machines.
const (
	slice     = 10 * time.Millisecond // of a turn, at least; a row is finished
	perFrame  = time.Second / 30      // between frames, at least
	tileSide  = 32                    // of the steps with workers
	tilesEach = 4                     // that a worker may have begun at a time, in wavefront
)

// lane is a step in a race. Its renders run in goroutines of the step; Progress,
// which is called after each row (of a tile, too), is where they wait for a turn and where they
// end if the race is left.
type lane struct {
	step     steps.Step
	profile  profile // of the scene
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
	ending  bool          // goroutines that come to the end of a row wait
	waiting int           // of them
	busy    time.Duration // of the goroutines that wait, in this turn, together
	resume  chan struct{} // closed when the next turn begins
	done    int           // pixels
	rays    int64         // counted by the step, at the end

	parked chan struct{} // gets a value when all goroutines wait
	over   chan struct{} // closed when the render has ended
}

func newLane(step steps.Step, sc *scene.Scene, r request) *lane {
	s := common.Settings{Width: r.Width, Height: r.Width * 9 / 16, Samples: r.Samples, Bounces: common.Default().Bounces, Workers: r.Workers}
	l := &lane{step: step, profile: profiles()[r.Scene], tracer: tracers.New(step, sc), film: film.New(s.Width, s.Height), settings: s, workers: 1,
		resume: make(chan struct{}), parked: make(chan struct{}, 1), over: make(chan struct{})}
	if step.Workers {
		columns, rows := (s.Width+tileSide-1)/tileSide, (s.Height+tileSide-1)/tileSide
		l.workers = min(s.Workers, columns*rows)
		// While more is left, there are tiles that nobody has begun, enough for
		// each worker to begin those it may: none ends, and all come to wait.
		l.tail = 2 * tilesEach * l.workers * tileSide * tileSide
	}
	// A small picture first, so that no code runs for the first time in the race.
	s.Samples = 1
	l.tracer.Render(film.New(64, 36), s)
	return l
}

// start begins the render, which waits for its first turn.
func (l *lane) start(ctx context.Context) {
	l.film.Progress = func(pixels int) { l.progress(ctx, pixels) }
	first := l.resume
	go func() {
		defer close(l.over)
		select {
		case <-first:
		case <-ctx.Done():
			return
		}
		l.rays = l.tracer.Render(l.film, l.settings)
	}()
}

// progress is called by the film when a row is finished, of a tile for a step with workers.
func (l *lane) progress(ctx context.Context, pixels int) {
	now := time.Now()
	l.mu.Lock()
	l.done += pixels
	if now.Sub(l.started) >= slice && l.film.Width*l.film.Height-l.done > l.tail {
		l.ending = true
	}
	var resume chan struct{}
	if l.ending {
		l.waiting++
		l.busy += now.Sub(l.started)
		if l.waiting == l.workers {
			l.parked <- struct{}{}
		}
		resume = l.resume
	}
	l.mu.Unlock()
	if resume != nil {
		select {
		case <-resume:
		case <-ctx.Done():
		}
	}
	if ctx.Err() != nil {
		// Render does not know of the context, so each of its goroutines ends
		// here. Nothing of the tracer is used after this.
		runtime.Goexit()
	}
}

// turn lets the step render for a slice. Its clock goes on by the mean time of its
// goroutines, as those that have to wait for others at the end of a turn would not
// do so in a render without turns. If the race is left in the turn, the lane is not
// finished.
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
	}
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
}

// race runs to its end, or until the context is done. Then no goroutine of it is
// left. Frames go to the channel when it has room, and the last one always. A frame
// is made between turns, so it takes no time of a step.
func race(ctx context.Context, lanes []*lane, frames chan<- frame) error {
	ctx, stop := context.WithCancel(ctx)
	for _, l := range lanes {
		l.start(ctx)
	}
	defer func() {
		stop()
		for _, l := range lanes {
			<-l.over
		}
	}()

	last := time.Time{}
	for end := false; !end; {
		var next *lane
		for _, l := range lanes {
			if !l.finished && (next == nil || l.clock < next.clock) {
				next = l
			}
		}
		if end = next == nil; !end {
			next.turn(ctx)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			rank(lanes)
		}
		if now := time.Now(); end || now.Sub(last) >= perFrame && len(frames) < cap(frames) {
			last = now
			f := frame{End: end}
			for _, l := range lanes {
				f.Lanes = append(f.Lanes, l.frame())
			}
			select {
			case frames <- f:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
	}
	return nil
}

// rank gives places to finished lanes as soon as no other can be before them.
func rank(lanes []*lane) {
	byClock := func(a, b *lane) int { return cmp.Compare(a.clock, b.clock) }
	for i, l := range slices.SortedStableFunc(slices.Values(lanes), byClock) {
		if !l.finished {
			return
		}
		l.place = i + 1
	}
}

// frame returns what has changed. Nobody renders at that time.
func (l *lane) frame() laneFrame {
	width, height := l.film.Width, l.film.Height
	total := width * height
	f := laneFrame{Share: float64(l.done) / float64(total), Seconds: l.clock.Seconds(), Rays: float64(l.rays), Done: l.finished, Place: l.place}
	if !l.finished {
		f.Rays = l.profile.rays(f.Share, !l.step.Workers) * float64(total*l.settings.Samples)
	}
	if l.done == l.sent {
		return f
	}
	// Rows that may have changed, from the top.
	from, to := l.sent/width, l.done/width
	if l.step.Workers {
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

// The picture of which rays are counted. Its height is a multiple of a tile's.
const profileWidth, profileHeight = 288, 160

// profiles holds those of the scenes, counted in a small picture of each.
var profiles = sync.OnceValue(func() map[string]profile {
	all := map[string]profile{}
	for _, sc := range []*scene.Scene{scene.Small(), scene.Medium(), scene.Large()} {
		tracer := instrumented.New(sc)
		pixels := make([]int32, profileWidth*profileHeight)
		tracer.Instruments.Heat = pixels
		tracer.Render(film.New(profileWidth, profileHeight), common.Settings{Samples: 1, Bounces: common.Default().Bounces, Workers: 1})
		p, rays := profile{0}, 0
		for band := range slices.Chunk(pixels, tileSide*profileWidth) {
			for _, n := range band {
				rays += int(n)
			}
			p = append(p, float64(rays)/(profileWidth*profileHeight))
		}
		all[sc.Name] = p
	}
	return all
})

// raceInfo is what the page of the race knows beforehand: what is published, and
// what a replay needs.
type raceInfo struct {
	Credit string
	Scenes map[string]raceScene
	Steps  []map[string]any
}

type raceScene struct {
	Profile profile
	Seconds map[string]float64 // of 1280x720 with 10 samples, by step
	Rays    map[string]int64   // of the same
	Ratios  map[string]string  // "step01,step02": how many times as fast the second is
}

func (b *book) raceData() ([]byte, error) {
	info := raceInfo{Scenes: map[string]raceScene{}}
	machines, _, err := results.Open(b.root, false)
	if err != nil {
		return nil, err
	}
	for _, step := range steps.All() {
		info.Steps = append(info.Steps, map[string]any{"Name": step.Name, "Title": step.Title(), "Label": step.Label, "Before": step.Before, "Single": !step.Workers})
	}
	for _, name := range scene.Names() {
		sc := raceScene{profiles()[name], map[string]float64{}, map[string]int64{}, map[string]string{}}
		info.Scenes[name] = sc
		if len(machines) == 0 {
			continue
		}
		rate := results.Column{Unit: "rays/s"}
		table, err := results.Tabulate(machines[:1], results.TableSpec{Query: results.Query{Bench: "Render", Where: "/scene:" + name}, Rows: "step", Columns: []results.Column{rate}})
		if err != nil {
			return nil, err
		}
		info.Credit = table.Caption[0].Text
		for i, step := range steps.All() {
			rays, known := answers.Rays(step.Name, name)
			v, there := machines[0].Quantity(step.Package(), "Render/scene="+name, "", rate)
			if !known || !there {
				continue
			}
			sc.Seconds[step.Name], sc.Rays[step.Name] = float64(rays)/v.Center, rays
			for _, other := range steps.All()[:i] {
				if v, there := machines[0].Quantity(step.Package(), "Render/scene="+name, "", results.Column{Unit: "rays/s", Base: other.Name}); there {
					sc.Ratios[other.Name+","+step.Name] = estimate.FormatRatio(v)
				}
			}
		}
	}
	return data("race", info)
}

func (b *book) racePage() ([]byte, error) {
	return b.tool("race", "The race", map[string]any{
		"Live": b.live, "Steps": steps.All(), "Scenes": scene.Names(),
		"Widths": raceWidths, "MaxSamples": maxRaceSamples, "MaxWorkers": runtime.GOMAXPROCS(0),
	})
}
