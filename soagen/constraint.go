package main

import (
	"go/build"
	"go/version"
	"io"
	"path/filepath"
	"strings"
)

// constraint returns a //go:build line for the generated file, or "": where the
// file that declares the struct is left out, the container must be, too.
func (src *source) constraint() string {
	var terms []string
	for _, group := range src.file.Comments {
		if group.Pos() > src.file.Package {
			break
		}
		for _, c := range group.List {
			if expr, ok := strings.CutPrefix(c.Text, "//go:build "); ok {
				terms = append(terms, expr)
			}
		}
	}
	for _, word := range suffixes(filepath.Base(src.pkg.Fset.Position(src.file.Package).Filename)) {
		if len(terms) == 1 && strings.Contains(terms[0], "||") {
			terms[0] = "(" + terms[0] + ")"
		}
		terms = append(terms, word)
	}
	if terms == nil {
		return ""
	}
	return "//go:build " + strings.Join(terms, " && ")
}

// suffixes returns what a file name like x_linux_arm64.go says about the
// systems that the file is for.
func suffixes(name string) []string {
	words := strings.Split(strings.TrimSuffix(name, ".go"), "_")[1:]
	known := func(word string) bool {
		nowhere := build.Context{
			GOOS: "none", GOARCH: "none", Compiler: "gc",
			OpenFile: func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("package p\n")), nil },
		}
		match, err := nowhere.MatchFile(".", "x_"+word+".go")
		return err == nil && !match
	}
	n := len(words)
	switch {
	case n == 0 || !known(words[n-1]):
		return nil
	case n > 1 && known(words[n-2]):
		return words[n-2:]
	}
	return words[n-1:]
}

// checkVersion refuses a package of a version of Go in which the container would not compile.
func (c *container) checkVersion() error {
	src, want := c.src, "go1.21" // has clear and max, which methods call
	if c.Has("All") {
		want = "go1.23" // has package iter
	}
	// Without a module there is no version, and the go command knows one for any other.
	if is := src.pkg.TypesInfo.FileVersions[src.file]; is != "" && version.Compare(is, want) < 0 {
		hint := ""
		if version.Compare(is, "go1.21") >= 0 {
			hint = ", or -methods without All"
		}
		return src.errorf(src.file.Package, "the container needs %s, and this file is of %s, as go.mod or a //go:build line says; want go %s in go.mod%s",
			want, is, strings.TrimPrefix(want, "go"), hint)
	}
	return nil
}
