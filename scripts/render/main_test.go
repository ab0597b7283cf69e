package main

import (
	"bytes"
	"context"
	"crypto/md5"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/common"
	"raysteps/common/film"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/steps"
)

func execute(ctx context.Context, args ...string) (status int, stdout, stderr string) {
	var out, errs bytes.Buffer
	status = command().Exec(ctx, args, &out, &errs)
	return status, out.String(), errs.String()
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func TestMisuse(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.WriteFile("dark.json", []byte(`{"camera": {"from": [0, 0, 1], "at": [0, 0, 0]}, "spheres": []}`), 0o666))
	unknown := func(step string) string {
		return fmt.Sprintf("-step: unknown step %q; want %s", step, steps.Choices())
	}
	noInstruments := func(name, step string) string {
		return name + " has no instruments; leave out -step " + step + ": -stats, -phases and -heat render with instrumented, which is step 13"
	}
	tests := []struct {
		name string
		args string // besides -quick
		want string // the line behind "render: ", or its start before "..."
	}{
		{"unknown scene", "-o a.png -scene huge", `unknown scene "huge"; want small, medium, large, sphereflake=0 to sphereflake=6, or cloud=10 to cloud=1048576`},
		{"list of steps", "-o a.png -step 1-2", unknown("1-2")},
		{"negative samples", "-o a.png -samples -4", "samples is -4; want 1 to 1048576"},
		{"no width", "-o a.png -width 0", "width is 0; want 1 to 65535"},
		{"two pictures in one file", "-o a.png -heat ./a.png", "-o and -heat are both a.png; want two files"},
		{"an empty step", "-o a.png -step=", "-step is empty; want a value, or leave it out"},
		{"a word for a width", "-o a.png -width wide", `invalid value "wide" for flag -width: parse error; -help lists the flags`},
		{"no picture", "-scene small", "-o is missing; want the name of a picture, such as -o large.png"},
		{"unknown ending", "-o a.jpg", `picture "a.jpg": unknown kind of file; want a name that ends in .png or .tga`},
		{"scene and scene file", "-o a.png -scene small -scene-file dark.json",
			"-scene and -scene-file exclude each other; want one of them"},
		{"missing scene file", "-o a.png -scene-file missing.json", `scene "missing.json": ...`},
		{"a scene without spheres", "-o a.png -scene-file dark.json", `scene "dark.json": ...`},
		{"workers for one goroutine", "-o a.png -step 12 -workers 2",
			"-workers is 2, and step12 renders on one goroutine; want 1, or a step that uses several"},
		{"statistics of another step", "-step 4 -stats", noInstruments("step04", "4")},
		{"phases of another step", "-step tree -phases", noInstruments("tree", "tree")},
		{"heat in a file of another kind", "-heat a.jpg",
			`picture "a.jpg": unknown kind of file; want a name that ends in .png or .tga`},
	}
	// What is not found to be a misuse should not run.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			status, stdout, stderr := execute(ctx, append([]string{"-quick"}, strings.Fields(tt.args)...)...)
			assert.Equal(t, cli.ExitMisuse, status)
			assert.Empty(t, stdout)
			assert.Equal(t, []string{"dark.json"}, names(t, "."))
			if start, more := strings.CutSuffix("render: "+tt.want, "..."); more {
				assert.True(t, strings.HasPrefix(stderr, start), stderr)
				assert.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
				assert.True(t, strings.HasSuffix(stderr, "\n"), stderr)
				assert.Contains(t, stderr, "; want ")
			} else {
				assert.Equal(t, "render: "+tt.want+"\n", stderr)
			}
		})
	}
}

func TestRender(t *testing.T) {
	root, err := cli.ModuleRoot()
	require.NoError(t, err)
	example := filepath.Join(root, "common", "scene", "example.json")
	tests := []struct {
		name string
		args []string
		line string // what is printed, up to the time
		md5  string
	}{
		{"small", []string{"-step", "4", "-scene", "small", "-quick"},
			"step04, scene small, 80x60, 4 samples a pixel: 36714 rays in ", "211574c828cb95931779b0f4b2727c88"},
		{"large if no scene is given", []string{"-step", "4", "-quick"},
			"step04, scene large, 80x60, 4 samples a pixel: 54561 rays in ", "262cd6a470559e0063941a58e8bf64d3"},
		{"the example of a scene file", []string{"-step", "4", "-quick", "-scene-file", example},
			"step04, scene example, 80x60, 4 samples a pixel: 53834 rays in ", "17fdf8295e1bd9fc2a322d31c457157e"},
		{"several workers", []string{"-step", "13", "-scene", "small", "-quick", "-workers", "3"},
			"step13, scene small, 80x60, 4 samples a pixel: 36737 rays in ", "1d942a6c6ac33e43475695dac0a8e440"},
		{"size of its own goes before quick", []string{"-step", "4", "-scene", "small", "-samples", "1", "-width", "17", "-height", "33", "-quick"},
			"step04, scene small, 17x33, 1 samples a pixel: 1206 rays in ", "2e5248b68ce0a1ca43d42471b1b3607c"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			name := filepath.Join(dir, "a.tga")
			status, stdout, stderr := execute(t.Context(), append([]string{"-o", name}, tt.args...)...)
			require.Equal(t, cli.ExitOK, status, stderr)
			assert.Empty(t, stderr, "standard error is no terminal")
			assert.True(t, strings.HasPrefix(stdout, name+": "+tt.line), stdout)
			assert.Regexp(t, ` rays in [0-9.]+[mµn]?s, [0-9.]+[kMG]? rays/s\n$`, stdout)
			assert.Equal(t, []string{"a.tga"}, names(t, dir))
			file, err := os.ReadFile(name)
			require.NoError(t, err)
			assert.Equal(t, tt.md5, fmt.Sprintf("%x", md5.Sum(file)))
		})
	}
}

func TestInterruptedBefore(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	name := filepath.Join(t.TempDir(), "a.png")
	status, stdout, stderr := execute(ctx, "-o", name, "-scene", "small", "-quick")
	assert.Equal(t, cli.ExitFailure, status)
	assert.Empty(t, stdout)
	assert.Equal(t, "render: interrupted\n", stderr)
	assert.Empty(t, names(t, filepath.Dir(name)))
}

// tracer renders by a call of itself.
type tracer func(f *film.Film, s common.Settings) int64

func (t tracer) Render(f *film.Film, s common.Settings) int64 { return t(f, s) }

func TestInterruptedWhileRendering(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	returned := make(chan struct{})
	defer close(returned)
	endless := tracer(func(*film.Film, common.Settings) int64 {
		cancel()
		<-returned // the command does not wait for a tracer
		return 1
	})
	_, err := render(ctx, endless, film.New(1, 1), common.Quick())
	assert.ErrorIs(t, err, context.Canceled)
}
