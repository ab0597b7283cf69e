package main

import (
	"os"
	"os/signal"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"raysteps/scripts/internal/cli"
)

// A picture that does not fit on the disk is a failure, and the old one stays.
func TestFullDisk(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("a.tga", []byte("old"), 0o666))
	var old unix.Rlimit
	require.NoError(t, unix.Getrlimit(unix.RLIMIT_FSIZE, &old))
	signal.Ignore(unix.SIGXFSZ) // which would end the process
	defer signal.Reset(unix.SIGXFSZ)
	require.NoError(t, unix.Setrlimit(unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: 100, Max: old.Max}))
	status, stdout, stderr := execute(t.Context(), strings.Fields("-scene small -width 8 -height 8 -samples 1 -o a.tga")...)
	require.NoError(t, unix.Setrlimit(unix.RLIMIT_FSIZE, &old))
	assert.Equal(t, cli.ExitFailure, status)
	assert.Empty(t, stdout)
	assert.Equal(t, `render: picture "a.tga": file too large`+"\n", stderr)
	text, err := os.ReadFile("a.tga")
	require.NoError(t, err)
	assert.Equal(t, "old", string(text))
	assert.Equal(t, []string{"a.tga"}, names(t, "."))
}
