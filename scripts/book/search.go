package main

import (
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"

	"raysteps/scripts/internal/page"
)

// section is a part of a page that a search can find.
type section struct {
	Page  string `json:"p"` // address
	ID    string `json:"a"` // fragment, or empty
	Title string `json:"t"`
	Text  string `json:"x"`
	// Asked are the keys of the questions before it: as long as one has no answer, the page
	// veils the section, and the search passes over it.
	Asked []string `json:"q,omitempty"`
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

// sections returns the texts between headings.
func (d *document) sections() []section {
	address, title := pageAddress(d.name), title(d.text)
	all := []section{{Page: address, Title: title}}
	var asked []string
	_ = ast.Walk(d.root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		last := &all[len(all)-1]
		switch n := n.(type) {
		case *ast.Heading:
			if n.Level > 1 {
				s := section{Page: address, ID: idOf(n), Asked: last.Asked}
				s.Title = title + ": " + plain(n, d.text)
				if n.Level == 2 { // what is veiled begins with one
					s.Asked = slices.Clone(asked)
				}
				all = append(all, s)
			}
			return ast.WalkSkipChildren, nil
		case *ast.HTMLBlock:
			for _, begun := range page.Calls(string(n.Lines().Value(d.text)), "predict") {
				asked = append(asked, predictionKey(d.name, begun))
			}
		case *ast.FencedCodeBlock:
			if string(n.Language(d.text)) != "diff" { // whose lines are those of the source
				last.Text += " " + string(n.Lines().Value(d.text))
			}
		case *ast.Paragraph, *ast.TextBlock, *extast.TableHeader, *extast.TableRow:
			last.Text += " " + unfoldedText(n, d.text)
			return ast.WalkSkipChildren, nil
		}
		return ast.WalkContinue, nil
	})
	for i := range all {
		all[i].Text = strings.Join(strings.Fields(all[i].Text), " ")
	}
	return all
}

// unfoldedText is the text of a paragraph but for what it folds, which is an answer.
func unfoldedText(n ast.Node, source []byte) string {
	var b strings.Builder
	folded := false
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		if tag, ok := c.(*ast.RawHTML); ok {
			text := string(tag.Segments.Value(source))
			folded = strings.HasPrefix(text, "<details") || folded && text != "</details>"
		} else if !folded {
			b.WriteString(textOf(c, source))
		}
	}
	return b.String()
}
