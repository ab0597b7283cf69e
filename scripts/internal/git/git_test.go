package git

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A revision has the submodules that the folder has.
func TestCheckOut(t *testing.T) {
	inner, root := t.TempDir(), t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(inner, "a.go"), []byte("package a\n"), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(root, "go.mod"), []byte("module example.com/m\n"), 0o600))
	git := func(dir string, args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "protocol.file.allow=always"}, args...)...)
		cmd.Dir = dir
		text, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", text)
	}
	for _, dir := range []string{inner, root} {
		git(dir, "init", "-q")
		git(dir, "add", "-A")
		git(dir, "commit", "-qm", "one")
	}
	git(root, "submodule", "--quiet", "add", inner, "a b/inner")
	git(root, "commit", "-qm", "two")
	folder := filepath.Join(t.TempDir(), "tree")
	_, err := CheckOut(t.Context(), root, "HEAD", folder)
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(folder, "a b", "inner", "a.go"))
	require.NoError(t, err)
	assert.Equal(t, "package a\n", string(text))

	git(filepath.Join(root, "a b", "inner"), "commit", "-q", "--allow-empty", "-m", "gone")
	git(root, "add", "-A")
	git(root, "commit", "-qm", "three")
	git(filepath.Join(root, "a b", "inner"), "reset", "-q", "--hard", "HEAD~")
	git(filepath.Join(root, "a b", "inner"), "reflog", "expire", "--expire=now", "--all")
	git(filepath.Join(root, "a b", "inner"), "gc", "-q", "--prune=now")
	_, err = CheckOut(t.Context(), root, "HEAD", filepath.Join(t.TempDir(), "tree"))
	assert.ErrorContains(t, err, "HEAD has the submodule a b/inner at ")
	assert.ErrorContains(t, err, "want git submodule update")
}
