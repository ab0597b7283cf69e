package kerneltest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A macro is named as the instruction of Go 1.27 and a 4 behind, and takes the
// numbers of registers of four float32.
var encodingMacro = regexp.MustCompile(`(?m)^#define (V\w+)4\(([^)]*)\) WORD.*$`)

// registers are numbers that show each bit of a register's field on its own.
var registers = []int{0, 1, 2, 4, 8, 16, 31, 21, 10}

// uses returns a function that uses a macro with many registers: as the macro, and
// as the instruction.
func uses(name string, arguments int) (macro, instruction string) {
	const head = "\nTEXT ·%s(SB), 4, $0-0\n"
	macro, instruction = fmt.Sprintf(head, name), fmt.Sprintf(head, name)
	for i := range registers {
		var numbers, names []string
		for a := range arguments {
			n := registers[(i*(a+1)+a)%len(registers)]
			numbers = append(numbers, fmt.Sprint(n))
			names = append(names, fmt.Sprintf("V%d.S4", n))
		}
		macro += fmt.Sprintf("\t%s4(%s)\n", name, strings.Join(numbers, ", "))
		instruction += fmt.Sprintf("\t%s %s\n", name, strings.Join(names, ", "))
	}
	return macro + "\tRET\n", instruction + "\tRET\n"
}

// TestEncodings holds the instructions that kernels for arm64 write as numbers, so that
// Go 1.26 can build them, to what the assembler of the newest release makes of their names:
// both are built with many registers, and their machine code is compared.
func TestEncodings(t *testing.T) {
	releases, err := os.ReadFile("../../.ci/gate/releases.txt")
	require.NoError(t, err)
	newest := slices.Max(strings.Fields(string(releases)))
	// Without a proxy, the go command finds a toolchain only where it has been
	// fetched before.
	env := append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0", "GOFLAGS=", "GOEXPERIMENT=", "GOPROXY=off")
	if strings.HasPrefix(runtime.Version(), "go1.26") {
		env = append(env, "GOTOOLCHAIN="+newest)
	}
	command := func(args ...string) *exec.Cmd {
		cmd := exec.Command("go", args...)
		cmd.Env, cmd.Stderr = env, os.Stderr
		return cmd
	}
	if command("version").Run() != nil {
		t.Skipf("not tested: %s is not here; GOTOOLCHAIN=%s go version fetches it", newest, newest)
	}
	object := func(t *testing.T, text string) []byte {
		dir := t.TempDir()
		source, output := filepath.Join(dir, "kernel.s"), filepath.Join(dir, "kernel.o")
		require.NoError(t, os.WriteFile(source, []byte(text), 0o666))
		require.NoError(t, command("tool", "asm", "-p", "p", "-trimpath", dir, "-o", output, source).Run())
		bytes, err := os.ReadFile(output)
		require.NoError(t, err)
		return bytes
	}
	files, err := filepath.Glob("../../step*/*_arm64.s")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(filepath.ToSlash(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			macros := encodingMacro.FindAllStringSubmatch(string(text), -1)
			require.NotEmpty(t, macros)
			numbers, names := "", strings.Repeat("\n", len(macros)) // objects hold the numbers of lines
			for _, m := range macros {
				numbers += m[0] + "\n"
			}
			for _, m := range macros {
				macro, instruction := uses(m[1], 1+strings.Count(m[2], ","))
				numbers += macro
				names += instruction
			}
			assert.True(t, bytes.Equal(object(t, names), object(t, numbers)), "the objects differ; the names are\n%s", names)
		})
	}
}
