package outfile

import (
	"bytes"
	"os/signal"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// A file that cannot be written to its end, as on a full disk, is an error, and the old one
// stays as it was: here a file may have 4,096 bytes.
func TestWriteFails(t *testing.T) {
	const room = 4096
	dir := t.TempDir()
	name := filepath.Join(dir, "a.txt")
	require.NoError(t, Write("note", name, []byte("old")))
	limit(t, room)
	assert.EqualError(t, Write("note", name, make([]byte, room+1)), `note "`+name+`": `+unix.EFBIG.Error())
	assert.Equal(t, map[string]string{"a.txt": "old"}, files(t, dir))
	full := bytes.Repeat([]byte("n"), room)
	assert.NoError(t, Write("note", name, full), "to the limit")
	assert.Equal(t, map[string]string{"a.txt": string(full)}, files(t, dir))
}

// limit makes files of this process end at so many bytes until the test is over.
func limit(t *testing.T, bytes uint64) {
	var old unix.Rlimit
	require.NoError(t, unix.Getrlimit(unix.RLIMIT_FSIZE, &old))
	signal.Ignore(unix.SIGXFSZ) // which would end the process
	t.Cleanup(func() {
		require.NoError(t, unix.Setrlimit(unix.RLIMIT_FSIZE, &old))
		signal.Reset(unix.SIGXFSZ)
	})
	require.NoError(t, unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: bytes, Max: old.Max}))
}
