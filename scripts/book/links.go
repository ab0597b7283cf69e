package main

import (
	"fmt"
	"html"
	"path"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"

	"raysteps/scripts/internal/page"
	"raysteps/scripts/internal/steps"
)

// diffCommand shows the difference of two steps in a terminal.
var diffCommand = regexp.MustCompile(`^go run \./scripts/diff (\w+) (\w+)$`)

// rewrite makes links those of the book, and adds some: from a difference to the page that
// has it side by side, and from a chart to the one that can be asked.
func (d *document) rewrite(b *book) {
	commands := map[*ast.CodeSpan]string{}
	_ = ast.Walk(d.root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.HTMLBlock:
			for _, begun := range page.Calls(string(n.Lines().Value(d.text))) {
				d.offer(n, begun)
			}
		case *ast.Heading:
			n.AppendChild(n, raw(`<a href="#%s" title="link to this heading" class="anchor"></a>`, idOf(n)))
			return ast.WalkSkipChildren, nil
		case *ast.Link:
			n.Destination = []byte(b.destination(d.name, string(n.Destination)))
		case *ast.Image:
			n.Destination = []byte(b.destination(d.name, string(n.Destination)))
		case *ast.CodeSpan:
			m := diffCommand.FindStringSubmatch(plain(n, d.text))
			if m != nil && n.Parent().Kind() != ast.KindLink {
				commands[n] = diffAddress(m[1], m[2], "")
			}
		}
		return ast.WalkContinue, nil
	})
	for n, to := range commands { // not in the walk, which would lose its place
		if to == "" {
			continue
		}
		link := ast.NewLink()
		link.Destination = []byte(relative(pageAddress(d.name), to))
		n.Parent().ReplaceChild(n.Parent(), n, link)
		link.AppendChild(link, n)
	}
}

// offer adds to a region what the book has besides: n is its marker, and what it holds follows.
func (d *document) offer(n ast.Node, begun *page.Call) {
	from := pageAddress(d.name)
	switch begun.Name {
	case "diff":
		first, _, _ := strings.Cut(begun.Get("file"), ",")
		if to := diffAddress(begun.Get("from"), begun.Get("to"), first); to != "" {
			insert(n, `<p class="place"><a href="%s">side by side</a></p>`, relative(from, to))
		}
	case "chart":
		if begun.Get("machine") == "" { // what is drawn is of the first
			insert(n, `<p class="drawn" data-chart="%s"></p>`, begun.Get("file"))
		}
		address := relative(from, "charts.html#"+begun.Get("file"))
		insert(n, `<p class="place"><a href="%s">choose machines and steps in this chart</a></p>`, address)
	case "predict":
		if list := n.NextSibling(); list != nil {
			list.SetAttributeString("class", []byte("predict"))
			if slower(begun) {
				list.SetAttributeString("data-slower", []byte("yes"))
			}
			list.SetAttributeString("data-key", []byte(predictionKey(d.name, begun)))
		}
	case "table":
		d.offerMeasurement(n, begun)
	}
}

// offerMeasurement adds to a table of steps the place where the reader's browser measures them.
func (d *document) offerMeasurement(n ast.Node, begun *page.Call) {
	if begun.Get("rows") != "/scene" || begun.Get("cols") != "step" {
		return
	}
	var names []string
	list, _ := steps.Parse(begun.Get("steps")) // none if it is not of several
	for _, step := range list {
		names = append(names, step.Name)
	}
	if len(names) > 1 && n.NextSibling() != nil {
		insert(n.NextSibling(), `<p class="measure" data-steps="%s"></p>`, strings.Join(names, " "))
	}
}

// destination is where a link of a page leads, in the book if that has it.
func (b *book) destination(page, link string) string {
	file, fragment, _ := strings.Cut(link, "#")
	to := b.resolve(page, file)
	if to == "" {
		return link // elsewhere, or within this page
	}
	if strings.HasPrefix(to, "src/") && path.Base(to) != path.Base(file)+".html" {
		fragment = "" // is of a file whose folder stands for it
	}
	if fragment != "" {
		fragment = "#" + fragment
	}
	return relative(pageAddress(page), to) + fragment
}

// raw is a node that is HTML already.
func raw(format, value string) ast.Node {
	n := ast.NewString(fmt.Appendf(nil, format, html.EscapeString(value)))
	n.SetCode(true) // is written as it is
	return n
}

// insert puts a paragraph behind another.
func insert(after ast.Node, format, value string) {
	after.Parent().InsertAfter(after.Parent(), after, raw(format+"\n", value))
}

// diffAddress is that of a difference, or nothing if there are no such steps.
func diffAddress(from, to, file string) string {
	a, err := steps.Find(from)
	b, err2 := steps.Find(to)
	if err != nil || err2 != nil {
		return ""
	}
	return "diff.html#" + strings.TrimSuffix(a.Name+","+b.Name+","+file, ",")
}

// resolve returns the address in the book that a link of a page leads to, or
// nothing if it leads elsewhere.
func (b *book) resolve(page, link string) string {
	file := path.Join(path.Dir(page), link)
	for _, address := range []string{file, pageAddress(file), sourceAddress(file),
		folderAddress(file), folderAddress(path.Dir(file))} {
		if _, ok := b.entries[address]; ok && link != "" {
			return address
		}
	}
	return ""
}

// relative is the link from one address of the book to another. Addresses have no
// slash in front, so a site in a folder or in files works as one on a server.
func relative(from, to string) string {
	return strings.Repeat("../", strings.Count(from, "/")) + to
}
