package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/steps"
)

// history makes a repository of git with some revisions of step 1, each under a
// tag, and with the step as it is in the working tree but for a comment.
func history(t *testing.T) (root string) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git on this machine")
	}
	module, err := cli.ModuleRoot()
	require.NoError(t, err)
	root, err = filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	git := func(args ...string) {
		cmd := exec.CommandContext(t.Context(), "git", append([]string{"-c", "user.name=A Reader", "-c", "user.email=reader@example.com", "-c", "commit.gpgsign=false"}, args...)...)
		cmd.Dir = root
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
	}
	commit := func(tag string) {
		git("add", "--all")
		git("commit", "--quiet", "--message", tag)
		git("tag", tag)
	}
	step := filepath.Join(root, "step01")
	edit := func(file, from, to string) {
		text, err := os.ReadFile(filepath.Join(module, "step01", file))
		require.NoError(t, err)
		require.Contains(t, string(text), from)
		require.NoError(t, os.WriteFile(filepath.Join(step, file), []byte(strings.Replace(string(text), from, to, 1)), 0o666))
	}

	git("init", "--quiet")
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(module, name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(root, name), text, 0o666))
	}
	require.NoError(t, os.CopyFS(filepath.Join(root, "common"), os.DirFS(filepath.Join(module, "common"))))
	commit("before")
	require.NoError(t, os.CopyFS(step, os.DirFS(filepath.Join(module, "step01"))))
	edit("rng.go", "seed RNG = 1236787", "seed RNG = 1236788")
	commit("seed")
	edit("rng.go", "return uint32(x)", "return x")
	commit("broken")
	edit("rng.go", "return uint32(x)", "return uint32(x)") // as it is
	commit("same")
	edit("rng.go", "// RNG is", "// A change of a comment.\n\n// RNG is")
	return root
}

func TestAgainst(t *testing.T) {
	root := history(t)
	against := func(revision string) (status int, stdout, stderr, out string) {
		out = filepath.Join(t.TempDir(), "a.txt")
		o := options{against: revision, step: "1", set: []string{"step"}, orders: 1, launches: 2, time: time.Millisecond, out: out}
		status, stdout, stderr = execute(t.Context(), func(ctx context.Context, env *cli.Env) error {
			p, err := newPlan(ctx, env, root, t.TempDir(), o, steps.All()[:1])
			if err != nil {
				return err
			}
			return p.run(ctx, env, root, o, steps.All()[:1])
		})
		return status, stdout, stderr, out
	}

	for _, tt := range []struct{ revision, picture string }{
		{"same", "  the same\n"},
		{"seed", "  another, of "},
	} {
		t.Run(tt.revision, func(t *testing.T) {
			status, stdout, stderr, out := against(tt.revision)
			require.Equal(t, cli.ExitOK, status, stderr)
			assert.Empty(t, stderr)
			assert.True(t, strings.HasPrefix(stdout, "step 1 against "+tt.revision+"\n\n"), stdout)
			assert.Contains(t, stdout, "rays/s, "+tt.revision+"  rays/s, working tree ")
			for _, scene := range []string{"large", "medium", "small"} {
				assert.Regexp(t, `(?m)^ `+scene+` .*\(± ∞\).*`+strings.TrimSuffix(tt.picture, "\n"), stdout)
			}
			assert.Equal(t, 3, strings.Count(stdout, tt.picture), stdout)
			assert.Contains(t, stdout, "The measurements are in "+out+"\n")
			assert.Equal(t, 2, launchesOf(t, out))
		})
	}

	for _, tt := range []struct{ revision, want string }{
		{"nowhere", `-against nowhere: there is no such revision; want one that git knows, such as HEAD, a branch or a tag`},
		{"--all", `-against --all: there is no such revision; want one that git knows, such as HEAD, a branch or a tag`},
		{"before", `-against before: there is no step01 in that revision`},
		{"broken", `building step 1 of broken: exit status 1: # raysteps/step01; [^\n]*rng.go:\d+:\d+: cannot use x [^\n]*`},
	} {
		t.Run(tt.revision, func(t *testing.T) {
			status, stdout, stderr, out := against(tt.revision)
			want := cli.ExitMisuse
			if tt.revision == "broken" {
				want = cli.ExitFailure
			}
			assert.Equal(t, want, status)
			assert.Empty(t, stdout)
			assert.Regexp(t, fmt.Sprintf("^bench: %s\n$", tt.want), stderr)
			assert.NoFileExists(t, out)
		})
	}
}
