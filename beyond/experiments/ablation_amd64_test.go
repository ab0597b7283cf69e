//go:build !purego

package experiments

import (
	"flag"
	"math"
	"math/bits"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/common/mem"
)

var update = flag.Bool("update", false, "make the headers from the assembly of the steps")

// copied is a copy and the multiplication that overwrites it, for which AVX has one
// instruction.
var copied = regexp.MustCompile(`MOVAPS\t(X\d+), (X\d+); \\\n\tMULPS\t(X\d+), (X\d+);`)

// kernels are those of the steps.
var kernels = []struct {
	name, file string
	has        bool
	without    []ablation
}{
	{"sse", "step10/hit_amd64.s", true,
		[]ablation{{"nothing", both(sseKernel)}, {"second", sseKernel}, {"copies", sseUncopied}}},
	{"avx2", "step12/hit_amd64.s", true,
		[]ablation{{"nothing", both(avx2Kernel)}, {"second", avx2Kernel}}},
	{"avx512", "beyond/avx512/hit_avx512_amd64.s", hasAVX512,
		[]ablation{{"nothing", both(avx512Kernel)}, {"second", avx512Kernel}}},
}

// ablation is a hit test without something.
type ablation struct {
	what string
	run  firstPass
}

// both is a first pass and the second, as in the steps.
func both(run firstPass) firstPass {
	return func(h *HitTest, r *Ray) {
		run(h, r)
		found, far = h.secondPass(0.001, math.MaxFloat32)
	}
}

// What the hit test found last, so that the compiler leaves nothing out.
var (
	found int
	far   float32
)

// secondPass is that of the steps.
func (h *HitTest) secondPass(tMin, tMax float32) (closest int, t float32) {
	closest = -1
	for word, candidates := range h.Candidates {
		for ; candidates != 0; candidates &= candidates - 1 {
			i := 64*word + bits.TrailingZeros64(candidates)
			nb, root := h.nb[i], float32(math.Sqrt(float64(h.discriminants[i])))
			t := nb - root
			if !(t > tMin) {
				t = nb + root
			}
			if t > tMin && t < tMax {
				closest, tMax = i, t
			}
		}
	}
	return closest, tMax
}

// header returns a kernel whose copies are macros. It says its own name, and those of
// the fields as this package has them.
func header(t *testing.T, text string) string {
	_, text, found := strings.Cut(text, "#include \"textflag.h\"\n")
	require.True(t, found)
	text = regexp.MustCompile(`(?m)^[ \t]*//.*\n`).ReplaceAllString(text, "")
	text = copied.ReplaceAllString(text, "COPIED($3, $1, $2, $4);")
	text = regexp.MustCompile(`TEXT ·\w+\(SB\)`).ReplaceAllString(text, "TEXT NAME(SB)")
	text = strings.NewReplacer("hitTest_candidates", "HitTest_Candidates", "hitTest_", "HitTest_").Replace(text)
	text = strings.TrimSpace(regexp.MustCompile(`\n\n+`).ReplaceAllString(text, "\n"))
	if strings.Contains(text, "#define GROUP") {
		text += "\n#undef GROUP"
	}
	return "// Made from the kernel of a step; see doc.go.\n\n" + text + "\n#undef NAME\n"
}

// TestAblation holds the headers to the assembly of the steps, or makes them.
func TestAblation(t *testing.T) {
	for _, k := range kernels {
		source, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(k.file)))
		require.NoError(t, err)
		name, want := k.name+".h", header(t, string(source))
		if *update {
			require.NoError(t, os.WriteFile(name, []byte(want), 0o666))
		}
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		assert.Equal(t, want, strings.ReplaceAll(string(text), "\r\n", "\n"), "%s is not made from the kernel as it is: go test ./beyond/experiments -update", name)
	}
}

const spheres, page = 484, 4096

// wall returns spheres that a ray of those that it returns has 1.4 candidates of on
// average (2.2 in the large scene), in columns that start 64 bytes apart, but for multiples
// of a page.
var wall = sync.OnceValues(func() (*HitTest, []Ray) {
	rng := rand.New(rand.NewPCG(10, 6))
	const apart = (2*page + 64) / 4
	floats := mem.Aligned[float32](7*apart, page)
	column := func(i int) []float32 { return floats[i*apart : i*apart+488 : i*apart+496] }
	h := &HitTest{
		cx: column(0), cy: column(1), cz: column(2), radiusSq: column(3),
		nb: column(4), discriminants: column(5), Candidates: make([]uint64, 8),
	}
	for i := range h.cx {
		h.cx[i], h.cy[i], h.cz[i] = 2*rng.Float32()-1, 2*rng.Float32()-1, 10+rng.Float32()
		h.radiusSq[i] = 1.4 * 4 / math.Pi / spheres
		if i >= spheres {
			h.radiusSq[i] = float32(math.Inf(-1))
		}
	}
	rays := make([]Ray, 4096)
	for i := range rays {
		x, y := 2*rng.Float64()-1, 2*rng.Float64()-1
		f := 1 / math.Sqrt(x*x+y*y+100)
		rays[i].Direction = Vec3{float32(x * f), float32(y * f), float32(10 * f)}
	}
	return h, rays
})

// warm is the number of rays that are traced at a time. The first few dozen of them, after
// something else, take longer on registers of 256 bits, and a picture has millions.
const warm = 1024

// bench reports the cycles that a sphere takes.
func bench(b *testing.B, run firstPass) {
	h, rays := wall()
	b.ReportMetric(cyclesOf(b, warm, func(i int) {
		some := rays[i*warm%len(rays):][:warm]
		for j := range some {
			run(h, &some[j])
		}
	})/spheres, "cycles/sphere")
}

// BenchmarkAblation leaves the second pass out of a hit test, and SSE's copies besides.
func BenchmarkAblation(b *testing.B) {
	for _, k := range kernels {
		for _, without := range k.without {
			b.Run("kernel="+k.name+"/without="+without.what, func(b *testing.B) {
				need(b, k.has)
				bench(b, without.run)
			})
		}
	}
}

// stored is the article's other way to collect candidates: each of the discriminants, which
// the kernel of step 10 stores, is asked afterwards. (The kernel collects bits as well.)
func (h *HitTest) stored(tMin, tMax float32) (closest int, t float32) {
	closest = -1
	for i, discriminant := range h.discriminants {
		if discriminant >= 0 {
			if t := h.solve(i, tMin); t > tMin && t < tMax {
				closest, tMax = i, t
			}
		}
	}
	return closest, tMax
}

// solve is a call, as in step 9: what it needs is not in the way of the loop.
//
//go:noinline
func (h *HitTest) solve(i int, tMin float32) float32 {
	root := float32(math.Sqrt(float64(h.discriminants[i])))
	if t := h.nb[i] - root; t > tMin {
		return t
	}
	return h.nb[i] + root
}

// BenchmarkCandidates collects a bit for each sphere, as step 10 does, or asks what was
// stored: of many rays, or of one again and again, which a predictor knows by heart.
func BenchmarkCandidates(b *testing.B) {
	b.Run("way=bits", func(b *testing.B) { bench(b, both(sseKernel)) })
	stored := func(h *HitTest, r *Ray) {
		sseKernel(h, r)
		found, far = h.stored(0.001, math.MaxFloat32)
	}
	b.Run("way=stored", func(b *testing.B) { bench(b, stored) })
	b.Run("way=stored-of-one-ray", func(b *testing.B) {
		_, rays := wall()
		bench(b, func(h *HitTest, _ *Ray) { stored(h, &rays[0]) })
	})
}

// Both ways find the same, and so does SSE without copies.
func TestCandidates(t *testing.T) {
	h, rays := wall()
	for i := range rays {
		sseKernel(h, &rays[i])
		want, distance := h.secondPass(0.001, math.MaxFloat32)
		got, at := h.stored(0.001, math.MaxFloat32)
		require.Equal(t, want, got)
		require.Equal(t, distance, at)
		sseUncopied(h, &rays[i])
		got, at = h.secondPass(0.001, math.MaxFloat32)
		require.Equal(t, want, got)
		require.Equal(t, distance, at)
	}
}
