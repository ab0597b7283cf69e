package step13

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"raysteps/common"
	"raysteps/common/film"
	"raysteps/common/mem"
	"raysteps/common/scene"
)

// BenchmarkWorkers renders with one worker, two, four and so on, up to as many as
// the machine has processors, and BenchmarkTiles with tiles of several sizes and all
// of them. They run with
//
//	go run ./scripts/bench -experiments Workers,Tiles,Tail,Paths -step 13
func BenchmarkWorkers(b *testing.B) {
	all := runtime.NumCPU()
	if all < 4 {
		b.Skip("not measured: one worker and two are steps 12 and 13")
	}
	for _, sc := range scenes() {
		for workers := 1; workers < all; workers *= 2 {
			b.Run(fmt.Sprintf("scene=%s/workers=%d", sc.Name, workers), func(b *testing.B) { benchmarkTiles(b, sc, 32, workers) })
		}
		b.Run(fmt.Sprintf("scene=%s/workers=%d", sc.Name, all), func(b *testing.B) { benchmarkTiles(b, sc, 32, all) })
	}
}

func BenchmarkTiles(b *testing.B) {
	for _, sc := range scenes() {
		for _, size := range []int{8, 32, 128} {
			b.Run(fmt.Sprintf("scene=%s/tile=%d", sc.Name, size), func(b *testing.B) { benchmarkTiles(b, sc, size, runtime.NumCPU()) })
		}
	}
}

// benchmarkTiles renders the whole picture as Render does, with one sample a pixel,
// which has as many tiles as one with more.
func benchmarkTiles(b *testing.B, sc *scene.Scene, size, workers int) {
	tracer, s := New(sc), common.Default()
	s.Samples, s.Workers = 1, workers
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

// BenchmarkTail says what would be left if nothing but the end were lost: the tiles of a
// picture are given to any number of workers as Render does, and each takes the time
// that one worker took. It needs no processors, so it goes on where a machine ends.
func BenchmarkTail(b *testing.B) {
	for _, sc := range scenes() {
		for workers := 1; workers <= 512; workers *= 2 {
			b.Run(fmt.Sprintf("scene=%s/workers=%d", sc.Name, workers), func(b *testing.B) {
				cost := costs()[sc.Name]
				var end time.Duration
				for b.Loop() {
					end = makespan(cost.tiles, workers)
				}
				b.ReportMetric(float64(cost.rays)/end.Seconds()/float64(workers), "rays/s/worker")
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// makespan returns when the last of some workers is done, each of which takes the next
// tile as soon as it has none.
func makespan(tiles []time.Duration, workers int) time.Duration {
	done := make([]time.Duration, workers)
	for _, t := range tiles {
		done[slices.Index(done, slices.Min(done))] += t
	}
	return slices.Max(done)
}

type cost struct {
	tiles []time.Duration
	rays  int64
}

// costs returns what the tiles of the pictures take one worker, with two samples a
// pixel: the shortest time of three, since others are interrupted.
var costs = sync.OnceValue(func() map[string]cost {
	all := map[string]cost{}
	for _, sc := range scenes() {
		t, s := New(sc), common.Default()
		s.Samples = 2
		f := film.New(s.Width, s.Height)
		camera := NewCamera(&t.camera, float32(f.Width)/float32(f.Height))
		tiles := tilesOf(f.Width, f.Height, tileSize)
		c := cost{tiles: make([]time.Duration, len(tiles))}
		for round := range 3 {
			w := newWorker(&camera, t.world, s)
			for i, tile := range tiles {
				start := time.Now()
				w.rng = seeds(i)
				w.render(f.Window(tile), s)
				if spent := time.Since(start); round == 0 || spent < c.tiles[i] {
					c.tiles[i] = spent
				}
			}
			c.rays = w.rays
		}
		all[sc.Name] = c
	}
	return all
})

// TestMakespan: of tiles of 1 to 5 two workers take 1, 3, 5 and 2, 4.
func TestMakespan(t *testing.T) {
	require.Equal(t, time.Duration(9), makespan([]time.Duration{1, 2, 3, 4, 5}, 2))
	require.Equal(t, time.Duration(5), makespan([]time.Duration{1, 2, 3, 4, 5}, 8))
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

// A path has random numbers of its own.
type path struct {
	rng          RNG
	ray          Ray
	closest      int
	distance     float32
	attenuations []Vec3 // so far
	pixel        int
}

const width, pixels = 48, 48 * 27 // of the picture of Paths

var pathSettings = common.Settings{Width: width, Height: pixels / width, Bounces: 50}

// from returns the ray through a pixel.
func (w *worker) from(pixel int, rng *RNG) Ray {
	w.view.At(pixel%width, pixel/width)
	w.view.Discard() // of another path
	return w.view.Ray(rng)
}

// next goes on from a hit test, and reports whether the path does.
func (w *worker) next(p *path, sum *Vec3) bool {
	if p.closest < 0 {
		color := sky(&p.ray)
		for i := len(p.attenuations) - 1; i >= 0; i-- {
			color = p.attenuations[i].Mul(color)
		}
		*sum = sum.Add(color)
		return false
	}
	hit := w.world.hit(p.closest, &p.ray, p.distance)
	if len(p.attenuations) == 50 {
		return false
	}
	scattered, attenuation, ok := hit.Material.Scatter(&p.ray, hit, &p.rng)
	p.ray, p.attenuations = scattered, append(p.attenuations, attenuation)
	return ok
}

// underWay traces a picture with n paths under way: the hit tests of all, then what each
// of them does next. The first takes pixels 0, n, 2n and so on.
func (w *worker) underWay(n int) (sum Vec3) {
	alive := make([]path, n)
	for i := range alive {
		alive[i] = path{rng: seeds(i), pixel: i, attenuations: make([]Vec3, 0, 51)}
		alive[i].ray = w.from(i, &alive[i].rng)
	}
	for len(alive) > 0 {
		for i := range alive {
			p := &alive[i]
			p.closest, p.distance = w.pass.closest(&p.ray, tMin, math.MaxFloat32)
		}
		w.rays += int64(len(alive))
		for i := len(alive) - 1; i >= 0; i-- {
			p := &alive[i]
			if w.next(p, &sum) {
				continue
			}
			if p.pixel += n; p.pixel < pixels {
				p.ray, p.attenuations = w.from(p.pixel, &p.rng), p.attenuations[:0]
			} else {
				last := len(alive) - 1
				alive[i], alive = alive[last], alive[:last]
			}
		}
	}
	return sum
}

// BenchmarkPaths traces with one path under way or two, on one core. The fastest picture of
// many counts, since others are interrupted.
func BenchmarkPaths(b *testing.B) {
	for _, sc := range scenes() {
		for _, n := range []int{1, 2} {
			b.Run(fmt.Sprintf("scene=%s/paths=%d", sc.Name, n), func(b *testing.B) {
				w, fastest := workerOf(New(sc), pathSettings), time.Duration(math.MaxInt64)
				for b.Loop() {
					start := time.Now()
					w.rays = 0
					w.underWay(n)
					fastest = min(fastest, time.Since(start))
				}
				b.ReportMetric(float64(w.rays)/fastest.Seconds(), "rays/s")
			})
		}
	}
}

// A path is what the step makes of it, whatever is under way beside it.
func TestPaths(t *testing.T) {
	for _, sc := range scenes() {
		for _, n := range []int{1, 2, 4} {
			w, step, want := workerOf(New(sc), pathSettings), workerOf(New(sc), pathSettings), Vec3{}
			for i := range n {
				step.rng = seeds(i)
				for pixel := i; pixel < pixels; pixel += n {
					want = want.Add(step.color(step.from(pixel, &step.rng)))
				}
			}
			sum := w.underWay(n)
			require.Equal(t, step.rays, w.rays, "%d in the %s scene", n, sc.Name)
			require.InEpsilon(t, want.X+want.Y+want.Z, sum.X+sum.Y+sum.Z, 1e-4)
		}
	}
}
