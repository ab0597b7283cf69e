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
	p, err := l.Launcher("the steps", Build{}, append(Steps([]steps.Step{all[0], all[3]}), l.Again(all[0])))
	require.NoError(t, err)
	require.NoError(t, p.Link(t.Context(), silent(), 2))
	p.Config = map[string]string{"build": "a build"}
	p.Plan = turns.Plan{Name: "Render", Scenes: []string{"scene=small", "scene=cloud=20"}, Cycles: 12, Subjects: []turns.Picture{
		{Variant: "step01", Package: "raysteps/step01"},
		{Variant: "again", Package: "raysteps/step01/again"},
		{Variant: "step04", Package: "raysteps/step04", Parallel: true},
	}}
	return p
}

func TestLaunch(t *testing.T) {
	p := realProgram(t)
	results, err := Launch(t.Context(), []*Program{p}, 1)
	require.NoError(t, err)
	require.Len(t, results, 6)
	pictures := map[string]string{} // by package and benchmark
	for i, r := range results {
		rate, ok := r.Value("rays/s")
		assert.True(t, ok && rate > 1000, "%v rays/s", rate)
		assert.Equal(t, 12, r.Iters)
		assert.Equal(t, "2", r.GetConfig("link-order"))
		assert.Equal(t, "a build", r.GetConfig("build"))
		assert.NotEmpty(t, r.GetConfig("size"))
		assert.Contains(t, string(r.Name), p.Plan.Scenes[i/3])
		assert.Regexp(t, map[bool]string{true: "^(odd|even)$", false: "^(odd|even) (odd|even)$"}[i%3 == 2], r.GetConfig("place"), "of each hot function")
		pictures[r.GetConfig("pkg")+string(r.Name)] = r.GetConfig("picture")
	}
	assert.Len(t, pictures, 6)
	name := string(results[0].Name)
	assert.Equal(t, pictures["raysteps/step01"+name], pictures["raysteps/step01/again"+name], "the same code has the same picture")
	assert.NotEqual(t, pictures["raysteps/step01"+name], pictures["raysteps/step01"+string(results[3].Name)], "another scene")

	// Two processes take turns with each other.
	second := *p
	second.Config = map[string]string{"build": "b"}
	results, err = Launch(t.Context(), []*Program{p, &second}, 1)
	require.NoError(t, err)
	require.Len(t, results, 12)
	for i, r := range results {
		assert.Equal(t, []string{"a build", "b"}[i/6], r.GetConfig("build"))
	}

	p.Plan.Whole, p.Plan.Cycles, p.Plan.Subjects = true, 0, p.Plan.Subjects[2:]
	results, err = Launch(t.Context(), []*Program{p}, 0)
	require.NoError(t, err)
	for _, r := range results {
		rays, _ := r.Value("rays/op")
		assert.Greater(t, rays, 9e6, "those of the whole picture")
	}

	p.Plan.Whole, p.Plan.Cycles, p.Plan.Profile = false, 12, filepath.Join(t.TempDir(), "cpu.pprof")
	_, err = Launch(t.Context(), []*Program{p}, 0)
	require.NoError(t, err)
	info, err := os.Stat(p.Plan.Profile)
	require.NoError(t, err)
	assert.NotZero(t, info.Size())

	p.Plan.Subjects[0].Variant = "nobody"
	_, err = Launch(t.Context(), []*Program{p, &second}, 0)
	assert.ErrorContains(t, err, `unknown variant "nobody"`)
	second.Plan.Subjects = []turns.Picture{{Variant: "step01"}}
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
