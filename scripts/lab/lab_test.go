package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/format"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/perf/benchfmt"

	"raysteps/common/answers"
	"raysteps/scripts/internal/cachegrind"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/estimate"
)

// testUser returns a user of this module whose labs are in a folder of the test.
func testUser(t *testing.T) user {
	t.Helper()
	root, err := cli.ModuleRoot()
	require.NoError(t, err)
	return user{root: root, dir: t.TempDir(), labs: all()}
}

func (u user) lab(name string) *lab {
	return u.labs[slices.IndexFunc(u.labs, func(l *lab) bool { return l.name == name })]
}

// worker returns a session of somebody at work with what is made up, who keeps what is
// said. The functions may be changed.
func (u user) worker(l *lab) (s *session, said func() string) {
	env, _, _ := testEnv()
	s = u.session(env, l)
	text := ""
	s.say = func(line string) { text += line + "\n" }
	s.work = work{
		build: func(context.Context) (*build, error) { return &build{lab: l}, nil },
		count: func(context.Context, *build, *counts) (*counts, error) {
			return testCounts(l, 100, 100), nil
		},
		time: func(context.Context, *build, int) (*timing, error) { return fast(2, 2), nil },
	}
	return s, func() string {
		now := text
		text = ""
		return now
	}
}

// testCounts are counts of which yours and ours are so many of all kinds.
func testCounts(l *lab, yours, ours float64) *counts {
	of := func(n float64) *benchfmt.Result { return countLine(n, n, n) }
	return &counts{l, of(200), of(yours), of(ours)}
}

// countLine is a count of a ray.
func countLine(instructions, loads, branches float64) *benchfmt.Result {
	return &benchfmt.Result{Values: []benchfmt.Value{{Value: instructions, Unit: "instructions/ray"}, {Value: loads, Unit: "loads/ray"}, {Value: branches, Unit: "branches/ray"}}}
}

// fast is a timing of which yours and ours are so many times as fast as the start.
func fast(yours, ours float64) *timing {
	around := func(center float64) estimate.Estimate { return testEstimate(0.99*center, center, 1.01*center) }
	return &timing{around(yours), around(ours), around(yours / math.Pow(ours, share))}
}

func testEnv() (env *cli.Env, stdout, stderr *bytes.Buffer) {
	stdout, stderr = &bytes.Buffer{}, &bytes.Buffer{}
	return &cli.Env{Stdout: stdout, Stderr: stderr}, stdout, stderr
}

// Every lab compiles as it begins, for every processor, and its pictures are right. What
// is common to the labs is linked once. What a session says see TestCheck.
func TestLabs(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles all labs")
	}
	u := testUser(t)
	folders := []string{"common"}
	for _, l := range u.labs {
		folders = append(folders, l.Ours.Folder())
	}
	slices.Sort(folders)
	tree := module(t, slices.Compact(folders)...)
	u.dir = filepath.Join(tree, folder)
	env, _, _ := testEnv()
	imports, calls := "", ""
	for _, l := range u.labs {
		require.NoError(t, u.start(env, l, strings.NewReader("")))
		imports += fmt.Sprintf("\t%q\n", cli.Module+"/"+l.folder())
		calls += fmt.Sprintf("\tt.Run(%q, func(t *testing.T) { steptest.RunAs(t, %[1]s.New, %q, %q) })\n", l.name, l.From.Name, l.Ours.Name)
	}
	require.NoError(t, os.WriteFile(filepath.Join(u.dir, "labs_test.go"), []byte("package lab\n\nimport (\n\t\"testing\"\n\n\t\"raysteps/common/steptest\"\n"+imports+")\n\nfunc TestLabs(t *testing.T) {\n"+calls+"}\n"), 0o666))
	run := func(environment string, args ...string) string {
		cmd := exec.CommandContext(t.Context(), "go", args...)
		cmd.Dir, cmd.Env = tree, append(os.Environ(), environment)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s go %s\n%s", environment, strings.Join(args, " "), out)
		return string(out)
	}
	all := "./" + folder + "/..."
	run("GOARCH=arm64", "build", "-trimpath", all)
	run("", "build", "-trimpath", "-tags", "purego", all)
	run("", "vet", "-trimpath", all)
	pictures := run("", "test", "-trimpath", "-vet=off", "-v", "-run", "TestLabs/.*/scene=small", "./"+folder)
	for _, l := range u.labs {
		assert.True(t, l.possible() != nil || strings.Contains(pictures, "--- PASS: TestLabs/"+l.name+"/scene=small"), l.name)
	}
}

// Counts decide where anything can be counted, and time where nothing can. It is said what
// a lab was about once it is passed, and how far off the prediction was.
func TestCheck(t *testing.T) {
	none := errors.New("no valgrind")
	broken := errors.New("it does not compile")
	for _, tt := range []struct {
		name      string
		lab       string
		yours     float64 // counts of what ours has 100 of
		fast      *timing
		uncounted error
		predicted float64
		build     error
		passed    bool
		want      []string // what is said, and the error
		err       string
	}{
		{name: "too many", lab: "slow5", yours: 150, want: []string{"Not yet: 48.0 instructions, 48.0 loads and 48.0 branches a ray too many.\n"}, err: "reported already"},
		{name: "few enough", lab: "slow5", yours: 101, fast: fast(2, 2), passed: true, want: []string{"Passed.\n\n", "times the start's speed: yours 2.00 (1.98 to 2.02), ours 2.00 (1.98 to 2.02)\n"}},
		{name: "predicted twice as fast, and it is not faster", lab: "slow5", yours: 101, fast: fast(1, 2), predicted: 2, passed: true, want: []string{"yours ~ (0.99 to 1.01)", "You predicted 2 times the start's speed, and it is 1: +100 %.\n"}},
		{name: "time decides", lab: "slow5", fast: fast(2, 2), uncounted: none, passed: true, want: []string{"Not counted: no valgrind. So time decides.\n", "yours 2.00 (1.98 to 2.02), ours 2.00 (1.98 to 2.02), asked 1.74\n", "Passed.\n\n"}},
		{name: "time decides against it", lab: "slow5", fast: fast(1.5, 2), uncounted: none, predicted: 2, want: []string{"Not yet: 16.1 % more speed is asked: 1.74 times the start's.\n"}, err: "reported already"},
		{name: "nothing is counted of this one", lab: "slow10", fast: fast(2, 2), passed: true, want: []string{"The pictures are right.\ntimes the start's speed", "Passed.\n\n"}},
		{name: "ours is no faster here", lab: "slow10", fast: fast(1, 1), want: []string{"The pictures are right.\n"}, err: "here ours is 1.00 times as fast as the start, so time decides nothing"},
		{name: "it does not build", lab: "slow5", build: broken, want: []string{"Building and testing ...\n"}, err: "it does not compile"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			u := testUser(t)
			l := u.lab(tt.lab)
			_, err := u.record(l, func(r *standing) { r.Predicted, r.Speed = tt.predicted, 1.9 })
			require.NoError(t, err)
			s, said := u.worker(l)
			s.count = func(context.Context, *build, *counts) (*counts, error) {
				return testCounts(l, tt.yours, 100), tt.uncounted
			}
			s.time = func(_ context.Context, _ *build, most int) (*timing, error) {
				assert.Equal(t, map[bool]int{true: batch, false: orders}[tt.yours > 0], most, "link orders")
				return tt.fast, nil
			}
			if tt.build != nil {
				s.work.build = func(context.Context) (*build, error) { return nil, tt.build }
			}
			err = s.check(t.Context())
			if tt.err != "" {
				assert.EqualError(t, err, tt.err)
			} else {
				assert.NoError(t, err)
			}
			text := said()
			for _, want := range tt.want {
				assert.Contains(t, text, want)
			}
			assert.Equal(t, tt.passed, strings.Contains(text, "Passed.\n\n"+l.after))
			assert.Equal(t, tt.predicted > 0 && tt.passed, strings.Contains(text, "You predicted"))
			p, err := u.progress()
			require.NoError(t, err)
			assert.Equal(t, tt.passed, p[l.name].Passed)
			assert.GreaterOrEqual(t, p[l.name].Speed, 1.9, "the best stays")
		})
	}
}

// A lab that renders less where it is measured than where it is tested is found out, and a
// lab is held to a share of our gain.
func TestRead(t *testing.T) {
	lines := func(rays ...float64) (all []*benchfmt.Result) {
		for i, n := range rays {
			all = append(all, &benchfmt.Result{Values: []benchfmt.Value{{Value: []float64{3e6, 1e6, 4e6}[i], Unit: "rays/s"}, {Value: n, Unit: "rays/op"}}})
		}
		return all
	}
	for _, known := range [][]float64{{100, 100, 120}, {120, 100, 120}} {
		var read timing
		require.NoError(t, read.read(lines(known...)), "the picture of the start, or ours")
		got := []float64{read.yours.Center, read.ours.Center, read.rest.Center}
		assert.InDeltaSlice(t, []float64{3, 4, 3 / math.Pow(4, 0.8)}, got, 1e-9)
	}
	assert.EqualError(t, new(timing).read(lines(50, 100, 120)), "where it is measured it traces 50 rays, the start 100 and ours 120; want the picture of one of them at every size")
}

// The page that introduces the labs has all of them in the order of the command.
func TestPage(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(testUser(t).root, "docs", "labs.md"))
	require.NoError(t, err)
	var rows []string
	for _, m := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\|").FindAllStringSubmatch(string(text), -1) {
		rows = append(rows, m[1])
	}
	assert.Equal(t, order, rows)
}

// A start that fails leaves nothing behind, so that it can be tried again.
func TestCreate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "passes")
	assert.ErrorIs(t, create(dir, map[string][]byte{"doc.go": nil, "missing/world.go": nil}), os.ErrNotExist)
	assert.NoDirExists(t, dir)
}

// What is told of a lab is complete, and does not give it away.
func TestTexts(t *testing.T) {
	u := testUser(t)
	for _, l := range u.labs {
		t.Run(l.name, func(t *testing.T) {
			assert.GreaterOrEqual(t, len(l.hints), 3)
			assert.Regexp(t, `(?i)before you`, l.task, "a prediction")
			assert.LessOrEqual(t, strings.Count(l.after, "\n"), 10)
			assert.Contains(t, l.after, "Read next: ")
			_, known := answers.Of(l.Ours.Name, "size=33x17")
			assert.True(t, known)
			files, err := l.files(u.root)
			require.NoError(t, err)
			assert.Contains(t, string(files["README.md"]), "lab check "+l.name)
			for name, text := range files {
				if path.Ext(name) == ".go" {
					assert.Regexp(t, `(?m)^package `+l.name+`$`, string(text), name)
					assert.NotContains(t, string(text), l.From.Name+" ", name)
					formatted, err := format.Source(text)
					require.NoError(t, err)
					assert.Equal(t, string(formatted), string(text), name)
				}
			}
		})
	}
}

func TestEdit(t *testing.T) {
	for _, tt := range []struct{ name, text, change, want string }{
		{"a new file", "a\n", "b\n", "b\n"},
		{"two blocks", "a\nb\nc\n", "<<<<\na\n====\nd\ne\n>>>>\n<<<<\nc\n====\n>>>>\n", "d\ne\nb\n"},
		{"a part of a line", "a + b\n", "<<<<\n + b\n====\n - b\n>>>>\n", "a - b\n"},
		{"empty lines", "a\n\nb\n", "<<<<\na\n\nb\n====\n\nb\n>>>>\n", "\nb\n"},
		{"no place", "a\n", "<<<<\nb\n====\nc\n>>>>\n", `0 places are "b\n"; want exactly one, so the lab must follow a change of the step`},
		{"two places", "a\na\n", "<<<<\na\n====\nc\n>>>>\n", `2 places are "a\n"; want exactly one, so the lab must follow a change of the step`},
		{"no end", "a\n", "<<<<\na\n====\nc\n", `a block of edits is not closed: "a\n====\nc\n"`},
	} {
		got, err := edit([]byte(tt.text), []byte(tt.change))
		if err != nil {
			got = []byte(err.Error())
		}
		assert.Equal(t, tt.want, string(got), tt.name)
	}
}

// What a reader does: the lab is built and tested in a folder of its own. What goes wrong
// is one line. A solution, which is our files in the place of the lab's, goes on: it is
// measured, and counts tell it from the start.
func TestBuild(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles, and measures for a second")
	}
	t.Setenv("TMPDIR", t.TempDir()) // so that nobody else's measurement is waited for
	const reset = "t.rng, t.rays, t.bounces = seed"
	for _, tt := range []struct{ name, lab, file, from, to, want string }{
		{"does not compile", "passes", "world.go", "hit := false", "hit := 7", `^lab/passes: exit status 1: # raysteps/lab/passes.*; lab/passes/world\.go:\d+:\d+: `},
		{"another step", "passes", "world.go", "package passes\n", "package passes\n\nimport _ \"raysteps/step06\"\n", `^lab/passes/world\.go imports raysteps/step06; a lab stands alone$`},
		{"panic", "passes", "sphere.go", "root := sqrt(discriminant)", "root := w.Spheres.Radius()[i+1000]", `^lab/passes: exit status 1: panic: runtime error: .* at lab/passes/sphere(_soa)?\.go:\d+$`},
		{"does not end", "passes", "tracer.go", reset, "select {}\n\t" + reset, `^lab/passes: a test is not finished after 2s; does a loop end\?$`},
		{"wrong picture", "passes", "sphere.go", "(-b - root) / a", "(-b - root) / (a + 1)", `^lab/passes: TestStep/scene=small fails; go test \./lab/passes tells more$`},
		{name: "solved", lab: "passes"},
		{name: "solved by a kernel", lab: "avx2"},
		{name: "solved by goroutines", lab: "tiles"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			u, limit := testUser(t), patience
			l := u.lab(tt.lab)
			if err := l.possible(); err != nil {
				t.Skip(err)
			}
			made := l
			if tt.want == "" {
				made = &lab{name: l.name, From: l.Ours, Ours: l.Ours, Tests: l.Tests}
			}
			files, err := made.files(u.root)
			require.NoError(t, err)
			if tt.file != "" {
				require.Contains(t, string(files[tt.file]), tt.from)
				files[tt.file] = bytes.Replace(files[tt.file], []byte(tt.from), []byte(tt.to), 1)
			}
			require.NoError(t, create(filepath.Join(u.dir, l.name), files))
			if tt.name == "does not end" {
				limit = 2 * time.Second
			}
			b, err := u.build(t.Context(), l, limit)
			if tt.want != "" {
				require.Error(t, err)
				assert.Regexp(t, tt.want, err.Error())
				assert.NotContains(t, err.Error(), "\n")
				return
			}
			require.NoError(t, err)
			defer b.close()
			if l.name == "passes" {
				checkMeasured(t, b)
			}
		})
	}
}

// checkMeasured measures a solution, and counts.
func checkMeasured(t *testing.T, b *build) {
	env, _, _ := testEnv()
	timed, err := b.time(t.Context(), env, 1)
	require.NoError(t, err)
	assert.Equal(t, 1, timed.yours.Orders)
	c, err := b.count(t.Context(), env, nil)
	if err != nil {
		cannot := cachegrind.Works(t.Context())
		require.Error(t, cannot, err)
		assert.EqualError(t, err, cannot.Error())
		return
	}
	assert.Empty(t, c.shortfall())
	c.yours = c.start
	assert.Regexp(t, `^[\d.,]+ instructions.* a ray too many$`, c.shortfall())
}

// watcher is a session that watches a lab in a bubble, whose time passes at once.
type watcher struct {
	t                 *testing.T
	session           *session
	said              func() string
	changed           chan struct{}
	answers, measured int
}

// watchLab watches until the context is done; then ended is closed.
func watchLab(ctx context.Context, t *testing.T) (w *watcher, ended chan struct{}) {
	u := testUser(t)
	w = &watcher{t: t, changed: make(chan struct{}, 1)}
	w.session, w.said = u.worker(u.lab("slow5"))
	w.session.work.build = w.build
	w.session.time = func(context.Context, *build, int) (*timing, error) {
		w.measured++
		return fast(2, 2), nil
	}
	ended = make(chan struct{})
	go func() {
		defer close(ended)
		w.session.watch(ctx, w.changed)
	}()
	return w, ended
}

func (w *watcher) build(context.Context) (*build, error) {
	w.answers++
	return &build{lab: w.session.lab}, nil
}

// after holds the session to how often it has answered and measured after some time.
func (w *watcher) after(wait time.Duration, answers, measured int, what string) {
	w.t.Helper()
	time.Sleep(wait)
	synctest.Wait()
	assert.Equal(w.t, answers, w.answers, what)
	assert.Equal(w.t, measured, w.measured, what)
}

// Watch answers when files have been left alone for a moment, and measures the speed when they
// rest.
func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		w, ended := watchLab(ctx, t)
		w.after(0, 1, 0, "the files as they are")
		assert.Regexp(t, `^\nlab/slow5 at \d\d:\d\d:\d\d\nBuilding.*\nThe pictures are right\.\n(.*\n)+Passed\.(.*\n)+When the files rest, the speed is measured; Ctrl-C ends\.\n$`, w.said())
		w.changed <- struct{}{}
		w.after(settle/2, 1, 0, "not yet at rest")
		w.changed <- struct{}{}
		w.after(settle*3/4, 1, 0, "saved again")
		w.after(settle, 2, 0, "at rest")
		w.after(rest-settle, 2, 0, "not for so long")
		w.after(settle*2, 2, 1, "for so long")
		w.after(10*rest, 2, 1, "and once only")
		cancel()
		<-ended
	})
}

// Watch gives up what it is at when files change again.
func TestWatchGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		w, ended := watchLab(ctx, t)
		w.after(0, 1, 0, "the files as they are")
		w.session.work.build = func(ctx context.Context) (*build, error) {
			w.answers++
			<-ctx.Done() // a test that does not end, and then takes its time to end
			time.Sleep(time.Second)
			return nil, ctx.Err()
		}
		w.changed <- struct{}{}
		w.after(settle, 2, 0, "it hangs")
		w.said()
		w.session.work.build = w.build
		w.changed <- struct{}{}
		w.after(settle, 2, 0, "it is told to end")
		w.after(time.Second, 3, 0, "and is given up")
		assert.NotContains(t, w.said(), "canceled")
		w.session.work.build = func(context.Context) (*build, error) { return nil, errors.New("a; b") }
		w.changed <- struct{}{}
		w.after(settle, 3, 0, "an error")
		assert.Contains(t, w.said(), "a\n  b\n")
		cancel()
		<-ended
	})
}

// What is told of changes: of those of source files.
func TestChanges(t *testing.T) {
	dir := t.TempDir()
	changed, err := changes(t.Context(), dir)
	require.NoError(t, err)
	for _, name := range []string{"README.md", "world.go", "hit.s"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(name), 0o666))
		if name == "README.md" {
			continue // and nothing else has been written, so nothing comes before the next
		}
		select {
		case <-changed:
		case <-time.After(time.Minute):
			t.Fatal("nothing is told")
		}
	}
	_, err = changes(t.Context(), filepath.Join(dir, "none"))
	assert.ErrorContains(t, err, "none")
}

func testEstimate(lo, center, hi float64) estimate.Estimate {
	return estimate.Estimate{Center: center, Lo: lo, Hi: hi, Orders: 12}
}

func TestTiming(t *testing.T) {
	ours := testEstimate(1.98, 2, 2.02)
	above := timing{testEstimate(1.4, 1.9, 2.4), ours, testEstimate(0.9, 1.1, 1.3)}
	assert.Equal(t, "times the start's speed: yours 1.9 (1.4 to 2.4), ours 2.00 (1.98 to 2.02)", above.String())
	assert.Empty(t, above.shortfall(), "a wide interval above the start")
	wide := timing{testEstimate(0.9, 1.9, 2.4), ours, testEstimate(0.5, 1.1, 1.3)}
	assert.Equal(t, "0.0 % more speed is asked: 1.74 times the start's", wide.shortfall(), "it may be the start's")
}

// Of checks of a lab that is just as fast as was asked, with noise, no more than one in
// twenty is decided, although they are looked at again and again.
func TestDecided(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const checks = 500
	wrong := 0
	for range checks {
		var launches []estimate.Launch
		for order := 0; order < orders; order++ {
			launches = append(launches, estimate.Launch{Order: order, Log: 0.01 * random.NormFloat64()})
			if len(launches)%batch == 0 && decided(estimate.Mean(launches)) {
				wrong++
				break
			}
		}
	}
	assert.LessOrEqual(t, wrong, checks/20)
	assert.GreaterOrEqual(t, wrong, checks/100, "nor is it never decided")
	assert.True(t, decided(estimate.Mean([]estimate.Launch{
		{Order: 1, Log: 0.7}, {Order: 2, Log: 0.701}, {Order: 3, Log: 0.699}, {Order: 4, Log: 0.7},
	})))
}

// A word that is no number is asked for again.
func TestPrediction(t *testing.T) {
	for in, want := range map[string]float64{"abc\n0\n1.5\n": 1.5, "21\n\n": 0, "": 0, "nan\n3": 3, "20\n": 20, "20.01\n\n": 0, "1\n": 1, "0.99\n\n": 0} {
		u := testUser(t)
		env, stdout, _ := testEnv()
		require.NoError(t, u.start(env, u.lab("passes"), strings.NewReader(in)))
		p, err := u.progress()
		require.NoError(t, err)
		assert.Equal(t, want, p["passes"].Predicted, in)
		assert.Equal(t, want == 0, strings.HasSuffix(stdout.String(), "No prediction is kept.\n"))
	}
}

func TestCountsTable(t *testing.T) {
	c := &counts{&lab{Scene: "large", Counts: []string{"instructions", "loads"}, Within: 2}, countLine(59588.4, 26296, 5844), countLine(18800, 2700.4, 5000), countLine(18452, 2579, 1491)}
	assert.Equal(t, "   a ray of large   the start      yours       ours      asked\n     instructions    59,588.4   18,800.0   18,452.0   18,821.0\n            loads    26,296.0    2,700.4    2,579.0    2,630.5\n         branches     5,844.0    5,000.0    1,491.0", strings.TrimRight(c.String(), " "))
	assert.Equal(t, "69.8 loads a ray too many", c.shortfall())
	c.yours = countLine(100, 100, 5000)
	assert.Empty(t, c.shortfall(), "fewer than ours")
	c.yours = countLine(c.target("instructions"), c.target("loads"), 5000)
	assert.Empty(t, c.shortfall(), "just what is asked")
	c.yours = countLine(c.target("instructions"), c.target("loads")+0.2, 5000)
	assert.Equal(t, "0.1 loads a ray too many", c.shortfall())
}

func TestProgress(t *testing.T) {
	u := testUser(t)
	l := u.lab("passes")
	env, stdout, _ := testEnv()
	for range len(l.hints) + 1 {
		require.NoError(t, u.hint(env, l))
	}
	assert.True(t, strings.HasPrefix(stdout.String(), "Hint 1 of 3. "+l.hints[0]+"\nHint 2 of 3. "+l.hints[1]+"\n"), stdout.String())
	assert.Equal(t, 2, strings.Count(stdout.String(), "Hint 3 of 3. "))
	r, err := u.record(l, func(r *standing) { r.Passed, r.Hints, r.Predicted, r.Speed = true, 1, 20, 1.7 })
	require.NoError(t, err)
	assert.Equal(t, "yes with 1 hint\t20 times\t1.7 times\t", r.String())
	stdout.Reset()
	require.NoError(t, u.hint(env, l))
	assert.Equal(t, strings.Join(l.hints, "\n\n")+"\n", stdout.String())
	p, err := u.progress()
	require.NoError(t, err)
	assert.Equal(t, r, p[l.name], "none counts any more")
	lost := u
	lost.dir = filepath.Join(u.dir, "missing")
	_, err = lost.record(l, func(*standing) {})
	assert.ErrorContains(t, err, "is not a folder; want one that exists", "it is not kept")
	require.NoError(t, os.WriteFile(filepath.Join(u.dir, progressFile), []byte("{"), 0o666))
	for _, err := range []error{u.list(env), u.hint(env, l)} {
		assert.EqualError(t, err, "lab/progress.json: unexpected end of JSON input; delete that file to begin a new one")
	}
}

// module makes a small copy of the module, with some of its folders.
func module(t *testing.T, folders ...string) (root string) {
	t.Helper()
	root = t.TempDir()
	from := testUser(t).root
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(from, name))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(root, name), text, 0o666))
	}
	for _, folder := range folders {
		require.NoError(t, os.CopyFS(filepath.Join(root, folder), os.DirFS(filepath.Join(from, folder))))
	}
	return root
}

func execute(t *testing.T, args string) (status int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	status = command.Exec(t.Context(), strings.Fields(args), &out, &err)
	return status, out.String(), err.String()
}

func TestCommand(t *testing.T) {
	root := module(t, "step05", "step06")
	t.Chdir(root)
	// An empty folder is no lab, and a lab can begin in it.
	require.NoError(t, os.MkdirAll(filepath.Join(root, "lab", "passes"), 0o777))
	for _, tt := range []struct {
		args           string
		status         int
		stdout, stderr string // patterns
	}{
		{"", cli.ExitOK, `(?m)^ *passes +two passes over the spheres +step 5 *$`, "^$"},
		{"check passes", cli.ExitMisuse, "^$", "^lab: there is no lab/passes yet; begin with start passes\n$"},
		{"start passes", cli.ExitOK, "^lab/passes is made: two passes over the spheres.\nIts README.md says what to do. Read it, and predict:\n.* No prediction is kept\\.\n$", "^$"},
		{"start lab/passes/", cli.ExitMisuse, "^$", "^lab: lab/passes is there already; to begin again, rename or delete that folder first\n$"},
		{"", cli.ExitOK, `(?m)^ *passes +two passes over the spheres +step 5 *$`, "^$"},
		{"hint passes", cli.ExitOK, "^Hint 1 of 3. ", "^$"},
		{"", cli.ExitOK, `(?m)^ *passes +two passes over the spheres +step 5 +with 1 hint *$`, "^$"},
		{"diff passes", cli.ExitOK, `(?s)^lab/passes to step06: .*\n-.*hitSphere.*\n\+.*discriminants`, "^$"},
		{`start .\lab\passes\`, cli.ExitMisuse, "^$", "^lab: lab/passes is there already;"},
		{"start walk", cli.ExitMisuse, "^$", `^lab: unknown lab "walk"; want passes, unit, .* or slow10\n$`},
		{"walk passes", cli.ExitMisuse, "^$", `^lab: unknown word "walk"; want start, watch, check, hint or diff\n$`},
		{"start", cli.ExitMisuse, "^$", "^lab: start which lab\\? want passes, "},
		{"-h", cli.ExitOK, "^usage: go run ./scripts/lab ", "^$"},
	} {
		status, stdout, stderr := execute(t, tt.args)
		assert.Equal(t, tt.status, status, tt.args)
		assert.Regexp(t, tt.stdout, stdout, tt.args)
		assert.Regexp(t, tt.stderr, stderr, tt.args)
	}
}
