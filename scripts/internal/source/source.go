// Package source shows the source of the steps: declarations by their names, and what changes from
// one step to another. So the listings of the chapters are the source itself and not a copy of it.
package source

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"go/types"
	"io"
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

// decl is a name that a file declares, and the lines of its declaration, from 1, without the
// comment above it. The names of a group in parentheses have the lines of the whole group.
type decl struct {
	name        string
	first, last int
}

// Listing returns the source of declarations of a file, in the order of names and with an empty
// line between, and the line of the first one, from 1. Without names it returns the whole file but
// for the package clause. The file is given by its path from root, with slashes. Without comments,
// those of declarations are left out, but for lines that speak to a tool, such as //go:noescape.
//
// A Go declaration is named as its users see it: Hit for a function, a type, a constant or
// a variable, Sphere.Hit for a method, whether its receiver is a pointer, a value or generic.
// In an assembly file the names are those of the TEXT blocks, and a block reaches to the next one.
func Listing(root, file string, comments bool, names ...string) (text string, line int, err error) {
	source, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
	if err != nil {
		return "", 0, fmt.Errorf("cannot read %s; want the path of a file, like step04/sphere.go", file)
	}
	if len(names) == 0 {
		return strings.TrimLeft(clause.ReplaceAllString(string(source), "\n\n"), "\n"), 0, nil
	}
	lines := slices.Collect(strings.Lines(string(source)))
	decls := blocks(lines)
	if path.Ext(file) == ".go" {
		if decls, err = declarations(file, source); err != nil {
			return "", 0, err
		}
	}
	var parts, have []string
	for _, d := range decls {
		have = append(have, d.name)
	}
	for _, name := range names {
		i := slices.Index(have, name)
		if i < 0 {
			return "", 0, fmt.Errorf("%s has no declaration %q; it has %s", file, name, strings.Join(have, ", "))
		}
		first := decls[i].first - 1
		part := strings.Join(lines[first:decls[i].last], "")
		for above := first - 1; above >= 0 && strings.HasPrefix(lines[above], "//"); above-- {
			if comments || forTool.MatchString(lines[above]) {
				part = lines[above] + part
			}
		}
		parts, line = append(parts, part), cmp.Or(line, first+1)
	}
	return strings.Join(slices.Compact(parts), "\n"), line, nil
}

var (
	clause = regexp.MustCompile(`(?m)\n*^package \w+\n+`) // with the ends of lines around it
	// forTool is a comment that a tool reads.
	forTool = regexp.MustCompile(`^//[a-z0-9]+:[a-z0-9]`)
	// blockHead is what ends a block of assembly and begins another.
	blockHead = regexp.MustCompile(`^(?:TEXT|DATA|GLOBL|#\w+)\s+\W*(\w+)`)
)

// declarations are those of a Go file.
func declarations(file string, source []byte) (all []decl, err error) {
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, file, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for _, d := range parsed.Decls {
		var names []*ast.Ident
		receiver := ""
		switch d := d.(type) {
		case *ast.FuncDecl:
			names = append(names, d.Name)
			if d.Recv != nil {
				typ, _, _ := strings.Cut(types.ExprString(d.Recv.List[0].Type), "[")
				receiver = strings.TrimPrefix(typ, "*") + "."
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					names = append(names, spec.Name)
				case *ast.ValueSpec:
					names = append(names, spec.Names...)
				}
			}
		}
		for _, name := range names {
			all = append(all, decl{receiver + name.Name, fset.Position(d.Pos()).Line, fset.Position(d.End()).Line})
		}
	}
	return all, nil
}

// blocks are those of an assembly file.
func blocks(lines []string) (all []decl) {
	for i, line := range lines {
		if m := blockHead.FindStringSubmatch(line); m != nil {
			all = append(all, decl{m[1], i + 1, i + 1})
		} else if len(all) > 0 && strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "//") {
			// Comments at the start of a line, and empty lines, belong to a block
			// only if more of the block follows.
			all[len(all)-1].last = i + 1
		}
	}
	return all
}

// Lesson is the difference between two steps, without what every step has to
// differ in: the name of the package, and doc.go. Tests are no part of it.
type Lesson struct {
	From, To string     // packages, by their paths from the root of the module
	Synopsis string     // first sentence of the package comment of To
	Files    []FileDiff // by name, those that are the same among them
	Patch    string     // all of it as a unified diff, but for what is aside; empty if the steps agree
}

// FileDiff is what differs in a file.
type FileDiff struct {
	Name           string // base name
	Aside          bool   // generated or not what the lesson is about, and so not shown
	InFrom, InTo   bool   // whether the steps have it
	Added, Removed int    // lines
	Hunks          []Hunk
}

// Hunk is a place at which a file differs, with a few equal lines around it.
type Hunk struct {
	From, To int    // first lines, from 1
	Kinds    string // a letter for each line: - for one of From, + for one of To, = for one of both
}

// aside are files of a step that its lesson is not about: what the packages of beyond take from
// it, and the kernel for WebAssembly, with which it runs in the book.
var aside = []string{"export.go", "hit_wasm.go"}

var (
	compared    = regexp.MustCompile(`\.(go|s|h)$`)
	packageName = regexp.MustCompile(`(?m)^package \w+$`)
	generated   = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)
)

// Diff compares two steps of the module in root, or some files of them, given by
// their base names. Steps are given by the paths of their folders from there, with
// slashes. That neither step has a file of the name is an error.
func Diff(root, from, to string, files ...string) (Lesson, error) {
	l := Lesson{From: from, To: to}
	texts := map[string][2]string{} // before and after, by base name
	for i, dir := range []string{from, to} {
		entries, err := os.ReadDir(filepath.Join(root, dir))
		if err != nil {
			return l, fmt.Errorf("step %s does not exist: %w", dir, err)
		}
		for _, e := range entries {
			name := e.Name()
			if !compared.MatchString(name) || strings.HasSuffix(name, "_test.go") || name == "doc.go" {
				continue
			}
			text, err := os.ReadFile(filepath.Join(root, dir, name))
			if err != nil {
				return l, err
			}
			both := texts[name]
			both[i] = string(text)
			texts[name] = both
		}
	}
	// A step without doc.go has no synopsis.
	if f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, to, "doc.go"), nil, parser.ParseComments); err == nil {
		l.Synopsis = new(doc.Package).Synopsis(f.Doc.Text())
	}
	if len(files) == 0 {
		files = slices.Sorted(maps.Keys(texts))
	}
	for _, name := range files {
		both, ok := texts[name]
		if !ok {
			return l, fmt.Errorf("neither %s nor %s has a file %s", from, to, name)
		}
		l.add(name, both[0], both[1])
	}
	return l, nil
}

// add compares two texts of a file, of which one may be empty, as if both were of the package
// of the second.
func (l *Lesson) add(name, before, after string) {
	f := FileDiff{Name: name, InFrom: before != "", InTo: after != ""}
	f.Aside = slices.Contains(aside, name) || generated.MatchString(before+after)
	if f.InTo {
		before = packageName.ReplaceAllString(before, "package "+path.Base(l.To))
	}
	// There is no error, because the edits are those of the texts.
	diff, _ := udiff.ToUnifiedDiff(path.Join(l.From, name), path.Join(l.To, name), before, udiff.Lines(before, after), udiff.DefaultContextLines)
	for _, h := range diff.Hunks {
		// Version 0.4.1 of the library counts wrongly the lines between two
		// changes of one hunk, so its ToLine of the next hunk is of no use.
		h.ToLine = h.FromLine + f.Added - f.Removed
		hunk := Hunk{From: h.FromLine, To: h.ToLine}
		for _, line := range h.Lines {
			hunk.Kinds += string("-+="[line.Kind]) // Delete, Insert, Equal
		}
		f.Added += strings.Count(hunk.Kinds, "+")
		f.Removed += strings.Count(hunk.Kinds, "-")
		f.Hunks = append(f.Hunks, hunk)
	}
	if l.Files = append(l.Files, f); !f.Aside {
		l.Patch += diff.String()
	}
}

var (
	colored = regexp.MustCompile(`(?m)^([-+@]).*`)
	// colors are the sequences that make a terminal color a line, by its first byte.
	colors = map[byte]string{'+': "\x1b[32m", '-': "\x1b[31m", '@': "\x1b[36m"}
)

// Write writes a heading, the differences, and how many there are.
func (l Lesson) Write(w io.Writer, color bool) error {
	patch := l.Patch
	if color {
		patch = colored.ReplaceAllStringFunc(patch, func(line string) string { return colors[line[0]] + line + "\x1b[0m" })
	}
	changed, added, removed, notShown := 0, 0, 0, ""
	for _, f := range l.Files {
		switch {
		case len(f.Hunks) == 0:
		case f.Aside:
			notShown += f.Name + ": no part of the lesson, not shown\n"
		default:
			changed, added, removed = changed+1, added+f.Added, removed+f.Removed
		}
	}
	_, err := fmt.Fprintf(w, "%s to %s: %s\n\n%s\n%s%s changed, %s added, %d removed\n", l.From, l.To, cmp.Or(l.Synopsis, "no package comment"),
		patch, notShown, english.Plural(changed, "file", ""), english.Plural(added, "line", ""), removed)
	return err
}
