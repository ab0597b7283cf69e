package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/perf/benchfmt"

	"raysteps/common/scene"
	"raysteps/scripts/internal/cli"
)

func TestMisuse(t *testing.T) {
	var stderr bytes.Buffer
	assert.Equal(t, cli.ExitMisuse, command.Exec(t.Context(), []string{"-only", "picture"}, &stderr, &stderr))
	assert.Contains(t, stderr.String(), "want rays, pictures or flags, and 1 round or more")
}

// Every scene is one, and a program has a name of its own.
func TestPrograms(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range programs() {
		for name := range strings.FieldsSeq(p.scenes) {
			_, err := scene.ByName(name)
			assert.NoError(t, err)
			assert.NotContains(t, p.build, "%!", "of fmt")
			run := p.run + name + p.pkg
			assert.False(t, seen[run], run)
			seen[run] = true
		}
	}
}

// test returns what measures in so many rounds.
func test(t *testing.T, rounds int) *peers {
	if runtime.GOOS == "windows" {
		t.Skip("there is no sh")
	}
	return &peers{rounds: rounds, env: os.Environ(), built: map[string]error{}, told: map[string]bool{}}
}

// What cannot be built is left out, in all scenes, and why is said once.
func TestBuild(t *testing.T) {
	t.Setenv("BIN", t.TempDir())
	var out bytes.Buffer
	p := test(t, 2)
	for round := 1; round <= 2; round++ {
		jobs, err := p.build(t.Context(), &cli.Env{Stdout: &out, Stderr: io.Discard}, []program{
			{pkg: "good", scenes: "a b", build: "echo $ROUND > $BIN/good$ROUND"},
			{pkg: "once", scenes: "a", build: "mkdir $BIN/once"},
			{pkg: "bad", scenes: "a b", build: "echo no apples; false"},
			{pkg: "worse", scenes: "a", build: "echo no apples; exit 1"},
		}, round)
		require.NoError(t, err)
		require.Len(t, jobs, 3)
		text, err := os.ReadFile(filepath.Join(os.Getenv("BIN"), fmt.Sprint("good", round)))
		require.NoError(t, err)
		assert.Equal(t, fmt.Sprintln(round), string(text))
	}
	assert.Equal(t, "Left out: bad, and what fails alike: exit status 1: no apples\n", out.String())
}

func TestRead(t *testing.T) {
	const picture = "picture: a\n\nBenchmarkPicture/scene=small 1 5 ns/op\n"
	for _, tt := range []struct {
		name, output, scene string
		want                string // of the error
	}{
		{"a picture", picture, "small", ""},
		{"of a step", "pkg: raysteps/scripts/render\n\nBenchmarkPicture/step=12,as=plain/sphereflake=4-2 1 5 ns/op 7 crc32 1 odd-0\n", "sphereflake=4", ""},
		{"other spheres", "BenchmarkRays 1 3000 others/op\n", "", "3000 rays hit other spheres"},
		{"nothing", "nothing\n", "", "it printed no benchmark line: nothing"},
		{"a line that is broken", "BenchmarkPicture 1 x ns/op\n", "", "parsing"},
		{"a line that is broken behind another", picture + "BenchmarkPicture 1 5\n", "", "missing units"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv("OUTPUT", tt.output)
			lines, err := test(t, 1).one(t.Context(), job{program{pkg: "peer/x", run: `printf %s "$OUTPUT"`}, tt.scene}, 3)
			if tt.want != "" {
				assert.ErrorContains(t, err, tt.want)
				return
			}
			require.NoError(t, err)
			require.Len(t, lines, 1)
			if name := string(lines[0].Name); tt.name == "of a step" {
				assert.Equal(t, "Picture/scene=sphereflake=4 plain", name+" "+lines[0].GetConfig("kernel"))
				assert.Len(t, lines[0].Values, 1)
			}
			assert.Equal(t, "3 peer/x", lines[0].GetConfig("link-order")+" "+lines[0].GetConfig("pkg"))
		})
	}
}

// A round in which something fails leaves nothing, and the finished ones stay.
func TestRounds(t *testing.T) {
	const good = `echo "BenchmarkPicture/scene=$SCENE 1 5 ns/op"`
	for _, tt := range []struct {
		name, other string // program beside a good one
		lines       int
		want        string
	}{
		{"all", good, 4, ""},
		{"the second round fails", "test $ROUND = 1 && " + good, 2, "exit status 1"},
		{"nothing in the second round", "test $ROUND = 2 || " + good, 2, "it printed no benchmark line"},
		{"the first round fails", "false", 0, "exit status 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			all := []program{{scenes: "large", run: good}, {scenes: "small", run: tt.other}} // in this order
			lines, err := test(t, 2).measure(t.Context(), &cli.Env{Stderr: io.Discard}, all)
			assert.Len(t, lines, tt.lines)
			if tt.want == "" {
				assert.NoError(t, err)
			} else {
				assert.ErrorContains(t, err, tt.want)
			}
		})
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
