package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/perf/benchfmt"

	"raysteps/common/scene"
	"raysteps/scripts/internal/cli"
)

// Whatever can be refused is, in one line and before anything is built.
func TestMisuse(t *testing.T) {
	for _, tt := range []struct{ args, want string }{
		{"-only cooking", "want rays, pictures or flags, or a list of these"},
		{"-only rays,cooking", `-only "rays,cooking"`},
		{"-only=", "want rays, pictures or flags"},
		{"-rounds 0", "and 1 round or more"},
		{"-embree nosuch", `-embree "nosuch": is not a folder`},
		{"-o no/such/x.txt", `"no/such" is not a folder; want one that exists`},
		{"-rounds 1 -o no/such/x.txt", `"no/such" is not a folder`},
	} {
		t.Run(tt.args, func(t *testing.T) {
			var stderr bytes.Buffer
			status := peersCommand.Exec(t.Context(), strings.Fields(tt.args), &stderr, &stderr)
			assert.Equal(t, cli.ExitMisuse, status)
			assert.Contains(t, stderr.String(), tt.want)
			assert.Equal(t, 1, strings.Count(stderr.String(), "\n"))
		})
	}
}

// Every scene is one, a program has a recipe and its variables, and runs another command than others.
func TestPrograms(t *testing.T) {
	w, err := newWorkshop(nil, (&peers{embree: packaged}).vars("/root", "/bin"))
	require.NoError(t, err)
	seen := map[string]bool{}
	for _, p := range programs() {
		scenes := p.scenes
		if scenes == "" {
			scenes = p.vars["SCENE"]
		}
		for name := range strings.FieldsSeq(scenes) {
			_, err := scene.ByName(name)
			assert.NoError(t, err)
			require.Contains(t, w.recipes, p.recipe)
			r := w.recipe(p, name, 1)
			require.GreaterOrEqual(t, len(r.commands), 2)
			for _, c := range r.commands {
				assert.NotRegexp(t, `\$[A-Z]`, c.String())
			}
			if p.scenes == "" {
				continue
			}
			run := r.commands[len(r.commands)-1].String()
			assert.False(t, seen[run], run)
			seen[run] = true
		}
	}
}

// What was measured is printed.
func TestShow(t *testing.T) {
	reader := benchfmt.NewReader(strings.NewReader("pkg: raysteps/step12\n\nBenchmarkPicture/scene=small 1 3e+07 rays/s\n"), "a test")
	require.True(t, reader.Scan())
	var out bytes.Buffer
	require.NoError(t, show(&out, []*benchfmt.Result{reader.Result().(*benchfmt.Result).Clone()}))
	assert.Regexp(t, `small +12 .*30\.00M`, out.String())
}
