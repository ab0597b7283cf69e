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

// newer is a release whose assembler has the vector instructions that the
// kernels for arm64 write as numbers, so that Go 1.26 can build them.
const newer = "go1.27.4"

var (
	// A macro is named as the instruction of Go 1.27 and a 4 behind, and takes the
	// numbers of registers of four float32.
	encodingMacro = regexp.MustCompile(`(?m)^#define (V\w+)4\(.*$`)
	encodingUse   = regexp.MustCompile(`\b(V\w+)4\(([\d, ]+)\)`)
	register      = regexp.MustCompile(`\d+`)
	// structSymbol matches what the header go_asm.h defines for a package: fields
	// of structs, and constants.
	structSymbol = regexp.MustCompile(`\b(firstPass|Ray|Vec3|RNG|input|const)_\w+`)
)

// mnemonics returns assembly with the instructions of Go 1.27 in place of the
// macros, line by line, and how many there were of each.
func mnemonics(t *testing.T, text string) (string, map[string]int) {
	uses := map[string]int{}
	for _, m := range encodingMacro.FindAllStringSubmatch(text, -1) {
		uses[m[1]] = 0
	}
	text = encodingMacro.ReplaceAllString(text, "")
	text = encodingUse.ReplaceAllStringFunc(text, func(use string) string {
		m := encodingUse.FindStringSubmatch(use)
		require.Contains(t, uses, m[1], "the macro of %s", use)
		uses[m[1]]++
		return m[1] + " " + register.ReplaceAllString(m[2], "V$0.S4")
	})
	return text, uses
}

// TestEncodings holds the instructions that kernels for arm64 write as numbers
// to what an assembler that has them makes of their names: both forms of each
// file are built, and their machine code is compared.
func TestEncodings(t *testing.T) {
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	// Without a proxy, the go command finds a toolchain only where it has been
	// fetched before.
	env := append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0", "GOFLAGS=", "GOEXPERIMENT=", "GOPROXY=off")
	if strings.HasPrefix(runtime.Version(), "go1.26") {
		env = append(env, "GOTOOLCHAIN="+newer)
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
		t.Skipf("not tested: %s is not here; GOTOOLCHAIN=%s go version fetches it", newer, newer)
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
	goroot, err := command("env", "GOROOT")
	require.NoError(t, err)
	for _, file := range files {
		name, err := filepath.Rel(root, file)
		require.NoError(t, err)
		t.Run(filepath.ToSlash(name), func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			named, uses := mnemonics(t, string(text))
			require.NotEmpty(t, uses)
			for name, n := range uses {
				assert.NotZero(t, n, "uses of %s", name)
			}
			// object returns the object file of a text. Where the fields of structs
			// are does not matter here.
			object := func(text string) []byte {
				dir := t.TempDir()
				symbols := structSymbol.FindAllString(text, -1)
				slices.Sort(symbols)
				var header strings.Builder
				for _, symbol := range slices.Compact(symbols) {
					fmt.Fprintf(&header, "#define %s 8\n", symbol)
				}
				require.NoError(t, os.WriteFile(filepath.Join(dir, "go_asm.h"), []byte(header.String()), 0o666))
				source, output := filepath.Join(dir, "kernel.s"), filepath.Join(dir, "kernel.o")
				require.NoError(t, os.WriteFile(source, []byte(text), 0o666))
				_, err := command("tool", "asm", "-p", "p", "-trimpath", dir, "-I", dir, "-I", filepath.Join(strings.TrimSpace(goroot), "pkg", "include"), "-o", output, source)
				require.NoError(t, err)
				bytes, err := os.ReadFile(output)
				require.NoError(t, err)
				return bytes
			}
			assert.True(t, bytes.Equal(object(named), object(string(text))), "the objects differ; the names are\n%s", named)
		})
	}
}
