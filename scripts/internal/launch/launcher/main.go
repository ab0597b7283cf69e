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

// variants are what can be measured, by name.
var variants = map[string]func(*scene.Scene) common.Tracer{}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	debug.SetGCPercent(-1) // see collect
	debug.SetMemoryLimit(4 * collectAbove)
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
	for _, g := range s.Rand.Perm(len(s.Groups)) {
		if err := take(s, &s.Groups[g]); err != nil {
			return err
		}
	}
	return s.End()
}

// take lets the subjects of a group take turns.
func take(s *turns.Session, g *turns.Group) error {
	subjects := make([]turns.Subject, len(g.Subjects))
	var padding [][]byte // where data lie has an effect, which is averaged out over launches if it differs
	err := s.Turn(func() error {
		sc, err := scene.Many(g.Spheres), error(nil)
		if g.Spheres == 0 {
			sc, err = scene.ByName(g.Scene)
		}
		for _, i := range rand.Perm(len(subjects)) {
			if err != nil {
				return err
			}
			padding = append(padding, make([]byte, 64*rand.IntN(64)))
			subjects[i], err = newSubject(s, &g.Subjects[i], sc)
		}
		return err
	})
	if err == nil && s.Count == 0 {
		err = s.Take(subjects)
	}
	runtime.KeepAlive(padding)
	return err
}

// picture is what a subject renders again and again.
type picture struct {
	tracer   common.Tracer
	film     *film.Film
	settings common.Settings
}

// newSubject makes a tracer, renders a small picture of a fixed size, and finds
// the size of slices.
func newSubject(s *turns.Session, of *turns.Picture, sc *scene.Scene) (turns.Subject, error) {
	newTracer, ok := variants[of.Variant]
	if !ok {
		return turns.Subject{}, fmt.Errorf("unknown variant %q", of.Variant)
	}
	p := &picture{tracer: newTracer(sc)}
	p.settings = common.Settings{Bounces: common.Default().Bounces, Workers: of.Workers}
	p.resize(64, 36, 1)
	rays := p.render()
	hash := md5.New()
	if err := p.film.WriteTGA(hash); err != nil {
		return turns.Subject{}, err
	}
	switch {
	case s.Count > 0: // the small one, whose counts are sums over thousands of rays
	case of.Width > 0:
		p.resize(of.Width, of.Height, of.Samples)
	default:
		p.fit()
	}
	slice := p.slice
	if s.Whole {
		slice = p.whole
	}
	line := &benchfmt.Result{Name: benchfmt.Name(fmt.Sprintf("%s-%d", of.Name, runtime.GOMAXPROCS(0)))}
	turns.Set(line, "pkg", of.Package)
	turns.Set(line, "size", fmt.Sprintf("%dx%d", p.film.Width, p.film.Height))
	turns.Set(line, "samples", fmt.Sprint(p.settings.Samples))
	turns.Set(line, "picture", fmt.Sprintf("%d-%x", rays, hash.Sum(nil)))
	turns.Set(line, "place", places(of.Hot))
	if k, ok := p.tracer.(interface{ Kernel() string }); ok {
		turns.Set(line, "kernel", k.Kernel())
	}
	if s.Count > 0 {
		rays = 0
		for range s.Count {
			rays += p.render()
		}
		return turns.Subject{}, s.Write(line, s.Count, turns.Figures{"rays": float64(rays)})
	}
	return turns.Subject{Line: line, Slice: slice}, nil
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

// slice renders the picture once. Nothing is collected in that time. For the first
// milliseconds the system may run several workers on the same core: a render before
// it, which does not count, takes them apart.
func (p *picture) slice() (turns.Figures, error) {
	collect()
	if p.settings.Workers > 1 {
		p.render()
	}
	start := time.Now()
	rays := p.render()
	return turns.Figures{"rays/s": float64(rays) / time.Since(start).Seconds()}, nil
}

// whole renders a picture once and says what it took.
func (p *picture) whole() (turns.Figures, error) {
	for y := range p.film.Height {
		for x := range p.film.Width {
			p.film.Set(x, y, 0, 0, 0, 1) // or the system would hand out its memory while the clock runs
		}
	}
	runtime.GC()
	start := time.Now()
	rays := float64(p.render())
	took := time.Since(start).Seconds()
	return turns.Figures{"rays/op": rays, "sec/op": took, "rays/s": rays / took}, nil
}

// collectAbove is how much the heap grows, in bytes, until a slice begins with a
// collection of garbage. Steps allocate a few kilobytes a render, and what they
// make of a scene takes up to half a gigabyte, which a collection has to look
// through.
const collectAbove = 256 << 20

var live uint64 // bytes of the heap that the last collection left

func collect() {
	var memory runtime.MemStats
	if runtime.ReadMemStats(&memory); memory.HeapAlloc > live+collectAbove {
		runtime.GC()
		runtime.ReadMemStats(&memory)
		live = memory.HeapAlloc
	}
}

// places tells where functions of this program begin: at "odd" or "even" multiples of
// 32 bytes, which is what Go aligns them to on amd64. The functions are symbols, and
// so is the answer, in their order.
func places(symbols []string) string {
	var found []string
	for _, symbol := range symbols {
		if at, ok := entries()[symbol]; ok {
			found = append(found, []string{"even", "odd"}[at/32%2])
		}
	}
	return strings.Join(found, " ")
}

var addresses map[string]uintptr

// entries returns where the functions of this program begin, by symbol. It looks at
// all multiples of 16 below and above one of them.
func entries() map[string]uintptr {
	if addresses != nil {
		return addresses
	}
	addresses = map[string]uintptr{}
	const align = 16
	start := reflect.ValueOf(entries).Pointer() &^ (align - 1)
	for _, step := range []uintptr{align, ^uintptr(align - 1)} {
		for at := start; ; at += step {
			f := runtime.FuncForPC(at)
			if f == nil {
				break
			}
			if f.Entry() == at { // and not one that is inlined at its beginning
				frames := runtime.CallersFrames([]uintptr{at + 1})
				frame, more := frames.Next()
				for more {
					frame, more = frames.Next()
				}
				addresses[frame.Function] = at
			}
		}
	}
	return addresses
}
