package outfile

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// files returns the content of a folder, by name.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	all := map[string]string{}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		require.NoError(t, err)
		all[e.Name()] = string(text)
	}
	return all
}

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "a b.txt")
	require.NoError(t, Check("note", name))
	assert.Empty(t, files(t, dir), "asking leaves no trace")
	for _, text := range []string{"longer than the next", "short", ""} {
		require.NoError(t, Write("note", name, []byte(text)))
		assert.Equal(t, map[string]string{"a b.txt": text}, files(t, dir))
	}
	// Whoever has the old file open goes on to see it: the new one is another file.
	if link := filepath.Join(dir, "link"); os.Link(name, link) == nil {
		require.NoError(t, Write("note", name, []byte("new")))
		assert.Equal(t, map[string]string{"a b.txt": "new", "link": ""}, files(t, dir))
	}
	// Whether others may read it is for the umask to say, as of any new file.
	other := filepath.Join(dir, "other")
	require.NoError(t, os.WriteFile(other, nil, 0o666))
	want, err := os.Stat(other)
	require.NoError(t, err)
	info, err := os.Stat(name)
	require.NoError(t, err)
	assert.Equal(t, want.Mode(), info.Mode())
}

// An error names the folder, and no file that nobody asked for.
func TestFolderOfOthers(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "theirs")
	require.NoError(t, os.Mkdir(dir, 0o555))
	name := filepath.Join(dir, "a.txt")
	if os.WriteFile(name, nil, 0o666) == nil {
		t.Skip("this user may write everywhere")
	}
	assert.EqualError(t, Write("note", name, []byte("new")), fmt.Sprintf("note %q: cannot write in the folder %q: %v", name, dir, fs.ErrPermission))
}

func TestMisnamed(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.Mkdir("folder", 0o777))
	require.NoError(t, os.WriteFile("plain", []byte("old"), 0o666))
	for file, want := range map[string]string{
		"missing/a": `note "missing/a": "missing" is not a folder; want one that exists`,
		"plain/a":   `note "plain/a": "plain" is not a folder; want one that exists`,
		"folder":    `note "folder": is a folder, a link or a device; want the name of a plain file`,
		"link":      `note "link": is a folder, a link or a device; want the name of a plain file`,
	} {
		if file == "link" && os.Symlink("plain", "link") != nil {
			continue // there are none here
		}
		assert.EqualError(t, Check("note", file), want)
		assert.EqualError(t, Write("note", file, []byte("new")), want)
	}
	// A name that is too long fails at the very end, which is said and leaves nothing behind.
	err := Write("note", filepath.Join("folder", strings.Repeat("a", 300)), []byte("new"))
	require.Error(t, err)
	assert.NotContains(t, err.Error(), ".raysteps-", "a file that nobody asked for")
	assert.Empty(t, files(t, "folder"))
}
