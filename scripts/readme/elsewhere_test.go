package main

import (
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/page"
	"raysteps/scripts/internal/results"
)

// A row of a verdict that begins with elsewhere has a figure of another machine, whose interval has
// nothing in common with that of the machine that the pages are about.
func TestElsewhere(t *testing.T) {
	root, err := cli.ModuleRoot()
	require.NoError(t, err)
	machines, _, err := results.Open(root)
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.Join(root, "docs", "*.md"))
	require.NoError(t, err)
	rows := 0
	for _, file := range files {
		name := filepath.Join("docs", filepath.Base(file))
		for _, row := range regexp.MustCompile(`(?m)^\| elsewhere \|.*$`).FindAllString(read(t, root, name), -1) {
			rows++
			other := false
			for _, c := range page.Calls(row, "number") {
				pkg, benchmark, column := page.Number(c)
				there, _ := page.Machine(c, machines).Quantity(results.Package(pkg), benchmark, "", column)
				here, known := machines[0].Quantity(results.Package(pkg), benchmark, "", column)
				other = other || c.Get("machine") != "" && (!known || there.Lo > here.Hi || there.Hi < here.Lo)
			}
			assert.True(t, other, "%s: no figure is another one elsewhere: %s", name, row)
		}
	}
	assert.Greater(t, rows, 4)
}
