package step13

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"raysteps/common"
	"raysteps/common/scene"
)

// A path has random numbers of its own.
type path struct {
	rng          RNG
	ray          Ray
	closest      int
	distance     float32
	attenuations []Vec3 // so far
	pixel        int
}

const width, pixels = 48, 48 * 27 // of the experiment's picture

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

func workerOn(sc *scene.Scene) *worker {
	t := New(sc)
	camera := NewCamera(&t.camera, 16./9)
	w := newWorker(&camera, t.world, common.Default())
	w.view = NewView(camera, width, pixels/width)
	return w
}

// BenchmarkPaths traces with one path under way or two, on one core. The fastest picture of
// many counts, since others are interrupted.
func BenchmarkPaths(b *testing.B) {
	for _, sc := range scenes() {
		for _, n := range []int{1, 2} {
			b.Run(fmt.Sprintf("scene=%s/paths=%d", sc.Name, n), func(b *testing.B) {
				w, fastest := workerOn(sc), time.Duration(math.MaxInt64)
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
			w, step, want := workerOn(sc), workerOn(sc), Vec3{}
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
