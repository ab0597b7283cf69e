package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/common/scene"
	"raysteps/scripts/internal/cli"
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

func TestMeasure(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no cat")
	}
	p := peers{keys: map[string]string{"BIN": t.TempDir()}, pictures: map[string]string{}}
	measure := func(output, pkg string) error {
		require.NoError(t, os.WriteFile(filepath.Join(p.keys["BIN"], "out"), []byte(output), 0o644))
		return p.measure(t.Context(), job{program: &program{Run: "cat $BIN/out"}, config: map[string]string{"pkg": pkg}}, 7)
	}
	assert.NoError(t, measure("picture: a\n\nBenchmarkPicture/scene=small 1 5 ns/op\n", "peer/g++/native+fp-contract=off/step09"))
	assert.NoError(t, measure("picture: b\n\nBenchmarkPicture/scene=large 1 5 ns/op\n", "peer/g++/x86-64-v2+fp-contract=off/step09"))
	assert.Equal(t, "7", p.all[1].GetConfig("link-order"))
	assert.ErrorContains(t, measure("picture: b\n\nBenchmarkPicture/scene=small 1 5 ns/op\n", "peer/g++/x86-64-v2+fp-contract=off/step09"), "its picture is not that of the other -march")
	assert.ErrorContains(t, measure("BenchmarkRays 1 3000 others/op\n", ""), "3000 rays hit other spheres")
	assert.ErrorContains(t, measure("nothing\n", ""), "it printed no benchmark line: nothing")
}
