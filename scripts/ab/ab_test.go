package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
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

	"github.com/rhysd/actionlint"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/perf/benchfmt"
	"golang.org/x/tools/txtar"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/estimate"
	"raysteps/scripts/internal/measure"
)

// The lock of all that measures is one of these tests.
func TestMain(m *testing.M) {
	if os.Getenv("IS_AB") != "" { // what the workflow installs
		os.Exit(command(2, 1).Exec(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
	}
	folder, err := os.MkdirTemp("", "ab-test-")
	if err != nil {
		panic(err)
	}
	os.Setenv("TMPDIR", folder)
	os.Setenv("TMP", folder)
	status := m.Run()
	os.RemoveAll(folder)
	os.Exit(status)
}

// write writes files of a folder.
func write(t *testing.T, dir, files string) {
	t.Helper()
	for _, file := range txtar.Parse([]byte(files)).Files {
		name := filepath.Join(dir, filepath.FromSlash(file.Name))
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, file.Data, 0o644))
	}
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "core.autocrlf=false"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}

func commit(t *testing.T, dir string) {
	t.Helper()
	git(t, dir, "add", "-A")
	git(t, dir, "commit", "-qm", "change")
}

// execute runs the command and returns its status and what it prints.
func execute(t *testing.T, ctx context.Context, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	status = command(2, 1).Exec(ctx, args, &out, &errs)
	return status, out.String(), errs.String()
}

// module is a repository with a module in a subfolder, whose name has a space.
const module = `
-- my mod/go.mod --
module example.com/mine

go 1.14
-- my mod/sum.go --
// Package mine sums.
package mine

// Sum returns the sum of values.
func Sum(values []float64) (sum float64) {
	for _, v := range values {
		sum += v
	}
	return sum
}
-- my mod/sum_test.go --
package mine

import (
	"fmt"
	"io/ioutil"
	"math/rand"
	"os"
	"runtime"
	"testing"
)

// Names that an overlay might want.
var serve, raysteps, added, Test int

var sink float64

func TestMain(m *testing.M) {
	fmt.Println("setting up")
	if err := os.Setenv("SET_UP", "yes"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

func values() []float64 { return make([]float64, 1000) }

func BenchmarkOdd(b *testing.B) {
	for _, name := range []string{"a b", "(c|[d])", "e/f", "e/f", "ü=\"1\""} {
		b.Run(name, func(b *testing.B) {
			b.ReportMetric(3, "apples")
			b.ReportMetric(rand.Float64(), "pears")
			b.SetBytes(8000)
			v := values()
			for i := 0; i < b.N; i++ {
				sink += Sum(v)
			}
		})
	}
}

func BenchmarkReads(b *testing.B) {
	for i := 0; i < b.N; i++ {
		if _, err := ioutil.ReadFile("testdata/file"); err != nil || os.Getenv("SET_UP") == "" {
			b.Fatal(err)
		}
	}
}

func BenchmarkParallel(b *testing.B) {
	if n := runtime.GOMAXPROCS(0); n != 2 {
		b.Fatal("has other processors than -cpu says: ", n)
	}
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			Sum(values())
		}
	})
}

func BenchmarkPrints(b *testing.B) {
	for i := 0; i < b.N; i++ {
		fmt.Print("BenchmarkFalse 1 1 ns/op")
		fmt.Fprintln(os.Stderr, "BenchmarkFalse 1 1 ns/op")
	}
}

func BenchmarkFails(b *testing.B) {
	b.Run("good", func(b *testing.B) {
		for i := 0; i < b.N; i++ {
			sink += Sum(values())
		}
	})
	b.Run("bad", func(b *testing.B) { b.Fatal("no apples") })
}

func BenchmarkPanics(b *testing.B) { panic("no pears") }

func Benchmarking(b *testing.B) { b.Fatal("is no benchmark") }

func BenchmarkRemoved(b *testing.B) {}
-- my mod/outside_test.go --
package mine_test

import (
	"testing"

	"example.com/mine"
)

func BenchmarkOutside(b *testing.B) {
	for i := 0; i < b.N; i++ {
		mine.Sum([]float64{1, 2})
	}
}
-- my mod/testdata/file --
apples
-- my mod/empty/empty.go --
package empty
-- my mod/vendored/go.mod --
module example.com/vendored

go 1.24

require example.com/library v1.0.0
-- my mod/vendored/vendor/modules.txt --
# example.com/library v1.0.0
## explicit; go 1.24
example.com/library
-- my mod/vendored/vendor/example.com/library/library.go --
package library

func Two() int { return 2 }
-- my mod/vendored/vendored_test.go --
//go:build special

package vendored

import (
	"testing"

	"example.com/library"
)

var sink int

func BenchmarkTwo(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sink += library.Two()
	}
}
`

// repositoryOf makes a repository of files in one commit.
func repositoryOf(t *testing.T, files string) (dir string) {
	dir = t.TempDir()
	write(t, dir, files)
	git(t, dir, "init", "-q")
	commit(t, dir)
	return dir
}

// untouched checks at the end of a test that a folder holds what it held, its repository included,
// and that no temporary files are left.
func untouched(t *testing.T, dir string) {
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	t.Setenv("TMP", temporary)
	before := state(t, dir)
	t.Cleanup(func() {
		assert.Equal(t, before, state(t, dir))
		left, err := filepath.Glob(filepath.Join(temporary, "ab-*"))
		require.NoError(t, err)
		assert.Empty(t, left)
	})
}

func state(t *testing.T, dir string) map[string]string {
	all := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			all[path] = "folder"
			return err
		}
		data, err := os.ReadFile(path)
		all[path] = string(data)
		return err
	}))
	return all
}

// One run of all that a package may have.
func TestEverything(t *testing.T) {
	repository := repositoryOf(t, module)
	dir := filepath.Join(repository, "my mod")
	source, err := os.ReadFile(filepath.Join(dir, "sum_test.go"))
	require.NoError(t, err)
	changed := strings.Replace(string(source), "BenchmarkRemoved", "BenchmarkAdded", 1)
	changed = strings.Replace(changed, "make([]float64, 1000)", "make([]float64, 3000)", 1)
	changed = strings.Replace(changed, `{ panic("no pears") }`, `{ b.Run("not", func(b *testing.B) {}) }`, 1)
	write(t, dir, "-- sum_test.go --\n"+changed) // the tree is dirty
	untouched(t, repository)
	out := filepath.Join(t.TempDir(), "ab.txt")
	status, stdout, stderr := execute(t, t.Context(), "-C", dir, "-time", "10m", "-cpu", "2", "-o", out)
	require.Equal(t, 0, status, stderr)
	assert.Regexp(t, `^old: HEAD \([0-9a-f]+\)\nnew: the folder as it is\n`, stdout)
	for _, row := range []string{`Odd/a_b-2`, `Odd/a_b-2 pears`, `Odd/\(c\|\[d\]\)-2`, `Odd/e/f-2`, `Odd/e/f#01-2`, `Odd/ü="1"-2`, `Reads-2`, `Parallel-2`, `Prints-2`, `Outside-2`, `Fails/good-2`} {
		assert.Regexp(t, `(?m)^ `+row+` +[\d.]+`, stdout)
	}
	for _, note := range []string{
		`Fails/bad: sum_test.go:\d+: no apples`, `Panics: .*panic: no pears`, `Removed-2: only one version has it`, `Added-2: only one version has it`,
	} {
		assert.Regexp(t, `(?m)^`+note, strings.ReplaceAll(stdout, ",\n", ", "))
	}
	assert.NotContains(t, stdout, "False")
	assert.NotContains(t, stdout, "apples ", "which are always 3")
	assert.NotContains(t, stdout, "Benchmarking")
	assert.NotContains(t, stdout, "Panics/not", "which is said of all that is in it")
	for line := range strings.Lines(stdout) {
		assert.LessOrEqual(t, utf8.RuneCountInString(line), 101, line)
	}

	text, err := os.ReadFile(out)
	require.NoError(t, err)
	for _, side := range sides[:again] {
		assert.Contains(t, string(text), "side: "+side+"\n")
	}
	assert.NotContains(t, string(text), "link-order", "of which benchstat would make a table each")
}

func TestInterrupted(t *testing.T) {
	repository := repositoryOf(t, module)
	write(t, repository, "-- my mod/tagged.go --\npackage mine\n\nvar tagged = 1")
	untouched(t, repository)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel) // the go command takes longer
	status, _, stderr := execute(t, ctx, "-C", filepath.Join(repository, "my mod"), "-bench", "Outside", "-time", "1h")
	assert.Equal(t, exitUnknown, status)
	assert.Regexp(t, `(?m)^ab: interrupted\n\z`, stderr, "last, behind how long it takes if that was known")
}

// A module with a vendor folder, in a subfolder of another.
func TestVendored(t *testing.T) {
	t.Setenv("GOFLAGS", "-mod=vendor -tags=special")
	repository := repositoryOf(t, module)
	write(t, repository, "-- my mod/vendored/vendor/example.com/library/library.go --\npackage library\n\nvar two = 2\n\nfunc Two() int { return two }")
	status, stdout, stderr := execute(t, t.Context(), "-C", filepath.Join(repository, "my mod", "vendored"), "-time", "10m")
	require.Equal(t, 0, status, stderr)
	assert.Contains(t, stdout, "\n Two ")
}

// The old version of a workspace has the old library.
func TestWorkspace(t *testing.T) {
	repository := repositoryOf(t, `
-- go.work --
go 1.24

use ./main
use ./library
-- library/go.mod --
module example.com/library
-- library/two.go --
package library

func Two() int { return 2 }
-- main/go.mod --
module example.com/main
-- main/main_test.go --
package main

import (
	"testing"

	"example.com/library"
)

func BenchmarkTwo(b *testing.B) {
	for i := 0; i < b.N; i++ {
		library.Two()
	}
}`)
	t.Setenv("GOWORK", filepath.Join(repository, "go.work")) // of the new version alone
	write(t, repository, "-- library/two.go --\npackage library\n\nfunc Two() int { panic(\"another version\") }")
	status, stdout, stderr := execute(t, t.Context(), "-C", filepath.Join(repository, "main"), "-time", "10m")
	require.Equal(t, exitUnknown, status, stderr) // as there is no other benchmark
	assert.Regexp(t, `(?m)^Two: .*panic: another version`, stdout)
}

func TestMistakes(t *testing.T) {
	repository := repositoryOf(t, module)
	dir := filepath.Join(repository, "my mod")
	write(t, repository, "-- my mod/broken/broken.go --\npackage broken\n\nfunc F() int { return \"one\" }\n-- my mod/broken/broken_test.go --\npackage broken\n\nimport \"testing\"\n\nfunc BenchmarkF(b *testing.B) {}\n-- my mod/fixed/fixed_test.go --\npackage fixed\n-- my mod/docs/README --\n")
	commit(t, repository)
	write(t, repository, "-- my mod/broken/broken.go --\npackage broken\n\nfunc F() int { return 1 }\n-- my mod/added/added.go --\npackage added\n-- my mod/vendored/go.work --\ngo 1.24\n\nuse .")
	none := t.TempDir()
	for _, tt := range []struct {
		name   string
		args   []string
		status int
		stderr string
	}{
		{"no folder", []string{"-C", filepath.Join(none, "nowhere")}, 2, `ab: -C .*nowhere: no such folder; want one of a Go module`},
		{"no repository", []string{"-C", none}, exitUnknown, `ab: -C .*: want a folder of a git repository: .*not a git repository.*`},
		{"no revision", []string{"-C", dir, "-against", "nobody"}, 2, `ab: no revision "nobody" in .*; want one that git log shows .*`},
		{"a flag in place of a revision", []string{"-C", dir, "-against", "--all"}, 2, `ab: no revision "--all" in .*`},
		{"no such package", []string{"-C", dir, "./nobody"}, 2, `ab: HEAD \(\w+\): stat nobody: directory not found; want packages .*`},
		{"no package in the folder", []string{"-C", filepath.Join(dir, "docs")}, 2, `ab: HEAD \(\w+\): no Go files in the folder; want packages such as ./fse, or ./... for all.*`},
		{"no package with benchmarks", []string{"-C", dir, "./empty/..."}, exitUnknown, `ab: ./empty/...: no package of a module has benchmarks in both versions; want a func BenchmarkName.*`},
		{"no such toolchain", []string{"-C", dir, "-new-go", "nonsense"}, 2, `ab: the folder as it is nonsense: go: invalid GOTOOLCHAIN "nonsense".*; want packages .*, a toolchain such as go1.26.8, .*`},
		{"no such flag", []string{"-C", dir, "-old-flags", "-foo"}, 2, `ab: the folder as it is -foo: go: parsing \$GOFLAGS: unknown flag -foo; want packages .*`},
		{"places of two versions", []string{"-C", dir, "-places", "-against", "HEAD"}, 2, `ab: -places shows one version, and compares nothing; want .*`},
		{"not yet there", []string{"-C", filepath.Join(dir, "added")}, exitUnknown, `ab: HEAD \(\w+\) has no folder my mod/added/; want a revision that has it`},
		{"a workspace that git does not know", []string{"-C", filepath.Join(dir, "vendored")}, exitUnknown, `ab: HEAD \(\w+\) has no go.work, and the folder uses .*go.work; want GOWORK=off, or a go.work that git knows`},
		{"does not build", []string{"-C", dir, "./broken"}, exitUnknown, `ab: HEAD \(\w+\): .*broken\.go:3:\d+: cannot use "one".*`},
		{"matches nothing", []string{"-C", dir, "-bench", "Nobody", "."}, exitUnknown, `ab: -bench Nobody matches no benchmark`},
		{"bad pattern", []string{"-C", dir, "-bench", "("}, 2, `ab: -bench: error parsing regexp.*`},
		{"no processor", []string{"-C", dir, "-cpu", "0"}, 2, `ab: -cpu 0 -time 1m0s -within 1: want numbers above 0`},
		{"NaN as a width", []string{"-C", dir, "-within", "NaN"}, 2, `ab: -cpu 1 -time 1m0s -within NaN: want numbers above 0`},
		{"NaN as a limit", []string{"-C", dir, "-fail-over", "NaN"}, 2, `ab: -fail-over NaN: want 0 percent or more`},
		{"no time", []string{"-C", dir, "-time", "1ms"}, exitUnknown, `ab: nothing was measured in 1ms; want a longer -time`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.status == cli.ExitMisuse { // which waits for no other command
				release, err := cli.LockMeasuring(t.Context(), &cli.Env{})
				require.NoError(t, err)
				defer release()
			}
			if slices.Contains(tt.args, "Nobody") { // so that the versions differ
				write(t, repository, "-- my mod/tagged.go --\npackage mine\n\nvar tagged = 1")
			}
			status, stdout, stderr := execute(t, t.Context(), tt.args...)
			assert.Equal(t, tt.status, status)
			assert.Empty(t, stdout)
			assert.Regexp(t, regexp.MustCompile(`^(?:`+tt.stderr+`)\n$`), stderr, "one line")
		})
	}
}

// made returns what a run may have measured: of each benchmark the time of the sides in each
// link order.
func made(benchmarks ...[][]float64) *comparison {
	c := &comparison{within: 1, over: math.Inf(1), versions: [2]version{{label: "v1"}, {label: "v2"}}, packages: []*pkg{{path: "example.com/a"}}}
	for i, orders := range benchmarks {
		r := &row{pkg: c.packages[0], name: fmt.Sprintf("B%d", i), group: &measure.Group{}}
		for _, times := range orders {
			for side, seconds := range times {
				line := &benchfmt.Result{Name: benchfmt.Name(r.name), Iters: 1, Values: []benchfmt.Value{{Value: seconds, Unit: "sec/op"}}}
				measure.SetConfig(line, "side", sides[side])
				r.group.Lines = append(r.group.Lines, line)
			}
		}
		c.rows = append(c.rows, r)
	}
	return c
}

// scores scatter as normal values do.
var scores = []float64{-0.31, 1.12, -1.63, 0.10, 0.79, -0.54, 0.31, -1.12, 1.63, -0.10, -0.79, 0.54}

// seeded draws the same in each run.
func seeded() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

// measured returns the same of 24 link orders that scatter at random: by how much each
// benchmark is slower.
func measured(random *rand.Rand, changes ...float64) *comparison {
	var benchmarks [][][]float64
	for _, change := range changes {
		var orders [][]float64
		for range 24 {
			noise := func() float64 { return 1e-6 * math.Exp(0.012*random.NormFloat64()) }
			orders = append(orders, []float64{noise(), noise() * change})
		}
		benchmarks = append(benchmarks, orders)
	}
	return made(benchmarks...)
}

// reported returns what is printed, and what is beyond the limits.
func reported(t *testing.T, c *comparison) (text string, over error) {
	var b bytes.Buffer
	c.env = &cli.Env{Stdout: &b, Stderr: &b}
	all := c.judge()
	require.NoError(t, c.print(all))
	return b.String(), c.beyond(all)
}

// Of sixteen benchmarks one is 3 % slower: that is said, and nothing else.
func TestVerdict(t *testing.T) {
	right, random := 0, seeded()
	for range 100 {
		changes := slices.Repeat([]float64{1}, 16)
		changes[3] = 1.03
		text, _ := reported(t, measured(random, changes...))
		if regexp.MustCompile(`(?m)^Slower: B3 1\.0\d+\.$`).MatchString(text) && !strings.Contains(text, "Faster") && !strings.Contains(text, "Do not believe") {
			right++
		}
	}
	assert.GreaterOrEqual(t, right, 85)
}

// report adds a figure to the lines of a side, one for each link order.
func (r *row) report(side int, unit string, value func(order int) float64) {
	n := 0
	for _, line := range r.group.Lines {
		if line.GetConfig("side") == sides[side] {
			line.Values = append(line.Values, benchfmt.Value{Value: value(n), Unit: unit})
			n++
		}
	}
}

// Allocations are compared exactly, but for those that scatter.
func TestAllocations(t *testing.T) {
	random := seeded()
	c := measured(random, 2, 1, 1)
	for _, r := range c.rows[:2] {
		for side := range sides[:again] {
			r.report(side, "allocs/op", func(order int) float64 {
				if side != after || r.name == "B1" && order == 0 {
					return 0
				}
				return 1
			})
		}
	}
	for side := range sides[:again] { // other medians, within the scatter
		c.rows[1].report(side, "B/op", func(int) float64 { return 100 + 20*random.Float64() })
		c.rows[2].report(side, "B/op", func(int) float64 { return []float64{64, 48}[side] })
	}
	text, over := reported(t, c)
	assert.NoError(t, over)
	assert.Len(t, regexp.MustCompile(`(?m)^ B\d allocs/op +0\.000 +now 1\.000$`).FindAllString(text, -1), 2, text)
	assert.Len(t, regexp.MustCompile(`(?m)^ B2 B/op +64\.00 +now 48\.00$`).FindAllString(text, -1), 1, text)
	assert.Equal(t, 1, strings.Count(text, "B/op"), "the others may be the same")
	c.failAllocs = true
	_, over = reported(t, c)
	assert.EqualError(t, over, "allocates more: B0 allocs/op 1.000, B1 allocs/op 1.000.")
}

// A pull request is shown what differs.
func TestMarkdown(t *testing.T) {
	c := measured(seeded(), 2, 1)
	c.markdown = true
	text, _ := reported(t, c)
	assert.Regexp(t, "(?s)^```\nold: v1\nnew: v2\n\n benchmark .*\n B0 .*\n\nSlower: B0 [^\n]*\n.*\n```\n$", text)
	assert.NotRegexp(t, `(?m)^ B1 `, text)
}

func TestJSON(t *testing.T) {
	c := measured(seeded(), 2, 1)
	c.json, c.equal = true, []string{"example.com/b"}
	c.rows[0].report(before, "allocs/op", func(int) float64 { return 0 })
	c.rows[0].report(after, "allocs/op", func(int) float64 { return 3 })
	c.rows[1].group.Lines = c.rows[1].group.Lines[:6] // two link orders give no interval
	c.rows = append(c.rows, &row{pkg: c.packages[0], name: "C", failure: "no apples", group: &measure.Group{}})
	text, _ := reported(t, c)
	var got struct {
		Old, New    string
		Equal       []string
		NotMeasured []string `json:"not_measured"`
		Rows        []struct {
			Benchmark, Unit, Verdict string
			New                      float64
			Ratio                    *struct{ Center, Lo, Hi float64 }
		}
	}
	require.NoError(t, json.Unmarshal([]byte(text), &got), text)
	assert.Equal(t, []string{"example.com/b"}, got.Equal)
	assert.Equal(t, []string{"a C: no apples"}, got.NotMeasured)
	require.Len(t, got.Rows, 3)
	assert.Equal(t, "slower", got.Rows[0].Verdict)
	assert.InDelta(t, 2, got.Rows[0].Ratio.Center, 0.05)
	assert.Less(t, got.Rows[0].Ratio.Center, got.Rows[0].Ratio.Hi)
	assert.Equal(t, "allocs/op more 3", fmt.Sprint(got.Rows[1].Unit, " ", got.Rows[1].Verdict, " ", got.Rows[1].New))
	assert.Nil(t, got.Rows[1].Ratio)
	assert.Equal(t, "not known from this run", got.Rows[2].Verdict)
}

// Rows that have enough give their time to others: their intervals, and those of the others,
// still hold the true ratio.
func TestEnough(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	c, sum := &comparison{within: 1, over: 5, rows: make([]*row, 10)}, 0.
	for _, truth := range []float64{1, 1.02, 1.08} {
		for _, scatter := range []float64{0.015, 0.03} { // of a link order, beside its place
			const runs = 200
			covered, early, called := 0, 0, 0
			for range runs {
				noise := func() float64 { return math.Exp(scatter * (rng.NormFloat64() + rng.Float64() - 0.5)) }
				var e estimate.Estimate
				var old, now []float64
				for order := range 30 {
					old, now = append(old, noise()), append(now, truth*noise())
					if order%2 == 0 { // a half of the looks at it
						continue
					}
					if e = estimate.Between(now, old); c.enough(e) {
						early++
						break
					}
				}
				if !e.Excludes(truth) {
					covered++
				}
				if e.Certain(10) {
					called++
				}
			}
			if truth == 1 {
				assert.LessOrEqual(t, called, 3, "of 200, where nothing changed")
			}
			t.Logf("%g, scatter %g: %.1f %% covered, %.0f %% early", truth, scatter, float64(covered)/runs*100, float64(early)/runs*100)
			assert.InDelta(t, 0.95, float64(covered)/runs, 0.03+0.0154, "and a standard error")
			sum += float64(covered) / runs
		}
	}
	assert.InDelta(t, 0.95, sum/6, 0.01, "a standard error, and some")
}

// A slice of the slow version does not take a second if the fast one has a thousand iterations.
func TestIterations(t *testing.T) {
	c := &comparison{}
	c.addRow(t.Context(), &pkg{unit: &measure.Unit{}}, &measure.Slice{N: 1000, Took: 1}, &measure.Slice{N: 2, Took: 3}, 4)
	assert.Equal(t, 2, c.rows[0].n)
}

// The time that narrow intervals take is said from what the first link orders scatter by.
func TestNeeds(t *testing.T) {
	for _, tt := range []struct {
		scatter, ratio, within float64
		want                   string
	}{
		{0.0001, 1, 1, ""}, {0.1, 166, 1, ""}, {0.05, 1, 1, "±1 %, or a clear difference, in nine of ten rows takes about -time 2m20s"}, {0.05, 1, 5, ""}, {0.5, 1, 1, "±1 %, or a clear difference, in nine of ten rows takes hours of -time"},
	} {
		var orders [][]float64
		for i := range 8 {
			orders = append(orders, []float64{1e-6, 1e-6 * tt.ratio * math.Exp(tt.scatter*scores[i])})
		}
		c := made(orders)
		c.within, c.limit, c.started = tt.within, 20*time.Second, time.Now().Add(-8*time.Second)
		c.m.Done = 8
		assert.Equal(t, tt.want, c.needs())
	}
}

// ab stands alone: it knows nothing of the steps, and can be cut out.
func TestImports(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	require.NoError(t, err)
	var own []string
	for line := range strings.Lines(string(out)) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "raysteps/"); ok {
			own = append(own, name)
		}
	}
	assert.ElementsMatch(t, []string{"common/outfile", "scripts/ab", "scripts/internal/cli", "scripts/internal/estimate", "scripts/internal/measure"}, own)
}

// A benchmark that never ends is given up.
func TestHangs(t *testing.T) {
	repository := repositoryOf(t, "\n-- go.mod --\nmodule example.com/hangs\n\ngo 1.24\n-- a_test.go --\npackage hangs\n\nimport \"testing\"\n\nfunc BenchmarkHangs(b *testing.B) { for {} }")
	write(t, repository, "\n-- b_test.go --\npackage hangs\n\nvar another = 1")
	status, stdout, stderr := execute(t, t.Context(), "-C", repository, "-time", "20s")
	assert.Equal(t, exitUnknown, status)
	assert.Regexp(t, `as it is\n\nHangs: takes longer than a quarter of the time that is left\n$`, stdout)
	assert.Equal(t, "ab: no benchmark could be measured\n", stderr)
}

// What is said of one benchmark by made-up figures, and whether it fails at 10 %.
func TestWords(t *testing.T) {
	for _, tt := range []struct {
		name            string
		change, scatter float64 // of the new version
		noise           float64 // of every other link order of the old one
		want            string
		over            string
	}{
		{"slower", 1.2, 0.001, 1, "Slower: B0 1.20.", "slower by more than 10%: B0 1.20."},
		{"a center beyond 10 %, and a near end that is not", 1.12, 0.08, 1, "Slower: B0 1.12.", ""},
		{"the same", 1.004, 0.02, 1, "The same within 1.9 %: B0.", ""},
		{"wide around 1", 1.01, 0.08, 1, "Not known from this run: B0.", ""},
		{"noise is larger", 1.5, 0.001, 1.6, "Do not believe this run, as the same code differs from itself: B0.", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var orders [][]float64
			for i := range 12 {
				old := 1e-6 * math.Exp(0.001*scores[i])
				if i%2 == 1 { // which is the other half
					old *= tt.noise
				}
				orders = append(orders, []float64{old, 1e-6 * tt.change * math.Exp(scores[i]*tt.scatter)})
			}
			c := made(orders)
			c.over = 10
			text, over := reported(t, c)
			assert.Contains(t, text, "\n"+tt.want+"\n")
			assert.Equal(t, cmp.Or(tt.over, "<nil>"), fmt.Sprint(over))
		})
	}
	text, _ := reported(t, measured(seeded(), slices.Repeat([]float64{2}, 8)...))
	assert.Regexp(t, `(?m)^Slower: (B\d [12]\.\d+, ){5}and 3 more\.$`, text)
}

// workflow returns the commands of the workflow on the page.
func workflow(t *testing.T) (commands []string) {
	page, err := os.ReadFile("../../docs/program.md")
	require.NoError(t, err)
	block := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindSubmatch(page)
	require.NotNil(t, block)
	parsed, mistakes := actionlint.Parse(block[1])
	require.Empty(t, mistakes)
	for _, step := range parsed.Jobs["ab"].Steps {
		switch exec := step.Exec.(type) {
		case *actionlint.ExecAction:
			assert.Regexp(t, `^actions/[\w-]+@[0-9a-f]{40}$`, exec.Uses.Value, "pinned")
		case *actionlint.ExecRun:
			commands = append(commands, exec.Run.Value)
		}
	}
	require.Len(t, commands, 2)
	return commands
}

// The workflow compares a pull request with what it is merged into, and not with what others
// merged since. A host would add checking out and Go.
func TestWorkflow(t *testing.T) {
	commands := workflow(t)
	work := t.TempDir()
	require.NoError(t, os.CopyFS(filepath.Join(work, "mine"), os.DirFS("testdata/program")))
	repository := filepath.Join(work, "mine")
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(repository, name))
		require.NoError(t, err)
		return string(text)
	}
	before, better := read("count.go"), read("after/count.go")
	require.NoError(t, os.RemoveAll(filepath.Join(repository, "after")))
	git(t, repository, "init", "-q", "-b", "main")
	commit(t, repository)
	base := strings.TrimSpace(git(t, repository, "rev-parse", "--short", "HEAD"))
	pull := func(branch, source string) {
		git(t, repository, "checkout", "-q", "-b", branch, base)
		write(t, repository, "-- count.go --\n"+source)
		commit(t, repository)
		git(t, repository, "checkout", "-q", "-b", branch+"-merged", base)
		git(t, repository, "merge", "-q", "--no-ff", "-m", "merge", branch)
	}
	pull("better", better)
	pull("broken", before+"\nfunc broken() int { return nil }\n")
	git(t, repository, "checkout", "-q", "main")
	write(t, repository, "-- count.go --\n"+before+"\nvar merged = func() int { return 1 }()\n")
	commit(t, repository)

	// What it installs hands its arguments to this test.
	stub := repositoryOf(t, "-- go.mod --\nmodule raysteps\n\ngo 1.24\n"+`
-- scripts/ab/main.go --
package main

import (
	"os"
	"os/exec"
)

func main() {
	cmd := exec.Command(os.Getenv("AB"), os.Args[1:]...)
	cmd.Env, cmd.Stdout, cmd.Stderr = append(os.Environ(), "IS_AB=yes"), os.Stdout, os.Stderr
	cmd.Run()
	os.Exit(cmd.ProcessState.ExitCode())
}`)
	self, err := os.Executable()
	require.NoError(t, err)
	bin := filepath.Join(work, "bin")
	for branch, want := range map[string]struct {
		status  int
		summary string
	}{
		"better-merged": {0, fmt.Sprintf("^```\nold: HEAD\\^1 \\(%s\\)\nnew: the folder as it is\n\n(?s:.*)```\n$", base)},
		"broken-merged": {exitUnknown, "^$"},
	} {
		git(t, repository, "checkout", "-q", branch)
		summary := filepath.Join(work, branch)
		for i, command := range commands {
			cmd := exec.Command("bash", "-e", "-c", command)
			cmd.Dir = repository
			cmd.Env = append(os.Environ(), "RAYSTEPS="+stub, "GOBIN="+bin, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "AB="+self, "GITHUB_STEP_SUMMARY="+summary)
			out, _ := cmd.CombinedOutput()
			if i == 0 {
				require.Zero(t, cmd.ProcessState.ExitCode(), "%s", out)
			} else {
				assert.Equal(t, want.status, cmd.ProcessState.ExitCode(), "%s", out)
			}
		}
		text, err := os.ReadFile(summary)
		require.NoError(t, err)
		assert.Regexp(t, want.summary, string(text))
		require.NoError(t, os.RemoveAll(filepath.Join(work, "raysteps")))
	}
}

// Of thirty packages one has changed, and only that one is measured: it allocates more.
func TestThirtyPackages(t *testing.T) {
	files := "\n-- go.mod --\nmodule example.com/many\n\ngo 1.24"
	for i := range 30 {
		files += fmt.Sprintf("\n-- p%d/a.go --\npackage p\n\nfunc F() int { return %[1]d }\n-- p%[1]d/a_test.go --\npackage p\n\nimport \"testing\"\n\nvar sink int\n\nfunc BenchmarkF(b *testing.B) {\n\tfor b.Loop() {\n\t\tsink += F()\n\t}\n}", i)
	}
	repository := repositoryOf(t, files)
	write(t, repository, "\n-- p7/a.go --\npackage p\n\nvar seven *[4]int\n\nfunc F() int {\n\tseven = new([4]int)\n\treturn seven[0]\n}")
	status, stdout, stderr := execute(t, t.Context(), "-C", repository, "-time", "10m", "-fail-allocs", "./...")
	require.Equal(t, 1, status, stderr)
	assert.Regexp(t, `(?m)^ p7 F +\d`, stdout)
	assert.Regexp(t, `^ab: 1 benchmark in 1 package; ±1 % often takes a hundred link orders, about -time \S+\nab: allocates more: p7 F B/op 32.00, p7 F allocs/op 1.000\.\n$`, stderr)
	assert.Regexp(t, `The same program in both versions, to the byte, and so not measured:\s[^.]*\sand\s24\smore\.`, strings.ReplaceAll(stdout, "example.com", "example"))
}

// One version in many link orders.
func TestPlaces(t *testing.T) {
	repository := repositoryOf(t, "\n-- go.mod --\nmodule example.com/a\n\ngo 1.24\n-- a_test.go --\npackage a\n\nimport \"testing\"\n\nvar sink int\n\n//go:noinline\nfunc hot(n int) (sum int) {\n\tfor i := range n {\n\t\tsum += i * i\n\t}\n\treturn sum\n}\n\nfunc BenchmarkHot(b *testing.B) {\n\tb.Run(\"a b\", func(b *testing.B) {\n\t\tfor b.Loop() {\n\t\t\tsink = hot(10000)\n\t\t}\n\t})\n}")
	out := filepath.Join(t.TempDir(), "ab.txt")
	status, stdout, stderr := execute(t, t.Context(), "-C", repository, "-time", "10m", "-places", "-o", out)
	require.Equal(t, 0, status, stderr)
	assert.Regexp(t, `^the folder as it is, in 2 link orders\n\n benchmark +time +-\d+ % +\+\d+ % +spread +place +aligned +no change\n Hot/a_b +[\d.]+µs +[.▁▂▃▄▅▆▇█]{25}( +\d+\.\d %){4}\n\n`, stdout)
	text, err := os.ReadFile(out)
	require.NoError(t, err)
	for _, side := range sides {
		assert.Contains(t, string(text), "side: "+side+"\n")
	}
}

// What a link order does to a benchmark, where the place of a function decides.
func TestPlacesSaid(t *testing.T) {
	var moved, still, both [][]float64 // by link order: one program, aligned, the same again, others
	var odd []map[string]bool
	for order := range 16 {
		odd = append(odd, map[string]bool{"a.hot": order%3 == 0})
		one, scatter := 1e-6*(1+0.02*float64(order%5)), 0.0002*float64(order%2)
		times := []float64{one, one * (1.001 + scatter), one * (0.999 + 2*scatter), one * (1 + 3*scatter)}
		still = append(still, slices.Clone(times))
		if order%3 == 0 {
			times[others] *= 1.1
		}
		moved, times = append(moved, times), slices.Clone(times)
		if order%4 == 0 {
			times[after] *= 1.1
		}
		both = append(both, times)
	}
	c := made(moved, still, both)
	c.packages[0].odd, c.rows[0].function, c.rows[1].function = odd, "a.hot", "a.hot"
	var b bytes.Buffer
	c.env = &cli.Env{Stdout: &b}
	require.NoError(t, c.printPlaces())
	assert.Regexp(t, `(?m)^The link order alone moves: B0 10\.\d %, B2 10\.\d %\.\nWhether .* explains of that: B0 10\.0 % \(a\.hot\)\.\nAlignment .*: B0\.\nNot moved .*: B1\.$`, strings.ReplaceAll(b.String(), ",\n", ", "))
}

// Counts and times that do not change together.
func TestCountsSaid(t *testing.T) {
	c := measured(seeded(), 1, 2, 2)
	for i, now := range []float64{90, 100, 200} {
		c.rows[i].counts = [2][]count{{{100, 0.1}, {10, 0}}, {{now, 0.1}, {10, 0}}}
	}
	text, _ := reported(t, c)
	assert.Regexp(t, `(?m)^ B0 instructions/op +100\.0 +now 90\.00$`, text)
	assert.Regexp(t, `(?m)^ B0 branches/op +10\.00 +the same$`, text)
	assert.Contains(t, text, "\nOther counts, and no time shows it: B0.\nAnother time, and the same counts, so look at memory and dependences: B1.\n")
	assert.False(t, count{100, 5}.differs(count{110, 0}), "it scatters")
}

// Instructions are counted where there is valgrind, and the same in each run.
func TestCounts(t *testing.T) {
	if err := measure.CanCount(t.Context()); err != nil {
		t.Skip(err)
	}
	repository := repositoryOf(t, "\n-- go.mod --\nmodule example.com/a\n\ngo 1.24\n-- a_test.go --\npackage a\n\nimport \"testing\"\n\nconst more = 0\n\nvar sink int\n\nfunc BenchmarkSum(b *testing.B) {\n\tfor b.Loop() {\n\t\tfor i := range 1000 {\n\t\t\tsink += i\n\t\t\tif more > 0 {\n\t\t\t\tsink ^= sink>>3\n\t\t\t}\n\t\t}\n\t}\n}")
	source, err := os.ReadFile(filepath.Join(repository, "a_test.go"))
	require.NoError(t, err)
	write(t, repository, "\n-- a_test.go --\n"+strings.Replace(string(source), "more = 0", "more = 1", 1))
	status, stdout, stderr := execute(t, t.Context(), "-C", repository, "-time", "10m", "-counts")
	require.Equal(t, 0, status, stderr)
	assert.Regexp(t, `(?m)^ Sum instructions/op +[45]\.\d+k +now [6-9]\.\d+k\n Sum branches/op +1\.0\d+k +the same$`, stdout)
}

// Where valgrind ends at once, times are said, and in one line why nothing is counted.
func TestUncounted(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("the file is for another system")
	}
	bin := t.TempDir()
	write(t, bin, "\n-- valgrind --\n#!/bin/sh\necho Warning: one >&2\necho Warning: two >&2\nexit 7\n")
	require.NoError(t, os.Chmod(filepath.Join(bin, "valgrind"), 0o700))
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	repository := repositoryOf(t, "\n-- go.mod --\nmodule example.com/a\n\ngo 1.24\n-- a_test.go --\npackage a\n\nimport \"testing\"\n\nvar sink int\n\nfunc BenchmarkSum(b *testing.B) {\n\tfor b.Loop() {\n\t\tsink++\n\t}\n}")
	status, stdout, stderr := execute(t, t.Context(), "-C", repository, "-new-flags", "-ldflags=-funcalign=64", "-time", "10m", "-counts")
	require.Equal(t, 0, status, stderr)
	assert.Regexp(t, `(?m)^ Sum +[\d.]+.s `, stdout)
	assert.Contains(t, stdout, "\nSum was not counted: valgrind: exit status 7\n")

	t.Setenv("PATH", t.TempDir())
	var errs strings.Builder
	assert.Equal(t, 2, command(0, 0).Exec(context.Background(), []string{"-counts"}, &errs, &errs))
	assert.Regexp(t, `^ab: -counts: valgrind is not installed.*apt-get install valgrind.*\n$`, errs.String())
}

// One source in two builds: the folder as it is, or the revision of the new version.
func TestBuilds(t *testing.T) {
	repository := repositoryOf(t, "\n-- go.mod --\nmodule example.com/a\n\ngo 1.24\n-- a_test.go --\npackage a\n\nimport \"testing\"\n\nvar sink int\n\nfunc BenchmarkOne(b *testing.B) {\n\tfor b.Loop() {\n\t\tsink++\n\t}\n}")
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"-new-go", runtime.Version()}, `^old: the folder as it is\nnew: the folder as it is ` + regexp.QuoteMeta(runtime.Version()) + `\n\nThe same program in both versions, to the byte`},
		{[]string{"-old-flags", "-pgo=off", "-with", "HEAD"}, `^old: HEAD \(\w+\) -pgo=off\nnew: HEAD \(\w+\)\n\nThe same program in both versions, to the byte`},
		{[]string{"-new-flags", "-ldflags=-funcalign=64"}, `^old: `},
		{[]string{"-new-flags", "-tags=a -ldflags=-funcalign=64"}, `^old: the folder as it is\nnew: the folder as it is -tags=a -ldflags=-funcalign=64\n\n benchmark .*\n One `},
	} {
		status, stdout, stderr := execute(t, t.Context(), append(tt.args, "-C", repository, "-time", "10m")...)
		require.Equal(t, 0, status, stderr)
		assert.Regexp(t, tt.want, strings.Join(strings.Split(stdout, ",\n"), ", "))
	}
}
