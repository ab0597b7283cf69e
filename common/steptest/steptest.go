// Package steptest is the one conformance suite and the one benchmark of all
// steps. A step's test file calls Run and Bench, and no more: what makes a
// step right does not depend on how it works.
//
// Run holds a step to known answers: the number of rays and the MD5 of the
// TGA file, for several scenes and sizes. They are the same on every
// platform. With the flag -size full it checks, and Bench measures, pictures
// of 1280x720 and 10 samples a pixel in place of 80x60 and 4:
//
//	go test ./step04 -size full
//	go test ./step04 -run '^$' -bench . -size full -benchtime 1x
package steptest

import (
	"bytes"
	"crypto/md5"
	"flag"
	"fmt"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/cpu"

	"raysteps/common"
	"raysteps/common/film"
	"raysteps/common/scene"
)

var (
	size = flag.String("size", "quick", "size of the pictures: quick (80x60, 4 samples a pixel) or full (1280x720, 10); for benchmarks any, such as 320x180")
	save = flag.String("save", "", "`folder` to which Bench writes its pictures")

	samples = flag.Int("samples", 0, "`samples` a pixel for Bench, in place of those of the size")
)

// Settings returns what the flag -size asks for.
func Settings(t testing.TB) common.Settings {
	switch *size {
	case "quick":
		return common.Quick()
	case "full":
		return common.Default()
	}
	t.Fatalf("size is %q; want quick or full", *size)
	panic("unreachable")
}

// BenchSettings returns what the flags -size and -samples ask for. A benchmark
// needs no known answers, so it takes pictures of any size: 320x180.
func BenchSettings(b *testing.B) common.Settings {
	var width, height int
	s := common.Default()
	if n, err := fmt.Sscanf(*size, "%dx%d", &width, &height); n == 2 && err == nil {
		s.Width, s.Height = width, height
	} else {
		s = Settings(b)
	}
	if *samples != 0 {
		s.Samples = *samples
	}
	if err := s.Validate(); err != nil {
		b.Fatal(err)
	}
	return s
}

// stepOf returns the name of the package that declares a tracer: "step04".
func stepOf[T common.Tracer]() string {
	typ := reflect.TypeFor[T]()
	if typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	path := typ.PkgPath()
	return path[strings.LastIndexByte(path, '/')+1:]
}

// Run runs the conformance suite on a step.
func Run[T common.Tracer](t *testing.T, newTracer func(*scene.Scene) T) {
	RunAs(t, newTracer, stepOf[T]())
	t.Run("no allocation per ray", func(t *testing.T) {
		for _, sc := range builtin() {
			tracer, f := newTracer(sc), film.New(8, 6)
			allocs := func(samples int) float64 {
				return testing.AllocsPerRun(3, func() {
					tracer.Render(f, common.Settings{Samples: samples, Bounces: 50, Workers: 1})
				})
			}
			// 20 samples are at least 912 rays more. What a tracer keeps for the
			// next render may be lost to the garbage collector.
			assert.Less(t, allocs(20)-allocs(1), 100., "allocations for 19 more samples a pixel, scene %s", sc.Name)
		}
	})
	if want := kernelHere(stepOf[T]()); want != "" {
		t.Run("kernel", func(t *testing.T) {
			assert.Equal(t, want, any(newTracer(scene.Small())).(common.KernelTracer).Kernel())
		})
	}
}

// RunAs holds a package to the known answers of one of several steps: the first
// whose picture of the large scene it renders, or else the last. It does not ask
// how much memory the package allocates.
func RunAs[T common.Tracer](t *testing.T, newTracer func(*scene.Scene) T, names ...string) {
	s := Settings(t)
	var known map[string]answer
	for _, name := range names {
		var err error
		known, err = answersOf(name)
		require.NoError(t, err)
		if len(names) > 1 && known["large "+*size] == render(newTracer(scene.Large()), s) {
			break
		}
	}

	for _, sc := range builtin() {
		t.Run("scene="+sc.Name, func(t *testing.T) {
			tracer := newTracer(sc)
			first := render(tracer, s)
			assert.Equal(t, known[sc.Name+" "+*size], first)
			assert.Equal(t, first, render(tracer, s), "the second picture of a tracer")
		})
	}

	// The odd sizes and scenes are small whatever -size says.
	for _, tt := range []struct {
		name                   string
		scene                  *scene.Scene
		width, height, samples int
	}{
		{"size=1x1", scene.Medium(), 1, 1, 64},
		{"size=33x17", scene.Medium(), 33, 17, 3},
		{"size=17x33", scene.Small(), 17, 33, 1},
		{"one sphere", oneSphere(), 32, 24, 4},
		{"empty sky", emptySky(), 32, 24, 4},
		{"one bounce", scene.Small(), 32, 24, 4},
		{"100,000 spheres", scene.Many(100_000), 8, 6, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := common.Settings{Width: tt.width, Height: tt.height, Samples: tt.samples, Bounces: 50, Workers: 1}
			if tt.name == "one bounce" {
				s.Bounces = 1
			}
			assert.Equal(t, known[tt.name], render(newTracer(tt.scene), s))
		})
	}

	t.Run("empty sky is sky", func(t *testing.T) {
		f := film.New(16, 12)
		rays := newTracer(emptySky()).Render(f, common.Settings{Samples: 4, Bounces: 50, Workers: 1})
		assert.Equal(t, int64(16*12*4), rays, "one ray a sample")
		for y := range f.Height {
			for x := range f.Width {
				r, g, b := f.At(x, y)
				// White at the bottom, (0.5, 0.7, 1) at the top; a sum of four
				// colors may round up in its last bit.
				if r < 0.499 || r > 1.001 || g < 0.699 || g > 1.001 || b < 0.999 || b > 1.001 {
					t.Fatalf("pixel (%d, %d) is (%g, %g, %g); want a color of the sky", x, y, r, g, b)
				}
			}
		}
	})

	t.Run("one tracer, films of several sizes", func(t *testing.T) {
		tracer := newTracer(scene.Small())
		s := common.Settings{Samples: 2, Bounces: 50, Workers: 1}
		s.Width, s.Height = 20, 10
		first := render(tracer, s)
		s.Width, s.Height = 7, 31
		render(tracer, s)
		s.Width, s.Height = 20, 10
		assert.Equal(t, first, render(tracer, s))
	})

	t.Run("every pixel is set and reported", func(t *testing.T) {
		f := film.New(33, 17)
		for y := range f.Height {
			for x := range f.Width {
				f.Set(x, y, -1, -1, -1, 1)
			}
		}
		var mu sync.Mutex
		reported := 0
		f.Progress = func(pixels int) {
			mu.Lock()
			defer mu.Unlock()
			reported += pixels
		}
		newTracer(scene.Medium()).Render(f, common.Settings{Samples: 1, Bounces: 50, Workers: 1})
		assert.Equal(t, f.Width*f.Height, reported)
		for y := range f.Height {
			for x := range f.Width {
				if r, g, b := f.At(x, y); !(r >= 0 && g >= 0 && b >= 0) {
					t.Fatalf("pixel (%d, %d) is (%g, %g, %g); want it set to a color", x, y, r, g, b)
				}
			}
		}
	})

	t.Run("scene stays unchanged", func(t *testing.T) {
		sc := scene.Medium()
		render(newTracer(sc), common.Settings{Width: 8, Height: 6, Samples: 1, Bounces: 50, Workers: 1})
		assert.Equal(t, scene.Medium(), sc)
	})

	t.Run("two tracers at once", func(t *testing.T) {
		s := common.Settings{Width: 24, Height: 18, Samples: 2, Bounces: 50, Workers: 1}
		sc := scene.Medium()
		want := render(newTracer(sc), s)
		var got [2]answer
		var wg sync.WaitGroup
		for i := range got {
			wg.Go(func() { got[i] = render(newTracer(sc), s) })
		}
		wg.Wait()
		assert.Equal(t, [2]answer{want, want}, got)
	})
}

// kernels are those that the steps are about. A processor without their
// instructions, or a build without assembly, runs another kernel, and says so.
var kernels = map[string]string{
	"step10": "sse", "step11": "sse", "step12": "avx2", "step13": "avx2",
	"avx512": "avx512", "archsimd": "archsimd512", "wavefront": "avx512", "tree": "avx2", "instrumented": "avx2",
}

// kernelHere returns the kernel that a numbered step has to run in this build and
// on this processor, so that none gives way to plain Go in silence. It is empty for
// steps without kernels, and for those of beyond, which have several forms.
func kernelHere(step string) string {
	amd64 := map[string]bool{
		"sse":  runtime.GOARCH == "amd64",
		"avx2": runtime.GOARCH == "amd64" && cpu.X86.HasAVX2 && cpu.X86.HasFMA,
	}
	kernel := kernels[step]
	switch {
	case kernel == "" || !strings.HasPrefix(step, "step"):
		return ""
	case assembly && runtime.GOARCH == "arm64":
		return "neon"
	case assembly && amd64[kernel]:
		return kernel
	}
	return "plain"
}

// Bench is the benchmark of a step: rays a second for each of the three
// scenes, whose building is not timed.
func Bench[T common.Tracer](b *testing.B, newTracer func(*scene.Scene) T) {
	s := BenchSettings(b)
	describeSize(s)
	describeKernel(newTracer(scene.Small()))
	for _, sc := range builtin() {
		b.Run("scene="+sc.Name, func(b *testing.B) {
			f := measure(b, newTracer(sc), s)
			if *save != "" {
				name := filepath.Join(*save, stepOf[T]()+"-"+sc.Name+".png")
				require.NoError(b, f.WriteFile(name))
			}
		})
	}
}

// Describe prints the settings of a benchmark as configuration lines of the Go
// benchmark format, for whoever reads the output later.
func Describe[T common.Tracer](s common.Settings, tracer T) {
	describeSize(s)
	describeKernel(tracer)
}

// describeKernel says which kernel runs, unless it is the one that the step is
// about: figures of a plain version never pass for those of SIMD instructions,
// nor those of one kernel for another's.
func describeKernel[T common.Tracer](tracer T) {
	if k, ok := any(tracer).(common.KernelTracer); ok && k.Kernel() != kernels[stepOf[T]()] {
		fmt.Println("kernel:", k.Kernel())
	}
}

func describeSize(s common.Settings) {
	fmt.Printf("size: %dx%d\nsamples: %d\nbounces: %d\n", s.Width, s.Height, s.Samples, s.Bounces)
}

// measure renders with a tracer again and again, and returns the last picture.
func measure(b *testing.B, tracer common.Tracer, s common.Settings) *film.Film {
	f := film.New(s.Width, s.Height)
	rays := int64(0)
	b.ReportAllocs()
	for b.Loop() {
		rays += tracer.Render(f, s)
	}
	b.ReportMetric(float64(rays)/float64(b.N), "rays/op")
	b.ReportMetric(float64(rays)/b.Elapsed().Seconds(), "rays/s")
	return f
}

func builtin() []*scene.Scene { return []*scene.Scene{scene.Small(), scene.Medium(), scene.Large()} }

func render(tracer common.Tracer, s common.Settings) answer {
	f := film.New(s.Width, s.Height)
	rays := tracer.Render(f, s)
	return answerOf(f, rays)
}

func answerOf(f *film.Film, rays int64) answer {
	var tga bytes.Buffer
	if err := f.WriteTGA(&tga); err != nil {
		panic(err) // a bytes.Buffer does not fail
	}
	return answer{rays, fmt.Sprintf("%x", md5.Sum(tga.Bytes()))}
}

// oneSphere is the ground of the small scene and nothing on it.
func oneSphere() *scene.Scene {
	s := scene.Small()
	s.Spheres = slices.Clone(s.Spheres[1:2])
	return s
}

// emptySky is a scene without spheres, which a file may not hold.
func emptySky() *scene.Scene {
	s := scene.Small()
	s.Spheres = nil
	return s
}
