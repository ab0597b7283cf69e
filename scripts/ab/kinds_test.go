package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
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
	"golang.org/x/tools/txtar"
)

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
	status, stdout, stderr := executeIn(t, t.Context(), 2, "-C", dir, "-time", "10m", "-cpu", "2", "-o", out)
	require.Equal(t, 0, status, stderr)
	assert.Regexp(t, `^old: HEAD \([0-9a-f]+\)\nnew: the folder as it is\n`, stdout)
	for _, row := range []string{`Odd/a_b-2`, `Odd/a_b-2 pears`, `Odd/\(c\|\[d\]\)-2`, `Odd/e/f-2`, `Odd/e/f#01-2`, `Odd/ü="1"-2`, `Reads-2`, `Parallel-2`, `Prints-2`, `Outside-2`, `Fails/good-2`} {
		assert.Regexp(t, `(?m)^ `+row+` +\?`, stdout)
	}
	for _, note := range []string{
		`Fails: Fails/bad: sum_test.go:\d+: no apples`, `Fails in the old version: Panics: .*panic: no pears`, `Only the old version has: Removed-2.`, `Only the new version has: Added-2.`,
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

// A module with a vendor folder, in a subfolder of another. Where valgrind ends at once, times are said,
// and in one line why nothing is counted.
func TestVendored(t *testing.T) {
	t.Setenv("GOFLAGS", "-mod=vendor -tags=special")
	repository := repositoryOf(t, module)
	write(t, repository, "-- my mod/vendored/vendor/example.com/library/library.go --\npackage library\n\nvar two = 2\n\nfunc Two() int { return two }")
	counts := endingValgrind(t)
	status, stdout, stderr := execute(t, t.Context(), "-C", filepath.Join(repository, "my mod", "vendored"), "-time", "10m", fmt.Sprint("-counts=", counts))
	require.Equal(t, 0, status, stderr)
	assert.Regexp(t, `(?m)^ Two +\?`, stdout)
	assert.Equal(t, counts, strings.Contains(stdout, "\nTwo was not counted: valgrind: exit status 7\n"))
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
	assert.Regexp(t, `(?m)^Fails in the new version: Two: .*panic: another version`, stdout)
}

// Functions that a pattern cannot select are not run, nor asked.
func TestSelects(t *testing.T) {
	for _, tt := range []struct {
		bench string
		want  bool
	}{{".", true}, {"Dot", true}, {"^BenchmarkDot$", true}, {"Axpy", false}, {"Axpy|Dot", true}, {"Axpy/n=3", true}} {
		assert.Equal(t, tt.want, (&comparison{bench: tt.bench}).selects("BenchmarkDot"), tt.bench)
	}
}

// kinds is a repository of what people do to benchmarks, with a changed folder.
func kinds(t *testing.T) (dir string) {
	t.Helper()
	archive, err := os.ReadFile("testdata/kinds.txtar")
	require.NoError(t, err)
	var now txtar.Archive
	old := txtar.Parse(archive)
	old.Files = slices.DeleteFunc(old.Files, func(f txtar.File) bool {
		name, changed := strings.CutPrefix(f.Name, "changed/")
		if changed {
			now.Files = append(now.Files, txtar.File{Name: name, Data: f.Data})
		}
		return changed
	})
	dir = repositoryOf(t, string(txtar.Format(old)))
	write(t, dir, string(txtar.Format(&now)))
	return dir
}

// Each benchmark and package has its own state, and none stops the others. A limit is not known if
// the new version fails where the old one does not. Flags may follow packages, and HOME be unset.
func TestKinds(t *testing.T) {
	if cache, err := os.UserCacheDir(); err == nil && os.Getenv("GOCACHE") == "" {
		t.Setenv("GOCACHE", filepath.Join(cache, "go-build"))
	}
	t.Setenv("HOME", "")
	t.Setenv("GOPATH", "")
	t.Setenv("GOMODCACHE", "")
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	dir := kinds(t)
	untouched(t, dir)
	status, stdout, stderr := execute(t, t.Context(), "-C", dir, "-json", "./...", "-time", "10m", "-fail-over", "50")
	require.Equal(t, exitUnknown, status, stderr)
	assert.Contains(t, stderr, "not measured in both versions: example.com/kinds/broken (failed), fails Panics (failed), fails FailsLate (failed)")
	var got struct {
		Equal []string
		Rows  []struct{ Package, Benchmark, State, Version, Reason string }
	}
	require.NoError(t, json.Unmarshal([]byte(stdout), &got), stdout)
	assert.Empty(t, got.Equal, "as testdata differ")
	states := map[string]string{}
	for _, r := range got.Rows {
		name := strings.TrimPrefix(r.Package, "example.com/kinds/") + " " + r.Benchmark
		states[name] = strings.Join(strings.Fields(r.State+" "+r.Version+" "+r.Reason), " ")
	}
	const measured = "(unknown|equal|faster|slower)" // which of these, the machine says
	for name, want := range map[string]string{
		"fails Inside": measured, "fails Outside": measured, "data Read": measured, "fails Good": measured, "fails Skips/runs": measured,
		"fails Panics": "failed new .*panic: no apples", "fails Fixed": `failed old fails_test.go:21: no pears`,
		"fails FailsLate": "failed new fails_test.go:28: no plums", "fails Skips/rests": "skipped fails_test.go:35: no cherries",
		"broken ": `failed new ./broken.go:3:15: cannot use "one".*`, "unparsed ": "failed .*string literal not terminated.*",
	} {
		assert.Regexp(t, "^"+want+"$", states[name], name)
		delete(states, name)
	}
	assert.Empty(t, states)
}

// A benchmark that never ends is given up.
func TestHangs(t *testing.T) {
	repository := repositoryOf(t, "\n-- go.mod --\nmodule example.com/hangs\n\ngo 1.24\n-- a_test.go --\npackage hangs\n\nimport (\n\t\"testing\"\n\t\"time\"\n)\n\nfunc BenchmarkHangs(b *testing.B) { time.Sleep(time.Hour) }")
	write(t, repository, "\n-- b_test.go --\npackage hangs\n\nvar another = 1")
	status, stdout, stderr := execute(t, t.Context(), "-C", repository, "-time", "20s")
	assert.Equal(t, exitUnknown, status)
	assert.Regexp(t, `as it is\n\nNot reached: Hangs: takes longer than a quarter of the time that is left\n$`, stdout)
	assert.Equal(t, "ab: no benchmark could be measured\n", stderr)
}

// Of two packages one has changed, and only that one is measured: it allocates more.
func TestTwoPackages(t *testing.T) {
	files := "\n-- go.mod --\nmodule example.com/many\n\ngo 1.24"
	for i := range 2 {
		files += fmt.Sprintf("\n-- p%d/a.go --\npackage p\n\nfunc F() int { return %[1]d }\n-- p%[1]d/a_test.go --\npackage p\n\nimport \"testing\"\n\nvar sink int\n\nfunc BenchmarkF(b *testing.B) {\n\tfor b.Loop() {\n\t\tsink += F()\n\t}\n}", i)
	}
	repository := repositoryOf(t, files)
	write(t, repository, "\n-- p1/a.go --\npackage p\n\nvar one *[4]int\n\nfunc F() int {\n\tone = new([4]int)\n\treturn one[0]\n}")
	status, stdout, stderr := execute(t, t.Context(), "-C", repository, "-time", "10m", "-fail-allocs", "./...")
	require.Equal(t, 1, status, stderr)
	assert.Regexp(t, `(?m)^ p1 F +\?`, stdout)
	assert.Regexp(t, `^ab: 1 benchmark in 1 package; ±1 % often takes a hundred link orders, about -time \S+\nab: allocates more: p1 F B/op 32.00, p1 F allocs/op 1.000\.\n$`, stderr)
	assert.Contains(t, strings.Join(strings.Fields(stdout), " "), "The same program in both versions, to the byte, and so not measured: example.com/many/p0.")
}

// One source in two builds: the folder as it is, or the revision of the new version. That builds differ
// is said by TestNotWritten.
func TestBuilds(t *testing.T) {
	repository := repositoryOf(t, "\n-- go.mod --\nmodule example.com/a\n\ngo 1.24\n-- a_test.go --\npackage a\n\nimport \"testing\"\n\nvar sink int\n\nfunc BenchmarkOne(b *testing.B) {\n\tfor b.Loop() {\n\t\tsink++\n\t}\n}")
	for _, tt := range []struct {
		args []string
		want string
	}{
		{[]string{"-new-go", runtime.Version()}, `^old: the folder as it is\nnew: the folder as it is ` + regexp.QuoteMeta(runtime.Version()) + `\n\nThe same program in both versions, to the byte, and so not measured: example.com/a\.`},
		{[]string{"-old-flags", "-pgo=off", "-with", "HEAD", "-json"}, `"equal": \[\s+"example.com/a"\s+\],\s+"new": "HEAD \(\w+\)",\s+"old": "HEAD \(\w+\) -pgo=off"`},
	} {
		status, stdout, stderr := execute(t, t.Context(), append(tt.args, "-C", repository, "-time", "10m")...)
		require.Equal(t, 0, status, stderr)
		assert.Regexp(t, tt.want, strings.Join(strings.Split(stdout, ",\n"), ", "))
	}
}
