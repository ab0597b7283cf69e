package launch

import (
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/steps"
	"raysteps/scripts/internal/toolchain"
)

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
}

func TestUseSIMD(t *testing.T) {
	root, err := cli.ModuleRoot()
	require.NoError(t, err)
	l := &Linker{Root: root, Bin: t.TempDir()}
	chosen, err := steps.Parse("1,12,archsimd")
	require.NoError(t, err)
	_, err = l.Launcher(t.Context(), silent(), "two steps", Build{}, steps.Packages(chosen[:2]))
	require.NoError(t, err)
	assert.False(t, l.SIMD)
	assert.Empty(t, l.Note)
	_, err = l.Launcher(t.Context(), silent(), "three steps", Build{}, steps.Packages(chosen))
	require.NoError(t, err)
	available := toolchain.HasSIMD(root)
	assert.Equal(t, available, l.SIMD)
	if !available {
		assert.Equal(t, "This toolchain has no GOEXPERIMENT=simd for "+runtime.GOARCH+": beyond/archsimd is built without it", l.Note)
	}
}
