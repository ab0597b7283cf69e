package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/scripts/internal/cli"
)

// The commands with benchstat in docs/scripts.md run on the published
// measurements. Files that a reader would have made are stood in for by these.
func TestBenchstatInDocs(t *testing.T) {
	root, err := cli.ModuleRoot()
	require.NoError(t, err)
	page, err := os.ReadFile(filepath.Join(root, "docs", "scripts.md"))
	require.NoError(t, err)
	const published = "results/intel-xeon-granite-rapids.txt"
	found := 0
	for line := range strings.Lines(string(page)) {
		rest, ok := strings.CutPrefix(strings.TrimSpace(line), "go tool benchstat ")
		if !ok {
			continue
		}
		found++
		t.Run(rest, func(t *testing.T) {
			args := []string{"tool", "benchstat"}
			for i, part := range strings.Split(rest, `"`) { // what is quoted is one word
				if i%2 == 1 {
					args = append(args, part)
				} else {
					args = append(args, strings.Fields(part)...)
				}
			}
			for i, arg := range args {
				if strings.HasSuffix(arg, ".txt") && !strings.HasPrefix(arg, "results/") {
					args[i] = published
				}
			}
			var stderr strings.Builder
			cmd := exec.CommandContext(t.Context(), "go", args...)
			cmd.Dir, cmd.Stderr = root, &stderr
			out, err := cmd.Output()
			require.NoError(t, err, stderr.String())
			assert.Regexp(t, `raysteps/|step\d|/scene|scene=|small|pointer`, string(out))
			assert.NotContains(t, string(out), "link-order: ", "a table for each launch; want -ignore link-order,launch")
		})
	}
	assert.NotZero(t, found, "commands in the page")
}
