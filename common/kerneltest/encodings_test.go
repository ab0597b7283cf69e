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

// TestEncodings holds the instructions that kernels for arm64 write as numbers
// to what an assembler that has them makes of their names: both are built with many
// registers, and their machine code is compared.
func TestEncodings(t *testing.T) {
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	// The newest release, of which the assembler has the instructions that the kernels
	// write as numbers, so that Go 1.26 can build them.
	releases, err := os.ReadFile(filepath.Join(root, ".ci", "gate", "releases.txt"))
	require.NoError(t, err)
	newest := slices.Max(strings.Fields(string(releases)))
	// Without a proxy, the go command finds a toolchain only where it has been
	// fetched before.
	env := append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0", "GOFLAGS=", "GOEXPERIMENT=", "GOPROXY=off")
	if strings.HasPrefix(runtime.Version(), "go1.26") {
		env = append(env, "GOTOOLCHAIN="+newest)
	}
	command := func(args ...string) (string, error) {
		cmd := exec.Command("go", args...)
		var stderr bytes.Buffer
		cmd.Dir, cmd.Env, cmd.Stderr = root, env, &stderr
		out, err := cmd.Output()
		if err != nil {
			t.Logf("go %s: %s", strings.Join(args, " "), &stderr)
		}
		return string(out), err
	}
	if _, err := command("version"); err != nil {
		t.Skipf("not tested: %s is not here; GOTOOLCHAIN=%s go version fetches it", newest, newest)
	}

	files, err := filepath.Glob(filepath.Join(root, "*", "*_arm64.s"))
	require.NoError(t, err)
	nested, err := filepath.Glob(filepath.Join(root, "*", "*", "*_arm64.s"))
	require.NoError(t, err)
	files = append(files, nested...)
	files = slices.DeleteFunc(files, func(name string) bool { // the reader's
		return strings.HasPrefix(name, filepath.Join(root, "lab")+string(filepath.Separator))
	})
	require.GreaterOrEqual(t, len(files), 4)
	for _, file := range files {
		name, err := filepath.Rel(root, file)
		require.NoError(t, err)
		t.Run(filepath.ToSlash(name), func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			macros := encodingMacro.FindAllStringSubmatch(string(text), -1)
			require.NotEmpty(t, macros)
			var numbers, names strings.Builder
			for _, m := range macros {
				assert.Greater(t, strings.Count(string(text), m[1]+"4("), 1, "%s4 is not used", m[1])
				numbers.WriteString(m[0] + "\n")
				names.WriteString("\n") // objects hold the numbers of lines
			}
			for _, m := range macros {
				macro, instruction := uses(m[1], 1+strings.Count(m[2], ","))
				numbers.WriteString(macro)
				names.WriteString(instruction)
			}
			object := func(text string) []byte {
				dir := t.TempDir()
				source, output := filepath.Join(dir, "kernel.s"), filepath.Join(dir, "kernel.o")
				require.NoError(t, os.WriteFile(source, []byte(text), 0o666))
				_, err := command("tool", "asm", "-p", "p", "-trimpath", dir, "-o", output, source)
				require.NoError(t, err)
				bytes, err := os.ReadFile(output)
				require.NoError(t, err)
				return bytes
			}
			assert.True(t, bytes.Equal(object(names.String()), object(numbers.String())), "the objects differ; the names are\n%s", &names)
		})
	}
}
