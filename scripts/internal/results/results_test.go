package results

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/perf/benchmath"

	"raysteps/scripts/internal/steps"
)

var update = flag.Bool("update", false, "write the golden files")

const header = `Unit rays/s better=higher
Unit rays/op assume=exact

size: 80x60
samples: 4
goos: plan9
cpu: Abacus 9
`

// rates are the rays a second of each package in six rounds, in millions. The
// machine runs at half its speed in the fourth round.
var rates = []struct {
	pkg    string
	rounds [6]float64
}{
	{"raysteps/step01", [6]float64{10, 10.1, 9.9, 5, 10, 10.2}},
	{"raysteps/step02", [6]float64{10.5, 10.4, 10.6, 5.25, 10.5, 10.5}},
	{"raysteps/step03", [6]float64{15, 15.1, 15.2, 7.5, 14.9, 15}},
	{"raysteps/step04", [6]float64{120, 121, 119, 60, 120.5, 120.25}},
	{"raysteps/step01/again", [6]float64{10.3, 10.2, 10, 5.1, 10.1, 10.4}},
}

// measured is a file of so many rounds of the packages, all of them if none
// is named.
func measured(rounds int, packages ...string) string {
	var b strings.Builder
	b.WriteString(header)
	for round := range rounds {
		for _, r := range rates {
			if len(packages) > 0 && !strings.Contains(strings.Join(packages, " ")+" ", r.pkg+" ") {
				continue
			}
			fmt.Fprintf(&b, "\npkg: %s\n\n", r.pkg)
			for _, sc := range []struct {
				name string
				rays float64
			}{{"small", 36714}, {"large", 1054561}} {
				rate := r.rounds[round] * 1e6
				fmt.Fprintf(&b, "BenchmarkRender/scene=%s-2 7 %.6g ns/op %.0f rays/op %.6g rays/s 0 B/op 0 allocs/op\n",
					sc.name, sc.rays/rate*1e9, sc.rays, rate)
			}
		}
	}
	return b.String()
}

func read(t *testing.T, text string) *Set {
	t.Helper()
	set, err := Read(strings.NewReader(text), "a.txt")
	require.NoError(t, err)
	return set
}

func TestReadFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.txt")
	require.NoError(t, os.WriteFile(name, []byte(measured(6)), 0o666))
	set, err := ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, name, set.Name)
	assert.Equal(t, "80x60", set.Config["size"])
	assert.Equal(t, "4", set.Config["samples"])
	assert.Equal(t, "Abacus 9", set.Config["cpu"])
	assert.Equal(t, []string{"small", "large"}, set.Scenes())
	require.Len(t, set.Keys(), 10)
	assert.Equal(t, Key{"raysteps/step01", "Render/scene=small"}, set.Keys()[0])
	assert.Equal(t, Key{"raysteps/step01/again", "Render/scene=large"}, set.Keys()[9])

	values, err := set.Values(RenderKey("raysteps/step03", "small"), "rays/s")
	require.NoError(t, err)
	assert.Equal(t, []float64{15e6, 15.1e6, 15.2e6, 7.5e6, 14.9e6, 15e6}, values, "in the order of the rounds")

	name = filepath.Join(t.TempDir(), "missing.txt")
	_, err = ReadFile(name)
	require.ErrorIs(t, err, os.ErrNotExist)
	assert.Contains(t, err.Error(), fmt.Sprintf("results %q: ", name))
}

func TestRead(t *testing.T) {
	const good = "BenchmarkA-2 7 5 ns/op 3 rays/s\n"
	none := `results "a.txt": no measurements; want a file in the Go benchmark format, as scripts/bench writes it`
	tests := []struct {
		name, text string
		want       string // the error, or empty
	}{
		{"one line", good, ""},
		{"lines of other programs", "=== RUN\nPASS\nok  \traysteps/step01\t2.1s\n" + good, ""},
		{"ends of lines as Windows has them", strings.ReplaceAll(measured(2), "\n", "\r\n"), ""},
		{"name alone, as go test -v prints it", "BenchmarkA\n" + good, ""},
		{"no end of the last line", strings.TrimSpace(good), ""},
		{"several sizes of packages that have none", "pkg: a\n" + good + "size: 1x1\npkg: b\n" + good, ""},

		{"empty", "", none},
		{"not a results file", "# A heading\n\nSome text: of a chapter.\n", none},
		{"lines of configuration alone", header, none},
		{"cut before the count", good + "BenchmarkA-2 ",
			`results "a.txt": line 2: missing iteration count; want the Go benchmark format`},
		{"cut before the values", good + "BenchmarkA-2 7",
			`results "a.txt": line 2: missing measurements; want the Go benchmark format`},
		{"cut before a unit", good + "BenchmarkA-2 7 5",
			`results "a.txt": line 2: missing units; want the Go benchmark format`},
		{"a word for a count", good + "\nBenchmarkA-2 x 5 ns/op\n",
			`results "a.txt": line 3: parsing iteration count: invalid syntax; want the Go benchmark format`},
		{"a word for a value", "BenchmarkA-2 7 five ns/op\n",
			`results "a.txt": line 1: parsing measurement: invalid syntax; want the Go benchmark format`},
		{"unit line without a value", "Unit rays/s better\n" + good,
			`results "a.txt": line 1: expected key=value; want the Go benchmark format`},
		{"two sizes", "size: 80x60\n" + good + "size: 1280x720\n" + good,
			`results "a.txt": line 4: size is "1280x720" after "80x60"; want one throughout, since tables compare`},
		{"two numbers of samples", "samples: 4\n" + good + "samples: 10\n" + good,
			`results "a.txt": line 4: samples is "10" after "4"; want one throughout, since tables compare`},
		{"an endless line", strings.Repeat("x", 1<<20),
			`results "a.txt": a.txt:0: bufio.Scanner: token too long`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			set, err := Read(strings.NewReader(tt.text), "a.txt")
			if tt.want == "" {
				require.NoError(t, err)
				assert.NotEmpty(t, set.Keys())
				return
			}
			assert.EqualError(t, err, tt.want)
		})
	}

	_, err := Read(iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader(good))), "a.txt")
	assert.ErrorIs(t, err, iotest.ErrTimeout)
}

func TestNames(t *testing.T) {
	for _, tt := range []struct{ line, want string }{
		{"BenchmarkRender/scene=small-2", "Render/scene=small"},
		{"BenchmarkRender/scene=small-128", "Render/scene=small"},
		{"BenchmarkRender/scene=small", "Render/scene=small"},
		{"BenchmarkRender-8", "Render"},
		{"BenchmarkRender", "Render"},
		{"BenchmarkRead/spheres=2-4/order=up-1-2", "Read/spheres=2-4/order=up-1"},
	} {
		set := read(t, "pkg: p\n"+tt.line+" 7 5 ns/op\n")
		assert.Equal(t, []Key{{"p", tt.want}}, set.Keys(), tt.line)
	}
	assert.Equal(t, "raysteps/step04 Render/scene=large", RenderKey("raysteps/step04", "large").String())
}

// series is a file of two benchmarks, A and B.
func series(a, b []float64) string {
	var text strings.Builder
	for i := range max(len(a), len(b)) {
		if i < len(a) {
			fmt.Fprintf(&text, "BenchmarkA 1 %v x\n", a[i])
		}
		if i < len(b) {
			fmt.Fprintf(&text, "BenchmarkB 1 %v x\n", b[i])
		}
	}
	return text.String()
}

func TestMedian(t *testing.T) {
	inf := math.Inf(1)
	tests := []struct {
		name           string
		values         []float64
		center, lo, hi float64
	}{
		{"one", []float64{3}, 3, -inf, inf},
		{"two", []float64{3, 5}, 4, -inf, inf},
		{"odd number", []float64{9, 1, 4}, 4, -inf, inf},
		{"five have a bound on one side", []float64{5, 4, 3, 2, 1}, 3, -inf, 5},
		{"six", []float64{6, 1, 5, 2, 4, 3}, 3.5, 1, 6},
		{"six of which one is far off", []float64{100, 101, 99, 1000, 100, 102}, 100.5, 99, 1000},
		{"eight", []float64{8, 7, 6, 5, 4, 3, 2, 1}, 4.5, 1, 7},
		{"nine leave the outermost out", []float64{9, 8, 7, 6, 5, 4, 3, 2, 1}, 5, 2, 8},
		{"all the same", []float64{7, 7, 7, 7, 7, 7}, 7, 7, 7},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			set := read(t, series(tt.values, nil))
			got, err := set.Median(Key{"", "A"}, "x")
			require.NoError(t, err)
			assert.Equal(t, [3]float64{tt.center, tt.lo, tt.hi}, [3]float64{got.Center, got.Lo, got.Hi})
			bounded := !math.IsInf(got.Lo, 0) && !math.IsInf(got.Hi, 0)
			assert.Equal(t, len(tt.values) >= MinRounds, bounded, "MinRounds")

			values, err := set.Values(Key{"", "A"}, "x")
			require.NoError(t, err)
			assert.Equal(t, tt.values, values, "the values keep their order")
		})
	}
}

func TestRatio(t *testing.T) {
	inf := math.Inf(1)
	tests := []struct {
		name           string
		a, b           []float64
		center, lo, hi float64
	}{
		{"one round", []float64{6}, []float64{3}, 2, -inf, inf},
		{"twice as fast in every round of a machine that drifts",
			[]float64{20, 40, 60, 80, 10, 2}, []float64{10, 20, 30, 40, 5, 1}, 2, 2, 2},
		// The ratio of the medians is 1.
		{"round by round", []float64{1, 2, 3, 4, 5, 6}, []float64{6, 5, 4, 3, 2, 1}, (0.75 + 4.0/3) / 2, 1.0 / 6, 6},
		{"against itself", []float64{3, 1, 4, 1, 5, 9}, []float64{3, 1, 4, 1, 5, 9}, 1, 1, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := read(t, series(tt.a, tt.b)).Ratio(Key{"", "A"}, Key{"", "B"}, "x")
			require.NoError(t, err)
			assert.InDelta(t, tt.center, got.Center, 1e-12)
			assert.Equal(t, [2]float64{tt.lo, tt.hi}, [2]float64{got.Lo, got.Hi})
		})
	}
}

func TestNotFound(t *testing.T) {
	set := read(t, series([]float64{1, 2}, []float64{1}))
	a, b, c := Key{"", "A"}, Key{"", "B"}, Key{"raysteps/step09", "C"}
	tests := []struct {
		name string
		call func() (any, error)
		want string
	}{
		{"benchmark", func() (any, error) { return set.Values(c, "x") },
			`results "a.txt": no benchmark "C" of package raysteps/step09`},
		{"benchmark of a median", func() (any, error) { return set.Median(c, "x") },
			`results "a.txt": no benchmark "C" of package raysteps/step09`},
		{"unit", func() (any, error) { return set.Median(a, "y") },
			`results "a.txt": A: no values in y`},
		{"one side of a ratio", func() (any, error) { return set.Ratio(c, a, "x") },
			`results "a.txt": no benchmark "C" of package raysteps/step09`},
		{"the other side of a ratio", func() (any, error) { return set.Ratio(a, c, "x") },
			`results "a.txt": no benchmark "C" of package raysteps/step09`},
		{"a round of one side", func() (any, error) { return set.Ratio(a, b, "x") },
			`results "a.txt": 2 values of A and 1 of B; want one of each a round`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := tt.call()
			assert.EqualError(t, err, tt.want)
		})
	}
}

func TestFormat(t *testing.T) {
	inf := math.Inf(1)
	summary := func(center, lo, hi float64) benchmath.Summary {
		return benchmath.Summary{Center: center, Lo: lo, Hi: hi}
	}
	for _, tt := range []struct{ name, got, want string }{
		{"rate", FormatValue(summary(503_100, 498_000, 508_000), "rays/s"), "503.1k ± 1%"},
		{"millions", FormatValue(summary(18.84e6, 18.83e6, 18.85e6), "rays/s"), "18.84M ± 0%"},
		{"seconds", FormatValue(summary(1.948e-3, 1.9e-3, 2.1e-3), "sec/op"), "1.948ms ± 8%"},
		{"bytes", FormatValue(summary(2048, 2000, 2100), "B/op"), "2.000Ki ± 3%"},
		{"exact count", FormatValue(summary(25236618, 25236618, 25236618), "rays/op"), "25,236,618"},
		{"exact share", FormatValue(summary(0.459918, 0.459918, 0.459918), "percent"), "0.4599"},
		{"seconds without their interval", FormatCenter(summary(12.15e-3, 0, 1), "sec/op"), "12.15ms"},
		{"nanoseconds", FormatCenter(summary(2.5e-9, 0, 1), "sec/sphere"), "2.500ns"},
		{"too few rounds", FormatValue(summary(503_100, -inf, inf), "rays/s"), "503.1k ± ∞"},
		{"ratio", FormatRatio(summary(1.081, 1.069, 1.0949)), "1.08 (1.07 to 1.09)"},
		{"ratio above ten", FormatRatio(summary(12.5, 11.25, 13)), "12.50 (11.25 to 13.00)"},
		{"ratio of too few rounds", FormatRatio(summary(1.081, -inf, inf)), "1.08 (± ∞)"},
		{"ratio of five rounds", FormatRatio(summary(1.081, -inf, 1.1)), "1.08 (± ∞)"},
	} {
		assert.Equal(t, tt.want, tt.got, tt.name)
	}
}

func TestSteps(t *testing.T) {
	tests := []struct {
		name  string // and the golden file's
		text  string
		scene string
		list  string
	}{
		{"six-rounds", measured(6), "small", "1-4"},
		{"six-rounds-large", measured(6), "large", "1-4"},
		{"two-rounds", measured(2), "small", "1-4"},
		{"without-step-1", measured(6, "raysteps/step02", "raysteps/step03", "raysteps/step04"), "small", "2-4"},
		{"gap", measured(6, "raysteps/step01", "raysteps/step01/again", "raysteps/step04"), "small", "1-4"},
		{"one-pair-of-all", measured(6), "small", "3-4"},
		{"one-step", measured(1, "raysteps/step04"), "small", "4"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			list, err := steps.Select(tt.list)
			require.NoError(t, err)
			table, err := read(t, tt.text).Steps(tt.scene, list)
			require.NoError(t, err)
			golden(t, tt.name+".txt", table.Text())
			golden(t, tt.name+".md", table.Markdown())
		})
	}
}

func TestStepsWithoutFirst(t *testing.T) {
	list, err := steps.Select("2-4")
	require.NoError(t, err)
	table, err := read(t, measured(6, "raysteps/step02", "raysteps/step03", "raysteps/step04")).Steps("small", list)
	require.NoError(t, err)
	require.Len(t, table.Rows, 3, "and no row for the noise")
	for _, row := range table.Rows {
		require.Len(t, row, len(table.Header))
		assert.Empty(t, row[5], "against step 1")
	}
	assert.Empty(t, table.Rows[0][6], "against the step before, which is step 1")
	assert.NotEmpty(t, table.Rows[1][6])
}

func TestStepsNoise(t *testing.T) {
	set := read(t, measured(6))
	table, err := set.Steps("small", steps.All()[:4])
	require.NoError(t, err)
	require.Len(t, table.Rows, 5)
	noise := table.Rows[4]
	assert.Equal(t, []string{"1", "the same again: the noise"}, noise[:2])
	assert.Equal(t, "1.01 (1.01 to 1.03)", noise[5], "the slow round, slow on both sides, does not show")
	assert.Empty(t, noise[6])
	assert.Empty(t, table.Rows[0][5], "step 1 against itself is the noise and nothing else")
}

func TestStepsErrors(t *testing.T) {
	list := steps.All()[:4]
	uneven := measured(2) + "\npkg: raysteps/step02\n\nBenchmarkRender/scene=small-2 7 5 ns/op 3 rays/op 2 rays/s\n"
	tests := []struct {
		name, text, scene, want string
	}{
		{"unknown scene", measured(1), "medium",
			`results "a.txt": scene "medium" was not measured with any of these steps; it holds small, large`},
		{"other benchmarks alone", "pkg: raysteps/step01\nBenchmarkA 1 5 ns/op\n", "small",
			`results "a.txt": scene "small" was not measured with any of these steps; it holds no scene`},
		{"a round of one step more", uneven, "small",
			`results "a.txt": 3 values of raysteps/step02 Render/scene=small and 2 of raysteps/step01 Render/scene=small; want one of each a round`},
		{"no rate", "pkg: raysteps/step01\nBenchmarkRender/scene=small 1 5 ns/op 3 rays/op\n", "small",
			`results "a.txt": raysteps/step01 Render/scene=small: no values in rays/s`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := read(t, tt.text).Steps(tt.scene, list)
			assert.EqualError(t, err, tt.want)
		})
	}
}

func TestAll(t *testing.T) {
	set := read(t, `
pkg: raysteps/step01
BenchmarkCall/by=pointer-2 7 5 ns/op 0 B/op
pkg: raysteps/step02
BenchmarkGet-2 7 2500 ns/op
pkg: raysteps/step01
BenchmarkCall/by=pointer-2 7 7 ns/op 0 B/op
`)
	table := set.All()
	golden(t, "all.txt", table.Text())
	golden(t, "all.md", table.Markdown())
}

func TestExperiment(t *testing.T) {
	var text strings.Builder
	text.WriteString("pkg: raysteps/step01\n")
	for round := range 6 {
		for i, name := range []string{"ray=value/n=46", "ray=pointer/n=46", "ray=pointer/n=484"} {
			fmt.Fprintf(&text, "BenchmarkHitLoop/%s-2 100 %d ns/op %d B/op\n", name, (400+round)/(i+1), 48*(2-i))
		}
		fmt.Fprintf(&text, "BenchmarkHitLoopOther/ray=value/n=46-2 100 1 ns/op\nBenchmarkHitLoop-2 100 1 ns/op\n")
	}
	set := read(t, text.String())
	table, err := set.Experiment("raysteps/step01", "HitLoop", []string{"sec/op", "B/op"}, true, "")
	require.NoError(t, err)
	golden(t, "experiment.txt", table.Text())
	golden(t, "experiment.md", table.Markdown())
	table, err = set.Experiment("raysteps/step01", "HitLoop", []string{"B/op", "sec/op"}, false, "")
	require.NoError(t, err)
	golden(t, "experiment-without-ratio.md", table.Markdown())
	table, err = set.Experiment("raysteps/step01", "HitLoop", []string{"sec/op"}, true, "n")
	require.NoError(t, err)
	golden(t, "experiment-per-n.md", table.Markdown())
	_, err = set.Experiment("raysteps/step01", "HitLoop", []string{"sec/op"}, true, "size")
	assert.EqualError(t, err, `per is "size"; want one of ray, n`)
}

func TestExperimentErrors(t *testing.T) {
	const pkg = "pkg: raysteps/step01\n"
	tests := []struct {
		name, text, bench, unit, want string
	}{
		{"unknown benchmark", pkg + "BenchmarkA/n=1 1 5 ns/op\n", "B", "sec/op",
			`results "a.txt": no benchmark "B/..." of package raysteps/step01`},
		{"unknown package", "pkg: raysteps/step02\nBenchmarkA/n=1 1 5 ns/op\n", "A", "sec/op",
			`results "a.txt": no benchmark "A/..." of package raysteps/step01`},
		{"no sub-benchmarks", pkg + "BenchmarkA 1 5 ns/op\n", "A", "sec/op",
			`results "a.txt": no benchmark "A/..." of package raysteps/step01`},
		{"unknown unit", pkg + "BenchmarkA/n=1 1 5 ns/op\n", "A", "B/op",
			`results "a.txt": raysteps/step01 A/n=1: no values in B/op`},
		{"a key more", pkg + "BenchmarkA/n=1 1 5 ns/op\nBenchmarkA/n=1/m=2 1 5 ns/op\n", "A", "sec/op",
			`results "a.txt": raysteps/step01 A/n=1/m=2 does not have the keys of raysteps/step01 A/n=1`},
		{"another key", pkg + "BenchmarkA/n=1 1 5 ns/op\nBenchmarkA/m=1 1 5 ns/op\n", "A", "sec/op",
			`results "a.txt": raysteps/step01 A/m=1 does not have the keys of raysteps/step01 A/n=1`},
		{"a round more", pkg + "BenchmarkA/n=1 1 5 ns/op\nBenchmarkA/n=2 1 5 ns/op\nBenchmarkA/n=2 1 5 ns/op\n", "A", "sec/op",
			`results "a.txt": 2 values of raysteps/step01 A/n=2 and 1 of raysteps/step01 A/n=1; want one of each a round`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := read(t, tt.text).Experiment("raysteps/step01", tt.bench, []string{tt.unit}, true, "")
			assert.EqualError(t, err, tt.want)
		})
	}
}

func TestCompare(t *testing.T) {
	set := read(t, measured(6))
	all := steps.All()
	table, err := set.Compare(all[2], all[3])
	require.NoError(t, err)
	golden(t, "compare.txt", table.Text())
	golden(t, "compare.md", table.Markdown())

	_, err = read(t, measured(6, "raysteps/step03")).Compare(all[2], all[3])
	assert.EqualError(t, err, `results "a.txt": no benchmark "Render/scene=small" of package raysteps/step04`)
	_, err = read(t, "BenchmarkA 1 5 ns/op\n").Compare(all[2], all[3])
	assert.EqualError(t, err, `results "a.txt": no measurements of BenchmarkRender`)
}

func TestMachine(t *testing.T) {
	const line = "BenchmarkA 1 5 ns/op 3 B/op\n"
	tests := []struct{ name, text, want string }{
		{"all", `goos: linux
goarch: amd64
cpu: Abacus 9
cpu-family: 25, model 17, Counting House
cpu-cores: 2
watts: 65
goversion: go1.26.8
goexperiment: simd for beyond/archsimd
goamd64: v3
size: 80x60
samples: 4
` + line + line, "Abacus 9 (family 25, model 17, Counting House), 2 cores, 65 watts, linux/amd64, GOAMD64=v3, go1.26.8, GOEXPERIMENT=simd for beyond/archsimd, 80x60, 4 samples a pixel, 2 rounds"},
		{"little is known", "goos: plan9\nsize: 80x60\n" + line, "1 round"},
		{"another processor", "goos: darwin\ngoarch: arm64\ncpu: Apple\n" + line, "Apple, darwin/arm64, 1 round"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, tt.want, read(t, tt.text).Machine()) })
	}
}

func TestRounds(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       int
	}{
		{"six", measured(6), 6},
		{"one", measured(1), 1},
		{"fewer of the second", series([]float64{1, 2, 3}, []float64{1, 2}), 2},
		{"fewer of the first", series([]float64{1}, []float64{1, 2}), 1},
		{"fewer in one unit", "BenchmarkA 1 5 ns/op 3 x/s 4 y/s\nBenchmarkA 1 5 ns/op 4 y/s\n", 1},
	} {
		assert.Equal(t, tt.want, read(t, tt.text).Rounds(), tt.name)
	}
}

func TestMissing(t *testing.T) {
	all := steps.All()[:4]
	set := read(t, measured(1, "raysteps/step01", "raysteps/step03", "raysteps/step04"))
	assert.Empty(t, set.Missing([]steps.Step{all[0], all[2], all[3]}, []string{"small", "large"}))
	assert.Equal(t, []Key{
		{"raysteps/step01", "Render/scene=medium"},
		{"raysteps/step02", "Render/scene=small"},
		{"raysteps/step02", "Render/scene=medium"},
	}, set.Missing(all[:2], []string{"small", "medium"}))
}

func TestTableEscapes(t *testing.T) {
	table := Table{Header: []string{"a", "b"}, Right: []bool{false, true}, Rows: [][]string{{"x|y", "1"}, {"", "<b>"}}}
	assert.Equal(t, "| a | b |\n|:--- | ---:|\n| x\\|y | 1 |\n|  | <b> |\n", table.Markdown())
}

// golden compares with a file of testdata, or writes it under -update.
func golden(t *testing.T, name, got string) {
	t.Helper()
	name = filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o777))
		require.NoError(t, os.WriteFile(name, []byte(got), 0o666))
	}
	want, err := os.ReadFile(name)
	require.NoError(t, err, "go test -update writes it")
	assert.Equal(t, string(want), got)
}

// A step whose kernel could not run never passes for one with it.
func TestPlainKernel(t *testing.T) {
	plain := strings.ReplaceAll(measured(6), "pkg: raysteps/step04\n", "pkg: raysteps/step04\nkernel: plain\n")
	plain = strings.ReplaceAll(plain, "pkg: raysteps/step01", "kernel:\npkg: raysteps/step01")
	set := read(t, plain)
	all := steps.All()
	table, err := set.Steps("small", all[2:4])
	require.NoError(t, err)
	assert.Equal(t, all[2].Label, table.Rows[0][1])
	assert.Equal(t, all[3].Label+", in plain Go", table.Rows[1][1])
	compared, err := set.Compare(all[2], all[3])
	require.NoError(t, err)
	assert.Equal(t, "rays/s, step 4, in plain Go", compared.Header[2])
	assert.Equal(t, "rays/s, step 3", compared.Header[1])
}
