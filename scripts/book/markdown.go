package main

import (
	"bytes"
	"html/template"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	goldmarkhtml "github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// markdown renders the pages as a code-hosting site does. Raw HTML is let through:
// the pages are the repository's own.
var markdown = goldmark.New(
	goldmark.WithExtensions(
		extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)),
		extension.Strikethrough, extension.Linkify),
	goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	goldmark.WithRendererOptions(goldmarkhtml.WithUnsafe(),
		renderer.WithNodeRenderers(util.Prioritized(codeRenderer{}, 100))),
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
		b.WriteString(textOf(c, source))
	}
	return b.String()
}

// textOf is what a node is to the text of the one that it is in.
func textOf(n ast.Node, source []byte) string {
	switch n := n.(type) {
	case *ast.Text:
		text := string(n.Value(source))
		if n.SoftLineBreak() || n.HardLineBreak() {
			text += " "
		}
		return text
	case *ast.RawHTML:
		return ""
	case *extast.TableCell:
		return plain(n, source) + " "
	}
	return plain(n, source)
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

// html renders the page, with links that lead to pages of the book.
func (d *document) html(b *book) (template.HTML, error) {
	d.rewrite(b)
	var out bytes.Buffer
	err := markdown.Renderer().Render(&out, d.text, d.root)
	return template.HTML(joinUnits(underTitleLine(headed(out.String())))), err
}

var emptyHead = regexp.MustCompile(`<th( align="\w+")?></th>`)

// headed makes the head of a column that has none an empty cell: there is nothing to read out.
func headed(html string) string { return emptyHead.ReplaceAllString(html, "<td$1></td>") }

var (
	// underTitle is the line below a title, and neighbors are what is in it and stands at the
	// foot of the page and in the contents, too.
	underTitle = regexp.MustCompile(`</h1>\n<p>.*\n`)
	neighbors  = regexp.MustCompile(`<a [^>]*>Contents</a> · | · (before|next): <a [^>]*>[^<]*</a>`)
)

// underTitleLine leaves one short line under the title of a chapter.
func underTitleLine(html string) string {
	at := underTitle.FindStringIndex(html)
	if at == nil || !neighbors.MatchString(html[at[0]:at[1]]) {
		return html
	}
	line := neighbors.ReplaceAllString(html[at[0]:at[1]], "")
	line = strings.Replace(line, "<p>", `<p class="under">`, 1)
	return html[:at[0]] + line + html[at[1]:]
}

var (
	tagOrText = regexp.MustCompile(`(?s)<(pre|code|svg)\b.*?</(pre|code|svg)>|<[^>]*>|[^<]+`)
	// quantity is a number before a unit.
	quantity = regexp.MustCompile(`(\d) (%|ns|µs|ms|s|seconds|minutes|bytes|bits|cycles|[KMG]iB|[kMG]B|GHz|rays/s)($|[^\p{L}/])`)
)

// joinUnits keeps a number and its unit on one line.
func joinUnits(html string) string {
	return tagOrText.ReplaceAllStringFunc(html, func(part string) string {
		if part[0] == '<' {
			return part
		}
		return quantity.ReplaceAllString(part, "$1\u00a0$2$3")
	})
}
