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
	// Whether others may read it is for the umask to say, as of any new file.
	other := filepath.Join(dir, "other")
	require.NoError(t, os.WriteFile(other, nil, 0o666))
	want, err := os.Stat(other)
	require.NoError(t, err)
	info, err := os.Stat(name)
	require.NoError(t, err)
	assert.Equal(t, want.Mode(), info.Mode())
}

// Whoever has the old file open goes on to see it: the new one is another file.
func TestWriteReplaces(t *testing.T) {
	dir := t.TempDir()
	name, link := filepath.Join(dir, "a.txt"), filepath.Join(dir, "b.txt")
	require.NoError(t, os.WriteFile(name, []byte("old"), 0o666))
	if err := os.Link(name, link); err != nil {
		t.Skip("no hard links: ", err)
	}
	require.NoError(t, Write("note", name, []byte("new")))
	assert.Equal(t, map[string]string{"a.txt": "new", "b.txt": "old"}, files(t, dir))
}

// A name that is too long fails at the very end, which is said and leaves nothing behind.
func TestRenameFails(t *testing.T) {
	dir := t.TempDir()
	assert.Error(t, Write("note", filepath.Join(dir, strings.Repeat("a", 300)), []byte("new")))
	assert.Empty(t, files(t, dir))
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
	linked := os.Symlink("plain", "link")
	tests := []struct{ name, file, want string }{
		{"missing folder", "missing/a", `note "missing/a": "missing" is not a folder; want one that exists`},
		{"a file as a folder", "plain/a", `note "plain/a": "plain" is not a folder; want one that exists`},
		{"a folder as a file", "folder", `note "folder": is a folder; want the name of a file`},
		{"a link", "link", `note "link": is a link or a device; want the name of a plain file`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.file == "link" && linked != nil {
				t.Skip("no symbolic links: ", linked)
			}
			assert.EqualError(t, Check("note", tt.file), tt.want)
			assert.EqualError(t, Write("note", tt.file, []byte("new")), tt.want)
			text, err := os.ReadFile("plain")
			require.NoError(t, err)
			assert.Equal(t, "old", string(text))
		})
	}
}
