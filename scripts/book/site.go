package main

import (
	"context"
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

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
	tmp     string          // for programs that are being compiled; empty is the system's
	ctx     context.Context // ends compilations
	compile sync.RWMutex    // each of them holds it for reading
	site    bool            // whether it is written for any server, and so for any reader's machine
	entries map[string]entry
	pages   []string          // Markdown, in reading order, by their paths from the root
	folders map[string][]item // what is in each folder of source
	drawn   func() ([]chart, error)
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
	b := &book{root: root, ctx: context.Background()}
	b.entries, b.folders = map[string]entry{}, map[string][]item{}
	if err := b.findPages(); err != nil {
		return nil, err
	}
	for _, name := range b.pages {
		b.entries[pageAddress(name)] = func() ([]byte, error) { return b.page(name) }
	}
	b.entries["diff.html"] = func() ([]byte, error) { return b.tool("diff", "Differences", b.offer()) }
	b.entries["charts.html"] = b.chartsPage
	b.entries["race.html"] = b.racePage
	b.entries["predictions.html"] = func() ([]byte, error) {
		return b.tool("predictions", "Your predictions", nil, "tab.js")
	}
	b.addAssets()
	if err := b.addData(); err != nil {
		return nil, err
	}
	return b, b.findSources()
}

// addAssets adds what pages are made of besides their text: pictures, styles, scripts and
// the programs of a tab.
func (b *book) addAssets() {
	for _, file := range b.glob("docs/charts/*.svg", "docs/pictures/*") {
		b.entries[file] = func() ([]byte, error) { return os.ReadFile(b.path(file)) }
	}
	files, _ := assets.ReadDir("assets") // which is embedded
	for _, f := range files {
		if name := "assets/" + f.Name(); path.Ext(name) != ".html" && f.Name() != worker {
			b.entries[name] = func() ([]byte, error) { return assets.ReadFile(name) }
		}
	}
	b.entries["assets/wasm_exec.js"] = b.support
	for _, takes := range b.programs() {
		b.entries["assets/"+takes+".wasm.gz"] = func() ([]byte, error) { return b.program(takes) }
	}
}

// addData adds what the scripts of pages load.
func (b *book) addData() error {
	b.entries["data/search.js"] = b.searchData
	b.entries["data/steps.js"] = b.stepsData
	b.entries["data/terms.js"] = b.termsData
	b.entries["data/predictions.js"] = b.predictionsData
	b.entries["data/tab.js"] = b.tabData
	all := steps.All()
	for i, step := range all {
		b.entries["data/from-"+step.Name+".js"] = func() ([]byte, error) { return b.diffData(step, all[i+1:]) }
		b.entries["data/files-"+step.Name+".js"] = func() ([]byte, error) { return b.filesData(all[:i+1]) }
	}
	return b.addCharts()
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

// heading is the title of a page, which is empty if the page cannot be read.
func (b *book) heading(name string) string {
	text, _ := os.ReadFile(b.path(name))
	return title(text)
}
