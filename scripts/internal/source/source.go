// Package source shows the source of the steps: declarations by their names, and
// what changes from one step to another. So the listings of the chapters are the
// source itself and not a copy of it.
//
// A Go declaration is named as its users see it: Hit for a function, a type,
// a constant or a variable, Sphere.Hit for a method, whether its receiver is
// a pointer, a value or generic. A declaration in a parenthesized group
// stands for the whole group. In an assembly file the names are those of the
// TEXT blocks, and a block reaches to the next one.
//
// What is listed is the text of the file to the byte, with its tabs and
// comments; only line endings are made \n, at the end of the file as well.
package source

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Listing returns the source of the named declarations of a file, in the order
// of names and with an empty line between. With no names it returns the whole
// file but for the package clause. The file is given by its path from root, with
// slashes. Without doc, comments of declarations are left out, but for lines that
// speak to a tool, such as //go:noescape.
func Listing(root, file string, doc bool, names ...string) (string, error) {
	f, err := Open(root, file)
	if err != nil {
		return "", err
	}
	if len(names) == 0 {
		return strings.TrimLeft(clause.ReplaceAllString(strings.Join(f.lines, ""), "\n\n"), "\n"), nil
	}
	var parts []string
	for _, name := range names {
		d, err := f.Find(name)
		if err != nil {
			return "", err
		}
		parts = append(parts, f.text(d, doc))
	}
	return strings.Join(slices.Compact(parts), "\n"), nil
}

// clause matches a package clause and the ends of lines around it.
var clause = regexp.MustCompile(`(?m)\n*^package \w+\n+`)

// File is a file of Go or assembly; another has no declarations.
type File struct {
	name  string
	lines []string // each with its end
	decls []Decl
}

// Decl is a declaration: a function, a type, a group of constants, a TEXT
// block.
type Decl struct {
	names       []string
	First, Last int // lines in the file, from 1, without the doc comment
}

// Open reads a file given by its path from root, with slashes.
func Open(root, file string) (File, error) {
	text, err := readText(root, file)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%s does not exist; want the path of a file, like step04/sphere.go", file)
	}
	if err != nil {
		return File{}, err
	}
	text = strings.TrimSuffix(text, "\n") + "\n"
	f := File{name: file, lines: strings.SplitAfter(text, "\n")}
	switch path.Ext(file) {
	case ".go":
		err = f.parseGo(text)
	case ".s":
		f.parseAssembly()
	}
	return f, err
}

// readText returns a file with \n at the ends of its lines.
func readText(root, file string) (string, error) {
	data, err := fs.ReadFile(os.DirFS(root), file)
	return strings.ReplaceAll(string(data), "\r\n", "\n"), err
}

func (f *File) parseGo(text string) error {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, f.name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, decl := range file.Decls {
		d := Decl{First: fset.Position(decl.Pos()).Line, Last: fset.Position(decl.End()).Line}
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			name := decl.Name.Name
			if decl.Recv != nil {
				receiver, _, _ := strings.Cut(types.ExprString(decl.Recv.List[0].Type), "[") // of a generic type
				name = strings.TrimPrefix(receiver, "*") + "." + name
			}
			d.names = []string{name}
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
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

// blockHead is what ends a block and may begin another, at the start of a line.
var blockHead = regexp.MustCompile(`^(?:TEXT\s+(?:[^·\s(<]*·)?([^(<,\s·]+)|DATA|GLOBL|#)`)

func (f *File) parseAssembly() {
	for i, line := range f.lines {
		if m := blockHead.FindStringSubmatch(line); m != nil {
			f.decls = append(f.decls, Decl{slices.DeleteFunc(m[1:], func(name string) bool { return name == "" }), i + 1, i + 1})
		} else if last := len(f.decls) - 1; last >= 0 && strings.TrimSpace(line) != "" && !strings.HasPrefix(line, "//") {
			// Comments at the start of a line, and empty lines, belong to a block
			// only if more of the block follows.
			f.decls[last].Last = i + 1
		}
	}
}

// Find returns the declaration of a name. The error of a name that the file
// does not have says what it has.
func (f *File) Find(name string) (Decl, error) {
	var have []string
	for _, d := range f.decls {
		if slices.Contains(d.names, name) {
			return d, nil
		}
		have = append(have, d.names...)
	}
	return Decl{}, fmt.Errorf("%s has no declaration %q; it has %s", f.name, name, strings.Join(have, ", "))
}

var directive = regexp.MustCompile(`^//[a-z0-9]+:[a-z0-9]`)

// text returns the source of d, ending in a newline.
func (f *File) text(d Decl, doc bool) string {
	start := d.First - 1
	for start > 0 && strings.HasPrefix(f.lines[start-1], "//") {
		start--
	}
	var b strings.Builder
	for i, line := range f.lines[start:d.Last] {
		if doc || start+i >= d.First-1 || directive.MatchString(line) {
			b.WriteString(line)
		}
	}
	return b.String()
}
