package wavefront

import (
	"bytes"
	"crypto/md5"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
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

func BenchmarkRender(b *testing.B) { steptest.Bench(b, New) }

// forEach runs a test of each form.
func forEach(t *testing.T, test func(t *testing.T, form *form)) {
	for _, name := range []string{"plain", "avx512", "avx2"} {
		t.Run(name, func(t *testing.T) {
			for _, f := range append(vector, plain) {
				if f.name == name {
					test(t, &f)
					return
				}
			}
			t.Skip("not tested: want a processor that has it, and GOEXPERIMENT=simd")
		})
	}
}

func newTracer(s *scene.Scene, f *form) *Tracer {
	t := New(s)
	t.form = f
	return t
}

func builtin() []*scene.Scene { return []*scene.Scene{scene.Small(), scene.Medium(), scene.Large()} }

// picture is the number of rays, and the MD5 of the picture as a TGA file.
type picture struct {
	rays int64
	md5  string
}

func render(t *Tracer, s common.Settings) picture {
	f := film.New(s.Width, s.Height)
	rays := t.Render(f, s)
	var tga bytes.Buffer
	if err := f.WriteTGA(&tga); err != nil {
		panic(err) // a bytes.Buffer does not fail
	}
	return picture{rays, fmt.Sprintf("%x", md5.Sum(tga.Bytes()))}
}

func quick(width, height, samples int) common.Settings {
	return common.Settings{Width: width, Height: height, Samples: samples, Bounces: 50, Workers: 1}
}

// The picture is the same however the work is divided: among workers, and
// among the rays that are under way.
func TestDivision(t *testing.T) {
	forEach(t, func(t *testing.T, form *form) {
		for _, sc := range []*scene.Scene{scene.Small(), scene.Medium()} {
			tracer := newTracer(sc, form)
			want := render(tracer, quick(80, 60, 4))
			for _, workers := range []int{1, 2, 3, 7, 64} {
				for _, rays := range []int{group, 50, 100, 256, capacity} {
					tracer.live = rays
					s := quick(80, 60, 4)
					s.Workers = workers
					// Workers that have kept their memory from another picture.
					tracer.Render(film.New(40, 3), s)
					require.Equal(t, want, render(tracer, s), "%s, %d workers, %d rays", sc.Name, workers, rays)
				}
			}
		}
	})
}

// Another seed makes other noise.
func TestSeed(t *testing.T) {
	tracer := New(scene.Small())
	first := render(tracer, quick(80, 60, 4))
	tracer.seed = 1
	assert.NotEqual(t, first, render(tracer, quick(80, 60, 4)))
	tracer.seed = 0
	assert.Equal(t, first, render(tracer, quick(80, 60, 4)))
}

// The form that runs is the first that can, and the plain one if none can.
func TestBest(t *testing.T) {
	before := vector
	defer func() { vector = before }()
	vector = []form{{name: "b"}, {name: "c"}}
	assert.Equal(t, "b", New(scene.Small()).Kernel())
	vector = nil
	assert.Equal(t, "plain", New(scene.Small()).Kernel())
}
