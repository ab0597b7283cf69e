package toolchain

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestOutput(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.org\n\ngo 1.26.0\n",
		// Built for the target, and without the tags and features that the machine is set to.
		"tagged_linux_amd64.go": "//go:build !purego && !amd64.v3 && !cgo && !goexperiment.simd\n\npackage tagged\n\nfunc F() int { return 1 }\n",
		"broken/broken.go":      "package broken\n\nfunc F() int { return \"text\" }\n",
	} {
		file := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o777))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
	}
	for name, value := range map[string]string{
		"GOFLAGS": "-tags=purego", "GOAMD64": "v3", "GOEXPERIMENT": "simd", "CGO_ENABLED": "1", "GOOS": "windows", "GOARCH": "arm64",
	} {
		t.Setenv(name, value)
	}
	out, err := Output(root, "go build -gcflags=-m .")
	require.NoError(t, err)
	assert.Equal(t, "# example.org\n./tagged_linux_amd64.go:5:6: can inline F\n", strings.ReplaceAll(out, `\`, "/"))
	_, err = Output(root, "go build ./broken")
	assert.ErrorContains(t, err, "broken.go:3:23: cannot use \"text\" (untyped string constant) as int value in return statement")
	assert.NotContains(t, err.Error(), "\n")
	for _, command := range []string{"", "go", "go env GOPATH", "rm -rf ./tagged", "GOFLAGS=-m go build ./tagged"} {
		_, err := Output(root, command)
		assert.ErrorContains(t, err, "want go build or go run, and a package", command)
	}
}

func TestAssembly(t *testing.T) {
	out := `# example.org/a/step03
example.org/a/step03.(*World).Hit STEXT nosplit size=42 args=0x8 locals=0x0 funcid=0x0 align=0x0
	0x0000 00000 (example.org/a/step03/world.go:35)	TEXT	example.org/a/step03.(*World).Hit(SB), NOSPLIT|ABIInternal, $0-8
	0x0000 00000 (example.org/a/step03/world.go:35)	FUNCDATA	$0, gclocals·wvjpxkknJ4nY1JtrArJJaw==(SB)
	0x0000 00000 (example.org/a/step03/world.go:35)	CMPQ	SP, 16(R14)
	0x0004 00004 (example.org/a/step03/world.go:36)	PCDATA	$0, $-2
	0x0004 00004 (example.org/a/step03/world.go:36)	JLS	30
	0x0006 00006 (<unknown line number>)	MOVSS	example.org/a/step03.table+8(SB), X0
	0x000e 00014 (math/math.go:7)	XCHGL	AX, AX
	0x000f 00015 (example.org/a/step03/world.go:38)	CALL	DX
	0x0011 00017 (example.org/a/step03/world.go:39)	JMP	15
	0x001e 00030 (example.org/a/step03/world.go:36)	RET
	0x0000 49 3b 66 10 76 18 f3 0f 10 05 00 00 00 00 90 ff  I;f.v...........
	rel 10+4 t=R_PCREL example.org/a/step03.table+8
example.org/a/step03.Hit STEXT dupok nosplit size=19 args=0x10 locals=0x0 funcid=0x17 align=0x0
	0x0000 00000 (example.org/a/step03/hit.go:1)	RET
`
	for _, tt := range []struct {
		function    string
		first, last int
		want        string
	}{
		{"Hit", 1, 99, "    0  hit.go:1  RET\n"},
		{"(*World).Hit", 36, 38, "    4  world.go:36             JLS    30\n    6  <unknown line number>:  MOVSS  table+8(SB), X0\n   14  math.go:7               XCHGL  AX, AX\n   15  world.go:38             CALL   DX\n"},
	} {
		text, err := Assembly(out, tt.function, tt.first, tt.last)
		require.NoError(t, err)
		assert.Equal(t, tt.want, text)
	}
	_, err := Assembly(out, "(*World).Hit", 50, 60)
	assert.EqualError(t, err, "(*World).Hit has no instruction of lines 50 to 60")
	_, err = Assembly(out, "World", 1, 99)
	assert.EqualError(t, err, "there is no Go code of World")
}
