package results

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/estimate"
)

// published are the machines of the folder results, read once for all tests.
var published = sync.OnceValues(func() ([]*Set, error) {
	root, err := cli.ModuleRoot()
	if err != nil {
		return nil, err
	}
	machines, _, err := Open(root, false)
	return machines, err
})

// TestPublishedFiles holds the files of the folder results to the bar.
func TestPublishedFiles(t *testing.T) {
	machines, err := published()
	require.NoError(t, err)
	require.NotEmpty(t, machines)
	assert.Equal(t, Reference, machines[0].Name)
	for _, set := range machines {
		assert.NoError(t, set.Check())
	}
}

// figure is the estimate of a benchmark by its name.
func (s *Set) figure(i id, unit string) (v estimate.Estimate, there bool) {
	if b := s.index[i]; b != nil {
		return b.estimate(unit)
	}
	return v, false
}

func readText(t *testing.T, text string) *Set {
	lines, err := parse([]byte(text), "abacus")
	require.NoError(t, err)
	set, err := Of(lines, "dir/abacus.txt")
	require.NoError(t, err)
	return set
}

const head = "goos: linux\npkg: raysteps/step01\nlink-order: 1\nlaunch: 1\n"

func TestReadErrors(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"empty", "", `results "a.txt": no measurements; want a file in the Go benchmark format, as go run ./scripts/bench writes it`},
		{"no number", head + "BenchmarkRender/scene=large 1 x rays/s\n", `results "a.txt": line 5: parsing measurement: invalid syntax; want the Go benchmark format`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			lines, err := parse([]byte(tt.text), "a.txt")
			if err == nil {
				_, err = Of(lines, "a.txt")
			}
			assert.EqualError(t, err, tt.want)
		})
	}
}

// What is measured again takes the place of what stood there under the same
// configuration. All else stays, also what other releases of Go measured.
func TestMerge(t *testing.T) {
	file := filepath.Join(t.TempDir(), "new", "a.txt")
	put := func(text string) error {
		lines, err := parse([]byte(text), "what was measured")
		require.NoError(t, err)
		return merge(file, lines)
	}
	line := func(goversion, pkg, name, value string) string {
		return "goversion: " + goversion + "\npkg: " + pkg + "\nBenchmark" + name + "-2 1 " + value + " rays/s\n"
	}
	require.NoError(t, put(line("go1.26", "a", "X/n=1", "1")+line("go1.26", "a", "X/n=2", "2")+line("go1.26", "b", "X/n=1", "3")))
	require.NoError(t, put(line("go1.26", "a", "X/n=1", "10")+line("go1.27", "b", "X/n=1", "30")))
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	var lines []string
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "Bench") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	assert.Equal(t, []string{"BenchmarkX/n=2-2 1 2 rays/s", "BenchmarkX/n=1-2 1 3 rays/s", "BenchmarkX/n=1-2 1 10 rays/s", "BenchmarkX/n=1-2 1 30 rays/s"}, lines)

	set := readText(t, string(text))
	v, there := set.figure(id{"b", "X/n=1", ""}, "rays/s")
	assert.True(t, there)
	assert.InDelta(t, 30, v.Center, 1e-9, "the last one counts")

	// A build, a level of GOAMD64 and a profile are part of a configuration.
	for _, config := range []string{"goamd64: v1", "goamd64: v3", "goamd64: v3\npgo: yes", "build: v1"} {
		require.NoError(t, put(config+"\n"+line("go1.26", "c", "Y", "1")))
	}
	text, err = os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, 4, strings.Count(string(text), "BenchmarkY-2 1 1 rays/s"))

	// Nothing is left half done.
	require.NoError(t, os.WriteFile(file, []byte("BenchmarkX 1 y rays/s\n"), 0o666))
	assert.Error(t, put(line("go1.26", "a", "X/n=1", "1")))
	again, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, "BenchmarkX 1 y rays/s\n", string(again))
}

// What another release of Go counted stands beside what that of the renders did, and does
// not take its place.
func TestCountsOfReleases(t *testing.T) {
	count := func(version, n string) string {
		return "goversion: " + version + "\npkg: raysteps/step01\nBenchmarkCount/scene=large 1 " + n + " instructions/ray\n"
	}
	set := readText(t, "goversion: go1.26\npkg: raysteps/step01\nBenchmarkRender/scene=large 1 5 rays/s\n"+count("go1.26", "30")+count("go1.27", "20"))
	v, _ := set.figure(id{"raysteps/step01", "Count/scene=large", ""}, "instructions/ray")
	assert.Equal(t, 30., v.Center)
	for builds, want := range map[bool][][]string{false: {{"1", "30"}}, true: {{"1", "30", "20"}}} {
		table, err := set.Table(TableSpec{Query: Query{Bench: "Count", Builds: builds}, Rows: "step", Cols: "goversion", Columns: []Column{{Unit: "instructions/ray"}}})
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
	write("results/ant.txt", head+"BenchmarkA 1 2 rays/s\n")
	write("results/"+Reference+".txt", head+"BenchmarkA 1 2 rays/s\n")
	machines, own, err := Open(root, true)
	require.NoError(t, err)
	assert.Equal(t, []string{Reference, "ant", "zebra"}, []string{machines[0].Name, machines[1].Name, machines[2].Name})
	assert.Nil(t, own)

	write("results/local/mine.txt", head+"BenchmarkA 1 2 rays/s\n")
	_, own, err = Open(root, true)
	require.NoError(t, err)
	assert.True(t, own.Own)
	write("results/local/other.txt", head+"BenchmarkA 1 2 rays/s\n")
	_, _, err = Open(root, true)
	assert.EqualError(t, err, "results/local holds mine.txt and other.txt; want one file, that of this machine: move the others elsewhere")
	_, own, err = Open(root, false)
	assert.NoError(t, err)
	assert.Nil(t, own)
}

func TestCheck(t *testing.T) {
	good := func() []measuredLine { return stepsOf(1) }
	set := readText(t, textOf(abacus, 16, 0.001, good()...))
	assert.NoError(t, set.Check())
	edit := func(change func(*measuredLine)) []measuredLine {
		all := good()
		for i := range all {
			change(&all[i])
		}
		return all
	}
	for _, tt := range []struct {
		name    string
		orders  int
		scatter float64
		lines   []measuredLine
		want    string
	}{
		{"few orders", 15, 0.001, good(), "the large scene was measured in 15 link orders; want 16 or more"},
		{"noise off", 16, 0.001, edit(func(l *measuredLine) {
			if l.Package == Again {
				l.Values["rays/s"] *= 1.04
			}
		}), "the same code at two places differs in the large scene"},
		{"noise wide", 16, 0.02, good(), "the same code at two places differs in the large scene"}, // a wider interval does not help
		{"rates wide", 16, 0.03, good(), "step 1 is "},
		{"no noise", 16, 0.001, edit(func(l *measuredLine) {
			if l.Package == Again {
				l.Name = "Other"
			}
		}), "the noise row is missing in the large scene"},
		{"another step", 16, 0.001, append(good(), rateOf("raysteps/step99", "Render/scene=large", 1e6)), "raysteps/step99 is no step of this version"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := readText(t, textOf(abacus, tt.orders, tt.scatter, tt.lines...)).Check()
			assert.ErrorContains(t, err, `results "abacus": `)
			assert.ErrorContains(t, err, tt.want)
		})
	}
	t.Run("apart", func(t *testing.T) {
		all := good()
		text := textOf(abacus, 16, 0.001, all...)
		text += "\npkg: raysteps/step05\nlink-order: 17\nlaunch: 17\n\nBenchmarkRender/scene=small-2 1 3.2e7 rays/s\n"
		assert.EqualError(t, readText(t, text).Check(), `results "abacus": step 5 was not measured in the launches of step 1 in the small scene; want all steps measured together`)
	})
	t.Run("other launches of the same orders", func(t *testing.T) {
		text := regexp.MustCompile(`(pkg: raysteps/step05\nbuild: \nlink-order: \d+\nlaunch: )`).ReplaceAllString(textOf(abacus, 16, 0.001, good()...), "${1}1")
		assert.ErrorContains(t, readText(t, text).Check(), "step 5 was not measured in the launches of step 1 in the small scene")
	})
	t.Run("missing", func(t *testing.T) {
		var all []measuredLine
		for _, l := range good() {
			if l.Package != "raysteps/step07" || l.Name != "Render/scene=medium" {
				all = append(all, l)
			}
		}
		assert.EqualError(t, readText(t, textOf(abacus, 16, 0.001, all...)).Check(), `results "abacus": step 7 is missing in the medium scene; want all steps`)
	})
}
