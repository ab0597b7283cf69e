package results

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func value(pkg, name, unit string, v float64) measuredLine {
	return measuredLine{Package: pkg, Name: name, Values: map[string]float64{unit: v}}
}

// everything is a machine with some of each sort of measurement, without scatter.
func everything(t *testing.T, machine string) *Set {
	rate := rateOf
	lines := append(stepsOf(1),
		value("raysteps/step01", "HitLoop/ray=pointer/record=pointer", "ns/op", 2000),
		value("raysteps/step01", "HitLoop/ray=pointer/record=value", "ns/op", 5000),
		value("raysteps/step01", "HitLoop/ray=value/record=pointer", "ns/op", 2500),
		value("raysteps/step01", "HitLoop/ray=value/record=value", "ns/op", 10000),
		rate("raysteps/step13", "Sweep/scene=small/tile=32/workers=1", 1e6), rate("raysteps/step13", "Sweep/scene=small/tile=32/workers=2", 1.9e6),
		rate("raysteps/step04", "Render/spheres=10", 4e6), rate("raysteps/step04", "Render/spheres=100", 4e5),
		rate("raysteps/beyond/tree", "Render/spheres=10", 1e6), rate("raysteps/beyond/tree", "Render/spheres=100", 1e6),
		measuredLine{Package: "raysteps/step04", Name: "Render/scene=large", Build: "v1", Values: map[string]float64{"rays/s": 1e6}},
		measuredLine{Package: "raysteps/step04", Name: "Render/scene=large", Build: "v3", Values: map[string]float64{"rays/s": 2e6}},
		rate("peer/g++/step12", "Full/scene=large", 2e6), rate("peer/clang/step12", "Full/scene=large", 4e6), rate("peer/tcc/step12", "Full/scene=large", 1e6), rate("peer/toy0", "Full/scene=large", 5e6),
		rate("raysteps/step12", "Full/scene=large", 8e6), rate("raysteps/beyond/avx512", "Full/scene=large", 12e6),
		measuredLine{Package: "raysteps/step12", Name: "Kernel/kernel=avx2/n=484", Values: map[string]float64{"flop/s": 5e10, "ns/sphere": 0.32}},
		value("raysteps/beyond/experiments", "Peak/op=fma/bits=256", "flop/s", 1e11),
		value("raysteps/step03", "Distance/n=484", "apart", 65536),
		value("raysteps/step01", "Count/scene=large", "instructions/ray", 30000),
	)
	set := readText(t, textOf(machine, 2, 0, lines...)+"pkg: raysteps/a\nBenchmarkMixed/n=1 1 2 sec/op\ngoversion: go1.27\nBenchmarkMixed/n=2 1 2 sec/op\n")
	set.derive(nil)
	return set
}

func TestTabulate(t *testing.T) {
	set := everything(t, abacus)
	for _, tt := range []struct {
		name string
		q    Query
		rows string
		cols string
		show string
		want string
	}{
		{"two steps", Query{Packages: []string{"3", "4"}, Bench: "Render", Where: "/scene:large"}, "/scene", "step", "rays/s, rays/s over 3",
			"scene|step 3, rays/s|step 4, rays/s|step 4 over step 3\nlarge|750.0k|875.0k|1.17"},
		{"backward", Query{Packages: []string{"3", "4"}, Bench: "Render", Where: "/scene:large"}, "/scene", "step", "rays/s , rays/s over 4 as short",
			"scene|step 3, rays/s|step 3 over step 4|step 4, rays/s\nlarge|750.0k|0.86|875.0k"},
		{"step, noise and the one before", Query{Packages: []string{"1", "2", "tree"}, Bench: "Render", Where: "/scene:large", Noise: true}, "step,label", "", "sec/picture, rays/s, rays/s over 1, rays/s over before",
			"step|what changes|time of 1280x720|rays/s|over step 1|over the step before\n" +
				"1|baseline|50.47s|500.0k||\n2|public ray members|40.38s|625.0k|1.25|1.25\n" +
				"tree|a tree of spheres|10.10s|2.500M|5.00|1.25\n1|the same code again: noise||500.0k|~|"},
		{"scenes side by side", Query{Packages: []string{"2"}, Bench: "Render"}, "step", "/scene", "rays/s", "step|large, rays/s|medium, rays/s|small, rays/s\n2|625.0k|5.000M|20.00M"},
		{"experiment", Query{Packages: []string{"step01"}, Bench: "HitLoop"}, "", "", "sec/op, sec/op over first",
			"ray|record|time|time against the first row\npointer|pointer|2.000µs|\npointer|value|5.000µs|2.50\nvalue|pointer|2.500µs|1.25\nvalue|value|10.00µs|5.00"},
		{"experiment by group", Query{Packages: []string{"step01"}, Bench: "HitLoop"}, "", "", "sec/op over first of ray",
			"ray|record|time against the first row of the same ray\npointer|pointer|\npointer|value|2.50\nvalue|pointer|\nvalue|value|4.00"},
		{"experiment in rows and columns", Query{Packages: []string{"step01"}, Bench: "HitLoop", Where: "/record:value"}, "/record", "/ray", "sec/op", "record|pointer, time|value, time\nvalue|5.000µs|10.00µs"},
		{"workers", Query{Bench: "Sweep"}, "/tile,/workers", "", "rays/s, rays/s over workers=1",
			"tile|workers|rays/s|over workers 1\n32|1|1.000M|\n32|2|1.900M|1.90"},
		{"spheres", Query{Bench: "Render"}, "/spheres", "step", "rays/s", "spheres|step 4, rays/s|tree, rays/s\n10|4.000M|1.000M\n100|400.0k|1.000M"},
		{"builds", Query{Bench: "Render", Builds: true}, "step", "build", "rays/s, rays/s over build=v1", "step|v1, rays/s|v3, rays/s|v3 over build v1\n4|1.000M|2.000M|2.00"},
		{"programs", Query{Bench: "Full"}, "step", "program", "rays/s, rays/s over peer as short",
			"step|Go, rays/s|Go over the better in C++|g++, rays/s|clang, rays/s|tcc, rays/s\n12|8.000M|2.00|2.000M|4.000M|1.000M\navx512|12.00M|3.00|||\nToy Path Tracer, one thread|||5.000M||"},
		{"share", Query{Packages: []string{"step12"}, Bench: "Kernel"}, "/n", "", "sec/sphere, flop/s over beyond/experiments Peak/op=fma/bits=256",
			"n|time per sphere|flop/s over beyond/experiments Peak/op fma/bits 256\n484|0.3200ns|0.50"},
		{"counts", Query{Packages: []string{"step03"}, Bench: "Distance"}, "", "", "apart", "n|apart\n484|65,536"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			spec := TableSpec{Query: tt.q, Rows: tt.rows, Cols: tt.cols}
			for text := range strings.SplitSeq(tt.show, ",") {
				column, err := ParseColumn(text)
				require.NoError(t, err)
				spec.Columns = append(spec.Columns, column)
			}
			table, err := set.Table(spec)
			require.NoError(t, err)
			lines := []string{strings.Join(table.Header, "|")}
			for _, row := range table.Rows {
				require.Len(t, row, len(table.Right))
				lines = append(lines, strings.Join(row, "|"))
			}
			plain := strings.NewReplacer(" (1.17 to 1.17)", "", " (1.25 to 1.25)", "", " (2.50 to 2.50)", "", " (4.00 to 4.00)", "", " (5.00 to 5.00)", "", " (1.90 to 1.90)", "", " (2.00 to 2.00)", "")
			assert.Equal(t, tt.want, plain.Replace(strings.Join(lines, "\n")))
		})
	}
}

// What a place is worth.
func TestTabulatePlaces(t *testing.T) {
	for even, want := range map[float64][]string{1.1e6: {"1", "10 %"}, 1.006e6: {"1", "1 %"}, 1.004e6: {"1"}} {
		var text strings.Builder
		text.WriteString("Unit rays/s better=higher\n\n" + abacus)
		for order := range 16 {
			place, rate := "even", even
			if order%2 == 1 {
				place, rate = "odd", 1e6
			}
			rate *= 1 + float64(order/2%2)/1e6
			fmt.Fprintf(&text, "\npkg: raysteps/step01\nlink-order: %d\nplace: %s\n\nBenchmarkRender/scene=large-2 9 %g rays/s\n", order, place, rate)
			fmt.Fprintf(&text, "\npkg: raysteps/step02\nplace:\n\nBenchmarkRender/scene=large-2 9 1e6 rays/s\n")
		}
		set := readText(t, text.String())
		table, err := set.Table(TableSpec{Query: Query{Packages: []string{"1"}, Bench: "Render"}, Rows: "step", Columns: []Column{
			{Unit: "rays/s", Base: "2", Form: "place"}}})
		require.NoError(t, err)
		times, err := set.Number(NumberSpec{"1", "Render/scene=large", Column{"rays/s", "2 Render/scene=large", "place"}})
		require.NoError(t, err)
		assert.Equal(t, fmt.Sprintf("%.2f", even/1e6), times, "of the best place over the worst")
		assert.Equal(t, [][]string{want}, table.Rows, "a place that is worth less than 0.5 %% is not shown")
	}
}

// What a reader has not measured is left out: columns, and whole tables.
func TestPartial(t *testing.T) {
	own := readText(t, textOf(quipu, 1, 0, rateOf("raysteps/step02", "Render/scene=large", 1e6)))
	own.Partial = true
	spec := TableSpec{Query: Query{Packages: []string{"2"}, Bench: "Render"}, Rows: "step", Columns: []Column{{Unit: "rays/s"}, {Unit: "rays/s", Base: "1"}}}
	table, err := own.Table(spec)
	require.NoError(t, err)
	assert.Equal(t, [][]string{{"2", "1.000M"}}, table.Rows)
	assert.Equal(t, "Quipu (R) 3, 7 cores, linux/arm64, go1.26.9, 1 launch of 1 link order", table.Caption)
	spec.Packages = []string{"3"}
	_, err = own.Table(spec)
	assert.ErrorIs(t, err, ErrNotMeasured)
}

func TestTableErrors(t *testing.T) {
	set := everything(t, abacus)
	for _, tt := range []struct {
		name string
		spec TableSpec
		want string
		none bool // nothing was measured
	}{
		{"nothing", TableSpec{Query: Query{Packages: []string{"step02"}, Bench: "HitLoop"}, Columns: []Column{{Unit: "sec/op"}}}, `results "abacus": nothing was measured of step02 HitLoop`, true},
		{"unit", TableSpec{Query: Query{Packages: []string{"step01"}, Bench: "HitLoop"}, Columns: []Column{{Unit: "ns/op"}}}, "nothing was measured of step01 HitLoop by /ray,/record", true},
		{"base", TableSpec{Query: Query{Bench: "Sweep"}, Columns: []Column{{Unit: "rays/s", Base: "workers=8"}}}, "nothing was measured", true},
		{"no such key", TableSpec{Query: Query{Bench: "Sweep"}, Columns: []Column{{Unit: "rays/s", Base: "lanes=8"}}}, "nothing was measured", true},
		{"filter", TableSpec{Query: Query{Where: "("}, Columns: []Column{{Unit: "rays/s"}}}, `where is "(": syntax error`, false},
		{"fields", TableSpec{Query: Query{Bench: "Sweep"}, Rows: "a,,", Columns: []Column{{Unit: "rays/s"}}}, `fields "a,,`, false},
		{"not alike", TableSpec{Query: Query{Bench: "Mixed"}, Columns: []Column{{Unit: "sec/op"}}}, "the rows of Mixed differ in goversion; want them measured alike, or a table by goversion", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := set.Table(tt.spec)
			require.ErrorContains(t, err, tt.want)
			assert.Equal(t, tt.none, errors.Is(err, ErrNotMeasured))
		})
	}
	for _, text := range []string{"", "rays/s over 1 as long", "a b", "over 1"} {
		_, err := ParseColumn(text)
		assert.Error(t, err, text)
	}
}

// Two benchmarks without a launch in common: the interval of their ratio reaches from the
// lower end of one over the upper end of the other to the opposite.
func TestRatioOfTwoRuns(t *testing.T) {
	var text strings.Builder
	for order := range 8 {
		for pkg, rate := range map[string]float64{"raysteps/a\nmeasured: monday\n": 10, "raysteps/b\nmeasured: tuesday\n": 4} {
			fmt.Fprintf(&text, "pkg: %slink-order: %d\nBenchmarkX 1 %g rays/s\n", pkg, order, rate*(1+0.01*float64(order*order%5)))
		}
	}
	set := readText(t, text.String())
	x, _ := set.figure(id{"raysteps/a", "X", ""}, "rays/s")
	y, _ := set.figure(id{"raysteps/b", "X", ""}, "rays/s")
	ratio, there := set.Quantity("raysteps/a", "X", "", Column{Unit: "rays/s", Base: "b X"})
	require.True(t, there)
	assert.InDelta(t, 2.5, ratio.Center, 1e-9)
	assert.InDelta(t, x.Lo/y.Hi, ratio.Lo, 1e-9)
	assert.InDelta(t, x.Hi/y.Lo, ratio.Hi, 1e-9)
	assert.Less(t, ratio.Lo, min(x.Lo/y.Lo, ratio.Center))
	assert.Greater(t, ratio.Hi, max(x.Hi/y.Hi, ratio.Center))
}

func TestNumber(t *testing.T) {
	set := everything(t, abacus)
	const large, value, pointer = "Render/scene=large", "HitLoop/ray=value/record=value", "1 HitLoop/ray=pointer/record=pointer"
	for _, tt := range []struct {
		pkg, bench, unit, base string
		want                   string
	}{
		{"1", large, "rays/s", "", "500.0k"},
		{"1", large, "cycles/sphere", "", "8.264"}, // at 2 GHz, 2 µs by 484 spheres
		{"1", large, "cycles/ray", "", "4.000k"},
		{"1", large, "sec/picture", "", "50.5 s"},
		{"1", "Count/scene=large", "instructions/sphere", "", "61.98"},
		{"2", large, "rays/s", "1 " + large, "1.25"},
		{"12", "Full/scene=large", "rays/s", "1 " + large, "16.0"}, // no more digits than it bears
		{"1", value, "sec/op", pointer, "5.00"},

		{"1", "Nope", "rays/s", "", "nothing was measured of 1 Nope"},
		{"1", large, "sec/op", "", "nothing was measured of 1 Render/scene=large in sec/op"},
		{"1", large, "rays/s", "peer/none/step01 " + large, "nothing was measured of 1 Render/scene=large over peer/none/step01 Render/scene=large in rays/s"},
	} {
		got, err := set.Number(NumberSpec{tt.pkg, tt.bench, Column{Unit: tt.unit, Base: tt.base}})
		if err != nil {
			got = err.Error()
		}
		assert.Contains(t, got, tt.want, tt)
	}
}

func TestFigure(t *testing.T) {
	set := everything(t, abacus)
	figure := func(spec TableSpec, series int) Figure {
		spec.Bench = "Render"
		fig, err := set.Figure(FigureSpec{TableSpec: spec})
		require.NoError(t, err)
		require.Len(t, fig.Series, series)
		return fig
	}
	fig := figure(TableSpec{Query: Query{Where: "/scene:/./"}, Rows: "step", Cols: "/scene", Columns: []Column{{Unit: "rays/s", Base: "1"}}}, 3)
	assert.Equal(t, []string{"1", "2", "3"}, fig.X.Names[:3])
	large := fig.Series[0]
	assert.Equal(t, "large scene", large.Name)
	assert.Equal(t, 13, large.Joined, "what is beyond is not joined")
	assert.Equal(t, "step 2, public ray members", large.Points[1].Label)
	assert.InDelta(t, 1.25, large.Points[1].Center, 1e-6)
	assert.Equal(t, 1., large.Points[0].Center, "its own base")

	fig = figure(TableSpec{Query: Query{Where: "/scene:large"}, Rows: "step", Cols: "/scene", Columns: []Column{{Unit: "sec/picture"}}}, 1)
	assert.InDelta(t, 50.5, fig.Series[0].Points[0].Center, 0.1, "seconds, for a picture at 500,000 rays/s")

	points := figure(TableSpec{Rows: "/spheres", Cols: "step", Columns: []Column{{Unit: "rays/s"}}}, 2).Series[0].Points
	assert.Equal(t, []float64{10, 100}, []float64{points[0].X, points[1].X})

	points = figure(TableSpec{Query: Query{Builds: true}, Rows: "link-order", Cols: "build", Columns: []Column{{Unit: "rays/s", Base: "build=v1"}}}, 2).Series[1].Points
	require.Len(t, points, 2, "a point for each link order")
	assert.Equal(t, Point{X: 2, Label: "2", Center: 2, Lo: 2, Hi: 2, Text: "2.00 (needs 4 orders)"}, points[1])

	_, err := set.Figure(FigureSpec{TableSpec: TableSpec{Query: Query{Bench: "Render", Where: "/scene:/./"}, Rows: "/scene", Cols: "step", Columns: []Column{{Unit: "rays/s"}}}})
	assert.ErrorContains(t, err, `/scene is "large"; want a number above 0`)

	set = readText(t, textOf(abacus, 2, 0, measuredLine{
		Package: "raysteps/step02", Name: "Render/scene=large", Values: map[string]float64{"cycles/sphere": 8, "arithmetic-cycles/sphere": 6, "waiting-cycles/sphere": 2},
	}))
	fig = figure(TableSpec{Rows: "step", Cols: "/scene", Columns: []Column{{Unit: "arithmetic-cycles/sphere"}, {Unit: "waiting-cycles/sphere"}}}, 2)
	assert.Equal(t, []any{true, "arithmetic", "waiting"}, []any{fig.Stacked, fig.Series[0].Name, fig.Series[1].Name})
}

func TestFormat(t *testing.T) {
	for unit, want := range map[string]string{"sec/op": "12.50ns", "sec/ray": "12.50ns", "hit-sec/ray": "12.50ns", "rays/s": "12.50n", "cycles/sphere": "1.25e-08", "instructions/sphere": "1.25e-08"} {
		assert.Equal(t, want, Format(12.5e-9, unit), unit)
	}
	assert.Equal(t, "35.71k", Format(35714.2, "instructions/ray"))
	for x, want := range map[float64]string{0.123: "0.12", 1: "1.00", 9.994: "9.99", 9.996: "10.0", 28.61: "28.6", 181.2: "181"} {
		assert.Equal(t, want, short(x))
	}
}

func TestText(t *testing.T) {
	table := Table{Header: []string{"a", "b"}, Right: []bool{false, true}, Rows: [][]string{{"long", "1"}, {"x|y", "µ"}}}
	assert.Equal(t, "a     b\nlong  1\nx|y   µ\n", table.Text())
	assert.Equal(t, "| a | b |\n|:--- | ---:|\n| long | 1 |\n| x\\|y | µ |\n", table.Markdown())
}

// A share may be 0, and its line says its interval.
func TestShares(t *testing.T) {
	line := func(name string, share, lo, hi float64) measuredLine {
		return measuredLine{Package: "raysteps/x", Name: "Trial/" + name, Values: map[string]float64{"called-%": share, "called-%-lo": lo, "called-%-hi": hi}}
	}
	set := readText(t, textOf(abacus, 1, 0, line("by=one/change=0%", 0, 0, 5.66), line("by=one/change=5%", 87.5, 78, 93)))
	spec := TableSpec{Query: Query{Bench: "Trial"}, Rows: "/by", Cols: "/change", Columns: []Column{{Unit: "called-%"}}}
	table, err := set.Table(spec)
	require.NoError(t, err)
	assert.Equal(t, [][]string{{"one", "0 % (0 to 6)", "88 % (78 to 93)"}}, table.Rows)
	assert.NotContains(t, table.Caption, "launch")
	spec.Rows, spec.Cols = spec.Cols, spec.Rows
	fig, err := set.Figure(FigureSpec{TableSpec: spec, Linear: true})
	require.NoError(t, err)
	assert.Equal(t, []string{"0%", "5%"}, fig.X.Names)
	assert.Equal(t, []Point{
		{X: 0, Label: "0%", Center: 0, Lo: 0, Hi: 5.66, Text: "0 % (0 to 6)"},
		{X: 1, Label: "5%", Center: 87.5, Lo: 78, Hi: 93, Text: "88 % (78 to 93)"},
	}, fig.Series[0].Points)
}
