package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html/template"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/steps"
)

// view is what the layout is filled with.
type view struct {
	Title   string
	Root    string // the way from the page to the address of the book
	Here    string // address
	Class   string // of what kind of page it is
	Nav     []group
	Outline []section // what is on the page
	Path    []item    // the folders that a file of source is in, and the file
	Body    template.HTML
	Files   []item // of a folder
	Before  *item
	After   *item
	Scripts []string // by their names in assets, besides those of every page
	Offline bool     // whether a browser may keep the book
	Policy  string
	Version string
}

// group is a part of the contents.
type group struct {
	Title string
	Items []item
}

type item struct{ Address, Title string }

// tools are the pages that are made of no Markdown.
var tools = []item{
	{"diff.html", "Differences"}, {"charts.html", "Charts"}, {"race.html", "The race"},
	{"predictions.html", "Your predictions"}, {"src/index.html", "The source"},
}

// contents lists the pages for the reader.
func (b *book) contents() []group {
	groups := []group{{Title: "The book"}}
	for _, name := range b.pages {
		title, part := b.heading(name), "Beside the steps"
		if name == "README.md" {
			title, part = "Overview", groups[0].Title
		}
		if _, err := steps.Find(strings.TrimSuffix(path.Base(name), ".md")); err == nil { // a chapter
			title, part = strings.TrimPrefix(title, "Beyond: "), "Beyond"
			text, _ := os.ReadFile(b.path(name))
			if m := act.FindSubmatch(text); m != nil {
				title, part = strings.TrimPrefix(title, "Step "), string(m[1])
			}
		}
		at := slices.IndexFunc(groups, func(g group) bool { return g.Title == part })
		if at < 0 { // parts come in the order of their first pages
			at, groups = len(groups), append(groups, group{Title: part})
		}
		groups[at].Items = append(groups[at].Items, item{pageAddress(name), title})
	}
	groups[0].Items = append(groups[0].Items, tools...)
	return groups
}

// act matches the part of the tutorial that a chapter names below its title.
var act = regexp.MustCompile(`\n\*(Act [^*]+)\*`)

// render fills the layout.
func (b *book) render(v view) ([]byte, error) {
	v.Policy, v.Version, v.Offline = policy, cli.Version, b.site
	v.Root = strings.Repeat("../", strings.Count(v.Here, "/"))
	v.Nav = b.contents()
	if strings.HasPrefix(v.Here, "src/") {
		v.Nav = nil // the path stands above a file
	} else {
		v.Scripts = append([]string{"progress.js"}, v.Scripts...)
	}
	v.Scripts = append([]string{"store.js", "search.js"}, v.Scripts...)
	var out bytes.Buffer
	err := templates.ExecuteTemplate(&out, "page.html", v)
	return out.Bytes(), err
}

// page makes one of Markdown.
func (b *book) page(name string) ([]byte, error) {
	d, err := b.open(name)
	if err != nil {
		return nil, err
	}
	v := view{Title: title(d.text), Here: pageAddress(name), Class: "text", Outline: d.outline()}
	v.Scripts = []string{"copy.js", "predict.js", "tab.js", "measure.js", "axes.js", "chart.js", "charts.js"}
	if name != glossary {
		v.Scripts = append(v.Scripts, "terms.js")
	}
	if v.Body, err = d.html(b); err != nil {
		return nil, err
	}
	if at := raceImage.FindStringIndex(string(v.Body)); at != nil {
		form, err := b.raceForm()
		if err != nil {
			return nil, err
		}
		v.Body, v.Scripts = v.Body[:at[0]]+form+v.Body[at[1]:], append(v.Scripts, raceScripts[1:]...)
	}
	at := slices.Index(b.pages, name)
	for _, other := range b.pages[max(0, at-1):at] {
		v.Before = &item{pageAddress(other), b.heading(other)}
	}
	for _, other := range b.pages[at+1 : min(at+2, len(b.pages))] {
		v.After = &item{pageAddress(other), b.heading(other)}
	}
	return b.render(v)
}

// tool makes a page from the template and with the script of its name.
func (b *book) tool(name, title string, values any, scripts ...string) ([]byte, error) {
	var out bytes.Buffer
	if err := templates.ExecuteTemplate(&out, name+".html", values); err != nil {
		return nil, err
	}
	scripts = append(scripts, name+".js")
	return b.render(view{Title: title, Here: name + ".html", Class: "tool",
		Body: template.HTML(out.String()), Scripts: scripts})
}

// data makes a script that hands data to the scripts of pages: a page that is
// opened as a file may load scripts, and nothing else.
func data(name string, value any) ([]byte, error) {
	var out bytes.Buffer
	fmt.Fprintf(&out, "book.data(%q, ", name)
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false) // it is no part of a page, and half as long
	err := encoder.Encode(value)
	out.WriteString(")\n")
	return out.Bytes(), err
}
