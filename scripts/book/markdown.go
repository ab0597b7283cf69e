package main

import (
	"bytes"
	"fmt"
	"html"
	"html/template"
	"path"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	goldmarkhtml "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"raysteps/scripts/internal/page"
	"raysteps/scripts/internal/steps"
)

// markdown renders the pages as a code-hosting site does. Raw HTML is let through:
// the pages are the repository's own.
var markdown = goldmark.New(
	goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)), extension.Strikethrough, extension.Linkify),
	goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	goldmark.WithRendererOptions(goldmarkhtml.WithUnsafe(), renderer.WithNodeRenderers(util.Prioritized(codeRenderer{}, 100))),
)

// document is a page of Markdown that is parsed.
type document struct {
	name string // its path from the root
	text []byte
	root ast.Node
}

func parse(name string, data []byte) *document {
	return &document{name, data, markdown.Parser().Parse(text.NewReader(data))}
}

// plain is the text of a node and of what is in it.
func plain(n ast.Node, source []byte) string {
	var b strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Text:
			b.Write(c.Value(source))
			if c.SoftLineBreak() || c.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.RawHTML:
		case *extast.TableCell:
			b.WriteString(plain(c, source) + " ")
		default:
			b.WriteString(plain(c, source))
		}
	}
	return b.String()
}

// title is the first heading of a page.
func title(page []byte) string {
	_, rest, _ := strings.Cut("\n"+string(page), "\n# ")
	line, _, _ := strings.Cut(rest, "\n")
	line = "# " + line
	return plain(parse("", []byte(line)).root, []byte(line))
}

// outline lists the headings of the second level.
func (d *document) outline() (all []section) {
	for n := d.root.FirstChild(); n != nil; n = n.NextSibling() {
		if h, ok := n.(*ast.Heading); ok && h.Level == 2 {
			all = append(all, section{ID: idOf(h), Title: plain(h, d.text)})
		}
	}
	return all
}

func idOf(h ast.Node) string {
	id, _ := h.AttributeString("id")
	return string(id.([]byte)) // which the parser has set
}

// diffCommand shows the difference of two steps in a terminal.
var diffCommand = regexp.MustCompile(`^go run \./scripts/diff (\w+) (\w+)$`)

// html renders the page, with links that lead to pages of the book.
func (d *document) html(b *book) (template.HTML, error) {
	d.rewrite(b)
	var out bytes.Buffer
	err := markdown.Renderer().Render(&out, d.text, d.root)
	return template.HTML(out.String()), err
}

// rewrite makes links those of the book, and adds some: from a difference to the page that
// has it side by side, and from a chart to the one that can be asked.
func (d *document) rewrite(b *book) {
	from := pageAddress(d.name)
	commands := map[*ast.CodeSpan]string{}
	_ = ast.Walk(d.root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.HTMLBlock:
			for _, begun := range page.Calls(string(n.Lines().Value(d.text))) {
				switch {
				case begun.Name == "diff":
					first, _, _ := strings.Cut(begun.Get("file"), ",")
					if to := diffAddress(begun.Get("from"), begun.Get("to"), first); to != "" {
						insert(n, `<p class="place"><a href="%s">side by side</a></p>`, relative(from, to))
					}
				case begun.Name == "chart":
					insert(n, `<p class="place"><a href="%s">choose machines and steps in this chart</a></p>`, relative(from, "charts.html#"+begun.Get("file")))
				case begun.Name == "predict" && n.NextSibling() != nil:
					n.NextSibling().SetAttributeString("class", []byte("predict"))
					n.NextSibling().SetAttributeString("data-key", []byte(predictionKey(d.name, begun)))
				case begun.Name == "table" && begun.Get("rows") == "/scene" && begun.Get("cols") == "step":
					// Where the reader's browser can measure the steps, if it can.
					var names []string
					list, _ := steps.Parse(begun.Get("steps")) // none if it is not of several
					for _, step := range list {
						names = append(names, step.Name)
					}
					if len(names) > 1 && n.NextSibling() != nil {
						insert(n.NextSibling(), `<p class="measure" data-steps="%s"></p>`, strings.Join(names, " "))
					}
				}
			}
		case *ast.Heading:
			n.AppendChild(n, raw(`<a href="#%s" title="link to this heading" class="anchor"></a>`, idOf(n)))
			return ast.WalkSkipChildren, nil
		case *ast.Link:
			file, fragment, _ := strings.Cut(string(n.Destination), "#")
			to := b.resolve(d.name, file)
			if to == "" {
				break // elsewhere, or within this page
			}
			if strings.HasPrefix(to, "src/") && path.Base(to) != path.Base(file)+".html" {
				fragment = "" // is of a file whose folder stands for it
			}
			if fragment != "" {
				fragment = "#" + fragment
			}
			n.Destination = []byte(relative(from, to) + fragment)
		case *ast.Image:
			if to := b.resolve(d.name, string(n.Destination)); to != "" {
				n.Destination = []byte(relative(from, to))
			}
		case *ast.CodeSpan:
			m := diffCommand.FindStringSubmatch(plain(n, d.text))
			if m == nil || n.Parent().Kind() == ast.KindLink {
				break
			}
			if to := diffAddress(m[1], m[2], ""); to != "" {
				commands[n] = relative(from, to)
			}
		}
		return ast.WalkContinue, nil
	})
	for n, to := range commands { // not in the walk, which would lose its place
		link := ast.NewLink()
		link.Destination = []byte(to)
		n.Parent().ReplaceChild(n.Parent(), n, link)
		link.AppendChild(link, n)
	}
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
	for _, address := range []string{file, pageAddress(file), sourceAddress(file), folderAddress(file), folderAddress(path.Dir(file))} {
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

// size sets wide listings smaller; the style sheet says how many columns fit.
func size(columns int) string {
	switch {
	case columns > 112:
		return ` class="wider"`
	case columns > 100:
		return ` class="wide"`
	}
	return ""
}

// columns is the width of a text, whose tabs are at the beginnings of lines.
func columns(text string) (most int) {
	for line := range strings.Lines(strings.ReplaceAll(text, "\t", "    ")) {
		most = max(most, utf8.RuneCountInString(strings.TrimRight(line, " \n")))
	}
	return most
}

// sign is what the lines of a difference begin with, and header is one with the name of a file,
// which begins as if it were one that was removed or added.
var (
	sign   = regexp.MustCompile(`(?m)^(<b class=\w+>)?([-+ ])`)
	header = regexp.MustCompile(`<b class=\w+><i>([-+])</i>([-+]{2} [^<]+)</b>`)
)

// codeRenderer renders code blocks with colors.
type codeRenderer struct{}

func (codeRenderer) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindFencedCodeBlock, func(w util.BufWriter, source []byte, n ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			block := n.(*ast.FencedCodeBlock)
			language := string(block.Language(source))
			code := strings.Join(highlight(language, string(block.Lines().Value(source))), "\n")
			if language == "diff" { // tabs go on from behind the sign
				code = header.ReplaceAllString(sign.ReplaceAllString(code, "$1<i>$2</i>"), "<b class=h>$1$2</b>")
			}
			fmt.Fprintf(w, `<pre tabindex="0"%s><code class="%s">%s</code></pre>`+"\n", size(columns(string(block.Lines().Value(source)))), html.EscapeString(language), code)
		}
		return ast.WalkSkipChildren, nil
	})
	// Tables scroll by themselves where they are wider than the page.
	r.Register(extast.KindTable, func(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			_, _ = w.WriteString("<div class=\"table\" tabindex=\"0\"><table>\n")
		} else {
			_, _ = w.WriteString("</table></div>\n")
		}
		return ast.WalkContinue, nil
	})
}

// section is a part of a page that a search can find.
type section struct {
	Page  string `json:"p"` // address
	ID    string `json:"a"` // fragment, or empty
	Title string `json:"t"`
	Text  string `json:"x"`
}

// sections returns the texts between headings.
func (d *document) sections() []section {
	address, title := pageAddress(d.name), title(d.text)
	all := []section{{Page: address, Title: title}}
	_ = ast.Walk(d.root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		last := &all[len(all)-1]
		switch n := n.(type) {
		case *ast.Heading:
			if entering && n.Level > 1 {
				all = append(all, section{address, idOf(n), title + ": " + plain(n, d.text), ""})
			}
			return ast.WalkSkipChildren, nil
		case *ast.FencedCodeBlock:
			if entering {
				last.Text += " " + string(n.Lines().Value(d.text))
			}
		case *ast.Paragraph, *ast.TextBlock, *extast.TableHeader, *extast.TableRow:
			if entering {
				last.Text += " " + plain(n, d.text)
			}
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
	for i := range all {
		all[i].Text = strings.Join(strings.Fields(all[i].Text), " ")
	}
	return all
}
