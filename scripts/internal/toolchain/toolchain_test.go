package toolchain

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/perf/benchfmt"

	"raysteps/scripts/internal/cachegrind"
	"raysteps/scripts/internal/cli"
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

// Counts are what is published, to half a percent.
func TestCountsArePublished(t *testing.T) {
	if testing.Short() {
		t.Skip("not tested with -short: builds programs and counts")
	}
	if err := cachegrind.Works(t.Context()); err != nil {
		t.Skip(err)
	}
	root, err := cli.ModuleRoot()
	require.NoError(t, err)
	count := func(pkg, scene string) (*benchfmt.Result, error) {
		lines, err := Count(t.Context(), &cli.Env{Stderr: io.Discard}, root, t.TempDir(), nil,
			[]string{pkg}, []string{scene})
		return lines[0], err
	}
	_, err = Count(t.Context(), &cli.Env{Stderr: io.Discard}, root, t.TempDir(), nil, []string{"raysteps/step99"}, []string{"small"})
	assert.ErrorContains(t, err, "building what is counted: ")
	_, err = count("raysteps/step01", "dark")
	assert.ErrorContains(t, err, "counting raysteps/step01 in the dark scene: ")
	assert.ErrorContains(t, err, `unknown scene "dark"; want small, medium, large`)

	kernel, err := count("raysteps/step10", "small")
	require.NoError(t, err)
	if runtime.GOARCH == "amd64" {
		assert.Equal(t, "sse", kernel.GetConfig("kernel"))
	}
	first, err := count("raysteps/step09", "large")
	require.NoError(t, err)
	settings, err := exec.Command("go", "env", "GOVERSION", "GOARCH", "GOAMD64").Output()
	require.NoError(t, err)
	files, err := filepath.Glob(filepath.Join(root, "results", "*.txt"))
	require.NoError(t, err)
	for published := (benchfmt.Files{Paths: files}); published.Scan(); {
		r, ok := published.Result().(*benchfmt.Result)
		if !ok || string(r.Name) != string(first.Name) || r.GetConfig("pkg") != "raysteps/step09" || r.GetConfig("build") != "" {
			continue
		}
		if strings.Join([]string{r.GetConfig("goversion"), r.GetConfig("goarch"), r.GetConfig("goamd64"), ""}, "\n") == string(settings) {
			// indirect jumps are rare, and the runtime's vary with the load
			for i, unit := range CountUnits[:4] {
				assert.InEpsilon(t, r.Values[i].Value, first.Values[i].Value, 0.005, unit)
			}
		}
	}
}
