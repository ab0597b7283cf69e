package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/scripts/internal/steps"
)

// run runs the command in a module with a few steps.
func run(t *testing.T, args string) (status int, stdout, stderr string) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":              "module raysteps\n",
		"step01/a.go":         "// Package step01 is slow.\npackage step01\n\nvar a = 1\n",
		"step02/a.go":         "// Package step02 is fast. It is.\npackage step02\n\nvar a = 2\n",
		"step02/a_test.go":    "package step02\n",
		"step03/a.go":         "package step03\n\nvar a = 2\n",
		"beyond/avx512/a.go":  "package avx512\n\nvar a = 3\n",
		"beyond/README.md":    "",
		"step12/a.go":         "package step12\n\nvar a = 4\n",
		"scripts/diff/dir.go": "package main\n",
	} {
		file := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o777))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
	}
	t.Chdir(filepath.Join(root, "scripts", "diff"))
	var out, err bytes.Buffer
	status = command.Exec(t.Context(), strings.Fields(args), &out, &err)
	return status, out.String(), err.String()
}

func TestDiff(t *testing.T) {
	want := `step01 to step02: Package step02 is fast.

--- step01/a.go
+++ step02/a.go
@@ -2,3 +2,3 @@
 package step02
 
-var a = 1
+var a = 2

1 file changed, 1 line added, 1 removed
`
	for _, args := range []string{"1 2", "2", "step01 step02", "step02", "01 step02/", "./step02"} {
		status, stdout, stderr := run(t, args)
		assert.Zero(t, status, args)
		assert.Equal(t, want, stdout, args)
		assert.Empty(t, stderr, args)
	}
	tests := []struct{ name, args, want string }{
		{"no difference", "2 3", "step02 to step03: no package comment\n\n0 files changed, 0 lines added, 0 removed\n"},
		{"backwards", "2 1", "@@ -2,3 +2,3 @@\n package step01\n \n-var a = 2\n+var a = 1\n"},
		{"step before one beyond", "avx512", "--- step12/a.go\n+++ beyond/avx512/a.go\n"},
		{"beyond", "3 avx512", "--- step03/a.go\n+++ beyond/avx512/a.go\n"},
		{"help", "-h", "usage: go run ./scripts/diff [FROM] TO\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			status, stdout, stderr := run(t, tt.args)
			assert.Zero(t, status)
			assert.Contains(t, stdout, tt.want)
			assert.Empty(t, stderr)
		})
	}
}

func TestMisuse(t *testing.T) {
	tests := []struct{ name, args, want string }{
		{"no steps", "", "no step; want one or two, as in diff 3 4"},
		{"not a number", "1 x", `unknown step "x"; want ` + steps.Choices()},
		{"step 0", "0 1", `cannot compare "0" with step01; want two steps, each ` + steps.Choices()},
		{"same step", "1 step01", `cannot compare "1" with step01; want two steps, each ` + steps.Choices()},
		{"too many", "1 2 3", "unexpected argument \"3\"; usage: go run ./scripts/diff [FROM] TO"},
		{"none before the first", "1", `cannot compare "" with step01; want two steps, each ` + steps.Choices()},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			status, stdout, stderr := run(t, tt.args)
			assert.Equal(t, 2, status)
			assert.Empty(t, stdout)
			assert.Equal(t, "diff: "+tt.want+"\n", stderr)
		})
	}
}

func TestOutsideOfTheModule(t *testing.T) {
	t.Chdir(t.TempDir())
	var stdout, stderr bytes.Buffer
	assert.Equal(t, 1, command.Exec(t.Context(), []string{"1", "2"}, &stdout, &stderr))
	assert.Contains(t, stderr.String(), "is not inside the module raysteps")
	assert.Equal(t, 1, strings.Count(stderr.String(), "\n"))
}
