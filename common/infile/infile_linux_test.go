package infile

import (
	"net"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// A pipe that nobody writes to is not waited for, and a device not read, also behind links.
// A file whose size is only seen by reading it is read up to the limit.
func TestNoPlainFile(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, unix.Mkfifo("pipe", 0o666))
	require.NoError(t, os.Symlink("pipe", "to pipe"))
	require.NoError(t, os.Symlink("/dev/zero", "to zero"))
	socket, err := net.Listen("unix", "socket")
	require.NoError(t, err)
	defer socket.Close()
	for name, want := range map[string]string{
		"pipe":          `note "pipe": is a pipe; want a plain file`,
		"to pipe":       `note "to pipe": is a pipe; want a plain file`,
		"to zero":       `note "to zero": is a device; want a plain file`,
		"socket":        `note "socket": is a socket; want a plain file`,
		"/proc/version": `note "/proc/version": is of more than 5 bytes; want at most that`,
	} {
		_, err := Read("note", name, 5)
		assert.EqualError(t, err, want)
	}
}
