// Package source shows the source of the steps: declarations by their names, and what changes from
// one step to another. So the listings of the chapters are the source itself and not a copy of it.
package source

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
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
			all = append(all, decl{receiver + name.Name, fset.Position(d.Pos()).Line,
				fset.Position(d.End()).Line})
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
