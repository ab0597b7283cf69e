package kerneltest

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// No kernel of the module touches the frame pointer, BP on amd64 and R29 on arm64: a profile
// or a trace that comes at that moment would follow it. Whoever calls a kernel restores it at
// its own end, so that running a kernel shows nothing, and vet looks only as far as the first
// branch.
func TestFramePointer(t *testing.T) {
	root, files := os.DirFS("../.."), 0
	require.NoError(t, fs.WalkDir(root, ".", func(name string, entry fs.DirEntry, err error) error {
		if ending := path.Ext(name); err != nil || entry.IsDir() || ending != ".s" && ending != ".h" {
			return err
		}
		files++
		text, err := fs.ReadFile(root, name)
		for i, line := range strings.Split(string(text), "\n") {
			assert.False(t, touchesFramePointer(line), "%s:%d: %s", name, i+1, line)
		}
		return err
	}))
	assert.Greater(t, files, 10)
}

var framePointer = regexp.MustCompile(`\b(BP|BPB|R29)\b`)

func touchesFramePointer(line string) bool {
	instruction, _, _ := strings.Cut(line, "//")
	return framePointer.MatchString(instruction)
}

func TestTouchesFramePointer(t *testing.T) {
	for line, want := range map[string]bool{
		"\tLEAQ\t-1(DX), BP": true, "\tMOVL\t(BP)(SI*4), AX": true, "\tMOVD\tR29, R0": true,
		"\tLEAQ\t-1(DX), BX // not BP": false, "TEXT \u00b7BPS(SB), NOSPLIT, $0-8": false, "\tSUBPS\tX0, X1": false, "": false,
	} {
		assert.Equal(t, want, touchesFramePointer(line), line)
	}
}
