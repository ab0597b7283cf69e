package launch

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/common/turns"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/steps"
)

func silent() *cli.Env { return &cli.Env{Stdout: &bytes.Buffer{}, Stderr: &bytes.Buffer{}} }

// realProgram links steps 1 and 4 and a copy of step 1 in two orders.
func realProgram(t *testing.T) *Program {
	t.Helper()
	root, err := cli.ModuleRoot()
	require.NoError(t, err)
	l := &Linker{Root: root, Bin: t.TempDir()}
	all := steps.All()
	p, err := l.Launcher("the steps", Build{}, append(Steps([]steps.Step{all[0], all[3]}), Again(filepath.Join(root, "step01"))))
	require.NoError(t, err)
	require.NoError(t, p.Link(t.Context(), silent(), 2))
	p.Config = map[string]string{"build": "a build"}
	p.Plan = turns.Plan{Cycles: 12, Groups: []turns.Group{
		{Scene: "small", Subjects: []turns.Picture{
			{Variant: "step01", Package: "raysteps/step01", Name: "Render/scene=small", Workers: 1, Hot: []string{"raysteps/step01.(*List).Hit", "raysteps/step01.(*Sphere).Hit", "raysteps/step02.(*List).Hit"}},
			{Variant: "again", Package: "raysteps/step01/again", Name: "Render/scene=small", Workers: 1},
		}},
		{Spheres: 20, Subjects: []turns.Picture{
			{Variant: "step04", Package: "raysteps/step04", Name: "Render/spheres=20", Workers: 2, Width: 32, Height: 18, Samples: 2},
		}},
	}}
	return p
}

func TestLaunch(t *testing.T) {
	p := realProgram(t)
	results, err := Launch(t.Context(), []*Program{p}, 1)
	require.NoError(t, err)
	require.Len(t, results, 3)
	byName := map[string]string{} // pictures by package and benchmark
	for _, r := range results {
		rate, ok := r.Value("rays/s")
		assert.True(t, ok && rate > 1000, "%v rays/s", rate)
		assert.Equal(t, 12, r.Iters)
		assert.Equal(t, "2", r.GetConfig("link-order"))
		assert.Equal(t, "a build", r.GetConfig("build"))
		assert.NotEmpty(t, r.GetConfig("size"))
		byName[r.GetConfig("pkg")] = r.GetConfig("picture")
		if r.GetConfig("pkg") == "raysteps/step01" {
			assert.Regexp(t, "^(odd|even) (odd|even)$", r.GetConfig("place"), "of those that are in this binary")
		}
		if r.GetConfig("pkg") == "raysteps/step04" {
			assert.Equal(t, "32x18", r.GetConfig("size"), "as the plan says")
		}
	}
	assert.Equal(t, byName["raysteps/step01"], byName["raysteps/step01/again"], "the same code has the same picture")
	assert.NotEqual(t, byName["raysteps/step01"], byName["raysteps/step04"])

	// Three processes take turns with each other, one of them with more to do.
	second, larger := *p, *p
	second.Config = map[string]string{"build": "b"}
	larger.Config, larger.Plan.Cycles = nil, 30
	results, err = Launch(t.Context(), []*Program{p, &second, &larger}, 1)
	require.NoError(t, err)
	require.Len(t, results, 9)
	for i, r := range results {
		assert.Equal(t, []string{"a build", "b", ""}[i/3], r.GetConfig("build"))
	}

	p.Plan.Whole = true
	results, err = Launch(t.Context(), []*Program{p}, 0)
	require.NoError(t, err)
	for _, r := range results {
		rays, _ := r.Value("rays/op")
		assert.Greater(t, rays, 100., "it says what the picture took")
	}

	p.Plan.Whole, p.Plan.Profile = false, filepath.Join(t.TempDir(), "cpu.pprof")
	_, err = Launch(t.Context(), []*Program{p}, 0)
	require.NoError(t, err)
	info, err := os.Stat(p.Plan.Profile)
	require.NoError(t, err)
	assert.NotZero(t, info.Size())

	p.Plan.Groups[0].Subjects[0].Variant = "nobody"
	_, err = Launch(t.Context(), []*Program{p, &second}, 0)
	assert.ErrorContains(t, err, `unknown variant "nobody"`)
	p.Plan.Groups[0].Subjects[0].Variant = "step01"
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	second.Plan.Cycles = 1_000_000
	_, err = Launch(ctx, []*Program{&second}, 0)
	assert.ErrorIs(t, err, context.DeadlineExceeded)
}

// Benchmarks of a package take turns in its test binary.
func TestTestBinary(t *testing.T) {
	root, err := cli.ModuleRoot()
	require.NoError(t, err)
	l := &Linker{Root: root, Bin: t.TempDir()}
	p, err := l.Tests("step04", map[string][]string{"step04": {"BenchmarkLayout"}})
	require.NoError(t, err)
	p.Config, p.Plan = map[string]string{"pkg": "raysteps/step04"}, turns.Plan{Cycles: 2}
	require.NoError(t, p.Link(t.Context(), silent(), 1))
	results, err := Launch(t.Context(), []*Program{p}, 0)
	require.NoError(t, err)
	assert.NotEmpty(t, results)
	for _, r := range results {
		assert.True(t, strings.HasPrefix(string(r.Name), "Layout/n="), "%s", r.Name)
		assert.Equal(t, "raysteps/step04", r.GetConfig("pkg"))
		seconds, ok := r.Value("sec/op")
		assert.True(t, ok && seconds > 0, strconv.FormatFloat(seconds, 'g', -1, 64))
	}
}
