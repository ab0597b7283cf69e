package results

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/scripts/internal/steps"
)

// rounds repeats lines with a number that grows in each.
func rounds(n int, line func(round int) string) string {
	var b strings.Builder
	b.WriteString("size: 80x60\nsamples: 4\n")
	for round := range n {
		b.WriteString(line(round))
	}
	return b.String()
}

func sweepText(n int) string {
	return rounds(n, func(round int) string {
		var b strings.Builder
		b.WriteString("pkg: raysteps/step12\n")
		for _, tile := range []int{32, 8} {
			for _, workers := range []int{1, 2, 10} {
				fmt.Fprintf(&b, "BenchmarkSweep/scene=small/tile=%d/workers=%d-2 1 5 ns/op %d rays/s\n", tile, workers, tile*workers*(1000+round)*95/100)
			}
		}
		return b.String()
	})
}

func spheresText(n int) string {
	return rounds(n, func(round int) string {
		return fmt.Sprintf(`
pkg: raysteps/step04
BenchmarkRender/spheres=100000-2 1 5 ns/op 3 rays/op %d rays/s
BenchmarkRender/spheres=1-2 1 5 ns/op 3 rays/op %d rays/s
pkg: raysteps/step01
BenchmarkRender/spheres=100000-2 1 5 ns/op 3 rays/op %d rays/s
BenchmarkRender/spheres=1-2 1 5 ns/op 3 rays/op %d rays/s
`, 2000+round, 20_000_000+round, 1000+round, 10_000_000+round)
	})
}

func buildsText(n int) string {
	return rounds(n, func(round int) string {
		var b strings.Builder
		for i, pkg := range []string{"step01", "step04"} {
			for j, build := range []string{"goamd64: v1\npgo: off\nbounds: checked\ninstrument: off", "goamd64: v3\npgo: on\nbounds: checked", "goamd64: v1\npgo: on\nbounds: unchecked", "goamd64: v1\npgo: off\nbounds: checked\ninstrument: on"} {
				fmt.Fprintf(&b, "\npkg: raysteps/%s\n%s\n", pkg, build)
				fmt.Fprintf(&b, "BenchmarkRender/scene=small-2 1 5 ns/op 3 rays/op %d rays/s\n", (1000+round)*(10+i*j))
			}
		}
		return b.String()
	})
}

func scheduleText(n int) string {
	return rounds(n, func(round int) string {
		var b strings.Builder
		b.WriteString("pkg: raysteps/step13\n")
		for i, division := range []string{"8", "32", "row", "parts"} {
			for _, workers := range []int{256, 1, 2} {
				fmt.Fprintf(&b, "BenchmarkSchedule/scene=small/division=%s/workers=%d-2 1 %.6f efficiency\n", division, workers,
					1/(1+float64(workers-1)*float64(i)*(1+0.02*float64(round))/100))
			}
		}
		return b.String()
	})
}

func TestKind(t *testing.T) {
	tests := []struct {
		text string
		want Kind
	}{
		{measured(1), OfSteps},
		{"pkg: a\nBenchmarkHitLoop/n=1 1 5 ns/op\n", OfExperiments},
		{"pkg: a\nBenchmarkRenderer/scene=1 1 5 ns/op\n", OfExperiments},
		{sweepText(1), OfSweep},
		{scheduleText(1), OfSchedules},
		{spheresText(1), OfSpheres},
		{buildsText(1), OfBuilds},
	}
	for _, tt := range tests {
		assert.Equal(t, tt.want, read(t, tt.text).Kind())
	}
	for _, kind := range Kinds() {
		assert.Regexp(t, `^go run \./scripts/bench`, kind.Command())
	}
}

func TestWhole(t *testing.T) {
	const line = "BenchmarkRender/scene=small 1 5 ns/op 3 rays/op 2 rays/s\n"
	tests := []struct{ name, text, want string }{
		{"whole", measured(3), ""},
		{"sweep", sweepText(2), ""},
		{"schedules", scheduleText(2), ""},
		{"spheres", spheresText(2), ""},
		{"builds", buildsText(2), ""},
		{"experiments", "pkg: a\nBenchmarkA 1 5 ns/op 3 x/s\nBenchmarkB 1 5 ns/op\n", ""},
		{"a step less", measured(1) + "pkg: raysteps/step01\n" + line,
			`results "a.txt": 1 values of raysteps/step01 Render/scene=large in sec/op and 2 of raysteps/step01 Render/scene=small; want whole rounds, as scripts/bench writes them`},
		{"a unit less", "pkg: a\nBenchmarkA 1 5 ns/op 3 x/s\nBenchmarkA 1 5 ns/op\n",
			`results "a.txt": 1 values of a A in x/s and 2 of a A; want whole rounds, as scripts/bench writes them`},
		{"no rays", "pkg: a\nBenchmarkRender/scene=small 1 5 ns/op 3 rays/op\n", `results "a.txt": a Render/scene=small: no values in rays/s`},
		{"no rate of a sweep", "pkg: a\nBenchmarkSweep/scene=small/tile=8/workers=1 1 5 ns/op\n", `results "a.txt": a Sweep/scene=small/tile=8/workers=1: no values in rays/s`},
		{"no efficiency", "pkg: a\nBenchmarkSchedule/scene=small/division=8/workers=1 1 5 ns/op\n", `results "a.txt": a Schedule/scene=small/division=8/workers=1: no values in efficiency`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			err := read(t, tt.text).Whole()
			if tt.want == "" {
				assert.NoError(t, err)
				return
			}
			assert.EqualError(t, err, tt.want)
		})
	}
}

func TestSweepTable(t *testing.T) {
	step := steps.Numbered()[11]
	set := read(t, sweepText(6))
	table, err := set.SweepTable(step, "small", nil)
	require.NoError(t, err)
	golden(t, "sweep.txt", table.Text())
	golden(t, "sweep.md", table.Markdown())
	table, err = set.SweepTable(step, "small", func(p SweepPoint) bool { return p.Workers == 2 })
	require.NoError(t, err)
	assert.Len(t, table.Rows, 2)
	assert.Equal(t, []string{"small"}, set.Scenes())

	tests := []struct{ name, text, scene, want string }{
		{"another scene", sweepText(1), "large", `results "a.txt": no such point of step 12 in scene "large"`},
		{"another step", strings.ReplaceAll(sweepText(1), "step12", "step11"), "small", `results "a.txt": no benchmark "Sweep/..." of package raysteps/step12`},
		{"a key less", "pkg: raysteps/step12\nBenchmarkSweep/scene=small/tile=8 1 5 ns/op 3 rays/s\n", "small",
			`results "a.txt": raysteps/step12 Sweep/scene=small/tile=8; want a name with scene, tile and workers`},
		{"a word", "pkg: raysteps/step12\nBenchmarkSweep/scene=small/tile=8/workers=all 1 5 ns/op 3 rays/s\n", "small",
			`results "a.txt": raysteps/step12 Sweep/scene=small/tile=8/workers=all; want whole numbers of at least 1`},
		{"zero", "pkg: raysteps/step12\nBenchmarkSweep/scene=small/tile=0/workers=1 1 5 ns/op 3 rays/s\n", "small",
			`results "a.txt": raysteps/step12 Sweep/scene=small/tile=0/workers=1; want whole numbers of at least 1`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := read(t, tt.text).SweepTable(step, tt.scene, nil)
			assert.EqualError(t, err, tt.want)
		})
	}
}

func TestScheduleTable(t *testing.T) {
	step := steps.Numbered()[12]
	set := read(t, scheduleText(6))
	assert.Equal(t, []string{"small"}, set.Scenes())
	assert.NoError(t, set.Whole())
	all, err := set.Schedule(step)
	require.NoError(t, err)
	assert.Equal(t, Schedule{[]string{"small"}, []Division{"8", "32", "row", "parts"}, []int{1, 2, 256}}, all)
	table, err := set.ScheduleTable(step, "small")
	require.NoError(t, err)
	golden(t, "schedule.txt", table.Text())
	golden(t, "schedule.md", table.Markdown())
	table, err = read(t, scheduleText(1)).ScheduleTable(step, "small")
	require.NoError(t, err)
	assert.Equal(t, []string{"tiles of 32x32", "100% (± ∞)", "99% (± ∞)", "28% (± ∞)"}, table.Rows[1])

	const head = "pkg: raysteps/step13\nBenchmarkSchedule/scene=small/"
	tests := []struct{ name, text, scene, want string }{
		{"another scene", scheduleText(1), "large", `results "a.txt": no benchmark "Schedule/scene=large/division=8/workers=1" of package raysteps/step13`},
		{"another step", strings.ReplaceAll(scheduleText(1), "step13", "step11"), "small", `results "a.txt": no benchmark "Schedule/..." of package raysteps/step13`},
		{"a key less", head + "division=8 1 0.5 efficiency\n", "small",
			`results "a.txt": raysteps/step13 Schedule/scene=small/division=8; want a name with scene, division and workers`},
		{"a word", head + "division=8/workers=all 1 0.5 efficiency\n", "small",
			`results "a.txt": raysteps/step13 Schedule/scene=small/division=8/workers=all; want a whole number of workers, at least 1`},
		{"another division", head + "division=columns/workers=1 1 0.5 efficiency\n", "small",
			`results "a.txt": raysteps/step13 Schedule/scene=small/division=columns/workers=1; want a division that is the side of a tile, row or parts`},
		{"tiles of nothing", head + "division=0/workers=1 1 0.5 efficiency\n", "small",
			`results "a.txt": raysteps/step13 Schedule/scene=small/division=0/workers=1; want a division that is the side of a tile, row or parts`},
		{"one is missing", head + "division=8/workers=1 1 0.5 efficiency\nBenchmarkSchedule/scene=small/division=row/workers=2 1 0.5 efficiency\n", "small",
			`results "a.txt": no benchmark "Schedule/scene=small/division=8/workers=2" of package raysteps/step13`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := read(t, tt.text).ScheduleTable(step, tt.scene)
			assert.EqualError(t, err, tt.want)
		})
	}
}

func TestSpheresTable(t *testing.T) {
	table, err := read(t, spheresText(6)).SpheresTable()
	require.NoError(t, err)
	golden(t, "spheres.txt", table.Text())
	golden(t, "spheres.md", table.Markdown())

	tests := []struct{ name, text, want string }{
		{"none", measured(1), `results "a.txt": no measurements by number of spheres`},
		{"a word", "BenchmarkRender/spheres=many 1 5 ns/op\n", `results "a.txt": Render/spheres=many; want a number of spheres of at least 1`},
		{"one step less", spheresText(1) + "pkg: raysteps/step01\nBenchmarkRender/spheres=2 1 5 ns/op 3 rays/op 3 rays/s\n",
			`results "a.txt": no benchmark "Render/spheres=2" of package raysteps/step04`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := read(t, tt.text).SpheresTable()
			assert.EqualError(t, err, tt.want)
		})
	}
}

func TestBuildsTable(t *testing.T) {
	set := read(t, buildsText(6))
	assert.Equal(t, []string{"v1", "v3+pgo", "v1+pgo+nobounds", "v1+instrument"}, set.Builds())
	assert.Equal(t, []string{"small"}, set.Scenes())
	assert.Equal(t, 6, set.Rounds())
	assert.NotContains(t, set.Machine(), "GOAMD64", "no build stands for all")
	table, err := set.BuildsTable("small")
	require.NoError(t, err)
	golden(t, "builds.txt", table.Text())
	golden(t, "builds.md", table.Markdown())

	_, err = set.BuildsTable("large")
	assert.EqualError(t, err, `results "a.txt": no step was measured in scene "large"`)
	_, err = read(t, measured(1)).BuildsTable("small")
	assert.EqualError(t, err, `results "a.txt": no measurements by build`)
}

// A package of beyond stands behind the steps, against the one that it goes on
// from.
func TestStepsBeyond(t *testing.T) {
	beyond := steps.Step{Name: "wide", Label: "wider registers", Single: true}
	before, ok := beyond.Before()
	require.True(t, ok)
	text := rounds(6, func(round int) string {
		var b strings.Builder
		for i, pkg := range []string{"raysteps/step01", before.Package(), beyond.Package()} {
			fmt.Fprintf(&b, "pkg: %s\nBenchmarkRender/scene=small-2 1 5 ns/op 3 rays/op %d rays/s\n", pkg, (1000+round)*[]int{1, 4, 6}[i])
		}
		return b.String()
	})
	table, err := read(t, text).Steps("small", []steps.Step{beyond})
	require.NoError(t, err)
	row := table.Rows[0]
	assert.Equal(t, []string{"wide", "wider registers"}, row[:2])
	assert.Equal(t, []string{"6.00 (6.00 to 6.00)", "1.50 (1.50 to 1.50)"}, row[5:])
	table, err = read(t, text).Compare(before, beyond)
	require.NoError(t, err)
	assert.Equal(t, "rays/s, wide", table.Header[2])
}
