package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/perf/benchfmt"

	"raysteps/common/scene"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/steps"
	"raysteps/scripts/internal/toolchain"
)

// bench runs the command and returns its exit status and what it prints.
func bench(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir()) // so that no other test's lock is in the way
	var out, err bytes.Buffer
	status = command.Exec(t.Context(), args, &out, &err)
	for line := range strings.Lines(out.String()) {
		assert.LessOrEqual(t, utf8.RuneCountInString(line), 101, "%s", line)
	}
	return status, out.String(), err.String()
}

func TestMisuse(t *testing.T) {
	dir := t.TempDir()
	for _, tt := range []struct {
		name string
		args []string
		want string // of the line behind "bench: "
	}{
		{"step 14", []string{"-step", "14"}, `for flag -step: unknown step "14"; want ` + steps.Choices()},
		{"no step", []string{"-step", ""}, "for flag -step: "},
		{"no name", []string{"-experiments", "", "-step", "4"}, "has a Benchmark; want names of benchmarks, or all"},
		{"time without a unit", []string{"-time", "90"}, `invalid value "90" for flag -time`},
		{"no time", []string{"-time", "0s"}, `invalid value "0s" for flag -time: want a number above 0 and its unit, such as 60s`},
		{"less than no time", []string{"-time", "-5s"}, `invalid value "-5s" for flag -time: want a number above 0`},
		{"a folder as a file", []string{"-o", dir}, "is a folder; want the name of a file"},
		{"two kinds", []string{"-builds", "v1", "-experiments", "all"}, "-builds and -experiments measure different things; want one of them"},
		{"against without a step", []string{"-against", "HEAD"}, "-against takes one step; want -step with its number"},
		{"no revision", []string{"-against", "nosuch", "-step", "4"}, "-against nosuch: git knows no such revision"},
		{"an option as a revision", []string{"-against", "--all", "-step", "4"}, "-against --all: git knows no such revision"},
		{"a name of another kind as a revision", []string{"-against", "spheres", "-step", "4"}, "-against spheres: git knows no such revision"},
		{"no revision at all", []string{"-against=", "-step", "4"}, "-against : git knows no such revision"},
		{"no build", []string{"-builds", "v9"}, `"v9" is no build; want a release of Go, a level or both`},
		{"no benchmark", []string{"-experiments", "Nosuch", "-step", "4"}, "has a BenchmarkNosuch"},
		{"an argument", []string{"4"}, `unexpected argument "4"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, stdout, stderr := bench(t, tt.args...)
			assert.Equal(t, cli.ExitMisuse, status)
			assert.Empty(t, stdout)
			assert.Equal(t, 1, strings.Count(stderr, "\n"), "one line: %s", stderr)
			assert.Contains(t, stderr, "bench: ")
			assert.Contains(t, stderr, tt.want)
		})
	}
}

// Steps, measured for some seconds: the table, the words, and the file.
func TestSteps(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.txt")
	status, stdout, stderr := bench(t, "-step", "1-2,13", "-time", "2s", "-o", file)
	require.Equal(t, cli.ExitOK, status, stderr)
	assert.Empty(t, stderr, "silent but on a terminal")
	t.Log(stdout)
	for _, want := range []string{"large scene", "small scene", "over the step before", "noise", "Measured for"} {
		assert.Contains(t, stdout, want)
	}
	launches := map[string]int{}
	for _, r := range read(t, file) {
		name, _, _ := strings.Cut(string(r.Name), "-")
		name = r.GetConfig("pkg") + " " + name
		launches[name]++
		for _, key := range []string{"goversion", "cpu-clock", "link-order", "measured", "pgo", "revision"} {
			assert.NotEmpty(t, r.GetConfig(key), key)
		}
		assert.Equal(t, "1280x720", r.GetConfig("size"))
		assert.Equal(t, "10", r.GetConfig("samples"))
		_, workers := r.Value("processors")
		parallel := r.GetConfig("pkg") == "raysteps/step13"
		assert.Equal(t, parallel && runtime.GOMAXPROCS(0) > 1, workers)
		assert.Equal(t, parallel, r.GetConfig("place") == "", "assembly has no places")
		assert.Len(t, r.Values, map[bool]int{false: 1, true: 2}[workers], "and no other units")
	}
	assert.Len(t, launches, 12, "three steps and a copy of the first, in three scenes")
}

func read(t *testing.T, file string) (all []*benchfmt.Result) {
	files := benchfmt.Files{Paths: []string{file}}
	for files.Scan() {
		if r, ok := files.Result().(*benchfmt.Result); ok {
			all = append(all, r.Clone())
		}
	}
	require.NoError(t, files.Err())
	return all
}

// In a clone the color of the sky is changed, and nothing is committed: the picture is
// another one. Then it is as it was, and nothing is said but how fast it is.
func TestAgainst(t *testing.T) {
	root, err := cli.ModuleRoot()
	require.NoError(t, err)
	clone := filepath.Join(t.TempDir(), "a clone")
	if text, err := exec.Command("git", "clone", "--quiet", "--shared", root, clone).CombinedOutput(); err != nil {
		t.Skipf("not a clone: %s", text)
	}
	// The files as they are, and not as they were committed last.
	for _, folder := range []string{"common", "step12", "scripts"} {
		require.NoError(t, os.RemoveAll(filepath.Join(clone, folder)))
		require.NoError(t, os.CopyFS(filepath.Join(clone, folder), os.DirFS(filepath.Join(root, folder))))
	}
	git := func(args ...string) {
		text, err := exec.Command("git", append([]string{"-C", clone, "-c", "user.name=a", "-c", "user.email=a@b.example"}, args...)...).CombinedOutput()
		require.NoError(t, err, "%s", text)
	}
	git("add", "-A")
	git("commit", "--quiet", "--allow-empty", "-m", "as it is")
	t.Chdir(clone)
	file := filepath.Join(clone, "step12", "tracer.go")
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	changed := strings.Replace(string(text), "Vec3{0.5, 0.7, 1}", "Vec3{0.5, 0.8, 1}", 1)
	require.NotEqual(t, string(text), changed)
	require.NoError(t, os.WriteFile(file, []byte(changed), 0o666))
	// The first of two runs has no valgrind, since counting takes a while.
	path, folder := os.Getenv("PATH"), t.TempDir()
	if toolchain.CanCount() == nil {
		for _, command := range []string{"go", "git"} {
			file, err := exec.LookPath(command)
			require.NoError(t, err)
			require.NoError(t, os.Symlink(file, filepath.Join(folder, command)))
		}
		t.Setenv("PATH", folder)
	}
	args := []string{"-against", "HEAD", "-step", "12", "-time", "1s", "-o", filepath.Join(t.TempDir(), "a.txt")}
	status, stdout, stderr := bench(t, args...)
	assert.Equal(t, cli.ExitFailure, status)
	assert.True(t, strings.HasPrefix(stdout, "Careful: the pictures are NOT those of HEAD: in the small scene the first pixel that differs"), stdout)
	assert.Contains(t, stderr, "the pictures are NOT those of HEAD")
	both := regexp.MustCompile(`both are in (\S+)\n`).FindStringSubmatch(stderr)
	require.NotNil(t, both, stderr)
	for _, side := range []string{"revision", "working-tree"} {
		assert.FileExists(t, filepath.Join(both[1], "small-"+side+".tga"))
	}

	require.NoError(t, os.WriteFile(file, text, 0o666))
	t.Setenv("PATH", path)
	status, stdout, stderr = bench(t, args...)
	require.Equal(t, cli.ExitOK, status, stderr)
	assert.NotContains(t, stdout, "pictures")
	assert.Contains(t, stdout, "step 12 against HEAD")
	assert.Contains(t, stdout, "HEAD, linked again")
	assert.Contains(t, stdout, "So step 12 is, against HEAD: small ")
	measured, err := os.ReadFile(args[len(args)-1])
	require.NoError(t, err)
	if toolchain.CanCount() == nil {
		assert.Contains(t, stdout, "Executed for a ray")
		assert.Contains(t, string(measured), "Unit instructions/ray assume=exact\n")
		assert.Regexp(t, `(?m)^BenchmarkCount/scene=large 1 \d+.* instructions/ray`, string(measured))
	}
}

func TestCounts(t *testing.T) {
	var all []*benchfmt.Result
	for _, sc := range scene.Names() {
		r := result("raysteps/step12", "Count/scene="+sc, "", "1", 0, 0)
		r.Values = nil
		for i, unit := range toolchain.CountUnits() {
			r.Values = append(r.Values, benchfmt.Value{Value: float64(100*i + 7), Unit: unit})
		}
		all = append(all, r)
	}
	set, err := results.Of(all, "a run")
	require.NoError(t, err)
	var printed strings.Builder
	require.NoError(t, counts{}.print(&measurement{env: &cli.Env{Stdout: &printed}, set: set}))
	assert.Regexp(t, `(?s)large scene\n\n +step +instructions/ray +loads/ray +stores/ray +branches/ray\n +12 +7\S* +107\S* +207\S* +307`, printed.String())
}

func TestExperiments(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.txt")
	status, stdout, stderr := bench(t, "-experiments", "HitLoop", "-step", "1", "-time", "1s", "-o", file)
	require.Equal(t, cli.ExitOK, status, stderr)
	assert.Contains(t, stdout, "raysteps/step01 HitLoop")
	assert.NotEmpty(t, read(t, file))
}

// result makes a line of a launch.
func result(pkg, name, build, order string, rate, processors float64) *benchfmt.Result {
	r := &benchfmt.Result{Name: benchfmt.Name(name), Iters: 30, Values: []benchfmt.Value{{Value: rate, Unit: "rays/s"}}}
	if processors > 0 {
		r.Values = append(r.Values, benchfmt.Value{Value: processors, Unit: "processors"})
	}
	for key, value := range map[string]string{"pkg": pkg, buildKey: build, "link-order": order} {
		results.SetConfig(r, key, value)
	}
	return r
}

func TestFindings(t *testing.T) {
	var all []*benchfmt.Result
	for i := range 8 {
		order, wobble := fmt.Sprint(i), 1+0.001*float64(i%2)
		for step, rate := range map[string]float64{"raysteps/step01": 1e6, "raysteps/step01/again": 1e6 * wobble, "raysteps/step02": 1.2e6 * wobble, "raysteps/step03": 1.2e6, "raysteps/step04": 0.9e6 * wobble} {
			all = append(all, result(step, "Render/scene=large-2", "", order, rate, 0))
		}
		all = append(all, result("raysteps/step12", "Render/scene=large-2", "", order, 1e6*wobble, 0), result("raysteps/step13", "Render/scene=large-2", "", order, 1.02e6, 1.02))
	}
	set, err := results.Of(all, "a run")
	require.NoError(t, err)
	set.Partial = true
	var printed strings.Builder
	k := &renders{}
	k.chosen, _ = steps.Parse("1-4,12-13")
	m := &measurement{env: &cli.Env{Stdout: &printed}, set: set, start: time.Now().Add(-83 * time.Second)}
	m.Done, m.Slow = 8, []float64{0.2}
	require.NoError(t, k.print(m))
	text := printed.String()
	assert.Contains(t, text, "faster: 2 public ray members 1.20")
	assert.Contains(t, text, "slower: 4 spheres in one array 0.750")
	assert.Contains(t, text, "the same within 0.1 %: 3 no interface")
	assert.Contains(t, text, "The largest gain on one core is step 2 (public ray members), 1.20 times:")
	assert.Contains(t, text, "Measured for 1m23s in 8 link orders. The machine was noisy: one slice in ten took 20 % longer")
	assert.Regexp(t, `13 +goroutines over tiles +1\.020M +taken +taken`, text)
	assert.NotContains(t, text, "13 goroutines over tiles 1.0", "no verdict if processors were taken")
	assert.Contains(t, text, `Where it says "taken" other programs had some of the processors`)
}
