// Package source shows the source of the steps: declarations by their names, and
// what changes from one step to another. So the listings of the chapters are the
// source itself and not a copy of it.
//
// A Go declaration is named as its users see it: Hit for a function, a type,
// a constant or a variable, Sphere.Hit for a method, whether its receiver is
// a pointer, a value or generic. A declaration in a parenthesized group
// stands for the whole group. In an assembly file the names are those of the
// TEXT blocks, and a block reaches to the next one.
package source

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/dustin/go-humanize/english"
)

// Listing returns the source of the named declarations of a file, in the order
// of names and with an empty line between. With no names it returns the whole
// file but for the package clause. The file is given by its path from root, with
// slashes. Without doc, comments of declarations are left out, but for lines that
// speak to a tool, such as //go:noescape.
func Listing(root, file string, doc bool, names ...string) (string, error) {
	f, err := open(root, file)
	if err != nil {
		return "", err
	}
	if len(names) == 0 {
		return strings.TrimLeft(clause.ReplaceAllString(strings.Join(f.lines, ""), "\n\n"), "\n"), nil
	}
	var parts []string
	for _, name := range names {
		d, err := f.find(name)
		if err != nil {
			return "", err
		}
		parts = append(parts, f.text(d, doc))
	}
	return strings.Join(slices.Compact(parts), "\n"), nil
}

// Line returns the first line of a declaration behind its comment, from 1.
func Line(root, file, name string) (int, error) {
	f, err := open(root, file)
	if err != nil {
		return 0, err
	}
	d, err := f.find(name)
	return d.first, err
}

var (
	clause = regexp.MustCompile(`(?m)\n*^package \w+\n+`) // with the ends of lines around it
	// forTool is a comment that a tool reads.
	forTool = regexp.MustCompile(`^//[a-z0-9]+:[a-z0-9]`)
	// blockHead is what ends a block of assembly and begins another.
	blockHead = regexp.MustCompile(`^(?:TEXT|DATA|GLOBL|#\w+)\s+\W*(\w+)`)
)

// file is one of Go or assembly; another has no declarations.
type file struct {
	name  string
	lines []string // each with its end
	decls []decl
}

// decl is a declaration: a function, a type, a group of constants, a block of assembly.
type decl struct {
	names       []string
	first, last int // lines, from 1, without the doc comment
}

func open(root, name string) (file, error) {
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%s does not exist; want the path of a file, like step04/sphere.go", name)
	}
	if err != nil {
		return file{}, err
	}
	f := file{name: name, lines: slices.Collect(strings.Lines(string(text)))}
	switch path.Ext(name) {
	case ".go":
		err = f.parseGo(text)
	case ".s":
		f.parseAssembly()
	}
	return f, err
}

func (f *file) parseGo(text []byte) error {
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, f.name, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, n := range parsed.Decls {
		d := decl{first: fset.Position(n.Pos()).Line, last: fset.Position(n.End()).Line}
		switch n := n.(type) {
		case *ast.FuncDecl:
			name := n.Name.Name
			if n.Recv != nil {
				receiver, _, _ := strings.Cut(types.ExprString(n.Recv.List[0].Type), "[") // of a generic type
				name = strings.TrimPrefix(receiver, "*") + "." + name
			}
			d.names = []string{name}
		case *ast.GenDecl:
			for _, spec := range n.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					d.names = append(d.names, spec.Name.Name)
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						d.names = append(d.names, name.Name)
					}
				}
			}
		}
		f.decls = append(f.decls, d)
	}
	return nil
}

func (f *file) parseAssembly() {
	for i, line := range f.lines {
		if m := blockHead.FindStringSubmatch(line); m != nil {
			f.decls = append(f.decls, decl{m[1:], i + 1, i + 1})
		} else if last := len(f.decls) - 1; last >= 0 && strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "//") {
			// Comments at the start of a line, and empty lines, belong to a block
			// only if more of the block follows.
			f.decls[last].last = i + 1
		}
	}
}

// find returns the declaration of a name. The error of a name that the file
// does not have says what it has.
func (f *file) find(name string) (decl, error) {
	var have []string
	for _, d := range f.decls {
		if slices.Contains(d.names, name) {
			return d, nil
		}
		have = append(have, d.names...)
	}
	return decl{}, fmt.Errorf("%s has no declaration %q; it has %s", f.name, name, strings.Join(have, ", "))
}

// text returns the source of d, ending in a newline.
func (f *file) text(d decl, doc bool) (text string) {
	start := d.first - 1
	for start > 0 && strings.HasPrefix(f.lines[start-1], "//") {
		start--
	}
	for i, line := range f.lines[start:d.last] {
		if doc || start+i >= d.first-1 || forTool.MatchString(line) {
			text += line
		}
	}
	return text
}

// Lesson is the difference between two steps, without what every step has to
// differ in: the name of the package, and doc.go. Tests are no part of it.
type Lesson struct {
	From, To string     // packages, by their paths from the root of the module
	Synopsis string     // first sentence of the package comment of To
	Files    []FileDiff // by name, those that are the same among them
}

// FileDiff is what differs in a file.
type FileDiff struct {
	Name           string // base name
	Aside          bool   // generated or not what the lesson is about, and so not shown
	InFrom, InTo   bool   // whether the steps have it
	Added, Removed int    // lines
	Hunks          []Hunk

	patch string
}

// Hunk is a place at which a file differs, with a few equal lines around it.
type Hunk struct {
	From, To int    // first lines, from 1
	Kinds    string // a letter for each line: - for one of From, + for one of To, = for one of both
}

// kinds are the letters of what can become of a line.
var kinds = map[udiff.OpKind]string{udiff.Insert: "+", udiff.Delete: "-", udiff.Equal: "="}

// aside are files of a step that its lesson is not about: what the packages of beyond take from
// it, and the kernel for WebAssembly, with which it runs in the book.
var aside = []string{"export.go", "hit_wasm.go"}

var (
	packageName = regexp.MustCompile(`(?m)^package \w+$`)
	generated   = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)
)

// Diff compares two steps of the module in root, or some files of them, given by
// their base names. Steps are given by the paths of their folders from there, with
// slashes. That neither step has a file of the name is an error.
func Diff(root, from, to string, files ...string) (Lesson, error) {
	l := Lesson{From: from, To: to}
	before, err := readStep(root, from)
	if err != nil {
		return l, err
	}
	after, err := readStep(root, to)
	if err != nil {
		return l, err
	}
	// A step without doc.go has no synopsis.
	if f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, to, "doc.go"), nil, parser.ParseComments); err == nil {
		l.Synopsis = new(doc.Package).Synopsis(f.Doc.Text())
	}
	all := maps.Clone(before)
	maps.Copy(all, after)
	for _, name := range files {
		if all[name] == "" {
			return l, fmt.Errorf("neither %s nor %s has a file %s", from, to, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if len(files) > 0 && !slices.Contains(files, name) {
			continue
		}
		f := FileDiff{Name: name, InFrom: before[name] != "", InTo: after[name] != ""}
		f.Aside = slices.Contains(aside, name) || generated.MatchString(all[name])
		if err := f.compare(before[name], after[name], l); err != nil {
			return l, fmt.Errorf("comparing %s of %s with %s: %w", name, from, to, err)
		}
		l.Files = append(l.Files, f)
	}
	return l, nil
}

// readStep returns the files of a folder that a lesson compares, by base name.
func readStep(root, dir string) (map[string]string, error) {
	entries, err := os.ReadDir(filepath.Join(root, dir))
	if err != nil {
		return nil, fmt.Errorf("step %s does not exist: %w", dir, err)
	}
	files := map[string]string{}
	for _, e := range entries {
		name := e.Name()
		if !slices.Contains([]string{".go", ".s", ".h"}, path.Ext(name)) || strings.HasSuffix(name, "_test.go") || name == "doc.go" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, dir, name))
		if err != nil {
			return nil, err
		}
		files[name] = string(text)
	}
	return files, nil
}

// compare compares two texts, of which one may be empty, as if both were of the package
// of the second.
func (f *FileDiff) compare(before, after string, l Lesson) error {
	const none = "/dev/null" // what a patch calls a file that does not exist, on every system
	from, to := none, none
	if f.InFrom {
		from = path.Join(l.From, f.Name)
	}
	if f.InTo {
		to = path.Join(l.To, f.Name)
		before = packageName.ReplaceAllString(before, "package "+path.Base(l.To))
	}
	diff, err := udiff.ToUnifiedDiff(from, to, before, udiff.Lines(before, after), udiff.DefaultContextLines)
	for _, h := range diff.Hunks {
		// Version 0.4.1 of the library counts wrongly the lines between two
		// changes of one hunk, so its ToLine of the next hunk is of no use.
		h.ToLine = h.FromLine + f.Added - f.Removed
		hunk := Hunk{From: h.FromLine, To: h.ToLine}
		for _, line := range h.Lines {
			hunk.Kinds += kinds[line.Kind]
		}
		f.Added += strings.Count(hunk.Kinds, "+")
		f.Removed += strings.Count(hunk.Kinds, "-")
		f.Hunks = append(f.Hunks, hunk)
	}
	f.patch = diff.String()
	return err
}

// Patch returns the lesson as a unified diff and nothing else; it is empty if
// the steps agree. What is aside is not in it.
func (l Lesson) Patch() string {
	text := ""
	for _, f := range l.Files {
		if !f.Aside {
			text += f.patch
		}
	}
	return text
}

// colors are the sequences that make a terminal color a line, by its first byte.
var colors = map[byte]string{'+': "\x1b[32m", '-': "\x1b[31m", '@': "\x1b[36m"}

// Write writes a heading, the differences, and how many there are.
func (l Lesson) Write(w io.Writer, colored bool) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%s to %s: %s\n", l.From, l.To, cmp.Or(l.Synopsis, "no package comment"))
	changed, added, removed, notShown := 0, 0, 0, ""
	for _, f := range l.Files {
		if len(f.Hunks) == 0 {
			continue
		}
		if f.Aside {
			notShown += f.Name + ": no part of the lesson, not shown\n"
			continue
		}
		changed, added, removed = changed+1, added+f.Added, removed+f.Removed
		for line := range strings.Lines("\n" + f.patch) {
			if color := colors[line[0]]; colored && color != "" {
				line = color + strings.TrimSuffix(line, "\n") + "\x1b[0m\n"
			}
			out.WriteString(line)
		}
	}
	fmt.Fprintf(out, "\n%s%s changed, %s added, %d removed\n", notShown, english.Plural(changed, "file", ""), english.Plural(added, "line", ""), removed)
	return out.Flush()
}
