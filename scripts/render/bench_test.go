package main

import (
	"fmt"
	"hash/crc32"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"raysteps/common"
	"raysteps/common/film"
	"raysteps/common/scene"
	"raysteps/common/steptest"
	"raysteps/scripts/internal/steps"
	"raysteps/step01"
	"raysteps/step02"
	"raysteps/step03"
	"raysteps/step04"
	"raysteps/step05"
	"raysteps/step06"
	"raysteps/step07"
	"raysteps/step08"
	"raysteps/step09"
)

// The benchmarks of all steps in one test binary, which scripts/bench measures. Their names are
// those of steps.SliceName.

// BenchmarkRender renders parts of the picture.
func BenchmarkRender(b *testing.B) { each(b, steps.All(), scene.Names(), parts(runtime.GOMAXPROCS(0))) }

// BenchmarkSlice is the same under another name, to be measured beside BenchmarkFull.
func BenchmarkSlice(b *testing.B) { BenchmarkRender(b) }

// BenchmarkFull renders whole pictures.
func BenchmarkFull(b *testing.B) { each(b, steps.All(), scene.Names(), whole) }

// BenchmarkSizes renders scenes of 2 to 1,000,000 spheres on one core.
func BenchmarkSizes(b *testing.B) {
	list, err := steps.Parse("12,wavefront,tree")
	if err != nil {
		b.Fatal(err)
	}
	each(b, list, sizes, parts(1))
}

var sizes = strings.Fields(`sphereflake=0 sphereflake=1 sphereflake=2 sphereflake=3 sphereflake=4 sphereflake=5 sphereflake=6
	cloud=10 cloud=100 cloud=300 cloud=1000 cloud=3000 cloud=10000 cloud=100000 cloud=1000000`)

// each runs a benchmark of steps in scenes, and reports where their hot functions begin: 1
// for an odd multiple of 32 bytes, which is what Go aligns them to on amd64.
func each(b *testing.B, list []steps.Step, scenes []string, run func(*testing.B, steps.Step, *scene.Scene)) {
	for _, step := range list {
		for _, name := range scenes {
			key := name
			if !strings.Contains(name, "=") {
				key = "scene=" + name
			}
			slice := steps.SliceName{Step: step, Form: forms()[step.Name]}
			b.Run(slice.Element()+"/"+key, func(b *testing.B) {
				sc, err := scene.ByName(name)
				if err != nil {
					b.Fatal(err)
				}
				run(b, step, sc)
				for i, f := range hot[step.Name] {
					b.ReportMetric(float64(reflect.ValueOf(f).Pointer()/32%2), fmt.Sprint("odd-", i))
				}
			})
		}
	}
}

// forms say which kernel runs, where it is another one than that of the step.
var forms = sync.OnceValue(func() map[string]string {
	all := map[string]string{}
	for _, step := range steps.All() {
		k, ok := constructors[step.Name](scene.Small()).(common.KernelTracer)
		if ok && k.Kernel() != step.Kernel {
			all[step.Name] = k.Kernel()
		}
	}
	return all
})

// parts renders parts of the picture, by so many workers if the step has any.
func parts(workers int) func(*testing.B, steps.Step, *scene.Scene) {
	return func(b *testing.B, step steps.Step, sc *scene.Scene) {
		n := 0
		if step.Workers {
			n = workers
		}
		steptest.BenchScene(b, constructors[step.Name], sc, n)
	}
}

func whole(b *testing.B, step steps.Step, sc *scene.Scene) {
	s := common.Default()
	tracer, f, rays := constructors[step.Name](sc), film.New(s.Width, s.Height), int64(0)
	for b.Loop() {
		rays += tracer.Render(f, s)
	}
	b.ReportMetric(float64(rays)/float64(b.N), "rays/op")
	b.ReportMetric(float64(rays)/b.Elapsed().Seconds(), "rays/s")
}

// BenchmarkThumbnail reports the checksum of a picture, by which versions are compared.
func BenchmarkThumbnail(b *testing.B) {
	each(b, steps.All(), scene.Names(), picture(320, 180, 2))
}

// BenchmarkPicture renders what programs in C++ render by the clock that these have: the
// conversion to 8 bits is inside, by as many workers as render, and the memory of the
// picture is written before.
func BenchmarkPicture(b *testing.B) {
	each(b, steps.All(), slices.Concat(scene.Names(), sizes), picture(1280, 720, 10))
}

// picture renders whole pictures of a size.
func picture(width, height, samples int) func(*testing.B, steps.Step, *scene.Scene) {
	return func(b *testing.B, step steps.Step, sc *scene.Scene) {
		tracer, f, s := constructors[step.Name](sc), film.New(width, height), common.Default()
		s.Width, s.Height, s.Samples = width, height, samples
		picture, workers := make([]byte, 3*width*height), 1
		if step.Workers {
			workers = s.Workers
		}
		convert := func() {
			var wg sync.WaitGroup
			for w := range workers {
				wg.Go(func() {
					for y := w * height / workers; y < (w+1)*height/workers; y++ {
						f.AppendRow(picture[3*width*y:][:0], y)
					}
				})
			}
			wg.Wait()
		}
		for x, y := range f.Pixels() {
			f.Set(x, y, 1, 1, 1, 1)
		}
		convert()
		rays := int64(0)
		for b.Loop() {
			rays += tracer.Render(f, s)
			convert()
		}
		b.ReportMetric(float64(rays)/float64(b.N), "rays/op")
		b.ReportMetric(float64(rays)/b.Elapsed().Seconds(), "rays/s")
		b.ReportMetric(float64(crc32.ChecksumIEEE(picture)), "crc32")
	}
}

// hot are the functions that test the spheres.
var hot = map[string][]any{
	"step01": {(*step01.List).Hit, (*step01.Sphere).Hit},
	"step02": {(*step02.List).Hit, (*step02.Sphere).Hit},
	"step03": {(*step03.World).Hit},
	"step04": {(*step04.World).Hit},
	"step05": {(*step05.World).Hit},
	"step06": {(*step06.World).Hit},
	"step07": {(*step07.World).Hit},
	"step08": {(*step08.World).Hit},
	"step09": {(*step09.World).Hit},
}

// A method is where its code begins, and no wrapper around it.
func TestHot(t *testing.T) {
	for name, functions := range hot {
		for _, f := range functions {
			symbol := runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name()
			if !strings.HasPrefix(symbol, "raysteps/"+name+".(*") || !strings.HasSuffix(symbol, ").Hit") {
				t.Errorf("%s: %s is no method Hit of it", name, symbol)
			}
		}
	}
}
