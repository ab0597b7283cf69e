package results

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What is no file of measurements is not written over.
func TestOther(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.txt")
	assert.NoError(t, Check(file), "a new one")
	for text, want := range map[string]string{
		"":                           "",
		"BenchmarkHit 1 2 ns/op\n":   "",
		"Dear reader,\n":             "there is something else in it; want a file of measurements, or a new one",
		"BenchmarkHit 1 two ns/op\n": "want the Go benchmark format",
	} {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
		if err := Check(file); want == "" {
			assert.NoError(t, err, text)
		} else {
			assert.ErrorContains(t, err, want)
		}
	}
}
