package main

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/perf/benchfmt"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/estimate"
)

func (u user) lab(name string) *lab {
	return u.labs[slices.IndexFunc(u.labs, func(l *lab) bool { return l.name == name })]
}

// change replaces a text in a file of a lab.
func change(t *testing.T, dir, file, from, to string) {
	t.Helper()
	name := filepath.Join(dir, file)
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	require.Contains(t, string(text), from)
	require.NoError(t, os.WriteFile(name, []byte(strings.Replace(string(text), from, to, 1)), 0o666))
}

// What goes wrong is one line.
func TestProblems(t *testing.T) {
	const reset = "t.rng, t.rays, t.bounces = seed"
	for _, tt := range []struct{ name, file, from, to, want string }{
		{"does not compile", "world.go", "hit := false", "hit := 7", `^lab/passes: exit status 1: # raysteps/lab/passes.*; lab/passes/world\.go:\d+:\d+: `},
		{"another step", "world.go", "package passes\n", "package passes\n\nimport _ \"raysteps/step06\"\n", `^lab/passes/world\.go imports raysteps/step06; a lab stands alone$`},
		{"panic", "sphere.go", "root := sqrt(discriminant)", "root := w.Spheres.Radius()[i+1000]", `^lab/passes: exit status 1: panic: runtime error: .* at lab/passes/sphere(_soa)?\.go:\d+$`},
		{"does not end", "tracer.go", reset, "for {\n\t}\n\t" + reset, `^lab/passes: a test is not finished after 2s; does a loop end\?$`},
		{"wrong picture", "sphere.go", "(-b - root) / a", "(-b - root) / (a + 1)", `^lab/passes: TestStep/scene=small fails; go test \./lab/passes tells more$`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			u := someone(t)
			l := u.lab("passes")
			dir := u.begin(t, l)
			change(t, dir, tt.file, tt.from, tt.to)
			limit := patience
			if tt.name == "does not end" {
				limit = 2 * time.Second
			}
			_, err := u.build(t.Context(), l, limit)
			require.Error(t, err)
			assert.Regexp(t, tt.want, err.Error())
			assert.NotContains(t, err.Error(), "\n")
		})
	}
}

// Watch answers when files have been left alone for a moment, gives up what it is at when
// they change again, and measures the speed when they rest. The time of the bubble passes
// at once.
func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		u := someone(t)
		l := u.lab("slow5")
		s, said := u.worker(l)
		var answers, measured int
		building := func(ctx context.Context) (*build, error) {
			answers++
			return &build{lab: l}, nil
		}
		s.work.build = building
		s.time = func(context.Context, *build, int) (*timing, error) { measured++; return fast(2, 2), nil }
		changed := make(chan struct{}, 1)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			s.watch(ctx, changed)
		}()
		step := func(wait time.Duration, wantAnswers, wantMeasured int, what string) {
			t.Helper()
			time.Sleep(wait)
			synctest.Wait()
			assert.Equal(t, wantAnswers, answers, what)
			assert.Equal(t, wantMeasured, measured, what)
		}
		step(0, 1, 0, "the files as they are")
		assert.Regexp(t, `^\nlab/slow5 at \d\d:\d\d:\d\d\nBuilding.*\nThe pictures are right\.\n(.*\n)+Passed\.(.*\n)+When the files rest, the speed is measured; Ctrl-C ends\.\n$`, said())
		changed <- struct{}{}
		step(settle/2, 1, 0, "not yet at rest")
		changed <- struct{}{}
		step(settle*3/4, 1, 0, "saved again")
		step(settle, 2, 0, "at rest")
		step(rest-settle, 2, 0, "not for so long")
		step(settle*2, 2, 1, "for so long")
		step(10*rest, 2, 1, "and once only")

		s.work.build = func(ctx context.Context) (*build, error) {
			answers++
			<-ctx.Done() // a test that does not end, and then takes its time to end
			time.Sleep(time.Second)
			return nil, ctx.Err()
		}
		changed <- struct{}{}
		step(settle, 3, 1, "it hangs")
		said()
		s.work.build = building
		changed <- struct{}{}
		step(settle, 3, 1, "it is told to end")
		step(time.Second, 4, 1, "and is given up")
		assert.NotContains(t, said(), "canceled")
		s.work.build = func(context.Context) (*build, error) { return nil, errors.New("a; b") }
		changed <- struct{}{}
		step(settle, 4, 1, "an error")
		assert.Contains(t, said(), "a\n  b\n")
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

func estimated(lo, center, hi float64) estimate.Estimate {
	return estimate.Estimate{Center: center, Lo: lo, Hi: hi, Orders: 12}
}

func TestTiming(t *testing.T) {
	ours := estimated(1.98, 2, 2.02)
	above := timing{estimated(1.4, 1.9, 2.4), ours, estimated(0.9, 1.1, 1.3)}
	assert.Equal(t, "times the start's speed: yours 1.9 (1.4 to 2.4), ours 2.00 (1.98 to 2.02)", above.String())
	assert.Empty(t, above.missing(), "a wide interval above the start")
	wide := timing{estimated(0.9, 1.9, 2.4), ours, estimated(0.5, 1.1, 1.3)}
	assert.Equal(t, "0.0 % more speed is asked: 1.74 times the start's", wide.missing(), "it may be the start's")
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
			if len(launches)%batch == 0 && decided(estimate.Of(launches)) {
				wrong++
				break
			}
		}
	}
	assert.LessOrEqual(t, wrong, checks/20)
	assert.GreaterOrEqual(t, wrong, checks/100, "nor is it never decided")
	assert.True(t, decided(estimate.Of([]estimate.Launch{{Order: 1, Log: 0.7}, {Order: 2, Log: 0.701}, {Order: 3, Log: 0.699}, {Order: 4, Log: 0.7}})))
}

// A word that is no number is asked for again.
func TestPrediction(t *testing.T) {
	for in, want := range map[string]float64{"abc\n0\n1.5\n": 1.5, "21\n\n": 0, "": 0, "nan\n3": 3} {
		u := someone(t)
		env, stdout, _ := silent()
		require.NoError(t, u.start(env, u.lab("passes"), strings.NewReader(in)))
		p, err := u.progress()
		require.NoError(t, err)
		assert.Equal(t, want, p["passes"].Predicted, in)
		assert.Equal(t, want == 0, strings.HasSuffix(stdout.String(), "No prediction is kept.\n"))
	}
}

func TestCounts(t *testing.T) {
	result := func(instructions, loads, branches float64) *benchfmt.Result {
		return &benchfmt.Result{Values: []benchfmt.Value{{Value: instructions, Unit: "instructions/ray"}, {Value: loads, Unit: "loads/ray"}, {Value: branches, Unit: "branches/ray"}}}
	}
	c := &counts{&lab{Scene: "large", Counts: []string{"instructions", "loads"}, Within: 2}, result(59588.4, 26296, 5844), result(18800, 2700.4, 5000), result(18452, 2579, 1491)}
	assert.Equal(t, "   a ray of large   the start      yours       ours      asked\n     instructions    59,588.4   18,800.0   18,452.0   18,821.0\n            loads    26,296.0    2,700.4    2,579.0    2,630.5\n         branches     5,844.0    5,000.0    1,491.0", strings.TrimRight(c.String(), " "))
	assert.Equal(t, "69.8 loads a ray too many", c.missing())
	c.yours = result(100, 100, 5000)
	assert.Empty(t, c.missing(), "fewer than ours")
}

func TestProgress(t *testing.T) {
	u := someone(t)
	l := u.lab("passes")
	env, stdout, _ := silent()
	for range len(l.hints) + 1 {
		require.NoError(t, u.hint(env, l))
	}
	assert.True(t, strings.HasPrefix(stdout.String(), "Hint 1 of 3. "+l.hints[0]+"\nHint 2 of 3. "+l.hints[1]+"\n"), stdout.String())
	assert.Equal(t, 2, strings.Count(stdout.String(), "Hint 3 of 3. "))
	r, err := u.record(l, func(r *reached) { r.Passed, r.Predicted, r.Speed = true, 20, 1.7 })
	require.NoError(t, err)
	assert.Equal(t, "yes with 3 hints\t20 times\t1.7 times", r.String())
	_, err = u.record(l, func(r *reached) { r.Hints = 1 })
	require.NoError(t, err)
	stdout.Reset()
	require.NoError(t, u.hint(env, l))
	assert.Equal(t, strings.Join(l.hints, "\n\n")+"\n", stdout.String(), "none counts any more")
	assert.Equal(t, "\t2 times", reached{Predicted: 2}.String())
	assert.Empty(t, reached{}.String())

	p, err := u.progress()
	require.NoError(t, err)
	assert.Equal(t, 1, p[l.name].Hints)

	require.NoError(t, os.WriteFile(filepath.Join(u.dir, progressFile), []byte("{"), 0o666))
	for _, err := range []error{u.list(env), u.hint(env, l)} {
		assert.EqualError(t, err, "lab/progress.json: unexpected end of JSON input; delete that file to begin a new one")
	}
}

// module makes a small copy of the module, with some of its folders.
func module(t *testing.T, folders ...string) (root string) {
	t.Helper()
	root = t.TempDir()
	from := someone(t).root
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
