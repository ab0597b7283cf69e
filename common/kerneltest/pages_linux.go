package kerneltest

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// NewPages returns memory for so many bytes, rounded up to pages, between two
// pages that may not be touched, so that what lies at its start or end can only be
// read and written within its bounds. It is unmapped when the test is over.
func NewPages(t *testing.T, bytes int) []byte {
	t.Helper()
	page := os.Getpagesize()
	size := max(1, (bytes+page-1)/page) * page
	const access, kind = unix.PROT_READ | unix.PROT_WRITE, unix.MAP_ANON | unix.MAP_PRIVATE
	memory, err := unix.Mmap(-1, 0, page+size+page, access, kind)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, unix.Munmap(memory)) })
	require.NoError(t, unix.Mprotect(memory[:page], unix.PROT_NONE))
	require.NoError(t, unix.Mprotect(memory[page+size:], unix.PROT_NONE))
	return memory[page : page+size : page+size]
}
