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
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/cpu"

	"raysteps/common/mem"
)

var update = flag.Bool("update", false, "make the headers from the assembly of the steps")

// Lines of a loop that can be left out; what of a line can be a register, the same for
// all; and a copy and the multiplication that overwrites it, for which AVX has one
// instruction.
var (
	left = map[string]*regexp.Regexp{
		"STORES": regexp.MustCompile(`^\tV?MOVUPS\t[XYZ]\d+, \d*\(R1[23]\)`),
		"MASK":   regexp.MustCompile(`^\t(V?MOVMSKPS|VPTESTNMD|KMOVW|SHLL|ORL|XORL\t\$|SHLQ|ORQ\tAX)`),
	}
	column = regexp.MustCompile(`\d*\(R(8|9|10|11)\)\(CX\*4\)`)
	copied = regexp.MustCompile(`MOVAPS\t(X\d+), (X\d+)\n\tMULPS\t(X\d+), (X\d+)`)
)

// kernels are those of the steps.
var kernels = []struct {
	name, file, function string
	has                  bool
	without              map[string]closest
}{
	{"sse", "step10/hit_amd64.s", "closestSSE", true, map[string]closest{
		"nothing": sseNothing, "stores": sseStores, "mask": sseMask, "loads": sseLoads, "copies": sseCopies, "second": sseSecond, "all": sseAll}},
	{"avx2", "step12/hit_amd64.s", "closestAVX2", cpu.X86.HasAVX2 && cpu.X86.HasFMA, map[string]closest{
		"nothing": avx2Nothing, "stores": avx2Stores, "mask": avx2Mask, "loads": avx2Loads, "second": avx2Second, "all": avx2All}},
	{"avx512", "beyond/avx512/hit_avx512_amd64.s", "closestAVX512", cpu.X86.HasAVX512F, map[string]closest{
		"nothing": avx512Nothing, "stores": avx512Stores, "mask": avx512Mask, "loads": avx512Loads, "second": avx512Second, "all": avx512All}},
}

var variants = []string{"nothing", "second", "stores", "mask", "loads", "copies", "all"}

// header returns a kernel in which what may be left out stands between #ifndef and
// #endif or is an argument of a macro. It lacks what asks for the processor, and what no
// more than eight spheres take.
func header(t *testing.T, text, function string) string {
	_, text, found := strings.Cut(text, "TEXT ·"+function+"(SB)")
	require.True(t, found, function)
	text, _, _ = strings.Cut(text, "\n\n// ") // what stands before the next function
	text, _, _ = strings.Cut(text, "\n\nfew:\n")
	text = regexp.MustCompile(`(?m)[ \t]*//.*$`).ReplaceAllString("TEXT NAME(SB)"+text+"\n", "")
	text = regexp.MustCompile(`(?m)^\t(CMPB\t·has.*|J\w+\t(generic|narrower|few)|CMPQ\tSI, \$const_wideFrom|JMP\t.*·.*)\n`).ReplaceAllString(text, "")
	text = copied.ReplaceAllString(text, "COPIED($3, $1, $2, $4)")
	var b strings.Builder
	b.WriteString("// Made from the kernel of a step; see doc.go.\n\n#include \"begin.h\"\n")
	guard, end := "", ""
	found = false
	for line := range strings.Lines(text) {
		if label := strings.TrimSuffix(line, ":\n"); label == "pair" || label == "group" {
			end = "\t" + label + "\n" // of the jump back
		}
		name := ""
		for what, lines := range left {
			if end != "" && lines.MatchString(line) {
				name = what
			}
		}
		if name != guard && guard != "" {
			b.WriteString("#endif\n")
		}
		if name != guard && name != "" {
			b.WriteString("#ifndef " + name + "\n")
		}
		guard = name
		if end != "" && column.MatchString(line) { // a number that lets no sphere be a candidate
			line = column.ReplaceAllString(line, "COLUMN($0, "+regexp.MustCompile(`[XYZ]\d`).FindString(line)[:1]+"5)")
		}
		if line != "\n" {
			b.WriteString(line)
		}
		if end != "" && strings.HasSuffix(line, end) && strings.HasPrefix(line, "\tJ") {
			end = ""
		}
		if line == "\tMOVQ\t$-1, AX\n" && !found {
			b.WriteString("#ifndef NOTHING\n\tMOVQ\tAX, closest+24(FP)\n\tMOVSS\tX1, t+32(FP)\n\tRET\n#endif\n")
			found = true
		}
	}
	for _, what := range []string{"#ifndef STORES", "#ifndef MASK", "COLUMN(", "#ifndef NOTHING"} {
		assert.Contains(t, b.String(), what, function)
	}
	b.WriteString("#include \"end.h\"\n")
	return b.String()
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
// average, as in the large scene, in columns that start 64 bytes apart, but for multiples
// of a page.
func wall() (*firstPass, []Ray) {
	rng := rand.New(rand.NewPCG(10, 6))
	const apart = (2*page + 64) / 4
	floats := mem.Aligned[float32](7*apart, page)
	column := func(i int) []float32 { return floats[i*apart : i*apart+488 : i*apart+488] }
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

// cyclesOf returns the cycles of an operation: of the fastest of many groups of so many,
// since others are interrupted, by the fastest of many chains of additions.
func cyclesOf(b *testing.B, group int, run func(i int)) float64 {
	const rounds = 1 << 10                       // of the chain, long beside a look at the clock
	operation, cycle := math.Inf(1), math.Inf(1) // in seconds
	for i := 0; b.Loop(); i++ {
		start := time.Now()
		chain(rounds)
		cycle = min(cycle, time.Since(start).Seconds()/rounds/links)
		start = time.Now()
		run(i)
		operation = min(operation, time.Since(start).Seconds()/float64(group))
	}
	return operation / cycle
}

// BenchmarkAblation leaves one thing out of a kernel, or all of them.
func BenchmarkAblation(b *testing.B) {
	for _, k := range kernels {
		for _, without := range variants {
			if run := k.without[without]; run != nil {
				b.Run("kernel="+k.name+"/without="+without, func(b *testing.B) {
					if !k.has {
						b.Skip("the processor cannot run it")
					}
					bench(b, run)
				})
			}
		}
	}
}

// stored is the article's other way to collect candidates: the kernel of step 10 stores
// all discriminants and no bits, and each is asked afterwards.
func stored(p *firstPass, r *Ray, tMin, tMax float32) (closest int, t float32) {
	sseMask(p, r, tMin, tMax) // which has no second pass, either
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

// BenchmarkForwarding stores numbers and loads them again at once, over and over. A
// processor hands the bytes of a store that is under way to a load if one store has
// all of them; otherwise the load waits until the stores are done.
func BenchmarkForwarding(b *testing.B) {
	for _, tt := range []struct {
		name string
		run  func(n int)
	}{{"store=16/load=16", store16load16}, {"store=4x4/load=16", store4x4load16}} {
		b.Run(tt.name, func(b *testing.B) {
			if !cpu.X86.HasAVX2 {
				b.Skip("the processor lacks AVX")
			}
			const rounds = 256
			b.ReportMetric(cyclesOf(b, rounds, func(int) { tt.run(rounds) }), "cycles/op")
		})
	}
}
