package source

import (
	"bufio"
	"cmp"
	"fmt"
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
// differ in: the name of the package, and doc.go. Tests are no part of it.
type Lesson struct {
	From, To string     // packages, by their paths from the root of the module
	Synopsis string     // first sentence of the package comment of To
	Files    []FileDiff // by name, those that are the same among them
}

// FileDiff is what differs in a file.
type FileDiff struct {
	Name           string // base name
	Aside          bool   // generated or not what the lesson is about, and so not shown
	InFrom, InTo   bool   // whether the steps have it
	Added, Removed int    // lines
	Hunks          []Hunk

	patch string
}

// Hunk is a place at which a file differs, with a few equal lines around it.
type Hunk struct {
	From, To int    // first lines, from 1
	Kinds    string // a letter for each line: - for one of From, + for one of To, = for one of both
}

// kinds are the letters of what can become of a line.
var kinds = map[udiff.OpKind]string{udiff.Insert: "+", udiff.Delete: "-", udiff.Equal: "="}

// Diff compares two steps of the module in root, or some files of them, given by
// their base names. Steps are given by the paths of their folders from there, with
// slashes. That neither step has a file of the name is an error.
func Diff(root, from, to string, files ...string) (Lesson, error) {
	l := Lesson{From: from, To: to}
	before, err := readStep(root, from)
	if err != nil {
		return l, err
	}
	after, err := readStep(root, to)
	if err != nil {
		return l, err
	}
	text, _ := readText(root, path.Join(to, "doc.go")) // a step without it has no synopsis
	if f, _ := parser.ParseFile(token.NewFileSet(), "", text, parser.ParseComments|parser.PackageClauseOnly); f != nil {
		l.Synopsis = new(doc.Package).Synopsis(f.Doc.Text())
	}
	all := maps.Clone(before)
	maps.Copy(all, after)
	for _, name := range files {
		if all[name] == "" {
			return l, fmt.Errorf("neither %s nor %s has a file %s", from, to, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if len(files) > 0 && !slices.Contains(files, name) {
			continue
		}
		f := FileDiff{Name: name, InFrom: before[name] != "", InTo: after[name] != ""}
		f.Aside = slices.Contains(aside, name) || generated.MatchString(all[name])
		if err := f.compare(before[name], after[name], l); err != nil {
			return l, fmt.Errorf("comparing %s of %s with %s: %w", name, from, to, err)
		}
		l.Files = append(l.Files, f)
	}
	return l, nil
}

var (
	packageName = regexp.MustCompile(`(?m)^package \w+$`)
	generated   = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)
)

// compare compares two texts, of which one may be empty, as if both were of the package
// of the second.
func (f *FileDiff) compare(before, after string, l Lesson) error {
	const none = "/dev/null" // what a patch calls a file that does not exist, on every system
	from, to := none, none
	if f.InFrom {
		from = path.Join(l.From, f.Name)
	}
	if f.InTo {
		to = path.Join(l.To, f.Name)
		before = packageName.ReplaceAllString(before, "package "+path.Base(l.To))
	}
	diff, err := udiff.ToUnifiedDiff(from, to, before, udiff.Lines(before, after), udiff.DefaultContextLines)
	for _, h := range diff.Hunks {
		// Version 0.4.1 of the library counts wrongly the lines between two
		// changes of one hunk, so its ToLine of the next hunk is of no use.
		h.ToLine = h.FromLine + f.Added - f.Removed
		hunk := Hunk{From: h.FromLine, To: h.ToLine}
		for _, line := range h.Lines {
			hunk.Kinds += kinds[line.Kind]
		}
		f.Added += strings.Count(hunk.Kinds, "+")
		f.Removed += strings.Count(hunk.Kinds, "-")
		f.Hunks = append(f.Hunks, hunk)
	}
	f.patch = diff.String()
	return err
}

// aside are files of a step that its lesson is not about: what the packages of beyond take from
// it, and the kernel for WebAssembly, with which it runs in the book.
var aside = []string{"export.go", "hit_wasm.go"}

// readStep returns the files of a folder that a lesson compares, by base name.
func readStep(root, dir string) (map[string]string, error) {
	entries, err := fs.ReadDir(os.DirFS(root), dir)
	if err != nil {
		return nil, fmt.Errorf("step %s does not exist: %w", dir, err)
	}
	files := map[string]string{}
	for _, e := range entries {
		name := e.Name()
		if !slices.Contains([]string{".go", ".s", ".h"}, path.Ext(name)) || strings.HasSuffix(name, "_test.go") || name == "doc.go" {
			continue
		}
		if files[name], err = readText(root, path.Join(dir, name)); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// Patch returns the lesson as a unified diff and nothing else; it is empty if
// the steps agree. What is aside is not in it.
func (l Lesson) Patch() string {
	text := ""
	for _, f := range l.Files {
		if !f.Aside {
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
	changed, added, removed, notShown := 0, 0, 0, ""
	for _, f := range l.Files {
		if len(f.Hunks) == 0 {
			continue
		}
		if f.Aside {
			notShown += f.Name + ": no part of the lesson, not shown\n"
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
	fmt.Fprintf(out, "\n%s%s changed, %s added, %d removed\n", notShown, english.Plural(changed, "file", ""), english.Plural(added, "line", ""), removed)
	return out.Flush()
}
