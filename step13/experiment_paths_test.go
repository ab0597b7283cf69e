package step13

import (
	"fmt"
	"math"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"raysteps/common"
	"raysteps/common/film"
	"raysteps/common/scene"
)

// paths are so many under way in one loop, each with random numbers of its own: the hit
// tests of all, then what each of them does next.
type paths struct {
	*worker
	all           []path
	width, height int
	color         Vec3 // the sum over the picture
}

type path struct {
	rng          RNG
	ray          Ray
	closest      int
	distance     float32
	attenuations []Vec3 // so far
	pixel        int    // which of the picture
}

func newPaths(sc *scene.Scene, count, width, height int) *paths {
	tracer := New(sc)
	camera := NewCamera(&tracer.camera, float32(width)/float32(height))
	p := &paths{worker: newWorker(&camera, tracer.world, common.Settings{}), width: width, height: height, all: make([]path, count)}
	for i := range p.all {
		p.all[i] = path{rng: seeds(i), pixel: i, attenuations: make([]Vec3, 0, 50)}
	}
	return p
}

// render traces the pixels that are left. Of n paths the first takes pixels 0, n, 2n
// and so on.
func (p *paths) render() {
	n := len(p.all)
	alive := p.all
	for i := range alive {
		p.start(&alive[i])
	}
	for len(alive) > 0 {
		for i := range alive {
			a := &alive[i]
			a.closest, a.distance = p.pass.closest(&a.ray, tMin, math.MaxFloat32)
		}
		p.rays += int64(len(alive))
		for i := 0; i < len(alive); i++ {
			a := &alive[i]
			if p.next(a) {
				continue
			}
			if a.pixel += n; a.pixel < p.width*p.height {
				p.start(a)
				continue
			}
			last := len(alive) - 1
			alive[i], alive[last] = alive[last], alive[i]
			alive = alive[:last]
			i--
		}
	}
}

// start starts a path from the camera.
func (p *paths) start(a *path) {
	a.rng.FillPair()
	u, v := a.rng.Pair()
	a.attenuations = a.attenuations[:0]
	a.ray = p.camera.Ray((u+float32(a.pixel%p.width))/float32(p.width), (v+float32(a.pixel/p.width))/float32(p.height), &a.rng)
}

// next goes on from a hit test, and reports whether the path does.
func (p *paths) next(a *path) bool {
	if a.closest < 0 {
		color := sky(&a.ray)
		for _, attenuation := range a.attenuations {
			color = attenuation.Mul(color)
		}
		p.color = p.color.Add(color)
		return false
	}
	hit := p.world.hit(a.closest, &a.ray, a.distance)
	if len(a.attenuations) == cap(a.attenuations) {
		return false
	}
	scattered, attenuation, ok := hit.Material.Scatter(&a.ray, hit, &a.rng)
	if ok {
		a.ray, a.attenuations = scattered, append(a.attenuations, attenuation)
	}
	return ok
}

// BenchmarkPaths traces one path after the other, or several that are under way
// together, on one core.
func BenchmarkPaths(b *testing.B) {
	for _, sc := range scenes() {
		for _, n := range []int{1, 2, 4} {
			b.Run(fmt.Sprintf("scene=%s/paths=%d", sc.Name, n), func(b *testing.B) {
				rays := int64(0)
				for b.Loop() {
					p := newPaths(sc, n, 48, 27)
					p.render()
					rays += p.rays
				}
				b.ReportMetric(float64(rays)/b.Elapsed().Seconds(), "rays/s")
			})
		}
	}
}

// A path is the same whatever is under way beside it: the second of two traces what it
// traces alone.
func TestPaths(t *testing.T) {
	for _, sc := range scenes() {
		both, first, second := newPaths(sc, 2, 48, 27), newPaths(sc, 2, 48, 27), newPaths(sc, 2, 48, 27)
		for _, alone := range []struct {
			*paths
			other int
		}{{first, 1}, {second, 0}} {
			alone.all[alone.other].pixel = both.width*both.height - 2 + alone.other // its last
		}
		both.render()
		first.render()
		second.render()
		last := newPaths(sc, 2, 48, 27)
		last.all[0].pixel, last.all[1].pixel = both.width*both.height-2, both.width*both.height-1
		last.render()
		require.Equal(t, both.rays, first.rays+second.rays-last.rays, sc.Name)
	}
}

// BenchmarkStart does what a tile begins with: it seeds the random numbers and draws 64
// points. BenchmarkTiles says what a ray takes.
func BenchmarkStart(b *testing.B) {
	var rng RNG
	for i := 0; b.Loop(); i++ {
		rng = seeds(i)
		rng.draw()
	}
	runtime.KeepAlive(&rng)
}

// BenchmarkFilm renders a picture with two workers, or two pictures with one worker
// each, all with one sample a pixel. If writing to a film that another core writes to
// as well takes time, the second is faster.
func BenchmarkFilm(b *testing.B) {
	s := common.Default()
	s.Samples = 1
	for _, films := range []int{1, 2} {
		b.Run(fmt.Sprintf("films=%d/workers=2", films), func(b *testing.B) {
			s.Workers = 2 / films
			tracer, rays := New(scene.Small()), make([]int64, films)
			own := make([]*film.Film, films)
			for i := range own {
				own[i] = film.New(s.Width, s.Height)
			}
			for b.Loop() {
				together(films, func(i int) { rays[i] += tracer.Render(own[i], s) })
			}
			sum := int64(0)
			for _, n := range rays {
				sum += n
			}
			b.ReportMetric(float64(sum)/b.Elapsed().Seconds(), "rays/s")
		})
	}
}
