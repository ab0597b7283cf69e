package main

import (
	"fmt"
	"html/template"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
)

func sourceAddress(file string) string   { return "src/" + file + ".html" }
func folderAddress(folder string) string { return path.Join("src", folder, "index.html") }

// isSource reports whether the book shows a file as source: what chapters are about,
// of tests only the experiments and examples, and of the commands only soagen's example.
func isSource(name string) bool {
	example := strings.HasPrefix(name, "soagen/testdata/example/")
	experiment := slices.Contains([]string{"experiment_test.go", "example_test.go"}, path.Base(name))
	command := strings.HasPrefix(name, "scripts/") || strings.HasPrefix(name, "soagen/")
	test := strings.HasSuffix(name, "_test.go")
	shown := languageOf(name) != "" || slices.Contains([]string{"LICENSE", "go.mod"}, path.Base(name))
	return shown && (example || experiment || !command && !test)
}

// findSources adds an entry for each file of source and each folder of the clone.
func (b *book) findSources() error {
	return fs.WalkDir(os.DirFS(b.root), ".", func(name string, d fs.DirEntry, err error) error {
		base, folder := path.Base(name), path.Dir(name)
		hidden := strings.HasPrefix(base, ".") && name != "."
		switch {
		case err != nil:
			return err
		case d.IsDir() && (hidden || slices.Contains([]string{"results/local", "pictures", "lab"}, name) ||
			slices.Contains([]string{"fuzz", "module", "seeds"}, base)):
			return fs.SkipDir
		case d.IsDir():
			b.entries[folderAddress(name)] = func() ([]byte, error) { return b.folderPage(name) }
			if name != "." {
				b.folders[folder] = append(b.folders[folder], item{folderAddress(name), base + "/"})
			}
		case d.Type().IsRegular() && !hidden && isSource(name):
			b.entries[sourceAddress(name)] = func() ([]byte, error) { return b.sourcePage(name) }
			b.folders[folder] = append(b.folders[folder], item{sourceAddress(name), base})
		}
		return nil
	})
}

// crumbs are links to the folders that a file or a folder is in.
func crumbs(name string) []item {
	all := []item{{folderAddress("."), "raysteps"}}
	for i, c := range name {
		if c == '/' {
			all = append(all, item{folderAddress(name[:i]), path.Base(name[:i])})
		}
	}
	return append(all, item{"", path.Base(name)})
}

// sourcePage shows a file, with a fragment for each line.
func (b *book) sourcePage(name string) ([]byte, error) {
	lines, err := b.highlightFile(name)
	if err != nil {
		return nil, err
	}
	var body strings.Builder
	body.WriteString("<pre class=\"source\" tabindex=\"0\"><code>")
	for i, line := range lines {
		fmt.Fprintf(&body, "<i id=L%d></i>%s\n", i+1, line)
	}
	body.WriteString("</code></pre>\n")
	return b.render(view{Title: name, Here: sourceAddress(name), Class: "code", Path: crumbs(name),
		Body: template.HTML(body.String()), Scripts: []string{"copy.js"}})
}

// folderPage lists the files of a folder.
func (b *book) folderPage(folder string) ([]byte, error) {
	v := view{Title: folder, Here: folderAddress(folder), Class: "text", Path: crumbs(folder), Files: b.folders[folder]}
	if folder == "." {
		v.Title, v.Path = "The source", []item{{"", "The source"}}
	}
	return b.render(v)
}
