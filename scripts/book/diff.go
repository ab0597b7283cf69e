package main

import (
	"fmt"
	"os"
	"path"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"raysteps/scripts/internal/source"
	"raysteps/scripts/internal/steps"
)

// target is one that a reader may choose.
type target struct {
	Name string
	source.Target
}

// targets are those whose differences the page has, by what it calls them. The steps have no
// files for one system alone.
var targets = []target{
	{"amd64", source.Target{OS: "linux", Arch: "amd64"}},
	{"arm64", source.Target{OS: "linux", Arch: "arm64"}},
	{"WebAssembly", source.Target{OS: "js", Arch: "wasm"}},
}

// offer is what the page of differences lets choose. The target that is chosen at first is the
// reader's, if this machine is, or else the published one.
func (b *book) offer() map[string]any {
	chosen := source.Published.Arch
	if !b.site && slices.ContainsFunc(targets, func(t target) bool { return t.Arch == runtime.GOARCH }) {
		chosen = runtime.GOARCH
	}
	return map[string]any{"Steps": steps.All(), "Targets": targets, "Chosen": chosen}
}

// stepsData is what the page of differences knows of the steps.
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
	Files           []file
	Same, Generated []hiddenFile
}

// file is one that differs, and the targets that build it: nothing for all.
type file struct {
	source.FileDiff
	For       []string `json:",omitempty"`
	Generated bool     `json:",omitempty"` // no file that differs is
}

// hiddenFile is a file that is not shown.
type hiddenFile struct {
	Name string
	For  []string `json:",omitempty"`
}

// diffData has the differences of a step to each later one.
func (b *book) diffData(from steps.Step, later []steps.Step) ([]byte, error) {
	all := map[string]*difference{}
	for _, to := range later {
		d, err := b.difference(from, to)
		if err != nil {
			return nil, err
		}
		all[to.Name] = d
	}
	return data("from-"+from.Name, all)
}

// difference puts together what the targets differ in.
func (b *book) difference(from, to steps.Step) (*difference, error) {
	d, of := &difference{}, map[string][]string{}
	var files []file
	for _, target := range targets {
		l, err := source.Diff(b.root, from.Folder(), to.Folder(), target.Target)
		if err != nil {
			return nil, err
		}
		d.Synopsis = l.Synopsis
		for _, f := range l.Files {
			if of[f.Name] == nil {
				files = append(files, file{FileDiff: f})
			}
			of[f.Name] = append(of[f.Name], target.Arch)
		}
	}
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.Name, b.Name) })
	for _, f := range files {
		if len(of[f.Name]) < len(targets) {
			f.For = of[f.Name]
		}
		switch {
		case len(f.Hunks) == 0:
			d.Same = append(d.Same, hiddenFile{f.Name, f.For})
		case !f.FileDiff.Generated:
			for i := range f.Hunks {
				f.Hunks[i].Kinds = short(f.Hunks[i].Kinds)
			}
			d.Files = append(d.Files, f)
		case f.InTo:
			d.Generated = append(d.Generated, hiddenFile{f.Name, f.For})
		}
	}
	return d, nil
}

// run is one of kinds that is longer as it stands.
var run = regexp.MustCompile(`-{4,}|\+{4,}|={4,}`)

// short writes runs of kinds as a number and a kind: what is new is one run of hundreds.
func short(kinds string) string {
	return run.ReplaceAllStringFunc(kinds, func(r string) string { return fmt.Sprintf("%d%c", len(r), r[0]) })
}

// clause is what the text of a file differs in from that of another step's.
var clause = regexp.MustCompile(`(?m)^package \w+$`)

var generated = regexp.MustCompile(`(?m)^// Code generated .* DO NOT EDIT\.$`)

// filesData has the lines of the last step's files, or the name of the first step of which a file
// is the same but for its package clause.
func (b *book) filesData(until []steps.Step) ([]byte, error) {
	last := until[len(until)-1]
	all := map[string]any{}
	for _, name := range b.glob(last.Folder()+"/*.go", last.Folder()+"/*.s", last.Folder()+"/*.h") {
		base := path.Base(name)
		if strings.HasSuffix(base, "_test.go") || base == "doc.go" {
			continue
		}
		text, err := os.ReadFile(b.path(name))
		if err != nil {
			return nil, err
		}
		if generated.Match(text) {
			continue // which no difference shows
		}
		body := clause.ReplaceAllString(string(text), "")
		first := slices.IndexFunc(until, func(step steps.Step) bool {
			other, err := os.ReadFile(b.path(step.Folder() + "/" + base))
			return err == nil && clause.ReplaceAllString(string(other), "") == body
		})
		if first < len(until)-1 {
			all[base] = until[first].Name
		} else if all[base], err = b.highlightFile(name); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return data("files-"+last.Name, all)
}
