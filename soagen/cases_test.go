package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/txtar"
)

// testCase is a package, a command for it and what the command says.
type testCase struct {
	name    string
	folder  string // of the package, in its module
	args    []string
	status  int
	message string // one line, if the status is not 0
}

// casesModule writes the cases of an archive into folders of one module. A case with a go.mod is a
// module of its own. The archive says how a case is written. In a case, example.com/x is its folder.
func casesModule(t *testing.T, archive string) (root string, cases []testCase) {
	t.Helper()
	parsed, err := txtar.ParseFile(filepath.Join("testdata", archive))
	require.NoError(t, err)
	require.NotEmpty(t, parsed.Files)
	root = module(t, "")
	folder := regexp.MustCompile(`(?m)^== (.*) ==$`)
	for i, f := range parsed.Files {
		c := testCase{name: f.Name, folder: fmt.Sprintf("c%03d", i)}
		command, text, ok := strings.Cut(string(f.Data), "\n")
		require.True(t, ok && strings.HasPrefix(command, "soagen"), "%s: no command", f.Name)
		c.args = strings.Fields(command)[1:]
		if src, message, ok := strings.Cut(text, "\n!"); ok {
			text, c.status = src, 1
			if misuse, ok := strings.CutPrefix(message, "!"); ok {
				message, c.status = misuse, 2
			}
			c.message = strings.TrimPrefix(message, " ")
		}
		text = "-- s.go --\npackage p\n" + folder.ReplaceAllString(text, "-- $1 --") + "\n"
		if !strings.Contains(text, "-- go.mod --") {
			text = strings.ReplaceAll(text, "example.com/x", "example.com/x/"+c.folder)
		}
		files, err := txtar.FS(txtar.Parse([]byte(text)))
		require.NoError(t, err)
		require.NoError(t, os.CopyFS(filepath.Join(root, c.folder), files))
		cases = append(cases, c)
	}
	return root, cases
}

// loadAll returns a loader that has loaded all packages of a module at once, as they are. Those
// that are not in the module, or have something in place of the output, it loads when asked. It
// says that each container compiles: the test does that, of all at once.
func loadAll(t *testing.T, root string) loader {
	t.Helper()
	pkgs, err := packages.Load(&packages.Config{Mode: mode, Dir: root}, "./...")
	require.NoError(t, err)
	loaded := map[string]*packages.Package{}
	for _, pkg := range pkgs {
		loaded[pkg.Dir] = pkg
	}
	return func(dir, output string, text []byte) (*packages.Package, error) {
		if text != nil {
			return new(packages.Package), nil
		}
		_, err := os.Lstat(filepath.Join(dir, output))
		if pkg := loaded[dir]; pkg != nil && os.IsNotExist(err) {
			return pkg, nil
		}
		return loadPackage(dir, output, nil)
	}
}

func (c testCase) run(root string, load loader) (status int, stdout, stderr string) {
	var o, e strings.Builder
	status = run(filepath.Join(root, c.folder), c.args, load, &o, &e)
	return status, o.String(), strings.ReplaceAll(e.String(), "example.com/x/"+c.folder, "example.com/x")
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	root, cases := casesModule(t, "refused.txtar")
	load := loadAll(t, root)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			before := goFiles(t, root, c.folder)
			status, stdout, stderr := c.run(root, load)
			assert.Equal(t, c.status, status)
			assert.Empty(t, stdout)
			assert.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
			if said, ok := strings.CutSuffix(c.message, "...\n"); ok {
				assert.True(t, strings.HasPrefix(stderr, said), "%s; want %s", stderr, c.message)
			} else {
				assert.Equal(t, c.message, stderr)
			}
			assert.True(t, before == goFiles(t, root, c.folder), "something was written")
		})
	}
}

// goFiles is the text of all files in a folder.
func goFiles(t *testing.T, elem ...string) (all string) {
	files, err := filepath.Glob(filepath.Join(append(elem, "*.go")...))
	require.NoError(t, err)
	for _, file := range files {
		all += file + "\n" + read(t, file)
	}
	return all
}

// What is not refused compiles, and go vet has nothing to say of it.
func TestAccepted(t *testing.T) {
	t.Parallel()
	root, cases := casesModule(t, "accepted.txtar")
	load := loadAll(t, root)
	for _, c := range cases {
		status, _, stderr := c.run(root, load)
		require.Zero(t, status, "%s: %s", c.name, stderr)
		if _, err := os.Stat(filepath.Join(root, c.folder, "go.mod")); err == nil {
			goCommand(t, filepath.Join(root, c.folder), true, "vet", "./...")
		}
	}
	goCommand(t, root, true, "vet", "./...")
}
