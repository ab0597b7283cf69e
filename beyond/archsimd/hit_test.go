package archsimd

import (
	"slices"
	"strings"
	"testing"
	"unsafe"

	"raysteps/beyond/tracing"
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
		tb.Skipf("not tested: this build or this processor cannot run the kernel %q", name)
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

func TestStep(t *testing.T) { steptest.Run(t, New) }
func TestKernel(t *testing.T) {
	steptest.Kernel(t, New(scene.Small()), "archsimd512", "archsimd256", "simd128")
}
func BenchmarkRender(b *testing.B) { steptest.Bench(b, New) }

var suite = kerneltest.Suite{
	Padding: 16,
	Fused:   true,
	Columns: func(list []kerneltest.Sphere) kerneltest.Pass {
		s := &scene.Scene{Spheres: make([]scene.Sphere, len(list))}
		for i := range list {
			s.Spheres[i] = scene.Sphere{Center: list[i].Center, Radius: 1}
		}
		w := tracing.NewWorld(s)
		for i := range list {
			w.Spheres.RadiusSqPadded()[i] = list[i].RadiusSq
		}
		pass := newHitTest(w, best())
		var columns kerneltest.Pass
		n := 16 * len(pass.blocks)
		for _, column := range []*[]float32{
			&columns.CX, &columns.CY, &columns.CZ, &columns.RadiusSq, &columns.NB, &columns.Discriminants,
		} {
			*column = mem.Aligned[float32](n+1, mem.CacheLine)[:n:n]
		}
		columns.Words = make([]uint64, len(pass.candidates))
		for i, l := range pass.lanes {
			columns.CX[i], columns.CY[i], columns.CZ[i], columns.RadiusSq[i] = l.cx, l.cy, l.cz, l.radiusSq
		}
		return columns
	},
}

// tested returns the suite with the kernels, which files add to their list when the program
// starts: later than a variable is set.
func tested() *kerneltest.Suite {
	suite.Kernels = nil
	for _, name := range names {
		k := kerneltest.Kernel{Name: name, Lanes: 16, Align: 4, Missing: true}
		named := func(k kernel) bool { return strings.HasPrefix(k.name, name) }
		if at := slices.IndexFunc(kernels, named); at >= 0 {
			k.Missing, k.Bind = false, bind(kernels[at])
		}
		suite.Kernels = append(suite.Kernels, k)
	}
	return &suite
}

// bind returns what binds the hit test with a first pass: it copies the columns to
// blocks, and what the first pass leaves there back.
func bind(k kernel) func(*kerneltest.Pass) kerneltest.Closest {
	return func(pass *kerneltest.Pass) kerneltest.Closest {
		p := newBlocks(k, pass.CX, pass.CY, pass.CZ, pass.RadiusSq)
		p.candidates = pass.Words
		return func(r *kerneltest.Ray, tMin, tMax float32) (int, float32) {
			p.run(p, *(*Ray)(unsafe.Pointer(r)))
			for i, l := range p.lanes {
				pass.NB[i], pass.Discriminants[i] = l.nb, l.discriminant
			}
			return p.secondPass(tMin, tMax)
		}
	}
}

func TestFirstPass(t *testing.T) { tested().TestFirstPass(t) }
func FuzzFirstPass(f *testing.F) { tested().Fuzz(f) }
