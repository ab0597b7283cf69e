//go:build !purego

package experiments

import (
	"flag"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/common/mem"
)

var update = flag.Bool("update", false, "make the headers from the assembly of the steps")

// copied is a copy and the multiplication that overwrites it, for which AVX has one
// instruction; unused is what the kernels have here no use for: comments, what asks for the
// processor, and what no more than eight spheres take.
var (
	copied = regexp.MustCompile(`MOVAPS\t(X\d+), (X\d+)\n\tMULPS\t(X\d+), (X\d+)`)
	unused = regexp.MustCompile(`(?m)[ \t]*//.*$|^\t(CMPB\t·has.*|J\w+\t(generic|narrower|few)|CMPQ\tSI, \$const_wideFrom|JMP\t.*·.*)\n`)
)

// kernels are those of the steps.
var kernels = []struct {
	name, file, function string
	has                  bool
	without              []ablation
}{
	{"sse", "step10/hit_amd64.s", "closestSSE", true,
		[]ablation{{"nothing", sseNothing}, {"second", sseSecond}, {"copies", sseCopies}}},
	{"avx2", "step12/hit_amd64.s", "closestAVX2", true,
		[]ablation{{"nothing", avx2Nothing}, {"second", avx2Second}}},
	{"avx512", "beyond/avx512/hit_avx512_amd64.s", "closestAVX512", hasAVX512,
		[]ablation{{"nothing", avx512Nothing}, {"second", avx512Second}}},
}

// ablation is a kernel without something.
type ablation struct {
	what string
	run  closest
}

// header returns a kernel that may end before the second pass, and whose copies are macros.
func header(t *testing.T, text, function string) string {
	_, text, found := strings.Cut(text, "TEXT ·"+function+"(SB)")
	require.True(t, found, function)
	text, _, _ = strings.Cut(text, "\n\n// ") // what stands before the next function
	text, _, _ = strings.Cut(text, "\n\nfew:\n")
	text = copied.ReplaceAllString(unused.ReplaceAllString(text, ""), "COPIED($3, $1, $2, $4)")
	const second = "\tMOVQ\t$-1, AX\n" // where the second pass begins
	text = strings.Replace(text, second, second+"#ifdef SECOND\n\tMOVQ\tAX, closest+24(FP)\n\tMOVSS\tX1, t+32(FP)\n\tRET\n#endif\n", 1)
	require.Contains(t, text, "#ifdef SECOND", function)
	text = strings.TrimSpace(regexp.MustCompile(`\n\n+`).ReplaceAllString(text, "\n"))
	return "// Made from the kernel of a step; see doc.go.\n\nTEXT NAME(SB)" + text + "\n#undef NAME\n"
}

// TestAblation holds the headers to the assembly of the steps, or makes them.
func TestAblation(t *testing.T) {
	for _, k := range kernels {
		source, err := os.ReadFile(filepath.Join("..", "..", filepath.FromSlash(k.file)))
		require.NoError(t, err)
		name, want := k.name+".h", header(t, string(source), k.function)
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
func wall() (*firstPass, []Ray) {
	rng := rand.New(rand.NewPCG(10, 6))
	const apart = (2*page + 64) / 4
	floats := mem.Aligned[float32](7*apart, page)
	column := func(i int) []float32 { return floats[i*apart : i*apart+488 : i*apart+496] }
	p := &firstPass{cx: column(0), cy: column(1), cz: column(2), radiusSq: column(3), nb: column(4), discriminants: column(5), candidates: make([]uint64, 8)}
	for i := range p.cx {
		p.cx[i], p.cy[i], p.cz[i] = 2*rng.Float32()-1, 2*rng.Float32()-1, 10+rng.Float32()
		p.radiusSq[i] = 1.4 * 4 / math.Pi / spheres
		if i >= spheres {
			p.radiusSq[i] = float32(math.Inf(-1))
		}
	}
	rays := make([]Ray, 4096)
	for i := range rays {
		x, y := 2*rng.Float64()-1, 2*rng.Float64()-1
		f := 1 / math.Sqrt(x*x+y*y+100)
		rays[i].Direction = Vec3{float32(x * f), float32(y * f), float32(10 * f)}
	}
	return p, rays
}

// bench reports the cycles that a sphere takes.
func bench(b *testing.B, run closest) {
	p, rays := wall()
	const group = 64
	b.ReportMetric(cyclesOf(b, group, func(i int) {
		some := rays[i*group%len(rays):][:group]
		for j := range some {
			run(p, &some[j], 0.001, math.MaxFloat32)
		}
	})/spheres, "cycles/sphere")
}

// BenchmarkAblation leaves the second pass out of a kernel, and SSE's copies besides.
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
func stored(p *firstPass, r *Ray, tMin, tMax float32) (closest int, t float32) {
	sseSecond(p, r, tMin, tMax)
	closest = -1
	nb := p.nb[:len(p.discriminants)]
	for i, discriminant := range p.discriminants {
		if math.Float32bits(discriminant)>>31 == 0 {
			root := float32(math.Sqrt(float64(discriminant)))
			t := nb[i] - root
			if !(t > tMin) {
				t = nb[i] + root
			}
			if t > tMin && t < tMax {
				closest, tMax = i, t
			}
		}
	}
	return closest, tMax
}

// BenchmarkCandidates collects a bit for each sphere, as step 10 does, or asks what was
// stored.
func BenchmarkCandidates(b *testing.B) {
	b.Run("way=bits", func(b *testing.B) { bench(b, sseNothing) })
	b.Run("way=stored", func(b *testing.B) { bench(b, stored) })
}

// Both ways find the same.
func TestCandidates(t *testing.T) {
	p, rays := wall()
	for i := range rays {
		want, distance := sseNothing(p, &rays[i], 0.001, math.MaxFloat32)
		got, at := stored(p, &rays[i], 0.001, math.MaxFloat32)
		require.Equal(t, want, got)
		require.Equal(t, distance, at)
	}
}
