package results

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/scripts/internal/estimate"
)

// everything is a machine with some of each sort of measurement, without scatter.
func everything(t *testing.T) *Set {
	lines := append(stepsOf(),
		of("raysteps/step01", "HitLoop/ray=pointer/record=pointer", "ns/op", 2000),
		of("raysteps/step01", "HitLoop/ray=pointer/record=value", "ns/op", 5000),
		of("raysteps/step01", "HitLoop/ray=value/record=pointer", "ns/op", 2500),
		of("raysteps/step01", "HitLoop/ray=value/record=value", "ns/op", 10000),
		rate("raysteps/step13", "Sweep/scene=small/tile=32/workers=1", 1e6), rate("raysteps/step13", "Sweep/scene=small/tile=32/workers=2", 1.9e6),
		rate("raysteps/step04", "Render/spheres=1000", 4e6), rate("raysteps/step04", "Render/spheres=10000", 4e5),
		rate("raysteps/beyond/tree", "Render/spheres=1000", 1e6), rate("raysteps/beyond/tree", "Render/spheres=10000", 1e6),
		measured{"raysteps/step04", "Render/scene=large", "v1", "1e6 rays/s"},
		measured{"raysteps/step04", "Render/scene=large", "v3", "2e6 rays/s"},
		rate("peer/g++/step12", "Full/scene=large", 2e6), rate("peer/clang/step12", "Full/scene=large", 4e6), rate("peer/tcc/step12", "Full/scene=large", 1e6), rate("peer/toy0", "Full/scene=large", 5e6),
		rate("raysteps/step12", "Full/scene=large", 8e6), rate("raysteps/beyond/avx512", "Full/scene=large", 12e6),
		of("raysteps/step12", "Kernel/kernel=avx2/n=484", "flop/s", 5e10),
		of("raysteps/beyond/experiments", "Peak/op=fma/bits=256", "flop/s", 1e11),
		of("raysteps/step03", "Distance/n=484", "apart", 65536),
		of("raysteps/step01", "Count/scene=large", "instructions/ray", 30000),
	)
	return readText(t, textOf(abacus, 2, lines...))
}

// chosen is what is shown of a benchmark of packages, with commas between.
func chosen(packages, bench, where string) Spec {
	return Spec{Packages: strings.FieldsFunc(packages, func(r rune) bool { return r == ',' }),
		Bench: bench, Where: where}
}

func TestTabulate(t *testing.T) {
	set := everything(t)
	noise, builds := chosen("1,2,tree", "Render", "/scene:large"), chosen("", "Render", "")
	noise.Noise, builds.Builds = true, true
	for _, tt := range []struct {
		name string
		spec Spec
		rows string
		cols string
		show string
		want string
	}{
		{"two steps", chosen("3,4", "Render", "/scene:large"), "/scene", "step", "rays/s, rays/s over 3",
			"scene|step 3, rays/s|step 4, rays/s|step 4 over step 3\nlarge|750.0k|875.0k|1.17"},
		{"step, noise and the one before", noise, "step,label", "", "sec/picture, rays/s, rays/s over 1, rays/s over before",
			"step|what changes|time of 1280x720|rays/s|over step 1|over the step before\n" +
				"1|the textbook program|50.5 s|500.0k||\n2|fields instead of getters|40.4 s|625.0k|1.25|1.25\n" +
				"tree|a tree of spheres|10.1 s|2.500M|5.00|1.25\n1|the same code again: noise|50.5 s|500.0k|~|"},
		{"scenes side by side", chosen("2", "Render", ""), "step", "/scene", "rays/s", "step|large, rays/s|medium, rays/s|small, rays/s\n2|625.0k|5.000M|20.00M"},
		{"experiment", chosen("step01", "HitLoop", ""), "/ray,/record", "", "sec/op, sec/op over first, sec/op over first of ray as short",
			"ray|record|time|time against the first row|time over first of ray\n" +
				"pointer|pointer|2.000µs||\npointer|value|5.000µs|2.50|2.50\nvalue|pointer|2.500µs|1.25|\nvalue|value|10.00µs|5.00|4.00"},
		{"speed", chosen("step01", "HitLoop", "/ray:pointer"), "/ray,/record", "", "sec/op over first, sec/op over first as speed",
			"ray|record|time against the first row|speed against the first row\npointer|pointer||\npointer|value|2.50|0.40"},
		{"experiment in rows and columns", chosen("step01", "HitLoop", "/record:value"), "/record", "/ray", "sec/op", "record|pointer, time|value, time\nvalue|5.000µs|10.00µs"},
		{"workers", chosen("", "Sweep", ""), "/tile,/workers", "", "rays/s, rays/s over workers=1",
			"tile|workers|rays/s|over workers 1\n32|1|1.000M|\n32|2|1.900M|1.90"},
		{"spheres", chosen("", "Render", ""), "/spheres", "step", "rays/s", "spheres|step 4, rays/s|tree, rays/s\n1,000|4.000M|1.000M\n10,000|400.0k|1.000M"},
		{"builds", builds, "step", "build", "rays/s, rays/s over build=v1", "step|v1, rays/s|v3, rays/s|v3 over the usual build\n4|1.000M|2.000M|2.00"},
		{"programs", chosen("", "Full", ""), "step", "program", "rays/s, rays/s over peer as short",
			"step|Go, rays/s|Go over the better in C++|g++, rays/s|clang, rays/s|tcc, rays/s\n12|8.000M|2.00|2.000M|4.000M|1.000M\navx512|12.00M|3.00|||\nToy Path Tracer, one thread|||5.000M||"},
		{"share", chosen("step12", "Kernel", ""), "/n", "", "flop/s over beyond/experiments Peak/op=fma/bits=256", "n|flop/s over beyond/experiments Peak/op fma/bits 256\n484|0.50"},
		{"counts", chosen("step03", "Distance", ""), "/n", "", "apart", "n|apart\n484|65,536"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.spec.Rows, tt.spec.Cols, tt.spec.Columns = tt.rows, tt.cols, columns(t, tt.show)
			table, err := set.Table(tt.spec)
			require.NoError(t, err)
			lines := []string{strings.Join(table.Header, "|")}
			for _, row := range table.Rows {
				require.Len(t, row, len(table.Right))
				for i, cell := range row {
					row[i], _, _ = strings.Cut(cell, " (") // without its interval
				}
				lines = append(lines, strings.Join(row, "|"))
			}
			assert.Equal(t, tt.want, strings.Join(lines, "\n"))
		})
	}
}

// What a place is worth, unless that is less than half a percent.
func TestTabulatePlaces(t *testing.T) {
	for even, want := range map[float64][]string{1.1e6: {"1", "10 %"}, 1.006e6: {"1", "1 %"}, 1.004e6: {"1"}} {
		text := abacus
		for order := range 16 {
			place := []string{"even", "odd"}[order%2]
			x := []float64{even, 1e6}[order%2] * (1 + float64(order/2%2)/1e6)
			text += fmt.Sprintf("\nlink-order: %d\npkg: raysteps/step01\nplace: %s\n\nBenchmarkRender/scene=large-2 9 %g rays/s\n", order, place, x)
			text += "\npkg: raysteps/step02\nplace:\n\nBenchmarkRender/scene=large-2 9 1e6 rays/s\n"
		}
		set := readText(t, text)
		table, err := set.Table(Spec{Packages: []string{"1"}, Rows: "step", Columns: columns(t, "rays/s over 2 as place")})
		require.NoError(t, err)
		assert.Equal(t, [][]string{want}, table.Rows)
		times, err := set.Number("1", "Render/scene=large", Column{"rays/s", "2 Render/scene=large", "place"})
		require.NoError(t, err)
		assert.Equal(t, fmt.Sprintf("%.2f", even/1e6), times, "of the best place over the worst")
	}
}

// What a reader has not measured is left out: columns, and whole tables.
func TestIncomplete(t *testing.T) {
	own := readText(t, textOf("cpu: Quipu (R) 3\ncpu-cores: 7\ngoos: linux\ngoarch: arm64\npgo: off\n", 2, rate("raysteps/step02", "Render/scene=large", 1e6))+
		"\ngomaxprocs: 7\n\nBenchmarkRender/scene=small 1 2e6 rays/s\n")
	own.Local = true
	spec := chosen("2", "Render", "")
	spec.Rows, spec.Columns = "/scene", columns(t, "rays/s, rays/s over 1")
	table, err := own.Table(spec)
	require.NoError(t, err)
	assert.Equal(t, [][]string{{"large", "1.000M"}, {"small", "2.000M"}}, table.Rows)
	assert.Equal(t, "Quipu (R) 3, 7 cores, linux/arm64, 1 link order", table.Caption, "of the least measured, and what is alike is not said")
	spec.Packages = []string{"3"}
	_, err = own.Table(spec)
	assert.ErrorIs(t, err, ErrNotMeasured)
}

func TestTableErrors(t *testing.T) {
	set := everything(t)
	for want, spec := range map[string]Spec{
		`results "abacus": nothing was measured of step02 HitLoop`:         {Packages: []string{"step02"}, Bench: "HitLoop", Columns: columns(t, "sec/op")},
		"nothing was measured of step01 HitLoop by /ray,/record in ns/op":  {Packages: []string{"step01"}, Bench: "HitLoop", Rows: "/ray,/record", Columns: columns(t, "sec/op,ns/op")},
		"nothing was measured of Sweep by /scene,/tile,/workers in rays/s": {Bench: "Sweep", Rows: "/scene,/tile,/workers", Columns: columns(t, "rays/s over lanes=8")},
		"nothing was measured of Sweep by nope in rays/s":                  {Bench: "Sweep", Rows: "nope", Columns: columns(t, "rays/s")},
		`where is "(": syntax error`:                                       {Where: "("},
		`fields "a,,`:                                                      {Bench: "Sweep", Rows: "a,,"},
	} {
		_, err := set.Table(spec)
		require.ErrorContains(t, err, want)
		assert.Equal(t, strings.Contains(want, "nothing was measured"), errors.Is(err, ErrNotMeasured))
	}
	for _, text := range []string{"", "rays/s over 1 as long", "a b", "over 1", "sec/op as speed"} {
		_, err := ParseColumn(text)
		assert.Error(t, err, text)
	}
}

// Two benchmarks without a launch in common: the interval of their ratio reaches from the
// lower end of one over the upper end of the other to the opposite.
func TestRatioOfTwoRuns(t *testing.T) {
	text := ""
	for order := range 8 {
		scatter := 1 + 0.01*float64(order*order%5)
		text += fmt.Sprintf("link-order: %d\npkg: raysteps/a\nmeasured: monday\nBenchmarkX 1 %g rays/s\n", order, 10*scatter)
		text += fmt.Sprintf("pkg: raysteps/b\nmeasured: tuesday\nBenchmarkX 1 %g rays/s\n", 4*scatter)
	}
	set := readText(t, text)
	x, _ := set.figure("raysteps/a", "X", "rays/s")
	y, _ := set.figure("raysteps/b", "X", "rays/s")
	ratio, there := set.Quantity("raysteps/a", "X", "", Column{Unit: "rays/s", Base: "b X"})
	require.True(t, there)
	assert.InDelta(t, 2.5, ratio.Center, 1e-9)
	assert.InDelta(t, x.Lo/y.Hi, ratio.Lo, 1e-9)
	assert.InDelta(t, x.Hi/y.Lo, ratio.Hi, 1e-9)
}

func TestNumber(t *testing.T) {
	set := everything(t)
	const large, value, pointer = "Render/scene=large", "HitLoop/ray=value/record=value", "1 HitLoop/ray=pointer/record=pointer"
	for _, tt := range []struct {
		pkg, bench, unit, base, form string
		want                         string
	}{
		{"1", large, "rays/s", "", "", "500.0k"},
		{"1", large, "cycles/sphere", "", "", "8.264"}, // at 2 GHz, 2 µs by 484 spheres
		{"1", large, "cycles/ray", "", "", "4.000k"},
		{"1", large, "sec/picture", "", "", "50.5 s"},
		{"1", "Count/scene=large", "instructions/sphere", "", "", "61.98"},
		{"12", "Full/scene=large", "rays/s", "1 " + large, "", "16.0"}, // no more digits than it bears
		{"1", value, "sec/op", pointer, "", "5.00"},
		{"1", large, "cycles/sphere", "", "round", "8.3"},
		{"1", "Count/scene=large", "instructions/sphere", "", "round", "62"},
		{"12", "Full/scene=large", "rays/s", "1 " + large, "percent", "1500\u00a0%"},
		{"1", value, "sec/op", "", "round", "form is round, which writes"},
		{"1", large, "rays/s", "", "percent", `form is "percent"; want place, round, or of a ratio percent`},
		{"1", large, "sec/op", "", "", "nothing was measured of 1 Render/scene=large in sec/op"},
		{"1", large, "rays/s", "first " + large, "", "nothing was measured of 1 Render/scene=large in rays/s over first Render/scene=large"},
		{"1", large, "rays/s", "peer/none/step01 " + large, "", "nothing was measured of 1 Render/scene=large in rays/s over peer/none/step01 Render/scene=large"},
	} {
		got, err := set.Number(tt.pkg, tt.bench, Column{tt.unit, tt.base, tt.form})
		if err != nil {
			got = err.Error()
		}
		assert.Contains(t, got, tt.want, tt)
	}
}

func TestFigure(t *testing.T) {
	set := everything(t)
	figure := func(spec Spec, rows, cols, show string, series int) Figure {
		spec.Rows, spec.Cols, spec.Columns = rows, cols, columns(t, show)
		fig, err := set.Figure(spec, false)
		require.NoError(t, err)
		require.Len(t, fig.Series, series)
		return fig
	}
	fig := figure(chosen("", "Render", "/scene:/./"), "step", "/scene", "rays/s over 1", 3)
	assert.Equal(t, []string{"1", "2", "3"}, fig.X.Names[:3])
	large := fig.Series[0]
	assert.Equal(t, "large", large.Name)
	assert.Equal(t, 13, large.Joined, "what is beyond is not joined")
	assert.Equal(t, "step 2, fields instead of getters", large.Points[1].Label)
	assert.InDelta(t, 1.25, large.Points[1].Center, 1e-6)
	assert.Equal(t, 1., large.Points[0].Center, "its own base")

	points := figure(chosen("", "Render", ""), "/spheres", "step", "rays/s", 2).Series[0].Points
	assert.Equal(t, []float64{1000, 10000}, []float64{points[0].X, points[1].X})

	builds := chosen("", "Render", "")
	builds.Builds = true
	points = figure(builds, "link-order", "build", "rays/s over build=v1", 2).Series[1].Points
	require.Len(t, points, 2, "a point for each link order")
	assert.Equal(t, Point{X: 2, Label: "2", Center: 2, Lo: 2, Hi: 2, Text: "needs 4 orders, has 1"}, points[1])

	set = readText(t, textOf(abacus, 2, measured{pkg: "raysteps/step02", name: "Render/scene=large", values: "6 arithmetic-cycles/sphere 2 waiting-cycles/sphere"}))
	fig = figure(chosen("", "Render", ""), "step", "/scene", "arithmetic-cycles/sphere,waiting-cycles/sphere", 2)
	assert.Equal(t, []any{true, "floor of the arithmetic", "not explained"}, []any{fig.Stacked, fig.Series[0].Name, fig.Series[1].Name})
}

func TestFormat(t *testing.T) {
	for unit, want := range map[string]string{"sec/op": "12.50ns", "hit-sec/ray": "12.50ns", "rays/s": "12.50n", "cycles/sphere": "1.25e-08"} {
		assert.Equal(t, want, format(estimate.Estimate{Center: 12.5e-9}, unit), unit)
	}
	for x, want := range map[float64]string{1: "1.00 s", 0.5: "0.500 s", 12: "12.0 s", 0.7254: "0.725 s"} {
		assert.Equal(t, want, format(estimate.Estimate{Center: x}, "sec/picture"))
	}
	assert.Equal(t, "35.71k", format(estimate.Estimate{Center: 35714.2}, "instructions/ray"))
	for x, want := range map[float64]string{0.123: "0.12", 1: "1.00", 9.994: "9.99", 9.996: "10.0", 28.61: "28.6", 181.2: "181"} {
		assert.Equal(t, want, short(x))
	}
	table := Table{Header: []string{"a", "b"}, Right: []bool{false, true}, Rows: [][]string{{"long", "1"}, {"x|y", "µ"}}}
	assert.Equal(t, "a     b\nlong  1\nx|y   µ\n", table.Text())
	assert.Equal(t, "| a | b |\n|:--- | ---:|\n| long | 1 |\n| x\\|y | µ |\n", table.Markdown())
}

// A share may be 0, and its line says its interval.
func TestShares(t *testing.T) {
	set := readText(t, "pkg: raysteps/x\nBenchmarkTrial/by=one/change=0% 1 0 called-% 0 called-%-lo 5.66 called-%-hi\n"+
		"BenchmarkTrial/by=one/change=5% 1 87.5 called-% 78 called-%-lo 93 called-%-hi\n")
	fig, err := set.Figure(Spec{Bench: "Trial", Rows: "/change", Cols: "/by", Columns: columns(t, "called-%")}, true)
	require.NoError(t, err)
	assert.Equal(t, []string{"0%", "5%"}, fig.X.Names)
	assert.Equal(t, []Point{
		{X: 0, Label: "0%", Center: 0, Lo: 0, Hi: 5.66, Text: "0 % (0 to 6)"},
		{X: 1, Label: "5%", Center: 87.5, Lo: 78, Hi: 93, Text: "88 % (78 to 93)"},
	}, fig.Series[0].Points)
}
