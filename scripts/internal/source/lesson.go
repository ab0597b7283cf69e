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
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/aymanbagabas/go-udiff"
	"github.com/dustin/go-humanize/english"
)

// Lesson is the difference between two steps, without what every step has to
// differ in: the name of the package, and the package comment.
type Lesson struct {
	From, To string     // packages, by their paths from the root of the module
	Synopsis string     // first sentence of the package comment of To
	Files    []FileDiff // by name
}

// FileDiff is a file that differs.
type FileDiff struct {
	Name      string // base name
	Generated int    // lines of a generated file that is not shown, or 0
	Added     int    // lines
	Removed   int    // lines

	// First lines that are compared, after the package comment, counted from 1.
	// 0 says that the step has no such file.
	FromFirst, ToFirst int

	diff udiff.UnifiedDiff
}

// Hunk is a place at which a file differs, with a few equal lines around it.
type Hunk struct {
	From, To int    // first lines
	Kinds    string // a letter for each line: - for one of From, + for one of To, = for one of both
}

// kinds are the letters of what can become of a line.
var kinds = map[udiff.OpKind]string{udiff.Insert: "+", udiff.Delete: "-", udiff.Equal: "="}

// Hunks returns the places at which the file differs.
func (f FileDiff) Hunks() []Hunk {
	var all []Hunk
	for _, h := range f.diff.Hunks {
		hunk := Hunk{From: h.FromLine, To: h.ToLine}
		for _, line := range h.Lines {
			hunk.Kinds += kinds[line.Kind]
		}
		all = append(all, hunk)
	}
	return all
}

// Diff compares two steps of the module in root. They are given by the paths of
// their folders from there, with slashes. With files, given by their base names,
// it compares no others, and those in full: a file of tests is otherwise left out,
// and a generated one named alone. That neither step has one of them is an error.
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
		if all[name] == nil {
			return l, fmt.Errorf("neither %s nor %s has a file %s", from, to, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if len(files) > 0 && !slices.Contains(files, name) || len(files) == 0 && strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := compare(before[name], after[name], path.Base(to))
		if err != nil {
			return l, fmt.Errorf("comparing %s of %s with %s: %w", name, from, to, err)
		}
		if len(f.diff.Hunks) == 0 {
			continue
		}
		f.Name = name
		if all[name].generated && len(files) == 0 {
			f.Generated = strings.Count(all[name].text, "\n") + all[name].skipped
		}
		l.Files = append(l.Files, f)
	}
	return l, nil
}

// none is what a patch calls a file that does not exist, on every system.
const none = "/dev/null"

// compare compares two files, of which one may be nil, as if both were of the package
// of the second.
func compare(old, new *file, pkg string) (FileDiff, error) {
	f := FileDiff{diff: udiff.UnifiedDiff{From: none, To: none}}
	var before, after string
	if old != nil {
		f.diff.From, f.FromFirst, before = old.path, old.skipped+1, old.text
	}
	if new != nil {
		f.diff.To, f.ToFirst, after = new.path, new.skipped+1, new.text
		if at := clause.FindStringSubmatchIndex(before); at != nil {
			before = before[:at[2]] + pkg + before[at[3]:]
		}
	}
	diff, err := udiff.ToUnifiedDiff("", "", before, udiff.Lines(before, after), udiff.DefaultContextLines)
	for _, h := range diff.Hunks {
		// Version 0.4.1 of the library counts wrongly the lines between two
		// changes of one hunk, so its ToLine of the next hunk is of no use.
		h.ToLine = h.FromLine + f.Added - f.Removed
		if new != nil {
			h.ToLine += new.skipped
		}
		if old != nil {
			h.FromLine += old.skipped
		}
		f.diff.Hunks = append(f.diff.Hunks, h)
		for _, line := range h.Lines {
			switch line.Kind {
			case udiff.Insert:
				f.Added++
			case udiff.Delete:
				f.Removed++
			}
		}
	}
	return f, err
}

// clause finds the name in a package clause, without _test.
var clause = regexp.MustCompile(`(?m)^package (\w+?)(?:_test)?$`)

// file is the source that counts: without a package comment.
type file struct {
	path      string // of the file, from the root
	text      string
	skipped   int // lines of the package comment, left out of text
	generated bool
}

// readStep returns the files of a folder, by base name, and what it is about.
func readStep(root, dir string) (files map[string]*file, synopsis string, err error) {
	entries, err := os.ReadDir(filepath.Join(root, filepath.FromSlash(dir)))
	if err != nil {
		return nil, "", fmt.Errorf("step %s does not exist: %w", dir, err)
	}
	files = map[string]*file{}
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() || !slices.Contains([]string{".go", ".s", ".h"}, path.Ext(name)) {
			continue
		}
		data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(dir), name))
		if err != nil {
			return nil, "", err
		}
		f := &file{path: path.Join(dir, name), text: strings.ReplaceAll(string(data), "\r\n", "\n")}
		files[name] = f
		comment := f.dropComment()
		if comment != "" && !strings.HasSuffix(name, "_test.go") && (synopsis == "" || name == "doc.go") {
			synopsis = new(doc.Package).Synopsis(comment)
		}
	}
	return files, synopsis, nil
}

// dropComment notes whether the file is generated, takes the package comment
// out of the text and returns it. A file that does not parse, such as one of
// assembly, stays as it is: it can still be compared.
func (f *file) dropComment() string {
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, f.path, f.text, parser.ParseComments|parser.PackageClauseOnly)
	if err != nil {
		return ""
	}
	f.generated = ast.IsGenerated(parsed)
	if parsed.Doc == nil {
		return ""
	}
	start, end := fset.Position(parsed.Doc.Pos()).Offset, fset.Position(parsed.Package).Offset
	f.skipped = strings.Count(f.text[start:end], "\n")
	f.text = f.text[:start] + f.text[end:]
	return parsed.Doc.Text()
}

// Patch returns the lesson as a unified diff and nothing else; it is empty if
// the steps agree. Generated files that are not shown are not in it.
func (l Lesson) Patch() string {
	var b strings.Builder
	for _, f := range l.Files {
		if f.Generated == 0 {
			b.WriteString(f.diff.String())
		}
	}
	return b.String()
}

// colors are the sequences that make a terminal color a line, by its first byte.
var colors = map[byte]string{'+': "\x1b[32m", '-': "\x1b[31m", '@': "\x1b[36m"}

// Write writes a heading, the differences, and how many there are.
func (l Lesson) Write(w io.Writer, colored bool) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%s to %s: %s\n\n", l.From, l.To, cmp.Or(l.Synopsis, "no package comment"))
	changed, added, removed := 0, 0, 0
	generated := ""
	for _, f := range l.Files {
		if f.Generated > 0 {
			change := map[string]string{f.diff.From: ", new", f.diff.To: ", gone"}[none]
			generated += fmt.Sprintf("%s: generated, %s%s\n", f.Name, english.Plural(f.Generated, "line", ""), change)
			continue
		}
		changed, added, removed = changed+1, added+f.Added, removed+f.Removed
		for line := range strings.Lines(f.diff.String()) {
			if color := colors[line[0]]; colored && color != "" {
				line = color + strings.TrimSuffix(line, "\n") + "\x1b[0m\n"
			}
			out.WriteString(line)
		}
		fmt.Fprintln(out)
	}
	fmt.Fprintf(out, "%s%s changed, %s added, %d removed\n", generated, english.Plural(changed, "file", ""), english.Plural(added, "line", ""), removed)
	return out.Flush()
}
