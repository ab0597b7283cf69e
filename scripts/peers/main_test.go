package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/perf/benchfmt"

	"raysteps/common/scene"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/results"
)

func TestMisuse(t *testing.T) {
	var stderr bytes.Buffer
	assert.Equal(t, cli.ExitMisuse, command.Exec(t.Context(), []string{"-only", "rays,all"}, &stderr, &stderr))
	assert.Contains(t, stderr.String(), "want some of rays,pictures,flags and 1 round or more")
}

// Every key has a value, every scene is one, a program has a name of its own, and what
// is missing is said once.
func TestPrograms(t *testing.T) {
	var all []program
	require.NoError(t, json.Unmarshal(programs, &all))
	keys := map[string]string{"BIN": "b", "CPP": "cpp", "ARTICLE": "none1", "TOY": "none2", "EMBREE": "none3", "MAJOR": "3"}
	seen := map[string]bool{}
	for i := range all {
		for _, choice := range choices(all[i].Each) {
			for name := range strings.FieldsSeq(all[i].Scenes) {
				_, err := scene.ByName(name)
				assert.NoError(t, err)
				p := peers{keys: keys}
				j := job{program: &all[i], choice: choice, scene: name}
				for _, m := range regexp.MustCompile(`\$(\w+)`).FindAllStringSubmatch(all[i].Build+all[i].Prepare+all[i].Run+all[i].Package, -1) {
					assert.NotEmpty(t, p.words(m[0], j, 1), "%s of %s", m[0], all[i].Run)
				}
				run := strings.Join(append(p.words(j.Run, j, 1), all[i].Package), " ")
				assert.False(t, seen[run], run)
				seen[run] = true
			}
		}
	}
	var out bytes.Buffer
	p := peers{only: "pictures,rays", keys: keys}
	require.NoError(t, p.plan(&cli.Env{Stdout: &out}))
	for _, want := range []string{"none1/src/common/common.h is missing and left out; to get it: git clone ", "none3/include/embree3/rtcore.h is missing"} {
		assert.Equal(t, 1, strings.Count(out.String(), want), want)
	}
}

// caller makes a job that prints what a file of the round has.
func caller(t *testing.T, rounds ...string) (*peers, job) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no cat")
	}
	p := &peers{keys: map[string]string{"BIN": t.TempDir()}, pictures: map[string]string{}, rounds: len(rounds)}
	for i, text := range rounds {
		require.NoError(t, os.WriteFile(filepath.Join(p.keys["BIN"], fmt.Sprint(i+1)), []byte(text), 0o644))
	}
	return p, job{program: &program{Run: "cat $BIN/$ROUND"}, choice: map[string]string{}}
}

func TestCall(t *testing.T) {
	const small, large = "picture: %s\n\nBenchmarkPicture/scene=small 1 5 ns/op\n", "picture: b\n\nBenchmarkPicture/scene=large 1 5 ns/op\n"
	for _, tt := range []struct {
		name, output, picture string
		want                  string // of the error
	}{
		{"a picture", fmt.Sprintf(small, "a"), "g++ 9 small", ""},
		{"the same", fmt.Sprintf(small, "a"), "g++ 9 small", ""},
		{"of another scene", large, "g++ 9 large", ""},
		{"of a compiler that may reorder", fmt.Sprintf(small, "c"), "", ""},
		{"another one", fmt.Sprintf(small, "b"), "g++ 9 small", "its picture is not that of the other -march"},
		{"other spheres", "BenchmarkRays 1 3000 others/op\n", "", "3000 rays hit other spheres"},
		{"nothing", "nothing\n", "", "it printed no benchmark line: nothing"},
		{"a line that is broken", "BenchmarkPicture 1 x ns/op\n", "", "parsing"},
		{"a line that is broken behind another", large + "BenchmarkPicture 1 5\n", "", "missing units"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, j := caller(t, tt.output)
			p.pictures["g++ 9 small"], j.choice["PICTURE"] = "a", tt.picture
			lines, err := p.call(t.Context(), j, 1)
			if tt.want != "" {
				assert.ErrorContains(t, err, tt.want)
				return
			}
			require.NoError(t, err)
			require.Len(t, lines, 1)
			assert.Equal(t, "1", lines[0].GetConfig("link-order"))
		})
	}
}

// A round in which something fails leaves nothing, and the finished ones stay.
func TestRounds(t *testing.T) {
	const good = "BenchmarkPicture/scene=small 1 5 ns/op\n"
	for _, tt := range []struct {
		name  string
		jobs  [2][]string // what each prints, by round
		lines int
		want  string
	}{
		{"all", [2][]string{{good, good}, {good, good}}, 4, ""},
		{"the second round fails", [2][]string{{good, good}, {good, "nothing"}}, 2, "it printed no benchmark line"},
		{"the first round fails", [2][]string{{good, good}, {"nothing", good}}, 0, "it printed no benchmark line"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, first := caller(t, tt.jobs[0]...)
			other, second := caller(t, tt.jobs[1]...)
			second.program = &program{Run: "cat " + other.keys["BIN"] + "/$ROUND"}
			p.jobs = []job{first, second}
			lines, err := p.measure(t.Context(), &cli.Env{Stderr: io.Discard})
			assert.Len(t, lines, tt.lines)
			if tt.want == "" {
				assert.NoError(t, err)
			} else {
				assert.ErrorContains(t, err, tt.want)
			}
		})
	}
}

// The end of a run is a table of pictures and one of rays.
func TestPrint(t *testing.T) {
	var lines []*benchfmt.Result
	for order := range 4 {
		for pkg, rate := range map[string]float64{"raysteps/step12": 2e6, "peer/g++/step12": 1e6} {
			r := &benchfmt.Result{Name: benchfmt.Name("Picture/scene=small"), Iters: 1, Values: []benchfmt.Value{{Value: rate, Unit: "rays/s"}}}
			results.SetConfig(r, "pkg", pkg)
			results.SetConfig(r, "link-order", fmt.Sprint(order))
			lines = append(lines, r)
		}
	}
	var out strings.Builder
	require.NoError(t, print(&out, lines))
	assert.Regexp(t, `^\n scene +step +program +rays/s +over the better in C\+\+\n small +12 +Go +2\.000M +2\.00\n small +12 +g\+\+ +1\.000M\n$`, out.String())
}
