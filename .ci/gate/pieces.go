package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"unicode/utf8"
)

// What a piece of source may have, so that a reader sees all of it at once.
const (
	maxFunctionLines = 50 // without the tables of a test
	maxFileLines     = 300
	maxTestFileLines = 600
	maxColumns       = 110 // of which a tab has four
)

// pieces is the judge of a list of Go files: each function and each file is small, and each
// line fits a screen. A line that holds a text may be as long as the text.
func pieces(list string) (err error) {
	for name := range strings.Lines(list) {
		name = strings.TrimSpace(name)
		text, failure := os.ReadFile(name)
		if failure == nil {
			failure = small(name, string(text))
		}
		err = errors.Join(err, failure)
	}
	return err
}

// small is the judge of one file, unless it is generated.
func small(name, text string) (err error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil || ast.IsGenerated(file) {
		return err
	}
	fault := func(line int, what string, got, most int) {
		if got > most {
			err = errors.Join(err, fmt.Errorf("%s:%d: %s; want at most %d", name, line, fmt.Sprintf(what, got), most))
		}
	}
	test := strings.HasSuffix(name, "_test.go")
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if test {
		fault(1, "%d lines", len(lines), maxTestFileLines)
	} else {
		fault(1, "%d lines", len(lines), maxFileLines)
	}
	held := texts(fset, file)
	for i, line := range lines {
		if !held[i+1] {
			width := utf8.RuneCountInString(strings.ReplaceAll(line, "\t", "    "))
			fault(i+1, "%d columns", width, maxColumns)
		}
	}
	for _, d := range file.Decls {
		// A variable may be a function, too.
		ast.Inspect(d, func(n ast.Node) bool {
			switch n.(type) {
			case *ast.FuncDecl, *ast.FuncLit:
				fault(fset.Position(n.Pos()).Line, "a function of %d lines", length(fset, n, test), maxFunctionLines)
				return false
			}
			return true
		})
	}
	return err
}

// texts returns the lines that hold a text: a string, an address or a directive.
func texts(fset *token.FileSet, file *ast.File) map[int]bool {
	held := map[int]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			for line := fset.Position(lit.Pos()).Line; line <= fset.Position(lit.End()).Line; line++ {
				held[line] = true
			}
		}
		return true
	})
	for _, group := range file.Comments {
		for _, c := range group.List {
			if strings.HasPrefix(c.Text, "//go:") || strings.Contains(c.Text, "://") {
				held[fset.Position(c.Pos()).Line] = true
			}
		}
	}
	return held
}

// length returns the lines of a function. In a test a table, of however many rows, has one.
func length(fset *token.FileSet, function ast.Node, test bool) int {
	span := func(n ast.Node) int { return fset.Position(n.End()).Line - fset.Position(n.Pos()).Line }
	lines := span(function) + 1
	ast.Inspect(function, func(n ast.Node) bool {
		lit, ok := n.(*ast.CompositeLit)
		if !ok || !test {
			return true
		}
		switch lit.Type.(type) {
		case *ast.ArrayType, *ast.MapType:
			lines -= span(lit)
			return false
		}
		return true
	})
	return lines
}
