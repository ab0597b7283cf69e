package published

import (
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/resultstest"
	"raysteps/scripts/internal/steps"
)

// Names under which the files of resultstest are published.
const (
	abacus = "abacus-9-25-model-17-counting-house-plan9"
	quipu  = "quipu-r-3-linux"
)

var (
	mine   = resultstest.File{Machine: resultstest.Quipu}
	theirs = resultstest.File{}
)

func write(t *testing.T, root string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		file := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o777))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
	}
}

// tree returns the files under root, by path with slashes.
func tree(t *testing.T, root string) map[string]string {
	t.Helper()
	all := map[string]string{}
	require.NoError(t, fs.WalkDir(os.DirFS(root), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		all[name] = string(text)
		return err
	}))
	return all
}

// module is a folder with published measurements of the abacus, and some other
// files. The test runs there.
func module(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	write(t, root, map[string]string{
		"results/published": "steps: a.txt\nexperiments: b.txt\n",
		"results/a.txt":     theirs.Text(resultstest.Steps(1)...),
		"results/b.txt":     theirs.Text(resultstest.Experiments()...),
	})
	write(t, root, files)
	t.Chdir(root)
	return root
}

func TestPublish(t *testing.T) {
	mySteps, myExperiments := mine.Text(resultstest.Steps(2)...), mine.Text(resultstest.Experiments()...)
	tests := []struct {
		name    string
		files   map[string]string
		request Request
		list    string
		copies  map[string]string // in results, by name
	}{
		{"steps", map[string]string{"results/local/a.txt": mySteps}, Request{Files: []string{"results/local/a.txt"}},
			"steps: " + quipu + ".txt\nexperiments: b.txt\n", map[string]string{quipu + ".txt": mySteps}},
		{"experiments", map[string]string{"x.txt": myExperiments}, Request{Files: []string{"x.txt"}},
			"steps: a.txt\nexperiments: " + quipu + "-experiments.txt\n", map[string]string{quipu + "-experiments.txt": myExperiments}},
		{"several kinds", map[string]string{"a": mySteps, "b": theirs.Text(resultstest.Builds()...), "c": theirs.Text(resultstest.Sweep()...),
			"d": theirs.Text(resultstest.Schedules()...), "e": theirs.Text(resultstest.Spheres()...), "f": resultstest.File{Orders: 1}.Text(resultstest.Full()...)},
			Request{Files: []string{"f", "b", "c", "d", "e", "a"}},
			"steps: " + quipu + ".txt\nexperiments: b.txt\nsweeps: " + abacus + "-sweeps.txt\nschedules: " + abacus + "-schedules.txt\nspheres: " +
				abacus + "-spheres.txt\nbuilds: " + abacus + "-builds.txt\nfull: " + abacus + "-full.txt\n",
			map[string]string{
				quipu + ".txt": mySteps, abacus + "-sweeps.txt": theirs.Text(resultstest.Sweep()...), abacus + "-schedules.txt": theirs.Text(resultstest.Schedules()...),
				abacus + "-spheres.txt": theirs.Text(resultstest.Spheres()...), abacus + "-builds.txt": theirs.Text(resultstest.Builds()...),
				abacus + "-full.txt": resultstest.File{Orders: 1}.Text(resultstest.Full()...),
			}},
		{"a named machine", map[string]string{"a.txt": mySteps, "b.txt": myExperiments}, Request{Files: []string{"a.txt", "b.txt"}, Machine: " Ma's  Läptop! "},
			"steps: ma-s-l-ptop.txt\nexperiments: ma-s-l-ptop-experiments.txt\n", map[string]string{"ma-s-l-ptop.txt": mySteps, "ma-s-l-ptop-experiments.txt": myExperiments}},
		{"a file in results", map[string]string{"results/My own.txt": mySteps}, Request{Files: []string{"results/My own.txt"}},
			"steps: My own.txt\nexperiments: b.txt\n", nil},
		{"a file in results under another name", map[string]string{"results/quipu.txt": mySteps}, Request{Files: []string{"results/quipu.txt"}, Machine: "Khipu"},
			"steps: khipu.txt\nexperiments: b.txt\n", map[string]string{"khipu.txt": mySteps}},
		{"ends of lines as Windows has them", map[string]string{"a.txt": strings.ReplaceAll(mySteps, "\n", "\r\n")}, Request{Files: []string{"a.txt"}},
			"steps: " + quipu + ".txt\nexperiments: b.txt\n", map[string]string{quipu + ".txt": strings.ReplaceAll(mySteps, "\n", "\r\n")}},
		{"a second machine", map[string]string{"a.txt": mySteps}, Request{Files: []string{"a.txt"}, Second: true},
			"steps: a.txt\nexperiments: b.txt\nsecond-machine: " + quipu + ".txt\n", map[string]string{quipu + ".txt": mySteps}},
		{"more experiments", map[string]string{"a.txt": myExperiments}, Request{Files: []string{"a.txt"}, More: true},
			"steps: a.txt\nexperiments: b.txt\nmore-experiments: " + quipu + "-more-experiments.txt\n", map[string]string{quipu + "-more-experiments.txt": myExperiments}},
		{"the first file of all", map[string]string{"results/published": "", "a.txt": mySteps}, Request{Files: []string{"a.txt"}},
			"steps: " + quipu + ".txt\n", map[string]string{quipu + ".txt": mySteps}},
		{"without what is beyond", map[string]string{"a.txt": mine.Text(numbered()...)}, Request{Files: []string{"a.txt"}},
			"steps: " + quipu + ".txt\nexperiments: b.txt\n", map[string]string{quipu + ".txt": mine.Text(numbered()...)}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root := module(t, tt.files)
			want := tree(t, root)
			written, err := Publish(root, tt.request)
			require.NoError(t, err)
			assert.Len(t, written, len(tt.copies)+1)
			want[ListFile] = tt.list
			for name, text := range tt.copies {
				want["results/"+name] = text
				assert.Contains(t, written, "results/"+name)
			}
			assert.Equal(t, want, tree(t, root))
			list, err := Read(root)
			require.NoError(t, err)
			for kind := range list {
				_, err = list.Set(root, kind)
				assert.NoError(t, err)
			}
		})
	}
}

// numbered is a file without what is beyond the article.
func numbered() []resultstest.Benchmark {
	names := []string{results.Again(steps.All()[0])}
	for _, step := range steps.Numbered() {
		names = append(names, step.Package())
	}
	return resultstest.Only(resultstest.Steps(1), names...)
}

// without returns the benchmarks of all steps but those of a package.
func without(name string) []resultstest.Benchmark {
	var all []resultstest.Benchmark
	for _, b := range resultstest.Steps(1) {
		if b.Package != name {
			all = append(all, b)
		}
	}
	return all
}

func TestRefused(t *testing.T) {
	good := mine.Text(resultstest.Steps(1)...)
	experiments := mine.Text(resultstest.Experiments()...)
	noisy := resultstest.Steps(1)
	for i := range noisy[:3] {
		noisy[i].Values = map[string]float64{"rays/s": 1.03 * noisy[i].Values["rays/s"]}
	}
	last := steps.Numbered()[len(steps.Numbered())-1].Package()
	cut := strings.LastIndex(good, "\npkg: ")
	const none = "no measurements; want a file in the Go benchmark format, as scripts/bench writes it"
	tests := []struct {
		name, text string
		request    Request // of a.txt if it has no files
		want       string  // with results "a.txt": before it if it begins with a colon
	}{
		{"too few link orders", resultstest.File{Orders: 15, Launches: 3}.Text(resultstest.Steps(1)...), Request{}, ": too few link orders, 15 in 45 launches; want 16 or more"},
		{"too few link orders of experiments", resultstest.File{Orders: 8, Launches: 1}.Text(resultstest.Experiments()...), Request{}, ": too few link orders, 8 in 8 launches; want 16 or more"},
		{"a noise row that excludes 1", mine.Text(noisy...), Request{},
			": in the small scene the same code at two places differs: 1.031 (1.031 to 1.031); want it measured again, on a machine that has nothing else to do"},
		{"the format of older versions", "goos: linux\npkg: raysteps/step01\n\nBenchmarkRender/scene=small-2 5 24754279 ns/op 425305 rays/op 17181070 rays/s\n", Request{},
			": line 4: no launch and link order: it was not written by this version of scripts/bench; want it measured again, with go run ./scripts/bench"},
		{"a step is missing", mine.Text(without(last)...), Request{}, ": " + last + " Render/scene=small is missing; want all steps and scenes"},
		{"a step of another version", strings.ReplaceAll(good, "step02", "step99"), Request{}, ": raysteps/step99 is no step of this version; want what its own scripts/bench measured"},
		{"cut between two launches", good[:cut], Request{}, fmt.Sprintf(": 31 launches of %s Render/scene=large in rays/s and 32 of raysteps/step01/again Render/scene=small; want all of each, as scripts/bench writes them", steps.All()[len(steps.All())-1].Package())},
		{"cut in a line", good[:strings.LastIndex(good, " ")], Request{}, fmt.Sprintf(": line %d: missing units; want the Go benchmark format", strings.Count(good, "\n"))},
		{"no results file", "package main\n", Request{}, ": " + none},
		{"no text", "\x89PNG\r\n\x00\xff", Request{}, ": " + none},
		{"empty", "", Request{}, ": " + none},
		{"the list", "", Request{Files: []string{"results/published"}}, `results "results/published": ` + none},
		{"missing", "", Request{Files: []string{"b.txt"}}, `results "b.txt": ...; want a file that scripts/bench wrote`},
		{"no name", "", Request{Files: []string{""}}, `results "": ...; want a file that scripts/bench wrote`},
		{"a folder", "", Request{Files: []string{"results"}}, `results "results": ...; want a file that scripts/bench wrote`},
		{"a kind twice", good, Request{Files: []string{"a.txt", "a.txt"}}, ": a second file of steps; want one of each kind"},
		{"a machine without letters", good, Request{Machine: "счёты ../"}, `-machine is "счёты ../"; want a name with letters a to z or digits, 100 at the most`},
		{"a machine with a long name", good, Request{Machine: strings.Repeat("a", 101)}, `-machine is "` + strings.Repeat("a", 101) + `"; want a name with letters a to z or digits, 100 at the most`},
		{"no machine", resultstest.File{Machine: "goarch: amd64\n"}.Text(resultstest.Steps(1)...), Request{}, ": does not say of which machine it is; want a name for the machine, with -machine"},
		{"experiments of a second machine", experiments, Request{Second: true}, ": holds experiments; want steps, with -second"},
		{"more steps", good, Request{More: true}, ": holds steps; want experiments, with -more and without -second"},
		{"the second machine is the first", good, Request{Files: []string{"results/a.txt"}, Second: true}, "results/a.txt would hold the steps and the second-machine; want another -machine"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root := module(t, map[string]string{"a.txt": tt.text})
			if tt.request.Files == nil {
				tt.request.Files = []string{"a.txt"}
			}
			if strings.HasPrefix(tt.want, ":") {
				tt.want = `results "a.txt"` + tt.want
			}
			before := tree(t, root)
			_, err := Publish(root, tt.request)
			require.Error(t, err)
			if first, last, ok := strings.Cut(tt.want, "..."); ok { // what the system says
				assert.True(t, strings.HasPrefix(err.Error(), first) && strings.HasSuffix(err.Error(), last), err)
			} else {
				assert.EqualError(t, err, tt.want)
			}
			assert.True(t, cli.IsMisuse(err))
			assert.Equal(t, before, tree(t, root), "nothing is written")
		})
	}
}

func TestList(t *testing.T) {
	const want = "want KIND: FILE, where KIND is one of steps, experiments, sweeps, schedules, spheres, builds, full, peers, second-machine, more-experiments"
	for _, tt := range []struct{ name, text, want string }{
		{"unknown kind", "experiments: b.txt\nstep: a.txt\n", `results/published:2: "step: a.txt"; ` + want},
		{"no name", "steps: \n", `results/published:1: "steps:"; ` + want},
		{"empty line", "steps: a.txt\n\n", `results/published:2: ""; ` + want},
		{"two of a kind", "steps: a.txt\r\nsteps: b.txt\r\n", "results/published:2: a second file of steps; want one of each kind"},
		{"a file elsewhere", "steps: ../a.txt\n", `results/published:1: "../a.txt"; want the name of a file in results, without a folder`},
		{"a file of one's own", "steps: local/a.txt\n", `results/published:1: "local/a.txt"; want the name of a file in results, without a folder`},
		{"the folder", "steps: ..\n", `results/published:1: ".."; want the name of a file in results, without a folder`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Read(module(t, map[string]string{ListFile: tt.text}))
			assert.EqualError(t, err, tt.want)
		})
	}
	for _, tt := range []struct {
		name string
		list List
		kind results.Kind
		want string
	}{
		{"not published", List{}, results.OfSteps, "results/published names no file of steps; go run ./scripts/publish FILE publishes one"},
		{"no second machine", List{}, SecondMachine, "results/published names no file of second-machine; go run ./scripts/publish -second FILE publishes one"},
		{"no more experiments", List{}, MoreExperiments, "results/published names no file of more-experiments; go run ./scripts/publish -more FILE publishes one"},
		{"steps as more experiments", List{MoreExperiments: "a.txt"}, MoreExperiments, "results/published names results/a.txt, which holds steps; want experiments"},
		{"no such file", List{results.OfSteps: "c.txt"}, results.OfSteps, "results/published names results/c.txt, which does not exist; want a file in results"},
		{"another kind", List{results.OfSteps: "b.txt"}, results.OfSteps, "results/published names results/b.txt, which holds experiments; want steps"},
		{"another kind of a second machine", List{SecondMachine: "b.txt"}, SecondMachine, "results/published names results/b.txt, which holds experiments; want steps"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := tt.list.Set(module(t, nil), tt.kind)
			assert.EqualError(t, err, tt.want)
		})
	}
	t.Run("no list", func(t *testing.T) {
		list, err := Read(t.TempDir())
		assert.NoError(t, err)
		assert.Empty(t, list)
	})
}

func TestNewest(t *testing.T) {
	good, experiments := mine.Text(resultstest.Steps(1)...), mine.Text(resultstest.Experiments()...)
	few := resultstest.File{Orders: 8, Launches: 2}.Text(resultstest.Steps(1)...)
	quick := resultstest.File{Orders: 16, Launches: 1}.Text(resultstest.Steps(1)...)
	for _, tt := range []struct {
		name         string
		files        []string // from the oldest to the newest; "list" is the list of published files
		file, reason string
	}{
		{"nothing new", []string{good, "list"}, "", ""},
		{"new", []string{"list", good}, "results/local/1.txt", ""},
		{"the newest", []string{"list", good, good}, "results/local/2.txt", ""},
		{"something else is newer", []string{"list", good, experiments}, "results/local/1.txt", `results "results/local/2.txt": it holds experiments; publish it with go run ./scripts/publish results/local/2.txt`},
		{"something else is older", []string{"list", experiments, good}, "results/local/2.txt", ""},
		{"too few link orders", []string{"list", few}, "", `results "results/local/1.txt": too few link orders, 8 in 16 launches; want 16 or more`},
		{"a quick run", []string{"list", quick}, "", `results "results/local/1.txt": it has one launch of each link order, as -quick measures; publish it all the same with go run ./scripts/publish results/local/1.txt`},
		{"no results file", []string{"list", "# A\n"}, "", `results "results/local/1.txt": no measurements; want a file in the Go benchmark format, as scripts/bench writes it`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root := module(t, nil)
			for i, text := range tt.files {
				name := ListFile
				if text != "list" {
					name = fmt.Sprintf("%s/%d.txt", Local, i)
					write(t, root, map[string]string{name: text})
				}
				at := time.Now().Add(time.Duration(i-10) * time.Hour)
				require.NoError(t, os.Chtimes(filepath.Join(root, filepath.FromSlash(name)), at, at))
			}
			file, reason, err := Newest(root)
			require.NoError(t, err)
			assert.Equal(t, tt.file, file)
			assert.Equal(t, tt.reason, reason)
			if tt.file != "" {
				_, err = Publish(root, Request{Files: []string{filepath.FromSlash(tt.file)}})
				require.NoError(t, err)
				file, _, err = Newest(root)
				require.NoError(t, err)
				assert.Empty(t, file, "once is enough")
			}
		})
	}
	file, reason, err := Newest(t.TempDir())
	assert.NoError(t, err)
	assert.Empty(t, file+reason)
}

// interval is the end of a comparison in a table.
var interval = regexp.MustCompile(`^(\S+) \(([0-9.]+) to ([0-9.]+)\)$`)

// What the pages show can be published still: link orders are enough, the noise
// row is within 1 % to either side and has 1 in its interval or next to it, and no
// comparison with a wide interval stands without its mark. An empty list has
// nothing to hold.
func TestPublishedFiles(t *testing.T) {
	root, err := cli.ModuleRoot()
	require.NoError(t, err)
	list, err := Read(root)
	require.NoError(t, err)
	for kind, name := range list {
		t.Run(string(kind)+" "+name, func(t *testing.T) {
			set, err := list.Set(root, kind)
			require.NoError(t, err)
			require.NoError(t, Check(set))
			if set.Kind() != results.OfSteps {
				return
			}
			// The chapters read their lessons off the first machine. The second one
			// may be of a kind that does not run the same code at one speed.
			wide := map[results.Kind]float64{results.OfSteps: 1, SecondMachine: 2}[kind]
			for _, scene := range set.Scenes() {
				noise, err := set.Noise(scene)
				require.NoError(t, err)
				assert.LessOrEqual(t, noise.HalfWidth(), wide*0.01, "the noise row of the %s scene; want it measured in more link orders", scene)
				var widths []float64 // of the comparisons with the step before
				for _, step := range steps.All() {
					if before, ok := step.Before(); ok {
						e, err := set.Ratio(results.RenderKey(step.Package(), scene), results.RenderKey(before.Package(), scene), "rays/s")
						require.NoError(t, err)
						widths = append(widths, e.HalfWidth())
					}
				}
				slices.Sort(widths)
				assert.LessOrEqual(t, widths[len(widths)/2], wide*0.007, "half of the %s scene's intervals", scene)
				assert.LessOrEqual(t, widths[len(widths)-1], wide*0.02, "all of the %s scene's intervals", scene)
				table, err := set.Steps(scene, steps.All())
				require.NoError(t, err)
				for _, row := range table.Rows {
					for _, cell := range row[5:7] {
						if cell != "" {
							marked(t, cell)
						}
					}
				}
			}
		})
	}
}

// marked fails if a comparison's interval reaches further than 5 % to a side and
// the cell does not say that it is undecided, or the other way around.
func marked(t *testing.T, cell string) {
	t.Helper()
	parts := interval.FindStringSubmatch(cell)
	require.NotNil(t, parts, "%q; want a comparison and its interval", cell)
	lo, err := strconv.ParseFloat(parts[2], 64)
	require.NoError(t, err)
	hi, err := strconv.ParseFloat(parts[3], 64)
	require.NoError(t, err)
	const rounding = 0.01 // of two digits
	switch half := math.Sqrt(hi/lo) - 1; {
	case half > 0.05+rounding:
		assert.Equal(t, "undecided", parts[1], cell)
	case half < 0.05-rounding:
		assert.NotEqual(t, "undecided", parts[1], cell)
	}
}
