package results

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/scripts/internal/steps"
)

func sweepText(n int) string {
	return launches(n, func(launch int) string {
		var b strings.Builder
		b.WriteString("pkg: raysteps/step12\n")
		for _, tile := range []int{32, 8} {
			for _, workers := range []int{1, 2, 10} {
				fmt.Fprintf(&b, "BenchmarkSweep/scene=small/tile=%d/workers=%d-2 1 %d rays/s\n", tile, workers, tile*workers*(1000+launch)*(100-workers))
			}
		}
		return b.String()
	})
}

func spheresText(n int) string {
	return launches(n, func(launch int) string {
		return fmt.Sprintf(`
pkg: raysteps/step04
BenchmarkRender/spheres=100000-2 1 %d rays/s
BenchmarkRender/spheres=1-2 1 %d rays/s
pkg: raysteps/step01
BenchmarkRender/spheres=100000-2 1 %d rays/s
BenchmarkRender/spheres=1-2 1 %d rays/s
`, 2000+launch, 20_000_000+launch, 1000+launch, 10_000_000+launch)
	})
}

func buildsText(n int) string {
	return launches(n, func(launch int) string {
		var b strings.Builder
		for i, pkg := range []string{"step01", "step04"} {
			for j, build := range []string{"v1", "v3+pgo", "go1.27.4+v1+nobounds", "v1+instrument"} {
				fmt.Fprintf(&b, "\ngoamd64: v1\npgo: off\npkg: raysteps/%s\nbuild: %s\n", pkg, build)
				fmt.Fprintf(&b, "BenchmarkRender/scene=small-2 1 %d rays/s\n", (1000+launch)*(10+i*j))
			}
		}
		return b.String()
	})
}

func scheduleText(n int) string {
	return launches(n, func(launch int) string {
		var b strings.Builder
		b.WriteString("pkg: raysteps/step13\n")
		for i, division := range []string{"8", "32", "row", "parts"} {
			for _, workers := range []int{256, 1, 2} {
				fmt.Fprintf(&b, "BenchmarkSchedule/scene=small/division=%s/workers=%d-2 1 %.6f efficiency\n", division, workers,
					1/(1+float64(workers-1)*float64(i)*(1+0.02*float64(launch))/100))
			}
		}
		return b.String()
	})
}

// fullText is what -full writes: each picture once.
const fullText = `pkg: raysteps/step01
BenchmarkFull/scene=large-2 1 20 sec/op 2e7 rays/op 1e6 rays/s 1.02e6 slice-rays/s
BenchmarkFull/scene=small-2 1 2.5 sec/op 2e7 rays/op 8e6 rays/s 7.9e6 slice-rays/s
pkg: raysteps/step04
BenchmarkFull/scene=large-2 1 10 sec/op 2e7 rays/op 2e6 rays/s 2e6 slice-rays/s
`

func TestKind(t *testing.T) {
	tests := []struct {
		text string
		want Kind
	}{
		{measured(1), OfSteps},
		{once("pkg: a\nBenchmarkHitLoop/n=1 1 5 ns/op\n"), OfExperiments},
		{once("pkg: a\nBenchmarkRenderer/scene=1 1 5 ns/op\n"), OfExperiments},
		{sweepText(1), OfSweep},
		{scheduleText(1), OfSchedules},
		{spheresText(1), OfSpheres},
		{buildsText(1), OfBuilds},
		{once(fullText), OfFull},
	}
	for _, tt := range tests {
		assert.Equal(t, tt.want, read(t, tt.text).Kind())
	}
}

func TestWhole(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"whole", measured(3), ""},
		{"sweep", sweepText(2), ""},
		{"schedules", scheduleText(2), ""},
		{"spheres", spheresText(2), ""},
		{"builds", buildsText(2), ""},
		{"full", once(fullText), ""},
		{"experiments", once("pkg: a\nBenchmarkA 1 5 ns/op 3 x/s\nBenchmarkB 1 5 ns/op\n"), ""},
		{"a launch of a step more", measured(2) + "pkg: raysteps/step02\nBenchmarkRender/scene=small 1 2 rays/s\n",
			`results "a.txt": 3 launches of raysteps/step02 Render/scene=small in rays/s and 2 of raysteps/step01 Render/scene=small; want all of each, as scripts/bench writes them`},
		{"a unit less", launches(2, func(launch int) string {
			return []string{"pkg: a\nBenchmarkA 1 5 ns/op 3 x/s\n", "BenchmarkA 1 5 ns/op\n"}[launch]
		}),
			`results "a.txt": 1 launches of a A in x/s and 2 of a A; want all of each, as scripts/bench writes them`},
		{"no rays", once("pkg: a\nBenchmarkRender/scene=small 1 5 ns/op\n"), `results "a.txt": a Render/scene=small: no values in rays/s`},
		{"no rate of a sweep", once("pkg: a\nBenchmarkSweep/scene=small/tile=8/workers=1 1 5 ns/op\n"), `results "a.txt": a Sweep/scene=small/tile=8/workers=1: no values in rays/s`},
		{"no efficiency", once("pkg: a\nBenchmarkSchedule/scene=small/division=8/workers=1 1 5 ns/op\n"), `results "a.txt": a Schedule/scene=small/division=8/workers=1: no values in efficiency`},
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
	table, err := set.SweepTable(step, "small", 0)
	require.NoError(t, err)
	golden(t, "sweep.txt", table.Text())
	table, err = set.SweepTable(step, "small", 8)
	require.NoError(t, err)
	assert.Len(t, table.Rows, 3)
	assert.Equal(t, []string{"small"}, set.Scenes())

	tests := []struct{ name, text, scene, want string }{
		{"another scene", sweepText(1), "large", `results "a.txt": no such point of step 12 in scene "large"`},
		{"another step", strings.ReplaceAll(sweepText(1), "step12", "step11"), "small", `results "a.txt": no such point of step 12 in scene "small"`},
		{"a key less", "link-order: 1\nlaunch: 1\npkg: raysteps/step12\nBenchmarkSweep/scene=small/tile=8 1 5 ns/op 3 rays/s\n", "small",
			`results "a.txt": no such point of step 12 in scene "small"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := read(t, tt.text).SweepTable(step, tt.scene, 0)
			assert.EqualError(t, err, tt.want)
		})
	}
}

func TestScheduleTable(t *testing.T) {
	step := steps.Numbered()[12]
	set := read(t, scheduleText(6))
	assert.Equal(t, []string{"small"}, set.Scenes())
	assert.NoError(t, set.Whole())
	assert.Equal(t, []Division{"8", "32", "row", "parts"}, set.Divisions())
	assert.Equal(t, []int{1, 2, 256}, set.Numbers("workers"))
	table, err := set.ScheduleTable(step, "small")
	require.NoError(t, err)
	golden(t, "schedule.txt", table.Text())
	table, err = read(t, scheduleText(1)).ScheduleTable(step, "small")
	require.NoError(t, err)
	assert.Equal(t, []string{"tiles of 32x32", "100% (± ∞)", "99% (± ∞)", "28% (± ∞)"}, table.Rows[1])

	const head = "link-order: 1\nlaunch: 1\npkg: raysteps/step13\nBenchmarkSchedule/scene=small/"
	tests := []struct{ name, text, scene, want string }{
		{"another scene", scheduleText(1), "large", `results "a.txt": no benchmark "Schedule/scene=large/division=8/workers=1" of package raysteps/step13`},
		{"another step", strings.ReplaceAll(scheduleText(1), "step13", "step11"), "small", `results "a.txt": no benchmark "Schedule/scene=small/division=8/workers=1" of package raysteps/step13`},
		{"a key less", head + "workers=8 1 0.5 efficiency\n", "small", `results "a.txt": no benchmark "Schedule/..." of package raysteps/step13`},
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

// crossingText has two steps in scenes of 1, 10, 100 and 1000 spheres. The
// second has the ratios to the first, and those of odd launches are multiplied by
// a factor.
func crossingText(n int, factor float64, ratios ...float64) string {
	return launches(n, func(launch int) string {
		var b strings.Builder
		for i, ratio := range ratios {
			if launch%2 == 1 {
				ratio *= factor
			}
			fmt.Fprintf(&b, "pkg: raysteps/step01\nBenchmarkRender/spheres=1%s-2 1 1000 rays/s\n", "000"[:i])
			fmt.Fprintf(&b, "pkg: raysteps/step04\nBenchmarkRender/spheres=1%s-2 1 %f rays/s\n", "000"[:i], 1000*ratio)
		}
		return b.String()
	})
}

func TestCrossing(t *testing.T) {
	from, over := steps.All()[3], steps.All()[0]
	tests := []struct {
		name   string
		text   string
		want   string // with two digits, or an error
		lo, hi string
	}{
		{"between two", crossingText(6, 1, 0.5, 0.8, 1.25, 4), "32", "32", "32"},
		{"nearer to the upper one", crossingText(6, 1, 0.5, 0.5, 0.5, 2), "320", "320", "320"},
		{"the last of several", crossingText(6, 1, 0.5, 2, 0.5, 2), "320", "320", "320"},
		{"as fast", crossingText(6, 1, 0.5, 1, 10, 10), "10", "10", "10"},
		{"launches differ", crossingText(48, 1.02, 0.5, 0.8, 1.25, 4), "30", "27", "34"},
		{"never", crossingText(6, 1, 2, 2, 2, 0.9), "results \"a.txt\": there is no number of spheres from which on step 4 is faster than step 1", "", ""},
		{"always", crossingText(6, 1, 2, 2, 2, 2), "results \"a.txt\": there is no number of spheres from which on step 4 is faster than step 1", "", ""},
		{"one number", crossingText(6, 1, 2), "results \"a.txt\": there is no number of spheres from which on step 4 is faster than step 1", "", ""},
		{"one step", strings.ReplaceAll(crossingText(6, 1, 0.5, 2), "step04", "step05"), `results "a.txt": no benchmark "Render/spheres=1" of package raysteps/step04`, "", ""},
		{"not in all launches", crossingText(6, 1, 0.5, 2) + "link-order: 9\nlaunch: 9\n" + strings.SplitAfterN(crossingText(1, 1, 0.5), "launch: 1\n", 2)[1],
			`results "a.txt": step 4 and step 1 were not measured with 10 spheres in all launches`, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v, err := read(t, tt.text).Crossing(from, over)
			if tt.lo == "" {
				assert.EqualError(t, err, tt.want)
				return
			}
			require.NoError(t, err)
			assert.Equal(t, []string{tt.want, tt.lo, tt.hi}, []string{FormatSpheres(v.Center), FormatSpheres(v.Lo), FormatSpheres(v.Hi)})
		})
	}
	for n, want := range map[float64]string{3.14: "3.1", 9.96: "10", 234: "230", 1449: "1,400", 999_999: "1,000,000"} {
		assert.Equal(t, want, FormatSpheres(n))
	}
}

func TestSpheresTable(t *testing.T) {
	table, err := read(t, spheresText(6)).SpheresTable()
	require.NoError(t, err)
	golden(t, "spheres.txt", table.Text())

	tests := []struct{ name, text, want string }{
		{"none", measured(1), `results "a.txt": no measurements by number of spheres`},
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
	assert.Equal(t, []string{"v1", "v3+pgo", "go1.27.4+v1+nobounds", "v1+instrument"}, set.Builds())
	assert.Equal(t, []string{"small"}, set.Scenes())
	assert.NotContains(t, set.Machine(), "GOAMD64", "no build stands for all")
	table, err := set.BuildsTable("small")
	require.NoError(t, err)
	golden(t, "builds.txt", table.Text())

	_, err = set.BuildsTable("large")
	assert.EqualError(t, err, `results "a.txt": no step was measured in scene "large"`)
	_, err = read(t, measured(1)).BuildsTable("small")
	assert.EqualError(t, err, `results "a.txt": no measurements by build`)
}

func TestAgainstTable(t *testing.T) {
	step := steps.All()[3]
	text := launches(12, func(launch int) string {
		return fmt.Sprintf("pkg: raysteps/step04\nbuild: origin/main\nBenchmarkRender/scene=small 1 %d rays/s\nbuild: working tree\nBenchmarkRender/scene=small 1 %d rays/s\n", 1000+launch, 1100+2*launch)
	})
	table, err := read(t, text).AgainstTable(step, "origin/main", "working tree", map[string]string{"small": "the same"})
	require.NoError(t, err)
	golden(t, "against.txt", table.Text())
	_, err = read(t, text).AgainstTable(step, "HEAD", "working tree", nil)
	assert.EqualError(t, err, `results "a.txt": no benchmark "Render/scene=small/build=HEAD" of package raysteps/step04`)
}

func TestFullTable(t *testing.T) {
	table, err := read(t, once(fullText)).FullTable()
	require.NoError(t, err)
	golden(t, "full.txt", table.Text()) // one picture is missing
	_, err = read(t, strings.ReplaceAll(once(fullText), "slice-rays/s", "x")).FullTable()
	assert.EqualError(t, err, `results "a.txt": raysteps/step01 Full/scene=large: no values in slice-rays/s`)
}

func TestCountersTable(t *testing.T) {
	counted := "pkg: raysteps/step04\nBenchmarkRender/scene=small 1 5e6 rays/s 1234.5 instructions/ray 400 cycles/ray 1.5 branch-misses/ray 0 cache-misses/ray\n"
	table := read(t, launches(6, func(int) string { return counted + "pkg: raysteps/step13\nBenchmarkRender/scene=small 1 5e6 rays/s\n" })).CountersTable()
	golden(t, "counters.txt", table.Text()) // without what uses several threads
	assert.Empty(t, read(t, measured(1)).CountersTable().Rows)
}

// What should be a number is one, but for the experiments.
func TestNumbers(t *testing.T) {
	const head = "link-order: 1\nlaunch: 1\n"
	for _, tt := range []struct{ name, want string }{
		{"Sweep/scene=small/tile=8/workers=all", "workers=all"},
		{"Sweep/scene=small/tile=0/workers=1", "tile=0"},
		{"Schedule/scene=small/division=8/workers=0", "workers=0"},
		{"Render/spheres=many", "spheres=many"},
	} {
		_, err := Read(strings.NewReader(head+"Benchmark"+tt.name+" 1 5 ns/op\n"), "a.txt")
		assert.EqualError(t, err, `results "a.txt": line 3: a benchmark has `+tt.want+"; want a whole number of at least 1")
	}
	set := read(t, head+"BenchmarkFree/spheres=none 1 5 ns/op\nBenchmarkFree/spheres=7 1 5 ns/op\n")
	assert.Equal(t, []string{"none", "7"}, set.Values("spheres"))
	assert.Equal(t, []int{7}, set.Numbers("spheres"))
}
