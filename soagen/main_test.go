package main

import (
	"bytes"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"
)

func TestMain(m *testing.M) {
	// The modules that tests write are in nobody's workspace.
	os.Setenv("GOWORK", "off")
	os.Unsetenv("GOFILE")
	os.Exit(m.Run())
}

// needGo skips a test where there is no go command to load packages with, as
// when it runs on an emulated processor.
func needGo(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command")
	}
}

// module writes a module of the given files. One without a go.mod gets one.
func module(t *testing.T, files ...txtar.File) (dir string) {
	t.Helper()
	needGo(t)
	dir = t.TempDir()
	files = append([]txtar.File{{Name: "go.mod", Data: []byte("module example.com/x\n\ngo 1.26\n")}}, files...)
	for _, f := range files {
		path := filepath.Join(dir, filepath.FromSlash(f.Name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, f.Data, 0o666))
	}
	return dir
}

func file(name, text string) txtar.File { return txtar.File{Name: name, Data: []byte(text)} }

// soagen runs the command in dir.
func soagen(dir string, args ...string) (status int, stdout, stderr string) {
	var o, e bytes.Buffer
	status = run(dir, args, &o, &e)
	return status, o.String(), e.String()
}

func TestMisuse(t *testing.T) {
	for _, test := range []struct {
		name, args, want string
	}{
		{"no type", "", "-type is missing; want the name of a struct"},
		{"only other flags", "-pad 4", "-type is missing; want the name of a struct"},
		{"a comma too many", "-type A,", `-type is "A,"; want names of structs, with commas between them`},
		{"blank type", "-type _", `-type is "_"; want names of structs, with commas between them`},
		{"keyword", "-type A,func", `-type is "A,func"; want names of structs, with commas between them`},
		{"type twice", "-type A,B,A", "-type names A twice"},
		{"argument", "-type A sphere.go", `unexpected argument "sphere.go"; want flags only, see soagen -help`},
		{"unknown flag", "-typ A", "flag provided but not defined: -typ; see soagen -help"},
		{"flag without a value", "-type", "flag needs an argument: -type; see soagen -help"},
		{"align 48", "-type A -align 48", "-align is 48; want 16, 32 or 64"},
		{"align 0", "-type A -align 0", "-align is 0; want 16, 32 or 64"},
		{"align 128", "-type A -align 128", "-align is 128; want 16, 32 or 64"},
		{"pad 0", "-type A -pad 0", "-pad is 0; want 1 to 1024"},
		{"pad -8", "-type A -pad -8", "-pad is -8; want 1 to 1024"},
		{"pad 1025", "-type A -pad 1025", "-pad is 1025; want 1 to 1024"},
		{"pad no number", "-type A -pad x", `invalid value "x" for flag -pad: parse error; see soagen -help`},
		{"container", "-type A -soa 3d", `-soa is "3d"; want a name for the container`},
		{"no container", "-type A -soa=", `-soa is ""; want a name for the container`},
		{"one name for two containers", "-type A,B -soa C", "-soa names the container of one type, and -type has 2; want a run for each"},
		{"no method", "-type A -methods=", `-methods names ""; want some of Append, AppendSlice, AppendView, Insert, At, Set, Swap, RemoveSwap, RemoveOrdered, Truncate, Clear, Grow, Clone, SortFunc, All, View`},
		{"unknown method", "-type A -methods At,Sort", `-methods names "Sort"; want some of Append, AppendSlice, AppendView, Insert, At, Set, Swap, RemoveSwap, RemoveOrdered, Truncate, Clear, Grow, Clone, SortFunc, All, View`},
		{"output in a folder", "-type A -output sub/a.go", `-output is "sub/a.go"; want the name of a .go file, without a folder`},
		{"output in a folder on Windows", `-type A -output sub\a.go`, `-output is "sub\\a.go"; want the name of a .go file, without a folder`},
		{"output above", "-type A -output ../a.go", `-output is "../a.go"; want the name of a .go file, without a folder`},
		{"output not Go", "-type A -output a.txt", `-output is "a.txt"; want the name of a .go file, without a folder`},
		{"output nothing but an ending", "-type A -output .go", `-output is ".go"; want the name of a .go file, without a folder`},
		{"output that go build ignores", "-type A -output _a.go", `-output is "_a.go"; want the name of a .go file, without a folder`},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			status, stdout, stderr := soagen(dir, strings.Fields(test.args)...)
			assert.Equal(t, 2, status)
			assert.Equal(t, "soagen: "+test.want+"\n", stderr)
			assert.Empty(t, stdout)
			left, err := os.ReadDir(dir)
			assert.NoError(t, err)
			assert.Empty(t, left)
		})
	}
}

func TestHelp(t *testing.T) {
	status, stdout, stderr := soagen(t.TempDir(), "-help")
	assert.Zero(t, status)
	assert.Empty(t, stderr)
	assert.Contains(t, stdout, "usage: soagen -type names [flags]")
	assert.Contains(t, stdout, "-align bytes")
}

// Each case is a file s.go, with others after it, that starts with "package p\n\n", so the struct is
// in line 3.
func TestBadInput(t *testing.T) {
	needGo(t)
	for _, test := range []struct {
		name, args, src string
		want            string
	}{
		{"no such type", "-type Sphere", "type Ball struct{ R int }; type Cube struct{ A int }; type N int",
			"s.go:1:1: package p has no type Sphere; its structs are Ball, Cube"},
		{"no struct at all", "-type Sphere", "const N = 1", "s.go:1:1: package p has no type Sphere, and no struct outside of its tests"},
		{"not a type", "-type Sphere", "var Sphere struct{ R int }", "s.go:3:5: Sphere is not a type"},
		{"a number", "-type Sphere", "type Sphere int", "s.go:3:6: Sphere is not a struct but int"},
		{"an interface", "-type Sphere", "type Sphere interface{ R() }", "s.go:3:6: Sphere is not a struct but an interface"},
		{"a slice", "-type Sphere", "type Sphere []struct{ R int }", "s.go:3:6: Sphere is not a struct but a slice"},
		{"an array", "-type Sphere", "type Sphere [2]struct{ R int }", "s.go:3:6: Sphere is not a struct but an array"},
		{"a pointer", "-type Sphere", "type Sphere *struct{ R int }", "s.go:3:6: Sphere is not a struct but a pointer"},
		{"a function", "-type Sphere", "type Sphere func()", "s.go:3:6: Sphere is not a struct but a function"},
		{"a generic alias", "-type S", "type T[E any] struct{ R E }; type S[E any] = T[E]", "s.go:3:35: S is a generic alias; name the struct itself"},
		{"no fields", "-type S", "type S struct{}", "s.go:3:6: S has no field to make a column of"},
		{"no fields left", "-type S", "type S struct{ _ int; A int `soa:\"-\"` }", "s.go:3:6: S has no field to make a column of"},

		{"does not parse", "-type S", "type S struct{ R int", "s.go:3:22: expected..."},
		{"another file does not parse", "-type S", "type S struct{ R int }\n-- z.go --\npackage p\n\nfunc f( {}\n", "z.go:3:9: expected..."},
		{"unknown type of a field", "-type S", "type S struct{ R Real }", "s.go:3:18: undefined: Real"},
		{"field twice", "-type S", "type S struct{ R, R int }", "s.go:3:19: R redeclared..."},
		{"contains itself", "-type S", "type S struct{ R [2]S }", "s.go:3:6: invalid recursive type..."},
		{"a part contains itself", "-type S", "type S struct{ R T }; type T struct { U T }", "s.go:3:28: invalid recursive type..."},
		{"a part that does not compile", "-type S", "type S struct{ R T }; type T struct { U Real }", "s.go:3:41: undefined: Real"},
		{"not there", "-type S", "import \"example.com/x/gone\"\n\ntype S struct{ R gone.T }", "s.go:3:8: no required module provides package example.com/x/gone..."},
		{"defined by what is not there", "-type S", "type S Gone", "s.go:3:8: undefined: Gone"},

		{"unknown tag", "-type S", "type S struct{\n\tR int `soa:\"splt\"` }", `s.go:4:2: unknown soa tag "splt"; want -, split, name=X or pad=V`},
		{"unknown key", "-type S", "type S struct{ R int `soa:\"nme=X\"` }", `s.go:3:16: unknown soa tag "nme=X"; want -, split, name=X or pad=V`},
		{"empty tag", "-type S", "type S struct{ R int `soa:\"\"` }", `s.go:3:16: unknown soa tag ""; want -, split, name=X or pad=V`},
		{"name without a value", "-type S", "type S struct{ R int `soa:\"name\"` }", `s.go:3:16: unknown soa tag "name"; want -, split, name=X or pad=V`},
		{"bad name", "-type S", "type S struct{ R int `soa:\"name=a b\"` }", `s.go:3:16: "a b" is no name for a column`},
		{"blank name", "-type S", "type S struct{ R int `soa:\"name=_\"` }", `s.go:3:16: "_" is no name for a column`},
		{"keyword as name", "-type S", "type S struct{ R int `soa:\"name=type\"` }", `s.go:3:16: "type" is no name for a column`},
		{"tag twice", "-type S", "type S struct{ R int `soa:\"name=A,name=B\"` }", `s.go:3:16: soa tag "name=A,name=B" has name twice`},
		{"skipped and not", "-type S", "type S struct{ R int `soa:\"name=A,-\"` }", `s.go:3:16: soa tag "name=A,-" both skips the field and does not`},
		{"tag without quotes", "-type S", "type S struct{ R int `soa:split` }", "s.go:3:16: the tag soa:split is malformed; want `soa:\"...\"`"},

		{"split a number", "-type S", "type S struct{ R int `soa:\"split\"` }", "s.go:3:16: R cannot be split: it is int; want a struct or a short array of numbers"},
		{"split a pointer", "-type S", "type S struct{ R *struct{ X int } `soa:\"split\"` }", "s.go:3:16: R cannot be split: it is a pointer; want a struct or a short array of numbers"},
		{"split into two types", "-type S", "type S struct{ R struct{ X int; Y uint } `soa:\"split\"` }", "s.go:3:16: R cannot be split: its components differ in type; want a struct or a short array of numbers"},
		{"split into strings", "-type S", "type S struct{ R struct{ X, Y string } `soa:\"split\"` }", "s.go:3:16: R cannot be split: R.X is not a number; want a struct or a short array of numbers"},
		{"split nothing", "-type S", "type S struct{ R struct{} `soa:\"split\"` }", "s.go:3:16: R cannot be split: it has no components; want a struct or a short array of numbers"},
		{"split a long array", "-type S", "type S struct{ R [17]int `soa:\"split\"` }", "s.go:3:16: R cannot be split into 17 columns; want 1 to 16"},
		{"split an empty array", "-type S", "type S struct{ R [0]int `soa:\"split\"` }", "s.go:3:16: R cannot be split into 0 columns; want 1 to 16"},
		{"split what is private", "-type S", "import \"math/rand/v2\"\n\ntype S struct{ R rand.PCG `soa:\"split\"` }", "s.go:5:16: R cannot be split: R.hi is not exported by package math/rand/v2"},

		{"pad without -pad", "-type S", "type S struct{ R int `soa:\"pad=1\"` }", "s.go:3:16: R has a pad value, but -pad is not given"},
		{"pad a string", "-type S -pad 4", "type S struct{ R string `soa:\"pad=1\"` }", "s.go:3:16: pad value of R: string is neither a number nor a bool, so it is padded with its zero value"},
		{"pad a type parameter", "-type S -pad 4", "type S[T ~int] struct{ R T `soa:\"pad=1\"` }", "s.go:3:24: pad value of R: T is a type parameter, so it is padded with its zero value"},
		{"pad with words", "-type S -pad 4", "type S struct{ R int `soa:\"pad=many\"` }", `s.go:3:16: pad value of R: "many" is no int: undefined: many`},
		{"pad with nothing", "-type S -pad 4", "type S struct{ R int `soa:\"pad=\"` }", `s.go:3:16: pad value of R: "" is no int: ...`},
		{"pad too large", "-type S -pad 4", "type S struct{ R uint8 `soa:\"pad=256\"` }", `s.go:3:16: pad value of R: "256" is no uint8: ...`},
		{"infinite int", "-type S -pad 4", "type S struct{ R int `soa:\"pad=-inf\"` }", `s.go:3:16: pad value of R: "-inf" is no int: undefined: inf`},
		{"pad not constant", "-type S -pad 4", "type S struct{ R int `soa:\"pad=v\"` }; var v = 3", `s.go:3:16: pad value of R: "v" is not constant`},
		{"pads too many", "-type S -pad 4", "type S struct{ R [3]int `soa:\"split,pad=1:2\"` }", "s.go:3:16: R has 2 pad values; want 1 or 3"},

		{"a method's name", "-type S", "type S struct{ Len int }", "s.go:3:16: column Len of Len collides with the method Len of SSoA; rename it with `soa:\"name=...\"`"},
		{"a method's name by renaming", "-type S", "type S struct{ A int `soa:\"name=Append\"` }", "s.go:3:16: column Append of A collides with the method Append of SSoA; rename it with `soa:\"name=...\"`"},
		{"a method's name when padded", "-type S -pad 2", "type S struct{ PaddedLen int }", "s.go:3:16: column PaddedLen of PaddedLen collides with the method PaddedLen of SSoA; rename it with `soa:\"name=...\"`"},
		{"another column", "-type S", "type S struct{\n\tV [2]int `soa:\"split\"`\n\tV1 int\n}", "s.go:5:2: column V1 of V1 collides with the column of V[1], at s.go:4:2; rename it with `soa:\"name=...\"`"},
		{"another column when padded", "-type S -pad 2", "type S struct{ A int; APadded int }", "s.go:3:16: column APadded of A collides with the column of APadded, at s.go:3:23; rename it with `soa:\"name=...\"`"},
		{"a name of go vet's", "-type S", "type S struct{ MarshalJSON int }", "s.go:3:16: column MarshalJSON of MarshalJSON collides with the well-known method MarshalJSON, of which go vet wants another signature; rename it with `soa:\"name=...\"`"},
		{"a method by hand", "-type S", "type S struct{ A int }\n\nfunc (s *SSoA) A() {}", "s.go:5:16: method A collides with the column of A, at s.go:3:16, which is generated"},
		{"a generic method by hand", "-type S", "type S[T any] struct{ A T }\n\nfunc (s *SSoA[T]) Grow() {}", "s.go:5:19: method Grow collides with the method Grow of SSoA, which is generated"},
		{"the container's name", "-type S", "type S struct{ A int }\n\nfunc SSoA() {}", "s.go:3:6: SSoA is declared already, at s.go:5:6; choose another name for the container with -soa"},
		{"the constructor's name", "-type S", "type S struct{ A int }\n\nvar NewSSoA = 1", "s.go:3:6: NewSSoA is declared already, at s.go:5:5; choose another name for the container with -soa"},
		{"the struct's own name", "-type S -soa S", "type S struct{ A int }", "s.go:3:6: S is declared already, at s.go:3:6; choose another name for the container with -soa"},
		{"Go's own names", "-type S", "type S struct{ A int }\n\nfunc len() {}", "s.go:5:6: len hides Go's own len, which the generated code needs; want another name"},
		{"a type of Go's own", "-type S", "import \"example.com/x/q\"\n\ntype S struct{ V q.Vec `soa:\"split\"` }\n\ntype float32 int\n-- q/q.go --\npackage q\n\ntype Vec struct{ X, Y float32 }", "s.go:7:6: float32 hides Go's own float32, which the generated code needs; want another name"},
		{"the name of a package", "-type S", "type S struct{ A int }\n\nconst math = 1", "s.go:5:7: math is the name of a package that the generated code imports; want another name"},
		{"the name of a variable", "-type i", "type i struct{ A int }", "s.go:3:6: i has the name of a variable of the generated code; want another name for the type"},
		{"a column with the name of a variable's type", "-type S", "type S struct{ A []v }; type v int", "s.go:3:30: v has the name of a variable of the generated code; want another name for the type"},
		{"a type parameter with the name of a variable", "-type S", "type S[n any] struct{ A n }", "s.go:3:8: n has the name of a variable of the generated code; want another name for the type"},
		{"the name of a field of the container", "-type S", "type S struct{ count int }", "s.go:3:16: column count of count collides with count, which SSoA has for itself; rename it with `soa:\"name=...\"`"},
		{"the name of a view", "-type S", "type S struct{ A int }; type SSoAView int", "s.go:3:6: SSoAView is declared already, at s.go:3:30; choose another name for the container with -soa"},
		{"two containers with one function", "-type S,s2 -output s_soa.go", "type S struct{ A int }; type s2 struct{ A int }; func s2SoACut() {}", "s.go:3:30: s2SoACut is declared already, at s.go:3:55; choose another name for the container with -soa"},
		{"two containers that differ in case", "-type Abc,abc -output s_soa.go", "type Abc struct{ A int }; type abc struct{ A int }", "s.go:3:32: abcSoACut is declared for another type of this run; want a run for each"},
		{"the second of two types", "-type S,T", "type S struct{ A int }", "s.go:1:1: package p has no type T; its structs are S"},
		{"types of different systems", "-type S,T", "type S struct{ A int }\n-- t_linux.go --\npackage p\n\ntype T struct{ A int }", "t_linux.go:3:6: S and T are not built for the same systems; want a run for each"},
		{"a type parameter with the name of a type", "-type S", "type S[int any] struct{ A int }", "s.go:3:8: type parameter int hides the int that the generated code needs; want another name"},
		{"a type parameter with the name of the struct", "-type S", "type S[S any] struct{ A S }", "s.go:3:8: type parameter S hides the S that the generated code needs; want another name"},

		{"a lock", "-type S", "import \"sync\"\n\ntype S struct{ A int; mu sync.Mutex }", "s.go:5:23: mu holds a sync.Mutex, which must not be copied, so S cannot be an element"},
		{"a lock inside", "-type S", "import \"sync\"\n\ntype S struct{ A [2]struct{ w sync.WaitGroup } }", "s.go:5:16: A holds a sync.noCopy, which must not be copied, so S cannot be an element"},
		{"a lock that is skipped", "-type S", "import \"sync/atomic\"\n\ntype S struct{ A int; n atomic.Int64 `soa:\"-\"` }", "s.go:5:23: n holds a sync/atomic.noCopy, which must not be copied, so S cannot be an element"},
		{"fields of another package's struct", "-type S", "import \"math/rand/v2\"\n\ntype S rand.PCG", "s.go:5:6: field hi is not exported by package math/rand/v2"},
		{"a type that cannot be named", "-type S", "import \"example.com/x/q\"\n\ntype S struct{ V q.Vec `soa:\"split\"` }\n-- q/q.go --\npackage q\n\ntype real float32\n\ntype Vec struct{ X, Y real }",
			"s.go:5:16: the type of column VX cannot be written: real is not exported by package example.com/x/q"},
		{"a type that cannot be imported", "-type S", "import \"example.com/x/q\"\n\ntype S struct{ V q.Vec `soa:\"split\"` }\n" +
			"-- q/q.go --\npackage q\n\nimport \"example.com/x/q/internal/r\"\n\ntype Vec struct{ X, Y r.Real }\n-- q/internal/r/r.go --\npackage r\n\ntype Real float32",
			"s.go:5:16: the type of column VX cannot be written: package example.com/x/q/internal/r is internal and cannot be imported here"},
		{"an old module", "-type S", "type S struct{ A int }\n-- go.mod --\nmodule example.com/x\n\ngo 1.20\n", "soagen: go.mod says go 1.20; the generated code needs 1.23 or later"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			archive := txtar.Parse([]byte("-- s.go --\npackage p\n\n" + test.src + "\n"))
			dir := module(t, archive.Files...)
			status, stdout, stderr := soagen(dir, strings.Fields(test.args)...)
			assert.Equal(t, 1, status)
			assert.Empty(t, stdout)
			line, rest, _ := strings.Cut(stderr, "\n")
			assert.Empty(t, rest, "one line")
			if want, ok := strings.CutSuffix(test.want, "..."); ok {
				assert.True(t, strings.HasPrefix(line, want), "%s; want %s", line, test.want) // the rest is Go's own
			} else {
				assert.Equal(t, test.want, line)
			}
			assert.NoFileExists(t, filepath.Join(dir, "s_soa.go"))
			assert.NoFileExists(t, filepath.Join(dir, "sphere_soa.go"))
		})
	}
}

// goCommand runs the go command in dir, as somebody would whose module is there.
func goCommand(t *testing.T, dir string, args ...string) (out string, err error) {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	text, err := cmd.CombinedOutput()
	return string(text), err
}

const sphere = `package p

type Vec3 struct{ X, Y, Z float32 }

type Sphere struct {
	Center Vec3 ` + "`soa:\"split\"`" + `
	Radius float32
	Name   string
}
`

// The rest of the package uses the container before it is there.
const user = `package p

type World struct{ Spheres *SphereSoA }

func (s *SphereSoA) Volume() (sum float32) {
	for _, r := range s.Radius() {
		sum += r * r * r
	}
	return sum
}

var world = World{NewSphereSoA(3)}
`

func TestGenerateForPackageThatNeedsIt(t *testing.T) {
	dir := module(t, file("sphere.go", sphere), file("user.go", user))
	path := filepath.Join(dir, "sphere_soa.go")
	status, stdout, stderr := soagen(dir, "-type", "Sphere")
	require.Zero(t, status, stderr)
	require.Empty(t, stdout+stderr)
	first, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(string(first), "// Code generated by soagen -type Sphere; DO NOT EDIT.\n"))
	out, err := goCommand(t, dir, "vet", "./...")
	require.NoError(t, err, out)

	const header = "// Code generated by soagen -type Sphere; DO NOT EDIT.\n\n"
	for name, stale := range map[string]string{
		"as it should be":     string(first),
		"does not compile":    header + "package p\n\ntype SphereSoA struct{ Gone }\n",
		"does not parse":      header + "package p\n\n<<<<<<< ours\n",
		"imports what is not": header + "package p\n\nimport \"example.com/gone\"\n\nvar _ = gone.X\n",
		"of another package":  header + "package q\n",
		"cut short":           header,
		"Windows line ends":   strings.ReplaceAll(string(first), "\n", "\r\n"),
		"other flags":         "// Code generated by soagen -type Vec3,Sphere -pad 8; DO NOT EDIT.\n\npackage p\n",
	} {
		require.NoError(t, os.WriteFile(path, []byte(stale), 0o666))
		status, _, stderr := soagen(dir, "-check", "-type", "Sphere")
		if stale == string(first) {
			require.Zero(t, status, stderr)
		} else {
			require.Equal(t, 1, status, name)
			require.Equal(t, "soagen: sphere_soa.go is stale; run soagen -type Sphere\n", stderr, name)
		}
		still, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, stale, string(still), "-check writes nothing")

		status, _, stderr = soagen(dir, "-type", "Sphere")
		require.Zero(t, status, "%s: %s", name, stderr)
		again, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, string(first), string(again), name)
	}
	left, err := filepath.Glob(filepath.Join(dir, ".soagen*"))
	require.NoError(t, err)
	assert.Empty(t, left)
}

func TestCheckOfMissingFile(t *testing.T) {
	dir := module(t, file("sphere.go", sphere))
	status, stdout, stderr := soagen(dir, "-pad", "8", "-check", "-type", "Sphere")
	assert.Equal(t, 1, status)
	assert.Equal(t, "soagen: sphere_soa.go is missing; run soagen -type Sphere -pad 8\n", stderr)
	assert.Empty(t, stdout)
	assert.NoFileExists(t, filepath.Join(dir, "sphere_soa.go"))
}

// Several types go into one file, with what they need imported once, and with
// other names for packages and blank type parameters where these are taken.
func TestSeveralTypes(t *testing.T) {
	dir := module(t, file("math/math.go", "package math\n\ntype Angle float32\n"), file("row/row.go", "package row\n\ntype Key [4]byte\n"), file("s.go", `//go:build !never || never

package p

import (
	"cmp"

	"example.com/x/math"
	"example.com/x/row"
)

type Table[K cmp.Ordered, _ any, T ~[2]int16] struct {
	Key   K
	Turn  math.Angle
	Index T
	next  *Table[K, int, T]
}

type line struct{ key row.Key; T1 func(math.Angle) }

type empty struct{ f func() }

func append() {}
`))
	status, _, stderr := soagen(dir, "-type", "Table,line,empty", "-output", "columns.go", "-align", "16")
	require.Zero(t, status, stderr)
	text, err := os.ReadFile(filepath.Join(dir, "columns.go"))
	require.NoError(t, err)
	assert.True(t, strings.HasPrefix(string(text), "// Code generated by soagen -type Table,line,empty -output columns.go -align 16; DO NOT EDIT.\n\n"+
		"//go:build !never || never\n\npackage p\n\nimport (\n\t\"cmp\"\n\t\"iter\"\n\t\"math\"\n\t\"slices\"\n\t\"unsafe\"\n\n"+
		"\tmath2 \"example.com/x/math\"\n\trow2 \"example.com/x/row\"\n)\n"), string(text))
	assert.NotContains(t, string(text), "emptySoACut")
	out, err := goCommand(t, dir, "vet", "./...")
	require.NoError(t, err, out)
}

// What the lists of names have to have is seen in the generated code itself.
func TestNamesInGeneratedCode(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("internal", "shapes", "*_soa.go"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	shapes, err := parser.ParseFile(token.NewFileSet(), filepath.Join("internal", "shapes", "shapes.go"), nil, 0)
	require.NoError(t, err)
	for _, path := range paths {
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		require.NoError(t, err)
		for _, id := range f.Unresolved {
			if obj := types.Universe.Lookup(id.Name); obj != nil && shapes.Scope.Lookup(id.Name) == nil && !slices.Contains(predeclared, id.Name) {
				_, isType := obj.(*types.TypeName) // that of a column
				assert.True(t, isType, "%s: %s is not in the list of predeclared names", path, id.Name)
			}
		}
		for _, decl := range f.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Name.Name == "_" || strings.HasSuffix(fn.Name.Name, "Cut") {
				continue // these have no types in them but their own
			}
			ast.Inspect(fn, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok && id.Obj != nil && id.Obj.Kind == ast.Var && id.Name != "_" {
					assert.Contains(t, slices.Concat(variables, []string{"a", "b"}), id.Name, path)
				}
				_, fields := n.(*ast.StructType)
				return !fields
			})
		}
	}
}

func TestUnchangedFileIsNotTouched(t *testing.T) {
	dir := module(t, file("sphere.go", sphere))
	path := filepath.Join(dir, "sphere_soa.go")
	status, _, stderr := soagen(dir, "-type", "Sphere")
	require.Zero(t, status, stderr)
	before, err := os.Stat(path)
	require.NoError(t, err)
	status, _, stderr = soagen(dir, "-type", "Sphere")
	require.Zero(t, status, stderr)
	after, err := os.Stat(path)
	require.NoError(t, err)
	assert.True(t, os.SameFile(before, after), "it was replaced")
}

// What the struct is made of may be in a package that does not compile yet,
// for want of its own container.
func TestDependencyThatDoesNotCompile(t *testing.T) {
	dir := module(t,
		file("q/q.go", strings.ReplaceAll(sphere+user[len("package p"):], "package p", "package q")),
		file("p.go", "package p\n\nimport \"example.com/x/q\"\n\ntype Ball struct {\n\tAt q.Vec3 `soa:\"split\"`\n\tIn *q.World\n}\n"))
	status, _, stderr := soagen(dir, "-type", "Ball")
	require.Zero(t, status, stderr)
	status, _, stderr = soagen(filepath.Join(dir, "q"), "-type", "Sphere")
	require.Zero(t, status, stderr)
	out, err := goCommand(t, dir, "vet", "./...")
	require.NoError(t, err, out)
}

func TestNothingElseIsOverwritten(t *testing.T) {
	for _, test := range []struct{ name, args, text, want string }{
		{"written by hand", "-type Sphere", "package p\n", "sphere_soa.go:1:1: this file was not generated by soagen; remove it, or choose another with -output"},
		{"empty", "-type Sphere", "", "sphere_soa.go:1:1: this file was not generated by soagen; remove it, or choose another with -output"},
		{"generated by another", "-type Sphere", "// Code generated by stringer -type Sphere; DO NOT EDIT.\n\npackage p\n",
			"sphere_soa.go:1:1: this file was not generated by soagen; remove it, or choose another with -output"},
		{"no line of its own", "-type Sphere", "package p\n\n// Code generated by soagen -type Sphere; DO NOT EDIT.\n",
			"sphere_soa.go:1:1: this file was not generated by soagen; remove it, or choose another with -output"},
		{"of another struct", "-type Vec3 -output sphere_soa.go", "// A license.\n\n// Code generated by soagen -type Sphere; DO NOT EDIT.\n\npackage p\n",
			"sphere_soa.go:3:1: this file was generated by soagen -type Sphere; remove it, or choose another with -output"},
		{"the input", "-type Sphere -output sphere.go", "", "sphere.go:1:1: this file was not generated by soagen; remove it, or choose another with -output"},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := module(t, file("sphere.go", sphere), file("sphere_soa.go", test.text))
			status, _, stderr := soagen(dir, strings.Fields(test.args)...)
			assert.Equal(t, 1, status)
			assert.Equal(t, test.want+"\n", stderr)
			text, err := os.ReadFile(filepath.Join(dir, "sphere_soa.go"))
			require.NoError(t, err)
			assert.Equal(t, test.text, string(text))
			text, err = os.ReadFile(filepath.Join(dir, "sphere.go"))
			require.NoError(t, err)
			assert.Equal(t, sphere, string(text))
		})
	}
}

func TestFolderWithoutGo(t *testing.T) {
	dir := module(t)
	status, _, stderr := soagen(dir, "-type", "Sphere")
	assert.Equal(t, 1, status)
	assert.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
	assert.Contains(t, stderr, "no Go files in "+dir)
}

// Under go generate the mistake is in the comment, so that is the position.
func TestPositionUnderGoGenerate(t *testing.T) {
	dir := module(t, file("sphere.go", sphere), file("other.go", "package p\n\n//go:generate soagen -type Spere\n"))
	t.Setenv("GOFILE", "other.go")
	t.Setenv("GOLINE", "3")
	status, _, stderr := soagen(dir, "-type", "Spere")
	assert.Equal(t, 1, status)
	assert.Equal(t, "other.go:3:1: package p has no type Spere; its structs are Sphere, Vec3\n", stderr)
}

// A container that was generated for other fields must not go on compiling as
// if it had them all.
func TestStaleContainerDoesNotCompile(t *testing.T) {
	dir := module(t, file("sphere.go", sphere))
	status, _, stderr := soagen(dir, "-type", "Sphere")
	require.Zero(t, status, stderr)
	for _, change := range [][2]string{
		{"Radius float32", "Radius, Inverse float32"},
		{"X, Y, Z float32", "X, Y, Z, W float32"},
		{"Radius float32", "Radius float64"},
		{"X, Y, Z float32", "X, Y, Z string"},
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "sphere.go"), []byte(strings.Replace(sphere, change[0], change[1], 1)), 0o666))
		out, err := goCommand(t, dir, "vet", ".")
		require.Error(t, err, "%s: %s", change[1], out)
		require.Contains(t, out, "sphere_soa.go")
	}
}

// The type of a column in the block may get pointers, which the collector would
// not see there. The container does not compile then.
func TestColumnThatGetsPointers(t *testing.T) {
	const src = `package p

import "example.com/x/q"

type Tag [2]uint8

type Flag bool

type Key = Tag

type Number interface{ ~int8 | Count }

type Count int

type S[N Number] struct {
	T Tag
	U struct{ B, C Flag }
	K Key
	N [2]N
	V q.Vec
}
`
	const vec = "package q\n\ntype Vec struct {\n\tX float32\n\tE Unit\n}\n\ntype Unit struct{ On bool }\n"
	dir := module(t, file("s.go", src), file("q/q.go", vec))
	status, _, stderr := soagen(dir, "-type", "S", "-methods", "Append")
	require.Zero(t, status, stderr)
	out, err := goCommand(t, dir, "vet", "./...")
	require.NoError(t, err, out)
	for _, change := range [][3]string{
		{"s.go", "Tag [2]uint8", "Tag [2]*uint8"},
		{"s.go", "Flag bool", "Flag string"},
		{"s.go", "Key = Tag", "Key = []int"},
		{"s.go", "~int8 | Count", "~int8 | Count | string"},
		{"s.go", "Count int", "Count string"},
		{"q/q.go", "X float32", "X *float32"},
		{"q/q.go", "E Unit", "E Unit; P *int"},
		{"q/q.go", "On bool", "On any"},
	} {
		t.Run(change[2], func(t *testing.T) {
			path := filepath.Join(dir, change[0])
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Contains(t, string(text), change[1])
			require.NoError(t, os.WriteFile(path, []byte(strings.Replace(string(text), change[1], change[2], 1)), 0o666))
			out, err := goCommand(t, dir, "build", "./...")
			assert.Error(t, err)
			assert.Contains(t, out, "s_soa.go")
			require.NoError(t, os.WriteFile(path, text, 0o666))
		})
	}
}

func TestFileNameSuffixes(t *testing.T) {
	for name, want := range map[string][]string{
		"sphere.go":             nil,
		"linux.go":              nil,
		"x_linux.go":            {"linux"},
		"x_arm64.go":            {"arm64"},
		"x_windows_amd64.go":    {"windows", "amd64"},
		"x_y_darwin_arm64.go":   {"darwin", "arm64"},
		"x_linux_sphere.go":     nil,
		"x_sphere_riscv64.go":   {"riscv64"},
		"hit_purego.go":         nil,
		"many_words_in_name.go": nil,
	} {
		assert.Equal(t, want, suffixes(name), name)
	}
}

// directive finds the arguments of soagen in a go:generate line, however it is
// run there.
var directive = regexp.MustCompile(`(?m)^//go:generate (?:.*[ /])?soagen (.+?)\r?$`)

// Every container in the repository is what soagen makes of its struct today.
func TestContainersAreCurrent(t *testing.T) {
	needGo(t)
	asked := map[string]bool{}
	var there []string
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") && d.Name() != ".." || path == filepath.Join("..", "lab")): // which git ignores
			return filepath.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".go":
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if _, line := command(text); line > 0 {
			there = append(there, path)
		}
		for _, m := range directive.FindAllSubmatch(text, -1) {
			dir, args := filepath.Dir(path), strings.Fields(string(m[1]))
			opts, err := parse(args)
			if !assert.NoError(t, err, "%s: %s", path, m[0]) {
				continue
			}
			out := filepath.Join(dir, opts.output)
			asked[out] = true
			t.Run(filepath.ToSlash(out), func(t *testing.T) {
				t.Parallel()
				opts.check = true
				assert.NoError(t, generateFile(dir, opts), "in %s", filepath.ToSlash(dir))
			})
		}
		return nil
	})
	require.NoError(t, err)
	assert.GreaterOrEqual(t, len(asked), 12)
	for _, path := range there {
		assert.True(t, asked[path], "%s: there is no go:generate line for this container", filepath.ToSlash(path))
	}
}

// The example is a module of somebody else's: the generator is built, and run
// there by go generate.
func TestExampleInAnotherModule(t *testing.T) {
	needGo(t)
	bin := t.TempDir()
	out, err := goCommand(t, ".", "build", "-buildvcs=false", "-o", bin, ".")
	require.NoError(t, err, out)

	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "example"))))
	require.NoError(t, os.Remove(filepath.Join(dir, "particle_soa.go")))
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	for _, args := range []string{"generate ./...", "vet ./...", "test ./..."} {
		out, err := goCommand(t, dir, strings.Fields(args)...)
		require.NoError(t, err, out)
	}
	text, err := os.ReadFile(filepath.Join(dir, "particle_soa.go"))
	require.NoError(t, err)
	want, err := os.ReadFile(filepath.Join("testdata", "example", "particle_soa.go"))
	require.NoError(t, err)
	assert.Equal(t, string(want), string(text))

	// The exit status is that of a command, too.
	for status, args := range map[int][]string{0: {"-help"}, 1: {"-type", "Fire"}, 2: {"-align", "3"}} {
		cmd := exec.Command(filepath.Join(bin, "soagen"), args...)
		cmd.Dir = dir
		_ = cmd.Run()
		assert.Equal(t, status, cmd.ProcessState.ExitCode())
	}
}

// The block of columns starts at a multiple of the alignment wherever the memory
// does that the runtime hands out. That is at a multiple of 64 bytes already, for
// the sizes that containers ask for; so here it is moved by 8.
func TestAlignmentOfTheBlock(t *testing.T) {
	dir := module(t, file("point.go", `package main

import (
	"fmt"
	"unsafe"
)

type Point struct {
	X float32
	N int64
}

func main() {
	for n := range 100 {
		s := NewPointSoA(n)
		s.Append(Point{1, 2})
		if x, n := uintptr(unsafe.Pointer(&s.X()[0])), uintptr(unsafe.Pointer(&s.N()[0])); x%64+n%64 != 0 {
			fmt.Println(x%64, n%64)
		}
	}
}
`))
	status, _, stderr := soagen(dir, "-type", "Point")
	require.Zero(t, status, stderr)
	name := filepath.Join(dir, "point_soa.go")
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	moved := strings.Replace(string(text), "make([]byte, size+63)", "make([]byte, size+63+8)[8:]", 1)
	require.NotEqual(t, string(text), moved)
	require.NoError(t, os.WriteFile(name, []byte(moved), 0o666))
	out, err := goCommand(t, dir, "run", ".")
	require.NoError(t, err, out)
	assert.Empty(t, out)
}

func TestReadmeIsComplete(t *testing.T) {
	text, err := os.ReadFile("README.md")
	require.NoError(t, err)
	flags(new(options), new(string), new(string)).VisitAll(func(f *flag.Flag) {
		assert.True(t, strings.Contains(string(text), "| `-"+f.Name), "-%s is not described", f.Name)
	})
	for _, name := range append([]string{"Len", "Cap", "PaddedLen"}, methodNames...) {
		assert.True(t, strings.Contains(string(text), "`"+name+"("), "%s is not described", name)
	}
}

// The compiler finds no bounds to check inside the loops of hot.go.
func TestNoBoundsChecksInHotLoops(t *testing.T) {
	needGo(t)
	src, err := os.ReadFile(filepath.Join("internal", "shapes", "hot.go"))
	require.NoError(t, err)
	hot := map[int]bool{}
	in := false
	for i, line := range strings.Split(string(src), "\n") {
		if strings.HasSuffix(line, "// cold") {
			in = false
		}
		hot[i+1] = in
		if strings.HasSuffix(line, "// hot") {
			in = true
		}
	}
	out, err := goCommand(t, ".", "build", "-gcflags=-d=ssa/check_bce/debug=1", "./internal/shapes")
	require.NoError(t, err, out)
	found := regexp.MustCompile(`hot\.go:(\d+):\d+: Found Is\w*InBounds`).FindAllStringSubmatch(out, -1)
	require.NotEmpty(t, found, "taking the columns costs a check each, outside of the loops")
	for _, m := range found {
		line, err := strconv.Atoi(m[1])
		require.NoError(t, err)
		assert.False(t, hot[line], m[0])
	}
}
