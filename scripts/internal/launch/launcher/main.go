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
	"strconv"
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
	subjects := make([]turns.Subject, len(s.Subjects))
	var padding [][]byte // where data lie has an effect, which is averaged out over launches if it differs
	err := s.Turn(func() error {
		sc, err := load(name)
		for _, i := range rand.Perm(len(subjects)) {
			if err != nil {
				return err
			}
			padding = append(padding, make([]byte, 64*rand.IntN(64)))
			subjects[i], err = newSubject(s, s.Subjects[i], sc, name)
		}
		runtime.GC()
		return err
	})
	if err == nil && s.Count == 0 {
		err = s.Take(subjects)
	}
	runtime.KeepAlive(padding)
	return err
}

// load returns the scene of a name such as scene=large or spheres=1000.
func load(name string) (*scene.Scene, error) {
	key, value, _ := strings.Cut(name, "=")
	if key == "spheres" {
		n, err := strconv.Atoi(value)
		return scene.Many(n), err
	}
	return scene.ByName(value)
}

// picture is what a subject renders again and again.
type picture struct {
	tracer   common.Tracer
	film     *film.Film
	settings common.Settings
	whole    bool
}

// newSubject makes a tracer, renders a small picture of a fixed size, and finds
// the size of slices.
func newSubject(s *turns.Session, of turns.Picture, sc *scene.Scene, name string) (turns.Subject, error) {
	v, ok := variants[of.Variant]
	if !ok {
		return turns.Subject{}, fmt.Errorf("unknown variant %q", of.Variant)
	}
	p := &picture{tracer: v.newTracer(sc), whole: s.Whole}
	p.settings = common.Settings{Bounces: common.Default().Bounces, Workers: 1}
	if of.Parallel {
		p.settings.Workers = runtime.GOMAXPROCS(0)
	}
	p.resize(64, 36, 1)
	rays := p.render()
	hash := md5.New()
	if err := p.film.WriteTGA(hash); err != nil {
		return turns.Subject{}, err
	}
	line := &benchfmt.Result{Name: benchfmt.Name(fmt.Sprintf("%s/%s-%d", s.Name, name, runtime.GOMAXPROCS(0)))}
	switch {
	case s.Count > 0: // the small one, whose counts are sums over thousands of rays
		rays = 0
		for range s.Count {
			rays += p.render()
		}
	case s.Whole:
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
		return turns.Subject{}, s.Write(line, s.Count, turns.Figures{"rays": float64(rays)})
	}
	return turns.Subject{Line: line, Slice: p.slice}, nil
}

func (p *picture) resize(width, height, samples int) {
	p.settings.Width, p.settings.Height, p.settings.Samples = width, height, samples
	p.film = film.New(width, height)
}

func (p *picture) render() int64 { return p.tracer.Render(p.film, p.settings) }

// How long the picture of a slice takes, or somewhat longer. With several workers it
// is rendered twice, see slice.
const (
	sliceTime        = 2 * time.Millisecond
	workersSliceTime = 3 * time.Millisecond
)

// fit finds a picture that takes long enough: first by more samples a pixel, up to 8,
// which are alike as they are in the whole picture, and then by more pixels. With
// workers there are more pixels at once, so that there are many tiles.
func (p *picture) fit() {
	atLeast, most := sliceTime, 8
	if p.settings.Workers > 1 {
		atLeast, most = workersSliceTime, 1
	}
	width, samples := 32., 1
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
		if n := min(most, int(math.Ceil(float64(samples)*more))); n > samples {
			samples = n
		} else {
			width *= math.Sqrt(min(more, 4)) + 0.02
		}
	}
}

// slice renders the picture once. For the first milliseconds the system may run several
// workers on the same core: a render before it, which does not count, takes them apart.
func (p *picture) slice() (turns.Figures, error) {
	if p.settings.Workers > 1 && !p.whole {
		p.render()
	}
	start := time.Now()
	rays := float64(p.render())
	took := time.Since(start).Seconds()
	figures := turns.Figures{"rays/s": rays / took}
	if p.whole {
		figures["rays/op"], figures["sec/op"] = rays, took
	}
	return figures, nil
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
