// Launcher is one launch of a measurement: a process that renders slices when
// it is told to. scripts/bench links it once for each link order, starts it, and
// hands out the turns; nobody else runs it.
//
// Requests are lines on standard input, and each is answered by one line that
// begins with ok or error:
//
//	clear                                                ok
//	prepare VARIANT SCENE WIDTH HEIGHT SAMPLES WORKERS   ok ID RAYS MD5 KERNEL
//	turn ID NANOSECONDS                                  ok RENDERS RAYS NANOSECONDS COUNTERS...
//	repeat ID NANOSECONDS                                ok RAYS MD5 GOROUTINES
//	full ID WIDTH HEIGHT SAMPLES NANOSECONDS             ok RAYS NANOSECONDS RAYS-OF-SLICES NANOSECONDS-OF-SLICES
//	profile NANOSECONDS FILE                             ok
//
// The file variants.go, which says what can be measured, is written for each
// measurement by scripts/bench and put in place by an overlay of the go command.
package main

import (
	"bufio"
	"crypto/md5"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"slices"
	"strconv"
	"strings"
	"time"

	"raysteps/common"
	"raysteps/common/film"
	"raysteps/common/scene"
)

// variants are what can be measured, by name.
var variants = map[string]func(*scene.Scene) common.Tracer{}

// manySpheres returns a scene of so many spheres. It is nil where a revision is
// measured that has no such scenes.
var manySpheres func(n int) *scene.Scene

// slice is a picture that is rendered again and again.
type slice struct {
	tracer   common.Tracer
	film     *film.Film
	settings common.Settings
	warmUp   *film.Film // rendered before what counts, no larger than film
}

// render renders a picture of the slice's settings, but of the size of f.
func (s *slice) render(f *film.Film) int64 {
	settings := s.settings
	settings.Width, settings.Height = f.Width, f.Height
	return s.tracer.Render(f, settings)
}

type launch struct {
	slices   []slice
	counters *counters // nil without
	padding  [][]byte  // keeps the memory between tracers from being used for others
	live     uint64    // bytes of the heap that the last collection left
}

func main() {
	l := &launch{}
	if len(os.Args) > 1 && os.Args[1] == "-counters" {
		// Counters are those of a thread.
		runtime.LockOSThread()
		var err error
		if l.counters, err = openCounters(processorEvents); err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
	}
	// Nothing is collected in a turn, but a tracer that leaves too much garbage in
	// one must not take all memory.
	debug.SetMemoryLimit(4 * collectAbove)
	fmt.Println("ok")
	l.serve(os.Stdin, os.Stdout)
}

// serve answers requests to the end of the input.
func (l *launch) serve(in io.Reader, out io.Writer) {
	debug.SetGCPercent(-1) // see turn
	requests := bufio.NewScanner(in)
	for requests.Scan() {
		answer, err := l.answer(requests.Text())
		if err != nil {
			answer = "error " + err.Error()
		}
		fmt.Fprintln(out, answer)
	}
}

func (l *launch) answer(request string) (string, error) {
	word, rest, _ := strings.Cut(request, " ")
	switch word {
	case "clear":
		l.slices = nil
		return "ok", nil
	case "prepare":
		return l.prepare(rest)
	case "profile":
		return "ok", l.profile(rest)
	case "turn", "repeat", "full":
	default:
		return "", fmt.Errorf("unknown request %q", request)
	}
	var id, width, height, samples int
	var atLeast time.Duration
	arguments := []any{&id, &atLeast}
	if word == "full" {
		arguments = []any{&id, &width, &height, &samples, &atLeast}
	}
	if _, err := fmt.Sscan(rest, arguments...); err != nil {
		return "", err
	}
	if id < 0 || id >= len(l.slices) {
		return "", fmt.Errorf("no slice %d", id)
	}
	switch sl := &l.slices[id]; word {
	case "turn":
		return l.turn(sl, atLeast)
	case "repeat":
		return sl.repeat(atLeast)
	default:
		return sl.full(width, height, samples, atLeast)
	}
}

// prepare makes a tracer and renders its picture once.
func (l *launch) prepare(arguments string) (string, error) {
	var variant, sceneName string
	var s common.Settings
	if _, err := fmt.Sscan(arguments, &variant, &sceneName, &s.Width, &s.Height, &s.Samples, &s.Workers); err != nil {
		return "", err
	}
	s.Bounces = common.Default().Bounces
	newTracer, ok := variants[variant]
	if !ok {
		return "", fmt.Errorf("unknown variant %q", variant)
	}
	var sc *scene.Scene
	if n, ok := strings.CutPrefix(sceneName, "spheres="); ok && manySpheres != nil {
		count, err := strconv.Atoi(n)
		if err != nil {
			return "", err
		}
		sc = manySpheres(count)
	} else {
		var err error
		if sc, err = scene.ByName(sceneName); err != nil {
			return "", err
		}
	}
	// Where data lie in memory has an effect of its own, which is averaged out
	// over launches only if it differs.
	l.padding = append(l.padding, make([]byte, 64*rand.IntN(64)))
	sl := slice{newTracer(sc), film.New(s.Width, s.Height), s, film.New(min(s.Width, 64), min(s.Height, 36))}
	l.slices = append(l.slices, sl)
	rays := sl.render(sl.film)
	hash, err := sl.hash()
	if err != nil {
		return "", err
	}
	kernel := "-"
	if k, ok := sl.tracer.(interface{ Kernel() string }); ok {
		kernel = k.Kernel()
	}
	return fmt.Sprintf("ok %d %d %s %s", len(l.slices)-1, rays, hash, kernel), nil
}

// hash returns the MD5 of the picture as a TGA file.
func (s *slice) hash() (string, error) {
	hash := md5.New()
	if err := s.film.WriteTGA(hash); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", hash.Sum(nil)), nil
}

// repeat renders a picture again and again for at least some time. It returns
// the rays and the hash of the last one, and how many goroutines there were
// besides the one that asked for the picture: the median of samples, so that a
// moment in which the last ones end and the next begin does not count.
func (sl *slice) repeat(atLeast time.Duration) (string, error) {
	others := runtime.NumGoroutine() + 1 // and the one that counts
	stop, counted := make(chan struct{}), make(chan []int)
	go func() {
		var counts []int
		for {
			counts = append(counts, runtime.NumGoroutine()-others)
			select {
			case <-stop:
				counted <- counts
				return
			case <-time.After(100 * time.Microsecond):
			}
		}
	}()
	var rays int64
	for start := time.Now(); rays == 0 || time.Since(start) < atLeast; {
		rays = sl.tracer.Render(sl.film, sl.settings)
	}
	close(stop)
	counts := <-counted
	hash, err := sl.hash()
	if err != nil {
		return "", err
	}
	slices.Sort(counts)
	return fmt.Sprintf("ok %d %s %d", rays, hash, counts[len(counts)/2]), nil
}

// collectAbove is how much the heap grows, in bytes, until a turn begins with a
// collection of garbage. Steps allocate a few kilobytes a render, and what they
// make of a scene takes up to half a gigabyte, which a collection has to look through.
const collectAbove = 256 << 20

// turn renders a picture without counting it, so that caches and predictors are
// those of this variant, and then the slice's picture again and again for at least
// some time, but once at the least. Nothing is collected in that time.
func (l *launch) turn(sl *slice, atLeast time.Duration) (string, error) {
	var memory runtime.MemStats
	if runtime.ReadMemStats(&memory); memory.HeapAlloc > l.live+collectAbove {
		runtime.GC()
		runtime.ReadMemStats(&memory)
		l.live = memory.HeapAlloc
	}
	sl.render(sl.warmUp)

	if err := l.counters.reset(); err != nil {
		return "", err
	}
	renders, rays := 0, int64(0)
	start := time.Now()
	took := time.Duration(0)
	for renders == 0 || took < atLeast {
		rays += sl.render(sl.film)
		renders++
		took = time.Since(start)
	}
	counted, err := l.counters.read()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "ok %d %d %d", renders, rays, took.Nanoseconds())
	for _, n := range counted {
		fmt.Fprintf(&b, " %d", n)
	}
	return b.String(), nil
}

// full renders one picture of another size, between slices, with the same tracer:
// another one would have its data in another place, which can make a difference of
// some percent. It returns the rays and the time of both.
func (sl *slice) full(width, height, samples int, beside time.Duration) (string, error) {
	var sliceRays int64
	var sliceTime time.Duration
	slices := func() {
		sl.render(sl.warmUp)
		start := time.Now()
		for time.Since(start) < beside {
			sliceRays += sl.render(sl.film)
		}
		sliceTime += time.Since(start)
	}

	f := film.New(width, height)
	for y := range height {
		for x := range width {
			f.Set(x, y, 0, 0, 0, 1) // or the system would hand out its memory while the clock runs
		}
	}
	s := sl.settings
	s.Width, s.Height, s.Samples = width, height, samples
	slices()
	start := time.Now()
	rays := sl.tracer.Render(f, s)
	took := time.Since(start)
	slices()
	return fmt.Sprintf("ok %d %d %d %d", rays, took.Nanoseconds(), sliceRays, sliceTime.Nanoseconds()), nil
}

// profile writes a CPU profile in which each slice has a turn.
func (l *launch) profile(arguments string) error {
	nanoseconds, name, _ := strings.Cut(arguments, " ")
	atLeast, err := strconv.Atoi(nanoseconds)
	if err != nil {
		return err
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := pprof.StartCPUProfile(f); err != nil {
		return err
	}
	for i := range l.slices {
		if _, err := l.turn(&l.slices[i], time.Duration(atLeast)); err != nil {
			return err
		}
	}
	pprof.StopCPUProfile()
	return f.Close()
}
