package cli_test

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/scripts/internal/cli"
)

// clone makes a folder that is one of the module, with next to nothing in it, in which the commands
// find what they refuse, and a go command in front of others that builds and runs nothing.
func clone(t *testing.T) (root, path string) {
	t.Helper()
	root, bin := t.TempDir(), t.TempDir()
	real, err := exec.LookPath("go")
	require.NoError(t, err)
	files := map[string]string{
		"go.mod":        "module raysteps\n\ngo 1.26.0\n",
		"full/a.txt":    "dear\n",
		"a_test.go":     "package a\n\nimport \"testing\"\n\nfunc BenchmarkA(b *testing.B) {}\n",
		"docs/page.md":  "# A page\n",
		"bad.json":      "{",
		"letter.txt":    "dear\n",
		"results/a.txt": "BenchmarkA 1 1 sec/op\n",
	}
	for name, text := range files {
		file := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o777))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
	}
	git := exec.Command("git", "init", "-q", root)
	require.NoError(t, git.Run())
	script := "#!/bin/sh\ncase $1 in list|env|version) exec '" + real + "' \"$@\";; esac\necho built: \"$@\" >&2\nexit 97\n"
	require.NoError(t, os.WriteFile(filepath.Join(bin, "go"), []byte(script), 0o777))
	return root, bin + string(os.PathListSeparator) + os.Getenv("PATH")
}

// built builds commands, and returns the root of the module and the folder that they are in.
func built(t *testing.T, packages ...string) (root, programs string) {
	t.Helper()
	root, err := cli.ModuleRoot()
	require.NoError(t, err)
	for _, folder := range []string{"scripts", "common"} { // go test keeps no result of other sources: it sees what is read
		require.NoError(t, fs.WalkDir(os.DirFS(root), folder,
			func(string, fs.DirEntry, error) error { return nil }))
	}
	programs = t.TempDir()
	build := exec.Command("go", append([]string{"build", "-o", programs + "/"}, packages...)...)
	build.Dir = root
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return root, programs
}

// snapshot is everything below a folder, with the text of files.
func snapshot(t *testing.T, root string) map[string]string {
	t.Helper()
	all := map[string]string{}
	require.NoError(t, filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if all[name] = ""; err == nil && entry.Type().IsRegular() {
			var text []byte
			text, err = os.ReadFile(name)
			all[name] = string(text)
		}
		return err
	}))
	return all
}

// Whatever can be refused is, in one line and with status 2, before anything is made or built: the
// folder of the clone is left as it was, the temporary one empty, and no go command compiles.
func TestRefusals(t *testing.T) {
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("the file is for another system, or links all commands")
	}
	_, programs := built(t, "./beyond/archsimd/renew", "./scripts/bench", "./scripts/readme", "./scripts/render", "./scripts/diff",
		"./scripts/ab", "./scripts/lab", "./scripts/book")
	root, path := clone(t)
	require.NoError(t, os.Symlink("/dev/full", filepath.Join(root, "device")))
	before := snapshot(t, root)
	for _, tt := range []struct{ args, want string }{
		{"bench -experiments Nope", "no package that was chosen has a BenchmarkNope; want names of benchmarks, all"},
		{"bench -experiments A,Nope", "BenchmarkNope"},
		{"bench -experiments A -step 4", "no package that was chosen has a BenchmarkA"},
		{"bench -against nosuch -step 4", `no revision "nosuch" in `},
		{"bench -step 4 -o no/such/x.txt", `"no/such" is not a folder; want one that exists`},
		{"bench -experiments A -o device", "want the name of a plain file"},
		{"bench -step 4 -o letter.txt", "letter.txt"},
		{"bench -quick -counts", "-counts takes the time that it takes; want it without -quick and -time"},
		{"bench -counts -time 5s", "want it without -quick and -time"},
		{"bench -counts -builds v4", "-builds: valgrind does not run v4; want levels up to v"},
		{"bench -step 99", `unknown step "99"; want `},
		{"bench 4", `unexpected argument "4"`},
		{"readme -o x", "flag provided but not defined: -o"},
		{"readme page.md", `unexpected argument "page.md"`},
		{"render", "-o is missing; want the name of a picture"},
		{"render -o no/such/x.png", `"no/such" is not a folder; want one that exists`},
		{"render -o device.txt", "want a name that ends in .png or .tga"},
		{"render -o x.png -scene nosuch", `unknown scene "nosuch"; want `},
		{"render -o x.png -scene bad.json", "bad.json"},
		{"render -o x.png -width 0", "want "},
		{"render -stats -step 4", "step04 has no instruments; leave out -step 4"},
		{"diff 3 99", `unknown step "99"; want `},
		{"diff 3 -nosuch", "flag provided but not defined: -nosuch; -help lists the flags"},
		{"ab -bench (", "-bench: error parsing regexp"},
		{"ab -C nosuch", "-C nosuch: no such folder"},
		{"ab . -time 0s", "want numbers above 0"},
		{"ab -o no/such/x.txt", `"no/such" is not a folder; want one that exists`},
		{"ab -against nosuch", `no revision "nosuch" in `},
		{"lab walk passes", `unknown word "walk"; want start, watch, check, hint or diff`},
		{"lab check nosuch", `unknown lab "nosuch"; want passes, `},
		{"lab check passes", "there is no lab/passes yet; begin with start passes"},
		{"book -o no/such/x", `"no/such" is not a folder; want one that exists`},
		{"book -o full", "holds other files; want an empty folder"},
		{"book -o letter.txt", "want a folder, an empty or a new one"},
		{"book -port 99999", "-port is 99999; want 0 to 65535"},
		// The last value that is allowed, so that something else is refused.
		{"book -port 65535 -o full", "holds other files"},
		{"book -port 65536 -o full", "-port is 65536"},
		{"book -port 0 -o full", "holds other files"},
		{"render -step 4 -workers 1 -o no/such/x.png", `"no/such" is not a folder`},
		{"render -step 4 -workers 2 -o no/such/x.png", "-workers is 2, and step04 renders on one goroutine"},
		{"ab -fail-over 0 -places", "-places and -floor hold no limit"},
		{"ab -fail-over -0.1 -places", "-fail-over -0.1: want 0 percent or more"},
		{"ab -cpu 1 -places -counts=false -json", "-places and -floor hold no limit"},
		{"renew 1.27", "want a release of Go, such as go1.27.4"},
		{"renew go1.27.4 device", "want the name of a plain file"},
		{"renew go1.27.4 no/such/x.txt", `"no/such" is not a folder; want one that exists`},
	} {
		t.Run(tt.args, func(t *testing.T) {
			tmp, words := t.TempDir(), strings.Fields(tt.args)
			cmd := exec.CommandContext(t.Context(), filepath.Join(programs, words[0]), words[1:]...)
			cmd.Dir, cmd.Env = root, append(os.Environ(), "PATH="+path, "TMPDIR="+tmp, "GOFLAGS=-mod=mod")
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			err := cmd.Run()
			assert.EqualError(t, err, "exit status 2", &stderr)
			assert.Empty(t, stdout.String())
			assert.Regexp(t, "^"+words[0]+": [^\n]*\n$", stderr.String(), "one line")
			assert.Contains(t, stderr.String(), tt.want)
			assert.NotContains(t, stderr.String(), "built:")
			assert.Len(t, snapshot(t, tmp), 1, "the temporary folder is as empty as it was")
			assert.Equal(t, before, snapshot(t, root))
		})
	}
}

// Where nothing more can be written, which a limit of the size of files stands for, a command says
// so and ends with status 1. A file that was there is as it was, and there is no other.
func TestNoSpace(t *testing.T) {
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("the file is for another system, or links two commands")
	}
	root, programs := built(t, "./scripts/render", "./scripts/book")
	out := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(out, "old.png"), []byte("old"), 0o666))
	before := snapshot(t, out)
	for args, want := range map[string]string{
		"render -step 1 -width 128 -height 128 -samples 1 -o " + out + "/old.png": `^render: picture ".*old.png": file too large\n$`,
		"render -step 1 -width 128 -height 128 -samples 1 -o " + out + "/new.tga": `^render: picture ".*new.tga": file too large\n$`,
		"book -o " + out + "/site": `^book: write [^\n]*book.css: file too large\n$`,
	} {
		words := strings.Fields(args)
		cmd := exec.CommandContext(t.Context(), "sh", append([]string{"-c", `ulimit -f 8; exec "$0" "$@"`, filepath.Join(programs, words[0])}, words[1:]...)...)
		var stderr bytes.Buffer
		cmd.Dir, cmd.Stderr = root, &stderr
		assert.EqualError(t, cmd.Run(), "exit status 1", args)
		assert.Regexp(t, want, stderr.String())
		assert.Equal(t, before, snapshot(t, out), args)
	}
}
