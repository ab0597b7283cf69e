package main

import (
	"bytes"
	"fmt"
	"image/png"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"

	"raysteps/common/scene"
	"raysteps/scripts/internal/directive"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/source"
	"raysteps/scripts/internal/toolchain"
)

// credited finds in a region what made it: a version of Go, and for what.
var credited = regexp.MustCompile(`\*(go[0-9][^,*\n]*), ([^*\n]+)\*`)

// fillRun shows what a command prints, and says which Go made it. A region that
// another Go made is kept: it may well say something else.
func fillRun(p *page, c *directive.Call) (string, error) {
	command := c.Get("cmd")
	program := strings.Contains(command, "go run ")
	by := toolchain.Target
	if program {
		by = "any processor"
	} else if with, _, ok := strings.Cut(command, " go "); ok {
		by += ", " + with
	}
	version, err := toolchain.Version(p.root)
	if err != nil {
		return "", err
	}
	if m := credited.FindStringSubmatch(c.Old); !p.remake && m != nil && (m[1] != version || m[2] != by) {
		return "", &kept{fmt.Sprintf("made with %s, %s, and this is %s, %s", m[1], m[2], version, by)}
	}
	out, err := toolchain.Output(p.root, command, "")
	if err != nil {
		return "", err
	}
	language, text := "text", ""
	switch {
	case program:
		language, text = "", sections(c, out)
	case c.Has("func"):
		language = "asm"
		text, err = instructions(p.root, c, out)
	default:
		match := c.Regexp("match")
		for _, line := range toolchain.Report(out) {
			if match.MatchString(line) {
				text += line + "\n"
			}
		}
	}
	if err == nil && text == "" {
		err = fmt.Errorf("nothing is chosen of what %s prints; want a match, lines or sections that fit", command)
	}
	return fmt.Sprintf("%s\n\n*%s, %s*: `%s`", directive.Fence(language, text), version, by, command), err
}

// sections are those of the output of a program that a directive chooses, by the lines
// before them that are not indented.
func sections(c *directive.Call, out string) string {
	lines := strings.SplitAfter(strings.ReplaceAll(out, "\r\n", "\n"), "\n")
	if c.Has("skip") {
		lines = lines[min(len(lines), c.Int("skip", 1)):]
	}
	wanted := map[string]bool{}
	for _, name := range c.List("sections") {
		wanted[name] = true
	}
	text, section := "", ""
	for _, line := range lines {
		if !strings.HasPrefix(line, " ") {
			section = strings.TrimSpace(line)
		}
		if len(wanted) == 0 || wanted[section] {
			text += line
		}
	}
	return strings.Trim(text, "\n")
}

// packageOf is the package that a command names, without the dot in front.
var packageOf = regexp.MustCompile(` \./([\w./-]+)`)

// instructions are those of a function that a directive chooses, from the output of
// the compiler, in columns, with a line of dots where some are left out.
func instructions(root string, c *directive.Call, out string) (string, error) {
	pkg := packageOf.FindStringSubmatch(c.Get("cmd"))
	if pkg == nil {
		return "", fmt.Errorf("cmd is %q; want a package such as ./step04", c.Get("cmd"))
	}
	f, err := toolchain.Find(toolchain.Assembly(out, strings.Contains(c.Get("cmd"), "go test -c")), c.Get("func"))
	if err != nil {
		return "", err
	}
	file, err := source.Open(root, path.Join(pkg[1], f.File))
	if err != nil {
		return "", err
	}
	decl := file.At(f.Line)
	if decl == nil {
		return "", fmt.Errorf("the source of %s is not in the package", f.Symbol)
	}
	first, last := decl.First, decl.Last
	if c.Has("lines") {
		if first, last, err = lines(file, decl, c.Get("lines")); err != nil {
			return "", err
		}
	}
	// What was inlined counts as of the lines around it: that of the call is not known.
	before, after := make([]int, len(f.Instructions)), make([]int, len(f.Instructions))
	line := 0
	near := func(lines []int, i int) {
		if in := f.Instructions[i]; in.File == f.File && decl.First <= in.Line && in.Line <= decl.Last {
			line = in.Line
		}
		lines[i] = line
	}
	for i := range before {
		near(before, i)
	}
	line = 0
	for i := range slices.Backward(after) {
		near(after, i)
	}
	within := func(line int) bool { return first <= line && line <= last }
	match := c.Regexp("match")
	var chosen []int
	for i, in := range f.Instructions {
		if (within(before[i]) || within(after[i])) && match.MatchString(sourceOf(root, pkg[1], in)) {
			chosen = append(chosen, i)
		}
	}
	more := max(len(chosen)-c.Int("limit", 1<<30), 0)
	chosen = chosen[:len(chosen)-more]
	labels := ""
	if slices.ContainsFunc(chosen, func(i int) bool { return f.Instructions[i].Label != "" }) {
		labels = "\t"
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 1, ' ', 0)
	for n, i := range chosen {
		in := f.Instructions[i]
		if n > 0 && chosen[n-1] != i-1 {
			fmt.Fprintln(w, "...\t\t\t")
		}
		if in.Label != "" {
			in.Label += ":"
		}
		op, operands, _ := strings.Cut(in.Text, " ")
		fmt.Fprintf(w, "%s:%d \t%s%s%s\t%s\n", in.File, in.Line, in.Label, labels, op, operands)
	}
	w.Flush()
	if more > 0 {
		fmt.Fprintf(&b, "... %d more instructions\n", more)
	}
	return endOfLine.ReplaceAllString(b.String(), ""), nil
}

// sourceOf returns the line that an instruction comes from, if it is one of a
// declaration of the package. A function of another package that was inlined may be in
// a file of the same name, but hardly in a line that fits.
func sourceOf(root, pkg string, in toolchain.Instruction) string {
	file, err := source.Open(root, path.Join(pkg, in.File))
	if err != nil || file.At(in.Line) == nil {
		return ""
	}
	return strings.TrimSpace(file.Line(in.Line))
}

var endOfLine = regexp.MustCompile(`(?m) +$`)

// lines returns the lines of a function that FROM..TO stands for: from the first that
// matches FROM to the next that matches TO.
func lines(file *source.File, decl *source.Decl, value string) (first, last int, err error) {
	from, to, ok := strings.Cut(value, "..")
	if !ok || from == "" || to == "" {
		return 0, 0, fmt.Errorf("lines is %q; want two regular expressions with .. between", value)
	}
	at := decl.First
	for _, end := range []struct {
		expr string
		line *int
	}{{from, &first}, {to, &last}} {
		re, err := regexp.Compile(end.expr)
		if err != nil {
			return 0, 0, fmt.Errorf("lines: %q is no regular expression: %w", end.expr, err)
		}
		start := at
		for ; at <= decl.Last && !re.MatchString(file.Line(at)); at++ {
		}
		if at > decl.Last {
			return 0, 0, fmt.Errorf("lines: none of lines %d to %d of %s matches %q", start, decl.Last, path.Base(file.Name), end.expr)
		}
		*end.line = at
	}
	return first, last, nil
}

func fillPicture(p *page, c *directive.Call) (string, error) {
	dir, err := os.MkdirTemp("", "raysteps-readme-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	draw := func(name string) (link, heading string, err error) {
		named := func(key string) string { return strings.ReplaceAll(c.Get(key), "{scene}", name) }
		file := filepath.Join(dir, filepath.Base(named("file")))
		out, err := toolchain.Output(p.root, named("cmd"), file)
		if err != nil {
			return "", "", err
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return "", "", fmt.Errorf("%s wrote no picture; want {} for the name of the file", named("cmd"))
		}
		asset := "docs/pictures/" + named("file")
		p.asset(asset, data, samePixels(2)) // some colors are computed in floating point
		if m := c.Regexp("heading").FindStringSubmatch(out); len(m) > 1 {
			heading = m[1]
		}
		return fmt.Sprintf("![%s](%s)", named("alt"), p.link(asset)), heading, nil
	}
	if !c.Has("scenes") {
		link, _, err := draw("")
		return link, err
	}
	t := results.Table{Rows: [][]string{nil}}
	for _, name := range c.List("scenes") {
		sc, err := scene.ByName(name)
		if err != nil {
			return "", err
		}
		link, heading, err := draw(name)
		if err != nil {
			return "", err
		}
		if heading == "" {
			heading = fmt.Sprintf("%d spheres", len(sc.Spheres))
		}
		t.Header, t.Right, t.Rows[0] = append(t.Header, name+": "+heading), append(t.Right, false), append(t.Rows[0], link)
	}
	return t.Markdown(), nil
}

// samePixels compares what two PNG files show. Colors may differ by a tolerance,
// in 255ths. Two versions of Go may compress the same picture differently, and
// other programs pack pixels into a palette.
func samePixels(tolerance uint32) func(have, want []byte) bool {
	near := func(a, b uint32) bool { return max(a, b)-min(a, b) <= tolerance*0x101 }
	return func(have, want []byte) bool {
		x, errX := png.Decode(bytes.NewReader(have))
		y, errY := png.Decode(bytes.NewReader(want))
		if errX != nil || errY != nil || x.Bounds() != y.Bounds() {
			return false
		}
		for i := x.Bounds().Min.Y; i < x.Bounds().Max.Y; i++ {
			for j := x.Bounds().Min.X; j < x.Bounds().Max.X; j++ {
				xr, xg, xb, xa := x.At(j, i).RGBA()
				yr, yg, yb, ya := y.At(j, i).RGBA()
				if !near(xr, yr) || !near(xg, yg) || !near(xb, yb) || !near(xa, ya) {
					return false
				}
			}
		}
		return true
	}
}
