package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestGeneratedIsCurrent(t *testing.T) {
	written := filepath.Join(t.TempDir(), "stages_avx2.go")
	require.NoError(t, generate("../stages_avx512.go", written))
	want, err := os.ReadFile(written)
	require.NoError(t, err)
	got, err := os.ReadFile("../stages_avx2.go")
	require.NoError(t, err)
	assert.Equal(t, string(want), string(got), "stages_avx2.go is stale; run go generate ./beyond/wavefront")
}

func TestErrors(t *testing.T) {
	wrong := filepath.Join(t.TempDir(), "wrong.go")
	require.NoError(t, os.WriteFile(wrong, []byte("package other\n"), 0o644))
	assert.ErrorContains(t, generate(wrong, wrong), "has no package clause; want package wavefront")
	assert.ErrorIs(t, generate("absent.go", wrong), os.ErrNotExist)
}
