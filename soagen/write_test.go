package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"golang.org/x/tools/go/packages"
)

// What the go command says of a new file is an error, and nothing is written.
func TestVerify(t *testing.T) {
	dir := module(t, "-- s.go --\npackage p\n\ntype T struct{ A int }\n")
	for _, e := range []packages.Error{
		{Pos: filepath.Join(dir, "t_soa.go") + ":3:4", Msg: "x is not a type\nand more", Kind: packages.TypeError},
		{Pos: "", Msg: "import cycle not allowed", Kind: packages.ListError},
		{Pos: filepath.Join(dir, "other.go") + ":3:4", Msg: "none of ours", Kind: packages.TypeError},
	} {
		load := func(dir, output string, text []byte) (*packages.Package, error) {
			if text != nil {
				return &packages.Package{Errors: []packages.Error{e}}, nil
			}
			return loadPackage(dir, output, text)
		}
		var out strings.Builder
		status := run(dir, []string{"-type", "T"}, load, &out, &out)
		_, err := os.Stat(filepath.Join(dir, "t_soa.go"))
		if strings.HasPrefix(e.Msg, "none") {
			assert.Zero(t, status, &out)
			assert.NoError(t, err)
			continue
		}
		assert.Equal(t, 1, status)
		said, _, _ := strings.Cut(e.Msg, "\n")
		assert.Equal(t, "soagen: the container of T would not compile, so t_soa.go is not written: "+said+"\n", out.String())
		assert.ErrorIs(t, err, fs.ErrNotExist)
	}
}

// An output that is no plain file is refused before it is read, since reading a pipe does not end.
func TestOutputIsPlain(t *testing.T) {
	const said = "soagen: t_soa.go is a folder, a link or a device; want the name of a plain file\n"
	for name, create := range map[string]func(path string) error{
		"folder":          func(path string) error { return os.Mkdir(path, 0o777) },
		"link":            func(path string) error { return os.Symlink("s.go", path) },
		"link to nothing": func(path string) error { return os.Symlink("none.go", path) },
		"pipe":            mkfifo,
	} {
		dir := module(t, "-- s.go --\npackage p\n\ntype T struct{ A int }\n")
		if err := create(filepath.Join(dir, "t_soa.go")); err != nil {
			t.Logf("no %s here: %v", name, err)
			continue
		}
		status, _, stderr := soagen(dir, "-type", "T")
		assert.Equal(t, 2, status, name)
		assert.Equal(t, said, stderr, name)
		if name == "folder" || name == "pipe" {
			status, _, stderr = soagen(dir, "-check", "-type", "T")
			assert.Equal(t, 2, status, name)
			assert.Equal(t, said, stderr, name)
		}
	}
}
