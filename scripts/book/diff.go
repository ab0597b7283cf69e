package main

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"raysteps/scripts/internal/source"
	"raysteps/scripts/internal/steps"
)

func (b *book) diffPage() ([]byte, error) {
	return b.tool("diff.html", "Differences", "diff.html", steps.All(), "assets/diff.js")
}

// stepSource is the source of a step as the page of differences shows it.
type stepSource struct {
	Folder  string              `json:"folder"`
	Chapter string              `json:"chapter"` // address
	Title   string              `json:"title"`   // of the chapter
	Files   map[string][]string `json:"files"`   // lines of HTML, without tests
}

func (b *book) stepData(step steps.Step) ([]byte, error) {
	s := stepSource{Folder: step.Folder(), Files: map[string][]string{}}
	page := "docs/" + step.Name + ".md"
	s.Chapter = pageAddress(page)
	var err error
	if s.Title, err = b.heading(page); err != nil {
		return nil, err
	}
	names, err := b.sourceFiles(step)
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := os.ReadFile(b.path(path.Join(step.Folder(), name)))
		if err != nil {
			return nil, err
		}
		s.Files[name] = highlight(languageOf(name), strings.ReplaceAll(string(text), "\r\n", "\n"))
	}
	return data(step.Name, s)
}

// sourceFiles lists the files of a step that are no tests.
func (b *book) sourceFiles(step steps.Step) ([]string, error) {
	entries, err := os.ReadDir(b.path(step.Folder()))
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		ext := filepath.Ext(e.Name())
		if !e.IsDir() && (ext == ".go" || ext == ".s" || ext == ".h") && !strings.HasSuffix(e.Name(), "_test.go") {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// difference is that of two steps.
type difference struct {
	Synopsis  string     `json:"synopsis"`
	Files     []fileDiff `json:"files"`
	Same      []string   `json:"same"`
	Generated []string   `json:"generated"`
}

type fileDiff struct {
	Name    string        `json:"name"`
	Old     int           `json:"old"` // first lines that are compared, or 0 if there is no such file
	New     int           `json:"new"`
	Added   int           `json:"added"`
	Removed int           `json:"removed"`
	Hunks   []source.Hunk `json:"hunks"`
}

func (b *book) diffData(from, to steps.Step) ([]byte, error) {
	l, err := source.Diff(b.root, from.Folder(), to.Folder())
	if err != nil {
		return nil, err
	}
	d := difference{Synopsis: l.Synopsis, Files: []fileDiff{}, Same: []string{}, Generated: []string{}}
	same, err := b.sourceFiles(to)
	if err != nil {
		return nil, err
	}
	for _, f := range l.Files {
		same = slices.DeleteFunc(same, func(name string) bool { return name == f.Name })
		if f.Generated > 0 {
			if f.ToFirst > 0 {
				d.Generated = append(d.Generated, f.Name)
			}
			continue
		}
		d.Files = append(d.Files, fileDiff{f.Name, f.FromFirst, f.ToFirst, f.Added, f.Removed, f.Hunks()})
	}
	d.Same = append(d.Same, same...)
	return data(from.Name+","+to.Name, d)
}
