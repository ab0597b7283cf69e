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

// Hunks returns the places at which the file differs.
func (f FileDiff) Hunks() []Hunk {
	var all []Hunk
	for _, h := range f.diff.Hunks {
		var kinds strings.Builder
		for _, line := range h.Lines {
			switch line.Kind {
			case udiff.Insert:
				kinds.WriteByte('+')
			case udiff.Delete:
				kinds.WriteByte('-')
			default:
				kinds.WriteByte('=')
			}
		}
		all = append(all, Hunk{h.FromLine, h.ToLine, kinds.String()})
	}
	return all
}

// Diff compares two steps of the module in root. They are given by the paths of
// their folders from there, with slashes. With files, given by their base names,
// it compares no others, and those in full: a file of tests is otherwise left out,
// and a generated one named alone. That neither step has one of them is an error.
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
	l.Synopsis = after.synopsis

	var names []string
	for _, s := range []step{before, after} {
		for name := range s.files {
			wanted := slices.Contains(files, name) || len(files) == 0 && !strings.HasSuffix(name, "_test.go")
			if wanted && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	for _, name := range files {
		if !slices.Contains(names, name) {
			return l, fmt.Errorf("neither %s nor %s has a file %s", from, to, name)
		}
	}
	slices.Sort(names)

	for _, name := range names {
		f, err := compare(before, after, name)
		if err != nil {
			return l, err
		}
		if f == nil {
			continue
		}
		if last := cmp.Or(after.files[name], before.files[name]); last.generated && len(files) == 0 {
			f.Generated = strings.Count(last.text, "\n") + last.skipped
		}
		l.Files = append(l.Files, *f)
	}
	return l, nil
}

// none is what a patch calls a file that does not exist, on every system.
const none = "/dev/null"

// compare returns nil if the files of that name agree.
func compare(before, after step, name string) (*FileDiff, error) {
	f := &FileDiff{Name: name, diff: udiff.UnifiedDiff{From: none, To: none}}
	old, new := cmp.Or(before.files[name], &file{}), cmp.Or(after.files[name], &file{})
	text := old.text
	if old.name != "" {
		f.diff.From, f.FromFirst = path.Join(before.path, name), old.skipped+1
	}
	if new.name != "" {
		f.diff.To, f.ToFirst = path.Join(after.path, name), new.skipped+1
		text = old.renamed(before, after)
	}
	diff, err := udiff.ToUnifiedDiff("", "", text, udiff.Lines(text, new.text), udiff.DefaultContextLines)
	if err != nil {
		return nil, fmt.Errorf("comparing %s with %s: %w", f.diff.From, f.diff.To, err)
	}
	for _, h := range diff.Hunks {
		// Version 0.4.1 of the library counts wrongly the lines between two
		// changes of one hunk, so its ToLine of the next hunk is of no use.
		h.ToLine = h.FromLine + f.Added - f.Removed + new.skipped
		h.FromLine += old.skipped
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
	if len(f.diff.Hunks) == 0 {
		return nil, nil
	}
	return f, nil
}

// step is what a folder holds.
type step struct {
	path     string
	synopsis string
	files    map[string]*file
}

// name is what imports and package clauses call the step.
func (s step) name() string { return path.Base(s.path) }

// file is the source that counts: without a package comment.
type file struct {
	name      string
	text      string
	skipped   int // lines of the package comment, left out of text
	generated bool
}

func readStep(root, dir string) (step, error) {
	s := step{path: dir, files: map[string]*file{}}
	entries, err := os.ReadDir(filepath.Join(root, filepath.FromSlash(dir)))
	if err != nil {
		return s, fmt.Errorf("step %s does not exist: %w", dir, err)
	}
	var comment string
	for _, e := range entries {
		if e.IsDir() || !isSource(e.Name()) {
			continue
		}
		data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(dir), e.Name()))
		if err != nil {
			return s, err
		}
		f := &file{name: e.Name(), text: strings.ReplaceAll(string(data), "\r\n", "\n")}
		if path.Ext(f.name) == ".go" {
			if text := f.dropComment(); text != "" && !strings.HasSuffix(f.name, "_test.go") && (comment == "" || f.name == "doc.go") {
				comment = text
			}
		}
		s.files[f.name] = f
	}
	s.synopsis = new(doc.Package).Synopsis(comment)
	return s, nil
}

func isSource(name string) bool {
	switch path.Ext(name) {
	case ".go", ".s", ".h":
		return true
	}
	return false
}

// dropComment notes whether the file is generated, takes the package comment
// out of the text and returns it. A file that does not parse stays as it is: it
// can still be compared.
func (f *file) dropComment() string {
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, f.name, f.text, parser.ParseComments|parser.PackageClauseOnly)
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

// renamed returns the text with the package clause of another step.
func (f *file) renamed(from, to step) string {
	clause := regexp.MustCompile(`(?m)^package ` + regexp.QuoteMeta(from.name()) + `(_test)?\b`)
	if at := clause.FindStringIndex(f.text); at != nil {
		return f.text[:at[0]] + strings.Replace(f.text[at[0]:at[1]], from.name(), to.name(), 1) + f.text[at[1]:]
	}
	return f.text
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
	for _, f := range l.Files {
		if f.Generated == 0 {
			changed++
			added += f.Added
			removed += f.Removed
			for line := range strings.Lines(f.diff.String()) {
				if color := colors[line[0]]; colored && color != "" {
					line = color + strings.TrimSuffix(line, "\n") + "\x1b[0m\n"
				}
				out.WriteString(line)
			}
			fmt.Fprintln(out)
		}
	}
	for _, f := range l.Files {
		if f.Generated > 0 {
			change := map[string]string{f.diff.From: ", new", f.diff.To: ", gone"}[none]
			fmt.Fprintf(out, "%s: generated, %s%s\n", f.Name, english.Plural(f.Generated, "line", ""), change)
		}
	}
	fmt.Fprintf(out, "%s changed, %s added, %d removed\n", english.Plural(changed, "file", ""), english.Plural(added, "line", ""), removed)
	return out.Flush()
}
