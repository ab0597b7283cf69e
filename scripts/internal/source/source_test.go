package source_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/txtar"

	"raysteps/scripts/internal/source"
)

// module writes the module of the tests into a new folder and returns it.
func module(t *testing.T) (root string) {
	archive, err := txtar.ParseFile("testdata/module.txtar")
	require.NoError(t, err)
	files, err := txtar.FS(archive)
	require.NoError(t, err)
	root = t.TempDir()
	require.NoError(t, os.CopyFS(root, files))
	return root
}

func read(t *testing.T, root, file string) string {
	text, err := os.ReadFile(filepath.Join(root, file))
	require.NoError(t, err)
	return string(text)
}

var amd64 = source.Published

func TestTargets(t *testing.T) {
	root := module(t)
	for target, want := range map[string]string{
		"linux/amd64":   "gone.go, hit_amd64.s, new.go, same.go, soa.go, world.go",
		"linux/arm64":   "gone.go, hit_arm64.s, new.go, same.go, soa.go, world.go",
		"windows/amd64": "gone.go, hit_amd64.s, new.go, pages_windows.go, same.go, soa.go, world.go",
		"js/wasm":       "gone.go, hit_noasm.go, new.go, same.go, soa.go, world.go",
	} {
		parsed, err := source.ParseTarget(target)
		require.NoError(t, err)
		l, err := source.Diff(root, "step03", "step04", parsed)
		require.NoError(t, err)
		var names []string
		for _, f := range l.Files {
			names = append(names, f.Name)
		}
		assert.Equal(t, want, strings.Join(names, ", "), target)
	}
	l, err := source.Diff(root, "step03", "step04", amd64, "hit_arm64.s")
	require.NoError(t, err)
	assert.Contains(t, l.Patch, "+\tRET", "a file by its name, whatever the target")
	_, err = source.ParseTarget("amd64")
	assert.ErrorContains(t, err, `unknown target "amd64"; want one of linux/amd64, `)
}

func TestListing(t *testing.T) {
	root := module(t)
	const limits = "const (\n\ttMin = 0.001 // avoids acne\n\ttMax = 1000\n)\n"
	const hit = "func (s *Sphere) Hit(t float32) bool {\n\t// An inner comment.\n\treturn t > tMin\n}\n"
	const group = "type (\n\t// A is one.\n\tA int\n\tB int\n)\n"
	const kernel = "TEXT ·kernel(SB), NOSPLIT, $0-8\n\tMOVQ x+0(FP), AX\n\n// The loop.\nloop:\n\tJMP loop\n\tRET\n"
	for _, tt := range []struct {
		decls, file   string
		comment, want string // the comment of the declaration, and the rest
	}{
		{"Sphere.Hit", "sphere.go", "// Hit looks\n// for a hit.\n", hit},
		{"Pair.Key", "sphere.go", "// Key is generic.\n", "func (p *Pair[K, V]) Key() K { return p.k }\n"},
		{"B", "sphere.go", "", group},
		{"tMin,tMax", "sphere.go", "// Limits of t.\n", limits}, // once
		{"down,B", "sphere.go", "", "var up, down = 1, -1 // y\n\n" + group},
		{"kernel", "sphere.go", "// kernel is assembly.\n//\n", "//go:noescape\nfunc kernel(x *float32)\n"},
		{"kernel", "hit_amd64.s", "// func kernel(x *float32)\n// AX: x\n", kernel},
		{"sum", "hit_amd64.s", "// sum adds.\n", "TEXT ·sum(SB), NOSPLIT, $0\n\tRET\n"},
	} {
		for doc, want := range map[bool]string{true: tt.comment + tt.want, false: tt.want} {
			got, _, err := source.Listing(root, "step05/"+tt.file, doc, strings.Split(tt.decls, ",")...)
			require.NoError(t, err)
			assert.Equal(t, want, got, tt.decls)
		}
	}
	for file, want := range map[string]string{"step05/hit_amd64.s": read(t, root, "step05/hit_amd64.s"), "step03/gone.go": "var gone int\n"} {
		got, _, err := source.Listing(root, file, true)
		require.NoError(t, err)
		assert.Equal(t, want, got, "a whole file")
	}
	_, line, err := source.Listing(root, "step03/world.go", false, "World.Hit", "World")
	require.NoError(t, err)
	assert.Equal(t, 19, line, "of the first, behind its comment")
}

func TestErrors(t *testing.T) {
	root := module(t)
	for file, want := range map[string]string{
		"step03/world.go": `step03/world.go has no declaration "Sphere.Hit"; it has World, a, b, c, d, World.Hit`,
		"step05/world.go": `cannot read step05/world.go; want the path of a file, like step04/sphere.go`,
		"step05/bad.go":   `step05/bad.go:3:6: expected 'IDENT', found '{'`,
	} {
		_, _, err := source.Listing(root, file, true, "Sphere.Hit")
		assert.EqualError(t, err, want)
	}
	_, err := source.Diff(root, "step03", "step04", amd64, "wrld.go")
	assert.EqualError(t, err, "neither step03 nor step04 has a file wrld.go")
	_, err = source.Diff(root, "step03", "step44", amd64)
	assert.ErrorContains(t, err, "step step44 does not exist")
}

func TestLesson(t *testing.T) {
	root := module(t)
	l, err := source.Diff(root, "step03", "step04", amd64)
	require.NoError(t, err)
	var out, colored strings.Builder
	require.NoError(t, l.Write(&out, false))
	assert.Equal(t, read(t, root, "lesson"), out.String())
	require.NoError(t, l.Write(&colored, true))
	assert.Contains(t, colored.String(), "\x1b[31m-\treturn math.Pi > 3\x1b[0m\n\x1b[32m+\tx := math.Pi\x1b[0m\n")
	assert.Equal(t, []source.Hunk{{From: 2, To: 2, Kinds: "===-+=-++==="}, {From: 17, To: 18, Kinds: "===-++="}}, l.Files[len(l.Files)-1].Hunks)

	// The patch is the lesson without its heading and its sums; of
	// some files it is a part of that.
	_, body, _ := strings.Cut(out.String(), "\n\n")
	body = body[:strings.Index(body, "\nsoa.go: ")]
	assert.Equal(t, body, l.Patch)
	l, err = source.Diff(root, "step03", "step04", amd64, "world.go", "same.go")
	require.NoError(t, err)
	assert.Equal(t, body[strings.Index(body, "--- step03/world.go"):], l.Patch)
}
