package cli_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"raysteps/scripts/internal/cli"
)

// Text is colored on a terminal that shows colors, and nowhere else.
func TestColor(t *testing.T) {
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	require.NoError(t, err)
	defer master.Close()
	require.NoError(t, unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0))
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	require.NoError(t, err)
	terminal, err := os.OpenFile(fmt.Sprint("/dev/pts/", number), os.O_RDWR|unix.O_NOCTTY, 0)
	require.NoError(t, err)
	defer terminal.Close()
	file, err := os.Create(t.TempDir() + "/file")
	require.NoError(t, err)
	defer file.Close()
	for _, tt := range []struct {
		name, noColor, term string
		to                  *os.File
		want                bool
	}{
		{"a terminal", "", "xterm", terminal, true},
		{"NO_COLOR", "1", "xterm", terminal, false},
		{"without colors", "", "dumb", terminal, false},
		{"a file", "", "xterm", file, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("NO_COLOR", tt.noColor)
			t.Setenv("TERM", tt.term)
			assert.Equal(t, tt.want, cli.Color(tt.to))
		})
	}
}
