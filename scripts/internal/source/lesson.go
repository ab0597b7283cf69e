package source

import (
	"cmp"
	"fmt"
	"go/doc"
	"go/parser"
	"go/token"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/dustin/go-humanize/english"
)

// Lesson is the difference between two steps for one target, without what every step has
// to differ in: the name of the package, and doc.go. Tests are no part of it.
type Lesson struct {
	From, To string     // packages, by their paths from the root of the module
	Synopsis string     // first sentence of the package comment of To
	Comment  string     // all of it
	Files    []FileDiff // by name, those that are the same among them
	Patch    string     // all of it as a unified diff, but for generated files; empty if the steps agree
}

// FileDiff is what differs in a file.
type FileDiff struct {
	Name           string // base name
	Generated      bool   // and so not shown
	InFrom, InTo   bool   // whether the steps have it
	Added, Removed int    // lines
	Hunks          []Hunk
}

// Hunk is a place at which a file differs, with a few equal lines around it.
type Hunk struct {
	From, To int    // first lines, from 1
	Kinds    string // a letter for each line: - for one of From, + for one of To, = for one of both
}

var (
	compared    = regexp.MustCompile(`\.(go|s|h)$`)
	packageName = regexp.MustCompile(`(?m)^package \w+$`)
	generated   = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)
)

// Diff compares two steps of the module in root: the files that a build for the target
// takes, or some files, given by their base names, whatever the target. Steps are given by
// the paths of their folders from there, with slashes. That neither step has a file of the
// name is an error.
func Diff(root, from, to string, target Target, files ...string) (Lesson, error) {
	l := Lesson{From: from, To: to}
	texts := map[string][2]string{} // before and after, by base name
	for i, step := range []string{from, to} {
		sources, err := sourcesOf(filepath.Join(root, step))
		if err != nil {
			return l, fmt.Errorf("step %s does not exist: %w", step, err)
		}
		for name, text := range sources {
			both := texts[name]
			both[i] = text
			texts[name] = both
		}
	}
	// A step without doc.go has no synopsis.
	if f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, to, "doc.go"), nil, parser.ParseComments); err == nil {
		l.Comment = strings.TrimSpace(f.Doc.Text())
		l.Synopsis = new(doc.Package).Synopsis(l.Comment)
	}
	if len(files) == 0 {
		var err error
		if files, err = target.files(root, texts, from, to); err != nil {
			return l, err
		}
	}
	for _, name := range files {
		both, ok := texts[name]
		if !ok {
			return l, fmt.Errorf("neither %s nor %s has a file %s", from, to, name)
		}
		l.add(name, both[0], both[1])
	}
	return l, nil
}

// sourcesOf are the files of a step that may be part of a lesson, by their base names.
func sourcesOf(folder string) (map[string]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	texts := map[string]string{}
	for _, e := range entries {
		name := e.Name()
		if !compared.MatchString(name) || strings.HasSuffix(name, "_test.go") || name == "doc.go" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil {
			return nil, err
		}
		texts[name] = string(text)
	}
	return texts, nil
}

// add compares two texts of a file, of which one may be empty, as if both were of the package
// of the second.
func (l *Lesson) add(name, before, after string) {
	f := FileDiff{Name: name, InFrom: before != "", InTo: after != ""}
	f.Generated = generated.MatchString(before + after)
	if f.InTo {
		before = packageName.ReplaceAllString(before, "package "+path.Base(l.To))
	}
	// There is no error, because the edits are those of the texts.
	diff, _ := udiff.ToUnifiedDiff(path.Join(l.From, name), path.Join(l.To, name), before,
		udiff.Lines(before, after), udiff.DefaultContextLines)
	for _, h := range diff.Hunks {
		// Version 0.4.1 of the library counts wrongly the lines between two
		// changes of one hunk, so its ToLine of the next hunk is of no use.
		h.ToLine = h.FromLine + f.Added - f.Removed
		hunk := Hunk{From: h.FromLine, To: h.ToLine}
		for _, line := range h.Lines {
			hunk.Kinds += string("-+="[line.Kind]) // Delete, Insert, Equal
		}
		f.Added += strings.Count(hunk.Kinds, "+")
		f.Removed += strings.Count(hunk.Kinds, "-")
		f.Hunks = append(f.Hunks, hunk)
	}
	if l.Files = append(l.Files, f); !f.Generated {
		l.Patch += diff.String()
	}
}

var (
	colored = regexp.MustCompile(`(?m)^([-+@]).*`)
	// colors are the sequences that make a terminal color a line, by its first byte.
	colors = map[byte]string{'+': "\x1b[32m", '-': "\x1b[31m", '@': "\x1b[36m"}
)

// Write writes a heading, the differences, and how many there are.
func (l Lesson) Write(w io.Writer, color bool) error {
	patch := l.Patch
	if color {
		patch = colored.ReplaceAllStringFunc(patch, func(line string) string { return colors[line[0]] + line + "\x1b[0m" })
	}
	changed, added, removed, notShown := 0, 0, 0, ""
	for _, f := range l.Files {
		switch {
		case len(f.Hunks) == 0:
		case f.Generated:
			notShown += f.Name + ": generated, not shown\n"
		default:
			changed, added, removed = changed+1, added+f.Added, removed+f.Removed
		}
	}
	_, err := fmt.Fprintf(w, "%s to %s: %s\n\n%s\n%s%s changed, %s added, %d removed\n", l.From, l.To, cmp.Or(l.Comment, "no package comment"),
		patch, notShown, english.Plural(changed, "file", ""), english.Plural(added, "line", ""), removed)
	return err
}
