// Launcher is one launch of a measurement. scripts/bench links it, once for each
// link order, starts it with a plan, and collects the benchmark lines that it
// writes; nobody else runs it.
//
// The file variants.go, which says what can be measured, is written for each
// measurement and put in place by an overlay of the go command.
package main

import (
	"crypto/md5"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"raysteps/common"
	"raysteps/common/film"
	"raysteps/common/scene"
	"raysteps/common/turns"
)

// variant is what can be measured, and the functions whose places are written.
type variant struct {
	newTracer func(*scene.Scene) common.Tracer
	hot       []any
}

var variants = map[string]variant{} // by name

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	// Nothing is collected while slices are timed, unless somebody allocates much more
	// than the steps, a few kilobytes a picture.
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(2 << 30)
	s, err := turns.Begin()
	if err != nil {
		return err
	}
	if s.Profile != "" {
		f, err := os.Create(s.Profile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	for _, name := range s.Scenes {
		if err := take(s, name); err != nil {
			return err
		}
	}
	return s.End()
}

// take lets the subjects take turns in a scene.
func take(s *turns.Session, name string) error {
	var sc *scene.Scene
	pictures := make([]*picture, len(s.Subjects))
	err := s.Turn(func() (err error) {
		if sc, err = load(name); err != nil {
			return err
		}
		return scatter(len(pictures), func(i int) (err error) {
			pictures[i], err = newPicture(s, s.Subjects[i], sc, name)
			return err
		})
	})
	if err != nil || s.Count > 0 {
		return err
	}
	var subjects []turns.Subject
	for _, p := range pictures {
		subjects = append(subjects, turns.Subject{Line: p.line, Slice: p.slice})
	}
	return s.Take(subjects, func() error {
		return scatter(len(pictures), func(i int) error {
			p := pictures[i]
			p.tracer, p.film = p.newTracer(sc), film.New(p.film.Width, p.film.Height)
			return nil
		})
	})
}

// scatter calls a function for n things that allocate, in random order and with gaps
// between them. Where data lie has an effect, which is averaged out if it differs.
func scatter(n int, allocate func(i int) error) error {
	var gaps [][]byte
	for _, i := range rand.Perm(n) {
		gaps = append(gaps, make([]byte, 64*rand.IntN(64)))
		if err := allocate(i); err != nil {
			return err
		}
	}
	runtime.GC()
	runtime.KeepAlive(gaps)
	return nil
}

// load returns the scene of a name such as scene=large or scene=cloud=1000.
func load(name string) (*scene.Scene, error) {
	return scene.ByName(strings.TrimPrefix(name, "scene="))
}

// picture is what a subject renders again and again.
type picture struct {
	newTracer func(*scene.Scene) common.Tracer
	tracer    common.Tracer
	film      *film.Film
	settings  common.Settings
	times     int // that a slice renders it
	whole     bool
	line      *benchfmt.Result
}

// newPicture makes a tracer, renders a small picture of a fixed size, and finds
// the size of slices.
func newPicture(s *turns.Session, of turns.Picture, sc *scene.Scene, name string) (*picture, error) {
	v, ok := variants[of.Variant]
	if !ok {
		return nil, fmt.Errorf("unknown variant %q", of.Variant)
	}
	p := &picture{newTracer: v.newTracer, tracer: v.newTracer(sc), times: 1, whole: s.Whole}
	p.settings = common.Settings{Bounces: common.Default().Bounces, Workers: 1}
	if of.Parallel {
		// A burst of other work on any core holds all workers up, and for the first
		// milliseconds the system may run several on the same core.
		p.settings.Workers, p.times = runtime.GOMAXPROCS(0), min(2, runtime.GOMAXPROCS(0))
	}
	p.resize(64, 36, 1)
	rays := p.render()
	hash := md5.New()
	if err := p.film.WriteTGA(hash); err != nil {
		return nil, err
	}
	line := &benchfmt.Result{Name: benchfmt.Name(fmt.Sprintf("%s/%s-%d", s.Name, name, runtime.GOMAXPROCS(0)))}
	switch {
	case s.Count > 0: // the small one, whose counts are sums over thousands of rays
		rays = 0
		for range s.Count {
			rays += p.render()
		}
	case s.Whole:
		p.times = 1
		p.resize(common.Default().Width, common.Default().Height, common.Default().Samples)
		for y := range p.film.Height {
			for x := range p.film.Width {
				p.film.Set(x, y, 0, 0, 0, 1) // or the system would hand out its memory while the clock runs
			}
		}
	default:
		p.fit()
	}
	turns.Set(line, "pkg", of.Package)
	turns.Set(line, "size", fmt.Sprintf("%dx%d", p.film.Width, p.film.Height))
	turns.Set(line, "samples", fmt.Sprint(p.settings.Samples))
	turns.Set(line, "picture", fmt.Sprintf("%d-%x", rays, hash.Sum(nil)))
	turns.Set(line, "place", places(v.hot))
	if k, ok := p.tracer.(interface{ Kernel() string }); ok {
		turns.Set(line, "kernel", k.Kernel())
	}
	if s.Count > 0 {
		return p, s.Write(line, s.Count, turns.Figures{"rays": float64(rays)})
	}
	p.line = line
	return p, nil
}

func (p *picture) resize(width, height, samples int) {
	p.settings.Width, p.settings.Height, p.settings.Samples = width, height, samples
	p.film = film.New(width, height)
}

func (p *picture) render() int64 { return p.tracer.Render(p.film, p.settings) }

// How long the picture of a slice takes, or somewhat longer.
const (
	sliceTime        = 2 * time.Millisecond
	workersSliceTime = 3 * time.Millisecond
)

// fit finds a picture that takes long enough: first by more samples a pixel, up to 8,
// which are alike as they are in the whole picture, and then by more pixels. Workers
// get 20 tiles each before, and no more than they need: with many pixels and one sample
// step 13 was a fifth slower for minutes, maybe by the way of the film between the cores.
func (p *picture) fit() {
	atLeast, tiles := sliceTime, 0. // tiles so wide
	if workers := p.settings.Workers; workers > 1 {
		atLeast, tiles = workersSliceTime, 170*math.Sqrt(float64(workers))
	}
	width, samples := max(32, tiles/3), 1 // a slow processor stops there
	for {
		w := 2 * int(math.Round(width/2))
		p.resize(w, max(2, w*9/16), samples)
		took := time.Duration(math.MaxInt64)
		for n := 0; n < 3 && took >= atLeast; n++ { // a burst of other work hits one
			start := time.Now()
			p.render()
			took = min(took, time.Since(start))
		}
		if took >= atLeast || width > 2000 {
			return
		}
		more := 1.05 * float64(atLeast) / float64(took)
		switch wider := width * (math.Sqrt(min(more, 4)) + 0.02); {
		case width < tiles:
			width = min(wider, tiles)
		case samples < 8:
			samples = min(8, int(math.Ceil(float64(samples)*more)))
		default:
			width = wider
		}
	}
}

// slice renders the picture on a stack of its own, and the best time counts.
func (p *picture) slice() (turns.Figures, error) {
	rays, took := 0., math.Inf(1)
	done := make(chan bool)
	go deeper(rand.IntN(100), func() {
		for range p.times {
			start := time.Now()
			rays = float64(p.render())
			took = min(took, time.Since(start).Seconds())
		}
		close(done)
	})
	<-done
	figures := turns.Figures{"rays/s": rays / took}
	if p.whole {
		figures["rays/op"], figures["sec/op"] = rays, took
	}
	return figures, nil
}

// deeper calls a function so many frames further down: where its stack begins has an
// effect, too.
func deeper(frames int, f func()) {
	if frames == 0 {
		f()
		return
	}
	deeper(frames-1, f)
}

// places tells where functions begin: at "odd" or "even" multiples of 32 bytes, which
// is what Go aligns them to on amd64.
func places(functions []any) string {
	var all []string
	for _, f := range functions {
		all = append(all, []string{"even", "odd"}[reflect.ValueOf(f).Pointer()/32%2])
	}
	return strings.Join(all, " ")
}
