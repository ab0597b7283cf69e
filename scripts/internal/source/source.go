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
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"raysteps/scripts/internal/cli"
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
		return f.whole(doc), nil
	}
	var parts []string
	var seen []*Decl
	for _, name := range names {
		d, err := f.Find(name)
		if err != nil {
			return "", err
		}
		if !slices.Contains(seen, d) {
			seen = append(seen, d)
			parts = append(parts, f.Text(d, doc))
		}
	}
	return strings.Join(parts, "\n"), nil
}

// File is a file of Go or assembly and its declarations.
type File struct {
	Name  string // its path from the root of the module, with slashes
	Decls []*Decl

	text   string
	clause span // from the package doc comment to the end of the clause's line
}

// Decl is a declaration: a function, a type, a group of constants, a TEXT
// block.
type Decl struct {
	Names       []string
	First, Last int // lines in the file, from 1, without the doc comment

	doc  span
	body span
}

// span is a range of bytes in the text of a file.
type span struct{ start, end int }

// Open reads a file given by its path from root, with slashes.
func Open(root, file string) (*File, error) {
	if !fs.ValidPath(file) {
		return nil, fmt.Errorf("%q is no path within the module; want one like step04/sphere.go", file)
	}
	data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s does not exist; want the path of a file, like step04/sphere.go", file)
	}
	if err != nil {
		return nil, err
	}
	return Parse(file, string(data))
}

// Parse reads the text of a file. By the ending of its name it is Go or
// assembly; another file has no declarations.
func Parse(name, text string) (*File, error) {
	f := &File{Name: name, text: strings.ReplaceAll(text, "\r\n", "\n")}
	if !strings.HasSuffix(f.text, "\n") {
		f.text += "\n"
	}
	switch path.Ext(name) {
	case ".go":
		return f, f.parseGo()
	case ".s":
		f.parseAsm()
	}
	return f, nil
}

// Find returns the declaration of a name. The error of a name that the file
// does not have says what it has.
func (f *File) Find(name string) (*Decl, error) {
	var have []string
	for _, d := range f.Decls {
		if slices.Contains(d.Names, name) {
			return d, nil
		}
		have = append(have, d.Names...)
	}
	return nil, fmt.Errorf("%s has no declaration %q; it has %s", f.Name, name, cli.Some(have))
}

// At returns the declaration that a line is in, or nil.
func (f *File) At(line int) *Decl {
	for _, d := range f.Decls {
		if d.First <= line && line <= d.Last {
			return d
		}
	}
	return nil
}

// Text returns the source of d, ending in a newline.
func (f *File) Text(d *Decl, doc bool) string {
	comment := f.text[d.doc.start:d.doc.end]
	if !doc {
		comment = directives(comment)
	}
	return comment + f.text[d.body.start:d.body.end]
}

// Line returns a line of the file, counted from 1, without its newline; it
// is empty if there is no such line.
func (f *File) Line(n int) string {
	lines := strings.Split(f.text, "\n")
	if n < 1 || n > len(lines) {
		return ""
	}
	return lines[n-1]
}

func (f *File) whole(doc bool) string {
	head := f.text[:f.clause.start]
	if doc {
		comment := f.text[f.clause.start:f.clause.end]
		head += comment[:strings.LastIndex(strings.TrimSuffix(comment, "\n"), "\n")+1]
	}
	rest := strings.TrimLeft(f.text[f.clause.end:], "\n")
	if head = strings.Trim(head, "\n"); head != "" {
		return head + "\n\n" + rest
	}
	return rest
}

// directives keeps the lines of a comment that are meant for a tool.
func directives(comment string) string {
	var b strings.Builder
	for line := range strings.Lines(comment) {
		if directive.MatchString(line) {
			b.WriteString(line)
		}
	}
	return b.String()
}

var directive = regexp.MustCompile(`^//[a-z0-9]+:[a-z0-9]`)

func (f *File) parseGo() error {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, f.Name, f.text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	offset := func(p token.Pos) int { return fset.Position(p).Offset }
	lines := func(from, to token.Pos) span {
		s := span{offset(from), offset(to)}
		for s.start > 0 && f.text[s.start-1] != '\n' {
			s.start--
		}
		s.end = f.lineEnd(s.end)
		return s
	}

	f.clause = lines(file.Package, file.Name.End())
	if file.Doc != nil {
		f.clause.start = lines(file.Doc.Pos(), file.Doc.End()).start
	}
	for _, decl := range file.Decls {
		d := &Decl{body: lines(decl.Pos(), decl.End())}
		d.First, d.Last = fset.Position(decl.Pos()).Line, fset.Position(decl.End()).Line
		var doc *ast.CommentGroup
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			doc = decl.Doc
			d.Names = []string{funcName(decl)}
		case *ast.GenDecl:
			if decl.Tok == token.IMPORT {
				continue
			}
			doc = decl.Doc
			for _, spec := range decl.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					d.Names = append(d.Names, spec.Name.Name)
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						d.Names = append(d.Names, name.Name)
					}
				}
			}
		}
		d.doc = span{d.body.start, d.body.start}
		if doc != nil {
			d.doc.start = lines(doc.Pos(), doc.End()).start
		}
		f.Decls = append(f.Decls, d)
	}
	return nil
}

// lineEnd returns the offset of the line after the one that at is in.
func (f *File) lineEnd(at int) int {
	if i := strings.IndexByte(f.text[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(f.text)
}

func funcName(decl *ast.FuncDecl) string {
	if decl.Recv == nil || len(decl.Recv.List) == 0 {
		return decl.Name.Name
	}
	typ := strings.TrimPrefix(types.ExprString(decl.Recv.List[0].Type), "*")
	typ, _, _ = strings.Cut(typ, "[") // its parameters
	return typ + "." + decl.Name.Name
}

var (
	asmText = regexp.MustCompile(`^TEXT\s+(?:[^·\s(<]*·)?([^(<,\s·]+)(?:<[^>]*>)?\(SB\)`)
	asmHead = regexp.MustCompile(`^(TEXT|DATA|GLOBL|#)`) // what ends a block, at the start of a line
)

func (f *File) parseAsm() {
	var open *Decl
	var comment span // the comment lines directly above
	at, number, last := 0, 0, 0
	end := func() {
		if open != nil {
			open.body.end, open.Last = last, strings.Count(f.text[:last], "\n")
			open = nil
		}
	}
	for line := range strings.Lines(f.text) {
		start := at
		at += len(line)
		number++
		if strings.HasPrefix(line, "//") {
			if comment.end != start {
				comment.start = start
			}
			comment.end = at
			continue
		}
		if strings.TrimSpace(line) == "" {
			continue
		}
		if asmHead.MatchString(line) {
			end()
			if m := asmText.FindStringSubmatch(line); m != nil {
				if comment.end != start {
					comment = span{start, start}
				}
				open = &Decl{Names: []string{m[1]}, First: number, doc: comment, body: span{start: start}}
				f.Decls = append(f.Decls, open)
			}
		}
		// Comments at the start of a line, and empty lines, belong to a block
		// only if more of the block follows.
		last = at
	}
	end()
}
