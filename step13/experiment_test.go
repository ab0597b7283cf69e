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
// as many as the machine has processors, and BenchmarkNeighbors pictures of one sample with
// two, which are isolated as in Render, or neighbors in a slice. They run with
//
//	go run ./scripts/bench -experiments Workers,Neighbors -step 13
func BenchmarkWorkers(b *testing.B) {
	all := runtime.NumCPU()
	if all < 4 {
		b.Skip("not measured: one worker and two are steps 12 and 13")
	}
	for _, sc := range scenes() {
		for workers := 1; workers < 2*all; workers *= 2 {
			n := min(workers, all)
			b.Run(fmt.Sprintf("scene=%s/workers=%d", sc.Name, n), func(b *testing.B) { benchmarkWorkers(b, sc, n, 10, false) })
		}
	}
}

func BenchmarkNeighbors(b *testing.B) {
	for _, sc := range scenes() {
		for _, isolated := range []string{"yes", "no"} {
			b.Run(fmt.Sprintf("scene=%s/isolated=%s", sc.Name, isolated), func(b *testing.B) { benchmarkWorkers(b, sc, 2, 1, isolated == "no") })
		}
	}
}

// benchmarkWorkers renders the whole picture as Render does, but may have the workers lie
// one behind the other. What their hit tests write stays isolated.
func benchmarkWorkers(b *testing.B, sc *scene.Scene, workers, samples int, neighbors bool) {
	tracer, s := New(sc), common.Default()
	s.Samples, s.Workers = samples, workers
	f := film.New(s.Width, s.Height)
	var rays atomic.Int64
	for b.Loop() {
		camera := NewCamera(&tracer.camera, float32(f.Width)/float32(f.Height))
		tiles := tilesOf(f.Width, f.Height, tileSize)
		taken := mem.NewIsolated[atomic.Int64]()
		row := make([]worker, workers)
		together(workers, func(i int) {
			w := newWorker(&camera, tracer.world, s)
			if neighbors {
				row[i] = *w
				w = &row[i]
			}
			for {
				tile := int(taken.Add(1)) - 1
				if tile >= len(tiles) {
					break
				}
				w.rng = TileRNG(tile)
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
