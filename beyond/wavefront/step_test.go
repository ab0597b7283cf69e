package wavefront

import (
	"testing"

	"github.com/stretchr/testify/require"

	"raysteps/common"
	"raysteps/common/film"
	"raysteps/common/scene"
	"raysteps/common/steptest"
)

// TestStep runs the suite of all steps, in each form.
func TestStep(t *testing.T) {
	forEach(t, func(t *testing.T, form *form) {
		steptest.Run(t, func(s *scene.Scene) *Tracer { return newTracer(s, form) })
	})
}

func TestWorkers(t *testing.T) {
	forEach(t, func(t *testing.T, form *form) {
		steptest.Workers(t, func(s *scene.Scene) *Tracer { return newTracer(s, form) })
	})
}

func BenchmarkRender(b *testing.B) { steptest.BenchWorkers(b, New) }

// forEach runs a test of each form.
func forEach(t *testing.T, test func(t *testing.T, form *form)) {
	forNamed(t, []string{"plain", "avx512", "avx2"}, test)
}

func forNamed(t *testing.T, names []string, test func(t *testing.T, form *form)) {
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			for _, f := range append(vector, plain) {
				if f.name == name {
					test(t, &f)
					return
				}
			}
			t.Skipf("not tested: cannot run the kernel %q; want a processor that has it, and GOEXPERIMENT=simd", name)
		})
	}
}

// forEachKernel runs a test of each form that is held to the plain one.
func forEachKernel(t *testing.T, test func(t *testing.T, form *form)) {
	forNamed(t, []string{"avx512", "avx2"}, test)
}

// Camera rays begin a little along their way where a surface touches the lens, and else not, which
// would change pictures.
func TestTouching(t *testing.T) {
	for _, s := range builtin() {
		require.False(t, New(s).touching, s.Name)
	}
	for _, tt := range []struct {
		from, aperture float32
		want           bool
	}{{5, 0, true}, {5.001, 0, true}, {4.999, 0, true}, {5.01, 0, false}, {4.99, 0, false}, {5.5, 1,
		true}, {5.49, 0.9, false}, {4.5, 1, true}, {0, 0, false}} {
		s := &scene.Scene{
			Camera: scene.Camera{From: [3]float32{0, 0, tt.from}, At: [3]float32{1, 0, 0},
				Up: [3]float32{0, 1, 0}, FOV: 60, Focus: 1, Aperture: tt.aperture},
			Spheres: []scene.Sphere{{Radius: -5,
				Material: scene.Material{Kind: scene.Dielectric, Index: 1.5}}},
		}
		require.Equal(t, tt.want, New(s).touching, "%v from the center, a lens of %v", tt.from, tt.aperture)
	}
}

// The forms begin with the fastest that can run here, and that is the one that runs.
func TestBest(t *testing.T) {
	var kernels []string
	if steptest.Built("GOEXPERIMENT", "simd") {
		kernels = []string{"avx512", "avx2"}
	}
	steptest.Kernel(t, New(scene.Small()), kernels...)
	want := []string{"avx512", "avx2", "plain"}[3-len(forms()):]
	for i, f := range forms() {
		require.Equal(t, want[i], f.name)
	}
}

func newTracer(s *scene.Scene, f *form) *Tracer {
	t := New(s)
	t.form = f
	return t
}

func builtin() []*scene.Scene { return []*scene.Scene{scene.Small(), scene.Medium(), scene.Large()} }

// render returns the picture and the number of rays.
func render(t *Tracer, workers int) (*film.Film, int64) {
	f := film.New(80, 60)
	rays := t.Render(f, common.Settings{Samples: 4, Bounces: 50, Workers: workers})
	return f, rays
}

// The picture is the same however many rays are under way.
func TestDivision(t *testing.T) {
	forEach(t, func(t *testing.T, form *form) {
		for _, sc := range []*scene.Scene{scene.Small(), scene.Medium()} {
			tracer := newTracer(sc, form)
			want, rays := render(tracer, 1)
			for i, live := range []int{group, 50, 100, 256, capacity} {
				tracer.live = live
				got, n := render(tracer, 1+2*(i%2))
				require.Equal(t, rays, n)
				require.Equal(t, want, got, "%s, %d rays", sc.Name, live)
			}
		}
	})
}
