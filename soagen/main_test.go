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

// module writes a module of the files of a txtar archive. One without a go.mod
// gets one.
func module(t *testing.T, archive string) (dir string) {
	t.Helper()
	needGo(t)
	dir = t.TempDir()
	if !strings.Contains(archive, "-- go.mod --") {
		archive = "-- go.mod --\nmodule example.com/x\n\ngo 1.26\n" + archive
	}
	files, err := txtar.FS(txtar.Parse([]byte(archive)))
	require.NoError(t, err)
	require.NoError(t, os.CopyFS(dir, files))
	return dir
}

// soagen runs the command in dir.
func soagen(dir string, args ...string) (status int, stdout, stderr string) {
	var o, e bytes.Buffer
	status = run(dir, args, &o, &e)
	return status, o.String(), e.String()
}

// mustSoagen runs the command in dir, which has to succeed.
func mustSoagen(t *testing.T, dir string, args ...string) {
	t.Helper()
	status, stdout, stderr := soagen(dir, args...)
	require.Zero(t, status, stderr)
	require.Empty(t, stdout+stderr)
}

// goCommand runs the go command in dir, as somebody would whose module is there.
func goCommand(t *testing.T, dir string, args ...string) (out string, err error) {
	t.Helper()
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	text, err := cmd.CombinedOutput()
	return string(text), err
}

func read(t *testing.T, elem ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(elem...))
	require.NoError(t, err)
	return string(text)
}

func write(t *testing.T, text string, elem ...string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(elem...), []byte(text), 0o666))
}

func TestMisuse(t *testing.T) {
	const (
		names   = "; want names of structs, with commas between them"
		align   = "; want 16, 32 or 64"
		pad     = "; want 1 to 1024"
		file    = "; want the name of a .go file, without a folder"
		methods = "; want some of Append, AppendSlice, AppendView, Insert, At, Set, Swap, RemoveSwap, RemoveOrdered, Truncate, Clear, Grow, Clone, SortFunc, All, View"
	)
	for args, want := range map[string]string{
		"":                         "-type is missing; want the name of a struct",
		"-pad 4":                   "-type is missing; want the name of a struct",
		"-type A,":                 `-type is "A,"` + names,
		"-type _":                  `-type is "_"` + names,
		"-type A,func":             `-type is "A,func"` + names,
		"-type A,B,A":              "-type names A twice",
		"-type A sphere.go":        `unexpected argument "sphere.go"; want flags only, see soagen -help`,
		"-typ A":                   "flag provided but not defined: -typ; see soagen -help",
		"-type":                    "flag needs an argument: -type; see soagen -help",
		"-type A -align 48":        "-align is 48" + align,
		"-type A -align 128":       "-align is 128" + align,
		"-type A -pad 0":           "-pad is 0" + pad,
		"-type A -pad 1025":        "-pad is 1025" + pad,
		"-type A -pad x":           `invalid value "x" for flag -pad: parse error; see soagen -help`,
		"-type A -soa 3d":          `-soa is "3d"; want a name for the container`,
		"-type A -soa=":            `-soa is ""; want a name for the container`,
		"-type A,B -soa C":         "-soa names the container of one type, and -type has 2; want a run for each",
		"-type A -methods=":        `-methods names ""` + methods,
		"-type A -methods At,Sort": `-methods names "Sort"` + methods,
		"-type A -output sub/a.go": `-output is "sub/a.go"` + file,
		`-type A -output sub\a.go`: `-output is "sub\\a.go"` + file,
		"-type A -output ../a.go":  `-output is "../a.go"` + file,
		"-type A -output a.txt":    `-output is "a.txt"` + file,
		"-type A -output .go":      `-output is ".go"` + file,
		"-type A -output _a.go":    `-output is "_a.go"` + file,
	} {
		t.Run(args, func(t *testing.T) {
			dir := t.TempDir()
			status, stdout, stderr := soagen(dir, strings.Fields(args)...)
			assert.Equal(t, 2, status)
			assert.Equal(t, "soagen: "+want+"\n", stderr)
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

func TestBadInput(t *testing.T) {
	needGo(t)
	cases, err := txtar.ParseFile(filepath.Join("testdata", "bad.txtar"))
	require.NoError(t, err)
	require.NotEmpty(t, cases.Files)
	folder := regexp.MustCompile(`(?m)^== (.*) ==$`)
	for _, test := range cases.Files {
		t.Run(test.Name, func(t *testing.T) {
			t.Parallel()
			command, rest, _ := strings.Cut(string(test.Data), "\n")
			src, want, ok := strings.Cut(rest, "\n! ")
			require.True(t, ok, "the case has no message")
			dir := module(t, "-- s.go --\npackage p\n"+folder.ReplaceAllString(src, "-- $1 --")+"\n")
			status, stdout, stderr := soagen(dir, strings.Fields(command)[1:]...)
			assert.Equal(t, 1, status)
			assert.Empty(t, stdout)
			assert.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
			if said, ok := strings.CutSuffix(want, "...\n"); ok {
				assert.True(t, strings.HasPrefix(stderr, said), "%s; want %s", stderr, want)
			} else {
				assert.Equal(t, want, stderr)
			}
			left, err := filepath.Glob(filepath.Join(dir, "*_soa.go"))
			assert.NoError(t, err)
			assert.Empty(t, left)
		})
	}
}

const sphere = `
-- sphere.go --
package p

type Vec3 struct{ X, Y, Z float32 }

type Sphere struct {
	Center Vec3 "soa:\"split\""
	Radius float32
	Name   string
}
`

// user is the rest of the package, which uses the container before it is there.
const user = `
-- user.go --
package p

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
	dir := module(t, sphere+user)
	mustSoagen(t, dir, "-type", "Sphere")
	first := read(t, dir, "sphere_soa.go")
	const header = "// Code generated by soagen -type Sphere; DO NOT EDIT.\n\n"
	assert.True(t, strings.HasPrefix(first, header))
	out, err := goCommand(t, dir, "vet", "./...")
	require.NoError(t, err, out)

	for name, stale := range map[string]string{
		"as it should be":     first,
		"does not compile":    header + "package p\n\ntype SphereSoA struct{ Gone }\n",
		"does not parse":      header + "package p\n\n<<<<<<< ours\n",
		"imports what is not": header + "package p\n\nimport \"example.com/gone\"\n\nvar _ = gone.X\n",
		"of another package":  header + "package q\n",
		"cut short":           header,
		"Windows line ends":   strings.ReplaceAll(first, "\n", "\r\n"),
		"other flags":         "// Code generated by soagen -type Vec3,Sphere -pad 8; DO NOT EDIT.\n\npackage p\n",
	} {
		write(t, stale, dir, "sphere_soa.go")
		status, _, stderr := soagen(dir, "-check", "-type", "Sphere")
		if stale == first {
			require.Zero(t, status, stderr)
		} else {
			require.Equal(t, 1, status, name)
			require.Equal(t, "soagen: sphere_soa.go is stale; run soagen -type Sphere\n", stderr, name)
		}
		require.Equal(t, stale, read(t, dir, "sphere_soa.go"), "-check writes nothing")
		mustSoagen(t, dir, "-type", "Sphere")
		require.Equal(t, first, read(t, dir, "sphere_soa.go"), name)
	}
	left, err := filepath.Glob(filepath.Join(dir, ".soagen*"))
	require.NoError(t, err)
	assert.Empty(t, left)

	// A file that is as it should be is not replaced.
	before, err := os.Stat(filepath.Join(dir, "sphere_soa.go"))
	require.NoError(t, err)
	mustSoagen(t, dir, "-type", "Sphere")
	after, err := os.Stat(filepath.Join(dir, "sphere_soa.go"))
	require.NoError(t, err)
	assert.True(t, os.SameFile(before, after))
}

func TestCheckOfMissingFile(t *testing.T) {
	dir := module(t, sphere)
	status, stdout, stderr := soagen(dir, "-pad", "8", "-check", "-type", "Sphere")
	assert.Equal(t, 1, status)
	assert.Equal(t, "soagen: sphere_soa.go is missing; run soagen -type Sphere -pad 8\n", stderr)
	assert.Empty(t, stdout)
	assert.NoFileExists(t, filepath.Join(dir, "sphere_soa.go"))
}

// Several types go into one file, with what they need imported once, and with
// other names for packages and blank type parameters where these are taken.
func TestSeveralTypes(t *testing.T) {
	dir := module(t, `
-- math/math.go --
package math

type Angle float32
-- row/row.go --
package row

type Key [4]byte
-- s.go --
//go:build !never || never

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
`)
	mustSoagen(t, dir, "-type", "Table,line,empty", "-output", "columns.go", "-align", "16")
	text := read(t, dir, "columns.go")
	assert.True(t, strings.HasPrefix(text, `// Code generated by soagen -type Table,line,empty -output columns.go -align 16; DO NOT EDIT.

//go:build !never || never

package p

import (
	"cmp"
	"iter"
	"math"
	"slices"
	"unsafe"

	math2 "example.com/x/math"
	row2 "example.com/x/row"
)
`), text)
	assert.NotContains(t, text, "emptySoACut")
	out, err := goCommand(t, dir, "vet", "./...")
	require.NoError(t, err, out)
}

// What the struct is made of may be in a package that does not compile yet,
// for want of its own container.
func TestDependencyThatDoesNotCompile(t *testing.T) {
	dir := module(t, strings.NewReplacer("package p", "package q", "-- ", "-- q/").Replace(sphere+user)+`
-- p.go --
package p

import "example.com/x/q"

type Ball struct {
	At q.Vec3 "soa:\"split\""
	In *q.World
}
`)
	mustSoagen(t, dir, "-type", "Ball")
	mustSoagen(t, filepath.Join(dir, "q"), "-type", "Sphere")
	out, err := goCommand(t, dir, "vet", "./...")
	require.NoError(t, err, out)
}

func TestNothingElseIsOverwritten(t *testing.T) {
	const foreign = "sphere_soa.go:1:1: this file was not generated by soagen; remove it, or choose another with -output\n"
	for _, test := range []struct{ name, args, text, want string }{
		{"written by hand", "-type Sphere", "package p\n", foreign},
		{"empty", "-type Sphere", "", foreign},
		{"generated by another", "-type Sphere", "// Code generated by stringer -type Sphere; DO NOT EDIT.\n\npackage p\n", foreign},
		{"not in front", "-type Sphere", "package p\n\n// Code generated by soagen -type Sphere; DO NOT EDIT.\n", foreign},
		{"of another struct", "-type Vec3 -output sphere_soa.go", "// A license.\n\n// Code generated by soagen -type Sphere; DO NOT EDIT.\n\npackage p\n",
			"sphere_soa.go:3:1: this file was generated by soagen -type Sphere; remove it, or choose another with -output\n"},
		{"the input", "-type Sphere -output sphere.go", "", strings.Replace(foreign, "sphere_soa.go", "sphere.go", 1)},
	} {
		t.Run(test.name, func(t *testing.T) {
			dir := module(t, sphere)
			write(t, test.text, dir, "sphere_soa.go")
			input := read(t, dir, "sphere.go")
			status, _, stderr := soagen(dir, strings.Fields(test.args)...)
			assert.Equal(t, 1, status)
			assert.Equal(t, test.want, stderr)
			assert.Equal(t, test.text, read(t, dir, "sphere_soa.go"))
			assert.Equal(t, input, read(t, dir, "sphere.go"))
		})
	}
}

func TestFolderWithoutGo(t *testing.T) {
	dir := module(t, "")
	status, _, stderr := soagen(dir, "-type", "Sphere")
	assert.Equal(t, 1, status)
	assert.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
	assert.Contains(t, stderr, "no Go files in "+dir)
}

// Under go generate the mistake is in the comment, so that is the position.
func TestPositionUnderGoGenerate(t *testing.T) {
	dir := module(t, sphere+"-- other.go --\npackage p\n\n//go:generate soagen -type Spere\n")
	t.Setenv("GOFILE", "other.go")
	t.Setenv("GOLINE", "3")
	status, _, stderr := soagen(dir, "-type", "Spere")
	assert.Equal(t, 1, status)
	assert.Equal(t, "other.go:3:1: package p has no type Spere; its structs are Sphere, Vec3\n", stderr)
}

// A container must not compile for a struct that was changed since: it would go
// on as if it had all fields, or hide pointers from the collector.
func TestStaleContainerDoesNotCompile(t *testing.T) {
	dir := module(t, `
-- s.go --
package p

import "example.com/x/q"

type Vec3 struct{ X, Y, Z float32 }

type Tag [2]uint8

type Flag bool

type Key = Tag

type Number interface{ ~int8 | Count }

type Count int

type S[N Number] struct {
	Center Vec3 "soa:\"split\""
	Radius float32
	T      Tag
	U      struct{ B, C Flag }
	K      Key
	N      [2]N
	V      q.Vec
}
-- q/q.go --
package q

type Vec struct {
	X float32
	E Unit
}

type Unit struct{ On bool }
`)
	mustSoagen(t, dir, "-type", "S", "-methods", "Append")
	out, err := goCommand(t, dir, "vet", "./...")
	require.NoError(t, err, out)
	for _, change := range [][3]string{
		{"s.go", "Radius float32", "Radius, Inverse float32"},
		{"s.go", "X, Y, Z float32", "X, Y, Z, W float32"},
		{"s.go", "Radius float32", "Radius float64"},
		{"s.go", "X, Y, Z float32", "X, Y, Z string"},
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
			text := read(t, dir, change[0])
			require.Contains(t, text, change[1])
			write(t, strings.Replace(text, change[1], change[2], 1), dir, change[0])
			out, err := goCommand(t, dir, "build", "./...")
			assert.Error(t, err)
			assert.Contains(t, out, "s_soa.go")
			write(t, text, dir, change[0])
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
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".") && d.Name() != ".." || path == filepath.Join("..", "lab") || d.Name() == "testdata"): // git ignores lab
			return filepath.SkipDir
		case d.IsDir() || filepath.Ext(path) != ".go":
			return nil
		}
		text := read(t, path)
		if _, line := command([]byte(text)); line > 0 {
			there = append(there, path)
		}
		for _, m := range directive.FindAllStringSubmatch(text, -1) {
			assert.True(t, strings.HasPrefix(m[0], "//go:generate go tool soagen "), "%s: %s", path, m[0])
			dir := filepath.Dir(path)
			opts, err := parse(strings.Fields(m[1]))
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

// boundsChecks returns the lines of a file in which the compiler has found
// bounds to check, by what it said with -gcflags=-d=ssa/check_bce.
func boundsChecks(t *testing.T, out, file string) (lines []int) {
	t.Helper()
	for _, m := range regexp.MustCompile(regexp.QuoteMeta(file)+`:(\d+):\d+: Found Is\w*InBounds`).FindAllStringSubmatch(out, -1) {
		line, err := strconv.Atoi(m[1])
		require.NoError(t, err)
		lines = append(lines, line)
	}
	require.NotEmpty(t, lines, "taking the columns costs a check each, outside of the loops: %s", out)
	return lines
}

// Package shapes is tested once more, with containers of the structs in its
// folder testdata. Their blocks begin 8 bytes later than they would, since the
// runtime hands out memory that is at a multiple of 64 bytes already, for the
// sizes that containers ask for.
func TestShapes(t *testing.T) {
	needGo(t)
	t.Parallel()
	dir, shapes := t.TempDir(), filepath.Join("internal", "shapes")
	for _, from := range []string{shapes, filepath.Join(shapes, "testdata")} {
		require.NoError(t, os.CopyFS(dir, os.DirFS(from)))
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		write(t, read(t, "..", name), dir, name)
	}
	structs := read(t, dir, "structs.go")
	for _, m := range directive.FindAllStringSubmatch(structs, -1) {
		mustSoagen(t, dir, strings.Fields(m[1])...)
	}
	containers, err := filepath.Glob(filepath.Join(dir, "*_soa.go"))
	require.NoError(t, err)
	block := regexp.MustCompile(`(make\(\[\]byte, size\+\d+)\)`)
	for _, path := range containers {
		checkNames(t, path, structs)
		text := read(t, path)
		require.Equal(t, strings.Contains(text, "Cut["), block.MatchString(text), path)
		write(t, block.ReplaceAllString(text, "$1+8)[8:]"), path)
	}
	out, err := goCommand(t, dir, "test", "-v", "-vet=all", "-gcflags=-d=ssa/check_bce", ".")
	require.NoError(t, err, out)

	tests, err := filepath.Glob(filepath.Join(dir, "*_test.go"))
	require.NoError(t, err)
	for _, path := range tests {
		for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllStringSubmatch(read(t, path), -1) {
			assert.Contains(t, out, "--- PASS: "+m[1]+" ")
		}
	}
	lines := strings.Split(read(t, dir, "hot_test.go"), "\n")
	for _, n := range boundsChecks(t, out, "hot_test.go") {
		hot := false
		for _, line := range lines[:n] {
			hot = strings.HasSuffix(line, "// hot") || hot && !strings.HasSuffix(line, "// cold")
		}
		assert.False(t, hot, "hot_test.go:%d: %s", n, lines[n-1])
	}
}

// checkNames looks in a container for names that should be, and are not, in the
// lists of those that types must not have.
func checkNames(t *testing.T, path, structs string) {
	t.Helper()
	declared, err := parser.ParseFile(token.NewFileSet(), "structs.go", structs, 0)
	require.NoError(t, err)
	f, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	require.NoError(t, err)
	for _, id := range f.Unresolved {
		if obj := types.Universe.Lookup(id.Name); obj != nil && declared.Scope.Lookup(id.Name) == nil && !slices.Contains(predeclared, id.Name) {
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

// The example is a module of somebody else's: the generator is built, and run
// there by go generate.
func TestExampleInAnotherModule(t *testing.T) {
	needGo(t)
	bin := t.TempDir()
	out, err := goCommand(t, ".", "build", "-buildvcs=false", "-o", bin, ".")
	require.NoError(t, err, out)

	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "example"))))
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	for _, args := range []string{"generate ./...", "test -vet=all -gcflags=-d=ssa/check_bce ./..."} {
		out, err = goCommand(t, dir, strings.Fields(args)...)
		require.NoError(t, err, out)
	}
	loop := false
	for i, line := range strings.Split(read(t, dir, "particle.go"), "\n") {
		if loop = loop || strings.Contains(line, "range y"); loop {
			assert.NotContains(t, boundsChecks(t, out, "particle.go"), i+1, line)
		}
	}
	assert.True(t, loop)

	// The exit status is that of a command, too.
	for status, args := range map[int][]string{0: {"-help"}, 1: {"-type", "Fire"}, 2: {"-align", "3"}} {
		cmd := exec.Command(filepath.Join(bin, "soagen"), args...)
		cmd.Dir = dir
		_ = cmd.Run()
		assert.Equal(t, status, cmd.ProcessState.ExitCode())
	}
}

func TestReadmeIsComplete(t *testing.T) {
	text := read(t, "README.md")
	flags(new(options), new(string), new(string)).VisitAll(func(f *flag.Flag) {
		assert.True(t, strings.Contains(text, "| `-"+f.Name), "-%s is not described", f.Name)
	})
	for _, name := range append([]string{"Len", "Cap", "PaddedLen"}, methodNames...) {
		assert.True(t, strings.Contains(text, "`"+name+"("), "%s is not described", name)
	}
}
