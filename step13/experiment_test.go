package step13

import (
	"flag"
	"fmt"
	"image"
	"runtime"
	"runtime/trace"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/sync/errgroup"

	"raysteps/common/film"
	"raysteps/common/mem"
	"raysteps/common/scene"
	"raysteps/common/steptest"
)

var (
	workersFlag = flag.String("workers", "1,"+strconv.Itoa(runtime.NumCPU()), "numbers of workers for BenchmarkSweep")
	tilesFlag   = flag.String("tiles", "32", "sides of tiles for BenchmarkSweep")
)

// BenchmarkSweep renders with every number of workers of the flag -workers and
// with tiles of every size of the flag -tiles. It runs with
//
//	go run ./scripts/bench -step 13 -workers 1,2,4
//	go run ./scripts/bench -step 13 -tiles 8,16,32,64,128
func BenchmarkSweep(b *testing.B) {
	s := steptest.BenchSettings(b)
	steptest.Describe(s, New(scene.Small()))
	for _, sc := range scenes() {
		for _, size := range numbers(b, "tiles", *tilesFlag) {
			for _, workers := range numbers(b, "workers", *workersFlag) {
				b.Run(fmt.Sprintf("scene=%s/tile=%d/workers=%d", sc.Name, size, workers), func(b *testing.B) {
					tracer := New(sc)
					tracer.tile = image.Pt(size, size)
					s := s
					s.Workers = workers
					f := film.New(s.Width, s.Height)
					rays := int64(0)
					for b.Loop() {
						rays += tracer.Render(f, s)
					}
					b.ReportMetric(float64(rays)/b.Elapsed().Seconds(), "rays/s")
				})
			}
		}
	}
}

func numbers(b *testing.B, name, list string) []int {
	var numbers []int
	for item := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(item))
		if err != nil || n < 1 {
			b.Fatalf("-%s is %q; want positive numbers such as 1,2,4", name, list)
		}
		if !slices.Contains(numbers, n) {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

// together runs a function on a number of goroutines and waits for all.
func together(workers int, f func(worker int)) {
	var wg sync.WaitGroup
	for i := range workers {
		wg.Go(func() { f(i) })
	}
	wg.Wait()
}

// handOuts are ways to hand n tiles out to workers.
var handOuts = []struct {
	name string
	run  func(n, workers int, work func(worker, tile int))
}{
	{"counter", func(n, workers int, work func(worker, tile int)) {
		var taken atomic.Int64
		together(workers, func(w int) {
			for tile := int(taken.Add(1)) - 1; tile < n; tile = int(taken.Add(1)) - 1 {
				work(w, tile)
			}
		})
	}},
	{"channel", func(n, workers int, work func(worker, tile int)) {
		tiles := make(chan int)
		var wg sync.WaitGroup
		wg.Go(func() {
			for tile := range n {
				tiles <- tile
			}
			close(tiles)
		})
		together(workers, func(w int) {
			for tile := range tiles {
				work(w, tile)
			}
		})
		wg.Wait()
	}},
	{"buffered", func(n, workers int, work func(worker, tile int)) {
		tiles := make(chan int, n)
		for tile := range n {
			tiles <- tile
		}
		close(tiles)
		together(workers, func(w int) {
			for tile := range tiles {
				work(w, tile)
			}
		})
	}},
	// A goroutine a tile, and no more than so many at a time. A goroutine takes
	// a worker's memory from a channel and puts it back.
	{"errgroup", func(n, workers int, work func(worker, tile int)) {
		free := make(chan int, workers)
		for w := range workers {
			free <- w
		}
		var g errgroup.Group
		g.SetLimit(workers)
		for tile := range n {
			g.Go(func() error {
				w := <-free
				work(w, tile)
				free <- w
				return nil
			})
		}
		if err := g.Wait(); err != nil {
			panic(err)
		}
	}},
	{"parts", func(n, workers int, work func(worker, tile int)) {
		together(workers, func(w int) {
			for tile := w * n / workers; tile < (w+1)*n/workers; tile++ {
				work(w, tile)
			}
		})
	}},
}

// BenchmarkHandOut renders with two workers, with tiles handed out in each of the
// ways above. An operation is a picture of 320 x 192 pixels of the medium scene, 60
// tiles or 192 rows.
func BenchmarkHandOut(b *testing.B) {
	s := settings(2)
	s.Width, s.Height, s.Samples = 320, 192, 2
	t := New(scene.Medium())
	render := func(b *testing.B, size image.Point, run func(n, workers int, work func(worker, tile int))) {
		f := film.New(s.Width, s.Height)
		tiles := tilesOf(s.Width, s.Height, size)
		for b.Loop() {
			workers := []*worker{workerOf(t, s), workerOf(t, s)}
			run(len(tiles), len(workers), func(worker, tile int) {
				workers[worker].rng = seeds(tile)
				workers[worker].render(f, s, tiles[tile])
			})
		}
	}
	for _, h := range handOuts {
		b.Run("by="+h.name, func(b *testing.B) { render(b, t.tile, h.run) })
	}
	b.Run("by=rows", func(b *testing.B) { render(b, image.Pt(s.Width, 1), handOuts[0].run) })
}

// BenchmarkTimeline renders a picture of 320 x 192 pixels of the medium scene,
// 60 tiles, and logs the end of each tile for an execution trace:
//
//	go test -run '^$' -bench Timeline -benchtime 1x -trimpath -trace trace.out ./step13
//	go tool trace trace.out
func BenchmarkTimeline(b *testing.B) {
	s := settings(runtime.GOMAXPROCS(0))
	s.Width, s.Height, s.Samples = 320, 192, 10
	t := New(scene.Medium())
	f := film.New(s.Width, s.Height)
	f.Progress = func(int) { trace.Log(b.Context(), "tile", "done") }
	for b.Loop() {
		t.Render(f, s)
	}
}

// BenchmarkCollector says how often the garbage collector runs during a render.
// An operation is a picture of 320 x 192 pixels.
func BenchmarkCollector(b *testing.B) {
	s := settings(2)
	s.Width, s.Height = 320, 192
	f := film.New(s.Width, s.Height)
	for _, sc := range scenes() {
		b.Run("scene="+sc.Name, func(b *testing.B) {
			t := New(sc)
			b.ReportAllocs()
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			rays := int64(0)
			for b.Loop() {
				rays += t.Render(f, s)
			}
			runtime.ReadMemStats(&after)
			b.ReportMetric(float64(rays)/float64(b.N), "rays/op")
			b.ReportMetric(float64(after.NumGC-before.NumGC)/float64(b.N), "GCs/op")
		})
	}
}

// BenchmarkSharing draws random numbers and counts them, on one goroutine and on
// two. The two write to neighboring words, in one cache line or in two.
func BenchmarkSharing(b *testing.B) {
	type state struct {
		random uint32
		count  int64
	}
	draw := func(s *state, n int) {
		for range n {
			s.random = xorshift(s.random)
			s.count++
		}
	}
	run := func(b *testing.B, states ...*state) {
		for i, s := range states {
			*s = state{random: uint32(i + 1)}
		}
		b.ResetTimer()
		together(len(states), func(i int) { draw(states[i], b.N) })
		for i, s := range states {
			if s.count != int64(b.N) {
				b.Fatalf("goroutine %d counted %d; want %d", i, s.count, b.N)
			}
		}
	}
	b.Run("goroutines=1/lines=1", func(b *testing.B) { run(b, new(state)) })
	b.Run("goroutines=2/lines=1", func(b *testing.B) {
		two := mem.Isolated[state](2)
		run(b, &two[0], &two[1])
	})
	b.Run("goroutines=2/lines=2", func(b *testing.B) {
		run(b, &mem.Isolated[state](1)[0], &mem.Isolated[state](1)[0])
	})
}
