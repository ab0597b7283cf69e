package launch

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/steps"
	"raysteps/scripts/internal/toolchain"
)

func TestArguments(t *testing.T) {
	for _, tt := range []struct {
		program Program
		want    string
	}{
		{Program{Offset: 10}, "build -trimpath -pgo=off -o a -overlay b/overlay.json -ldflags=-s -w -randlayout=14 ./step01"},
		{Program{Debug: true, profile: "p"}, "build -trimpath -pgo=off -o a -overlay b/overlay.json -pgo=p ./step01"},
	} {
		tt.program.folder, tt.program.bin = "step01", "b"
		assert.Equal(t, tt.want, filepath.ToSlash(strings.Join(tt.program.arguments("a", 3), " ")))
	}
}

func TestEnvironment(t *testing.T) {
	t.Setenv("GOEXPERIMENT", "foo,bar")
	last := func(l *Linker, b Build, key string) string {
		value := ""
		for _, line := range l.Environment(b) {
			if text, ok := strings.CutPrefix(line, key+"="); ok {
				value = text // the last one counts
			}
		}
		return value
	}
	assert.Equal(t, "foo,bar", last(&Linker{}, Build{}, "GOEXPERIMENT"), "as the user has it")
	assert.Equal(t, "foo,bar,simd", last(&Linker{SIMD: true}, Build{}, "GOEXPERIMENT"))
	assert.Equal(t, "v3", last(&Linker{}, Build{Level: "v3"}, "GOAMD64"))
	assert.Equal(t, "go1.27.4", last(&Linker{}, Build{Toolchain: "go1.27.4"}, "GOTOOLCHAIN"))
	assert.Equal(t, os.Getenv("GOAMD64"), last(&Linker{}, Build{}, "GOAMD64"))
}

func TestUseSIMD(t *testing.T) {
	root, err := cli.ModuleRoot()
	require.NoError(t, err)
	l := &Linker{Root: root}
	require.NoError(t, l.UseSIMD([]Variant{{Package: "raysteps/step01"}, {Package: "raysteps/step12"}}))
	assert.False(t, l.SIMD)
	assert.Empty(t, l.Note)
	require.NoError(t, l.UseSIMD([]Variant{{Package: "raysteps/step01"}, {Package: "raysteps/beyond/archsimd"}}))
	available := toolchain.HasSIMD(root, append(os.Environ(), "GOEXPERIMENT=simd"))
	assert.Equal(t, available, l.SIMD)
	if !available {
		assert.Equal(t, "This toolchain has no GOEXPERIMENT=simd for "+runtime.GOARCH+": beyond/archsimd is built without it", l.Note)
	}
}

// The tree stays as it is: the launcher's sources and the copy of the first step
// are put in place by the overlay.
func TestOverlay(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(root, "step01"), 0o777))
	for _, name := range []string{"vec.go", "vec_test.go"} {
		require.NoError(t, os.WriteFile(filepath.Join(root, "step01", name), []byte("package step01\n"), 0o666))
	}
	l := &Linker{Root: root, Bin: t.TempDir()}
	p, err := l.Launcher("a", Build{}, append(Steps(steps.All()[:1]), l.Again(steps.All()[0])))
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(p.bin, "overlay.json"))
	require.NoError(t, err)
	for _, want := range []string{"main.go", "variants.go", "vec.go"} {
		assert.Contains(t, string(text), want)
	}
	assert.NotContains(t, string(text), "vec_test.go")
	entries, err := os.ReadDir(root)
	require.NoError(t, err)
	assert.Len(t, entries, 1)
}
