package main

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"raysteps/scripts/internal/directive"
	"raysteps/scripts/internal/source"
	"raysteps/scripts/internal/toolchain"
)

func init() {
	register("assembly", directive.Directive{
		Required: []string{"pkg", "func"}, Optional: []string{"match", "lines", "source", "limit", "test"},
		Usage: `assembly pkg=step04 func=Sphere.Hit [match=REGEXP] [lines=FROM..TO] [source=yes] [limit=N] [test=yes]`,
		Help: `The instructions of a function, each with the line that it comes from. match
chooses those whose source line matches. lines chooses those from the first
source line of the function that matches FROM to the next that matches TO,
with what was inlined there. source=yes prints the source lines as well.
test=yes finds functions in files of tests, too.`,
	}, fillAssembly)
}

// code is the code of a function beside its source.
type code struct {
	toolchain.Function
	files map[string]*source.File // of the package, by base name
	file  string                  // base name of the one that declares it
	decl  *source.Decl
}

func fillAssembly(p *page, c directive.Call) (string, error) {
	credit, err := p.credit(c, c.Get("pkg"))
	if err != nil {
		return "", err
	}
	match, err := c.Regexp("match")
	if err != nil {
		return "", err
	}
	limit, err := c.Int("limit", 1<<30)
	if err != nil {
		return "", err
	}
	withSource, err := c.Bool("source", false)
	if err != nil {
		return "", err
	}
	test, err := c.Bool("test", false)
	if err != nil {
		return "", err
	}
	f, err := readCode(p.root, c.Get("pkg"), c.Get("func"), test)
	if err != nil {
		return "", err
	}
	first, last := 0, 0
	if c.Has("lines") {
		if first, last, err = f.lines(c.Get("lines")); err != nil {
			return "", err
		}
	}

	var chosen []int
	for i, in := range f.Instructions {
		if (match == nil || match.MatchString(f.source(in))) && (first == 0 || f.within(i, first, last)) {
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
	return directive.Fence("asm", f.format(chosen, withSource)+more) + "\n\n*" + credit + "*", nil
}

func readCode(root, pkg, name string, test bool) (*code, error) {
	function, err := toolchain.Assembly(root, pkg, name, test)
	if err != nil {
		return nil, err
	}
	f := &code{Function: function, files: map[string]*source.File{}}
	found, err := fs.Glob(os.DirFS(filepath.Join(root, filepath.FromSlash(pkg))), "*.go")
	if err != nil {
		return nil, err
	}
	most := 0
	for _, base := range found {
		file, err := source.Open(root, path.Join(pkg, base))
		if err != nil {
			return nil, err
		}
		f.files[base] = file
		// The declaration is the one that most of the instructions come from:
		// another file may declare the function for another processor.
		for _, d := range file.Decls {
			n := 0
			if declares(d, name) {
				for _, in := range f.Instructions {
					if in.File == base && d.First <= in.Line && in.Line <= d.Last {
						n++
					}
				}
			}
			if n > most {
				most, f.file, f.decl = n, base, d
			}
		}
	}
	return f, nil
}

var notInSource = regexp.MustCompile(`\[.*\]|[(*)]`)

// declares reports whether d is where the code of a symbol is written. That
// of a literal, World.Hit.func1, is written in the function around it.
func declares(d *source.Decl, symbol string) bool {
	symbol = notInSource.ReplaceAllString(symbol, "")
	for _, name := range d.Names {
		if symbol == name || strings.HasPrefix(symbol, name+".") && strings.Contains(symbol[len(name):], ".func") {
			return true
		}
	}
	return false
}

// source returns the text of the line that an instruction comes from, if the
// line is one of a declaration of the package. An inlined function of
// another package may be in a file of the same base name, but hardly in a
// line that fits.
func (f *code) source(in toolchain.Instruction) string {
	if file := f.files[in.File]; file != nil {
		for _, d := range file.Decls {
			if d.First <= in.Line && in.Line <= d.Last {
				return strings.TrimSpace(file.Line(in.Line))
			}
		}
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
			if re.MatchString(f.files[f.file].Line(line)) {
				return line, nil
			}
		}
		return 0, fmt.Errorf("lines: none of lines %d to %d of %s matches %q", start, f.decl.Last, f.file, expr)
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
	own := func(i int) bool {
		in := f.Instructions[i]
		return in.File == f.file && f.decl.First <= in.Line && in.Line <= f.decl.Last
	}
	in := func(i int) bool { return first <= f.Instructions[i].Line && f.Instructions[i].Line <= last }
	if own(i) {
		return in(i)
	}
	before, after := i, i
	for before >= 0 && !own(before) {
		before--
	}
	for after < len(f.Instructions) && !own(after) {
		after++
	}
	return before >= 0 && in(before) || after < len(f.Instructions) && in(after)
}

// format writes the chosen instructions, with a line of dots where some are
// left out between them.
func (f *code) format(chosen []int, withSource bool) string {
	var placeWidth, labelWidth, opWidth int
	place := func(in toolchain.Instruction) string { return fmt.Sprintf("%s:%d", in.File, in.Line) }
	for _, i := range chosen {
		in := f.Instructions[i]
		op, _, _ := strings.Cut(in.Text, " ")
		placeWidth = max(placeWidth, len(place(in)))
		labelWidth = max(labelWidth, len(in.Label))
		opWidth = max(opWidth, len(op))
	}
	var b strings.Builder
	for n, i := range chosen {
		in := f.Instructions[i]
		if n > 0 && chosen[n-1] != i-1 {
			b.WriteString("...\n")
		}
		if withSource {
			if n == 0 || place(f.Instructions[chosen[n-1]]) != place(in) {
				b.WriteString(strings.TrimRight(fmt.Sprintf("// %s: %s", place(in), f.source(in)), ": ") + "\n")
			}
			b.WriteString("  ")
		} else {
			fmt.Fprintf(&b, "%-*s  ", placeWidth, place(in))
		}
		if labelWidth > 0 {
			label := in.Label
			if label != "" {
				label += ":"
			}
			fmt.Fprintf(&b, "%-*s ", labelWidth+1, label)
		}
		op, operands, _ := strings.Cut(in.Text, " ")
		b.WriteString(strings.TrimRight(fmt.Sprintf("%-*s %s", opWidth, op, operands), " ") + "\n")
	}
	return b.String()
}
