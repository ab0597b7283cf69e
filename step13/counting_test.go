package step13

import (
	"context"
	"fmt"
	"image"
	"math"
	"math/bits"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"raysteps/common/film"
	"raysteps/common/phase"
	"raysteps/common/scene"
	"raysteps/common/stats"
)

// What does it cost to count what the statistics of a render count, in ordinary
// memory of each worker and in memory that all of them write to? The experiment
// traces paths as a worker does, and counts in one of several ways.
var (
	counted      stats.Set
	cameraRays   = counted.Counter("Rays/Camera")
	scattered    = counted.Counter("Rays/Scattered")
	hits         = counted.Counter("Rays/Hits")
	testsPerRay  = counted.Ratio("Spheres/Tests per ray")
	positiveOnes = counted.Percentage("Spheres/Discriminants not negative")
	pathLength   = counted.IntDistribution("Paths/Rays")
)

// tally is where one worker counts.
type tally struct {
	shard  *stats.Shard
	shared *sharedTally
}

type sharedTally struct {
	camera, scattered, hits, tests, rays, positive, spheres, paths, length atomic.Int64
}

func (t *tally) ray(spheres, candidates int) {
	switch {
	case t.shard != nil:
		testsPerRay.Add(t.shard, int64(spheres), 1)
		positiveOnes.Add(t.shard, int64(candidates), int64(spheres))
	case t.shared != nil:
		t.shared.tests.Add(int64(spheres))
		t.shared.rays.Add(1)
		t.shared.positive.Add(int64(candidates))
		t.shared.spheres.Add(int64(spheres))
	}
}

func (t *tally) hit() {
	switch {
	case t.shard != nil:
		hits.Add(t.shard, 1)
	case t.shared != nil:
		t.shared.hits.Add(1)
	}
}

func (t *tally) scattered() {
	switch {
	case t.shard != nil:
		scattered.Add(t.shard, 1)
	case t.shared != nil:
		t.shared.scattered.Add(1)
	}
}

func (t *tally) path(rays int64) {
	switch {
	case t.shard != nil:
		cameraRays.Add(t.shard, 1)
		pathLength.Add(t.shard, rays)
	case t.shared != nil:
		t.shared.camera.Add(1)
		t.shared.paths.Add(1)
		t.shared.length.Add(rays)
	}
}

// trace is color without the colors.
func (t *tally) trace(w *worker, r Ray) {
	before := w.rays
	for depth := 0; ; depth++ {
		w.rays++
		closest, distance := w.pass.closest(&r, tMin, math.MaxFloat32)
		candidates := 0
		for _, word := range w.pass.candidates {
			candidates += bits.OnesCount64(word)
		}
		t.ray(w.world.Spheres.Len(), candidates)
		if closest < 0 {
			break
		}
		hit := w.world.hit(closest, &r, distance)
		t.hit()
		if depth >= len(w.attenuations) {
			break
		}
		next, attenuation, ok := hit.Material.Scatter(&r, hit, &w.rng)
		if !ok {
			break
		}
		t.scattered()
		w.attenuations[depth] = attenuation
		r = next
	}
	t.path(w.rays - before)
}

// pixels is worker.pixels with a tally.
func (t *tally) pixels(w *worker, r image.Rectangle) {
	invWidth, invHeight := 1/float32(w.film.Width), 1/float32(w.film.Height)
	for y := r.Max.Y - 1; y >= r.Min.Y; y-- {
		for x := r.Min.X; x < r.Max.X; x++ {
			for range w.settings.Samples {
				w.rng.FillPair()
				u, v := w.rng.Pair()
				t.trace(w, w.camera.Ray((u+float32(x))*invWidth, (v+float32(y))*invHeight, &w.rng))
			}
		}
	}
}

// countPicture traces a picture of a scene with a number of workers.
func countPicture(t *Tracer, workers int, newTally func() *tally) (rays int64) {
	s := settings(workers)
	s.Width, s.Height = 320, 192
	tiles := newTiling(s.Width, s.Height, t.tile)
	f := film.New(s.Width, s.Height)
	q := &queue{tiles: tiles.len()}
	all := make([]*worker, workers)
	together(workers, func(i int) {
		w, tally := newWorker(t, f, &tiles, s), newTally()
		defer tally.shard.Close()
		for tile, ok := q.take(); ok; tile, ok = q.take() {
			w.rng = seeds(tile)
			tally.pixels(w, tiles.pixels(tile))
		}
		all[i] = w
	})
	for _, w := range all {
		rays += w.rays
	}
	return rays
}

// BenchmarkCounting traces a picture of 320 x 192 pixels of the small scene,
// where there is the least other work, and counts about seven numbers a ray.
func BenchmarkCounting(b *testing.B) {
	t := New(scene.Small())
	for _, workers := range []int{1, 2} {
		for _, how := range []string{"nothing", "shards", "atomics"} {
			b.Run(fmt.Sprintf("workers=%d/how=%s", workers, how), func(b *testing.B) {
				rays := int64(0)
				for b.Loop() {
					run, shared := counted.NewRun(), new(sharedTally)
					rays += countPicture(t, workers, func() *tally {
						switch how {
						case "shards":
							return &tally{shard: run.NewShard()}
						case "atomics":
							return &tally{shared: shared}
						}
						return new(tally)
					})
				}
				b.ReportMetric(float64(rays)/b.Elapsed().Seconds(), "rays/s")
			})
		}
	}
}

// Both ways count the same.
func TestCounting(t *testing.T) {
	tracer := New(scene.Small())
	run, shared := counted.NewRun(), new(sharedTally)
	rays := countPicture(tracer, 2, func() *tally { return &tally{shard: run.NewShard()} })
	assert.Equal(t, rays, countPicture(tracer, 2, func() *tally { return &tally{shared: shared} }))
	report := run.Report()
	assert.Zero(t, report.LostUpdates)
	assert.Equal(t, stats.Count(320*192*4), report.Value("Rays/Camera"))
	assert.Equal(t, stats.Count(rays-320*192*4), report.Value("Rays/Scattered"))
	assert.Equal(t, stats.Count(shared.hits.Load()), report.Value("Rays/Hits"))
	assert.Equal(t, stats.Quotient{Numerator: 5 * rays, Denominator: rays}, report.Value("Spheres/Tests per ray"))
	assert.Equal(t, stats.Share{Part: shared.positive.Load(), Whole: shared.spheres.Load()}, report.Value("Spheres/Discriminants not negative"))
	assert.Equal(t, shared.camera.Load(), shared.paths.Load())
	assert.Equal(t, rays, shared.length.Load())
}

// BenchmarkPhases renders the small scene with the profiler of phases and
// without.
func BenchmarkPhases(b *testing.B) {
	t := New(scene.Small())
	s := settings(2)
	s.Width, s.Height = 320, 192
	f := film.New(s.Width, s.Height)
	for _, profiler := range []string{"off", "on"} {
		b.Run("profiler="+profiler, func(b *testing.B) {
			if profiler == "on" {
				p, err := phase.Start()
				if err != nil {
					b.Skip(err) // with -cpuprofile
				}
				defer p.Stop()
			}
			rays := int64(0)
			for b.Loop() {
				phase.Do(b.Context(), "Render", func(ctx context.Context) {
					n, err := t.RenderContext(ctx, f, s)
					if err != nil {
						b.Fatal(err)
					}
					rays += n
				})
			}
			b.ReportMetric(float64(rays)/b.Elapsed().Seconds(), "rays/s")
		})
	}
}

// shareTime is how long a scene is rendered at the least: 100 samples of the
// profiler, however short a benchmark is asked for.
const shareTime = time.Second

// BenchmarkShares reports where the processor time of a render goes, in percent.
// Random numbers are drawn for cameras and materials, and count for these as
// well.
func BenchmarkShares(b *testing.B) {
	marks := []phase.Mark{
		phase.Func("camera", (*Camera).Ray),
		phase.Func("kernel", (*firstPass).closest, closestGeneric),
		phase.Func("hit", (*World).hit),
		phase.Func("scattering", (*Material).Scatter),
		phase.Func("random", (*RNG).Float32, (*RNG).FillPair, (*RNG).Pair, (*RNG).FillBall, (*RNG).InUnitBall, (*RNG).InUnitDisk),
	}
	s := settings(1)
	s.Width, s.Height = 320, 192
	f := film.New(s.Width, s.Height)
	for _, sc := range scenes() {
		b.Run("scene="+sc.Name, func(b *testing.B) {
			t := New(sc)
			p, err := phase.Start()
			if err != nil {
				b.Skip(err) // with -cpuprofile
			}
			start := time.Now()
			for b.Loop() {
				t.Render(f, s)
			}
			for time.Since(start) < shareTime {
				t.Render(f, s)
			}
			profile, err := p.Stop()
			if err != nil {
				b.Fatal(err)
			}
			report, err := phase.Read(profile, marks...)
			if err != nil {
				b.Fatal(err)
			}
			if report.Samples == 0 {
				b.Skip("too short for a sample")
			}
			percent := map[string]float64{}
			var add func(phases []*phase.Phase)
			add = func(phases []*phase.Phase) {
				for _, p := range phases {
					percent[p.Name] += 100 * p.Share
					add(p.Phases)
				}
			}
			add(report.Phases)
			b.ReportMetric(percent["camera"], "camera-percent")
			b.ReportMetric(percent["kernel"], "kernel-percent")
			b.ReportMetric(percent["hit"], "hit-percent")
			b.ReportMetric(percent["scattering"], "scattering-percent")
			b.ReportMetric(percent["random"], "random-percent")
			b.ReportMetric(100-percent["camera"]-percent["kernel"]-percent["hit"]-percent["scattering"], "rest-percent")
			b.ReportMetric(0, "ns/op")
		})
	}
}
