package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/rhysd/actionlint"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/scripts/internal/cli"
)

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
	assert.Regexp(t, `^ab: 1 benchmark in 1 package; some [\d,]+ link orders fit in 10m0s\nab: allocates more: p7 F B/op 32.00, p7 F allocs/op 1.000\n$`, stderr)
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
	if _, err := exec.LookPath("valgrind"); err != nil {
		t.Skip("no valgrind")
	}
	repository := repositoryOf(t, "\n-- go.mod --\nmodule example.com/a\n\ngo 1.24\n-- a_test.go --\npackage a\n\nimport \"testing\"\n\nconst more = 0\n\nvar sink int\n\nfunc BenchmarkSum(b *testing.B) {\n\tfor b.Loop() {\n\t\tfor i := range 1000 {\n\t\t\tsink += i\n\t\t\tif more > 0 {\n\t\t\t\tsink ^= sink>>3\n\t\t\t}\n\t\t}\n\t}\n}")
	source, err := os.ReadFile(filepath.Join(repository, "a_test.go"))
	require.NoError(t, err)
	write(t, repository, "\n-- a_test.go --\n"+strings.Replace(string(source), "more = 0", "more = 1", 1))
	status, stdout, stderr := execute(t, t.Context(), "-C", repository, "-time", "10m", "-counts")
	require.Equal(t, 0, status, stderr)
	assert.Regexp(t, `(?m)^ Sum instructions/op +[45]\.\d+k +now [6-9]\.\d+k\n Sum branches/op +1\.0\d+k +the same$`, stdout)

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
		{[]string{"-new-go", runtime.Version()}, `^old: the folder as it is\nnew: the folder as it is ` + regexp.QuoteMeta(runtime.Version()) + `\n\nThey make the same program`},
		{[]string{"-old-flags", "-pgo=off", "-with", "HEAD"}, `^old: HEAD \(\w+\) -pgo=off\nnew: HEAD \(\w+\)\n\nThey make the same program`},
		{[]string{"-new-flags", "-ldflags=-funcalign=64"}, `^old: `},
		{[]string{"-new-flags", "-tags=a -ldflags=-funcalign=64"}, `^old: the folder as it is\nnew: the folder as it is -tags=a -ldflags=-funcalign=64\n\n benchmark .*\n One `},
	} {
		status, stdout, stderr := execute(t, t.Context(), append(tt.args, "-C", repository, "-time", "10m")...)
		require.Equal(t, 0, status, stderr)
		assert.Regexp(t, tt.want, strings.Join(strings.Split(stdout, ",\n"), ", "))
	}
}
