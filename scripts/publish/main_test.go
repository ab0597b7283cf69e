package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/scripts/internal/resultstest"
)

func execute(t *testing.T, args ...string) (status int, stdout, stderr string) {
	var out, err bytes.Buffer
	status = command().Exec(t.Context(), args, &out, &err)
	return status, out.String(), err.String()
}

func TestPublish(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(root, "go.mod"), []byte("module raysteps\n\ngo 1.26.0\n"), 0o666))
	// A reader who is in another folder names the file as it is seen from there.
	folder := filepath.Join(root, "results", "local")
	require.NoError(t, os.MkdirAll(folder, 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "a.txt"), []byte(resultstest.File{}.Text(resultstest.Steps(1)...)), 0o666))
	t.Chdir(folder)

	status, stdout, stderr := execute(t, "a.txt", "-machine", "Abacus")
	assert.Zero(t, status, stderr)
	assert.Equal(t, "results/abacus.txt\nresults/published\n", stdout)
	list, err := os.ReadFile(filepath.Join(root, "results", "published"))
	require.NoError(t, err)
	assert.Equal(t, "steps: abacus.txt\n", string(list))

	t.Chdir(filepath.Join(root, "results"))
	status, stdout, stderr = execute(t, "abacus.txt")
	assert.Zero(t, status, stderr)
	assert.Equal(t, "results/published\n", stdout, "it is in results already")
}

func TestMisuse(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, tt := range []struct {
		name string
		args []string
		want string
	}{
		{"no file", nil, "no file; want one or more that scripts/bench wrote"},
		{"unknown flag", []string{"-watts", "5"}, "flag provided but not defined: -watts; -help lists the flags"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, stdout, stderr := execute(t, tt.args...)
			assert.Equal(t, 2, status)
			assert.Empty(t, stdout)
			assert.Equal(t, "publish: "+tt.want+"\n", stderr)
		})
	}
	status, stdout, _ := execute(t, "-h")
	assert.Zero(t, status)
	assert.Contains(t, stdout, "usage: go run ./scripts/publish [flags] FILE...\n")
}
