package main

import (
	"bytes"
	"context"
	_ "embed"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

// The lock of all that measures is one of these tests.
func TestMain(m *testing.M) {
	if os.Getenv("IS_AB") != "" { // what the workflow installs
		os.Exit(command(1, 1).Exec(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
	}
	folder, err := os.MkdirTemp("", "ab-test-")
	if err != nil {
		panic(err)
	}
	os.Setenv("TMPDIR", folder)
	os.Setenv("TMP", folder)
	status := m.Run()
	os.RemoveAll(folder)
	os.Exit(status)
}

// write writes files of a folder.
func write(t *testing.T, dir, files string) {
	t.Helper()
	for _, file := range txtar.Parse([]byte(files)).Files {
		name := filepath.Join(dir, filepath.FromSlash(file.Name))
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, file.Data, 0o644))
	}
}

func runGit(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "core.autocrlf=false"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}

func commit(t *testing.T, dir string) {
	t.Helper()
	runGit(t, dir, "add", "-A")
	runGit(t, dir, "commit", "-qm", "change")
}

// execute runs the command in one link order and returns its status and what it prints.
func execute(t *testing.T, ctx context.Context, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	return executeIn(t, ctx, 1, args...)
}

// executeIn does what execute does in so many link orders: the first and the others are linked in two ways.
func executeIn(
	t *testing.T, ctx context.Context, orders int, args ...string,
) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	status = command(orders, 1).Exec(ctx, args, &out, &errs)
	return status, out.String(), errs.String()
}

// module is a repository with a module in a subfolder, whose name has a space.
//
//go:embed testdata/module.txtar
var module string

// repositoryOf makes a repository of files in one commit. A test that has one builds programs,
// so with -short it is skipped.
func repositoryOf(t *testing.T, files string) (dir string) {
	t.Helper()
	if testing.Short() {
		t.Skip("not tested with -short: builds programs")
	}
	dir = t.TempDir()
	write(t, dir, files)
	runGit(t, dir, "init", "-q")
	commit(t, dir)
	return dir
}

// untouched checks at the end of a test that a folder holds what it held, its repository included,
// and that no temporary files are left.
func untouched(t *testing.T, dir string) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	t.Setenv("TMP", temporary)
	before := state(t, dir)
	t.Cleanup(func() {
		assert.Equal(t, before, state(t, dir))
		left, err := filepath.Glob(filepath.Join(temporary, "*"))
		require.NoError(t, err)
		assert.Empty(t, slices.DeleteFunc(left, func(name string) bool { return filepath.Ext(name) == ".lock" }))
	})
}

func state(t *testing.T, dir string) map[string]string {
	all := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			all[path] = "folder"
			return err
		}
		data, err := os.ReadFile(path)
		all[path] = string(data)
		return err
	}))
	return all
}

// ab stands alone: it knows nothing of the steps, and can be cut out.
func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	require.NoError(t, err)
	var own []string
	for line := range strings.Lines(string(out)) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "raysteps/"); ok {
			own = append(own, name)
		}
	}
	want := []string{"common/outfile", "scripts/ab"}
	for _, name := range []string{"cachegrind", "cli", "estimate", "git", "measure", "testbinary", "tool"} {
		want = append(want, "scripts/internal/"+name)
	}
	assert.ElementsMatch(t, want, own)
}
