package apiprof_test

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestDisabledMarksCompileToNothing reads the instructions of marked functions
// in both builds. Their mnemonics are compared, in order, and not the registers,
// which a compiler may choose otherwise. Unguarded is not tested while marks are
// disabled: today's compilers keep the frame of its defer, and another need not.
func TestDisabledMarksCompileToNothing(t *testing.T) {
	on, off := disassemble(t, ""), disassemble(t, "noapiprof")
	plain := off["Plain"]
	require.Contains(t, plain, "MULSD")
	require.Equal(t, plain, on["Plain"])

	assert.Equal(t, plain, off["Pair"])
	assert.Equal(t, plain, off["Deferred"])

	for _, name := range []string{"Pair", "Deferred", "Unguarded"} {
		assert.Contains(t, on[name], "CALL", "%s is marked", name)
	}
}

// disassemble compiles testdata/marked, for amd64 whatever the machine is, and
// returns the mnemonics of the instructions of its functions.
func disassemble(t *testing.T, tags string) map[string][]string {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command here")
	}
	run := func(args ...string) string {
		cmd := exec.Command("go", args...)
		cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "GOAMD64=v1", "GOFLAGS=", "CGO_ENABLED=0")
		cmd.Stderr = new(strings.Builder)
		out, err := cmd.Output()
		require.NoError(t, err, "go %s: %s", strings.Join(args, " "), cmd.Stderr)
		return string(out)
	}
	archive := strings.TrimSpace(run("list", "-export", "-tags", tags, "-f", "{{.Export}}", "./testdata/marked"))
	functions := map[string][]string{}
	name := ""
	for line := range strings.Lines(run("tool", "objdump", archive)) {
		if m := head.FindStringSubmatch(line); m != nil {
			name = m[1]
		} else if m := instruction.FindStringSubmatch(line); m != nil {
			functions[name] = append(functions[name], m[1])
		}
	}
	return functions
}

var (
	head        = regexp.MustCompile(`^TEXT \S*/marked\.(\S+)\(SB\)`)
	instruction = regexp.MustCompile(`^\s+marked\.go:\d+\s+0x[0-9a-f]+\s+[0-9a-f]+\s+(\S+)`)
)
