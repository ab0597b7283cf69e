package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/perf/benchfmt"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/measure"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/steps"
	"raysteps/scripts/internal/toolchain"
)

// execute runs the command and returns its exit status and what it prints. Its lock is not
// that of others.
func execute(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	t.Setenv("TMPDIR", t.TempDir())
	var out, err bytes.Buffer
	status = command.Exec(t.Context(), args, &out, &err)
	for line := range strings.Lines(out.String()) {
		assert.LessOrEqual(t, utf8.RuneCountInString(line), 101, "%s", line)
	}
	return status, out.String(), err.String()
}

// What does not exist is refused in one line, while another command measures.
func TestMisuse(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	release, err := measure.Lock(t.Context(), io.Discard)
	require.NoError(t, err)
	defer release()
	for _, tt := range []struct {
		name, args string
		want       string // of the line behind "bench: "
	}{
		{"step 14", "-step 14", `for flag -step: unknown step "14"; want ` + steps.Choices},
		{"no name", "-experiments= -step 4", "-experiments=: want a name, or a time above 0, or leave it out"},
		{"no benchmark", "-experiments Nosuch -step 4", "has a BenchmarkNosuch"},
		{"no time", "-time 0s", "-time=0s: want a name, or a time above 0, or leave it out"},
		{"a folder as a file", "-o " + dir, "want the name of a plain file"},
		{"two kinds", "-experiments HitLoop -counts", "-against, -experiments and -counts measure different things; want one of them"},
		{"a profile", "-builds v1+pgo -counts", "-counts knows no profile; want -builds without +pgo"},
		{"against without a step", "-against HEAD", "-against takes one step; want -step with its number"},
		{"no revision", "-against nosuch -step 4", `no revision "nosuch" in `},
		{"no revision at all", "-against= -step 4", "-against=: want a name, or a time above 0, or leave it out"},
		{"no build", "-builds v9", `"v9" is no build; want a release of Go, a level or both`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			var stdout, stderr bytes.Buffer
			assert.Equal(t, cli.ExitMisuse, command.Exec(ctx, strings.Fields(tt.args), &stdout, &stderr))
			assert.Empty(t, stdout.String())
			assert.Regexp(t, "^bench: .*\n$", stderr.String(), "one line")
			assert.Contains(t, stderr.String(), tt.want)
		})
	}
}

// Steps, and an experiment, measured for a second: the tables, the words, and the file.
func TestMeasures(t *testing.T) {
	if testing.Short() {
		t.Skip("not tested with -short: builds programs")
	}
	file := filepath.Join(t.TempDir(), "a.txt")
	status, stdout, stderr := execute(t, "-step", "1-2,13", "-time", "1s", "-o", file)
	require.Equal(t, cli.ExitOK, status, stderr)
	assert.Empty(t, stderr, "silent for a minute but on a terminal")
	assert.Equal(t, 3, strings.Count(stdout, "scene\n\nstep  what changes"))
	for _, row := range []string{"1  +the textbook program ", "2  +fields instead of getters", "13 +goroutines", "1  +the same code again: noise"} {
		assert.Len(t, regexp.MustCompile("(?m)^"+row).FindAllString(stdout, -1), 3, row)
	}
	assert.Contains(t, stdout, "The measurements are in "+file)
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Regexp(t, `(?s)pkg: raysteps/step13\n.*kernel: .*BenchmarkRender/scene=\w+(-\d+)? `, string(text))

	gone := filepath.Join(t.TempDir(), "gone")
	losing(t, gone)
	status, stdout, stderr = execute(t, "-experiments", "HitLoop", "-step", "1", "-time", "1s", "-o", filepath.Join(gone, "a.txt"))
	assert.Equal(t, 1, status)
	assert.Contains(t, stdout, "raysteps/step01 HitLoop")
	assert.NotContains(t, stdout, "The measurements are in ")
	assert.Regexp(t, `^bench: results ".*a\.txt": ".*gone" is not a folder; want one that exists\n$`, stderr)
}

// losing makes a folder that goes once a test is built, after it has been found to be there.
func losing(t *testing.T, folder string) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("the file is for another system")
	}
	real, err := exec.LookPath("go")
	require.NoError(t, err)
	bin := t.TempDir()
	script := "#!/bin/sh\ncase $1 in test) rm -rf '" + folder + "';; esac\nexec '" + real + "' \"$@\"\n"
	require.NoError(t, os.WriteFile(filepath.Join(bin, "go"), []byte(script), 0o700))
	require.NoError(t, os.Mkdir(folder, 0o777))
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// Scenes are named whose pictures differ.
func TestPictures(t *testing.T) {
	for _, tt := range []struct {
		name     string
		old, now map[string]float64 // checksums by scene
		want     string             // the scenes
	}{
		{"the same", map[string]float64{"small": 7, "large": 8}, map[string]float64{"small": 7, "large": 8}, ""},
		{"a revision without them", nil, map[string]float64{"small": 7, "large": 8}, ""},
		{"one", map[string]float64{"small": 7, "large": 8}, map[string]float64{"small": 7, "large": 9}, "large"},
		{"both", map[string]float64{"large": 8, "small": 7}, map[string]float64{"large": 7, "small": 8}, "large, small"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var sides []*measure.Side
			for _, checksums := range []map[string]float64{tt.old, tt.now} {
				var pictures []*measure.Slice
				for _, name := range slices.Sorted(maps.Keys(checksums)) {
					values := map[string]float64{"crc32": checksums[name]}
					pictures = append(pictures, &measure.Slice{Name: "Thumbnail/step=4/scene=" + name, Values: values})
				}
				sides = append(sides, side(nil, pictures...))
			}
			b := &bench{options: options{against: "HEAD"}}
			require.NoError(t, b.comparePictures(t.Context(), sides))
			if tt.want == "" {
				assert.NoError(t, b.changed)
			} else {
				assert.ErrorContains(t, b.changed, "the picture is NOT that of HEAD: "+tt.want+" scene; ")
			}
		})
	}
}

// line makes one of a launch.
func line(pkg, name, build string, order int, value float64, units ...string) *benchfmt.Result {
	r := &benchfmt.Result{Name: benchfmt.Name(name), Iters: 30}
	for _, unit := range units {
		r.Values = append(r.Values, benchfmt.Value{Value: value, Unit: unit})
	}
	for key, value := range map[string]string{"pkg": pkg, buildKey: build, "link-order": fmt.Sprint(order)} {
		results.SetConfig(r, key, value)
	}
	return r
}

// rates are lines of a subject in so many link orders, whose rate lies around the center
// by the deviation, alike above and below.
func rates(pkg, sc, build string, center, deviation float64, orders int) (lines []*benchfmt.Result) {
	for i := range orders {
		rate := 1e6 * center * math.Exp(deviation*float64(2*(i%2)-1))
		lines = append(lines, line("raysteps/"+pkg, "Render/scene="+sc, build, i+1, rate, "rays/s"))
	}
	return lines
}

// with returns a run that has measured lines, and what it prints.
func with(t *testing.T, chosen string, lines []*benchfmt.Result) (b *bench, printed *strings.Builder) {
	printed = &strings.Builder{}
	b = &bench{env: &cli.Env{Stdout: printed}, start: time.Now().Add(-83 * time.Second)}
	var err error
	b.steps, err = steps.Parse(chosen)
	require.NoError(t, err)
	b.plan = b.newPlan("", "")
	b.set, err = results.NewSet(lines, "made up")
	require.NoError(t, err)
	return b, printed
}

// compareWith makes a run one of -against.
func (b *bench) compareWith(revision string) {
	b.against = revision
	b.plan = b.newPlan("", "")
}

// What is said of a step against the step before, and of a change of it, in runs of made-up
// lines.
func TestFindings(t *testing.T) {
	for _, tt := range []struct {
		name            string
		center, scatter float64
		noise           float64 // by what the same code differs; 0 is not measured
		want            string
		against         string // of a change, where a wider interval is enough; empty for want
	}{
		{name: "faster", center: 1.2, scatter: 0.001, want: "faster: 4 a slice of values 1.20"},
		{name: "slower", center: 0.8, scatter: 0.001, want: "slower: 4 a slice of values 0.80"},
		{name: "wide around 1", center: 1, scatter: 0.02, want: "not known from this run: 4 ", against: "the same within 1.9 %: 4 "},
		{name: "the same", center: 1, scatter: 0.003, want: "the same within 0.3 %: 4 "},
		{name: "little faster", center: 1.006, scatter: 0.0005, want: "faster by less than 1 %: 4 "},
		{name: "less than noise", center: 1.02, scatter: 0.001, noise: 1.03, want: "not known from this run: 4 "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			lines := append(rates("step03", "large", "", 1, 0, 8), rates("step04", "large", "", tt.center, tt.scatter, 8)...)
			change := append(rates("step04", "large", "HEAD", 1, 0, 8),
				rates("step04", "large", "working tree", tt.center, tt.scatter, 8)...)
			if tt.noise > 0 {
				lines = slices.Concat(lines, rates("step01", "large", "", 1, 0, 8), rates("step01/again", "large", "", tt.noise, 0.001, 8))
				change = append(change, rates("step04", "large", "HEAD, linked again: noise", tt.noise, 0.001, 8)...)
			}
			b, printed := with(t, "1,4", lines)
			b.OrderCount = 8
			require.NoError(t, b.print())
			text := strings.ReplaceAll(printed.String(), "\n", " ")
			assert.Contains(t, text, "large scene, each against the step before:   "+tt.want)
			assert.Contains(t, text, "Measured for 1m23s in 16 link orders.")

			b, printed = with(t, "4", change)
			b.compareWith("HEAD")
			require.NoError(t, b.print())
			text = strings.ReplaceAll(printed.String(), "\n", " ")
			assert.Contains(t, text, "large scene, against HEAD:   "+cmp.Or(tt.against, tt.want))
			b.changed = errors.New("the picture is another")
			assert.EqualError(t, b.print(), "the picture is another")
		})
	}
}

// A change is known once its interval is narrow, in twelve link orders.
func TestNarrow(t *testing.T) {
	for _, tt := range []struct {
		scatter float64
		orders  int
		want    bool
	}{
		{0.001, 12, true}, {0.02, 12, false}, {0.001, 11, false}, {0, 0, false},
	} {
		b, _ := with(t, "6", rates("step06", "large", "", 1, 0, 12))
		b.compareWith("HEAD")
		lines := append(rates("step06", "large", "HEAD", 1, 0, tt.orders),
			rates("step06", "large", "working tree", 1, tt.scatter, tt.orders)...)
		assert.Equal(t, tt.want, b.narrow(&measure.Group{Name: "Render/scene=large", Lines: lines}), "%+v", tt)
	}
}

// Counts stand in a table, and of two builds beside each other.
func TestCountsTables(t *testing.T) {
	counts := func(build string, value float64) *benchfmt.Result {
		return line("raysteps/step06", "Count/scene=large", build, 1, value, toolchain.CountUnits...)
	}
	b, printed := with(t, "6", []*benchfmt.Result{counts("HEAD", 1000), counts("working tree", 800)})
	b.compareWith("HEAD")
	require.NoError(t, b.print())
	assert.Regexp(t, `large +HEAD( +1,000){4}\n *large +working tree( +800){4} +0.80`, printed.String())
	b, printed = with(t, "6", []*benchfmt.Result{counts("", 107)})
	b.counts = true
	require.NoError(t, b.print())
	assert.Regexp(t, `(?s)large scene\n\n *step +instructions/ray +loads/ray +stores/ray +branches/ray\n *6 +107`, printed.String())
}

// server stands for a test binary that always answers the same.
type server struct{ slices []*measure.Slice }

func (s *server) Ask(measure.Request) ([]*measure.Slice, error) { return s.slices, nil }

func (*server) Close() error { return nil }

// side is one of step 1 whose processes answer with slices.
func side(config map[string]string, slices ...*measure.Slice) *measure.Side {
	return &measure.Side{
		Package: "raysteps/step01",
		Config:  config,
		Link:    func(context.Context, int) error { return nil },
		Start:   func(context.Context, int) (measure.Server, error) { return &server{slices}, nil },
	}
}

// The last level that is run, and the next; and names that others begin with.
func TestLastAndNext(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the file is for another system")
	}
	for _, tt := range []struct {
		builds string
		counts bool
		has    int
		want   string
	}{
		{"v1,v2", false, 2, ""},
		{"v1,v3", false, 2, "-builds: this processor does not run v3; want levels up to v2"},
		{"v3", true, 4, ""},
		{"v4", true, 4, "-builds: valgrind does not run v4; want levels up to v3"},
	} {
		builds, err := parseBuilds(tt.builds)
		require.NoError(t, err)
		if err := (&bench{options: options{builds: builds, counts: tt.counts}}).refuseLevels(tt.has); tt.want == "" {
			assert.NoError(t, err, tt.builds)
		} else {
			assert.EqualError(t, err, tt.want)
		}
	}
	o := &options{experiments: "Hit"}
	assert.True(t, o.selects("BenchmarkHit"))
	assert.False(t, o.selects("BenchmarkHitLoop"))
	o.experiments = "all"
	assert.True(t, o.selects("BenchmarkHitLoop"))
	assert.False(t, o.selects("BenchmarkRender"))
}

// Times are said, and in one line why nothing was counted, where valgrind ends at once.
func TestUncounted(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("the file is for another system")
	}
	bin := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(bin, "valgrind"), []byte("#!/bin/sh\necho Warning: one >&2\necho Warning: two >&2\nexit 7\n"), 0o700))
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	b, printed := with(t, "1", rates("step01", "large", "HEAD", 1, 0, 8))
	b.compareWith("HEAD")
	b.env.Stderr, b.duration, b.orders, b.rounds, b.start = io.Discard, time.Hour, 1, 1, time.Now()
	b.Units = []*measure.Unit{{Sides: []*measure.Side{side(nil), side(nil)}}}
	require.NoError(t, b.measure(t.Context()))
	require.NoError(t, b.print())
	assert.Contains(t, printed.String(), "step 1, speed\n")
	assert.Contains(t, printed.String(), "\nNot counted: valgrind: exit status 7.\n")

	status, stdout, stderr := execute(t, "-counts", "-step", "1")
	assert.Equal(t, "1  bench: valgrind: exit status 7\n", fmt.Sprint(status, " ", stdout, " ", stderr))
}

// Both processes of a launch are link orders, and the first step of the second is noise.
func TestPublishedLines(t *testing.T) {
	var b bench
	for _, name := range []string{"Render/step=1/scene=large", "Full/step=12,as=plain/scene=large-2", "Sizes/step=tree/cloud=10", "HitLoop"} {
		u := &measure.Unit{}
		values := map[string]float64{"sec/op": 1, "rays/s": 1, "odd-0": 1, "processors": 1.99}
		slice := &measure.Slice{Name: name, N: 1, Values: values}
		for _, number := range []string{"1", "2"} {
			u.Sides = append(u.Sides, side(map[string]string{processKey: number}, slice))
		}
		require.NoError(t, b.addSubjects(t.Context(), u, selection{function: "BenchmarkHitLoop", like: measure.Subject{Workers: 2}}))
		b.Units = append(b.Units, u)
	}
	b.MaxOrders, b.MaxRounds, b.OrderCount, b.End = 3, 1, 2, time.Now().Add(time.Hour) // the third order
	require.NoError(t, b.Run(t.Context()))
	var all []string
	for _, r := range publishedLines(b.Lines()) {
		text := string(r.Name) + ":"
		for _, key := range []string{"pkg", "link-order", "kernel", "place", "size"} {
			text += " " + r.GetConfig(key)
		}
		all = append(all, fmt.Sprint(text, " ", len(r.Values)))
	}
	assert.Equal(t, []string{
		"Render/scene=large: raysteps/step01 5  odd 1280x720 2",
		"Render/scene=large: raysteps/step01/again 5  odd 1280x720 2",
		"Render/scene=large: raysteps/step01 6  odd 1280x720 2",
		"Full/scene=large-2: raysteps/step12 5 plain odd 1280x720 2",
		"Full/scene=large-2: raysteps/step12 6 plain odd 1280x720 2",
		"Render/cloud=10: raysteps/beyond/tree 5 avx2 odd 1280x720 2",
		"Render/cloud=10: raysteps/beyond/tree 6 avx2 odd 1280x720 2",
		"HitLoop: raysteps/step01 5  odd  4",
		"HitLoop: raysteps/step01 6  odd  4",
	}, all)
}

// A plan is made of the flags, once.
func TestPlan(t *testing.T) {
	const all, tutorial = 17, 13 // steps
	builds, err := parseBuilds("v1,v3")
	require.NoError(t, err)
	for _, tt := range []struct {
		name            string
		options         options
		steps, versions int
		duration        time.Duration
		orders          int
		patterns        string
	}{
		{"nothing", options{}, all, 2, 675 * time.Second, 0, "./scripts/render"},
		{"quick", options{quick: true}, tutorial, 2, 94 * time.Second, 0, "./scripts/render"},
		{"a time", options{limit: time.Second}, all, 2, time.Second, 0, "./scripts/render"},
		{"quick, and a time", options{quick: true, limit: time.Second}, tutorial, 2, time.Second, 0, "./scripts/render"},
		{"builds", options{builds: builds}, all, 2, 10 * time.Minute, 20, "./scripts/render"},
		{"quick builds", options{builds: builds, quick: true}, tutorial, 2, 94 * time.Second, 0, "./scripts/render"},
		{"experiments", options{experiments: "all"}, all, 1, 10 * time.Minute, 20, "./..."},
		{"those of a step", options{experiments: "all", steps: steps.All()[3:4]}, 1, 1, 10 * time.Minute, 20,
			"./scripts/render ./step04"},
		{"against", options{against: "HEAD", steps: steps.All()[3:4]}, 1, 3, time.Minute, 0, "./scripts/render"},
		{"counts", options{counts: true}, all, 1, 0, 20, "./scripts/render"},
		{"counts of builds", options{counts: true, builds: builds}, all, 2, 0, 20, "./scripts/render"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := tt.options.newPlan("root", "tmp")
			assert.Len(t, p.chosen, tt.steps)
			assert.Len(t, p.versions, tt.versions)
			assert.Equal(t, tt.duration, p.duration)
			assert.Equal(t, tt.orders, p.orders)
			assert.Equal(t, tt.patterns, strings.Join(p.patterns, " "))
		})
	}
}

// A build is read into what its lines say.
func TestBuilds(t *testing.T) {
	all, err := parseBuilds("v1,go1.27.4+v3+pgo,v1+pgo+alignhot=0")
	require.NoError(t, err)
	want := []map[string]string{
		{"build": "v1", "goamd64": "v1"},
		{"build": "go1.27.4+v3+pgo", "goversion": "go1.27.4", "goamd64": "v3", "pgo": "on"},
		{"build": "v1+pgo+alignhot=0", "goamd64": "v1", "pgo": "on, alignhot=0"},
	}
	for i, v := range all {
		assert.Equal(t, want[i], v.config())
	}
	_, err = parseBuilds("v1+alignhot=0")
	assert.ErrorContains(t, err, `"v1+alignhot=0" is no build`)
}
