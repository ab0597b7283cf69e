package launch

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/pprof/profile"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/common"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/steps"
)

func TestMain(m *testing.M) {
	status := m.Run()
	os.RemoveAll(sharedFolder)
	os.Exit(status)
}

func silent() *cli.Env { return &cli.Env{Stdout: &bytes.Buffer{}, Stderr: &bytes.Buffer{}} }

// sharedFolder holds what several tests use, and TestMain removes it.
var sharedFolder string

// realLauncher builds a launcher of two steps and a copy of the first.
var realLauncher = sync.OnceValues(func() (string, error) {
	root, err := cli.ModuleRoot()
	if err != nil {
		return "", err
	}
	if sharedFolder, err = os.MkdirTemp("", "raysteps-launch-test-"); err != nil {
		return "", err
	}
	l := &Linker{Root: root, Bin: sharedFolder}
	overlay, err := l.Overlay(filepath.Join(l.Bin, "launcher"), append(Steps([]steps.Step{steps.All()[0], steps.All()[3]}), Copy(Again, filepath.Join(root, "step01"))), true)
	if err != nil {
		return "", err
	}
	binaries, err := l.Link(context.Background(), silent(), "the steps", Build{}, []string{"build"}, overlay, "", "./"+LauncherFolder, 1)
	if err != nil {
		return "", err
	}
	return binaries[0], nil
})

// startReal starts that launcher.
func startReal(ctx context.Context, t *testing.T) *Process {
	t.Helper()
	binary, err := realLauncher()
	require.NoError(t, err)
	p, err := StartProcess(ctx, binary)
	require.NoError(t, err)
	t.Cleanup(p.Close)
	return p
}

func TestLauncher(t *testing.T) {
	p := startReal(t.Context(), t)
	var rendered []Picture
	for i, variant := range []string{"step01", Again, "step04"} {
		answer, err := p.Ask("prepare %s small 16 9 2 1", variant)
		require.NoError(t, err)
		var id int
		var got Picture
		var kernel string
		_, err = fmt.Sscan(answer, &id, &got.Rays, &got.MD5, &kernel)
		require.NoError(t, err, answer)
		assert.Equal(t, i, id)
		assert.Equal(t, "-", kernel)
		assert.Greater(t, got.Rays, int64(16*9*2))
		rendered = append(rendered, got)
	}
	assert.Equal(t, rendered[0], rendered[1], "the copy is the same code")

	answer, err := p.Ask("turn 2 %d", time.Millisecond)
	require.NoError(t, err)
	var renders, rays, nanoseconds int64
	_, err = fmt.Sscan(answer, &renders, &rays, &nanoseconds)
	require.NoError(t, err, answer)
	assert.Equal(t, renders*rendered[2].Rays, rays)
	assert.GreaterOrEqual(t, nanoseconds, time.Millisecond.Nanoseconds())

	answer, err = p.Ask("prepare step01 spheres=3 4 3 1 1")
	require.NoError(t, err)
	assert.Regexp(t, `^3 \d+ [0-9a-f]{32} -$`, answer)

	for request, want := range map[string]string{
		"dance":                           `unknown request "dance"`,
		"prepare step02 small 16 9 2 1":   `unknown variant "step02"`,
		"prepare step01 dark 16 9 2 1":    `unknown scene "dark"; want small, medium, large`,
		"prepare step01 spheres=x 16 9 2": "EOF",
		"turn 9 1":                        "no slice 9",
	} {
		_, err := p.Ask("%s", request)
		assert.ErrorContains(t, err, want)
	}
	_, err = p.Ask("turn 0 1")
	assert.NoError(t, err, "it goes on")
}

func TestLauncherEnds(t *testing.T) {
	t.Run("killed", func(t *testing.T) {
		p := startReal(t.Context(), t)
		require.NoError(t, p.cmd.Process.Kill())
		_, err := p.Ask("turn 0 1")
		require.Error(t, err)
		assert.Regexp(t, "^the launcher ended: (signal: killed|exit status 1)$", err.Error())
	})
	t.Run("panic", func(t *testing.T) {
		p := startReal(t.Context(), t)
		_, err := p.Ask("prepare step01 small 0 0 1 1")
		assert.EqualError(t, err, "the launcher ended: exit status 2: panic: film: size is 0x0; want positive sides")
	})
	t.Run("interrupted", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		p := startReal(ctx, t)
		cancel()
		_, err := p.Ask("prepare step01 large 1280 720 100 1")
		assert.Equal(t, context.Canceled, err)
	})
	t.Run("missing", func(t *testing.T) {
		_, err := StartProcess(t.Context(), filepath.Join(t.TempDir(), "missing"))
		require.ErrorIs(t, err, os.ErrNotExist)
		assert.NotContains(t, err.Error(), "\n")
	})
}

func TestProfile(t *testing.T) {
	binary, err := realLauncher()
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "a.pprof")
	require.NoError(t, WriteProfile(t.Context(), binary, file, []Slot{{0, "step04", "large", common.Settings{Width: 16, Height: 9, Samples: 1, Workers: 1}}}))
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	parsed, err := profile.Parse(f)
	require.NoError(t, err)
	found := false
	for _, function := range parsed.Function {
		found = found || strings.HasPrefix(function.Name, "raysteps/step04.")
	}
	assert.True(t, found, "the step is in its profile")

	err = WriteProfile(t.Context(), binary, filepath.Join(t.TempDir(), "missing", "a.pprof"), nil)
	require.Error(t, err)
	assert.NotContains(t, err.Error(), "\n")
}
