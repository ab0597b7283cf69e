package main

import (
	"fmt"
	"net/url"
	"os"
	"path"
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

// Every link within the repository leads to a file, and its fragment to a
// heading. Addresses elsewhere only have to be well formed, as a test that asks
// the network would fail without it.
func TestLinks(t *testing.T) {
	root, pages := allPages(t)
	for _, page := range pages {
		name, err := filepath.Rel(root, page)
		require.NoError(t, err)
		t.Run(filepath.ToSlash(name), func(t *testing.T) {
			links, _ := linksOf(t, page)
			for _, link := range links {
				assert.NoError(t, follow(t, page, link))
			}
		})
	}
}

func allPages(t *testing.T) (root string, pages []string) {
	root, err := cli.ModuleRoot()
	require.NoError(t, err)
	pages, err = filepath.Glob(filepath.Join(root, "docs", "*.md"))
	require.NoError(t, err)
	pages = append(pages, filepath.Join(root, "README.md"), filepath.Join(root, "soagen", "README.md"))
	require.Greater(t, len(pages), 15)
	return root, pages
}

// Every picture and chart stands in a page; one that none shows only makes the site
// larger.
func TestPicturesAreShown(t *testing.T) {
	root, pages := allPages(t)
	shown := map[string]bool{}
	for _, scene := range []string{"small", "medium", "large"} { // the race of the book shows them
		shown[filepath.Join(root, "docs", "pictures", scene+".png")] = true
	}
	for _, page := range pages {
		links, _ := linksOf(t, page)
		for _, link := range links {
			shown[filepath.Join(filepath.Dir(page), filepath.FromSlash(link))] = true
		}
	}
	for _, folder := range []string{"charts", "pictures"} {
		files, err := filepath.Glob(filepath.Join(root, "docs", folder, "*"))
		require.NoError(t, err)
		require.NotEmpty(t, files)
		for _, file := range files {
			assert.True(t, shown[file], "%s/%s stands in no page; want it shown or deleted", folder, filepath.Base(file))
			if folder == "pictures" && filepath.Ext(file) == ".svg" {
				drawing, err := os.ReadFile(file)
				require.NoError(t, err)
				assert.Contains(t, string(drawing), "<title>", "what %s shows, for readers who do not see it", filepath.Base(file))
			}
		}
	}
}

// Every page stands in the list of all, or a reader finds it by chance alone.
func TestPagesAreListed(t *testing.T) {
	root, pages := allPages(t)
	list := filepath.Join(root, "docs", "README.md")
	links, _ := linksOf(t, list)
	listed := map[string]bool{list: true}
	for _, link := range links {
		listed[filepath.Join(root, "docs", filepath.FromSlash(link))] = true
	}
	for _, page := range pages {
		assert.True(t, listed[page], "%s is not linked in docs/README.md", page)
	}
}

// A chapter's title has the words by which the overview lists it.
func TestTitles(t *testing.T) {
	root, _ := allPages(t)
	for _, step := range steps.All() {
		if step.Beyond {
			continue
		}
		page, err := os.ReadFile(filepath.Join(root, "docs", step.Name+".md"))
		require.NoError(t, err)
		title, _, _ := strings.Cut(string(page), "\n")
		assert.Equal(t, fmt.Sprintf("# Step %d: %s: %s", step.Number, step.Label, step.Question), title)
	}
}

func follow(t *testing.T, page, link string) error {
	address, err := url.Parse(link)
	switch {
	case err != nil:
		return fmt.Errorf("link %q: %w", link, err)
	case (address.Scheme == "https" || address.Scheme == "http") && address.Host != "":
		return nil
	case address.Scheme != "" || address.Host != "" || path.IsAbs(address.Path):
		return fmt.Errorf("link %q; want a relative one, or https or http", link)
	}
	file := page
	if address.Path != "" {
		file = filepath.Join(filepath.Dir(page), filepath.FromSlash(address.Path))
	}
	if _, err := os.Stat(file); err != nil {
		return fmt.Errorf("link %q: %w", link, err)
	}
	if address.Fragment == "" {
		return nil
	}
	_, anchors := linksOf(t, file)
	if !anchors[address.Fragment] {
		return fmt.Errorf("link %q: no such heading", link)
	}
	return nil
}

// linksOf returns the addresses of links and pictures in a page, and the
// fragments that lead to its headings on a code-hosting site.
func linksOf(t *testing.T, page string) (links []string, anchors map[string]bool) {
	source, err := os.ReadFile(page)
	require.NoError(t, err)
	doc := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithParserOptions(parser.WithAutoHeadingID())).Parser().Parse(text.NewReader(source))
	anchors = map[string]bool{}
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
		case *ast.RawHTML: // a picture that is shown smaller
			if src := picture.FindSubmatch(n.Segments.Value(source)); src != nil {
				links = append(links, string(src[1]))
			}
		case *ast.Heading:
			id, _ := n.AttributeString("id")
			anchors[string(id.([]byte))] = true
		}
		return ast.WalkContinue, nil
	}))
	return links, anchors
}

var picture = regexp.MustCompile(`<img src="([^"]*)"`)
