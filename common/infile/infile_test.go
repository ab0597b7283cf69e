package infile

import (
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRead(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.Mkdir("folder", 0o777))
	require.NoError(t, os.WriteFile("empty", nil, 0o666))
	require.NoError(t, os.WriteFile("limit", []byte("12345"), 0o666))
	require.NoError(t, os.WriteFile("next", []byte("123456"), 0o666))
	sparse, err := os.Create("sparse")
	require.NoError(t, err)
	require.NoError(t, sparse.Truncate(2<<30))
	require.NoError(t, sparse.Close())
	for name, want := range map[string]string{ // what is read, or the error
		"empty":   "",
		"limit":   "12345",
		"next":    `note "next": is of 6 bytes; want at most 5`,
		"sparse":  `note "sparse": is of 2147483648 bytes; want at most 5`,
		"folder":  `note "folder": is a folder; want a plain file`,
		"missing": `note "missing": ` + fs.ErrNotExist.Error() + `; want a file that can be read`,
	} {
		text, err := Read("note", name, 5)
		if strings.HasPrefix(want, "note") {
			assert.Nil(t, text, name)
			if name == "missing" {
				assert.ErrorIs(t, err, fs.ErrNotExist)
				assert.ErrorContains(t, err, "; want a file that can be read")
				continue
			}
			assert.EqualError(t, err, want)
			continue
		}
		assert.NoError(t, err, name)
		assert.Equal(t, want, string(text), name)
	}
}
