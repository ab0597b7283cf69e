package main

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"

	"raysteps/scripts/internal/directive"
	"raysteps/scripts/internal/source"
	"raysteps/scripts/internal/toolchain"
)

// code is the code of a function beside its source.
type code struct {
	toolchain.Function
	files map[string]*source.File // of the package, by base name
	decl  *source.Decl            // the function, or what a literal is in
}

// packageOf are the packages that a command names, without the dot in front.
var packageOf = regexp.MustCompile(` \./([\w./-]+)`)

// instructions are those of a function that a directive chooses, from the output of
// the compiler.
func instructions(root string, c *directive.Call, out string) (string, error) {
	functions := toolchain.Assembly(out, strings.Contains(c.Get("cmd"), "go test -c"))
	packages := packageOf.FindAllStringSubmatch(c.Get("cmd"), -1)
	if len(packages) == 0 {
		return "", fmt.Errorf("cmd is %q; want a package such as ./step04", c.Get("cmd"))
	}
	if c.Get("show") == "counts" {
		return counts(root, c, packages[0][1], packages[len(packages)-1][1])
	}
	function, err := toolchain.Find(functions, c.Get("func"))
	if err != nil {
		return "", err
	}
	f, err := readCode(root, packages[0][1], function)
	if err != nil {
		return "", err
	}
	match, limit := c.Regexp("match"), c.Int("limit", 1<<30)
	first, last := 0, 0
	if c.Has("lines") {
		if first, last, err = f.lines(c.Get("lines")); err != nil {
			return "", err
		}
	}
	var chosen []int
	for i, in := range f.Instructions {
		if match.MatchString(f.source(in)) && (first == 0 || f.within(i, first, last)) {
			chosen = append(chosen, i)
		}
	}
	if len(chosen) == 0 {
		return "", fmt.Errorf("of the %d instructions of %s none is chosen; want a match or lines that fit", len(f.Instructions), c.Get("func"))
	}
	more := ""
	if n := len(chosen) - limit; n > 0 {
		chosen, more = chosen[:limit], fmt.Sprintf("... %d more instructions\n", n)
	}
	return directive.Fence("asm", f.format(chosen)+more), nil
}

// counts says how many instructions a function has in two packages.
func counts(root string, c *directive.Call, from, to string) (string, error) {
	var both [2]toolchain.Function
	for i, pkg := range []string{from, to} {
		out, err := toolchain.Output(root, "go build -gcflags=-S ./"+pkg, "")
		if err != nil {
			return "", err
		}
		if both[i], err = toolchain.Find(toolchain.Assembly(out, false), c.Get("func")); err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("`%s` has %d instructions in %s and %d in %s. By operation, %d are in %s alone and %d in %s alone.", c.Get("func"),
		len(both[0].Instructions), from, len(both[1].Instructions), to, toolchain.Surplus(both[0], both[1]), from, toolchain.Surplus(both[1], both[0]), to), nil
}

func readCode(root, pkg string, function toolchain.Function) (*code, error) {
	f := &code{Function: function, files: map[string]*source.File{}}
	found, err := fs.Glob(os.DirFS(filepath.Join(root, filepath.FromSlash(pkg))), "*.go")
	if err != nil {
		return nil, err
	}
	for _, base := range found {
		if f.files[base], err = source.Open(root, path.Join(pkg, base)); err != nil {
			return nil, err
		}
	}
	if file := f.files[f.File]; file != nil {
		f.decl = file.At(f.Line)
	}
	return f, nil
}

// source returns the text of the line that an instruction comes from, if the
// line is one of a declaration of the package. An inlined function of
// another package may be in a file of the same base name, but hardly in a
// line that fits.
func (f *code) source(in toolchain.Instruction) string {
	if file := f.files[in.File]; file != nil && file.At(in.Line) != nil {
		return strings.TrimSpace(file.Line(in.Line))
	}
	return ""
}

// lines returns the lines of the function that FROM..TO stands for.
func (f *code) lines(value string) (first, last int, err error) {
	if f.decl == nil {
		return 0, 0, fmt.Errorf("lines: the source of %s is not in the package", f.Symbol)
	}
	from, to, ok := strings.Cut(value, "..")
	if !ok || from == "" || to == "" {
		return 0, 0, fmt.Errorf("lines is %q; want two regular expressions with .. between", value)
	}
	find := func(expr string, start int) (int, error) {
		re, err := regexp.Compile(expr)
		if err != nil {
			return 0, fmt.Errorf("lines: %q is no regular expression: %w", expr, err)
		}
		for line := start; line <= f.decl.Last; line++ {
			if re.MatchString(f.files[f.File].Line(line)) {
				return line, nil
			}
		}
		return 0, fmt.Errorf("lines: none of lines %d to %d of %s matches %q", start, f.decl.Last, f.File, expr)
	}
	if first, err = find(from, f.decl.First); err != nil {
		return 0, 0, err
	}
	if last, err = find(to, first); err != nil {
		return 0, 0, err
	}
	return first, last, nil
}

// within reports whether an instruction comes from lines first to last of the
// function. One that was inlined does if the closest before or after it does
// that was not: the line of the call itself is not known.
func (f *code) within(i, first, last int) bool {
	inlined := func(i int) bool {
		in := f.Instructions[i]
		return in.File != f.File || in.Line < f.decl.First || f.decl.Last < in.Line
	}
	before, after := i, i
	for before >= 0 && inlined(before) {
		before--
	}
	for after < len(f.Instructions) && inlined(after) {
		after++
	}
	in := func(i int) bool {
		return 0 <= i && i < len(f.Instructions) && first <= f.Instructions[i].Line && f.Instructions[i].Line <= last
	}
	return in(before) || in(after)
}

// format writes the chosen instructions in columns, with a line of dots where
// some are left out between them.
func (f *code) format(chosen []int) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 1, ' ', 0)
	labels := slices.ContainsFunc(chosen, func(i int) bool { return f.Instructions[i].Label != "" })
	for n, i := range chosen {
		in := f.Instructions[i]
		if n > 0 && chosen[n-1] != i-1 {
			fmt.Fprintln(w, "...\t\t\t")
		}
		fmt.Fprintf(w, "%s:%d \t", in.File, in.Line)
		if in.Label != "" {
			fmt.Fprintf(w, "%s:", in.Label)
		}
		if labels {
			fmt.Fprint(w, "\t")
		}
		op, operands, _ := strings.Cut(in.Text, " ")
		fmt.Fprintf(w, "%s\t%s\n", op, operands)
	}
	w.Flush()
	return endOfLine.ReplaceAllString(b.String(), "")
}

var endOfLine = regexp.MustCompile(`(?m) +$`)
