package main

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"
)

const perIteration = "instructions/iteration"

// loops are those that are counted, by the name of their function, or that before its width: the
// shortest loop in it with an instruction that only the vectorized one has.
var loops = map[string]struct {
	kernel, marks string
	// How many elements an iteration has, or if less than 1, a bit of the vectors; and the
	// same by the package simd. A loop with 0 is not counted.
	elements, portable float64
}{
	"sum":       {"Sum", "VADDPS|VFADD|F32x4Add", 32, 4. / 32},
	"dot":       {"Dot", "VMULPS|VFMUL|F32x4Mul", 32, 4. / 32},
	"countByte": {"CountByte", "VPCMPEQB|VPCMPUB|VPCMPB|VCMEQ|I8x16Eq", 1. / 8, 1. / 8},
	"above":     {"Above", "VCMPPS", 1. / 32, 0},
	"minIndex":  {"MinIndex", "VCMPPS|VFCM|F32x4Lt", 1. / 32, 1. / 32},
	"minLanes":  {"MinIndex", "VCMPPS", 1. / 32, 0},
	"hamming":   {"Hamming", "VPXOR|VEOR|V128Xor", 1. / 64, 1. / 64},
	"run":       {"FirstPass", "VFMADD", 16, 0},
	"run256":    {"FirstPass", "VFMADD", 32, 0},
}

type instruction struct {
	at, to    int // addresses; to is where a jump leads, or -1
	op, about string
}

var (
	heading  = regexp.MustCompile(`^raysteps/\S+\.(\S+) STEXT`)
	function = regexp.MustCompile(`^(\w+?)(SIMD@simd|AVX|)(2|128|256|512)$`)
	printed  = regexp.MustCompile(`^\t0x[0-9a-f]+ (\d+) \(.*?\)\t(\S+)\t?(.*)$`)
	target   = regexp.MustCompile(`^(?:.*, ?)?(\d+)$`)
	branch   = regexp.MustCompile(`^(J|B|CB|TB)`)
)

// count counts the loops in what go build -gcflags=-S -asmflags=-S prints. Its lines have the
// package in which the page looks for them.
func count(listing, arch string) (lines []*benchfmt.Result) {
	for symbol, code := range parse(listing, arch) {
		if line := countIn(symbol, code, arch); line != nil {
			lines = append(lines, line)
		}
	}
	slices.SortFunc(lines, func(a, b *benchfmt.Result) int {
		return cmp.Compare(string(a.Name), string(b.Name))
	})
	return lines
}

// notes are what is printed among instructions and is none.
var notes = []string{"TEXT", "PCDATA", "FUNCDATA", "NOP", "Block", "Loop", "End"}

// parse returns the instructions of each function of this module.
func parse(listing, arch string) map[string][]instruction {
	code, at := map[string][]instruction{}, ""
	for line := range strings.Lines(listing) {
		line = strings.TrimRight(line, "\n")
		if m := heading.FindStringSubmatch(line); m != nil {
			at = m[1]
			code[at] = nil // not what was printed under this name before, such as a wrapper
			continue
		}
		m := printed.FindStringSubmatch(line)
		if m == nil || at == "" || slices.Contains(notes, m[2]) {
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
	return code
}

// countIn counts the loop of a function, or returns nil if it has none of loops.
func countIn(symbol string, code []instruction, arch string) *benchfmt.Result {
	m := function.FindStringSubmatch(symbol)
	if m == nil {
		return nil
	}
	l, bits := loops[m[1]], m[3]
	if own, ok := loops[symbol]; ok {
		l = own
	}
	way := map[string]string{"": "archsimd", "AVX": "assembly", "SIMD@simd": "simd"}[m[2]]
	if bits == "2" { // of AVX2
		bits = "256"
	}
	elements := l.elements
	if way == "simd" {
		elements = l.portable
	}
	if elements < 1 {
		width, _ := strconv.ParseFloat(bits, 64)
		elements *= width
	}
	instructions := shortest(code, regexp.MustCompile(l.marks))
	if elements == 0 || instructions == 0 {
		return nil
	}
	what := "Loop/kernel=" + l.kernel + "/way=" + way + "/bits=" + bits + "/arch=" + arch
	line := &benchfmt.Result{Name: benchfmt.Name(what), Iters: 1, Values: []benchfmt.Value{
		{Value: float64(instructions), Unit: perIteration},
		{Value: float64(instructions) / elements, Unit: "instructions/element"},
	}}
	line.SetConfig("pkg", kernels)
	if l.kernel == "FirstPass" {
		line.SetConfig("pkg", tracer)
	}
	return line
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
