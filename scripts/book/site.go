package main

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/steps"
)

//go:embed assets
var assets embed.FS

var templates = template.Must(template.ParseFS(assets, "assets/*.html"))

// book is everything that can be read, by address. Which entries there are is
// settled when the book is opened, so a request never names a file; what they hold
// is made anew each time, so that a reader who changes a file and loads the page
// again sees the change.
type book struct {
	root    string
	tmp     string // for programs that are being compiled; empty is the system's
	entries map[string]entry
	pages   []string          // Markdown, in reading order, by their paths from the root
	folders map[string][]item // what is in each folder of source
}

// entry makes what stands at an address.
type entry func() ([]byte, error)

// pageAddress is where a page of Markdown is, or nothing for any other file.
func pageAddress(file string) string {
	if file == "README.md" {
		return "index.html"
	}
	if name, ok := strings.CutSuffix(file, ".md"); ok {
		return name + ".html"
	}
	return ""
}

// openBook finds out what there is to read in a clone.
func openBook(root string) (*book, error) {
	b := &book{root: root, entries: map[string]entry{}, folders: map[string][]item{}}
	if err := b.findPages(); err != nil {
		return nil, err
	}
	for _, name := range b.pages {
		b.entries[pageAddress(name)] = func() ([]byte, error) { return b.page(name) }
	}
	for _, file := range b.glob("docs/charts/*.svg", "docs/pictures/*") {
		b.entries[file] = func() ([]byte, error) { return os.ReadFile(b.path(file)) }
	}
	for _, name := range []string{"book.css", "book.js", "icon.svg", "predictions.js", "diff.js", "charts.js", "race.js", "tab.js", "measure.js", "worker.js"} {
		b.entries["assets/"+name] = func() ([]byte, error) { return assets.ReadFile("assets/" + name) }
	}
	b.entries["diff.html"] = func() ([]byte, error) { return b.tool("diff", "Differences", steps.All()) }
	b.entries["charts.html"] = b.chartsPage
	b.entries["race.html"] = b.racePage
	b.entries["predictions.html"] = func() ([]byte, error) { return b.tool("predictions", "Your predictions", nil) }
	b.entries["data/search.js"] = b.searchData
	b.entries["data/charts.js"] = b.chartsData
	b.entries["data/steps.js"] = b.stepsData
	b.entries["data/predictions.js"] = b.predictionsData
	b.entries["data/tab.js"] = b.tabData
	b.entries["assets/wasm_exec.js"] = b.support
	for _, takes := range b.programs() {
		b.entries["assets/"+takes+".wasm.gz"] = func() ([]byte, error) { return b.program(takes) }
	}
	all := steps.All()
	for i, step := range all {
		b.entries["data/from-"+step.Name+".js"] = func() ([]byte, error) { return b.diffData(step, all[i+1:]) }
	}
	return b, b.findSources()
}

func (b *book) path(file string) string { return filepath.Join(b.root, filepath.FromSlash(file)) }

// glob lists files of the clone, by their paths from the root.
func (b *book) glob(patterns ...string) (all []string) {
	for _, pattern := range patterns {
		files, _ := fs.Glob(os.DirFS(b.root), pattern) // the patterns have no mistake
		all = append(all, files...)
	}
	return all
}

// list is the page that lists all others.
const list = "docs/README.md"

// findPages lists the pages in their order: the chapters, the links of docs/README.md, and
// what neither has.
func (b *book) findPages() error {
	b.pages = []string{"README.md"}
	if _, err := b.open("README.md"); err != nil {
		return err
	}
	text, _ := os.ReadFile(b.path(list))
	var chapters, links []string
	for _, step := range steps.All() {
		chapters = append(chapters, "docs/"+step.Name+".md")
	}
	for _, m := range regexp.MustCompile(`\]\(([^)]+)\)`).FindAllSubmatch(text, -1) {
		links = append(links, path.Join("docs", string(m[1])))
	}
	all := b.glob("docs/*.md", "soagen/README.md")
	for _, file := range slices.Concat(chapters, []string{list}, links, all) {
		if slices.Contains(all, file) && !slices.Contains(b.pages, file) {
			b.pages = append(b.pages, file)
		}
	}
	return nil
}

func (b *book) open(name string) (*document, error) {
	data, err := os.ReadFile(b.path(name))
	if err != nil {
		return nil, fmt.Errorf("page %q: %w; want the files of a clone", name, err)
	}
	return parse(name, data), nil
}

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
	Scripts []string
	Policy  string
	Version string
}

// group is a part of the contents.
type group struct {
	Title string
	Items []item
}

type item struct{ Address, Title string }

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
	groups[0].Items = append(groups[0].Items,
		item{"diff.html", "Differences"}, item{"charts.html", "Charts"}, item{"race.html", "The race"}, item{"predictions.html", "Your predictions"}, item{"src/index.html", "The source"})
	return groups
}

// act matches the part of the tutorial that a chapter names below its title.
var act = regexp.MustCompile(`\n\*(Act [^*]+)\*`)

// heading is the title of a page, which is empty if the page cannot be read.
func (b *book) heading(name string) string {
	text, _ := os.ReadFile(b.path(name))
	return title(text)
}

// render fills the layout.
func (b *book) render(v view) ([]byte, error) {
	v.Policy, v.Version = policy, cli.Version
	v.Root = strings.Repeat("../", strings.Count(v.Here, "/"))
	v.Nav = b.contents()
	if strings.HasPrefix(v.Here, "src/") {
		v.Nav = nil // the path stands above a file
	}
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
	v := view{Title: title(d.text), Here: pageAddress(name), Class: "text", Outline: d.outline(), Scripts: []string{"assets/predictions.js", "assets/tab.js", "assets/measure.js"}}
	if v.Body, err = d.html(b); err != nil {
		return nil, err
	}
	if at := raceImage.FindStringIndex(string(v.Body)); at != nil {
		form, err := b.raceForm()
		if err != nil {
			return nil, err
		}
		v.Body, v.Scripts = v.Body[:at[0]]+form+v.Body[at[1]:], append(v.Scripts, raceScripts[1])
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
func (b *book) tool(name, title string, values any) ([]byte, error) {
	var out bytes.Buffer
	if err := templates.ExecuteTemplate(&out, name+".html", values); err != nil {
		return nil, err
	}
	return b.render(view{Title: title, Here: name + ".html", Class: "tool", Body: template.HTML(out.String()), Scripts: []string{"assets/tab.js", "assets/" + name + ".js"}})
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

func (b *book) searchData() ([]byte, error) {
	var all []section
	for _, name := range b.pages {
		d, err := b.open(name)
		if err != nil {
			return nil, err
		}
		all = append(all, d.sections()...)
	}
	return data("search", all)
}
