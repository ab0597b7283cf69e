package toolchain

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// module writes a module with two packages.
func module(t *testing.T) (root string) {
	root = t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.org\n\ngo 1.26.0\n",
		// Built for the target, and without the tags and features that a test asks for.
		"tagged/a_linux_amd64.go": "//go:build !purego && !amd64.v3 && !cgo && !goexperiment.simd\n\npackage tagged\n\nfunc F() int { return 1 }\n",
		"wide/wide.go":            "//go:build goexperiment.simd\n\npackage wide\n\nimport \"simd/archsimd\"\n\nfunc Add(a, b archsimd.Float32x8) archsimd.Float32x8 {\n\treturn a.Add(b)\n}\n",
		"wide/narrow.go":          "package wide\n",
		"broken/broken.go":        "package broken\n\nfunc F() int { return \"text\" }\n",
	} {
		file := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o777))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
	}
	return root
}

func TestSettingsOfTheMachineDoNotCount(t *testing.T) {
	root := module(t)
	for name, value := range map[string]string{
		"GOFLAGS": "-tags=purego", "GOAMD64": "v3", "GOEXPERIMENT": "simd", "CGO_ENABLED": "1", "GOOS": "windows", "GOARCH": "arm64",
	} {
		t.Setenv(name, value)
	}
	out, err := Output(root, "go build -gcflags=-m ./tagged")
	require.NoError(t, err)
	assert.Equal(t, "# example.org/tagged\ntagged/a_linux_amd64.go:5:6: can inline F\n", strings.ReplaceAll(out, `\`, "/"))
}

func TestOutputErrors(t *testing.T) {
	root := module(t)
	for _, command := range []string{"", "go", "go version", "rm -rf ./tagged", "go env GOPATH", "go test ./tagged", "GOFLAGS=-m go build ./tagged"} {
		_, err := Output(root, command)
		assert.ErrorContains(t, err, "want go build or go run, and a package", command)
	}
	_, err := Output(root, "go build -gcflags=-m ./broken")
	require.Error(t, err)
	assert.Contains(t, strings.ReplaceAll(err.Error(), `\`, "/"), `broken/broken.go:3:23: cannot use "text" (untyped string constant) as int value in return statement`)
	assert.NotContains(t, err.Error(), "\n")
}

func TestExperiment(t *testing.T) {
	root := module(t)
	if _, ok := WithSIMD(root); !ok {
		t.Skip("this toolchain has no GOEXPERIMENT=simd")
	}
	out, err := Output(root, "GOEXPERIMENT=simd go build -gcflags=-S ./wide")
	require.NoError(t, err)
	text, err := Assembly(out, "Add", 8, 8)
	require.NoError(t, err)
	assert.Regexp(t, `^    0  wide.go:8  VADDPS  Y1, Y0, Y0\n`, text)
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
