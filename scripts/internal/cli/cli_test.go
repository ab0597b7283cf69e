package cli_test

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/scripts/internal/cli"
)

// paint is a command with one flag of each kind and up to two arguments. Its
// first argument chooses how it ends.
var paint = cli.Command{
	Name:     "paint",
	Synopsis: "[flags] HOW [WHAT]",
	Manual:   "// Paint does what its first argument says.\n//\n// Examples:\n//\n//\tgo run ./scripts/paint well\npackage main\n",
	MaxArgs:  2,
	Setup: func(flags *flag.FlagSet) cli.Run {
		n := flags.Int("n", 7, "number of `coats`")
		dry := flags.Bool("dry", false, "wait until it is dry")
		return func(ctx context.Context, env *cli.Env, args []string) error {
			switch {
			case len(args) == 0:
				return cli.Misuse("no way to paint; want well or badly")
			case args[0] == "badly":
				return errors.New("the paint ran down the wall")
			case args[0] == "twice":
				return fmt.Errorf("while painting: %w", cli.Misuse("unknown color %q; want red", "foo"))
			case args[0] == "everywhere":
				return errors.Join(errors.New("floor: wet"), errors.New("wall: wet"))
			case args[0] == "silently":
				return cli.ErrReported
			case args[0] == "slowly":
				return fmt.Errorf("first coat: %w", context.Canceled)
			}
			fmt.Fprintln(env.Stdout, *n, *dry, args)
			return nil
		}
	},
}

func TestExec(t *testing.T) {
	tests := []struct {
		name           string
		args           string
		status         int
		stdout, stderr string
	}{
		{"default flags", "well", 0, "7 false [well]\n", ""},
		{"flags behind and between", "well -n 3 done -dry", 0, "3 true [well done]\n", ""},
		{"no flags any more", "-n 3 -- well -dry", 0, "3 false [well -dry]\n", ""},
		{"version", "-version", 0, "raysteps " + cli.Version + "\n", ""},
		{"flags first", "-n 3 -dry well", 0, "3 true [well]\n", ""},
		{"misuse", "", 2, "", "paint: no way to paint; want well or badly\n"},
		{"misuse wrapped", "twice", 2, "", "paint: while painting: unknown color \"foo\"; want red\n"},
		{"failure", "badly", 1, "", "paint: the paint ran down the wall\n"},
		{"several failures", "everywhere", 1, "", "paint: floor: wet\npaint: wall: wet\n"},
		{"reported already", "silently", 1, "", ""},
		{"interrupted", "slowly", 1, "", "paint: interrupted\n"},
		{"bad value", "-n x well", 2, "", "paint: invalid value \"x\" for flag -n: parse error; -help lists the flags\n"},
		{"surplus argument", "well done twice", 2, "", "paint: unexpected argument \"twice\"; usage: go run ./scripts/paint [flags] HOW [WHAT]\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			status := paint.Exec(t.Context(), strings.Fields(tt.args), &stdout, &stderr)
			assert.Equal(t, tt.status, status)
			assert.Equal(t, tt.stdout, stdout.String())
			assert.Equal(t, tt.stderr, stderr.String())
		})
	}
}

// What is new stands first in the list of changes, by its version.
func TestVersion(t *testing.T) {
	root, err := cli.ModuleRoot()
	require.NoError(t, err)
	text, err := os.ReadFile(filepath.Join(root, "CHANGELOG.md"))
	require.NoError(t, err)
	_, newest, _ := strings.Cut(string(text), "\n## ")
	assert.Equal(t, cli.Version, newest[:strings.Index(newest, "\n")])
}

func TestHelp(t *testing.T) {
	want := `usage: go run ./scripts/paint [flags] HOW [WHAT]

Paint does what its first argument says.

Examples:

  go run ./scripts/paint well

  -dry
    	wait until it is dry
  -n coats
    	number of coats (default 7)
  -version
    	print how new the commands are
`
	var stdout bytes.Buffer
	installed := paint
	installed.Installed = true
	assert.Zero(t, installed.Exec(t.Context(), []string{"-h"}, &stdout, io.Discard))
	assert.Equal(t, strings.ReplaceAll(want, "go run ./scripts/", ""), stdout.String())
	for _, args := range [][]string{{"-h"}, {"--help"}, {"-n", "3", "-help"}, {"well", "-help"}} {
		var stdout, stderr bytes.Buffer
		assert.Equal(t, 0, paint.Exec(t.Context(), args, &stdout, &stderr), args)
		assert.Equal(t, want, stdout.String(), args)
		assert.Empty(t, stderr.String(), args)
		closed, _ := os.Open(os.DevNull) // for reading alone
		assert.Equal(t, 1, paint.Exec(t.Context(), args, closed, &stderr), args)
	}
}

func TestWrap(t *testing.T) {
	b, c := strings.Repeat("b", 60), strings.Repeat("ä", 34)
	assert.Equal(t, "  a "+b+" "+c+"\n  d "+b, cli.Wrap("  a "+b+" "+c+" d "+b), "100 columns, all indented")
}

func TestModuleRoot(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	inner := filepath.Join(root, "a", "b")
	require.NoError(t, os.MkdirAll(inner, 0o777))
	t.Chdir(inner)

	_, err = cli.ModuleRoot()
	assert.EqualError(t, err, "the working directory is in no clone of raysteps, says go list -m raysteps; want a folder of one")
	require.NoError(t, os.WriteFile(filepath.Join(root, "go.mod"), []byte("module other\n"), 0o666))
	_, err = cli.ModuleRoot()
	assert.EqualError(t, err, "the working directory is in no clone of raysteps, says go list -m raysteps; want a folder of one")
	require.NoError(t, os.WriteFile(filepath.Join(root, "go.mod"), []byte("// c\nmodule \"raysteps\"\n"), 0o666))
	got, err := cli.ModuleRoot()
	require.NoError(t, err)
	assert.Equal(t, root, got)
}
