package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
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
	"raysteps/common/turns"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/count"
	"raysteps/scripts/internal/launch"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/steps"
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
		{"no name", []string{"-experiments", ""}, "for flag -experiments: it is empty"},
		{"time without a unit", []string{"-time", "90"}, `invalid value "90" for flag -time`},
		{"a folder as a file", []string{"-o", dir}, "is a folder; want the name of a file"},
		{"two kinds", []string{"-builds", "v1", "-experiments", "all"}, "for flag -experiments: -builds measures something else; want one of them"},
		{"against without a step", []string{"-against", "HEAD"}, "-against takes one step; want -step with its number"},
		{"no revision", []string{"-against", "nosuch", "-step", "4"}, "-against nosuch: git knows no such revision"},
		{"an option as a revision", []string{"-against", "--all", "-step", "4"}, "-against --all: git knows no such revision"},
		{"a name of another kind as a revision", []string{"-against", "spheres", "-step", "4"}, "-against spheres: git knows no such revision"},
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
	launches, blocks := map[string]int{}, map[string]string{}
	for _, r := range read(t, file) {
		name, _, _ := strings.Cut(string(r.Name), "-")
		name = r.GetConfig("pkg") + " " + name
		launches[name]++
		for _, key := range []string{"goversion", "cpu-clock", "link-order", "measured", "pgo", "revision"} {
			assert.NotEmpty(t, r.GetConfig(key), key)
		}
		assert.Equal(t, "1280x720", r.GetConfig("size"))
		assert.Equal(t, "10", r.GetConfig("samples"))
		want := `^\d+ of 8x4$`
		_, workers := r.Value("processors")
		parallel := r.GetConfig("pkg") == "raysteps/step13"
		assert.Equal(t, parallel && runtime.GOMAXPROCS(0) > 1, workers)
		assert.Equal(t, parallel, r.GetConfig("place") == "", "assembly has no places")
		if workers {
			name, want = name+" workers", `^\d+ of 64x64$`
		}
		assert.Regexp(t, want, r.GetConfig("blocks"))
		blocks[name] = cmp.Or(blocks[name], r.GetConfig("blocks"))
		assert.Equal(t, blocks[name], r.GetConfig("blocks"), "%s renders the same in all launches", name)
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
	if count.Available() == nil {
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
		assert.FileExists(t, filepath.Join(both[1], side, "step12.tga"))
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
	if count.Available() == nil {
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
		for i, unit := range count.Units() {
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

func TestSizes(t *testing.T) {
	for _, name := range sizes {
		_, err := scene.ByName(name)
		assert.NoError(t, err)
	}
}

// gauge stands for a program whose subjects have rates that are known.
type gauge struct {
	rates   []float64 // of the subjects in this link order
	noise   float64
	seconds float64 // of a slice, if it is asked for
}

func (g *gauge) Load(any) (all []turns.Subject, err error) {
	for i := range g.rates {
		all = append(all, turns.Subject{Name: "Render/scene=large-2", Config: map[string]string{"pkg": fmt.Sprintf("raysteps/step%02d", i+1), "blocks": "1"}})
	}
	return all, nil
}

// random draws the same in each run.
var random = rand.New(rand.NewPCG(1, 2))

func (g *gauge) Take(r turns.Request) (all []turns.Values, err error) {
	for _, i := range r.Subjects {
		slow := 1 + 3*max(0, random.Float64()-0.8) // one slice in five
		time.Sleep(time.Duration(g.seconds * float64(time.Second)))
		all = append(all, turns.Values{"rays/s": g.rates[i] / slow * (1 + g.noise*random.NormFloat64()), turns.SliceTime: 0.001})
	}
	return all, nil
}

func (g *gauge) Close() error { return nil }

// gauges stands for a program by what it starts in a link order.
type gauges func(order int) (*gauge, error)

func (gauges) Link(context.Context, *cli.Env, int) error { return nil }

func (g gauges) Start(_ context.Context, order int) (launch.Server, error) { return g(order) }

// The whole way from slices to a ratio, with programs that do not exist: two sides
// whose link orders differ by 3 %, and the second is 1.2 times as fast.
func TestMeasure(t *testing.T) {
	bases := make([]float64, 20) // of the link orders
	for order := range bases {
		bases[order] = 1e6 * (1 + 0.03*random.NormFloat64())
	}
	times := func(factor float64) gauges {
		return func(order int) (*gauge, error) {
			return &gauge{rates: []float64{factor * bases[order]}, noise: 0.01}, nil
		}
	}
	u := &unit{
		sides:  []side{{program: times(1), config: map[string]string{"build": "a"}}, {program: times(1.2), config: map[string]string{"build": "b"}}},
		groups: []launch.Group{{Cycles: cycles}},
	}
	env := &cli.Env{Stdout: &bytes.Buffer{}, Stderr: &bytes.Buffer{}}
	m := &measurement{env: env, start: time.Now(), orders: len(bases), units: []*unit{u}}
	m.limit = time.Minute
	require.NoError(t, m.measure(t.Context()))
	require.Len(t, m.lines, 40)
	assert.Equal(t, "20", m.lines[39].GetConfig("link-order"))
	assert.Equal(t, cycles, m.lines[39].Iters)
	_, there := m.lines[0].Value(turns.SliceTime)
	assert.False(t, there)
	set, err := results.Of(m.lines, "this run")
	require.NoError(t, err)
	e, ok := set.Quantity("raysteps/step01", "Render/scene=large-2", "b", over("build=a"))
	if !ok {
		e, ok = set.Quantity("raysteps/step01", "Render/scene=large", "b", over("build=a"))
	}
	require.True(t, ok)
	assert.InDelta(t, 1.2, e.Center, 0.005, "slices that are paired in a launch do not see the scatter of the orders")
	assert.Less(t, e.HalfWidth(), 0.005)
}

// The time is kept, also if a launch of full length would take all of it.
func TestTime(t *testing.T) {
	program := gauges(func(int) (*gauge, error) { return &gauge{rates: []float64{1, 2}, seconds: 0.001}, nil })
	for _, limit := range []time.Duration{300 * time.Millisecond, time.Second} {
		u := &unit{sides: []side{{program: program}}, groups: []launch.Group{{Cycles: 1e6}, {Cycles: 1e6}}}
		m := &measurement{env: &cli.Env{Stderr: &bytes.Buffer{}}, start: time.Now(), units: []*unit{u}}
		m.limit = limit
		require.NoError(t, m.measure(t.Context()))
		assert.InDelta(t, limit.Seconds(), time.Since(m.start).Seconds(), 0.1*limit.Seconds()+0.05)
		assert.Equal(t, fewest, m.done)

		// It ends early if enough is known, but not in fewer link orders.
		m.start, m.done, m.limit, m.enough = time.Now(), 0, time.Hour, func() bool { return m.done == 5 }
		u.groups = []launch.Group{{Cycles: 2}}
		require.NoError(t, m.measure(t.Context()))
		assert.Equal(t, 5, m.done)
	}
	o := options{quick: true}
	m := &measurement{options: o}
	m.defaults(0, time.Hour)
	assert.True(t, m.limit >= time.Minute && m.limit <= 2*time.Minute, "%v", m.limit)
}

// Ctrl-C keeps what was finished.
func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	program := gauges(func(order int) (*gauge, error) {
		if order == 3 {
			cancel()
		}
		return &gauge{rates: []float64{1, 2}}, ctx.Err()
	})
	u := &unit{sides: []side{{program: program}}, groups: []launch.Group{{Cycles: 2}}}
	m := &measurement{env: &cli.Env{Stderr: &bytes.Buffer{}}, start: time.Now(), units: []*unit{u}}
	m.limit = time.Hour
	assert.ErrorIs(t, m.measure(ctx), context.Canceled)
	assert.Equal(t, 3, m.done)
	assert.Len(t, m.lines, 6)
}

// clockwork has tracers that take a time for each block.
type clockwork struct {
	seconds []float64 // of a block
	load    turns.Pictures
}

func (c *clockwork) Load(group any) ([]turns.Subject, error) {
	c.load = group.(turns.Pictures)
	return nil, nil
}

func (c *clockwork) Take(r turns.Request) ([]turns.Values, error) {
	i := r.Subjects[0]
	t := c.load.Tracers[i]
	return []turns.Values{{turns.SliceTime: c.seconds[i] * float64(max(t.Share, t.Grid*t.Grid)*t.Times)}}, nil
}

func (*clockwork) Close() error { return nil }

func TestCalibrate(t *testing.T) {
	c := &clockwork{seconds: []float64{0.0011, 0.001, 0.0001, 0.00001, 0.001, 9}}
	load := launch.Pictures("Render", "large", []turns.Picture{{Workers: 1}, {Workers: 1}, {Workers: 1}, {Workers: 1}, {Workers: 2}, {Workers: 1}})
	work, err := calibrate(c, load)
	require.NoError(t, err)
	assert.Equal(t, []int{2, 2, 2, 2, 0, 2}, []int{work[0].Grid, work[1].Grid, work[2].Grid, work[3].Grid, work[4].Grid, work[5].Grid})
	assert.Equal(t, []int{1, 1, 4, 64, 5, 0}, []int{work[0].Times, work[1].Times, work[2].Times, work[3].Times, work[4].Times, work[5].Times}, "and for too slow")
	c.seconds = []float64{20e-6, 10e-6, 5e-6, 2e-6, 5e-9, 9}
	work, err = calibrate(c, load)
	require.NoError(t, err)
	assert.Equal(t, 12, work[0].Grid)
	assert.Equal(t, []int{1, 2, 4, 8, 5}, []int{work[0].Times, work[1].Times, work[2].Times, work[3].Times, work[4].Times})
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
	m := &measurement{env: &cli.Env{Stdout: &printed}, set: set, done: 8, start: time.Now().Add(-83 * time.Second), slow: []float64{0.2}}
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
