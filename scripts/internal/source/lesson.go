package source

import (
	"bufio"
	"cmp"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/dustin/go-humanize/english"
)

// Lesson is the difference between two steps, without what every step has to
// differ in: the name of the package, and the package comment. Tests are no part
// of it.
type Lesson struct {
	From, To string     // packages, by their paths from the root of the module
	Synopsis string     // first sentence of the package comment of To
	Files    []FileDiff // by name
}

// FileDiff is a file that differs.
type FileDiff struct {
	Name           string // base name
	Generated      bool   // or beside the lesson, and so not shown
	Added, Removed int    // lines

	// First lines that are compared, after the package comment, counted from 1.
	// 0 says that the step has no such file.
	FromFirst, ToFirst int

	Hunks []Hunk
	patch string
}

// Hunk is a place at which a file differs, with a few equal lines around it.
type Hunk struct {
	From, To int    // first lines
	Kinds    string // a letter for each line: - for one of From, + for one of To, = for one of both
}

// kinds are the letters of what can become of a line.
var kinds = map[udiff.OpKind]string{udiff.Insert: "+", udiff.Delete: "-", udiff.Equal: "="}

// Diff compares two steps of the module in root, or some files of them, given by
// their base names. Steps are given by the paths of their folders from there, with
// slashes. That neither step has a file of the name is an error.
func Diff(root, from, to string, files ...string) (Lesson, error) {
	l := Lesson{From: from, To: to}
	before, _, err := readStep(root, from)
	if err != nil {
		return l, err
	}
	after, synopsis, err := readStep(root, to)
	if err != nil {
		return l, err
	}
	l.Synopsis = synopsis
	all := maps.Clone(before)
	maps.Copy(all, after)
	for _, name := range files {
		if all[name].text == "" {
			return l, fmt.Errorf("neither %s nor %s has a file %s", from, to, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if len(files) > 0 && !slices.Contains(files, name) {
			continue
		}
		f, err := compare(before[name], after[name], path.Base(to))
		if err != nil {
			return l, fmt.Errorf("comparing %s of %s with %s: %w", name, from, to, err)
		}
		if f.Name = name; len(f.Hunks) > 0 {
			l.Files = append(l.Files, f)
		}
	}
	return l, nil
}

// packageName finds the package clause.
var packageName = regexp.MustCompile(`(?m)^package \w+$`)

// compare compares two files, of which one may not exist, as if both were of the
// package of the second.
func compare(from, to file, pkg string) (FileDiff, error) {
	const none = "/dev/null" // what a patch calls a file that does not exist, on every system
	f := FileDiff{FromFirst: from.first, ToFirst: to.first, Generated: from.generated || to.generated}
	before := from.text
	if to.first > 0 {
		before = packageName.ReplaceAllString(before, "package "+pkg)
	}
	diff, err := udiff.ToUnifiedDiff(cmp.Or(from.path, none), cmp.Or(to.path, none), before, udiff.Lines(before, to.text), udiff.DefaultContextLines)
	for _, h := range diff.Hunks {
		// Version 0.4.1 of the library counts wrongly the lines between two
		// changes of one hunk, so its ToLine of the next hunk is of no use.
		h.ToLine = h.FromLine + f.Added - f.Removed + max(0, to.first-1)
		h.FromLine += max(0, from.first-1)
		hunk := Hunk{From: h.FromLine, To: h.ToLine}
		for _, line := range h.Lines {
			hunk.Kinds += kinds[line.Kind]
		}
		f.Added += strings.Count(hunk.Kinds, "+")
		f.Removed += strings.Count(hunk.Kinds, "-")
		f.Hunks = append(f.Hunks, hunk)
	}
	f.patch = diff.String()
	return f, err
}

// file is the source that counts: without a package comment.
type file struct {
	path      string // from the root
	text      string
	first     int // line in the file, from 1, that the text begins with
	generated bool
}

// aside are files of a step that its lesson is not about: what the packages of beyond take from
// it, and the kernel for WebAssembly, with which it runs in the book.
var aside = []string{"export.go", "hit_wasm.go"}

// readStep returns the files of a folder, by base name, and what it is about.
func readStep(root, dir string) (files map[string]file, synopsis string, err error) {
	entries, err := fs.ReadDir(os.DirFS(root), dir)
	if err != nil {
		return nil, "", fmt.Errorf("step %s does not exist: %w", dir, err)
	}
	files = map[string]file{}
	for _, e := range entries {
		name := path.Join(dir, e.Name())
		if !slices.Contains([]string{".go", ".s", ".h"}, path.Ext(name)) || strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := readText(root, name)
		if err != nil {
			return nil, "", err
		}
		f := file{path: name, text: text, first: 1}
		fset := token.NewFileSet()
		// A file that does not parse, such as one of assembly, can still be compared.
		if parsed, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.PackageClauseOnly); err == nil {
			f.generated = ast.IsGenerated(parsed) || slices.Contains(aside, e.Name())
			if parsed.Doc != nil {
				synopsis = cmp.Or(synopsis, new(doc.Package).Synopsis(parsed.Doc.Text()))
				start, end := fset.Position(parsed.Doc.Pos()).Offset, fset.Position(parsed.Package).Offset
				f.first += strings.Count(text[start:end], "\n")
				f.text = text[:start] + text[end:]
			}
		}
		files[e.Name()] = f
	}
	return files, synopsis, nil
}

// Patch returns the lesson as a unified diff and nothing else; it is empty if
// the steps agree. Generated files are not in it.
func (l Lesson) Patch() string {
	text := ""
	for _, f := range l.Files {
		if !f.Generated {
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
	changed, added, removed, generated := 0, 0, 0, ""
	for _, f := range l.Files {
		if f.Generated {
			generated += f.Name + ": no part of the lesson, not shown\n"
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
	fmt.Fprintf(out, "\n%s%s changed, %s added, %d removed\n", generated, english.Plural(changed, "file", ""), english.Plural(added, "line", ""), removed)
	return out.Flush()
}
