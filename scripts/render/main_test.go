package main

import (
	"bytes"
	"context"
	"crypto/md5"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/common"
	"raysteps/common/film"
	"raysteps/common/scene"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/steps"
)

func execute(ctx context.Context, args ...string) (status int, stdout, stderr string) {
	var out, errs bytes.Buffer
	status = command.Exec(ctx, args, &out, &errs)
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
	require.NoError(t, os.Mkdir("folder.json", 0o777))
	const noInstruments = " has no instruments; leave out -step %s: -stats and -phases render with step 13"
	for args, want := range map[string]string{ // the line behind "render: ", or its start
		"-o a.png -scene huge":           `unknown scene "huge"; want small, medium, large, sphereflake=0 to sphereflake=6, or cloud=10 to cloud=1048576, or a file that ends in .json`,
		"-o a.png -step 1-2":             `-step: unknown step "1-2"; want ` + steps.Choices,
		"-o a.png -samples -4":           "samples is -4; want 1 to 1048576",
		"-o a.png -workers 5000":         "workers is 5000; want 1 to 4096",
		"-o a.png -width wide":           `invalid value "wide" for flag -width: parse error; -help lists the flags`,
		"-scene small":                   "-o is missing; want the name of a picture, such as -o large.png",
		"-o a.jpg":                       `picture "a.jpg": unknown kind of file; want a name that ends in .png or .tga`,
		"-o a.png -scene missing.json":   `scene "missing.json": `,
		"-o a.png -scene dark.json":      `scene "dark.json": `,
		"-o a.png -scene folder.json":    `scene "folder.json": is a folder; want a plain file`,
		"-o a.png -step 12 -workers 2":   "-workers is 2, and step12 renders on one goroutine; want 1, or a step that uses several",
		"-step 4 -stats":                 "step04" + fmt.Sprintf(noInstruments, "4"),
		"-step tree -phases -o a.png":    "tree" + fmt.Sprintf(noInstruments, "tree"),
		"-o a.png -scene small -workers": "flag needs an argument: -workers; -help lists the flags",
	} {
		ctx, cancel := context.WithCancel(t.Context())
		cancel() // what is not found to be a misuse does not run
		status, stdout, stderr := execute(ctx, strings.Fields(args)...)
		assert.Equal(t, cli.ExitMisuse, status, args)
		assert.Empty(t, stdout)
		assert.Equal(t, []string{"dark.json", "folder.json"}, names(t, "."))
		assert.True(t, strings.HasPrefix(stderr, "render: "+want), stderr)
		assert.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
	}
}

// The last values that are allowed.
func TestLimits(t *testing.T) {
	t.Chdir(t.TempDir())
	for name, change := range map[string]func(o *options, workers *int){
		"one worker of one":     func(o *options, workers *int) { o.step, *workers = "12", 1 },
		"workers":               func(o *options, workers *int) { *workers = common.MaxWorkers },
		"wide":                  func(o *options, _ *int) { o.settings.Width, o.settings.Height = 65535, 1 },
		"high":                  func(o *options, _ *int) { o.settings.Width, o.settings.Height = 1, 65535 },
		"samples":               func(o *options, _ *int) { o.settings.Samples = 1 << 20 },
		"the smallest flake":    func(o *options, _ *int) { o.scene = "sphereflake=0" },
		"the smallest cloud":    func(o *options, _ *int) { o.scene = "cloud=10" },
		"an ending in capitals": func(o *options, _ *int) { o.out = "A.TGA" },
		"instruments alone":     func(o *options, _ *int) { o.stats, o.out = true, "" },
	} {
		o, workers := options{step: "13", scene: "small", out: "a.png", settings: common.Default()}, 0
		change(&o, &workers)
		_, sc, err := o.check(workers)
		assert.NoError(t, err, name)
		assert.NotNil(t, sc, name)
		assert.Empty(t, names(t, "."))
	}
}

// full is where nothing can be written.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left") }

// A line that cannot be printed is a failure; the picture is there.
func TestFullOutput(t *testing.T) {
	t.Chdir(t.TempDir())
	var stderr bytes.Buffer
	status := command.Exec(t.Context(), strings.Fields("-scene small -width 8 -height 8 -samples 1 -o a.tga"), full{}, &stderr)
	assert.Equal(t, cli.ExitFailure, status)
	assert.Equal(t, "render: no space left\n", stderr.String())
	assert.Equal(t, []string{"a.tga"}, names(t, "."))
}

func TestRender(t *testing.T) {
	root, err := cli.ModuleRoot()
	require.NoError(t, err)
	t.Chdir(root)
	for args, want := range map[string][2]string{ // what is printed, up to the time, and the MD5 of the file
		"-step 4 -scene small -width 80 -height 60 -samples 4": {"step04, scene small, 80x60, 4 samples a pixel: 36714 rays in ", "211574c828cb95931779b0f4b2727c88"},
		"-step 4 -width 80 -height 60 -samples 4":              {"step04, scene large, 80x60, 4 samples a pixel: 54561 rays in ", "262cd6a470559e0063941a58e8bf64d3"},
		"-step 4 -width 80 -height 60 -samples 4 -scene common/scene/example.json": {
			"step04, scene example, 80x60, 4 samples a pixel: 53834 rays in ", "17fdf8295e1bd9fc2a322d31c457157e"},
		"-scene small -width 80 -height 60 -samples 4 -workers 3": {"step13, scene small, 80x60, 4 samples a pixel: 36737 rays in ", "1d942a6c6ac33e43475695dac0a8e440"},
	} {
		name := filepath.Join(t.TempDir(), "a.tga")
		status, stdout, stderr := execute(t.Context(), append(strings.Fields(args), "-o", name)...)
		require.Equal(t, cli.ExitOK, status, stderr)
		assert.Empty(t, stderr, "standard error is no terminal")
		assert.True(t, strings.HasPrefix(stdout, name+": "+want[0]), stdout)
		assert.Regexp(t, ` rays in [0-9.]+[mµn]?s, [0-9.]+[kMG]? rays/s\n$`, stdout)
		assert.Equal(t, []string{"a.tga"}, names(t, filepath.Dir(name)))
		file, err := os.ReadFile(name)
		require.NoError(t, err)
		assert.Equal(t, want[1], fmt.Sprintf("%x", md5.Sum(file)))
	}
}

// tracer renders by a call of itself.
type tracer func(f *film.Film, s common.Settings) int64

func (t tracer) Render(f *film.Film, s common.Settings) int64 { return t(f, s) }

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	returned := make(chan struct{})
	defer close(returned)
	endless := tracer(func(*film.Film, common.Settings) int64 {
		cancel()
		<-returned // the command does not wait for a tracer
		return 1
	})
	_, err := fill(ctx, film.New(1, 1), endless, common.Quick())
	assert.ErrorIs(t, err, context.Canceled)
}

// All instruments in one render print what they have to say, each where it belongs.
func TestStatsAndPhases(t *testing.T) {
	status, stdout, stderr := execute(t.Context(), "-scene", "medium", "-width", "80", "-height", "60", "-samples", "400", "-workers", "2", "-stats", "-phases")
	require.Equal(t, cli.ExitOK, status, stderr)
	for _, want := range []string{
		`^instrumented \(\w+\), scene medium, 80x60, 400 samples a pixel: \d+ rays in `, `^  Camera +1,920,000$`, `^Render +[0-9.]+% ± +[0-9.]+% +\d+$`, `^      Hit test +`,
	} {
		assert.Regexp(t, "(?m)"+want, stdout)
	}
}

// What the registry says of a step is what its tracer is and does.
func TestConstructors(t *testing.T) {
	assert.Equal(t, len(steps.All())+1, len(constructors), "and instrumented, which is compared with none")
	for _, step := range steps.All() {
		t.Run(step.Name, func(t *testing.T) {
			require.NotNil(t, constructors[step.Name], "want a line in scripts/render/steps.go")
			tracer := constructors[step.Name](scene.Small())
			assert.Equal(t, step.Package(), reflect.TypeOf(tracer).Elem().PkgPath(), "the package of its tracer")
			_, kernel := tracer.(common.KernelTracer)
			assert.Equal(t, step.Kernel != "", kernel)
			rays := tracer.Render(film.New(4, 3), common.Settings{Samples: 1, Bounces: 50, Workers: 1})
			assert.GreaterOrEqual(t, rays, int64(4*3))
		})
	}
}
