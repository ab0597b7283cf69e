package archsimd

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"raysteps/beyond/avx512"
	"raysteps/common"
	"raysteps/common/film"
	"raysteps/common/scene"
	"raysteps/step12"
)

// way is how a kernel is written, and for which width.
type way struct {
	name, kernel string
	bits         int
	step         func(*scene.Scene) common.Tracer // of another package, or nil
}

func ways() (all []way) {
	step12 := func(s *scene.Scene) common.Tracer { return step12.New(s) }
	avx512 := func(s *scene.Scene) common.Tracer { return avx512.New(s) }
	for _, w := range []way{
		{"assembly", "neon", 128, step12},
		{"assembly", "avx2", 256, step12},
		{"assembly", "avx512", 512, avx512},
	} {
		// And not the plain version or another width, on this processor.
		if w.step(scene.Small()).(common.KernelTracer).Kernel() == w.kernel {
			all = append(all, w)
		}
	}
	for _, k := range kernels[1:] {
		name := strings.TrimRight(k.name, "0123456789")
		width, _ := strconv.Atoi(k.name[len(name):])
		narrowest := width
		if name == "simd" { // of the widest that the processor has, or that GODEBUG allows
			narrowest = 128
		}
		for bits := narrowest; bits <= width; bits *= 2 {
			all = append(all, way{name, fmt.Sprint(name, bits), bits, nil})
		}
	}
	return all
}

// BenchmarkWidths renders the scenes with kernels written in three ways, at each
// width that this processor has: with those in assembly of step 12 and avx512, and
// with those of this package.
//
//	GOTOOLCHAIN=go1.27.4 GOEXPERIMENT=simd go test -run '^$' -bench Widths ./beyond/archsimd
func BenchmarkWidths(b *testing.B) {
	s := common.Quick()
	for _, sc := range []*scene.Scene{scene.Small(), scene.Medium(), scene.Large()} {
		for _, w := range ways() {
			b.Run(fmt.Sprintf("scene=%s/way=%s/bits=%d", sc.Name, w.name, w.bits), func(b *testing.B) {
				here := slices.ContainsFunc(kernels, func(k kernel) bool { return k.name == w.kernel })
				if w.name == "simd" && !here {
					benchProgram(b, w.bits)
					return
				}
				var tracer common.Tracer
				if w.step != nil {
					tracer = w.step(sc)
				} else {
					defer choose(b, w.kernel)()
					tracer = New(sc)
				}
				f := film.New(s.Width, s.Height)
				tracer.Render(f, s)
				rays := int64(0)
				for b.Loop() {
					rays += tracer.Render(f, s)
				}
				b.ReportMetric(float64(rays)/b.Elapsed().Seconds(), "rays/s")
			})
		}
	}
}

// benchProgram runs a benchmark in a program of its own and reports what it says:
// the package simd chooses its width when a program starts.
func benchProgram(b *testing.B, bits int) {
	pattern := "^" + strings.ReplaceAll(b.Name(), "/", "$/^") + "$"
	long := flag.Lookup("test.benchtime").Value.String()
	cmd := exec.Command(os.Args[0], "-test.run=^$", "-test.bench="+pattern, "-test.benchtime="+long)
	debug := strings.TrimPrefix(os.Getenv("GODEBUG")+",", ",")
	cmd.Env = append(os.Environ(), fmt.Sprintf("GODEBUG=%ssimd=+%d", debug, bits))
	out, err := cmd.CombinedOutput()
	m := regexp.MustCompile(`(\d+) ns/op\s+(\S+) rays/s`).FindSubmatch(out)
	if err != nil || m == nil {
		b.Fatalf("%v: %v\n%s", cmd, err, out)
	}
	ns, err := strconv.ParseFloat(string(m[1]), 64)
	rate, err2 := strconv.ParseFloat(string(m[2]), 64)
	if err := cmp.Or(err, err2); err != nil {
		b.Fatal(err)
	}
	b.ReportMetric(ns, "ns/op")
	b.ReportMetric(rate, "rays/s")
}
