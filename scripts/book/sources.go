package main

import (
	"fmt"
	"go/doc"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"html"
	"html/template"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"raysteps/scripts/internal/cli"
)

func sourceAddress(file string) string   { return "src/" + file + ".html" }
func folderAddress(folder string) string { return path.Join("src", folder, "index.html") }

// isSource reports whether the book shows a file as source. Tests of the commands
// are a fifth of all source and no part of a chapter.
func isSource(name string) bool {
	folder, _, _ := strings.Cut(name, "/")
	if strings.HasSuffix(name, "_test.go") && (folder == "scripts" || folder == "soagen") && !strings.Contains(name, "/testdata/") {
		return false
	}
	return languageOf(name) != "" || slices.Contains([]string{"LICENSE", "go.mod", "published"}, path.Base(name))
}

// findSources adds an entry for each file of source and each folder of the clone.
func (b *book) findSources() error {
	folders := b.folders
	err := fs.WalkDir(os.DirFS(b.root), ".", func(name string, d fs.DirEntry, err error) error {
		hidden := strings.HasPrefix(path.Base(name), ".") && name != "."
		switch {
		case err != nil:
			return err
		case d.IsDir() && (hidden || name == "results/local" || name == "pictures" || name == "lab" || path.Base(name) == "fuzz" || path.Base(name) == "seeds"):
			return fs.SkipDir
		case d.IsDir():
			folders[name] = nil
			if name != "." {
				folders[path.Dir(name)] = append(folders[path.Dir(name)], path.Base(name)+"/")
			}
		case d.Type().IsRegular() && !hidden && isSource(name):
			folders[path.Dir(name)] = append(folders[path.Dir(name)], path.Base(name))
			b.entries[sourceAddress(name)] = func() ([]byte, error) { return b.sourcePage(name) }
		}
		return nil
	})
	if err != nil {
		return err
	}
	for folder := range folders {
		slices.Sort(folders[folder])
		b.entries[folderAddress(folder)] = func() ([]byte, error) { return b.folderPage(folder) }
	}
	return nil
}

// crumbs are links to the folders that a file or a folder is in.
func crumbs(here, name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<a href="%s">raysteps</a>`, relative(here, folderAddress(".")))
	parts := strings.Split(name, "/")
	for i, part := range parts {
		if i == len(parts)-1 {
			fmt.Fprintf(&b, " / %s", html.EscapeString(part))
		} else {
			fmt.Fprintf(&b, ` / <a href="%s">%s</a>`, relative(here, folderAddress(path.Join(parts[:i+1]...))), html.EscapeString(part))
		}
	}
	return b.String()
}

// sourcePage shows a file, with a fragment for each line.
func (b *book) sourcePage(name string) ([]byte, error) {
	text, err := os.ReadFile(b.path(name))
	if err != nil {
		return nil, err
	}
	here := sourceAddress(name)
	var body strings.Builder
	fmt.Fprintf(&body, "<h1 class=\"path\">%s</h1>\n<pre class=\"source\" tabindex=\"0\"><code>", crumbs(here, name))
	for i, line := range highlight(languageOf(name), strings.ReplaceAll(string(text), "\r\n", "\n")) {
		fmt.Fprintf(&body, "<i id=L%d></i>%s\n", i+1, line)
	}
	body.WriteString("</code></pre>\n")
	return b.render(view{Title: name, Here: here, Class: "code", Nav: b.around(path.Dir(name)), Body: template.HTML(body.String())})
}

// folderPage lists the files of a folder, under the package's comment.
func (b *book) folderPage(folder string) ([]byte, error) {
	here := folderAddress(folder)
	var body strings.Builder
	title, where := folder, crumbs(here, folder)
	if folder == "." {
		title, where = "The source", "The source"
	}
	fmt.Fprintf(&body, "<h1 class=\"path\">%s</h1>\n", where)
	body.WriteString(b.packageComment(here, folder))
	body.WriteString("<ul class=\"files\">\n")
	for _, file := range b.around(folder)[0].Items {
		fmt.Fprintf(&body, "<li><a href=\"%s\">%s</a></li>\n", relative(here, file.Address), html.EscapeString(file.Title))
	}
	body.WriteString("</ul>\n")
	return b.render(view{Title: title, Here: here, Class: "text", Nav: b.around(path.Dir(folder)), Body: template.HTML(body.String())})
}

// around lists what is in a folder, for the contents.
func (b *book) around(folder string) []group {
	g := group{Title: folder}
	if folder == "." {
		g.Title = "raysteps"
	}
	for _, file := range b.folders[folder] {
		to := sourceAddress(path.Join(folder, file))
		if strings.HasSuffix(file, "/") {
			to = folderAddress(path.Join(folder, file))
		}
		g.Items = append(g.Items, item{to, file})
	}
	return []group{g}
}

// packageComment is that of the package in a folder, as HTML, or nothing.
func (b *book) packageComment(here, folder string) string {
	files, err := filepath.Glob(filepath.Join(b.path(folder), "*.go"))
	if err != nil {
		return ""
	}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.PackageClauseOnly)
		if err != nil || parsed.Doc == nil || strings.HasSuffix(file, "_test.go") {
			continue
		}
		p := new(doc.Package)
		printer := p.Printer()
		printer.DocLinkURL = func(link *comment.DocLink) string {
			if folder, ok := strings.CutPrefix(link.ImportPath, cli.Module+"/"); ok {
				return relative(here, folderAddress(folder))
			}
			return ""
		}
		return string(printer.HTML(p.Parser().Parse(parsed.Doc.Text())))
	}
	return ""
}
