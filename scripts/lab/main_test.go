package main

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

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

// What goes wrong is one line, and no score.
func TestNoScore(t *testing.T) {
	for _, tt := range []struct{ name, lab, file, from, to, want string }{
		{"does not compile", "passes", "world.go", "hit := false", "hit := 7", `^lab/passes does not compile: exit status 1: # raysteps/lab/passes; \S+world\.go:\d+:\d+: `},
		{"another New", "passes", "tracer.go", "func New(", "func NewTracer(", `^lab/passes: undefined: New; want func New\(\*scene\.Scene\) \*Tracer, with a method Render\(\*film\.Film, common\.Settings\) int64$`},
		{"another step", "passes", "world.go", "package passes\n", "package passes\n\nimport _ \"raysteps/step06\"\n", `^lab/passes/world\.go imports raysteps/step06; a lab stands alone$`},
		{"panic", "passes", "sphere.go", "root := sqrt(discriminant)", "root := w.Spheres.Radius()[i+1000]", `^lab/passes: the \w+ scene in \d+x\d+: the launcher ended: exit status 2: panic: runtime error: .* at lab/passes/sphere_soa\.go:\d+$|^lab/passes: .*panic: runtime error: .* at lab/passes/sphere\.go:\d+$`},
		{"does not end", "passes", "tracer.go", "t.rng, t.rays, t.bounces = seed", "for {\n\t}\n\tt.rng, t.rays, t.bounces = seed", `^lab/passes: the medium scene in 33x17 is not finished after 2s; does a loop end\?$`},
		{"wrong picture", "passes", "sphere.go", "(-b - root) / a", "(-b - root) / (a + 1)", `^lab/passes: the medium scene in 33x17 is another picture, of \d+ rays; want that of step 6, of 4125 rays, or that of step 5, of 4125; go test ./lab/passes tells more$`},
		{"wrong second picture", "passes", "tracer.go", "t.rng, t.rays, t.bounces = seed, 0, s.Bounces", "t.rays, t.bounces = 0, s.Bounces\n\tif t.rng == 0 {\n\t\tt.rng = seed\n\t}", `^lab/passes: .* is another picture, of \d+ rays, when the same tracer renders it again$`},
		{"printing", "passes", "tracer.go", "t.rng, t.rays, t.bounces = seed", "os.Stdout.WriteString(\"tracing\\n\")\n\tt.rng, t.rays, t.bounces = seed", `^lab/passes: the medium scene in 33x17: it writes to standard output, which is for answers: "tracing\\n"$`},
		{"printing errors", "passes", "tracer.go", "t.rng, t.rays, t.bounces = seed", "println(\"tracing\")\n\tt.rng, t.rays, t.bounces = seed", `^lab/passes: it writes to standard error, which takes time: "tracing"$`},
		{"the end of the process", "passes", "tracer.go", "t.rng, t.rays, t.bounces = seed", "os.Exit(0)\n\tt.rng, t.rays, t.bounces = seed", `^lab/passes: the medium scene in 33x17: it ends the process; does something call os\.Exit\?$`},
		{"a test", "columns", "sphere_soa.go", "next.RadiusSq[i] = float32(math.Inf(-1))", "_ = math.Inf", `^lab/columns: the pictures are right, but TestPadding fails; go test \./lab/columns tells more$`},
		{"too many workers", "slow10", "tracer.go", "max(1, min(s.Workers, tiles.len()))", "4", `^lab/slow10: the \w+ scene in \d+x\d+ with \d workers? has [234] goroutines where [12] may be$`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			u := someone(t)
			l := u.lab(tt.lab)
			dir := u.begin(t, l)
			if tt.lab != "passes" { // what goes wrong needs a solution
				if err := l.possible(); err != nil {
					t.Skip(err)
				}
				u.solve(t, l)
			}
			change(t, dir, tt.file, tt.from, tt.to)
			if strings.Contains(tt.to, "os.") {
				change(t, dir, tt.file, "import (\n", "import (\n\t\"os\"\n")
			}
			env, stdout, _ := silent()
			_, err := u.measure(t.Context(), env, l, effort{orders: 1, cycles: 30, patience: 2 * time.Second})
			require.Error(t, err)
			assert.Regexp(t, tt.want, err.Error())
			assert.NotContains(t, err.Error(), "\n")
			assert.Empty(t, stdout.String())
		})
	}
}

// Two checks do not measure at the same time.
func TestLock(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("TMP", t.TempDir())
	env, _, stderr := silent()
	release, err := lock(t.Context(), env, time.Minute)
	require.NoError(t, err)
	assert.Empty(t, stderr.String())
	other := fmt.Sprintf("another check (process %d)", os.Getpid())
	_, err = lock(t.Context(), env, 200*time.Millisecond)
	assert.EqualError(t, err, other+" is still measuring after 200ms; check again when it has ended")
	assert.Equal(t, "lab: "+other+" is measuring; this one begins after it\n", stderr.String())
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = lock(ctx, env, time.Minute)
	assert.ErrorIs(t, err, context.Canceled)
	release()
	release, err = lock(t.Context(), env, time.Minute)
	require.NoError(t, err)
	release()
}

func estimated(lo, center, hi float64) estimate.Estimate {
	return estimate.Estimate{Center: center, Lo: lo, Hi: hi}
}

func TestScore(t *testing.T) {
	passes, slow := someone(t).lab("passes"), someone(t).lab("slow1")
	for _, tt := range []struct {
		name    string
		l       *lab
		s       score
		before  reached
		text    string
		verdict string
	}{
		{"nearly", passes, score{estimated(1.46, 1.48, 1.50), estimated(1.54, 1.55, 1.56), estimated(0.94, 0.955, 0.97)}, reached{},
			"1.480 (1.460 to 1.500) times the start; ours is 1.550 (1.540 to 1.560): 89 % of the gain.", "Not yet; want 90 % of the gain."},
		{"passed", passes, score{estimated(1.48, 1.5, 1.52), estimated(1.54, 1.55, 1.56), estimated(0.95, 0.968, 0.98)}, reached{},
			"1.500 (1.480 to 1.520) times the start; ours is 1.550 (1.540 to 1.560): 93 % of the gain.", "Passed."},
		{"faster", passes, score{estimated(1.7, 1.71, 1.72), estimated(1.54, 1.55, 1.56), estimated(1.09, 1.1, 1.11)}, reached{},
			"1.710 (1.700 to 1.720) times the start; ours is 1.550 (1.540 to 1.560): 122 % of the gain.",
			"Passed, and faster than ours: 1.100 (1.090 to 1.110) times. Well done! It is kept, and we would like to see it."},
		{"slower again", passes, score{estimated(0.98, 0.99, 1.0), estimated(1.54, 1.55, 1.56), estimated(0.6, 0.61, 0.62)}, reached{Passed: true},
			"0.990 (0.980 to 1.000) times the start; ours is 1.550 (1.540 to 1.560): -2 % of the gain.", "Not this time; it was passed before."},
		{"a fault", slow, score{estimated(1.77, 1.78, 1.79), estimated(1.99, 2, 2.01), estimated(0.88, 0.89, 0.9)}, reached{},
			"1.780 (1.770 to 1.790) times the start; ours is 2.000 (1.990 to 2.010): 83 % of the gain.", "Not yet: 0.890 (0.880 to 0.900) times our speed, want 0.95."},
		{"a fault repaired", slow, score{estimated(1.91, 1.92, 1.93), estimated(1.99, 2, 2.01), estimated(0.95, 0.96, 0.97)}, reached{},
			"1.920 (1.910 to 1.930) times the start; ours is 2.000 (1.990 to 2.010): 94 % of the gain.", "Passed."},
		{"nothing", passes, score{estimated(0.98, 0.9999, 1.01), estimated(1.54, 1.55, 1.56), estimated(0.6, 0.61, 0.62)}, reached{},
			"1.000 (0.980 to 1.010) times the start; ours is 1.550 (1.540 to 1.560): 0 % of the gain.", "Not yet; want 90 % of the gain."},
	} {
		assert.Equal(t, tt.text, tt.s.String(), tt.name)
		assert.Equal(t, tt.verdict, tt.s.verdict(tt.l, tt.before), tt.name)
	}
}

// The best score is kept, and hints are counted.
func TestProgress(t *testing.T) {
	u := someone(t)
	l := u.lab("passes")
	ours := estimated(1.99, 2, 2.01)
	at := func(gain float64) score {
		speed := math.Pow(2, gain)
		return score{estimated(speed-0.01, speed, speed+0.01), ours, estimated(speed/2-0.01, speed/2, speed/2+0.01)}
	}
	env, stdout, _ := silent()
	require.NoError(t, u.hint(env, l))
	for _, step := range []struct {
		gain float64
		want string
	}{{-0.001, "0 % of the gain, with 1 hint"}, {0.5, "50 % of the gain, with 1 hint"}, {0.95, "passed: 95 % of the gain, with 1 hint"}, {0.2, "passed: 95 % of the gain, with 1 hint"}, {1.1, "passed, and faster than ours: 110 % of the gain, with 1 hint"}} {
		r, err := u.record(l, at(step.gain))
		require.NoError(t, err)
		assert.Equal(t, step.want, r.reached())
	}
	// Those that are read after it was passed do not count.
	for range len(l.hints) {
		require.NoError(t, u.hint(env, l))
	}
	assert.True(t, strings.HasPrefix(stdout.String(), "Hint 1 of 3. "+l.hints[0]+"\nHint 2 of 3. "+l.hints[1]+"\n"), stdout.String())
	assert.Contains(t, stdout.String(), "There are no more hints. These were all:\n\n"+strings.Join(l.hints, "\n\n"))
	p, err := u.progress()
	require.NoError(t, err)
	assert.Equal(t, "passed, and faster than ours: 110 % of the gain, with 1 hint", p["passes"].reached())

	require.NoError(t, os.WriteFile(u.progressFile(), []byte("{"), 0o666))
	for _, err := range []error{u.list(env), u.hint(env, l)} {
		assert.EqualError(t, err, "lab/progress.json: unexpected end of JSON input; delete that file to begin a new one")
	}
}

// module makes a small copy of the module and goes there.
func module(t *testing.T) (root string) {
	t.Helper()
	root = t.TempDir()
	from := someone(t).root
	text, err := os.ReadFile(filepath.Join(from, "go.mod"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(root, "go.mod"), text, 0o666))
	for _, step := range []string{"step05", "step06"} {
		require.NoError(t, os.CopyFS(filepath.Join(root, step), os.DirFS(filepath.Join(from, step))))
	}
	t.Chdir(root)
	return root
}

func execute(t *testing.T, args string) (status int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	status = command().Exec(t.Context(), strings.Fields(args), &out, &err)
	return status, out.String(), err.String()
}

func TestCommand(t *testing.T) {
	root := module(t)
	// An empty folder is no lab, and a lab can begin in it.
	require.NoError(t, os.MkdirAll(filepath.Join(root, "lab", "passes"), 0o777))
	for _, tt := range []struct {
		args           string
		status         int
		stdout, stderr string // patterns
	}{
		{"", cli.ExitOK, `(?m)^ *passes +two passes over the spheres +step 5 *$`, "^$"},
		{"check passes", cli.ExitMisuse, "^$", "^lab: there is no lab/passes yet; begin with start passes\n$"},
		{"check -all", cli.ExitMisuse, "^$", "^lab: no lab was started; want one, as in start passes\n$"},
		{"start passes", cli.ExitOK, "^lab/passes is made: two passes over the spheres.\nIts README.md says what to do.\n$", "^$"},
		{"start lab/passes/", cli.ExitMisuse, "^$", "^lab: lab/passes is there already, as it began; to begin again, rename or delete that folder first\n$"},
		{"", cli.ExitOK, `(?m)^ *passes +two passes over the spheres +step 5 +started *$`, "^$"},
		{"hint passes", cli.ExitOK, "^Hint 1 of 3. ", "^$"},
		{"", cli.ExitOK, `(?m)^ *passes +two passes over the spheres +step 5 +with 1 hint *$`, "^$"},
		{"diff passes", cli.ExitOK, `(?s)^lab/passes to step06: .*\n-.*hitSphere.*\n\+.*discriminants`, "^$"},
		{"start walk", cli.ExitMisuse, "^$", `^lab: unknown lab "walk"; want passes, unit, .* or slow10\n$`},
		{"walk passes", cli.ExitMisuse, "^$", `^lab: unknown word "walk"; want start, check, hint or diff\n$`},
		{"start", cli.ExitMisuse, "^$", "^lab: start which lab\\? want a name, such as start passes\n$"},
		{"start passes -all", cli.ExitMisuse, "^$", "^lab: -all is for check; want check -all\n$"},
		{"-h", cli.ExitOK, "^usage: go run ./scripts/lab ", "^$"},
	} {
		status, stdout, stderr := execute(t, tt.args)
		assert.Equal(t, tt.status, status, tt.args)
		assert.Regexp(t, tt.stdout, stdout, tt.args)
		assert.Regexp(t, tt.stderr, stderr, tt.args)
	}

	// Work is not overwritten.
	world := filepath.Join(root, "lab", "passes", "world.go")
	require.NoError(t, os.WriteFile(world, []byte("package passes\n"), 0o666))
	require.NoError(t, os.WriteFile(filepath.Join(filepath.Dir(world), "notes.txt"), nil, 0o666))
	_, _, stderr := execute(t, "start passes")
	assert.Equal(t, "lab: lab/passes is there already, with notes.txt, world.go changed; to begin again, rename or delete that folder first\n", stderr)
	text, err := os.ReadFile(world)
	require.NoError(t, err)
	assert.Equal(t, "package passes\n", string(text))
}

// The table has a row for each lab that was started, whatever came out.
func TestCheckAll(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir()) // another check does not matter
	t.Setenv("TMP", t.TempDir())
	u := someone(t)
	dir := u.begin(t, u.lab("passes"))
	change(t, dir, "world.go", "hit := false", "hit := 7 | 8")
	env, stdout, _ := silent()
	err := u.checkAll(t.Context(), env)
	assert.EqualError(t, err, "1 lab is not passed")
	assert.Regexp(t, regexp.MustCompile(`(?m)^\| passes \| two passes over the spheres \|  \|  \|  \| lab/passes does not compile: .*cannot use hit`), stdout.String())
	assert.Equal(t, 3, strings.Count(stdout.String(), "\n"), stdout.String())
}
