package cli_test

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/scripts/internal/cli"
)

// Where standard error is no terminal, a bar is a line a minute, and none in the first.
func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var stderr bytes.Buffer
		bar := (&cli.Env{Stderr: &stderr}).Progress(30, "measuring")
		for range 29 {
			time.Sleep(10 * time.Second)
			require.NoError(t, bar.Add(1))
		}
		require.NoError(t, bar.Finish())
		lines := strings.Split(stderr.String(), "\n")
		assert.Len(t, lines, 4+1, stderr.String())
		assert.Contains(t, lines[0], "measuring")
		assert.Contains(t, lines[0], "(6/30)")
		assert.NotContains(t, stderr.String(), "\r")
	})
}
