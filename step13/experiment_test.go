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

// handOuts are ways to hand n tiles out to workers. None does anything with the
// tiles but what work does.
var handOuts = []struct {
	name string
	run  func(n, workers int, work func(worker, tile int))
}{
	{"counter", func(n, workers int, work func(worker, tile int)) {
		q := &queue{tiles: n}
		together(workers, func(w int) {
			for tile, ok := q.take(); ok; tile, ok = q.take() {
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

// BenchmarkTake hands out tiles that are no work. An operation is a tile.
func BenchmarkTake(b *testing.B) {
	for _, h := range handOuts[:4] {
		for _, workers := range []int{1, 2} {
			b.Run(fmt.Sprintf("by=%s/workers=%d", h.name, workers), func(b *testing.B) {
				const n = 1000
				for left := b.N; left > 0; left -= n {
					h.run(min(n, left), workers, func(int, int) {})
				}
			})
		}
	}
}

// BenchmarkHandOut renders with two workers, with tiles handed out in several
// ways. An operation is a picture of 320 x 192 pixels of the medium scene, 60
// tiles or 192 rows.
func BenchmarkHandOut(b *testing.B) {
	s := settings(2)
	s.Width, s.Height, s.Samples = 320, 192, 2
	t := New(scene.Medium())
	render := func(b *testing.B, tiles tiling, run func(n, workers int, work func(worker, tile int))) {
		f := film.New(s.Width, s.Height)
		for b.Loop() {
			workers := []*worker{newWorker(t, f, &tiles, s), newWorker(t, f, &tiles, s)}
			run(tiles.len(), len(workers), func(worker, tile int) { workers[worker].render(tile) })
		}
	}
	for _, h := range handOuts {
		b.Run("by="+h.name, func(b *testing.B) { render(b, newTiling(s.Width, s.Height, t.tile), h.run) })
	}
	b.Run("by=rows", func(b *testing.B) { render(b, newTiling(s.Width, s.Height, image.Pt(s.Width, 1)), handOuts[0].run) })
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

// BenchmarkFilm sets the pixels of a picture tile by tile, on one goroutine and
// on two that take tiles by turns, in three layouts of memory: rows that start
// on cache lines, as a film has them; rows one right after the other, of a
// width at which neighboring tiles share lines; and blocks. An operation is a
// picture.
func BenchmarkFilm(b *testing.B) {
	const width, height = 1277, 719
	const stride = (width + 15) / 16 * 16
	aligned := mem.Aligned[Vec3](stride*height, mem.CacheLine)
	packed := mem.Aligned[Vec3](width*height, mem.CacheLine)
	blocked := mem.NewBlocked[Vec3](width, height, 32)
	for _, size := range []int{8, 32} {
		tiles := newTiling(width, height, image.Pt(size, size))
		for _, layout := range []struct {
			name string
			set  func(x, y int, c Vec3)
		}{
			{"lines", func(x, y int, c Vec3) { aligned[y*stride+x] = c }},
			{"packed", func(x, y int, c Vec3) { packed[y*width+x] = c }},
			{"blocked", func(x, y int, c Vec3) { blocked.Set(x, y, c) }},
		} {
			for _, goroutines := range []int{1, 2} {
				b.Run(fmt.Sprintf("tile=%d/layout=%s/goroutines=%d", size, layout.name, goroutines), func(b *testing.B) {
					for b.Loop() {
						together(goroutines, func(first int) {
							for tile := first; tile < tiles.len(); tile += goroutines {
								pixels := tiles.pixels(tile)
								for y := pixels.Max.Y - 1; y >= pixels.Min.Y; y-- {
									for x := pixels.Min.X; x < pixels.Max.X; x++ {
										layout.set(x, y, Vec3{1, 2, 3})
									}
								}
							}
						})
					}
				})
			}
		}
	}
}
