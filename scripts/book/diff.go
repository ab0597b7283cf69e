package main

import (
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
		l, err := source.Diff(b.root, from.Folder(), to.Folder(), source.Published)
		if err != nil {
			return nil, err
		}
		d := difference{Synopsis: l.Synopsis}
		for _, f := range l.Files {
			switch {
			case len(f.Hunks) == 0:
				d.Same = append(d.Same, f.Name)
			case !f.Generated:
				d.Files = append(d.Files, f)
			case f.InTo:
				d.Generated = append(d.Generated, f.Name)
			}
		}
		all[to.Name] = d
	}
	return data("from-"+from.Name, all)
}
