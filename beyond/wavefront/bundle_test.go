package wavefront

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"

	"raysteps/common/kerneltest"
	"raysteps/common/scene"
)

// randomView returns a scene of random spheres of a size, and a camera among
// them.
func randomView(rng *rand.Rand) *scene.Scene {
	s := &scene.Scene{Name: "random"}
	scale := float32(math.Pow(10, 4*rng.Float64()-1))
	for _, sphere := range kerneltest.RandomSpheres(rng, 1+rng.IntN(upTo)) {
		radius := sphere.Radius()
		if rng.IntN(4) == 0 {
			radius *= 0.01
		}
		center := sphere.Center
		for axis := range center {
			center[axis] *= scale
		}
		s.Spheres = append(s.Spheres,
			scene.Sphere{Center: center, Radius: radius * float32(math.Pow(float64(scale), rng.Float64()))})
	}
	point := func() (p [3]float32) {
		for axis := range p {
			p[axis] = scale * 10 * (rng.Float32() - 0.5)
		}
		return p
	}
	s.Camera = scene.Camera{
		From: point(), At: point(), Up: [3]float32{0, 1, 0}, FOV: 5 + 120*rng.Float32(),
		Focus: scale * 20 * (rng.Float32() + 0.01),
	}
	if rng.IntN(2) == 0 {
		s.Camera.Aperture = scale * rng.Float32()
	}
	return s
}

// someView returns a random view, or now and then one of a scene with a trait of its own.
func someView(rng *rand.Rand) *scene.Scene {
	s := randomView(rng)
	switch rng.IntN(8) {
	case 0:
		s = scene.Large()
	case 1:
		s = materials()
	case 2: // The ground, which rays graze that look level from a height of 0.2.
		s = scene.Small()
		s.Spheres = []scene.Sphere{{Center: [3]float32{0, -1000, 0}, Radius: 1000}}
		s.Camera = scene.Camera{From: [3]float32{0, 0.2, 0}, At: [3]float32{0, 0.2, -1},
			Up: [3]float32{0, 1, 0}, FOV: 8, Focus: 10}
	}
	return s
}

// bundledFront returns a front of scattered rays, then of some blocks of a picture, whose
// bundles the search gets.
func bundledFront(rng *rand.Rand, tracer *Tracer, camera *Camera, s *search, width, height int) *front {
	f := newFront()
	for range rng.IntN(3 * group) {
		f.put(kerneltest.RandomRay(rng, nil))
	}
	from := f.n
	s.bundles = s.bundles[:0]
	for range 1 + rng.IntN(4) {
		b := &block{
			x: rng.IntN(width), y: rng.IntN(height), stride: width,
			n: 1 + rng.IntN(10), seed: rng.Uint32(), number: rng.Uint32(),
		}
		b.width = min(1+rng.IntN(blockSide), width-b.x)
		b.height = min(1+rng.IntN(blockSide), height-b.y)
		first := f.n
		drawPlain(f, b)
		s.bundles = append(s.bundles, camera.bundle(tracer.lens, b, first, f.n-first))
	}
	aimPlain(f, camera, from)
	return f
}

// A bundle finds for each of its rays what the plain search finds, which asks
// every ray about every sphere, and so do scattered rays in the same front: as
// many pairs of a ray and a sphere as the flag -pairs says.
func TestBundles(t *testing.T) {
	forEachKernel(t, func(t *testing.T, form *form) {
		rng := rand.New(rand.NewPCG(14, 9))
		hits, compared, asked := 0, 0, 0
		for compared < kerneltest.Pairs() {
			s := someView(rng)
			tracer := newTracer(s, form)
			width, height := 1+rng.IntN(2000), 1+rng.IntN(2000)
			camera, search := NewCamera(&s.Camera, width, height), tracer.newSearch()
			list := kerneltest.NewGuarded[uint32](len(s.Spheres)+group, 0)
			for range 10 {
				f := bundledFront(rng, tracer, camera, search, width, height)
				checkSearch(t, form, search, search, f)
				for i := range f.n {
					if f.hit[i] != 0 {
						hits++
					}
				}
				compared += f.n * len(s.Spheres)
				b, n := &search.bundles[0], 0
				checkUppers(t, "cull", func() { n = form.cull(tracer.lens, b, list.Elements) })
				list.Check(t, "the list of a bundle")
				asked += n * b.n
			}
		}
		t.Logf("compared %d pairs of a ray and a sphere; %d rays hit one", compared, hits)
		assert.Greater(t, hits, compared/2000, "hits that were compared")
		assert.Less(t, asked, compared/4, "spheres that bundles leave")
	})
}
