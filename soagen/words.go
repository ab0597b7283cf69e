package main

import (
	_ "embed"
	"fmt"
	"go/types"
	"regexp"
	"slices"
	"strings"
	"text/template"
)

// The generated code is to be read, so it has plain names. These are the words of the
// template that another name is found for where the code needs the plain one for a type, a
// package or a type parameter; and what Go declares, for which there is no other.
var (
	variables = []string{"block", "capacity", "column", "compare", "i", "j", "n", "next", "row", "s", "size",
		"sorted", "t", "v", "width", "widths", "yield"}
	standard    = []string{"iter", "math", "slices", "unsafe"}
	predeclared = []string{"any", "bool", "byte", "clear", "copy", "int", "len", "make", "max", "new", "panic",
		"true", "uintptr"}
)

//go:embed container.go.tmpl
var containerText string

var (
	containerTemplate = template.Must(template.New("container").Parse(containerText))

	// word finds words of the template in the first group, and elsewhere what has none of
	// them: actions, comments, texts.
	word = regexp.MustCompile(`(?m)^\{\{-.*$|//.*$|\{\{.*?\}\}|"[^"\n]*"|\b(?:` + strings.Join(slices.Concat(variables, standard), "|") + `)\b`)
)

// words are the words of the template in a file.
type words struct {
	taken     map[string]bool // names at the level of the package, of type parameters and imports
	mentioned map[string]bool // names that must not be hidden inside a function
	others    map[string]string
	template  *template.Template
}

// word returns what a word of the template is in the file.
func (w *words) word(plain string) string {
	if other, ok := w.others[plain]; ok {
		return other
	}
	return plain
}

// free returns the name, or the name with a number, and takes it.
func (w *words) free(name string) string {
	is := func(name string) bool {
		ours := slices.Contains(variables, name) || slices.Contains(standard, name)
		return !ours && !w.taken[name] && types.Universe.Lookup(name) == nil
	}
	free := name
	for i := 2; !is(free); i++ {
		free = fmt.Sprint(name, i)
	}
	w.taken[free] = true
	return free
}

// chooseWords finds names for the words of the template and for the packages that it
// imports, and puts them into the template.
func (f *goFile) chooseWords() {
	f.template, f.others = containerTemplate, map[string]string{}
	for _, name := range f.src.pkg.Types.Scope().Names() {
		f.taken[name] = true
	}
	for _, file := range f.src.tests() {
		for _, id := range declared(file) {
			f.taken[id.Name] = true
		}
	}
	for _, name := range variables {
		if f.mentioned[name] {
			f.others[name] = f.free(name)
		}
	}
	for _, c := range f.containers {
		for _, path := range c.packages() {
			if f.imports[path] != "" {
				continue
			}
			if f.taken[path] {
				f.others[path] = f.free(path)
			}
			f.imports[path] = f.word(path)
		}
	}
	if len(f.others) == 0 {
		return
	}
	text := word.ReplaceAllStringFunc(containerText, f.word)
	f.template = template.Must(template.New("container").Parse(text))
}
