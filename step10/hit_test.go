package step10

import (
	"math"
	"testing"
	"unsafe"

	"raysteps/common/kerneltest"
	"raysteps/common/scene"
)

var suite = kerneltest.Suite{
	Kernels: []kerneltest.Kernel{
		{Name: "generic", Lanes: 1, Align: 4, Bind: bind(closestGeneric)},
		{Name: kernel, Lanes: 8, Align: 16, Bind: bind((*firstPass).closest), Missing: !hasKernel},
	},
	Padding: 8,
	Columns: func(spheres []kerneltest.Sphere) kerneltest.Pass {
		p := newFirstPass(&worldOf(spheres).Spheres)
		return kerneltest.Pass{
			CX: p.cx, CY: p.cy, CZ: p.cz, RadiusSq: p.radiusSq,
			NB: p.nb, Discriminants: p.discriminants, Words: p.candidates,
		}
	},
	Hit: func(t testing.TB, spheres []kerneltest.Sphere) func(*kerneltest.Ray) (int, kerneltest.Vec, kerneltest.Vec) {
		w := worldOf(spheres)
		pass := newFirstPass(&w.Spheres)
		return func(r *kerneltest.Ray) (int, kerneltest.Vec, kerneltest.Vec) {
			ray := (*Ray)(unsafe.Pointer(r))
			i, distance := pass.closest(ray, tMin, math.MaxFloat32)
			if i < 0 {
				return -1, kerneltest.Vec{}, kerneltest.Vec{}
			}
			hit, material := w.hit(i, ray, distance)
			return int(material.(*Lambertian).Albedo.X), kerneltest.Vec{hit.P.X, hit.P.Y, hit.P.Z}, kerneltest.Vec{hit.N.X, hit.N.Y, hit.N.Z}
		}
	},
}

func bind(closest func(p *firstPass, r *Ray, tMin, tMax float32) (int, float32)) func(*kerneltest.Pass) kerneltest.Closest {
	return func(p *kerneltest.Pass) kerneltest.Closest {
		pass := &firstPass{
			cx: p.CX, cy: p.CY, cz: p.CZ, radiusSq: p.RadiusSq,
			nb: p.NB, discriminants: p.Discriminants, candidates: p.Words,
		}
		return func(r *kerneltest.Ray, tMin, tMax float32) (int, float32) {
			return closest(pass, (*Ray)(unsafe.Pointer(r)), tMin, tMax)
		}
	}
}

// worldOf gives every sphere a material of its own, whose red is the index.
func worldOf(spheres []kerneltest.Sphere) *World {
	w := new(World)
	for i, s := range spheres {
		w.Spheres.Append(Sphere{
			Center: vec3(s.Center), RadiusSq: s.RadiusSq, InvRadius: s.InvRadius,
			Material: newMaterial(&scene.Material{Kind: scene.Lambertian, Albedo: [3]float32{float32(i), 0, 0}}),
		})
	}
	return w
}

func TestFirstPass(t *testing.T)   { suite.TestFirstPass(t) }
func TestHit(t *testing.T)         { suite.TestHit(t) }
func FuzzFirstPass(f *testing.F)   { suite.Fuzz(f) }
func BenchmarkKernel(b *testing.B) { suite.Bench(b) }
