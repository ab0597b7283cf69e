package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/scripts/internal/cli"
)

// shop returns a workshop with some recipes, and its folder for what is built.
func shop(t *testing.T, recipes string, out io.Writer) (*workshop, string) {
	if runtime.GOOS == "windows" {
		t.Skip("there is no sh")
	}
	bin := t.TempDir()
	w, err := newWorkshop(&cli.Env{Stdout: out, Stderr: io.Discard}, map[string]string{"BIN": bin, "CLONES": bin})
	require.NoError(t, err)
	w.recipes, err = readRecipes(recipes)
	require.NoError(t, err)
	w.env = append(os.Environ(), "BIN="+bin)
	return w, bin
}

// What cannot be built is left out, in all scenes, and why is said once.
func TestBuild(t *testing.T) {
	var out bytes.Buffer
	w, bin := shop(t, "good:\n\ttouch $BIN/good$ROUND\n\trun $SCENE\nonce:\n\tmkdir $BIN/once\n\trun\nbad:\n\tls no/apples$TREE\n\trun\n"+
		"far: example.com/far/away 0123\n\ttouch $BIN/far\n\trun\n", &out)
	for round := 1; round <= 2; round++ {
		jobs, err := w.build(t.Context(), []program{
			{pkg: "good", scenes: "a b", recipe: "good"},
			{pkg: "once", scenes: "a", recipe: "once"},
			{pkg: "bad", scenes: "a b", recipe: "bad", vars: key{"TREE": ""}},
			{pkg: "worse", scenes: "a", recipe: "bad", vars: key{"TREE": ""}},
			{pkg: "far", scenes: "a", recipe: "far"},
		}, round)
		require.NoError(t, err)
		assert.Len(t, jobs, 3)
	}
	assert.FileExists(t, filepath.Join(bin, "good1"))
	assert.FileExists(t, filepath.Join(bin, "good2"))
	assert.NoFileExists(t, filepath.Join(bin, "far"))
	assert.Regexp(t, `(?s)^Left out: bad, and what fails alike: .*no/apples.*\nLeft out: far, .*git\s+clone\s+https://example.com/far/away\s.*checkout\s+0123\n`, out.String())
	assert.NotContains(t, out.String(), "worse")
}

// What a program needs is made by all commands of its recipe.
func TestMake(t *testing.T) {
	w, bin := shop(t, "record:\n\ttouch $BIN/record\n\ttouch $BIN/$SCENE.rays\n", io.Discard)
	require.NoError(t, w.make(t.Context(), program{recipe: "record", vars: key{"SCENE": "large"}}, 1))
	assert.FileExists(t, filepath.Join(bin, "large.rays"))
}

func TestRun(t *testing.T) {
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
			w, bin := shop(t, "x: example.com/a/b 0123\n\tbuild -c $CC $BIN/x\n\tcat $BIN/output\n", io.Discard)
			require.NoError(t, os.WriteFile(filepath.Join(bin, "output"), []byte(tt.output), 0o666))
			lines, err := w.run(t.Context(), job{program{pkg: "peer/x", recipe: "x", vars: key{"CC": "cc", "CXX": "echo"}}, tt.scene}, 3)
			if tt.want != "" {
				assert.ErrorContains(t, err, tt.want)
				return
			}
			require.NoError(t, err)
			require.Len(t, lines, 1)
			line := lines[0]
			if name := string(line.Name); tt.name == "of a step" {
				assert.Equal(t, "Picture/scene=sphereflake=4 plain", name+" "+line.GetConfig("kernel"))
				assert.Len(t, line.Values, 1)
			}
			assert.Equal(t, "3 peer/x 0123", line.GetConfig("link-order")+" "+line.GetConfig("pkg")+" "+line.GetConfig("commit"))
			assert.Contains(t, line.GetConfig("compiler"), "echo")
			assert.Equal(t, "build -c cc $BIN/x", line.GetConfig("built"))
		})
	}
}

// A round in which something fails leaves nothing, and the finished ones stay.
func TestMeasure(t *testing.T) {
	for _, tt := range []struct {
		name, first, second string // what a program beside a good one prints in the rounds
		lines               int
		want                string
	}{
		{"all", "BenchmarkPicture 1 5 ns/op", "BenchmarkPicture 1 5 ns/op", 4, ""},
		{"nothing in the second round", "BenchmarkPicture 1 5 ns/op", "", 2, "it printed no benchmark line"},
		{"a broken line in the first", "BenchmarkPicture 1", "BenchmarkPicture 1 5 ns/op", 0, "missing measurements"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, bin := shop(t, "good:\n\ttouch $BIN/good\n\techo BenchmarkPicture/scene=$SCENE 1 5 ns/op\nother:\n\ttouch $BIN/other\n\tcat $BIN/$ROUND\n", io.Discard)
			require.NoError(t, os.WriteFile(filepath.Join(bin, "1"), []byte(tt.first+"\n"), 0o666))
			require.NoError(t, os.WriteFile(filepath.Join(bin, "2"), []byte(tt.second+"\n"), 0o666))
			all := []program{{scenes: "large", recipe: "good"}, {scenes: "small", recipe: "other"}} // in this order
			lines, err := w.measure(t.Context(), all, 2)
			assert.Len(t, lines, tt.lines)
			if tt.want == "" {
				assert.NoError(t, err)
			} else {
				assert.ErrorContains(t, err, tt.want)
			}
		})
	}
}
