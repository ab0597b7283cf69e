package main

import (
	"bytes"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/common/film"
	"raysteps/common/scene"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/steps"
)

var update = flag.Bool("update", false, "write the golden files")

// golden compares with a file of testdata, or writes it under -update. The
// tests are elsewhere by then, so it takes the folder that they started in.
func golden(t *testing.T, testdata, name, got string) {
	t.Helper()
	name = filepath.Join(testdata, strings.ReplaceAll(name, " ", "-")+".md")
	if *update {
		require.NoError(t, os.MkdirAll(testdata, 0o777))
		require.NoError(t, os.WriteFile(name, []byte(got), 0o666))
	}
	want, err := os.ReadFile(name)
	require.NoError(t, err, "go test -update writes it")
	assert.Equal(t, string(want), got)
}

func testdata(t *testing.T) string {
	dir, err := filepath.Abs("testdata")
	require.NoError(t, err)
	return dir
}

const (
	abacus = "goos: plan9\ngoarch: amd64\ncpu: Abacus 9\ncpu-family: 25, model 17, Counting House\ncpu-cores: 2\ngoversion: go1.26.8\ngoamd64: v1\n"
	quipu  = "goos: linux\ngoarch: arm64\ncpu-brand: Quipu (R) 3\ncpu-cores: 7\ngoversion: go1.26.9\n"
)

// The names under which scripts/readme publishes them.
const (
	abacusFile = "abacus-9-25-model-17-counting-house-plan9"
	quipuFile  = "quipu-r-3-linux"
)

// measurement makes the text of a results file.
type measurement struct {
	machine string // configuration lines; abacus if empty
	rounds  int    // 6 if 0
	size    string // "80x60" if empty
	factor  float64
	skip    func(pkg, scene string, round int) bool
}

func (m measurement) defaults() measurement {
	if m.machine == "" {
		m.machine = abacus
	}
	if m.rounds == 0 {
		m.rounds = 6
	}
	if m.size == "" {
		m.size = "80x60"
	}
	if m.factor == 0 {
		m.factor = 1
	}
	return m
}

// jitter is a few percent that differ by round and benchmark. The third round
// is slow throughout.
func jitter(n, round int) float64 {
	j := 1 + 0.01*float64((n*7+round*3)%5-2)
	if round == 2 {
		j /= 1.1
	}
	return j
}

// steps is a file of all steps and of the first one again.
func (m measurement) steps() string {
	m = m.defaults()
	var b strings.Builder
	fmt.Fprintf(&b, "Unit rays/s better=higher\nUnit rays/op assume=exact\n\nsize: %s\nsamples: 4\nbounces: 50\n%s", m.size, m.machine)
	for round := range m.rounds {
		turn := func(n int, pkg string, speed float64) {
			fmt.Fprintf(&b, "\npkg: %s\n\n", pkg)
			for _, sc := range []struct {
				name       string
				rays, rate float64
			}{{"small", 36714, 16e6}, {"medium", 51614, 4e6}, {"large", 54561, 0.5e6}} {
				if m.skip != nil && m.skip(pkg, sc.name, round) {
					continue
				}
				rate := sc.rate * speed * m.factor * jitter(n, round)
				fmt.Fprintf(&b, "BenchmarkRender/scene=%s-2 7 %.6g ns/op %.0f rays/op %.6g rays/s 0 B/op 0 allocs/op\n",
					sc.name, sc.rays/rate*1e9, sc.rays, rate)
			}
		}
		all := steps.All()
		for _, s := range all {
			turn(s.Number, s.Package(), 1+float64(s.Number-1)/4)
		}
		turn(0, results.Again(all[0]), 1)
	}
	return b.String()
}

// experiments is a file of two benchmarks of chapters.
func (m measurement) experiments() string {
	m = m.defaults()
	var b strings.Builder
	b.WriteString(m.machine)
	for round := range m.rounds {
		for pkg, lines := range []string{
			1: "HitLoop/ray=pointer/record=pointer 2000 0\nHitLoop/ray=value/record=pointer 2500 24\nHitLoop/ray=value/record=value 5000 48",
			4: "Layout/n=46 200 0\nLayout/n=484 2100 0",
		} {
			if lines == "" || m.skip != nil && m.skip(fmt.Sprintf("raysteps/step%02d", pkg), "", round) {
				continue
			}
			fmt.Fprintf(&b, "\npkg: raysteps/step%02d\n\n", pkg)
			for n, line := range strings.Split(lines, "\n") {
				var name string
				var ns, bytes float64
				fmt.Sscan(line, &name, &ns, &bytes)
				fmt.Fprintf(&b, "Benchmark%s-2 100 %.5g ns/op %.4g ns/sphere %.0f B/op\n", name, ns/m.factor/jitter(n, round), ns/46/jitter(n, round), bytes)
			}
		}
	}
	return b.String()
}

// lines writes a round of benchmarks, in nanoseconds and rays for each second.
func lines(b *strings.Builder, pkg, name string, rate float64) {
	const rays = 50_000
	fmt.Fprintf(b, "\npkg: %s\n\nBenchmark%s-2 7 %.6g ns/op %d rays/op %.6g rays/s\n", pkg, name, rays/rate*1e9, rays, rate)
}

// sweeps is a file of step 13 with 1, 2, 4 and 8 workers and three sizes of
// tiles.
func (m measurement) sweeps() string {
	m = m.defaults()
	var b strings.Builder
	fmt.Fprintf(&b, "size: %s\nsamples: 4\n%sgomaxprocs: 8\n", m.size, m.machine)
	for round := range m.rounds {
		for i, sc := range []string{"small", "medium", "large"} {
			for j, tile := range []int{8, 32, 128} {
				for k, workers := range []int{1, 2, 4, 8} {
					if m.skip != nil && m.skip(fmt.Sprintf("tile=%d/workers=%d", tile, workers), sc, round) {
						continue
					}
					each := 4e6 * float64(i+1) * []float64{0.97, 1, 0.99 - 0.02*float64(k)}[j] * (1 - 0.02*float64(k*(3-i)))
					lines(&b, "raysteps/step13", fmt.Sprintf("Sweep/scene=%s/tile=%d/workers=%d", sc, tile, workers), each*float64(workers)*jitter(i+3*j+k, round))
				}
			}
		}
	}
	return b.String()
}

// schedules is a file of step 13 on up to 256 processors that are simulated.
func (m measurement) schedules() string {
	m = m.defaults()
	var b strings.Builder
	fmt.Fprintf(&b, "size: %s\nsamples: 4\n%s\npkg: raysteps/step13\n", m.size, m.machine)
	for round := range m.rounds {
		for i, sc := range []string{"small", "medium", "large"} {
			for j, division := range []string{"8", "32", "128", "row", "parts"} {
				for _, workers := range []int{1, 2, 16, 256} {
					lost := float64(workers-1) * []float64{0.05, 0.2, 3, 0.4, 0.9}[j] * jitter(i+j, round) / float64(100*(i+1))
					fmt.Fprintf(&b, "BenchmarkSchedule/scene=%s/division=%s/workers=%d-2 1 %.6g efficiency\n", sc, division, workers, 1/(1+lost))
				}
			}
		}
	}
	return b.String()
}

// spheres is a file of three steps.
func (m measurement) spheres() string {
	m = m.defaults()
	var b strings.Builder
	fmt.Fprintf(&b, "samples: 1\n%s", m.machine)
	for round := range m.rounds {
		for i, step := range []int{1, 4, 12} {
			for j, n := range []int{1, 10, 100, 1000, 10_000, 100_000} {
				cost := 40 + float64(n)*[]float64{4, 3, 0.3}[i]
				lines(&b, fmt.Sprintf("raysteps/step%02d", step), fmt.Sprintf("Render/spheres=%d", n), 1e9/cost*jitter(i+j, round))
			}
		}
	}
	return b.String()
}

// builds is a file of four steps in four builds.
func (m measurement) builds() string {
	m = m.defaults()
	var b strings.Builder
	fmt.Fprintf(&b, "size: %s\nsamples: 4\n%s", m.size, m.machine)
	for round := range m.rounds {
		for _, step := range []int{1, 4, 9, 12} {
			for i, config := range []string{"v1 off checked", "v3 off checked", "v1 on checked", "v3 on unchecked"} {
				words := strings.Fields(config)
				fmt.Fprintf(&b, "\ngoamd64: %s\npgo: %s\nbounds: %s\n", words[0], words[1], words[2])
				for j, sc := range []string{"small", "medium", "large"} {
					rate := []float64{16e6, 4e6, 0.5e6}[j] * float64(step) * (1 + 0.05*float64(i)*float64(4-j)/float64(step))
					lines(&b, fmt.Sprintf("raysteps/step%02d", step), "Render/scene="+sc, rate*jitter(step+i+j, round))
				}
			}
		}
	}
	return b.String()
}

// flat makes every picture one of width x 2 pixels in one gray, so that no
// test waits for the real ones.
func flat(t *testing.T, width int, gray float32) {
	before := pictures
	t.Cleanup(func() { pictures = before })
	pictures = map[string]func() *film.Film{}
	for _, name := range scene.Names() {
		pictures[name] = func() *film.Film {
			f := film.New(width, 2)
			for i := range 2 * width {
				f.Set(i%width, i/width, gray, gray, gray, 1)
			}
			return f
		}
	}
}

func write(t *testing.T, root string, files map[string]string) {
	for name, text := range files {
		file := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o777))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
	}
}

// tree returns the files under root, by path with slashes.
func tree(t *testing.T, root string) map[string]string {
	all := map[string]string{}
	require.NoError(t, fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		all[name] = read(t, root, name)
		return nil
	}))
	return all
}

func region(call string) string { return "<!-- raysteps:" + call + " -->\n<!-- /raysteps -->\n" }

// measured is a module with measurements and without pages.
func measured(t *testing.T) (root string) {
	flat(t, 3, 0.5)
	return module(t, map[string]string{
		"results/published": "steps: a.txt\nexperiments: b.txt\n",
		"results/a.txt":     measurement{}.steps(),
		"results/b.txt":     measurement{}.experiments(),
	})
}

func TestMeasuredDirectives(t *testing.T) {
	dir := testdata(t)
	root := measured(t)
	for _, tt := range []struct{ name, call string }{
		{"steps", "steps steps=1-4"},
		{"steps of one scene", "steps scene=large steps=1,3-4"},
		{"step without its neighbors", "steps scene=small steps=3"},
		{"compare", "compare from=3 to=4"},
		{"compare backward", "compare from=step04 to=step01"},
		{"experiment", "experiment pkg=step01 bench=HitLoop units=sec/op,B/op"},
		{"experiment without ratio", "experiment pkg=step01 bench=HitLoop units=B/op,sec/op ratio=no"},
		{"experiment in another unit", "experiment pkg=step04 bench=Layout units=sec/sphere"},
		{"machine", "machine"},
		{"pictures", "pictures"},
		{"picture", "picture scene=medium"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := fill(t, root, tt.call)
			require.NoError(t, err)
			golden(t, dir, tt.name, got+"\n")
		})
	}
}

func TestInlineFigures(t *testing.T) {
	dir := testdata(t)
	root := measured(t)
	var page strings.Builder
	for _, call := range []string{
		"ratio from=1 to=4 scene=large", "ratio from=4 to=1 scene=large", "rate step=4 scene=large",
		"perray step=step04 scene=medium", "persphere step=4 scene=large", "machine", "picture scene=small",
		"value pkg=step01 bench=HitLoop/ray=value/record=pointer unit=sec/op",
	} {
		fmt.Fprintf(&page, "It is <!-- raysteps:%s --><!-- /raysteps -->, or so.\n", call)
	}
	write(t, root, map[string]string{"docs/a.md": page.String()})
	status, stdout, stderr := execute(t)
	require.Zero(t, status, stderr)
	assert.Equal(t, "docs/a.md\ndocs/pictures/small.png\n", stdout)
	golden(t, dir, "inline", read(t, root, "docs/a.md"))

	status, stdout, stderr = execute(t, "-check")
	assert.Zero(t, status)
	assert.Empty(t, stdout+stderr)
	status, stdout, _ = execute(t)
	assert.Zero(t, status)
	assert.Empty(t, stdout, "filled twice is filled once")
}

// Without steps and scene, the table has all of them.
func TestAllSteps(t *testing.T) {
	root := measured(t)
	rows := func() (rows, noise int) {
		got, err := fill(t, root, "steps")
		require.NoError(t, err)
		large, small := strings.Index(got, "The large scene:\n"), strings.Index(got, "The small scene:\n")
		assert.Contains(t, got, "\nThe medium scene:\n")
		assert.True(t, large == 0 && small > large, "the large scene is first and the small one last")
		return strings.Count(got, "\n| ") - 2*3, strings.Count(got, "the same again: the noise")
	}
	all, noise := rows()
	assert.Equal(t, 3*(len(steps.All())+1), all)
	assert.Equal(t, 3, noise)

	again := results.Again(steps.All()[0])
	write(t, root, map[string]string{"results/a.txt": measurement{skip: func(pkg, _ string, _ int) bool { return pkg == again }}.steps()})
	all, noise = rows()
	assert.Equal(t, 3*len(steps.All()), all)
	assert.Zero(t, noise)

	// A step that exists and was not measured yet has no row.
	write(t, root, map[string]string{"results/a.txt": measurement{skip: func(pkg, _ string, _ int) bool { return pkg == "raysteps/step03" }}.steps()})
	all, _ = rows()
	assert.Equal(t, 3*len(steps.All()), all)
}

func TestMeasuredDirectiveErrors(t *testing.T) {
	root := measured(t)
	const scenes = `unknown scene "tiny"; want small, medium, large`
	number := "want " + steps.Choices()
	tests := []struct{ name, call, want string }{
		{"steps, scene", "steps scene=tiny", scenes},
		{"steps, step", "steps steps=2-99", `unknown step "99"; ` + number},
		{"steps, range", "steps steps=4-2", `range "4-2" runs backward; want the lower step first`},
		{"steps, key", "steps step=4", `unknown key "step"; want scene or steps`},
		{"compare, from", "compare from=0 to=2", `from: unknown step "0"; ` + number},
		{"compare, to", "compare from=1 to=step99", `to: unknown step "step99"; ` + number},
		{"compare, the same", "compare from=2 to=step02", "from and to are both step02; want two steps"},
		{"compare, one side", "compare to=2", "from is missing; want compare from=3 to=4"},
		{"value, benchmark", "value pkg=step01 bench=HitLoop unit=sec/op",
			`results "results/b.txt": no benchmark "HitLoop" of package raysteps/step01`},
		{"experiment, package", "experiment pkg=step02 bench=HitLoop units=sec/op",
			`results "results/b.txt": no benchmark "HitLoop/..." of package raysteps/step02`},
		{"experiment, benchmark", "experiment pkg=step01 bench=Hit units=sec/op",
			`results "results/b.txt": no benchmark "Hit/..." of package raysteps/step01`},
		{"experiment, unit", "experiment pkg=step01 bench=HitLoop units=ns/op",
			`results "results/b.txt": raysteps/step01 HitLoop/ray=pointer/record=pointer: no values in ns/op`},
		{"experiment, no unit", "experiment pkg=step01 bench=HitLoop units=,", `units is ","; want one or more, such as sec/op`},
		{"experiment, ratio", "experiment pkg=step01 bench=HitLoop units=sec/op ratio=off", `ratio is "off"; want yes or no`},
		{"ratio, from", "ratio from=x to=2 scene=large", `from: unknown step "x"; ` + number},
		{"ratio, the same", "ratio from=2 to=2 scene=large", "from and to are both step02; want two steps"},
		{"ratio, scene", "ratio from=1 to=2 scene=tiny", scenes},
		{"rate, step", "rate step=99 scene=large", `unknown step "99"; ` + number},
		{"rate, scene", "rate step=4 scene=tiny", scenes},
		{"perray, step", "perray step=99 scene=large", `unknown step "99"; ` + number},
		{"perray, scene", "perray step=4 scene=tiny", scenes},
		{"persphere, step", "persphere step=99 scene=large", `unknown step "99"; ` + number},
		{"persphere, scene", "persphere step=4 scene=tiny", scenes},
		{"picture, scene", "picture scene=tiny", scenes},
		{"picture, no scene", "picture", "scene is missing; want picture scene=large"},
		{"machine, key", "machine name=abacus", `unknown key "name"; want none`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := fill(t, root, tt.call)
			name, _, _ := strings.Cut(tt.call, " ")
			assert.EqualError(t, err, "docs/a.md:1: "+name+": "+tt.want)
		})
	}
	t.Run("a table in a sentence", func(t *testing.T) {
		write(t, root, map[string]string{"docs/a.md": "One\n\nIt is <!-- raysteps:compare from=1 to=2 --><!-- /raysteps -->.\n"})
		status, _, stderr := execute(t)
		assert.Equal(t, 1, status)
		assert.Equal(t, "readme: docs/a.md:3: compare: its content has several lines; want both markers alone on their lines\n", stderr)
	})
}

func TestPublished(t *testing.T) {
	good := measurement{}.steps()
	cut := strings.LastIndex(good, "BenchmarkRender/scene=medium")
	tests := []struct {
		name      string
		published string // left out if empty
		file      string // results/a.txt
		call      string
		want      string
	}{
		{"missing", "", good, "steps",
			"results/published names no file of steps; put one there with go run ./scripts/readme -publish FILE"},
		{"no experiments", "steps: a.txt\n", good, "experiment pkg=step01 bench=HitLoop units=sec/op",
			"results/published names no file of experiments; put one there with go run ./scripts/readme -publish FILE"},
		{"malformed", "experiments: b.txt\nstep: a.txt\n", good, "machine",
			`results/published:2: "step: a.txt"; want KIND: FILE, where KIND is one of steps, experiments, sweeps, schedules, spheres, builds, timeline, beside`},
		{"no name", "steps: \n", good, "machine", `results/published:1: "steps:"; want KIND: FILE, where KIND is one of steps, experiments, sweeps, schedules, spheres, builds, timeline, beside`},
		{"empty line", "steps: a.txt\n\n", good, "machine", `results/published:2: ""; want KIND: FILE, where KIND is one of steps, experiments, sweeps, schedules, spheres, builds, timeline, beside`},
		{"two of a kind", "steps: a.txt\r\nsteps: b.txt\r\n", good, "machine",
			"results/published:2: a second file of steps; want one of each kind"},
		{"a file elsewhere", "steps: ../a.txt\n", good, "machine",
			`results/published:1: "../a.txt"; want the name of a file in results, without a folder`},
		{"a file of one's own", "steps: local/a.txt\n", good, "machine",
			`results/published:1: "local/a.txt"; want the name of a file in results, without a folder`},
		{"the folder", "steps: ..\n", good, "machine",
			`results/published:1: ".."; want the name of a file in results, without a folder`},
		{"no such file", "steps: c.txt\n", good, "compare from=1 to=2",
			"results/published names results/c.txt, which does not exist; want a file in results"},
		{"not a results file", "steps: a.txt\n", "# A heading\n", "steps",
			`results "results/a.txt": no measurements; want a file in the Go benchmark format, as scripts/bench writes it`},
		{"empty", "steps: a.txt\n", "", "steps",
			`results "results/a.txt": no measurements; want a file in the Go benchmark format, as scripts/bench writes it`},
		{"cut in a line", "steps: a.txt\n", good[:cut+len("BenchmarkRender/scene=medium-2 7 1")], "steps",
			fmt.Sprintf(`results "results/a.txt": line %d: missing units; want the Go benchmark format`, 1+strings.Count(good[:cut], "\n"))},
		{"cut between two lines", "steps: a.txt\n", good[:cut], "rate step=1 scene=small",
			`results "results/a.txt": 5 values of raysteps/step01/again Render/scene=medium in sec/op and 6 of raysteps/step01 Render/scene=small; want whole rounds, as scripts/bench writes them`},
		{"cut before a rate", "steps: a.txt\n", good[:cut] + "BenchmarkRender/scene=medium-2 7 1 ns/op 51614 rays/op\n", "steps",
			`results "results/a.txt": 5 values of raysteps/step01/again Render/scene=medium in rays/s and 6 of raysteps/step01 Render/scene=small; want whole rounds, as scripts/bench writes them`},
		{"the other kind", "steps: a.txt\n", measurement{}.experiments(), "steps",
			"results/published names results/a.txt, which holds experiments; want steps"},
		{"the other kind, again", "experiments: a.txt\n", good, "experiment pkg=step01 bench=HitLoop units=sec/op",
			"results/published names results/a.txt, which holds steps; want experiments"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			files := map[string]string{"results/a.txt": tt.file}
			if tt.published != "" {
				files["results/published"] = tt.published
			}
			root := module(t, files)
			_, err := fill(t, root, tt.call)
			name, _, _ := strings.Cut(tt.call, " ")
			assert.EqualError(t, err, "docs/a.md:1: "+name+": "+tt.want)
		})
	}

	t.Run("a folder", func(t *testing.T) {
		root := module(t, map[string]string{"results/published": "steps: local\n", "results/local/a.txt": good})
		_, err := fill(t, root, "machine")
		require.Error(t, err)
		assert.Contains(t, err.Error(), "docs/a.md:1: machine: results/published names results/local: ")
	})
	t.Run("said once", func(t *testing.T) {
		root := module(t, map[string]string{
			"README.md": "# A\n\n" + region("machine") + region("steps"),
			"docs/a.md": region("compare from=1 to=2") + region("experiment pkg=step01 bench=HitLoop units=sec/op") + region("steps scene=tiny"),
			"docs/b.md": region("experiment pkg=step01 bench=HitLoop units=B/op"),
		})
		before := tree(t, root)
		for _, args := range [][]string{{}, {"-check"}} {
			status, stdout, stderr := execute(t, args...)
			assert.Equal(t, 1, status)
			assert.Empty(t, stdout)
			assert.Equal(t, `readme: README.md:3: machine: results/published names no file of steps; put one there with go run ./scripts/readme -publish FILE
readme: docs/a.md:3: experiment: results/published names no file of experiments; put one there with go run ./scripts/readme -publish FILE
`, stderr)
			assert.Equal(t, before, tree(t, root))
		}
	})
}

// filled is a module with pages that are filled from the measurements of the
// abacus.
func filled(t *testing.T) (root string) {
	root = measured(t)
	write(t, root, map[string]string{
		"README.md": "# Steps\n\n" + region("machine") + "\n" + region("steps scene=large steps=1-2") + "\n" + region("pictures"),
		"docs/step01.md": "It is <!-- raysteps:ratio from=1 to=2 scene=large --><!-- /raysteps --> times.\n\n" +
			region("experiment pkg=step01 bench=HitLoop units=sec/op"),
	})
	status, _, stderr := execute(t)
	require.Zero(t, status, stderr)
	return root
}

const (
	otherExperiments = "The experiments in the pages are still those of results/b.txt, of another machine; go run ./scripts/bench -experiments measures yours\n"
	otherSteps       = "The steps in the pages are still those of results/a.txt, of another machine; go run ./scripts/bench -quick measures yours\n"
)

func TestPublish(t *testing.T) {
	mine := measurement{machine: quipu, factor: 2}
	full := mine
	full.size = "1280x720"
	faster := measurement{factor: 2}
	local := "results/local/a.txt"
	tests := []struct {
		name      string
		files     map[string]string
		args      []string
		published string
		copies    map[string]string // file in results by file that is published
		stdout    string
		pages     []string // texts of README.md
		chapter   []string // texts of docs/step01.md
	}{
		{
			"steps", map[string]string{local: mine.steps()}, []string{"-publish", local},
			"steps: quipu-r-3-linux.txt\nexperiments: b.txt\n",
			map[string]string{local: quipuFile + ".txt"},
			"README.md\ndocs/step01.md\nresults/published\nresults/quipu-r-3-linux.txt\n" + otherExperiments,
			[]string{"Measured on: Quipu (R) 3, 7 cores, linux/arm64, go1.26.9, 80x60, 4 samples a pixel, 6 rounds.", "| 995.0k\u00A0±"},
			[]string{"\n*On another machine than the steps: Abacus 9 (family"},
		},
		{
			"steps of the same machine", map[string]string{local: faster.steps()}, []string{"-publish", local},
			"steps: " + abacusFile + ".txt\nexperiments: b.txt\n",
			map[string]string{local: abacusFile + ".txt"},
			"README.md\nresults/" + abacusFile + ".txt\nresults/published\n",
			[]string{"Measured on: Abacus 9", "| 995.0k\u00A0±"},
			[]string{"\n*Abacus 9 (family"},
		},
		{
			"steps of full size", map[string]string{local: full.steps()}, []string{"-publish", local},
			"steps: quipu-r-3-linux.txt\nexperiments: b.txt\n",
			map[string]string{local: quipuFile + ".txt"},
			"README.md\ndocs/step01.md\nresults/published\nresults/quipu-r-3-linux.txt\n" + otherExperiments,
			[]string{", 1280x720, 4 samples a pixel, 6 rounds*"}, nil,
		},
		{
			"experiments", map[string]string{local: mine.experiments()}, []string{"-publish", local},
			"steps: a.txt\nexperiments: quipu-r-3-linux-experiments.txt\n",
			map[string]string{local: quipuFile + "-experiments.txt"},
			"docs/step01.md\nresults/published\nresults/quipu-r-3-linux-experiments.txt\n" + otherSteps,
			[]string{"Measured on: Abacus 9"},
			[]string{"\n*On another machine than the steps: Quipu (R) 3, 7 cores, linux/arm64, go1.26.9, 6 rounds*", "| 1.010µs ±"},
		},
		{
			"both", map[string]string{local: mine.steps(), "b.txt": mine.experiments()}, []string{"-publish", "b.txt", "-publish", local},
			"steps: quipu-r-3-linux.txt\nexperiments: quipu-r-3-linux-experiments.txt\n",
			map[string]string{local: quipuFile + ".txt", "b.txt": quipuFile + "-experiments.txt"},
			"README.md\ndocs/step01.md\nresults/published\nresults/quipu-r-3-linux-experiments.txt\nresults/quipu-r-3-linux.txt\n",
			[]string{"Measured on: Quipu"}, []string{"\n*Quipu (R) 3"},
		},
		{
			"both, of two machines", map[string]string{local: mine.steps(), "b.txt": faster.experiments()}, []string{"-publish", local, "-publish", "b.txt"},
			"steps: quipu-r-3-linux.txt\nexperiments: " + abacusFile + "-experiments.txt\n",
			map[string]string{local: quipuFile + ".txt", "b.txt": abacusFile + "-experiments.txt"},
			"README.md\ndocs/step01.md\nresults/" + abacusFile + "-experiments.txt\nresults/published\nresults/quipu-r-3-linux.txt\n",
			[]string{"Measured on: Quipu"}, []string{"\n*On another machine than the steps: Abacus 9 (family"},
		},
		{
			"steps beside experiments alone", map[string]string{local: mine.steps(), "results/published": "experiments: b.txt\n"}, []string{"-publish", local},
			"steps: quipu-r-3-linux.txt\nexperiments: b.txt\n",
			map[string]string{local: quipuFile + ".txt"},
			"README.md\ndocs/step01.md\nresults/published\nresults/quipu-r-3-linux.txt\n" + otherExperiments,
			nil, []string{"\n*On another machine than the steps: Abacus 9 (family"},
		},
		{
			"both of a named machine", map[string]string{local: mine.steps(), "b.txt": mine.experiments()},
			[]string{"-publish", local, "-machine", " Ma's  Läptop! ", "-publish", "b.txt"},
			"steps: ma-s-l-ptop.txt\nexperiments: ma-s-l-ptop-experiments.txt\n",
			map[string]string{local: "ma-s-l-ptop.txt", "b.txt": "ma-s-l-ptop-experiments.txt"},
			"README.md\ndocs/step01.md\nresults/ma-s-l-ptop-experiments.txt\nresults/ma-s-l-ptop.txt\nresults/published\n",
			nil, nil,
		},
		{
			"a file in results", map[string]string{"results/My own.txt": mine.steps()}, []string{"-publish", "results/My own.txt"},
			"steps: My own.txt\nexperiments: b.txt\n",
			map[string]string{"results/My own.txt": "My own.txt"},
			"README.md\ndocs/step01.md\nresults/published\n" + otherExperiments, nil, nil,
		},
		{
			"a file in results under its name", map[string]string{"results/quipu.txt": mine.steps()},
			[]string{"-publish", "results/quipu.txt", "-machine", "Quipu"},
			"steps: quipu.txt\nexperiments: b.txt\n",
			map[string]string{"results/quipu.txt": "quipu.txt"},
			"README.md\ndocs/step01.md\nresults/published\n" + otherExperiments, nil, nil,
		},
		{
			"a file in results under another name", map[string]string{"results/quipu.txt": mine.steps()},
			[]string{"-publish", "results/quipu.txt", "-machine", "Khipu"},
			"steps: khipu.txt\nexperiments: b.txt\n",
			map[string]string{"results/quipu.txt": "khipu.txt"},
			"README.md\ndocs/step01.md\nresults/khipu.txt\nresults/published\n" + otherExperiments, nil, nil,
		},
		{
			"what is published", nil, []string{"-publish", "results/a.txt", "-publish", "results/b.txt"},
			"steps: a.txt\nexperiments: b.txt\n",
			map[string]string{"results/a.txt": "a.txt", "results/b.txt": "b.txt"},
			"", nil, nil,
		},
		{
			"ends of lines as Windows has them", map[string]string{local: strings.ReplaceAll(mine.steps(), "\n", "\r\n")}, []string{"-publish", local},
			"steps: quipu-r-3-linux.txt\nexperiments: b.txt\n",
			map[string]string{local: quipuFile + ".txt"},
			"README.md\ndocs/step01.md\nresults/published\nresults/quipu-r-3-linux.txt\n" + otherExperiments,
			[]string{"Measured on: Quipu (R) 3, 7 cores"}, nil,
		},
		{
			"over an older run", map[string]string{local: mine.steps(), "results/quipu-r-3-linux.txt": measurement{machine: quipu}.steps()},
			[]string{"-publish", local},
			"steps: quipu-r-3-linux.txt\nexperiments: b.txt\n",
			map[string]string{local: quipuFile + ".txt"},
			"README.md\ndocs/step01.md\nresults/published\nresults/quipu-r-3-linux.txt\n" + otherExperiments,
			[]string{"| 995.0k\u00A0±"}, nil,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root := filled(t)
			write(t, root, tt.files)
			want := tree(t, root)
			status, stdout, stderr := execute(t, tt.args...)
			require.Zero(t, status, stderr)
			assert.Equal(t, tt.stdout, stdout)
			assert.Empty(t, stderr)
			assert.Equal(t, tt.published, read(t, root, "results/published"))
			for file, copied := range tt.copies {
				assert.Equal(t, want[file], read(t, root, "results/"+copied))
				want["results/"+copied] = want[file]
			}
			for _, text := range tt.pages {
				assert.Contains(t, read(t, root, "README.md"), text)
			}
			for _, text := range tt.chapter {
				assert.Contains(t, read(t, root, "docs/step01.md"), text)
			}
			got := tree(t, root)
			for _, page := range []string{"README.md", "docs/step01.md", "results/published"} {
				want[page] = got[page]
			}
			assert.Equal(t, want, got, "no other file is written")

			status, stdout, stderr = execute(t, "-check")
			assert.Zero(t, status)
			assert.Empty(t, stdout+stderr)
			status, stdout, stderr = execute(t, tt.args...)
			assert.Zero(t, status, stderr)
			assert.NotContains(t, stdout, ".md\n", "published twice is published once")
			assert.Equal(t, got, tree(t, root))
		})
	}
}

// A reader who is in another folder names the file as it is seen from there.
func TestPublishFromAnotherFolder(t *testing.T) {
	root := filled(t)
	write(t, root, map[string]string{"results/local/a.txt": measurement{machine: quipu}.steps()})
	t.Chdir(filepath.Join(root, "results", "local"))
	status, _, stderr := execute(t, "-publish", "a.txt")
	require.Zero(t, status, stderr)
	assert.Equal(t, "steps: quipu-r-3-linux.txt\nexperiments: b.txt\n", read(t, root, "results/published"))
	assert.FileExists(t, filepath.Join(root, "results", quipuFile+".txt"))

	t.Chdir(filepath.Join(root, "results"))
	status, _, stderr = execute(t, "-publish", "a.txt")
	require.Zero(t, status, stderr)
	assert.Equal(t, "steps: a.txt\nexperiments: b.txt\n", read(t, root, "results/published"), "the one in results, and not that in local")
}

// The first file of all is published into an empty folder.
func TestPublishFirst(t *testing.T) {
	root := module(t, map[string]string{"docs/a.md": region("machine"), "a.txt": measurement{}.steps()})
	status, stdout, stderr := execute(t, "-publish", "a.txt")
	require.Zero(t, status, stderr)
	assert.Equal(t, "docs/a.md\nresults/"+abacusFile+".txt\nresults/published\n", stdout)
	assert.Equal(t, "steps: "+abacusFile+".txt\n", read(t, root, "results/published"))

	// Experiments without steps have nothing to be another machine than.
	root = module(t, map[string]string{
		"docs/a.md": region("experiment pkg=step01 bench=HitLoop units=sec/op"),
		"a.txt":     measurement{}.experiments(),
	})
	status, _, stderr = execute(t, "-publish", "a.txt")
	require.Zero(t, status, stderr)
	assert.Equal(t, "experiments: "+abacusFile+"-experiments.txt\n", read(t, root, "results/published"))
	assert.Contains(t, read(t, root, "docs/a.md"), "\n*Abacus 9 (family")
}

func TestPublishErrors(t *testing.T) {
	good := measurement{machine: quipu}.steps()
	experiments := measurement{machine: quipu}.experiments()
	cut := strings.LastIndex(good, "BenchmarkRender/scene=medium")
	const none = "no measurements; want a file in the Go benchmark format, as scripts/bench writes it"
	long := strings.Repeat("abacus", 20)
	tests := []struct {
		name   string
		files  map[string]string
		args   []string
		status int
		want   string // behind "readme: "
	}{
		{"two files of steps", map[string]string{"a.txt": good, "b.txt": measurement{}.steps()}, []string{"-publish", "a.txt", "-publish", "b.txt"}, 2,
			`-publish: results "b.txt": a second file of steps; want one of each kind`},
		{"a file twice", map[string]string{"a.txt": experiments}, []string{"-publish", "a.txt", "-publish", "a.txt"}, 2,
			`-publish: results "a.txt": a second file of experiments; want one of each kind`},
		{"few rounds", map[string]string{"a.txt": measurement{rounds: 5}.steps()}, []string{"-publish", "a.txt"}, 2,
			`-publish: results "a.txt": too few rounds, 5; want 6 or more, for an interval`},
		{"few rounds of experiments", map[string]string{"a.txt": measurement{rounds: 1}.experiments()}, []string{"-publish", "a.txt"}, 2,
			`-publish: results "a.txt": too few rounds, 1; want 6 or more, for an interval`},
		{"a step is missing", map[string]string{"a.txt": measurement{skip: func(pkg, _ string, _ int) bool { return pkg == "raysteps/step02" }}.steps()},
			[]string{"-publish", "a.txt"}, 2,
			`-publish: results "a.txt": 3 measurements are missing, raysteps/step02 Render/scene=small the first; want all steps and scenes`},
		{"a scene is missing", map[string]string{"a.txt": measurement{skip: func(_, scene string, _ int) bool { return scene == "medium" }}.steps()},
			[]string{"-publish", "a.txt"}, 2,
			fmt.Sprintf(`-publish: results "a.txt": %d measurements are missing, raysteps/step01 Render/scene=medium the first; want all steps and scenes`, len(steps.Numbered()))},
		{"a round of a step is missing", map[string]string{"a.txt": measurement{rounds: 7, skip: func(pkg, scene string, round int) bool {
			return pkg == "raysteps/step02" && scene == "large" && round == 3
		}}.steps()}, []string{"-publish", "a.txt"}, 2,
			`results "a.txt": 6 values of raysteps/step02 Render/scene=large in sec/op and 7 of raysteps/step01 Render/scene=small; want whole rounds, as scripts/bench writes them`},
		{"cut between two lines", map[string]string{"a.txt": good[:cut]}, []string{"-publish", "a.txt"}, 2,
			`results "a.txt": 5 values of raysteps/step01/again Render/scene=medium in sec/op and 6 of raysteps/step01 Render/scene=small; want whole rounds, as scripts/bench writes them`},
		{"experiments cut between two lines", map[string]string{"a.txt": experiments[:strings.LastIndex(experiments, "BenchmarkLayout/n=484")] + experiments}, []string{"-publish", "a.txt"}, 2,
			`results "a.txt": 11 values of raysteps/step04 Layout/n=484 in B/op and 12 of raysteps/step01 HitLoop/ray=pointer/record=pointer; want whole rounds, as scripts/bench writes them`},
		{"cut in a line", map[string]string{"a.txt": good[:cut+len("BenchmarkRender/scene=medium-2 7")]}, []string{"-publish", "a.txt"}, 2,
			fmt.Sprintf(`results "a.txt": line %d: missing measurements; want the Go benchmark format`, 1+strings.Count(good[:cut], "\n"))},
		{"two sizes", map[string]string{"a.txt": good + measurement{size: "1280x720"}.steps()}, []string{"-publish", "a.txt"}, 2,
			fmt.Sprintf(`results "a.txt": line %d: size is "1280x720" after "80x60"; want one throughout, since tables compare`,
				strings.Count(good, "\n")+1+strings.Count(measurement{}.steps()[:strings.Index(measurement{}.steps(), "Benchmark")], "\n"))},
		{"not a results file", map[string]string{"a.txt": "package main\n"}, []string{"-publish", "a.txt"}, 2, `results "a.txt": ` + none},
		{"not even text", map[string]string{"a.txt": "\x89PNG\r\n\x00\xff"}, []string{"-publish", "a.txt"}, 2, `results "a.txt": ` + none},
		{"an empty file", map[string]string{"a.txt": ""}, []string{"-publish", "a.txt"}, 2, `results "a.txt": ` + none},
		{"a missing file", nil, []string{"-publish", "a.txt"}, 2, `results "a.txt": does not exist; want a file that scripts/bench wrote`},
		{"no name", nil, []string{"-publish", ""}, 2, `results "": does not exist; want a file that scripts/bench wrote`},
		{"a folder", nil, []string{"-publish", "results"}, 2, `results "results": is a folder; want a file that scripts/bench wrote`},
		{"the list of files", nil, []string{"-publish", "results/published"}, 2, `results "results/published": ` + none},
		{"the second file is bad", map[string]string{"a.txt": good, "b.txt": "?\n"}, []string{"-publish", "a.txt", "-publish", "b.txt"}, 2,
			`results "b.txt": ` + none},
		{"with -check", map[string]string{"a.txt": good}, []string{"-check", "-publish", "a.txt"}, 2,
			"-check and -publish exclude each other; want one of them"},
		{"-machine alone", nil, []string{"-machine", "abacus"}, 2, "-machine names the file of -publish; want both"},
		{"-machine without letters", map[string]string{"a.txt": good}, []string{"-publish", "a.txt", "-machine", "счёты ../"}, 2,
			`-machine is "счёты ../"; want a name with letters a to z or digits, 100 at the most`},
		{"-machine too long", map[string]string{"a.txt": good}, []string{"-publish", "a.txt", "-machine", long}, 2,
			fmt.Sprintf(`-machine is %q; want a name with letters a to z or digits, 100 at the most`, long)},
		{"an unknown machine", map[string]string{"a.txt": measurement{machine: "goarch: amd64\n"}.steps()}, []string{"-publish", "a.txt"}, 2,
			`results "a.txt": says neither cpu nor goos; want a name for the machine, with -machine`},
		{"steps named as the experiments are",
			map[string]string{"a.txt": good, "results/quipu-experiments.txt": experiments, "results/published": "steps: a.txt\nexperiments: quipu-experiments.txt\n"},
			[]string{"-publish", "a.txt", "-machine", "Quipu experiments"}, 2,
			"-publish: results/quipu-experiments.txt would hold the steps and the experiments; want another -machine"},
		{"a list that cannot be read", map[string]string{"a.txt": good, "results/published": "a.txt\n"}, []string{"-publish", "a.txt"}, 1,
			`results/published:1: "a.txt"; want KIND: FILE, where KIND is one of steps, experiments, sweeps, schedules, spheres, builds, timeline, beside`},
		{"the other file is gone", map[string]string{"a.txt": good, "results/published": "steps: a.txt\nexperiments: c.txt\n"}, []string{"-publish", "a.txt"}, 1,
			"docs/step01.md:3: experiment: results/published names results/c.txt, which does not exist; want a file in results"},
		{"some of the experiments",
			map[string]string{"a.txt": measurement{skip: func(pkg, _ string, _ int) bool { return pkg == "raysteps/step01" }}.experiments()},
			[]string{"-publish", "a.txt"}, 1,
			`docs/step01.md:3: experiment: results "a.txt": no benchmark "HitLoop/..." of package raysteps/step01`},
		{"a page fails", map[string]string{"a.txt": good, "docs/z.md": "# Z\n\n" + region("steps scene=tiny")}, []string{"-publish", "a.txt"}, 1,
			`docs/z.md:3: steps: unknown scene "tiny"; want small, medium, large`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root := filled(t)
			write(t, root, tt.files)
			before := tree(t, root)
			status, stdout, stderr := execute(t, tt.args...)
			assert.Equal(t, tt.status, status)
			assert.Empty(t, stdout)
			assert.True(t, strings.HasPrefix(stderr, "readme: "), stderr)
			assert.True(t, strings.HasSuffix(stderr, tt.want+"\n"), "%s\nwant %s", stderr, tt.want)
			assert.Equal(t, 1, strings.Count(stderr, "\n"))
			assert.Equal(t, before, tree(t, root), "nothing is written")
		})
	}
}

func TestPictures(t *testing.T) {
	flat(t, 3, 0.5)
	root := module(t, map[string]string{
		"README.md": region("pictures"),
		"docs/a.md": region("picture scene=large"),
	})
	names := "docs/pictures/large.png, docs/pictures/medium.png, docs/pictures/small.png"
	status, stdout, stderr := execute(t, "-check")
	assert.Equal(t, 1, status)
	assert.Contains(t, stdout, "docs/pictures/medium.png differs\n")
	assert.Equal(t, "readme: stale: README.md, docs/a.md, "+names+"; want what go run ./scripts/readme writes\n", stderr)
	assert.NoDirExists(t, filepath.Join(root, "docs", "pictures"))

	status, stdout, stderr = execute(t)
	require.Zero(t, status, stderr)
	assert.Equal(t, "README.md\ndocs/a.md\n"+strings.ReplaceAll(names, ", ", "\n")+"\n", stdout)
	assert.Contains(t, read(t, root, "README.md"), "![The large scene](docs/pictures/large.png)")
	assert.Contains(t, read(t, root, "docs/a.md"), "![The large scene](../docs/pictures/large.png)")
	good := read(t, root, "docs/pictures/large.png")

	gray := func(width int, level color.Gray, at image.Point, other color.Gray) *image.Paletted {
		img := image.NewPaletted(image.Rect(0, 0, width, 2), color.Palette{level, other})
		img.Set(at.X, at.Y, other)
		return img
	}
	pixel, err := png.Decode(strings.NewReader(good))
	require.NoError(t, err)
	require.Equal(t, image.Rect(0, 0, 3, 2), pixel.Bounds())
	level := color.GrayModel.Convert(pixel.At(1, 1)).(color.Gray)
	encode := func(img image.Image) string {
		var b bytes.Buffer
		require.NoError(t, (&png.Encoder{CompressionLevel: png.NoCompression}).Encode(&b, img))
		return b.String()
	}
	packed := encode(gray(3, level, image.Pt(1, 1), level))
	require.NotEqual(t, good, packed)

	for _, tt := range []struct {
		name, text string
		same       bool
	}{
		{"in other bytes", packed, true},
		{"another pixel", encode(gray(3, level, image.Pt(2, 1), color.Gray{level.Y + 1})), false},
		{"another size", encode(gray(4, level, image.Pt(0, 0), level)), false},
		{"no picture", "GIF89a", false},
		{"empty", "", false},
		{"cut short", good[:len(good)-20], false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			write(t, root, map[string]string{"docs/pictures/large.png": tt.text})
			status, stdout, stderr := execute(t, "-check")
			if tt.same {
				assert.Zero(t, status, stderr)
				status, stdout, _ = execute(t)
				assert.Zero(t, status)
				assert.Empty(t, stdout)
				assert.Equal(t, tt.text, read(t, root, "docs/pictures/large.png"), "what shows the same stays")
				return
			}
			assert.Equal(t, 1, status)
			assert.NotEmpty(t, stdout)
			assert.Equal(t, "readme: stale: docs/pictures/large.png; want what go run ./scripts/readme writes\n", stderr)
			assert.Equal(t, tt.text, read(t, root, "docs/pictures/large.png"))
			status, stdout, stderr = execute(t)
			assert.Zero(t, status, stderr)
			assert.Equal(t, "docs/pictures/large.png\n", stdout)
			assert.Equal(t, good, read(t, root, "docs/pictures/large.png"))
		})
	}

	// The same when it is the program that draws something else.
	flat(t, 5, 0.5)
	status, _, stderr = execute(t, "-check")
	assert.Equal(t, 1, status)
	assert.Equal(t, "readme: stale: "+names+"; want what go run ./scripts/readme writes\n", stderr)
	status, _, stderr = execute(t)
	assert.Zero(t, status, stderr)
	status, _, stderr = execute(t, "-check")
	assert.Zero(t, status, stderr)
	assert.NotEqual(t, good, read(t, root, "docs/pictures/large.png"))
}

func TestDuration(t *testing.T) {
	for _, tt := range []struct {
		seconds float64
		want    string
	}{
		{1.2345, "1.23 s"}, {0.99951, "1 s"}, {0.12, "120 ms"}, {1e-3, "1 ms"}, {0.0009996, "1 ms"},
		{2.0149e-6, "2.01 µs"}, {1e-6, "1 µs"}, {999.6e-9, "1 µs"}, {999.4e-9, "999 ns"},
		{123.45e-9, "123 ns"}, {4.1627e-9, "4.16 ns"}, {0.25e-9, "0.25 ns"},
	} {
		assert.Equal(t, tt.want, duration(tt.seconds))
	}
}

func TestSameMachine(t *testing.T) {
	set := func(config map[string]string) *results.Set { return &results.Set{Config: config} }
	a := map[string]string{"goos": "linux", "goarch": "amd64", "cpu": "Abacus 9", "cpu-cores": "2", "goversion": "go1.26.8"}
	for _, tt := range []struct {
		name string
		b    map[string]string
		want bool
	}{
		{"equal", a, true},
		{"another Go", map[string]string{"goos": "linux", "cpu": "Abacus 9", "goversion": "go1.26.9"}, true},
		{"more is known", map[string]string{"cpu": "Abacus 9", "cpu-caches": "L1d 32 KiB"}, true},
		{"nothing is known", nil, true},
		{"another system", map[string]string{"goos": "plan9", "cpu": "Abacus 9"}, false},
		{"another processor", map[string]string{"goos": "linux", "cpu": "Abacus 10"}, false},
		{"more cores", map[string]string{"cpu": "Abacus 9", "cpu-cores": "4"}, false},
	} {
		assert.Equal(t, tt.want, sameMachine(set(a), set(tt.b)), tt.name)
		assert.Equal(t, tt.want, sameMachine(set(tt.b), set(a)), tt.name)
	}
}
