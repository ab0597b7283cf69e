// Launcher is one launch of a measurement. scripts/bench links it, once for each
// link order, starts it with the name of a plan, and collects the benchmark lines
// that it writes; nobody else runs it.
//
// The file variants.go, which says what can be measured, is written for each
// measurement by scripts/bench and put in place by an overlay of the go command.
package main

import (
	"crypto/md5"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"slices"
	"time"

	"raysteps/common"
	"raysteps/common/film"
	"raysteps/common/scene"
	"raysteps/common/turns"
)

// variants are what can be measured, by name.
var variants = map[string]func(*scene.Scene) common.Tracer{}

func main() {
	var p turns.Plan
	text, err := os.ReadFile(os.Args[1])
	if err == nil {
		err = json.Unmarshal(text, &p)
	}
	if err == nil {
		err = run(&p)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(p *turns.Plan) error {
	debug.SetGCPercent(-1) // see collect
	debug.SetMemoryLimit(4 * collectAbove)
	out, err := os.Create(p.Out)
	if err != nil {
		return err
	}
	defer out.Close()
	var ring *turns.Ring
	if p.Ring {
		ring = &turns.Ring{In: os.Stdin, Out: os.Stdout}
	}
	if p.Profile != "" {
		f, err := os.Create(p.Profile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	rng := rand.New(rand.NewPCG(p.Seed, 0))
	for _, g := range rng.Perm(len(p.Groups)) {
		if err := take(out, p, &p.Groups[g], rng, ring); err != nil {
			return err
		}
	}
	if err := ring.Leave(); err != nil {
		return err
	}
	return out.Close()
}

// take lets the subjects of a group take turns and writes a line for each.
func take(out io.Writer, p *turns.Plan, g *turns.Group, rng *rand.Rand, ring *turns.Ring) error {
	pictures := make([]*picture, len(g.Subjects))
	var padding [][]byte // where data lie has an effect, which is averaged out over launches if it differs
	err := ring.Turn(func() error {
		sc, err := find(g)
		for _, i := range rand.Perm(len(g.Subjects)) {
			if err != nil {
				return err
			}
			padding = append(padding, make([]byte, 64*rand.IntN(64)))
			pictures[i], err = newPicture(&g.Subjects[i], sc, p.Short)
		}
		return err
	})
	if err != nil {
		return fmt.Errorf("scene %s: %w", g.Scene, err)
	}
	var subjects []turns.Subject
	for _, pic := range pictures {
		subjects = append(subjects, turns.Subject{Name: pic.subject.Variant, Slice: pic.slice})
	}
	var cycles [][]turns.Figures
	if p.Whole {
		cycles = [][]turns.Figures{make([]turns.Figures, len(pictures))}
		for _, i := range rng.Perm(len(pictures)) {
			cycles[0][i] = pictures[i].whole()
		}
	} else {
		cycles, err = turns.Take(subjects, p.Cycles, rng, ring)
	}
	if err != nil {
		return err
	}
	for i, level := range turns.Levels(cycles) {
		pic := pictures[i]
		fmt.Fprintf(out, "pkg: %s\nkernel: %s\nsize: %dx%d\nsamples: %d\npicture: %s\n", pic.subject.Package, pic.kernel(), pic.settings.Width, pic.settings.Height, pic.settings.Samples, pic.hash)
		fmt.Fprintf(out, "Benchmark%s-%d %d", pic.subject.Name, runtime.GOMAXPROCS(0), len(cycles))
		for unit, v := range level {
			fmt.Fprintf(out, " %v %s", v, unit)
		}
		if slow := slowness(cycles, i); slow > 0 {
			fmt.Fprintf(out, " %.4f slow-slices", slow)
		}
		fmt.Fprintln(out)
	}
	runtime.KeepAlive(padding)
	return nil
}

// slowness returns by how much the slowest tenth of the slices of a subject falls
// behind its median, as a share.
func slowness(cycles [][]turns.Figures, i int) float64 {
	var rates []float64
	for _, cycle := range cycles {
		if rate := cycle[i]["rays/s"]; rate > 0 {
			rates = append(rates, rate)
		}
	}
	if len(rates) < 10 {
		return 0
	}
	slices.Sort(rates)
	return rates[len(rates)/2]/rates[len(rates)/10] - 1
}

// find returns the scene of a group.
func find(g *turns.Group) (*scene.Scene, error) {
	if g.Spheres > 0 {
		return scene.Many(g.Spheres), nil
	}
	return scene.ByName(g.Scene)
}

// picture is what a subject renders again and again.
type picture struct {
	subject  *turns.Picture
	tracer   common.Tracer
	film     *film.Film
	settings common.Settings
	hash     string // rays and MD5 of a small picture
}

// newPicture makes a tracer, renders a small picture of a fixed size, and finds
// the size of slices.
func newPicture(s *turns.Picture, sc *scene.Scene, short bool) (*picture, error) {
	newTracer, ok := variants[s.Variant]
	if !ok {
		return nil, fmt.Errorf("unknown variant %q", s.Variant)
	}
	p := &picture{subject: s, tracer: newTracer(sc)}
	p.resize(64, 36, 1)
	rays := p.render()
	hash := md5.New()
	if err := p.film.WriteTGA(hash); err != nil {
		return nil, err
	}
	p.hash = fmt.Sprintf("%d-%x", rays, hash.Sum(nil))
	if s.Width > 0 {
		p.resize(s.Width, s.Height, s.Samples)
		return p, nil
	}
	p.fit(short)
	return p, nil
}

func (p *picture) resize(width, height, samples int) {
	p.settings = common.Settings{Width: width, Height: height, Samples: samples, Bounces: common.Default().Bounces, Workers: p.subject.Workers}
	p.film = film.New(width, height)
}

func (p *picture) render() int64 { return p.tracer.Render(p.film, p.settings) }

// How long the picture of a slice takes at the least; at the most it is about
// twice as long. One with several workers takes longer, since for the first
// milliseconds the system may run them on the same core.
const (
	sliceTime        = 2 * time.Millisecond
	workersSliceTime = 10 * time.Millisecond
)

// fit finds the smallest picture that takes long enough. Each that it tries has
// more samples than the one before, at the most twice as many: first more a pixel,
// up to 8, which are alike as they are in the whole picture, and then more pixels. With workers there
// are more pixels at once, so that there are many tiles.
func (p *picture) fit(short bool) {
	atLeast, most := sliceTime, 8
	if p.subject.Workers > 1 {
		if atLeast, most = workersSliceTime, 1; short {
			atLeast /= 2
		}
	}
	width, samples := 32., 1
	for {
		w := 2 * int(math.Round(width/2))
		p.resize(w, max(2, w*9/16), samples)
		took := time.Duration(math.MaxInt64)
		for range 3 { // a burst of other work hits one
			start := time.Now()
			p.render()
			took = min(took, time.Since(start))
		}
		if took >= atLeast || width > 2000 {
			return
		}
		switch {
		case samples < most:
			samples *= 2
		case took < atLeast/2:
			width *= math.Sqrt2
		default:
			width *= math.Sqrt(math.Sqrt2)
		}
	}
}

// slice renders the picture once. Nothing is collected in that time.
func (p *picture) slice() (turns.Figures, error) {
	collect()
	start := time.Now()
	rays := p.render()
	return turns.Figures{"rays/s": float64(rays) / time.Since(start).Seconds()}, nil
}

// whole renders a picture once and says what it took.
func (p *picture) whole() turns.Figures {
	for y := range p.film.Height {
		for x := range p.film.Width {
			p.film.Set(x, y, 0, 0, 0, 1) // or the system would hand out its memory while the clock runs
		}
	}
	runtime.GC()
	start := time.Now()
	rays := float64(p.render())
	took := time.Since(start).Seconds()
	return turns.Figures{"rays/op": rays, "sec/op": took, "rays/s": rays / took}
}

// kernel names the kernel that runs, or is empty for a step that has no choice.
func (p *picture) kernel() string {
	if k, ok := p.tracer.(interface{ Kernel() string }); ok {
		return k.Kernel()
	}
	return ""
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
