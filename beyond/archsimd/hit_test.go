package archsimd

import (
	"math"
	"testing"

	"raysteps/common/kerneltest"
	"raysteps/common/scene"
)

var suite = kerneltest.Suite{
	Kernels: []kerneltest.Kernel{
		{Name: "generic", Lanes: 16, Align: 4, Bind: bind((*firstPass).runGeneric)},
		{Name: "archsimd512", Lanes: 16, Align: 4, Bind: bind(run512), Missing: !has512},
		{Name: "archsimd256", Lanes: 16, Align: 4, Bind: bind(run256), Missing: !has256},
		{Name: "archsimd128", Lanes: 16, Align: 4, Bind: bind(run128), Missing: !has128},
		{Name: "portable", Lanes: 16, Align: 4, Bind: bind(runPortable), Missing: !hasPortable()},
	},
	Padding: 16,
	Fused:   true,
	World: func(spheres []kerneltest.Sphere) (kerneltest.Pass, kerneltest.Hit) {
		w := worldOf(spheres)
		n := w.Spheres.PaddedLen()
		columns := kerneltest.Pass{
			CX: w.Spheres.CenterXPadded(), CY: w.Spheres.CenterYPadded(), CZ: w.Spheres.CenterZPadded(), RadiusSq: w.Spheres.RadiusSqPadded(),
			Words: make([]uint64, (n+63)/64), NB: make([]float32, n), Discriminants: make([]float32, n),
		}
		pass := newFirstPass(&w.Spheres)
		return columns, func(r *kerneltest.Ray) (int, kerneltest.Vec, kerneltest.Vec) {
			ray := Ray{vec3(r.Origin), vec3(r.Direction)}
			i, distance := pass.closest(ray, tMin, math.MaxFloat32)
			if i < 0 {
				return -1, kerneltest.Vec{}, kerneltest.Vec{}
			}
			hit := w.hit(i, ray, distance)
			return int(hit.Material.Albedo.X), kerneltest.Vec{hit.P.X, hit.P.Y, hit.P.Z}, kerneltest.Vec{hit.N.X, hit.N.Y, hit.N.Z}
		}
	},
}

// bind returns what binds the hit test with a first pass: it copies the columns to
// blocks, and what the first pass leaves there back.
func bind(run func(*firstPass, Ray)) func(*kerneltest.Pass) kerneltest.Closest {
	return func(pass *kerneltest.Pass) kerneltest.Closest {
		p := &firstPass{blocks: make([]block, len(pass.CX)/16), candidates: pass.Words}
		for i := range p.blocks {
			b := &p.blocks[i]
			copy(b.cx[:], pass.CX[16*i:])
			copy(b.cy[:], pass.CY[16*i:])
			copy(b.cz[:], pass.CZ[16*i:])
			copy(b.radiusSq[:], pass.RadiusSq[16*i:])
		}
		return func(r *kerneltest.Ray, tMin, tMax float32) (int, float32) {
			run(p, Ray{vec3(r.Origin), vec3(r.Direction)})
			for i := range p.blocks {
				copy(pass.NB[16*i:], p.blocks[i].nb[:])
				copy(pass.Discriminants[16*i:], p.blocks[i].discriminant[:])
			}
			return p.secondPass(tMin, tMax)
		}
	}
}

// worldOf gives every sphere a material of its own, whose red is the index.
func worldOf(spheres []kerneltest.Sphere) *World {
	w := new(World)
	for i, s := range spheres {
		w.Spheres.Append(Sphere{
			Center: vec3(s.Center), RadiusSq: s.RadiusSq,
			Surface: Surface{
				Center: vec3(s.Center), InvRadius: s.InvRadius,
				Material: newMaterial(&scene.Material{Kind: scene.Lambertian, Albedo: [3]float32{float32(i), 0, 0}}),
			},
		})
	}
	return w
}

func TestFirstPass(t *testing.T) { suite.TestFirstPass(t) }
func TestHit(t *testing.T)       { suite.TestHit(t) }
func TestFMA(t *testing.T)       { kerneltest.TestFMA(t, fma) }
func FuzzFirstPass(f *testing.F) { suite.Fuzz(f) }

// TestDraw starts where a render does, and where the first point is (-1, 0, 0): the
// smallest number, at the distance from which on a point is not in the ball.
func TestDraw(t *testing.T) {
	for _, start := range []RNG{seeds, {x: 0x01100080, y: 0x00880040, z: 0x00880040, next: ahead}} {
		kerneltest.TestDraw(t, start, (*RNG).draw, (*RNG).drawGeneric)
	}
}
