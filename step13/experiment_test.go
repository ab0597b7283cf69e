package step13

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"raysteps/common"
	"raysteps/common/film"
	"raysteps/common/mem"
	"raysteps/common/scene"
)

// BenchmarkWorkers renders pictures of ten samples with one worker, two, four and so on, up to
// as many as the machine has processors, and BenchmarkTiles pictures of one sample with tiles
// of several sizes and all workers. They run with
//
//	go run ./scripts/bench -experiments Workers,Tiles -step 13
func BenchmarkWorkers(b *testing.B) {
	all := runtime.NumCPU()
	if all < 4 {
		b.Skip("not measured: one worker and two are steps 12 and 13")
	}
	for _, sc := range scenes() {
		for workers := 1; workers < 2*all; workers *= 2 {
			n := min(workers, all)
			b.Run(fmt.Sprintf("scene=%s/workers=%d", sc.Name, n), func(b *testing.B) { benchmarkTiles(b, sc, 32, n, 10) })
		}
	}
}

func BenchmarkTiles(b *testing.B) {
	for _, sc := range scenes() {
		for _, size := range []int{8, 32, 128} {
			b.Run(fmt.Sprintf("scene=%s/tile=%d", sc.Name, size), func(b *testing.B) { benchmarkTiles(b, sc, size, runtime.NumCPU(), 1) })
		}
	}
}

// benchmarkTiles renders the whole picture as Render does. With one sample per pixel it
// has as many tiles as with more.
func benchmarkTiles(b *testing.B, sc *scene.Scene, size, workers, samples int) {
	tracer, s := New(sc), common.Default()
	s.Samples, s.Workers = samples, workers
	f := film.New(s.Width, s.Height)
	var rays atomic.Int64
	for b.Loop() {
		camera := NewCamera(&tracer.camera, float32(f.Width)/float32(f.Height))
		tiles := tilesOf(f.Width, f.Height, size)
		taken := mem.NewIsolated[atomic.Int64]()
		together(workers, func(int) {
			w := newWorker(&camera, tracer.world, s)
			for {
				tile := int(taken.Add(1)) - 1
				if tile >= len(tiles) {
					break
				}
				w.rng = seeds(tile)
				w.render(f.Window(tiles[tile]), s)
			}
			rays.Add(w.rays)
		})
	}
	rate := float64(rays.Load()) / b.Elapsed().Seconds()
	b.ReportMetric(rate, "rays/s")
	b.ReportMetric(rate/float64(workers), "rays/s/worker")
}

// together runs a function on a number of goroutines and waits for all.
func together(workers int, f func(worker int)) {
	var wg sync.WaitGroup
	for i := range workers {
		wg.Go(func() { f(i) })
	}
	wg.Wait()
}

func scenes() []*scene.Scene { return []*scene.Scene{scene.Small(), scene.Medium(), scene.Large()} }

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
