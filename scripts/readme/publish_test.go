package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/steps"
)

// allKinds is a module with a file of each kind and without pages.
func allKinds(t *testing.T) (root string) {
	root = measured(t)
	write(t, root, map[string]string{
		"results/published": "steps: a.txt\nexperiments: b.txt\nsweeps: c.txt\nschedules: g.txt\nspheres: d.txt\nbuilds: e.txt\nbeside: f.txt\n",
		"results/a.txt":     measurement{machine: abacus + "gomaxprocs: 2\n", skip: notFew}.steps(),
		"results/c.txt":     measurement{}.sweeps(),
		"results/g.txt":     measurement{}.schedules(),
		"results/d.txt":     measurement{}.spheres(),
		"results/e.txt":     measurement{}.builds(),
		"results/f.txt":     measurement{machine: quipu + "gomaxprocs: 8\nwatts: 65\n", factor: 2, skip: notFew}.steps(),
	})
	return root
}

// notFew leaves out most steps, so that the tables stay the same when one is
// added.
func notFew(pkg, _ string, _ int) bool {
	return pkg != "raysteps/step01" && pkg != "raysteps/step04" && pkg != "raysteps/step12" && pkg != "raysteps/step13"
}

func TestTablesOfKinds(t *testing.T) {
	dir := testdata(t)
	root := allKinds(t)
	for _, tt := range []struct{ name, call string }{
		{"sweep", "sweep"},
		{"sweep of one size", "sweep scene=small tile=32 step=13"},
		{"sweep of one number", "sweep scene=medium workers=8"},
		{"schedule", "schedule"},
		{"schedule of small", "schedule scene=small step=13"},
		{"spheres", "spheres"},
		{"builds", "builds"},
		{"builds of small", "builds scene=small"},
		{"machines", "machines scene=medium"},
		{"machines of some steps", "machines steps=1,4"},
		{"percore", "percore"},
		{"percore of some steps", "percore steps=1,13 scene=small"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := fill(t, root, tt.call)
			require.NoError(t, err)
			golden(t, dir, "table "+tt.name, got+"\n")
		})
	}

	// Without a second machine, the tables show one.
	write(t, root, map[string]string{"results/published": "steps: a.txt\n"})
	got, err := fill(t, root, "machines scene=large")
	require.NoError(t, err)
	golden(t, dir, "table machines alone", got+"\n")
	got, err = fill(t, root, "percore")
	require.NoError(t, err)
	golden(t, dir, "table percore alone", got+"\n")
}

func TestTablesOfKindsErrors(t *testing.T) {
	root := allKinds(t)
	const scenes = `unknown scene "tiny"; want small, medium, large`
	for _, tt := range []struct{ name, call, want string }{
		{"sweep, scene", "sweep scene=tiny", scenes},
		{"sweep, tile", "sweep tile=x", `tile is "x"; want a whole number of at least 1`},
		{"sweep, no such tile", "sweep tile=7", `results "results/c.txt": no such point of step 13 in scene "large"`},
		{"sweep, step", "sweep step=99", "unknown step"},
		{"sweep, another step", "sweep step=1", `results "results/c.txt": no benchmark "Sweep/..." of package raysteps/step01`},
		{"schedule, scene", "schedule scene=tiny", scenes},
		{"schedule, step", "schedule step=99", "unknown step"},
		{"schedule, another step", "schedule step=1", `results "results/g.txt": no benchmark "Schedule/..." of package raysteps/step01`},
		{"chart of a schedule, scene", "chart kind=schedule scene=tiny", scenes},
		{"chart of a schedule, key", "chart kind=schedule tile=8", "a chart of schedule takes no tile"},
		{"builds, scene", "builds scene=tiny", scenes},
		{"machines, scene", "machines scene=tiny", scenes},
		{"machines, steps", "machines steps=4-1", `range "4-1" runs backward; want the lower step first`},
		{"machines, no such step", "machines steps=2", `results "results/a.txt": no benchmark "Render/scene=large" of package raysteps/step02`},
		{"percore, steps", "percore steps=99", "unknown step"},
		{"chart, scene", "chart kind=builds scene=tiny", scenes},
		{"chart, key", "chart kind=rates scene=large", "a chart of rates takes no scene"},
		{"chart, tile", "chart kind=workers tile=16", "tile is 16, which was not measured; want one of 8, 32, 128"},
		{"chart, workers", "chart kind=tiles workers=3", "workers is 3, which was not measured; want one of 1, 2, 4, 8"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := fill(t, root, tt.call)
			assert.ErrorContains(t, err, tt.want)
		})
	}
	for _, tt := range []struct{ name, file, text, call, want string }{
		{"watts of no number", "results/f.txt", measurement{machine: quipu + "gomaxprocs: 8\nwatts: many\n"}.steps(), "percore",
			`results "results/f.txt": watts is "many"; want a number above 0`},
		{"no number of processors", "results/a.txt", measurement{}.steps(), "percore", `results "results/a.txt": gomaxprocs is ""; want a number above 0`},
		{"the second machine is gone", "results/published", "steps: a.txt\nbeside: h.txt\n", "machines",
			"results/published names results/h.txt, which does not exist; want a file in results"},
		{"the second machine's file is another kind", "results/published", "steps: a.txt\nbeside: b.txt\n", "machines",
			"results/published names results/b.txt, which holds experiments; want steps"},
		{"one worker", "results/c.txt", measurement{skip: func(point, _ string, _ int) bool { return !strings.HasSuffix(point, "workers=1") }}.sweeps(), "chart kind=workers",
			`results "results/c.txt": step 13 was measured with 1 workers; want 1 and more`},
		{"one number of processors", "results/g.txt", "pkg: raysteps/step13\nBenchmarkSchedule/scene=large/division=8/workers=4 1 0.5 efficiency\n", "chart kind=schedule",
			`results "results/g.txt": step 13 was simulated with one number of workers; want several`},
		{"one size of tiles", "results/c.txt", measurement{skip: func(point, _ string, _ int) bool { return !strings.HasPrefix(point, "tile=8/") }}.sweeps(), "chart kind=tiles",
			`results "results/c.txt": step 13 was measured with tiles of one size; want several`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root := allKinds(t)
			write(t, root, map[string]string{tt.file: tt.text})
			_, err := fill(t, root, tt.call)
			assert.ErrorContains(t, err, tt.want)
		})
	}
}

// A region stays empty until its benchmark is measured, and says so; one with
// figures never keeps those of other measurements.
func TestNotYetMeasured(t *testing.T) {
	const test = "package step03\n\nimport \"testing\"\n\nfunc BenchmarkNew(b *testing.B) {}\n"
	none := func(kind string) string {
		return "results/published names no file of " + kind + "; put one there with go run ./scripts/readme -publish FILE"
	}
	tests := []struct {
		name, call, content string
		kept, err           string // one of them
	}{
		{"benchmark", "experiment pkg=step03 bench=New units=sec/op", "",
			"BenchmarkNew of step03, or that part of it, is not among what was measured", ""},
		{"value", "value pkg=step03 bench=New/n=1 unit=sec/op", "",
			"BenchmarkNew of step03, or that part of it, is not among what was measured", ""},
		{"a benchmark that there is not", "experiment pkg=step03 bench=Now units=sec/op", "", "", `no benchmark "Now/..." of package raysteps/step03`},
		{"a region with figures", "experiment pkg=step03 bench=New units=sec/op", "5 ns", "", `no benchmark "New/..." of package raysteps/step03`},
		{"sweep", "sweep", "", none("sweeps"), ""},
		{"schedule", "schedule", "", none("schedules"), ""},
		{"timeline", "chart kind=timeline", "", "results/published names no execution trace; " + traceCommand + " takes one, and go run ./scripts/readme -publish FILE puts it there", ""},
		{"chart of spheres", "chart kind=spheres", "", none("spheres"), ""},
		{"builds", "builds", "", none("builds"), ""},
		{"builds with figures", "builds", "1.2 times", "", none("builds")},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root := measured(t)
			page := "<!-- raysteps:" + tt.call + " -->\n\n" + tt.content + "\n\n<!-- /raysteps -->\n"
			if tt.content == "" {
				page = region(tt.call)
			}
			write(t, root, map[string]string{"docs/a.md": page + "\n" + page, "step03/a_test.go": test})
			status, stdout, stderr := execute(t)
			if tt.err != "" {
				assert.Equal(t, 1, status)
				assert.Contains(t, stderr, tt.err)
				assert.Equal(t, page+"\n"+page, read(t, root, "docs/a.md"))
				return
			}
			assert.Zero(t, status, stderr)
			assert.Equal(t, "2 regions not checked: "+tt.kept+"\n", stdout)
			assert.Equal(t, page+"\n"+page, read(t, root, "docs/a.md"))
		})
	}
}

func TestPublishKinds(t *testing.T) {
	root := filled(t)
	write(t, root, map[string]string{
		"s.txt": measurement{}.sweeps(), "p.txt": measurement{}.schedules(), "n.txt": measurement{}.spheres(), "b.txt": measurement{}.builds(),
		"docs/x.md": region("sweep tile=8") + region("chart kind=spheres") + region("builds"),
	})
	status, stdout, stderr := execute(t, "-publish", "b.txt", "-publish", "s.txt", "-publish", "n.txt", "-publish", "p.txt")
	require.Zero(t, status, stderr)
	assert.Equal(t, "docs/charts/spheres.svg\ndocs/x.md\nresults/"+abacusFile+"-builds.txt\nresults/"+abacusFile+"-schedules.txt\nresults/"+abacusFile+"-spheres.txt\nresults/"+abacusFile+"-sweeps.txt\nresults/published\n",
		strings.Join(slices.Sorted(strings.Lines(stdout)), ""))
	assert.Equal(t, "steps: a.txt\nexperiments: b.txt\nsweeps: "+abacusFile+"-sweeps.txt\nschedules: "+abacusFile+"-schedules.txt\nspheres: "+abacusFile+"-spheres.txt\nbuilds: "+abacusFile+"-builds.txt\n",
		read(t, root, "results/published"))
	status, stdout, stderr = execute(t, "-check")
	assert.Zero(t, status)
	assert.Empty(t, stdout+stderr)
}

func TestCompareMachines(t *testing.T) {
	root := filled(t)
	write(t, root, map[string]string{
		"docs/x.md": region("machines scene=small steps=1,4"),
		"local.txt": measurement{machine: quipu, factor: 2}.steps(),
	})
	status, stdout, stderr := execute(t, "-compare", "local.txt", "-watts", "15")
	require.Zero(t, status, stderr)
	assert.Equal(t, "docs/x.md\nresults/published\nresults/"+quipuFile+".txt\n", stdout)
	assert.Equal(t, "steps: a.txt\nexperiments: b.txt\nbeside: "+quipuFile+".txt\n", read(t, root, "results/published"))
	assert.True(t, strings.HasPrefix(read(t, root, "results/"+quipuFile+".txt"), "watts: 15\nUnit "))
	page := read(t, root, "docs/x.md")
	assert.Contains(t, page, "| rays/s, Abacus 9 | speed-up over step 1, Abacus 9 | rays/s, Quipu (R) 3 | speed-up over step 1, Quipu (R) 3 |")
	assert.Contains(t, page, "\n*Quipu (R) 3, 7 cores, 15 watts, linux/arm64")
	status, stdout, stderr = execute(t, "-check")
	assert.Zero(t, status)
	assert.Empty(t, stdout+stderr)

	good := measurement{machine: quipu}.steps()
	for _, tt := range []struct {
		name, text string
		args       []string
		want       string
	}{
		{"no file", "", []string{"-compare", "missing.txt"}, `-compare: results "missing.txt": does not exist; want a file that scripts/bench wrote`},
		{"no name", "", []string{"-compare", ""}, `-compare: results "": does not exist; want a file that scripts/bench wrote`},
		{"experiments", measurement{machine: quipu}.experiments(), []string{"-compare", "c.txt"}, `-compare: results "c.txt": holds experiments; want steps`},
		{"not a results file", "# A\n", []string{"-compare", "c.txt"}, `-compare: results "c.txt": no measurements; want a file in the Go benchmark format, as scripts/bench writes it`},
		{"few rounds", measurement{rounds: 2}.steps(), []string{"-compare", "c.txt"}, `-compare: results "c.txt": too few rounds, 2; want 6 or more, for an interval`},
		{"the file that is shown", "", []string{"-compare", "results/a.txt"}, "-compare: results/a.txt would hold the steps and the steps of the second machine; want another -machine"},
		{"twice", good, []string{"-compare", "c.txt", "-compare", "c.txt"}, `invalid value "c.txt" for flag -compare: given twice; want one second machine; -help lists the flags`},
		{"with -check", good, []string{"-compare", "c.txt", "-check"}, "-check and -compare exclude each other; want one of them"},
		{"watts alone", "", []string{"-watts", "5"}, "-watts goes into the file of -publish; want both"},
		{"negative watts", good, []string{"-compare", "c.txt", "-watts", "-5"}, "-watts is -5; want what the processor takes at full load, 10000 at the most"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			write(t, root, map[string]string{"c.txt": tt.text})
			before := tree(t, root)
			status, stdout, stderr := execute(t, tt.args...)
			assert.Equal(t, 2, status)
			assert.Empty(t, stdout)
			assert.Equal(t, "readme: "+tt.want+"\n", stderr)
			assert.Equal(t, before, tree(t, root))
		})
	}
}

func TestWatts(t *testing.T) {
	text := "Unit rays/s better=higher\n\nwatts: 7\ncpu: A\nwatts-of-another: 3\nBenchmarkA 1 5 ns/op\nwatts: 8\r\n"
	assert.Equal(t, "watts: 6.5\nUnit rays/s better=higher\n\ncpu: A\nwatts-of-another: 3\nBenchmarkA 1 5 ns/op\n", string(withWatts([]byte(text), 6.5)))

	// A file in results is changed there.
	root := filled(t)
	before := read(t, root, "results/a.txt")
	status, _, stderr := execute(t, "-publish", "results/a.txt", "-watts", "65")
	require.Zero(t, status, stderr)
	assert.Equal(t, "watts: 65\n"+before, read(t, root, "results/a.txt"))
}

// Measurements of this and no other version can be published.
func TestPublishOfAnotherVersion(t *testing.T) {
	all := steps.Numbered()
	last := all[len(all)-1].Package()
	good := measurement{machine: quipu}.steps()
	tests := []struct{ name, text, want string }{
		{"a step more", strings.ReplaceAll(good, "step02", "step99"), "raysteps/step99 is no step of this version; want what its own scripts/bench measured"},
		{"a step less", measurement{skip: func(pkg, _ string, _ int) bool { return pkg == last }}.steps(),
			"3 measurements are missing, " + last + " Render/scene=small the first; want all steps and scenes"},
		{"another program's", "BenchmarkRender/scene=small 1 5 ns/op 3 rays/op 4 rays/s\n", "too few rounds, 1; want 6 or more, for an interval"},
		{"no package", strings.Repeat("BenchmarkRender/scene=small 1 5 ns/op 3 rays/op 4 rays/s\n", 6), "a package without a name is no step of this version; want what its own scripts/bench measured"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root := filled(t)
			write(t, root, map[string]string{"a.txt": tt.text})
			before := tree(t, root)
			status, stdout, stderr := execute(t, "-publish", "a.txt")
			assert.Equal(t, 2, status)
			assert.Empty(t, stdout)
			assert.Equal(t, `readme: -publish: results "a.txt": `+tt.want+"\n", stderr)
			assert.Equal(t, before, tree(t, root))
		})
	}
	// What is beyond may be missing.
	set, err := results.Read(strings.NewReader(measurement{skip: func(pkg, _ string, _ int) bool { return strings.Contains(pkg, "beyond") }}.steps()), "a.txt")
	require.NoError(t, err)
	assert.NoError(t, publishable(set))
}

func TestOwnMeasurements(t *testing.T) {
	full := measurement{machine: quipu, size: "1280x720", factor: 2}
	own := strings.ReplaceAll(full.steps(), "samples: 4\n", "samples: 10\n")
	const file = "results/local/2026-01-31T120000.txt"
	announced := "Publishing " + file + ", which is newer than what the pages show\n"
	later := func(root, name string, hours int) {
		at := time.Now().Add(time.Duration(hours) * time.Hour)
		require.NoError(t, os.Chtimes(filepath.Join(root, filepath.FromSlash(name)), at, at))
	}
	t.Run("new", func(t *testing.T) {
		root := filled(t)
		write(t, root, map[string]string{file: own, "results/local/older.txt": own})
		later(root, file, 2)
		later(root, "results/local/older.txt", 1)
		status, stdout, stderr := execute(t, "-check")
		assert.Zero(t, status)
		assert.Empty(t, stdout+stderr, "a check does not look at them")
		before := tree(t, root)
		status, stdout, stderr = execute(t, "-local=false")
		assert.Zero(t, status)
		assert.Empty(t, stdout+stderr)
		assert.Equal(t, before, tree(t, root))

		status, stdout, stderr = execute(t)
		require.Zero(t, status, stderr)
		assert.Equal(t, announced+"README.md\ndocs/step01.md\nresults/published\nresults/"+quipuFile+".txt\n"+otherExperiments, stdout)
		assert.Contains(t, read(t, root, "README.md"), "Measured on: Quipu")
		later(root, file, -1) // the clock of the test runs ahead
		later(root, "results/local/older.txt", -1)
		for _, args := range [][]string{{}, {"-check"}} {
			status, stdout, stderr = execute(t, args...)
			assert.Zero(t, status)
			assert.Empty(t, stdout+stderr, "once is enough")
		}
	})
	t.Run("after another was published", func(t *testing.T) {
		root := filled(t)
		write(t, root, map[string]string{file: own})
		later(root, "results/published", -2)
		later(root, file, -1)
		// The list stays as it is, and is newer all the same.
		status, _, stderr := execute(t, "-publish", "results/a.txt")
		require.Zero(t, status, stderr)
		status, stdout, stderr := execute(t)
		assert.Zero(t, status)
		assert.Empty(t, stdout+stderr)
		assert.Contains(t, read(t, root, "README.md"), "Measured on: Abacus")
	})
	for _, tt := range []struct{ name, text, why string }{
		{"small pictures", measurement{machine: quipu}.steps(), "it is of 80x60, 4 samples a pixel, not of 1280x720, 10 samples a pixel; publish it all the same with -publish"},
		{"few samples", full.steps(), "it is of 1280x720, 4 samples a pixel, not of 1280x720, 10 samples a pixel; publish it all the same with -publish"},
		{"few rounds", strings.ReplaceAll(measurement{size: "1280x720", rounds: 5}.steps(), "samples: 4\n", "samples: 10\n"), "too few rounds, 5; want 6 or more, for an interval"},
		{"one step", strings.ReplaceAll(measurement{size: "1280x720", skip: func(pkg, _ string, _ int) bool { return pkg != "raysteps/step04" }}.steps(), "samples: 4\n", "samples: 10\n"), "36 measurements are missing, raysteps/step01 Render/scene=small the first; want all steps and scenes"},
		{"experiments", full.experiments(), "it holds experiments; publish it with -publish"},
		{"cut short", own[:len(own)-200], "5 values of raysteps/step01/again Render/scene=medium in sec/op and 6 of raysteps/step01 Render/scene=small; want whole rounds, as scripts/bench writes them"},
		{"not a results file", "# A\n", "no measurements; want a file in the Go benchmark format, as scripts/bench writes it"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root := filled(t)
			write(t, root, map[string]string{file: tt.text})
			later(root, file, 1)
			before := tree(t, root)
			status, stdout, stderr := execute(t)
			assert.Zero(t, status)
			assert.Equal(t, fmt.Sprintf("Passing over results %q: %s\n", file, tt.why), stdout)
			assert.Empty(t, stderr)
			assert.Equal(t, before, tree(t, root))
		})
	}
}
