package main

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"

	"raysteps/scripts/internal/measure"
)

const perIteration = "instructions/iteration"

// loops are those that are counted: in each function the shortest loop that has an
// instruction which only the vectorized one has.
var loops = []struct {
	pkg, function, name, marks string
	elements                   float64 // an iteration
}{
	{kernels, `sum(256|512)`, "Sum", "VADDPS", 32},
	{kernels, `sum(AVX512)`, "Sum", "VADDPS", 32},
	{kernels, `sumSIMD@simd(128|256|512)`, "Sum", "VADDPS|VFADD|F32x4Add", 4. / 32},
	{kernels, `dot(256|512)`, "Dot", "VMULPS", 32},
	{kernels, `dot(AVX512)`, "Dot", "VMULPS", 32},
	{kernels, `dotSIMD@simd(128|256|512)`, "Dot", "VMULPS|VFMUL|F32x4Mul", 4. / 32},
	{kernels, `countByte(256|512)`, "CountByte", "VPCMPEQB|VPCMPUB|VPCMPB", 1. / 8},
	{kernels, `countByteSIMD@simd(128|256|512)`, "CountByte", "VPCMPEQB|VPCMPUB|VPCMPB|VCMEQ|I8x16Eq", 1. / 8},
	{kernels, `above(256|512)`, "Above", "VCMPPS", 1. / 32},
	{kernels, `above(AVX512)`, "Above", "VCMPPS", 1. / 32},
	{kernels, `minIndex(256|512)`, "MinIndex", "VCMPPS", 1. / 32},
	{kernels, `minLanes(AVX512)`, "MinIndex", "VCMPPS", 1. / 32},
	{kernels, `minIndexSIMD@simd(128|256|512)`, "MinIndex", "VCMPPS|VFCM|F32x4Lt", 1. / 32},
	{kernels, `hamming(256|512)`, "Hamming", "VPXOR", 1. / 64},
	{kernels, `hamming(AVX512)`, "Hamming", "VPXOR", 1. / 64},
	{kernels, `hammingSIMD@simd(128|256|512)`, "Hamming", "VPXOR|VEOR|V128Xor", 1. / 64},
	{tracer, `run(256|512)`, "FirstPass", "VFMADD", 16},
	{"raysteps/step12", `closest(AVX2)`, "FirstPass", "VFMADD", 16},
	{"raysteps/beyond/avx512", `closest(AVX512)`, "FirstPass", "VFMADD", 16},
}

type instruction struct {
	at, to    int // addresses; to is where a jump leads, or -1
	op, about string
}

var (
	heading = regexp.MustCompile(`^(raysteps/\S+)\.(\S+) STEXT`)
	printed = regexp.MustCompile(`^\t0x[0-9a-f]+ (\d+) \(.*?\)\t(\S+)\t?(.*)$`)
	target  = regexp.MustCompile(`^(?:.*, ?)?(\d+)$`)
	branch  = regexp.MustCompile(`^(J|B|CB|TB)`)
)

// count counts the loops in what go build -gcflags=-S -asmflags=-S prints.
func count(listing, arch, release string) (lines []*benchfmt.Result) {
	code, at := map[string][]instruction{}, ""
	for line := range strings.Lines(listing) {
		line = strings.TrimRight(line, "\n")
		if m := heading.FindStringSubmatch(line); m != nil {
			at = m[1] + "." + m[2]
			code[at] = nil // not what was printed under this name before, such as a wrapper
			continue
		}
		m := printed.FindStringSubmatch(line)
		if m == nil || at == "" || slices.Contains([]string{"TEXT", "PCDATA", "FUNCDATA", "NOP", "Block", "Loop", "End"}, m[2]) {
			continue
		}
		in := instruction{to: -1, op: m[2], about: m[3]}
		in.at, _ = strconv.Atoi(m[1])
		if t := target.FindStringSubmatch(in.about); t != nil && branch.MatchString(in.op) && arch != "wasm" {
			in.to, _ = strconv.Atoi(t[1])
		}
		// In WebAssembly a jump back sets the number of a block, which stands here for its
		// address, and goes to the head of all blocks.
		if all := code[at]; in.op == "Br" && len(all) > 1 && all[len(all)-1].about == "PC_B" {
			in.to, _ = strconv.Atoi(strings.TrimPrefix(all[len(all)-2].about, "$"))
		}
		code[at] = append(code[at], in)
	}
	for _, l := range loops {
		function := regexp.MustCompile("^" + regexp.QuoteMeta(l.pkg+".") + l.function + "$")
		for symbol, all := range code {
			m := function.FindStringSubmatch(symbol)
			if m == nil {
				continue
			}
			instructions := shortest(all, regexp.MustCompile(l.marks))
			if instructions == 0 {
				continue
			}
			way, bits := "archsimd", m[1]
			switch {
			case strings.Contains(l.function, "SIMD"):
				way = "simd"
			case strings.HasPrefix(bits, "AVX"):
				way, bits = "assembly", map[string]string{"AVX2": "256", "AVX512": "512"}[bits]
			}
			width, _ := strconv.ParseFloat(bits, 64)
			elements := l.elements
			if elements < 1 {
				elements *= width
			}
			line := &benchfmt.Result{Name: benchfmt.Name("Loop/kernel=" + l.name + "/way=" + way + "/bits=" + bits + "/arch=" + arch), Iters: 1, Values: []benchfmt.Value{
				{Value: float64(instructions), Unit: perIteration}, {Value: float64(instructions) / elements, Unit: "instructions/element"},
			}}
			pkg := l.pkg
			if l.name == "FirstPass" {
				pkg = tracer
			}
			measure.SetConfig(line, "pkg", pkg)
			measure.SetConfig(line, "goversion", release)
			lines = append(lines, line)
		}
	}
	slices.SortStableFunc(lines, func(a, b *benchfmt.Result) int { return cmp.Compare(string(a.Name), string(b.Name)) })
	return lines
}

// shortest returns how many instructions the shortest loop has that has a mark. A branch
// forward that stays in the loop is taken: it passes over what is done now and then.
func shortest(all []instruction, mark *regexp.Regexp) (best int) {
	for end, jump := range all {
		if jump.to < 0 || jump.to > jump.at {
			continue
		}
		n, marked, from := 0, false, jump.to
		for _, in := range all[:end+1] {
			if in.at < from {
				continue
			}
			n++
			marked = marked || mark.MatchString(in.op)
			if in.to > in.at && in.to <= jump.at {
				from = in.to
			}
		}
		if marked && (best == 0 || n < best) {
			best = n
		}
	}
	return best
}
