package toolchain

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestOutput(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.org\n\ngo 1.26.0\n",
		// Built for the target, and without the tags and features that the machine is set to.
		"tagged_linux_amd64.go": "//go:build !purego && !amd64.v3 && !cgo && !goexperiment.simd\n\npackage tagged\n\nfunc F() int { return 1 }\n",
		"broken/broken.go":      "package broken\n\nfunc F() int { return \"text\" }\n",
	} {
		file := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o777))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
	}
	for name, value := range map[string]string{
		"GOFLAGS": "-tags=purego", "GOAMD64": "v3", "GOEXPERIMENT": "simd", "CGO_ENABLED": "1", "GOOS": "windows", "GOARCH": "arm64",
	} {
		t.Setenv(name, value)
	}
	out, err := Output(root, "go build -gcflags=-m .")
	require.NoError(t, err)
	assert.Equal(t, "# example.org\n./tagged_linux_amd64.go:5:6: can inline F\n", strings.ReplaceAll(out, `\`, "/"))
	_, err = Output(root, "go build ./broken")
	assert.ErrorContains(t, err, "broken.go:3:23: cannot use \"text\" (untyped string constant) as int value in return statement")
	assert.NotContains(t, err.Error(), "\n")
	for _, command := range []string{"", "go", "go env GOPATH", "rm -rf ./tagged", "GOFLAGS=-m go build ./tagged"} {
		_, err := Output(root, command)
		assert.ErrorContains(t, err, "want go build or go run, and a package", command)
	}
}
