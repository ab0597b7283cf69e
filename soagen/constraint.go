package main

import (
	"cmp"
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

// checkVersion refuses a module of a version of Go in which the container would not compile.
// (A file can have a newer version of the language, by its //go:build line.)
func (c *container) checkVersion() error {
	src, module := c.src, c.src.pkg.Module
	if module == nil { // without modules, or in the standard library, Go is what is there
		return nil
	}
	is := "go" + cmp.Or(module.GoVersion, "1.16") // is what the go command takes instead
	want, hint := "1.21", ""                      // has clear and max
	if c.Has("All") {
		want = "1.23" // has package iter
		if version.Compare(is, "go1.21") >= 0 {
			hint = ", or -methods without All"
		}
	} else if version.Compare(src.pkg.TypesInfo.FileVersions[src.file], is) > 0 {
		is = src.pkg.TypesInfo.FileVersions[src.file]
	}
	if version.Compare(is, "go"+want) < 0 {
		return src.errorf(src.file.Package, "the container needs Go %s, and go.mod says %s; want go %s there%s", want, strings.TrimPrefix(is, "go"), want, hint)
	}
	return nil
}
