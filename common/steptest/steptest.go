// Package steptest is the one conformance suite and the one benchmark of all
// steps. A step's test file calls Run and Bench, and no more: what makes a
// step right does not depend on how it works.
//
// Run holds a step to known answers: the number of rays and the MD5 of the
// TGA file, for several scenes and sizes. They are the same on every
// platform. With the flag -size full it checks pictures of 1280x720 and 10
// samples a pixel in place of 80x60 and 4:
//
//	go test ./step04 -size full
package steptest

import (
	"flag"
	"fmt"
	"image"
	"path"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"

	"raysteps/common"
	"raysteps/common/answers"
	"raysteps/common/film"
	"raysteps/common/scene"
)

var size = flag.String("size", "quick", "size of the pictures: quick (80x60, 4 samples a pixel) or full (1280x720, 10)")

// settings returns those that the flag -size asks for.
func settings(t testing.TB) common.Settings {
	of := map[string]func() common.Settings{"quick": common.Quick, "full": common.Default}[*size]
	if of == nil {
		t.Fatalf("size is %q; want quick or full", *size)
	}
	return of()
}

// stepOf returns the name of the package that declares a tracer: "step04".
func stepOf[T common.Tracer]() string {
	return path.Base(reflect.TypeFor[T]().Elem().PkgPath())
}

// Run runs the conformance suite on a step.
func Run[T common.Tracer](t *testing.T, newTracer func(*scene.Scene) T) {
	p := RunAs(t, newTracer, stepOf[T]())
	t.Run("no allocation per ray", p.testAllocations)
	if kernel := answers.Kernel(p.step); kernel != "" && strings.HasPrefix(p.step, "step") {
		t.Run("kernel", func(t *testing.T) {
			Kernel(t, p.new(scene.Small()).(common.KernelTracer), kernel, "neon", "simd128")
		})
	}
}

// RunAs holds a package to the known answers of one of several steps: the first
// whose picture of the large scene it renders, or else the last. It does not ask
// how much memory the package allocates.
func RunAs[T common.Tracer](t *testing.T, newTracer func(*scene.Scene) T, names ...string) subject {
	s := settings(t)
	p := newSubject(newTracer)
	for _, p.step = range names {
		if len(names) == 1 || p.answer(t, "large "+*size) == render(p.new(scene.Large()), s) {
			break
		}
	}
	p.testScenes(t, s)
	p.testOddities(t)
	t.Run("sizes and windows", p.testWindows)
	t.Run("two tracers of a scene at once", p.testConcurrency)
	return p
}

// Scenes holds a step to the known answers of the three scenes alone: for a form
// that it takes on other processors.
func Scenes[T common.Tracer](t *testing.T, newTracer func(*scene.Scene) T) {
	newSubject(newTracer).testScenes(t, settings(t))
}

func (p subject) testScenes(t *testing.T, s common.Settings) {
	for _, sc := range builtin() {
		t.Run("scene="+sc.Name, func(t *testing.T) {
			f := film.New(s.Width, s.Height)
			rays := p.new(sc).Render(f, s)
			CheckAnswer(t, p.step, sc.Name+" "+*size, f, rays)
		})
	}
}

// subject is a package under test.
type subject struct {
	step string // whose answers it has to give
	new  func(*scene.Scene) common.Tracer
}

func newSubject[T common.Tracer](newTracer func(*scene.Scene) T) subject {
	return subject{stepOf[T](), func(sc *scene.Scene) common.Tracer { return newTracer(sc) }}
}

// testOddities renders odd sizes and scenes, which are small whatever -size says.
func (p subject) testOddities(t *testing.T) {
	oneSphere, emptySky := scene.Small(), scene.Small()
	oneSphere.Spheres = oneSphere.Spheres[1:2] // the ground
	emptySky.Spheres = nil                     // which a file may not hold
	for _, tt := range []struct {
		name                            string
		scene                           *scene.Scene
		width, height, samples, bounces int
	}{
		{"size=1x1", scene.Medium(), 1, 1, 64, 50},
		{"size=33x17", scene.Medium(), 33, 17, 3, 50},
		{"size=17x33", scene.Small(), 17, 33, 1, 50},
		{"one sphere", oneSphere, 32, 24, 4, 50},
		{"empty sky", emptySky, 32, 24, 4, 50},
		{"one bounce", scene.Small(), 32, 24, 4, 1},
		{"100,000 spheres", scene.Cloud(100_000), 8, 6, 1, 50},
		{"wide aperture", wall(scene.Camera{FOV: 60, Aperture: 2, Focus: 1}, 1, 0.4), 32, 24, 4, 50},
		{"tiny far spheres", wall(scene.Camera{FOV: 60, Focus: 1}, 1e6, 1e-3), 16, 12, 2, 50},
	} {
		t.Run(tt.name, func(t *testing.T) {
			// Width and height are the film's, whatever the settings say.
			s := common.Settings{
				Width: tt.height, Height: tt.width, Samples: tt.samples, Bounces: tt.bounces, Workers: 1,
			}
			f := film.New(tt.width, tt.height)
			rays := p.new(tt.scene).Render(f, s)
			assert.Equal(t, p.answer(t, tt.name), answerOf(f, rays))
		})
	}
	t.Run("fuzz above 1", func(t *testing.T) {
		s, blurred := common.Quick(), scene.Small()
		blurred.Spheres[2].Material.Fuzz = 1
		want := render(p.new(blurred), s)
		blurred.Spheres[2].Material.Fuzz = 7
		assert.Equal(t, want, render(p.new(blurred), s), "counts as 1")
	})
	// Of a path in a mirror that is all around, nothing is lost.
	room := &scene.Scene{Camera: scene.Small().Camera, Spheres: []scene.Sphere{
		{Radius: -10, Material: scene.Material{Kind: scene.Metal, Albedo: [3]float32{1, 1, 1}}},
	}}
	for _, bounces := range []int{1, 50, 51, 511, 512, common.MaxBounces} {
		t.Run(fmt.Sprintf("mirror, %d bounces", bounces), func(t *testing.T) {
			f := film.New(8, 6)
			rays := p.new(room).Render(f, common.Settings{Samples: 1, Bounces: bounces, Workers: 1})
			assert.EqualValues(t, 8*6*(bounces+1), rays)
		})
	}
}

// wall returns a scene of 23x23 spheres in a plane at a distance, which a camera looks at.
// More of them are outside of the picture than in it.
func wall(camera scene.Camera, distance, radius float32) *scene.Scene {
	camera.At, camera.Up = [3]float32{-1, 0, 0}, [3]float32{0, 1, 0}
	s := &scene.Scene{Camera: camera}
	for i := range 23 * 23 {
		s.Spheres = append(s.Spheres, scene.Sphere{
			Center: [3]float32{-distance, 1.5 * float32(i%23-11), 1.5 * float32(i/23-11)}, Radius: radius,
			Material: scene.Material{Kind: scene.Lambertian, Albedo: [3]float32{0.5, 0.5, 0.5}},
		})
	}
	return s
}

// testWindows renders, by one tracer, a picture, one of another size, the halves of the
// first, of whole tiles, and then the lower half alone.
func (p subject) testWindows(t *testing.T) {
	s := common.Settings{Width: 70, Height: 60, Samples: 2, Bounces: 50, Workers: 2}
	tracer := p.new(scene.Medium())
	f, reported := film.New(s.Width, s.Height), atomic.Int64{}
	f.Progress = func(pixels int) { reported.Add(int64(pixels)) }
	whole := answerOf(f, tracer.Render(f, s))
	assert.EqualValues(t, 70*60, reported.Swap(0))
	render(tracer, common.Settings{Width: 7, Height: 31, Samples: 2, Bounces: 50, Workers: 1})
	upper, lower := image.Rect(0, 32, 70, 60), image.Rect(0, 0, 70, 32)
	halves := film.New(s.Width, s.Height)
	rays := tracer.Render(halves.Window(upper, lower), s)
	assert.Equal(t, whole, answerOf(halves, rays))

	f.SetMean(3, 31, 0, 0, 0)
	f.SetMean(3, 32, 7, 8, 9)
	assert.Less(t, tracer.Render(f.Window(lower), s), whole.Rays)
	assert.EqualValues(t, 70*32, reported.Load())
	red, _, _ := f.At(3, 32)
	assert.EqualValues(t, 7, red, "a pixel outside of the window")
	red, _, _ = f.At(3, 31)
	assert.NotZero(t, red, "a pixel of the window")
}

// testConcurrency renders one scene by two tracers, which must leave it as it is.
func (p subject) testConcurrency(t *testing.T) {
	s := common.Settings{Width: 24, Height: 18, Samples: 2, Bounces: 50, Workers: 1}
	sc := scene.Medium()
	want := render(p.new(sc), s)
	got := atOnce(2, func() answers.Answer { return render(p.new(sc), s) })
	assert.Equal(t, []answers.Answer{want, want}, got)
	assert.Equal(t, scene.Medium(), sc)
}

// atOnce renders so many pictures at once.
func atOnce(n int, render func() answers.Answer) []answers.Answer {
	got := make([]answers.Answer, n)
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() { got[i] = render() })
	}
	wg.Wait()
	return got
}

func (p subject) testAllocations(t *testing.T) {
	for _, sc := range builtin() {
		tracer, f := p.new(sc), film.New(8, 6)
		allocs := func(samples int) float64 {
			return testing.AllocsPerRun(3, func() {
				tracer.Render(f, common.Settings{Samples: samples, Bounces: 50, Workers: 1})
			})
		}
		// 20 samples are at least 912 rays more. What a tracer keeps for the
		// next render may be lost to the garbage collector.
		assert.Less(t, allocs(20)-allocs(1), 100., "allocations for 19 more samples a pixel, scene %s", sc.Name)
	}
}

func builtin() []*scene.Scene { return []*scene.Scene{scene.Small(), scene.Medium(), scene.Large()} }
