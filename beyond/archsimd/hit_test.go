package archsimd

import (
	"math"
	"slices"
	"strings"
	"testing"

	"raysteps/common/kerneltest"
	"raysteps/common/mem"
	"raysteps/common/scene"
	"raysteps/common/steptest"
)

// choose has tracers take a kernel, whose name begins so, until the function is called that
// it returns. If it cannot run here, it skips.
func choose(tb testing.TB, name string) (restore func()) {
	all := kernels
	at := slices.IndexFunc(all, func(k kernel) bool { return strings.HasPrefix(k.name, name) })
	if at < 0 {
		tb.Skip("not tested: this build or this processor cannot run it")
	}
	kernels = all[:at+1] // of which it is the best
	return func() { kernels = all }
}

var names = []string{"plain", "simd", "archsimd256", "archsimd512"}

// Whatever computes the first pass, the pictures of the scenes are the step's.
func TestForms(t *testing.T) {
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			tested := best().name // by TestStep
			defer choose(t, name)()
			if best().name != tested {
				steptest.Scenes(t, New)
			}
		})
	}
}

func TestStep(t *testing.T)        { steptest.Run(t, New) }
func BenchmarkRender(b *testing.B) { steptest.Bench(b, New) }

var suite = kerneltest.Suite{
	Kernels: suiteKernels(),
	Padding: 16,
	Fused:   true,
	World: func(spheres []kerneltest.Sphere) (kerneltest.Pass, kerneltest.Hit) {
		n := (len(spheres) + 15) / 16 * 16
		column := func() []float32 { return mem.Aligned[float32](n+1, mem.CacheLine)[:n:n] }
		pass := kerneltest.Pass{CX: column(), CY: column(), CZ: column(), RadiusSq: column(), Words: make([]uint64, (n+63)/64), NB: column(), Discriminants: column()}
		w := &World{pass: newFirstPass(len(spheres), best())}
		for i, s := range spheres {
			w.pass.set(i, vec3(s.Center), s.RadiusSq)
			red := newMaterial(&scene.Material{Kind: scene.Lambertian, Albedo: [3]float32{float32(i), 0, 0}}) // a material of its own
			w.surfaces = append(w.surfaces, Surface{Center: vec3(s.Center), InvRadius: s.InvRadius, Material: red})
		}
		for i, b := range w.pass.blocks {
			copy(pass.CX[16*i:], b.cx[:])
			copy(pass.CY[16*i:], b.cy[:])
			copy(pass.CZ[16*i:], b.cz[:])
			copy(pass.RadiusSq[16*i:], b.radiusSq[:])
		}
		return pass, func(r *kerneltest.Ray) (int, kerneltest.Vec, kerneltest.Vec) {
			ray := Ray{vec3(r.Origin), vec3(r.Direction)}
			i, distance := w.pass.closest(ray, tMin, math.MaxFloat32)
			if i < 0 {
				return -1, kerneltest.Vec{}, kerneltest.Vec{}
			}
			hit := w.hit(i, ray, distance)
			return int(hit.Material.Albedo.X), kerneltest.Vec{hit.P.X, hit.P.Y, hit.P.Z}, kerneltest.Vec{hit.N.X, hit.N.Y, hit.N.Z}
		}
	},
}

func suiteKernels() (all []kerneltest.Kernel) {
	for _, name := range names {
		k := kerneltest.Kernel{Name: name, Lanes: 16, Align: 4, Missing: true}
		if at := slices.IndexFunc(kernels, func(k kernel) bool { return strings.HasPrefix(k.name, name) }); at >= 0 {
			k.Missing, k.Bind = false, bind(kernels[at])
		}
		all = append(all, k)
	}
	return all
}

// bind returns what binds the hit test with a first pass: it copies the columns to
// blocks, and what the first pass leaves there back.
func bind(k kernel) func(*kerneltest.Pass) kerneltest.Closest {
	return func(pass *kerneltest.Pass) kerneltest.Closest {
		p := newFirstPass(len(pass.CX), k)
		p.candidates = pass.Words
		for i, x := range pass.CX {
			p.set(i, Vec3{x, pass.CY[i], pass.CZ[i]}, pass.RadiusSq[i])
		}
		return func(r *kerneltest.Ray, tMin, tMax float32) (int, float32) {
			p.run(p, Ray{vec3(r.Origin), vec3(r.Direction)})
			for i := range p.blocks {
				copy(pass.NB[16*i:], p.blocks[i].nb[:])
				copy(pass.Discriminants[16*i:], p.blocks[i].discriminant[:])
			}
			return p.secondPass(tMin, tMax)
		}
	}
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
