package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/format"
	"math"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/perf/benchfmt"

	"raysteps/common/answers"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/estimate"
	"raysteps/scripts/internal/toolchain"
)

// someone returns a user of this module whose labs are in a folder of the test.
func someone(t *testing.T) user {
	t.Helper()
	root, err := cli.ModuleRoot()
	require.NoError(t, err)
	return user{root: root, dir: t.TempDir(), labs: all()}
}

// worker returns a session of somebody at work with what is made up, who keeps what is
// said. The functions may be changed.
func (u user) worker(l *lab) (s *session, said func() string) {
	env, _, _ := silent()
	s = u.session(env, l)
	text := ""
	s.say = func(line string) { text += line + "\n" }
	s.work = work{
		build:     func(context.Context) (*build, error) { return &build{lab: l}, nil },
		available: func() error { return nil },
		count:     func(context.Context, *build, *counts) (*counts, error) { return madeUp(l, 100, 100), nil },
		time:      func(context.Context, *build, int) (*timing, error) { return fast(2, 2), nil },
	}
	return s, func() string {
		now := text
		text = ""
		return now
	}
}

// madeUp are counts of which yours and ours are so many of all kinds.
func madeUp(l *lab, yours, ours float64) *counts {
	of := func(n float64) *benchfmt.Result {
		return &benchfmt.Result{Values: []benchfmt.Value{{Value: n, Unit: "instructions/ray"}, {Value: n, Unit: "loads/ray"}, {Value: n, Unit: "branches/ray"}}}
	}
	return &counts{l, of(200), of(yours), of(ours)}
}

// fast is a timing of which yours and ours are so many times as fast as the start.
func fast(yours, ours float64) *timing {
	around := func(center float64) estimate.Estimate { return estimated(0.99*center, center, 1.01*center) }
	return &timing{around(yours), around(ours), around(yours / math.Pow(ours, share))}
}

func silent() (env *cli.Env, stdout, stderr *bytes.Buffer) {
	stdout, stderr = &bytes.Buffer{}, &bytes.Buffer{}
	return &cli.Env{Stdout: stdout, Stderr: stderr}, stdout, stderr
}

// begin starts a lab and returns its folder.
func (u user) begin(t *testing.T, l *lab) string {
	t.Helper()
	env, _, _ := silent()
	require.NoError(t, u.start(env, l, strings.NewReader("")))
	return filepath.Join(u.dir, l.name)
}

// solve puts our files in the place of those of a lab.
func (u user) solve(t *testing.T, l *lab) {
	t.Helper()
	dir := filepath.Join(u.dir, l.name)
	require.NoError(t, os.RemoveAll(dir))
	files, err := (&lab{name: l.name, From: l.Ours, Ours: l.Ours, Tests: l.Tests}).files(u.root)
	require.NoError(t, err)
	require.NoError(t, create(dir, files))
}

// Every lab compiles as it begins, for every processor, and its pictures are right. What
// is common to the labs is linked once. What a session says see TestCheck.
func TestLabs(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles all labs")
	}
	u := someone(t)
	folders := []string{"common"}
	for _, l := range u.labs {
		folders = append(folders, l.Ours.Folder())
	}
	slices.Sort(folders)
	tree := module(t, slices.Compact(folders)...)
	u.dir = filepath.Join(tree, folder)
	imports, calls := "", ""
	for _, l := range u.labs {
		u.begin(t, l)
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
	run("", "vet", all)
	pictures := run("", "test", "-trimpath", "-vet=off", "-v", "-run", "TestLabs/.*/scene=small", "./"+folder)
	for _, l := range u.labs {
		assert.True(t, l.possible() != nil || strings.Contains(pictures, "--- PASS: TestLabs/"+l.name+"/scene=small"), l.name)
	}
}

// What a reader does, with a solution: it is built and tested in a folder of its own, where
// all that is measured is there; counts tell it from the start; and it is measured.
func TestSolved(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles, and measures for a second")
	}
	t.Setenv("TMPDIR", t.TempDir()) // so that nobody else's measurement is waited for
	for _, name := range []string{"passes", "sse", "columns", "avx2", "tiles"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := someone(t)
			l := u.lab(name)
			if err := l.possible(); err != nil {
				t.Skip(err)
			}
			u.solve(t, l)
			b, err := u.build(t.Context(), l, patience)
			require.NoError(t, err)
			defer b.close()
			if name != "passes" {
				return
			}
			env, _, _ := silent()
			timed, err := b.time(t.Context(), env, 1)
			require.NoError(t, err)
			assert.Equal(t, 1, timed.yours.Orders)
			if toolchain.CanCount() == nil {
				c, err := b.count(t.Context(), env, nil)
				require.NoError(t, err)
				assert.Empty(t, c.missing())
				c.yours = c.start
				assert.Regexp(t, `^[\d.,]+ instructions.* a ray too many$`, c.missing())
			}
		})
	}
}

// Counts decide where anything can be counted, and time where nothing can. It is said what
// a lab was about once it is passed, and how far off the prediction was.
func TestCheck(t *testing.T) {
	none := func() error { return errors.New("no valgrind") }
	broken := errors.New("it does not compile")
	for _, tt := range []struct {
		name      string
		lab       string
		yours     float64 // counts of what ours has 100 of
		fast      *timing
		available func() error
		predicted float64
		build     error
		passed    bool
		want      []string // what is said, and the error
		err       string
	}{
		{name: "too many", lab: "slow5", yours: 150, want: []string{"Not yet: 48.0 instructions, 48.0 loads and 48.0 branches a ray too many.\n"}, err: "reported already"},
		{name: "few enough", lab: "slow5", yours: 101, fast: fast(2, 2), passed: true, want: []string{"Passed.\n\n", "times the start's speed: yours 2.00 (1.98 to 2.02), ours 2.00 (1.98 to 2.02)\n"}},
		{name: "few enough and slow", lab: "slow5", yours: 101, fast: fast(1, 2), passed: true, want: []string{"Passed.\n\n", "yours ~ (0.99 to 1.01)"}},
		{name: "predicted twice as fast, and it is not faster", lab: "slow5", yours: 101, fast: fast(1, 2), predicted: 2, passed: true, want: []string{"You predicted 2 times the start's speed, and it is 1: +100 %.\n"}},
		{name: "predicted half of it", lab: "slow5", yours: 101, fast: fast(2, 2), predicted: 1, passed: true, want: []string{"You predicted 1 times the start's speed, and it is 2: -50 %.\n"}},
		{name: "time decides", lab: "slow5", fast: fast(2, 2), available: none, passed: true, want: []string{"Not counted: no valgrind. So time decides.\n", "yours 2.00 (1.98 to 2.02), ours 2.00 (1.98 to 2.02), asked 1.74\n", "Passed.\n\n"}},
		{name: "time decides against it", lab: "slow5", fast: fast(1.5, 2), available: none, predicted: 2, want: []string{"Not yet: 16.1 % more speed is asked: 1.74 times the start's.\n"}, err: "reported already"},
		{name: "nothing is counted of this one", lab: "slow10", fast: fast(2, 2), passed: true, want: []string{"The pictures are right.\ntimes the start's speed", "Passed.\n\n"}},
		{name: "ours is no faster here", lab: "slow10", fast: fast(1, 1), want: []string{"The pictures are right.\n"}, err: "here ours is 1.00 times as fast as the start, so time decides nothing"},
		{name: "it does not build", lab: "slow5", build: broken, want: []string{"Building, which takes a while the first time ...\n"}, err: "it does not compile"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			u := someone(t)
			l := u.lab(tt.lab)
			_, err := u.record(l, func(r *reached) { r.Predicted, r.Speed = tt.predicted, 1.9 })
			require.NoError(t, err)
			s, said := u.worker(l)
			s.count = func(context.Context, *build, *counts) (*counts, error) { return madeUp(l, tt.yours, 100), nil }
			s.time = func(_ context.Context, _ *build, most int) (*timing, error) {
				assert.Equal(t, map[bool]int{true: batch, false: orders}[tt.yours > 0], most, "link orders")
				return tt.fast, nil
			}
			if tt.available != nil {
				s.available = tt.available
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
		assert.InDeltaSlice(t, []float64{3, 4, 3 / math.Pow(4, 0.8)}, []float64{read.yours.Center, read.ours.Center, read.rest.Center}, 1e-9)
	}
	assert.EqualError(t, new(timing).read(lines(50, 100, 120)), "where it is measured it traces 50 rays, the start 100 and ours 120; want the picture of one of them at every size")
}

// The page that introduces the labs has all of them in the order of the command.
func TestPage(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(someone(t).root, "docs", "labs.md"))
	require.NoError(t, err)
	var rows []string
	for _, m := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\|").FindAllStringSubmatch(string(text), -1) {
		rows = append(rows, m[1])
	}
	assert.Equal(t, order, rows)
}

// A start that fails can be tried again.
func TestCreate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "passes")
	files := map[string][]byte{"doc.go": []byte("package passes\n"), "missing/world.go": nil}
	assert.ErrorIs(t, create(dir, files), os.ErrNotExist)
	assert.NoDirExists(t, dir)

	delete(files, "missing/world.go")
	require.NoError(t, create(dir, files))
	assert.FileExists(t, filepath.Join(dir, "doc.go"))
}

// What is told of a lab is complete, and does not give it away.
func TestTexts(t *testing.T) {
	u := someone(t)
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

func TestParse(t *testing.T) {
	for text, want := range map[string]string{`{"colour": "red"}`: `unknown field "colour"`, `{"from": "99"}`: `unknown step "99"; want a number from 1 to 13`} {
		_, err := parse("a", []byte(text))
		assert.ErrorContains(t, err, want)
	}
}
