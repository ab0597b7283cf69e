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

	"raysteps/scripts/internal/estimate"
	"raysteps/scripts/internal/steps"
)

var update = flag.Bool("update", false, "write the golden files")

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

const header = `Unit rays/s better=higher

goos: plan9
cpu: Abacus 9
`

// orders is how many link orders the files of the tests have. The launches go
// through them, and then through them again.
const orders = 6

// launches is a file of n launches, each with lines of its own. They are counted
// from 0.
func launches(n int, lines func(launch int) string) string {
	var b strings.Builder
	b.WriteString(header)
	for launch := range n {
		fmt.Fprintf(&b, "\nlink-order: %d\nlaunch: %d\n%s", launch%orders+1, launch+1, lines(launch))
	}
	return b.String()
}

// once is a file of one launch.
func once(lines string) string { return launches(1, func(int) string { return lines }) }

// rates are the rays a second of packages in each link order, in millions. In
// the fourth the machine runs at half its speed.
var rates = []struct {
	pkg    string
	orders [orders]float64
}{
	{"raysteps/step01", [orders]float64{10, 10.1, 9.9, 5, 10, 10.2}},
	{"raysteps/step02", [orders]float64{10.5, 10.4, 10.6, 5.25, 10.5, 10.5}},
	{"raysteps/step03", [orders]float64{15, 15.1, 15.2, 7.5, 14.9, 15}},
	{"raysteps/step04", [orders]float64{120, 121, 119, 60, 120.5, 120.25}},
	{"raysteps/step01/again", [orders]float64{10.03, 10.1, 9.91, 5.01, 10, 10.19}},
}

// measured is a file of so many launches of these packages, or of all. The
// later ones of a link order differ a little from the first, and the machine
// slows down.
func measured(n int, packages ...string) string {
	return launches(n, func(launch int) string {
		var b strings.Builder
		for i, r := range rates {
			if len(packages) > 0 && !strings.Contains(strings.Join(packages, " ")+" ", r.pkg+" ") {
				continue
			}
			rate := 1e6 * r.orders[launch%orders] * (1 + 0.001*float64((launch/orders)*((i+launch)%3))) / (1 + 0.1*float64(launch))
			fmt.Fprintf(&b, "pkg: %s\n", r.pkg)
			for _, scene := range []string{"small", "large"} {
				fmt.Fprintf(&b, "BenchmarkRender/scene=%s-2 7 %.6g rays/s\n", scene, rate)
			}
		}
		return b.String()
	})
}

func read(t *testing.T, text string) *Set {
	t.Helper()
	set, err := Read(strings.NewReader(text), "a.txt")
	require.NoError(t, err)
	return set
}

func TestReadFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.txt")
	require.NoError(t, os.WriteFile(name, []byte(measured(12)), 0o666))
	set, err := ReadFile(name)
	require.NoError(t, err)
	assert.Equal(t, name, set.Name)
	assert.Equal(t, "Abacus 9", set.Config["cpu"])
	assert.Equal(t, []string{"small", "large"}, set.Scenes())
	require.Len(t, set.Keys(), 10)
	assert.Equal(t, Key{"raysteps/step01", "Render/scene=small"}, set.Keys()[0])
	assert.Equal(t, Key{"raysteps/step01/again", "Render/scene=large"}, set.Keys()[9])
	assert.Equal(t, "raysteps/step04 Render/scene=large", RenderKey("raysteps/step04", "large").String())
	n, of := set.Launches()
	assert.Equal(t, [2]int{12, orders}, [2]int{n, of})
	assert.Equal(t, "Abacus 9, 12 launches of 6 link orders", set.Machine())

	name = filepath.Join(t.TempDir(), "missing.txt")
	_, err = ReadFile(name)
	require.ErrorIs(t, err, os.ErrNotExist)
	assert.Contains(t, err.Error(), fmt.Sprintf("results %q: ", name))
}

func TestRead(t *testing.T) {
	const numbers = "link-order: 1\nlaunch: 1\n"
	const line = "BenchmarkA-2 7 5 ns/op 3 rays/s\n"
	const good = numbers + line
	const older = "no launch and link order: it was not written by this version of scripts/bench; want it measured again, with go run ./scripts/bench"
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

		{"neither launch nor link order", line, `results "a.txt": line 1: ` + older},
		{"no launch", "link-order: 1\n" + line, `results "a.txt": line 2: ` + older},
		{"no link order", "launch: 1\n" + line, `results "a.txt": line 2: ` + older},
		{"a word for a launch", "link-order: 1\nlaunch: last\n" + line, `results "a.txt": line 3: ` + older},

		{"empty", "", none},
		{"not a results file", "# A heading\n\nSome text: of a chapter.\n", none},
		{"lines of configuration alone", header + numbers, none},
		{"cut before the count", good + "BenchmarkA-2 ", `results "a.txt": line 4: missing iteration count; want the Go benchmark format`},
		{"cut before the values", good + "BenchmarkA-2 7", `results "a.txt": line 4: missing measurements; want the Go benchmark format`},
		{"cut before a unit", good + "BenchmarkA-2 7 5", `results "a.txt": line 4: missing units; want the Go benchmark format`},
		{"a word for a count", good + "\nBenchmarkA-2 x 5 ns/op\n", `results "a.txt": line 5: parsing iteration count: invalid syntax; want the Go benchmark format`},
		{"a word for a value", "BenchmarkA-2 7 five ns/op\n", `results "a.txt": line 1: parsing measurement: invalid syntax; want the Go benchmark format`},
		{"unit line without a value", "Unit rays/s better\n" + good, `results "a.txt": line 1: expected key=value; want the Go benchmark format`},
		{"an endless line", strings.Repeat("x", 1<<20), `results "a.txt": a.txt:0: bufio.Scanner: token too long`},
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
		{"BenchmarkRead/spheres=2-4/order=up-1-2", "Read/spheres=2-4/order=up-1"},
	} {
		set := read(t, once("pkg: p\n"+tt.line+" 7 5 ns/op\n"))
		assert.Equal(t, []Key{{"p", tt.want}}, set.Keys(), tt.line)
	}
}

// series is a file of two benchmarks, A and B; what is 0 was not measured.
func series(a, b []float64) string {
	return launches(len(a), func(launch int) string {
		text := ""
		if a[launch] != 0 {
			text += fmt.Sprintf("BenchmarkA 1 %v x\n", a[launch])
		}
		if b[launch] != 0 {
			text += fmt.Sprintf("BenchmarkB 1 %v x\n", b[launch])
		}
		return text
	})
}

// Package estimate says how wide an interval is; here is only where it comes from.
func TestRatio(t *testing.T) {
	inf := math.Inf(1)
	tests := []struct {
		name           string
		a, b           []float64
		center, lo, hi float64 // lo and hi 0 for those of a certain width
	}{
		{"one launch", []float64{6}, []float64{3}, 2, 0, inf},
		{"twice as fast in every launch of a machine that drifts", []float64{20, 40, 60, 80, 10, 2}, []float64{10, 20, 30, 40, 5, 1}, 2, 2, 2},
		{"launches that hold one of the two", []float64{20, 40, 60, 80}, []float64{10, 20, 0, 40}, 2, 2, 2},
		{"against itself", []float64{3, 1, 4, 1, 5, 9}, []float64{3, 1, 4, 1, 5, 9}, 1, 1, 1},
		// The ratio of the medians is 1, too, but with these pairs little is known.
		{"launch by launch", []float64{1, 2, 4, 8, 16, 32}, []float64{32, 16, 8, 4, 2, 1}, 1, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			set := read(t, series(tt.a, tt.b))
			got, err := set.Ratio(Key{"", "A"}, Key{"", "B"}, "x")
			require.NoError(t, err)
			assert.InDelta(t, tt.center, got.Center, 1e-12)
			if tt.hi == 0 {
				assert.Greater(t, got.Hi, 4.)
				return
			}
			assert.InDelta(t, tt.lo, got.Lo, 1e-9)
			if math.IsInf(tt.hi, 1) {
				assert.True(t, math.IsInf(got.Hi, 1))
				return
			}
			assert.InDelta(t, tt.hi, got.Hi, 1e-9)
		})
	}
	// The number of a launch pairs, not its place in the file.
	set := read(t, "link-order: 1\nlaunch: 1\nBenchmarkA 1 10 x\nlaunch: 2\nBenchmarkA 1 40 x\nBenchmarkB 1 20 x\nlaunch: 1\nBenchmarkB 1 5 x\n")
	got, err := set.Ratio(Key{"", "A"}, Key{"", "B"}, "x")
	require.NoError(t, err)
	assert.InDelta(t, 2, got.Center, 1e-12)
	assert.Equal(t, 2, got.Launches)
	assert.Equal(t, 1, got.Orders)
}

func TestEstimate(t *testing.T) {
	point := func(v float64) [3]float64 { return [3]float64{v, v, v} }
	for _, tt := range []struct {
		name   string
		values []float64
		want   [3]float64 // center, lo and hi
	}{
		{"a count that is the same every time", []float64{96, 96, 96}, point(96)},
		{"counts of which one is zero", []float64{1e-300, 0, 5, 7}, point(5)},
		{"one launch", []float64{96}, [3]float64{96, 0, math.Inf(1)}},
	} {
		set := read(t, launches(len(tt.values), func(launch int) string { return fmt.Sprintf("BenchmarkA 1 %v x\n", tt.values[launch]) }))
		got, err := set.Estimate(Key{"", "A"}, "x")
		require.NoError(t, err)
		assert.InDeltaSlice(t, tt.want[:2], []float64{got.Center, got.Lo}, 1e-9, tt.name)
		assert.Equal(t, tt.want[2], got.Hi, tt.name)
	}
}

func TestNotFound(t *testing.T) {
	set := read(t, series([]float64{1, 0}, []float64{0, 1}))
	a, b, c := Key{"", "A"}, Key{"", "B"}, Key{"raysteps/step09", "C"}
	const missing = `results "a.txt": no benchmark "C" of package raysteps/step09`
	tests := []struct {
		name string
		call func() (any, error)
		want string
	}{
		{"benchmark", func() (any, error) { return set.Estimate(c, "x") }, missing},
		{"unit", func() (any, error) { return set.Estimate(a, "y") }, `results "a.txt": A: no values in y`},
		{"one side of a ratio", func() (any, error) { return set.Ratio(c, a, "x") }, missing},
		{"the other side of a ratio", func() (any, error) { return set.Ratio(a, c, "x") }, missing},
		{"no launch in common", func() (any, error) { return set.Ratio(a, b, "x") }, `results "a.txt": A and B were never measured in the same launch`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := tt.call()
			assert.EqualError(t, err, tt.want)
		})
	}
}

// within is an estimate whose interval reaches by a factor to either side.
func within(center, factor float64) estimate.Estimate {
	return estimate.Estimate{Center: center, Lo: center / factor, Hi: center * factor}
}

func TestFormat(t *testing.T) {
	unbounded := estimate.Estimate{Center: 503_100, Hi: math.Inf(1)}
	for _, tt := range []struct{ name, got, want string }{
		{"rate", FormatValue(within(503_100, 1.0123), "rays/s"), "503.1k ± 1.2%"},
		{"narrow", FormatValue(within(18.84e6, 1.0001), "rays/s"), "18.84M ± 0.0%"},
		{"just below ten", FormatValue(within(18.84e6, 1.0994), "rays/s"), "18.84M ± 9.9%"},
		{"ten", FormatValue(within(18.84e6, 1.0996), "rays/s"), "18.84M ± 10%"},
		{"seconds", FormatValue(within(1.948e-3, 1.08), "sec/op"), "1.948ms ± 8.0%"},
		{"bytes", FormatValue(within(2048, 1.03), "B/op"), "2.000Ki ± 3.0%"},
		{"exact count", FormatValue(within(25236618, 1), "rays/op"), "25,236,618"},
		{"exact count, but for the last bits", FormatValue(within(183570.0000000001, 1), "tests"), "183,570"},
		{"exact share", FormatValue(within(0.459918, 1), "percent"), "0.4599"},
		{"exact seconds", FormatValue(within(2, 1), "sec/op"), "2.000s"},
		{"exact rate", FormatValue(within(2e6, 1), "flop/s"), "2.000M"},
		{"nothing", FormatValue(estimate.Estimate{}, "B/op"), "0"},
		{"one link order", FormatValue(unbounded, "rays/s"), "503.1k ± ∞"},
		{"without its interval", Format(within(12.15e-3, 2).Center, "sec/op"), "12.15ms"},
		{"nanoseconds", Format(unbounded.Center, "sec/sphere"), "503.1ks"},

		{"ratio with three digits", FormatRatio(within(1.084, 1.012)), "1.084 (1.071 to 1.097)"},
		{"ratio with two digits", FormatRatio(within(1.084, 1.03)), "1.08 (1.05 to 1.12)"},
		{"ratio above ten", FormatRatio(within(12.5, 1.012)), "12.50 (12.35 to 12.65)"},
		{"decided", FormatRatio(within(1.2, 1.0499)), "1.20 (1.14 to 1.26)"},
		{"undecided", FormatRatio(within(1.03, 1.0501)), "undecided (0.98 to 1.08)"},
		{"undecided, if certainly faster", FormatRatio(within(2, 1.1)), "undecided (1.82 to 2.20)"},
		{"ratio of one link order", FormatRatio(estimate.Estimate{Center: 1.081, Hi: math.Inf(1)}), "1.08 (± ∞)"},
		{"certain ratio", FormatRatio(within(2, 1)), "2.000 (2.000 to 2.000)"},

		{"share", FormatShare(estimate.Estimate{Center: 0.791, Lo: 0.779, Hi: 1.012}), "79% (78 to 101)"},
		{"share of one link order", FormatShare(estimate.Estimate{Center: 0.791, Hi: math.Inf(1)}), "79% (± ∞)"},
		{"between link orders", formatBetween(estimate.Estimate{Between: 0.0123, Repeated: 2}), "1.2%"},
		{"no difference between them", formatBetween(estimate.Estimate{Repeated: 16}), "0.0%"},
		{"none launched twice", formatBetween(estimate.Estimate{Repeated: 1}), ""},
	} {
		assert.Equal(t, tt.want, tt.got, tt.name)
	}
}

func TestSteps(t *testing.T) {
	tests := []struct {
		name string // and the golden file's
		text string
		list string
	}{
		{"steps", measured(12), "1-4"},
		{"steps-once-each", measured(6), "1-4"}, // nothing between link orders
		{"steps-one-launch", measured(1), "1-4"},
		{"steps-without-first", measured(12, "raysteps/step02", "raysteps/step03", "raysteps/step04"), "2-4"},
		{"steps-with-a-gap", measured(12, "raysteps/step01", "raysteps/step01/again", "raysteps/step04"), "1-4"},
		{"steps-one-pair-of-all", measured(12), "3-4"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			list, err := steps.Select(tt.list)
			require.NoError(t, err)
			table, err := read(t, tt.text).Steps("small", list)
			require.NoError(t, err)
			for _, row := range table.Rows {
				assert.Len(t, row, len(table.Header))
			}
			assert.Len(t, table.Right, len(table.Header))
			golden(t, tt.name+".txt", table.Text())
		})
	}
	table, err := read(t, measured(12)).Steps("large", steps.All()[:4])
	require.NoError(t, err)
	golden(t, "steps.md", table.Markdown())
}

func TestStepsErrors(t *testing.T) {
	tests := []struct{ name, text, scene, want string }{
		{"unknown scene", measured(1), "medium", `results "a.txt": scene "medium" was not measured with any of these steps; it holds small, large`},
		{"other benchmarks alone", once("pkg: raysteps/step01\nBenchmarkA 1 5 ns/op\n"), "small",
			`results "a.txt": scene "small" was not measured with any of these steps; it holds no scene`},
		{"no rate", once("pkg: raysteps/step01\nBenchmarkRender/scene=small 1 5 ns/op\n"), "small",
			`results "a.txt": raysteps/step01 Render/scene=small: no values in rays/s`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := read(t, tt.text).Steps(tt.scene, steps.All()[:4])
			assert.EqualError(t, err, tt.want)
		})
	}
}

// A package of beyond stands behind the steps, against the one that it goes on
// from.
func TestStepsBeyond(t *testing.T) {
	beyond := steps.Step{Name: "wide", Label: "wider registers", Single: true}
	before, ok := beyond.Before()
	require.True(t, ok)
	set := read(t, launches(6, func(launch int) string {
		var b strings.Builder
		for i, pkg := range []string{"raysteps/step01", before.Package(), beyond.Package()} {
			fmt.Fprintf(&b, "pkg: %s\nBenchmarkRender/scene=small-2 1 %d rays/s\n", pkg, (1000+launch)*[]int{1, 4, 6}[i])
		}
		return b.String()
	}))
	table, err := set.Steps("small", []steps.Step{beyond})
	require.NoError(t, err)
	row := table.Rows[0]
	assert.Equal(t, []string{"wide", "wider registers", "", ""}, row[:4], "its rays are not known")
	assert.Equal(t, []string{"6.000 (6.000 to 6.000)", "1.500 (1.500 to 1.500)", ""}, row[5:])
	table, err = set.Compare(before, beyond)
	require.NoError(t, err)
	assert.Equal(t, "rays/s, wide", table.Header[2])
}

// A step whose kernel could not run never passes for one with it.
func TestOtherKernel(t *testing.T) {
	text := strings.ReplaceAll(measured(6), "pkg: raysteps/step04\n", "pkg: raysteps/step04\nkernel: plain\n")
	text = strings.ReplaceAll(text, "pkg: raysteps/step01", "kernel:\npkg: raysteps/step01")
	text = strings.ReplaceAll(text, "pkg: raysteps/step03\n", "pkg: raysteps/step03\nkernel: sse\n")
	set, all := read(t, text), steps.All()
	table, err := set.Steps("small", all[1:4])
	require.NoError(t, err)
	assert.Equal(t, all[1].Label, table.Rows[0][1])
	assert.Equal(t, all[2].Label+", as sse", table.Rows[1][1])
	assert.Equal(t, all[3].Label+", in plain Go", table.Rows[2][1])
	compared, err := set.Compare(all[1], all[3])
	require.NoError(t, err)
	assert.Equal(t, []string{"rays/s, step 2", "rays/s, step 4, in plain Go"}, compared.Header[1:3])
}

func TestDoubts(t *testing.T) {
	// pair is a file of steps 1 and 2 and the copy, with their ratios by launch.
	pair := func(n int, second, noise func(launch int) float64) string {
		return launches(n, func(launch int) string {
			return fmt.Sprintf("pkg: raysteps/step01\nBenchmarkRender/scene=small 1 100 rays/s\npkg: raysteps/step02\nBenchmarkRender/scene=small 1 %v rays/s\npkg: raysteps/step01/again\nBenchmarkRender/scene=small 1 %v rays/s\n",
				100*second(launch), 100*noise(launch))
		})
	}
	// quiet scatters by half a percent around a ratio.
	quiet := func(ratio float64) func(launch int) float64 {
		return func(launch int) float64 { return ratio + 0.005*float64((launch*launch)%5-2)/2 }
	}
	disturbed := func(launch int) float64 {
		if launch == 3 || launch == 10 {
			return 1.5
		}
		return quiet(1.1)(launch)
	}
	const (
		noisy    = "The machine is noisy: in the small scene the same code at two places differs: "
		unsteady = "The machine was not quiet, or runs the same code now faster, now slower: "
	)
	tests := []struct {
		name, text string
		want       []string // how the lines begin
	}{
		{"quiet", pair(12, quiet(1.1), quiet(1)), nil},
		{"a difference of the noise below one percent", pair(12, quiet(1.1), quiet(1.008)), nil},
		{"noise that differs", pair(12, quiet(1.1), quiet(1.02)), []string{noisy}},
		{"noise that scatters", pair(12, quiet(1.1), func(launch int) float64 { return 0.9 + 0.2*float64(launch%2) }), []string{
			unsteady + "in the small scene the noise row reaches "}},
		{"noise that is not known", pair(1, quiet(1.1), quiet(1.02)), nil},
		{"launches that contradict each other", pair(12, disturbed, quiet(1)), []string{
			unsteady + "in 1 of 1 comparisons launches of the same link order disagree by more than they do elsewhere; want it measured again, or in more link orders"}},
		{"both", pair(12, disturbed, quiet(0.97)), []string{noisy, unsteady}},
		{"no copy", measured(12, "raysteps/step01", "raysteps/step02"), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			set := read(t, tt.text)
			lines := set.Doubts()
			require.Len(t, lines, len(tt.want), "%v", lines)
			for i, line := range lines {
				assert.Contains(t, line, tt.want[i])
			}
			err := set.Noisy()
			assert.Equal(t, len(tt.want) > 0 && tt.want[0] == noisy, err != nil)
			if err != nil {
				assert.Regexp(t, `^in the small scene the same code at two places differs: (1\.0|0\.9)\d\d \(\S+ to \S+\); want it measured again, on a machine that has nothing else to do$`, err.Error())
			}
		})
	}
}

func TestAll(t *testing.T) {
	table := read(t, launches(2, func(launch int) string {
		return fmt.Sprintf("pkg: raysteps/step01\nBenchmarkCall/by=pointer-2 7 %d ns/op 0 B/op\npkg: raysteps/step02\nBenchmarkGet-2 7 2500 ns/op\n", 5+2*launch)
	})).All()
	golden(t, "all.txt", table.Text())
}

func TestExperiment(t *testing.T) {
	set := read(t, launches(6, func(launch int) string {
		var b strings.Builder
		b.WriteString("pkg: raysteps/step01\n")
		for i, name := range []string{"ray=value/n=46", "ray=pointer/n=46", "ray=pointer/n=484"} {
			fmt.Fprintf(&b, "BenchmarkHitLoop/%s-2 100 %d ns/op %d B/op\n", name, (4000+launch)/(i+1), 48*(2-i))
		}
		return b.String() + "BenchmarkHitLoopOther/ray=value/n=46-2 100 1 ns/op\nBenchmarkHitLoop-2 100 1 ns/op\n"
	}))
	for _, tt := range []struct {
		name  string // of the golden file
		units []string
		ratio bool
		per   string
	}{
		{"experiment.txt", []string{"sec/op", "B/op"}, true, ""},
		{"experiment-without-ratio.txt", []string{"B/op", "sec/op"}, false, ""},
		{"experiment-per-n.txt", []string{"sec/op"}, true, "n"},
	} {
		table, err := set.Experiment("raysteps/step01", "HitLoop", tt.units, tt.ratio, tt.per)
		require.NoError(t, err)
		golden(t, tt.name, table.Text())
	}
	_, err := set.Experiment("raysteps/step01", "HitLoop", []string{"sec/op"}, true, "size")
	assert.EqualError(t, err, `per is "size"; want one of ray, n`)
}

func TestExperimentErrors(t *testing.T) {
	const pkg = "pkg: raysteps/step01\n"
	tests := []struct{ name, text, bench, unit, want string }{
		{"unknown benchmark", pkg + "BenchmarkA/n=1 1 5 ns/op\n", "B", "sec/op", `results "a.txt": no benchmark "B/..." of package raysteps/step01`},
		{"unknown package", "pkg: raysteps/step02\nBenchmarkA/n=1 1 5 ns/op\n", "A", "sec/op", `results "a.txt": no benchmark "A/..." of package raysteps/step01`},
		{"no sub-benchmarks", pkg + "BenchmarkA 1 5 ns/op\n", "A", "sec/op", `results "a.txt": no benchmark "A/..." of package raysteps/step01`},
		{"unknown unit", pkg + "BenchmarkA/n=1 1 5 ns/op\n", "A", "B/op", `results "a.txt": raysteps/step01 A/n=1: no values in B/op`},
		{"a key more", pkg + "BenchmarkA/n=1 1 5 ns/op\nBenchmarkA/n=1/m=2 1 5 ns/op\n", "A", "sec/op",
			`results "a.txt": raysteps/step01 A/n=1/m=2 does not have the keys of raysteps/step01 A/n=1`},
		{"another key", pkg + "BenchmarkA/n=1 1 5 ns/op\nBenchmarkA/m=1 1 5 ns/op\n", "A", "sec/op",
			`results "a.txt": raysteps/step01 A/m=1 does not have the keys of raysteps/step01 A/n=1`},
		{"another launch", pkg + "BenchmarkA/n=1 1 5 ns/op\nlaunch: 2\nBenchmarkA/n=2 1 5 ns/op\n", "A", "sec/op",
			`results "a.txt": raysteps/step01 A/n=2 and raysteps/step01 A/n=1 were never measured in the same launch`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := read(t, once(tt.text)).Experiment("raysteps/step01", tt.bench, []string{tt.unit}, true, "")
			assert.EqualError(t, err, tt.want)
		})
	}
}

func TestCompare(t *testing.T) {
	all := steps.All()
	table, err := read(t, measured(12)).Compare(all[2], all[3])
	require.NoError(t, err)
	golden(t, "compare.txt", table.Text())

	_, err = read(t, measured(6, "raysteps/step03")).Compare(all[2], all[3])
	assert.EqualError(t, err, `results "a.txt": no benchmark "Render/scene=small" of package raysteps/step04`)
	_, err = read(t, once("BenchmarkA 1 5 ns/op\n")).Compare(all[2], all[3])
	assert.EqualError(t, err, `results "a.txt": no measurements of BenchmarkRender`)
}

func TestMachine(t *testing.T) {
	const line = "BenchmarkA 1 5 ns/op 3 B/op\n"
	tests := []struct{ name, text, want string }{
		{"all", `goos: linux
goarch: amd64
cpu-family: 25, model 17, Counting House
cpu-cores: 2
goversion: go1.26.8
goexperiment: simd
goamd64: v3
` + line, "Abacus 9 (family 25, model 17, Counting House), 2 cores, linux/amd64, GOAMD64=v3, go1.26.8, GOEXPERIMENT=simd, 1 launch of 1 link order"},
		{"little is known", "cpu:\n" + line, "1 launch of 1 link order"},
		{"another processor", "goos: darwin\ngoarch: arm64\ncpu:\ncpu-brand: Apple\n" + line, "Apple, darwin/arm64, 1 launch of 1 link order"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { assert.Equal(t, tt.want, read(t, once(tt.text)).Machine()) })
	}
}

// What was measured least counts.
func TestLaunches(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       [2]int // launches and link orders
	}{
		{"twelve", measured(12), [2]int{12, 6}},
		{"one", measured(1), [2]int{1, 1}},
		{"fewer of the second", series([]float64{1, 2, 3}, []float64{1, 2, 0}), [2]int{2, 2}},
		{"fewer of the first", series([]float64{1, 0}, []float64{1, 2}), [2]int{1, 1}},
		{"fewer in one unit", launches(2, func(launch int) string { return []string{"BenchmarkA 1 3 x/s 4 y/s\n", "BenchmarkA 1 4 y/s\n"}[launch] }), [2]int{1, 1}},
	} {
		launches, orders := read(t, tt.text).Launches()
		assert.Equal(t, tt.want, [2]int{launches, orders}, tt.name)
	}
}

func TestTableEscapes(t *testing.T) {
	table := Table{Header: []string{"a", "b"}, Right: []bool{false, true}, Rows: [][]string{{"x|y", "1"}, {"", "<b>"}}}
	assert.Equal(t, "| a | b |\n|:--- | ---:|\n| x\\|y | 1 |\n|  | <b> |\n", table.Markdown())
}
