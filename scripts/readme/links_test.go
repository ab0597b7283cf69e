package main

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/steps"
)

// Every link within the repository leads to a file, and its fragment to a heading; addresses
// elsewhere only have to be well formed, as a test that asks the network would fail without
// it. Every picture and chart stands in a page, and every page in the list of all, or a reader
// finds it by chance alone.
func TestLinks(t *testing.T) {
	root, err := cli.ModuleRoot()
	require.NoError(t, err)
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	require.NoError(t, err)
	pages = append(pages, filepath.Join(root, "README.md"), filepath.Join(root, "soagen", "README.md"))
	require.Greater(t, len(pages), 15)
	list := filepath.Join(root, "docs", "README.md")
	linked, listed, anchors := map[string]bool{}, map[string]bool{list: true}, map[string]bool{}
	for _, page := range pages {
		_, headings := linksOf(t, page)
		for _, heading := range headings {
			anchors[page+"#"+heading] = true
		}
	}
	for _, page := range pages {
		links, _ := linksOf(t, page)
		for _, link := range links {
			address, err := url.Parse(link)
			if !assert.NoError(t, err) || (address.Scheme == "https" || address.Scheme == "http") && address.Host != "" {
				continue
			}
			file := page
			if address.Path != "" {
				file = filepath.Join(filepath.Dir(page), filepath.FromSlash(address.Path))
			}
			assert.True(t, address.Scheme == "" && !filepath.IsAbs(address.Path), "%s: %s; want a relative link, or https or http", page, link)
			_, err = os.Stat(file)
			assert.NoError(t, err, "%s: %s", page, link)
			assert.True(t, address.Fragment == "" || anchors[file+"#"+address.Fragment], "%s: %s leads to no heading", page, link)
			linked[file], listed[file] = true, listed[file] || page == list
		}
	}
	for _, page := range pages {
		assert.True(t, listed[page], "%s is not linked in docs/README.md", page)
	}
	for _, scene := range []string{"small", "medium", "large"} { // the race of the book shows them
		linked[filepath.Join(root, "docs", "pictures", scene+".png")] = true
	}
	files, err := filepath.Glob(filepath.Join(root, "docs", "[cp]*s", "*"))
	require.NoError(t, err)
	require.Greater(t, len(files), 30)
	for _, file := range files {
		assert.True(t, linked[file], "%s stands in no page; want it shown or deleted", file)
		if drawing, err := os.ReadFile(file); filepath.Base(filepath.Dir(file)) == "pictures" && filepath.Ext(file) == ".svg" {
			require.NoError(t, err)
			assert.Contains(t, string(drawing), "<title>", "what %s shows, for readers who do not see it", file)
		}
	}
}

// A chapter's title has the words by which the overview lists it.
func TestTitles(t *testing.T) {
	root, err := cli.ModuleRoot()
	require.NoError(t, err)
	for _, step := range steps.All() {
		if !step.Beyond {
			title, _, _ := strings.Cut(read(t, root, "docs/"+step.Name+".md"), "\n")
			assert.Equal(t, fmt.Sprintf("# Step %d: %s: %s", step.Number, step.Label, step.Question), title)
		}
	}
}

// picture is one that is shown smaller.
var picture = regexp.MustCompile(`<img src="([^"]*)"`)

// linksOf returns the addresses of links and pictures in a page, and the fragments that lead
// to its headings.
func linksOf(t *testing.T, page string) (links, headings []string) {
	source, err := os.ReadFile(page)
	require.NoError(t, err)
	doc := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithParserOptions(parser.WithAutoHeadingID())).Parser().Parse(text.NewReader(source))
	require.NoError(t, ast.Walk(doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Link:
			links = append(links, string(n.Destination))
		case *ast.Image:
			links = append(links, string(n.Destination))
		case *ast.AutoLink:
			links = append(links, string(n.URL(source)))
		case *ast.RawHTML:
			if src := picture.FindSubmatch(n.Segments.Value(source)); src != nil {
				links = append(links, string(src[1]))
			}
		case *ast.Heading:
			id, _ := n.AttributeString("id")
			headings = append(headings, string(id.([]byte)))
		}
		return ast.WalkContinue, nil
	}))
	return links, headings
}
