// Launcher is one launch of a measurement: a program that renders parts of a picture,
// or all of it, when it is asked to. Package launch links it, once for each link order,
// and starts it; nobody else runs it. See [raysteps/common/turns].
//
// The file packages.go, which says what can be measured, is written for each
// measurement and put in place by an overlay of the go command.
package main

import (
	"encoding/json"
	"fmt"
	"image"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strings"
	"time"

	"raysteps/common"
	"raysteps/common/film"
	"raysteps/common/scene"
	"raysteps/common/turns"
)

// measured is a package that can be, and the functions whose places are written.
type measured struct {
	newTracer func(*scene.Scene) common.Tracer
	hot       []any
}

var packages = map[string]measured{} // by import path

func main() {
	// Nothing is collected while slices are timed, unless somebody allocates much more
	// than the steps, a few kilobytes a picture.
	debug.SetGCPercent(-1)
	debug.SetMemoryLimit(2 << 30)
	if err := serve(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serve answers requests, and writes a CPU profile of that to the file of an argument.
func serve() error {
	if len(os.Args) > 1 {
		f, err := os.Create(os.Args[1])
		if err != nil {
			return err
		}
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	return turns.Serve(load)
}

// load makes the tracers of a scene. Where data lie has an effect, which is averaged
// out by loading again: tracers are made in random order and with gaps between them.
func load(group json.RawMessage) ([]turns.Subject, error) {
	var p turns.Pictures
	if err := json.Unmarshal(group, &p); err != nil {
		return nil, fmt.Errorf("what is to be rendered: %w", err)
	}
	sc, err := scene.ByName(strings.TrimPrefix(p.Scene, "scene="))
	if err != nil {
		return nil, err
	}
	shared := film.New(p.Width, p.Height)
	for y := range p.Height {
		for x := range p.Width {
			shared.SetMean(x, y, 0, 0, 0) // or the system would hand out its memory while the clock runs
		}
	}
	subjects := make([]turns.Subject, len(p.Tracers))
	var gaps [][]byte
	for _, i := range rand.Perm(len(subjects)) {
		gaps = append(gaps, make([]byte, 64*rand.IntN(64)))
		if subjects[i], err = subject(&p, p.Tracers[i], sc, shared); err != nil {
			return nil, err
		}
	}
	runtime.GC()
	runtime.KeepAlive(gaps)
	return subjects, nil
}

// subject makes a tracer that renders to a film, which all of them share.
func subject(p *turns.Pictures, of turns.Picture, sc *scene.Scene, shared *film.Film) (s turns.Subject, err error) {
	m, ok := packages[of.Package]
	if !ok {
		return s, fmt.Errorf("unknown package %q", of.Package)
	}
	t := &tracer{of, m.newTracer(sc), shared, common.Default()}
	t.settings.Width, t.settings.Height, t.settings.Samples, t.settings.Workers = p.Width, p.Height, p.Samples, of.Workers
	s.Name = fmt.Sprintf("%s/%s-%d", p.Name, p.Scene, runtime.GOMAXPROCS(0))
	s.Slice = t.slice
	s.Config = map[string]string{"pkg": of.Package, "size": fmt.Sprintf("%dx%d", p.Width, p.Height), "samples": fmt.Sprint(p.Samples), "place": places(m.hot)}
	if n := len(t.blocks(0)); n > 0 {
		s.Config["blocks"] = fmt.Sprintf("%d of %dx%d", n, of.Block.X, of.Block.Y)
	}
	if of.Workers > 1 {
		s.Config["workers"] = fmt.Sprint(of.Workers)
	}
	if k, ok := t.Tracer.(common.KernelTracer); ok {
		s.Config["kernel"] = k.Kernel()
	}
	if p.Save != "" {
		t.Render(shared, t.settings)
		err = shared.WriteFile(filepath.Join(p.Save, path.Base(of.Package)+".tga"))
	}
	return s, err
}

// tracer is what a subject renders with.
type tracer struct {
	turns.Picture
	common.Tracer
	film     *film.Film
	settings common.Settings
}

// slice renders the work of a cycle, on a stack of its own: where it begins has an
// effect, too.
func (t *tracer) slice(r turns.Request) (turns.Values, error) {
	// A tracer on one core has no idle processors of the runtime spinning beside it.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(t.Workers))
	window, pictures := t.film, t.Times
	blocks := t.blocks(r.Cycle)
	if blocks != nil {
		window, pictures = t.film.Window(blocks...), 1
	}
	var values turns.Values
	done := make(chan bool)
	go deeper(rand.IntN(100), func() {
		processors := processorTime()
		start, rays := time.Now(), int64(0)
		for range pictures {
			rays += t.Render(window, t.settings)
		}
		took := time.Since(start).Seconds()
		values = turns.Values{"rays/s": float64(rays) / took, turns.SliceTime: took}
		if blocks == nil {
			values["rays/op"], values["sec/op"] = float64(rays)/float64(pictures), took/float64(pictures)
		}
		if used := processorTime() - processors; t.Workers > 1 && used > 0 {
			values["processors"] = used.Seconds() / took
		}
		close(done)
	})
	<-done
	return values, nil
}

// processorTime returns the time that the process has had on all processors, or 0 where
// nothing tells it.
var processorTime = func() time.Duration { return 0 }

// deeper calls a function so many frames further down.
func deeper(frames int, f func()) {
	if frames == 0 {
		f()
		return
	}
	deeper(frames-1, f)
}

// blocks returns shares of the blocks of the picture, or blocks in random order, a number
// in each cell of the grid; none for the whole picture. Each pixel is as likely as any
// other. The first ones of a tracer that renders more are those that the others render.
func (t *tracer) blocks(cycle uint64) (blocks []image.Rectangle) {
	picture := image.Rect(0, 0, t.film.Width, t.film.Height)
	if t.Share > 0 {
		for y := 0; y*t.Block.Y < picture.Dy(); y++ {
			for x := 0; x*t.Block.X < picture.Dx(); x++ {
				from := image.Pt(x*t.Block.X, y*t.Block.Y)
				if (x+2*y+int(cycle%uint64(t.Share)))%t.Share < t.Times {
					blocks = append(blocks, image.Rectangle{from, from.Add(t.Block)}.Intersect(picture))
				}
			}
		}
		return blocks
	}
	random := rand.New(rand.NewPCG(cycle, 0))
	// at returns where a block of column or row i of the grid begins.
	at := func(i, side, block int) int {
		n := (side + block - 1) / block // blocks, the last of which may be cut
		return (i*n + random.IntN(n)) / t.Grid * block
	}
	for range t.Times {
		for _, cell := range random.Perm(t.Grid * t.Grid) {
			from := image.Pt(at(cell/t.Grid, picture.Dx(), t.Block.X), at(cell%t.Grid, picture.Dy(), t.Block.Y))
			blocks = append(blocks, image.Rectangle{from, from.Add(t.Block)}.Intersect(picture))
		}
	}
	return blocks
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
