package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/scripts/internal/launch"
	"raysteps/scripts/internal/steps"
)

// module is one of its own, with a package for each kind of benchmark.
func module(t *testing.T) (root string) {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	const (
		imports = "import \"testing\"\n\n"
		render  = "func BenchmarkRender(b *testing.B) {}\n"
	)
	for name, text := range map[string]string{
		"go.mod":              "module raysteps\n\ngo 1.26\n",
		"step01/a.go":         "package step01\n",
		"step01/step_test.go": "package step01\n" + imports + render,
		"step01/experiment_test.go": "package step01\n" + imports + `
func BenchmarkHitLoop(b *testing.B) {
	for _, ray := range []string{"value", "pointer"} {
		b.Run("ray="+ray+"/n=46", func(b *testing.B) {
			calls++
			for b.Loop() {
			}
			b.ReportMetric(float64(calls), "calls")
			b.ReportMetric(0, "nothing")
		})
	}
}

var calls int

func BenchmarkRows(b *testing.B) {
	for _, scene := range []string{"small", "large"} {
		b.Run("scene="+scene+"/by=row", func(b *testing.B) { for b.Loop() {} })
		b.Run("scene="+scene+"/by=column", func(b *testing.B) { for b.Loop() {} })
	}
}

func BenchmarkElsewhere(b *testing.B) { b.Skip("this processor lacks it") }
`,
		"step02/step_test.go": "package step02\n" + imports + render,
		"common/a/a.go":       "package a\n\nfunc BenchmarkOfNoTest() {}\n",
		"common/b/b.go":       "package b\n",
		"common/b/b_test.go":  "package b\n" + imports + "func BenchmarkRead(b *testing.B) { b.Fatal(\"no room\") }\n",
		"step13/step_test.go": "package step13\n" + imports + render,
		"step13/sweep_test.go": "package step13\n\nimport (\n\"flag\"\n\"testing\"\n)\n" + `
var (
	size    = flag.String("size", "", "")
	samples = flag.String("samples", "", "")
	workers = flag.String("workers", "", "")
	tiles   = flag.String("tiles", "", "")
	runs    float64
)

func BenchmarkSweep(b *testing.B) {
	b.Run("scene=small/tile="+*tiles+"/workers="+*workers+"/"+*size+"/"+*samples, func(b *testing.B) { for b.Loop() {} })
}

func BenchmarkSchedule(b *testing.B) {
	for _, scene := range []string{"small", "large"} {
		for _, workers := range []string{"1", "2"} {
			b.Run("scene="+scene+"/division=row/workers="+workers, func(b *testing.B) {
				runs++
				for range b.N {
				}
				b.ReportMetric(runs, "efficiency")
			})
		}
	}
}

func BenchmarkTimeline(b *testing.B) {}
`,
	} {
		name = filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o777))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o666))
	}
	return root
}

// planned plans experiments of a module.
func planned(t *testing.T, root string, o options, chosen ...steps.Step) (*plan, error) {
	t.Helper()
	o.orders = 1
	return planExperiments(t.Context(), silent(), &launch.Linker{Root: root, Bin: t.TempDir()}, o, chosen)
}

func TestExperiments(t *testing.T) {
	root := module(t)
	folders, err := foldersWithExperiments(t.Context(), root)
	require.NoError(t, err)
	assert.Equal(t, []string{"common/b", "step01"}, folders)

	p, err := planned(t, root, options{experiments: true, set: []string{"step"}}, steps.All()[0])
	require.NoError(t, err)
	var titles, subjects []string
	for _, g := range p.groups {
		titles = append(titles, g.Title)
		for _, s := range g.Subjects {
			assert.Equal(t, "raysteps/step01", s.Package)
			subjects = append(subjects, s.Name)
		}
	}
	assert.Equal(t, []string{"step01 HitLoop", "step01 Rows/scene=small", "step01 Rows/scene=large"}, titles, "a group for each scene")
	assert.Equal(t, []string{
		"HitLoop/ray=value/n=46", "HitLoop/ray=pointer/n=46",
		"Rows/scene=small/by=row", "Rows/scene=small/by=column", "Rows/scene=large/by=row", "Rows/scene=large/by=column",
	}, subjects)

	var records []launch.Record
	done, err := launch.Measure(t.Context(), silent(), p.source, p.groups[:1], launch.Schedule{Orders: 1, Launches: 1}, func(r []launch.Record) error {
		records = append(records, r...)
		return nil
	}, "steps")
	require.NoError(t, err)
	assert.Equal(t, 1, done)
	require.Len(t, records, 2)
	for _, r := range records {
		assert.Positive(t, r.Values["sec/op"])
		assert.InDelta(t, 2, r.Values["calls"], 1e-9, "of two runs of one variant in a process, the second counts")
		assert.Contains(t, r.Values, "nothing")
		assert.Zero(t, r.Values["nothing"])
	}
}

func TestSweepAndSchedule(t *testing.T) {
	root, step := module(t), steps.Numbered()[12]
	p, err := planned(t, root, options{workers: []int{1, 2}, tiles: []int{8}}, step)
	require.NoError(t, err)
	require.Len(t, p.groups, 1)
	assert.Equal(t, "step13 Sweep/scene=small", p.groups[0].Title)
	assert.Equal(t, "Sweep/scene=small/tile=8/workers=1,2/1280x720/1", p.groups[0].Subjects[0].Name, "the flags of the test binary")

	p, err = planned(t, root, options{simulate: true}, step)
	require.NoError(t, err)
	require.Len(t, p.groups, 2)
	s, err := p.source.Launch(t.Context(), 0)
	require.NoError(t, err)
	defer s.Close()
	g := &p.groups[1]
	require.NoError(t, s.Open(g))
	require.Len(t, g.Subjects, 2)
	// One process runs the scene, and both subjects have their values of it; then
	// another one does.
	for _, turn := range []struct {
		subject int
		runs    float64
	}{{1, 2}, {0, 1}, {0, 1}, {1, 2}} {
		v, err := s.Slice(turn.subject)
		require.NoError(t, err)
		assert.Equal(t, turn.runs, v["efficiency"])
	}
}

func TestNoExperiments(t *testing.T) {
	root := module(t)
	all := steps.Numbered()
	tests := []struct {
		name string
		o    options
		step steps.Step
		want string
	}{
		{"none", options{experiments: true, set: []string{"step"}}, all[1], "^step02 has no Benchmark besides Render; want a step that has one$"},
		{"none but those of other kinds", options{experiments: true, set: []string{"step"}}, all[12], "^step13 has no Benchmark besides Render; want a step that has one$"},
		{"sweep", options{workers: []int{1}}, all[0], "^step01 has no BenchmarkSweep; want a step that has one$"},
		{"schedule", options{simulate: true}, all[1], "^step02 has no BenchmarkSchedule; want a step that has one$"},
		{"one that fails", options{experiments: true}, steps.Step{}, `^common/b: exit status 1: BenchmarkRead; b_test.go:\d+: no room; [^\n]*$`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := planned(t, root, tt.o, tt.step)
			require.Error(t, err)
			assert.Regexp(t, tt.want, err.Error())
		})
	}
}
