package results

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const head = "goos: plan9\npkg: raysteps/step01\nlink-order: 1\nlaunch: 1\n"

func TestReadErrors(t *testing.T) {
	_, err := NewSet(nil, "a.txt")
	assert.EqualError(t, err, `results "a.txt": no measurements; want a file in the Go benchmark format, as go run ./scripts/bench writes it`)
	_, err = Parse([]byte(head+"BenchmarkRender/scene=large 1 x rays/s\n"), "a.txt")
	assert.EqualError(t, err, `results "a.txt": line 5: parsing measurement: invalid syntax; want the Go benchmark format`)
}

// What is measured again takes the place of what stood there. All else stays.
func TestMerge(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.txt")
	put := func(configuration, pkg, name, value string) error {
		lines, err := Parse(fmt.Appendf(nil, "%s\npkg: %s\nBenchmark%s 1 %s rays/s\n", configuration, pkg, name, value), "what was measured")
		require.NoError(t, err)
		return merge(file, lines, true)
	}
	have := func() string {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		return string(text)
	}
	for _, line := range [][4]string{
		{"goversion: go1.26", "a", "X/n=1", "1"}, {"goversion: go1.26", "a", "X/n=2", "2"}, {"goversion: go1.26", "b", "X/n=1", "3"},
		{"goversion: go1.26", "a", "X/n=1", "10"}, {"goversion: go1.27", "b", "X/n=1", "30"},
		{"build: v1", "c", "Y", "1"}, {"build: v3", "c", "Y", "1"},
	} {
		require.NoError(t, put(line[0], line[1], line[2], line[3]))
	}
	lines := regexp.MustCompile(`(?m)^Bench.*$`).FindAllString(have(), -1)
	assert.Equal(t, []string{"BenchmarkX/n=1 1 10 rays/s", "BenchmarkX/n=2 1 2 rays/s", "BenchmarkX/n=1 1 30 rays/s",
		"BenchmarkY 1 1 rays/s", "BenchmarkY 1 1 rays/s"}, lines)

	require.NoError(t, put("cpu: Abacus 9", "d", "Y", "1"))
	assert.Len(t, regexp.MustCompile(`(?m)^Bench`).FindAllString(have(), -1), 1, "nothing of another machine")
	require.NoError(t, put("cpu: Abacus 9     ", "e", "Y", "1"))
	require.NoError(t, put("cpu: Abacus 9", "f", "Y", "1"))
	assert.Len(t, regexp.MustCompile(`(?m)^Bench`).FindAllString(have(), -1), 3, "the same, whose name ends with blanks")

	const half = "BenchmarkX 1 y rays/s\n"
	require.NoError(t, os.WriteFile(file, []byte(half), 0o666))
	assert.Error(t, put("", "a", "X/n=1", "1"))
	assert.Equal(t, half, have(), "nothing is left half done")
}

// Measuring takes minutes, so what cannot be recorded is said before.
func TestCheck(t *testing.T) {
	root := t.TempDir()
	require.NoError(t, Check(root, ""))
	require.NoError(t, os.WriteFile(filepath.Join(root, Local), []byte("dear"), 0o666))
	assert.ErrorContains(t, Check(root, ""), "there is something else in it")
}

// What was measured before Ctrl-C is kept, as it says where, and beside another machine's in a
// file that is named.
func TestRecordStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	lines, err := Parse([]byte(head+"cpu: Abacus 8    \nBenchmarkX 1 1 rays/s\n"), "what was measured")
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "a.txt")
	require.NoError(t, os.WriteFile(file, []byte("cpu: Abacus 9\n\nBenchmarkY 1 1 rays/s\n"), 0o666))
	_, err = Record(ctx, ".", file, lines)
	require.NoError(t, err)
	lines, err = readFile(file)
	require.NoError(t, err)
	require.Len(t, lines, 2)
	assert.Equal(t, []string{"Abacus 9", "plan9", "Abacus 8"},
		[]string{lines[0].GetConfig("cpu"), lines[1].GetConfig("goos"), lines[1].GetConfig("cpu")})
}

// What was counted of builds stands beside what was counted without, and does not take its place.
func TestCountsOfBuilds(t *testing.T) {
	count := func(build, n string) string {
		return "build: " + build + "\npkg: raysteps/step01\nBenchmarkCount/scene=large 1 " + n + " instructions/ray\n"
	}
	set := readText(t, count("", "31")+count("go1.26", "30")+count("go1.27", "20"))
	v, _ := set.figure("raysteps/step01", "Count/scene=large", "instructions/ray")
	assert.Equal(t, 31., v.Center)
	for builds, want := range map[bool][][]string{false: {{"1", "31"}}, true: {{"1", "30", "20"}}} {
		cols := map[bool]string{true: "build"}[builds]
		table, err := set.Table(Spec{Bench: "Count", Builds: builds, Rows: "step", Cols: cols, Columns: []Column{{Unit: "instructions/ray"}}})
		require.NoError(t, err)
		assert.Equal(t, want, table.Rows)
	}
}

func TestOpen(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		file := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o777))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
	}
	write("results/zebra.txt", head+"BenchmarkA 1 2 rays/s\n")
	write("results/aaa.txt", head+"BenchmarkA 1 2 rays/s\n")
	write("results/"+Reference+".txt", head+"BenchmarkA 1 2 rays/s\n")
	machines, own, err := Open(root)
	require.NoError(t, err)
	assert.Equal(t, []string{Reference, "aaa", "zebra"}, []string{machines[0].Name, machines[1].Name, machines[2].Name})
	assert.Nil(t, own)

	write(Local, head+"BenchmarkA 1 2 rays/s\n")
	_, own, err = Open(root)
	require.NoError(t, err)
	assert.True(t, own.Local)
}

// Launches in which a neighbor had a processor do not count.
func TestLacking(t *testing.T) {
	for _, tt := range []struct {
		had   []float64 // processors of launches; the rate follows them
		taken bool
		want  float64
	}{
		{[]float64{2, 1.91, 2, 1.98}, false, 100},
		{[]float64{2, 1.1, 2, 1.98, 1.2}, true, 100},
		{[]float64{1.1, 1.1, 1.1, 1.1, 1.1}, true, 0},
	} {
		text := ""
		for i, had := range tt.had {
			rate := map[bool]float64{true: 55, false: 100}[had < 1.9]
			text += fmt.Sprintf("pkg: raysteps/step13\nlink-order: %d\n\nBenchmarkRender/scene=large-2 3 %g processors %g rays/s\n", i+1, had, rate)
			text += "pkg: raysteps/step12\nBenchmarkRender/scene=large 3 50 rays/s\n\n"
		}
		s := readText(t, text)
		assert.Equal(t, tt.taken, s.Disturbed, tt.had)
		v, there := s.figure("raysteps/step13", "Render/scene=large", "rays/s")
		assert.InDelta(t, tt.want, v.Center, 1e-9, tt.had)
		assert.Equal(t, tt.want > 0, there)
		ratio, _ := s.Quantity("raysteps/step13", "Render/scene=large", "", Column{Unit: "rays/s", Base: "12"})
		assert.InDelta(t, tt.want/50, ratio.Center, 1e-9, tt.had)
		for _, s.Local = range []bool{false, true} { // who sees that a step has no figure
			table, err := s.Table(Spec{Rows: "step", Columns: columns(t, "rays/s")})
			require.NoError(t, err)
			cells, rate := fmt.Sprint(table.Rows), map[bool]string{true: "[13 100.0]", false: "[13 processors taken]"}[tt.want > 0]
			assert.Equal(t, s.Local || tt.want > 0, strings.Contains(cells, rate), "%v: %s", tt.had, cells)
		}
	}
}

// What is no file of measurements is not written over.
func TestOther(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.txt")
	assert.NoError(t, Check("", file), "a new one")
	for text, want := range map[string]string{
		"":                           "",
		"BenchmarkHit 1 2 ns/op\n":   "",
		"Dear reader,\n":             "there is something else in it; want a file of measurements, or a new one",
		"BenchmarkHit 1 two ns/op\n": "want the Go benchmark format",
	} {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
		if err := Check("", file); want == "" {
			assert.NoError(t, err, text)
		} else {
			assert.ErrorContains(t, err, want)
		}
	}
}
