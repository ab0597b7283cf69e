package toolchain

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"raysteps/scripts/internal/cli"
)

// Instruction is one machine instruction of a function.
type Instruction struct {
	// File is the base name of the source file and Line the line in it. For
	// code that was inlined they name the inlined function's file, which may
	// be one of another package.
	File string
	Line int

	// Label is set if a jump leads here: L1, L2 and so on, by address.
	Label string

	// Text is the instruction in the syntax of the Go assembler. Where the
	// linker fills in an address it names the symbol, and a jump within the
	// function names a label, so that there are no addresses in it.
	Text string

	target int // index of the instruction that it jumps to, or -1
}

// Function is the code of one function. The instructions that do nothing are
// in it: a NOP of one byte, which the compiler puts in for an inlined call
// that left no other, and longer ones, which align a jump.
type Function struct {
	Symbol       string // as the linker knows it, without the path of the package: (*Sphere).Hit
	Instructions []Instruction

	generated bool   // it has no source file
	unknown   string // where the first instruction is that objdump cannot read, or empty
}

// Disassemble returns the code of a function: Hit, or Sphere.Hit for a
// method. A method of a generic type is named without its type arguments if
// only one instance of it was compiled. Literals are named as the compiler
// does, World.Hit.func1. It is an error if the function has instructions with a
// VEX or EVEX prefix, those of AVX and later: go tool objdump prints others in
// their place.
func Disassemble(root, pkg, symbol string) (Function, error) {
	return lookup(question{root: root, pkg: pkg}, symbol)
}

// DisassembleTest is [Disassemble] for the package as its tests have it, with
// what the files of the tests declare.
func DisassembleTest(root, pkg, symbol string) (Function, error) {
	return lookup(question{root: root, pkg: pkg, test: true}, symbol)
}

func lookup(q question, symbol string) (Function, error) {
	all, err := disassemble(q)
	if err != nil {
		return Function{}, err
	}
	f, err := find(all, symbol)
	if err != nil {
		return Function{}, fmt.Errorf("package %s: %w", q.pkg, err)
	}
	if f.unknown != "" {
		return Function{}, fmt.Errorf("package %s: %s has AVX instructions at %s, which go tool objdump does not know; want a function without them", q.pkg, symbol, f.unknown)
	}
	return f, nil
}

var disassemble = memo(func(q question) ([]Function, error) {
	with, err := Experiment(q.root, q.pkg)
	if err != nil {
		return nil, err
	}
	// With -export the archives are compiled into the cache of builds, where
	// they need no place of their own. That of the package and that of its
	// tests have ForTest set; what runs the tests is called main.
	format := "{{if not .ForTest}}{{.Export}}{{end}}"
	args := slices.Concat([]string{"list", "-export"}, buildFlags)
	if q.test {
		format = `{{if and .ForTest (ne .Name "main")}}{{.Export}}{{end}}`
		args = append(args, "-test")
	}
	archives, _, err := goExperiment(q.root, with, append(args, "-f", format, "./"+q.pkg)...)
	if err != nil {
		return nil, fmt.Errorf("package %s: %w", q.pkg, err)
	}
	var all []Function
	for archive := range strings.Lines(archives) {
		if archive = strings.TrimSpace(archive); archive == "" {
			continue
		}
		out, _, err := goCommand(q.root, "tool", "objdump", archive)
		if err != nil {
			return nil, fmt.Errorf("package %s: %w", q.pkg, err)
		}
		functions, err := parseObjdump(out, q.pkg)
		if err != nil {
			return nil, err
		}
		all = append(all, functions...)
	}
	return all, nil
})

// find resolves the name of a function. Code that the compiler made up, such
// as the method of the pointer that calls the method of the value, counts
// only where there is nothing else.
func find(all []Function, symbol string) (Function, error) {
	var found []Function
	var have []string
	generated := false
	for _, f := range all {
		plain := plainName(f.Symbol)
		if f.generated {
			generated = generated || f.Symbol == symbol || plain == symbol
			continue
		}
		have = append(have, plain)
		if f.Symbol == symbol || plain == symbol || typeArgs.ReplaceAllString(plain, "") == symbol {
			found = append(found, f)
		}
	}
	if len(found) > 1 {
		// A generic function has one body for each shape of its arguments, and
		// wrappers that call or repeat it for each of the types.
		shapes := slices.DeleteFunc(slices.Clone(found), func(f Function) bool { return !strings.Contains(f.Symbol, "go.shape.") })
		if len(shapes) == 1 {
			return shapes[0], nil
		}
		var names []string
		for _, f := range found {
			names = append(names, f.Symbol)
		}
		return Function{}, fmt.Errorf("%s was compiled more than once; want one of %s", symbol, strings.Join(names, ", "))
	}
	if len(found) == 0 && generated {
		return Function{}, fmt.Errorf("%s is assembly or made up by the compiler; want a function written in Go", symbol)
	}
	if len(found) == 0 {
		return Function{}, fmt.Errorf("there is no code for %s; there is for %s", symbol, cli.Some(similar(have, symbol)))
	}
	return found[0], nil
}

var typeArgs = regexp.MustCompile(`\[[^\]]*(\[[^\]]*\][^\]]*)*\]`)

// plainName turns (*Sphere).Hit into Sphere.Hit.
func plainName(symbol string) string {
	if rest, ok := strings.CutPrefix(symbol, "(*"); ok {
		if name, method, ok := strings.Cut(rest, ")"); ok {
			return name + method
		}
	}
	return symbol
}

// similar sorts names, first those that end as one does that was not found.
func similar(names []string, like string) []string {
	last := like[strings.LastIndexByte(like, '.')+1:]
	rank := func(name string) int {
		if strings.HasSuffix(name, last) {
			return 0
		}
		return 1
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(rank(a)-rank(b), cmp.Compare(a, b)) })
	return names
}

// raw is an instruction as objdump prints it.
type raw struct {
	Instruction
	addr, size uint64
	reloc      []string // [2:6]R_PCREL:runtime.writeBarrier+-1
	vex        bool     // begins as AVX instructions and later ones do
}

// parseObjdump reads what go tool objdump prints for an archive of pkg.
func parseObjdump(out, pkg string) ([]Function, error) {
	var all []Function
	var symbol, file, prefix string
	var code []raw
	end := func() {
		// A function that was inlined wherever it is used has a head alone.
		if symbol != "" && len(code) > 0 {
			f := Function{
				Symbol:       strings.TrimPrefix(symbol, prefix),
				Instructions: resolve(symbol, prefix, code),
				generated:    file == "<autogenerated>",
			}
			if i := slices.IndexFunc(code, func(r raw) bool { return r.vex }); i >= 0 {
				f.unknown = fmt.Sprintf("%s:%d", code[i].File, code[i].Line)
			}
			all = append(all, f)
		}
		symbol, code = "", nil
	}
	for line := range strings.Lines(out) {
		line = strings.TrimRight(line, "\r\n")
		if head, ok := strings.CutPrefix(line, "TEXT "); ok {
			end()
			name, source, _ := strings.Cut(head, "(SB) ")
			// The symbol is the path of the package, a dot and the name. A test
			// may be in a package of its own, whose name ends in _test.
			for _, own := range []string{pkg + ".", pkg + "_test."} {
				if i := strings.Index(name, own); i >= 0 && !strings.ContainsAny(name[:i], ":(*[") {
					symbol, file, prefix = name, source, name[:i]+own
					break
				}
			}
			continue
		}
		fields := strings.FieldsFunc(line, func(r rune) bool { return r == '\t' })
		if symbol == "" || len(fields) < 4 {
			continue
		}
		var r raw
		where := strings.TrimSpace(fields[0])
		colon := strings.LastIndexByte(where, ':')
		addr, err := strconv.ParseUint(strings.TrimSpace(fields[1]), 0, 64)
		if err != nil || colon < 0 {
			return nil, fmt.Errorf("objdump printed what is no instruction: %q", line)
		}
		r.File = where[:colon]
		r.Line, _ = strconv.Atoi(where[colon+1:])
		bytes := strings.TrimSpace(fields[2])
		r.addr, r.size = addr, uint64(len(bytes)/2)
		r.vex = vexPrefix.MatchString(bytes)
		r.Text = strings.TrimSpace(fields[3])
		if r.Text == "NOPL" && r.size == 1 {
			r.Text = "NOP" // which has no operand whose size there could be
		}
		for _, f := range fields[4:] {
			r.reloc = append(r.reloc, strings.Fields(f)...)
		}
		code = append(code, r)
	}
	end()
	return all, nil
}

var (
	vexPrefix  = regexp.MustCompile(`^(c4|c5|62)`) // in 64-bit code nothing else begins so
	relocation = regexp.MustCompile(`^\[(\d+):(\d+)\](R_\w+)(?::(.*?)(?:\+(-?\d+))?)?$`)
	jump       = regexp.MustCompile(`^(J[A-Z]+|CALL|XBEGIN) (0x[0-9a-f]+|\S+\(SB\))$`)
	abi        = regexp.MustCompile(`<\d+>$`)
)

// resolve replaces addresses by symbols and labels.
func resolve(symbol, prefix string, code []raw) []Instruction {
	index := make(map[uint64]int, len(code))
	for i, r := range code {
		index[r.addr] = i
	}
	out := make([]Instruction, len(code))
	targets := map[int]bool{}
	for i, r := range code {
		in := r.Instruction
		in.target = -1
		linked := false
		for _, reloc := range r.reloc {
			m := relocation.FindStringSubmatch(reloc)
			if m == nil || m[4] == "" {
				continue
			}
			name := strings.ReplaceAll(abi.ReplaceAllString(m[4], ""), prefix, "")
			switch {
			case m[3] == "R_CALL":
				op, _, _ := strings.Cut(in.Text, " ")
				in.Text, linked = op+" "+name+"(SB)", true
			case m[3] == "R_PCREL" && strings.Contains(in.Text, "0(IP)"):
				// The addend makes up for what follows the address within the
				// instruction; the rest of it is an offset from the symbol.
				end, _ := strconv.Atoi(m[2])
				add, _ := strconv.Atoi(m[5])
				if offset := add + int(r.size) - end; offset != 0 {
					name += fmt.Sprintf("%+d", offset)
				}
				in.Text = strings.Replace(in.Text, "0(IP)", name+"(SB)", 1)
			}
		}
		if m := jump.FindStringSubmatch(in.Text); m != nil && !linked {
			target := code[0].addr // a jump to the start is shown as one to the function
			if m[2] != symbol+"(SB)" {
				target, _ = strconv.ParseUint(m[2], 0, 64)
			}
			if to, ok := index[target]; ok {
				in.target = to
				targets[to] = true
			}
		}
		in.Text = strings.ReplaceAll(in.Text, prefix, "")
		out[i] = in
	}
	label := 0
	for i := range out {
		if targets[i] {
			label++
			out[i].Label = "L" + strconv.Itoa(label)
		}
	}
	for i := range out {
		if to := out[i].target; to >= 0 {
			op, _, _ := strings.Cut(out[i].Text, " ")
			out[i].Text = op + " " + out[to].Label
		}
	}
	return out
}
