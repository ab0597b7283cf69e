package main

import (
	stdhtml "html"
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
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"

	"raysteps/scripts/internal/cli"
)

// address is where a link leads, or a picture is.
var address = regexp.MustCompile(`(?:href|src)="([^"]*)"`)

// Every link within the repository leads to a file (a test of the book says whether its fragment
// leads to a heading); addresses elsewhere only have to be well formed, as a test that asks the
// network would fail without it. Every picture and chart stands in a page, and every page in the
// list of all, or a reader finds it by chance alone.
func TestLinks(t *testing.T) {
	root, err := cli.ModuleRoot()
	require.NoError(t, err)
	markdown := goldmark.New(goldmark.WithExtensions(extension.GFM),
		goldmark.WithRendererOptions(html.WithUnsafe()))
	pages, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	require.NoError(t, err)
	require.Greater(t, len(pages), 15)
	const list = "docs/README.md"
	linked, listed := map[string]bool{}, map[string]bool{list: true}
	for i, name := range append(pages, "README.md", "CONTRIBUTING.md", "soagen/README.md") {
		if i < len(pages) {
			name = "docs/" + filepath.Base(name)
		}
		var page strings.Builder
		require.NoError(t, markdown.Convert([]byte(read(t, root, name)), &page))
		for _, m := range address.FindAllStringSubmatch(page.String(), -1) {
			link, err := url.Parse(stdhtml.UnescapeString(m[1]))
			if !assert.NoError(t, err) || link.Path == "" || link.Host != "" && strings.HasPrefix(link.Scheme, "http") {
				continue
			}
			file := path.Join(path.Dir(name), link.Path)
			assert.True(t, link.Scheme == "" && !path.IsAbs(link.Path), "%s: %s; want a relative link, or https or http", name, link)
			_, err = os.Stat(filepath.Join(root, file))
			assert.NoError(t, err, "%s: %s", name, link)
			linked[file], listed[file] = true, listed[file] || name == list
		}
	}
	for _, page := range pages {
		assert.True(t, listed["docs/"+filepath.Base(page)], "%s is not linked in docs/README.md", page)
	}
	for _, scene := range []string{"small", "medium", "large"} { // the race of the book shows them
		linked["docs/pictures/"+scene+".png"] = true
	}
	files, err := filepath.Glob(filepath.Join(root, "docs", "[cp]*s", "*"))
	require.NoError(t, err)
	require.Greater(t, len(files), 30)
	for _, file := range files {
		name := path.Join("docs", filepath.Base(filepath.Dir(file)), filepath.Base(file))
		assert.True(t, linked[name], "%s stands in no page; want it shown or deleted", name)
		if strings.Contains(name, "pictures/") && path.Ext(name) == ".svg" {
			assert.Contains(t, read(t, root, name), "<title>", "what %s shows, for readers who do not see it", name)
		}
	}
}
