package main

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"
)

// containerOf returns the container of a struct T in a file without imports but unsafe, as -type T
// and more flags make it. Nothing is read or run.
func containerOf(t *testing.T, text string, flags ...string) (string, error) {
	t.Helper()
	pkg := &packages.Package{
		PkgPath: "p", Name: "p", Fset: token.NewFileSet(), GoFiles: []string{"/p/p.go"},
		TypesInfo: &types.Info{Scopes: map[ast.Node]*types.Scope{}, FileVersions: map[*ast.File]string{}},
	}
	file, err := parser.ParseFile(pkg.Fset, "/p/p.go", "package p; "+text, parser.ParseComments)
	require.NoError(t, err)
	pkg.Syntax = []*ast.File{file}
	pkg.Types, err = (&types.Config{Importer: importer.Default()}).Check("p", pkg.Fset, pkg.Syntax, pkg.TypesInfo)
	require.NoError(t, err)
	opts, err := parse(append([]string{"-type", "T"}, flags...))
	require.NoError(t, err)
	srcs, err := find(&source{pkg: pkg, dir: filepath.FromSlash("/p"), output: opts.output}, opts.types)
	if err != nil {
		return "", err
	}
	made, err := containers(srcs, opts)
	return string(made), err
}

// Of all basic types, numbers and truth values alone are in the block that the garbage collector
// does not look into: as they are, with a name, and in arrays and structs.
func TestBlock(t *testing.T) {
	cut := regexp.MustCompile(`tSoACut\(&block, &next\.(\w+), capacity\)`)
	for _, basic := range types.Typ[types.Bool : types.UnsafePointer+1] {
		name := basic.Name()
		if basic.Kind() == types.UnsafePointer {
			name = "unsafe.Pointer"
		}
		for _, form := range []string{"type E = %s", "type E %s", "type E [3]%s", "type E struct { N int; P %s }", "type E [2][1]struct { _ %s }"} {
			text, err := containerOf(t, fmt.Sprintf(`import "unsafe"; var _ unsafe.Pointer; `+form+"; type T struct { Last uint8; Column E }", name))
			require.NoError(t, err)
			got := ""
			for _, m := range cut.FindAllStringSubmatch(text, -1) {
				got += m[1] + " "
			}
			want := "Last Column "
			if basic.Kind() == types.String || basic.Kind() == types.UnsafePointer {
				want = "Last "
			}
			assert.Equal(t, want, got, form, name)
		}
	}
	for _, pointer := range []string{"*int", "[]int", "map[int]int", "chan int", "func()", "any", "error", "[0]*int"} {
		text, err := containerOf(t, "type T struct { Last uint8; Column "+pointer+" }")
		require.NoError(t, err)
		assert.Len(t, cut.FindAllString(text, -1), 1, pointer)
	}
}

// Of the sizes of arrays, those from 1 to 16 are split.
func TestLimitsOfSplits(t *testing.T) {
	for n := range 20 {
		text, err := containerOf(t, fmt.Sprintf("type T struct { A [%d]int `soa:\"split\"` }", n))
		if n == 0 || n > 16 {
			assert.EqualError(t, err, fmt.Sprintf("p.go:1:28: A cannot be split into %d columns; want 1 to 16", n))
			continue
		}
		require.NoError(t, err)
		assert.Equal(t, n, strings.Count(text, "Len elements long.\n"), "%d columns", n)
	}
}
