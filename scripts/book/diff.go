package main

import (
	"path"
	"slices"
	"strings"

	"raysteps/scripts/internal/source"
	"raysteps/scripts/internal/steps"
)

// stepsData is what the page of differences knows of the steps; their lines are those of
// the pages of source.
func (b *book) stepsData() ([]byte, error) {
	type about struct{ Folder, Chapter, Title string }
	all := map[string]about{}
	for _, step := range steps.All() {
		chapter := "docs/" + step.Name + ".md"
		all[step.Name] = about{step.Folder(), pageAddress(chapter), b.heading(chapter)}
	}
	return data("steps", all)
}

// sourceFiles lists the files of a step that are no tests.
func (b *book) sourceFiles(step steps.Step) (names []string) {
	for _, file := range b.glob(step.Folder()+"/*.go", step.Folder()+"/*.s", step.Folder()+"/*.h") {
		if !strings.HasSuffix(file, "_test.go") {
			names = append(names, path.Base(file))
		}
	}
	slices.Sort(names)
	return names
}

// difference is that of two steps.
type difference struct {
	Synopsis        string
	Files           []source.FileDiff
	Same, Generated []string // names
}

// diffData has the differences of a step to each later one.
func (b *book) diffData(from steps.Step, later []steps.Step) ([]byte, error) {
	all := map[string]difference{}
	for _, to := range later {
		l, err := source.Diff(b.root, from.Folder(), to.Folder())
		if err != nil {
			return nil, err
		}
		d := difference{Synopsis: l.Synopsis, Same: b.sourceFiles(to)}
		for _, f := range l.Files {
			d.Same = slices.DeleteFunc(d.Same, func(name string) bool { return name == f.Name })
			switch {
			case !f.Aside:
				d.Files = append(d.Files, f)
			case f.InTo:
				d.Generated = append(d.Generated, f.Name)
			}
		}
		all[to.Name] = d
	}
	return data("from-"+from.Name, all)
}
