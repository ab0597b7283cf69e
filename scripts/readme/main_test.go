package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/steps"
)

var quiet = &cli.Env{Stdout: io.Discard, Stderr: io.Discard}

// TestPagesAreCurrent holds the pages of the repository against what the
// command would write.
func TestPagesAreCurrent(t *testing.T) {
	root, err := cli.ModuleRoot()
	require.NoError(t, err)
	s, err := newSite(root, false)
	require.NoError(t, err)
	require.NoError(t, s.fill(t.Context(), quiet))
	published := s
	if s.own != nil { // pages with and without the reader's own figures are both current
		published, err = newSite(root, true)
		require.NoError(t, err)
		require.NoError(t, published.fill(t.Context(), quiet))
	}
	t.Log("not checked:", s.kept)
	for file, want := range s.files {
		have := read(t, root, file)
		if have != published.files[file] {
			assert.Equal(t, want, have, "go run ./scripts/readme brings %s up to date", file)
		}
	}
}

var stepFiles = map[string]string{
	"go.mod":           "module raysteps\n\ngo 1.26.0\n",
	"step01/ray.go":    "package step01\n\n// Ray is a half-line.\ntype Ray struct{ t float32 }\n\n// T returns t.\nfunc (r *Ray) T() float32 { return r.t }\n\nfunc (r *Ray) Far() bool { return r.T() > 9 }\n",
	"step01/leak.go":   "package step01\n\nfunc New() *Ray {\n\tr := Ray{1}\n\treturn &r\n}\n",
	"step02/ray.go":    "package step02\n\n// Ray is a half-line.\ntype Ray struct{ T float32 }\n\nfunc (r *Ray) Far() bool { return r.T >= 9 }\n",
	"step02/k_amd64.s": "// func k()\nTEXT ·k(SB), 4, $0\n\tRET\n",
	"step02/k.go":      "//go:build amd64\n\npackage step02\n\nfunc k()\n",
}

// module writes the steps and some pages into a new module and goes there.
func module(t *testing.T, pages map[string]string) (root string) {
	root = t.TempDir()
	write(t, root, stepFiles)
	write(t, root, pages)
	t.Chdir(root)
	return root
}

// run executes the command and holds what it prints to what is wanted.
func run(t *testing.T, status int, wantOut, wantErr string, args ...string) {
	t.Helper()
	var stdout, stderr strings.Builder
	assert.Equal(t, status, command.Exec(t.Context(), args, &stdout, &stderr))
	assert.Equal(t, wantOut, stdout.String())
	assert.Equal(t, wantErr, stderr.String())
}

func read(t *testing.T, root, name string) string {
	data, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	require.NoError(t, err)
	return string(data)
}

const marked = "<!-- raysteps:listing file=step01/ray.go decl=Ray.T doc=no -->\n<!-- /raysteps -->\n"

const listed = "```go\nfunc (r *Ray) T() float32 { return r.t }\n```\n\n<!-- /raysteps -->\n"

// The template and the pages are filled, and what is filled in follows the source. If
// anything is wrong, nothing is written.
func TestReadme(t *testing.T) {
	root := module(t, map[string]string{
		"README_template.md": "# Steps\n\n" + marked, "docs/step01.md": "# One\n\n" + marked,
		"docs/plain.md": "# Plain\n", "docs/data.txt": marked, "soagen/README.md": "# Gen\n\n" + marked,
	})
	run(t, 0, "README.md\ndocs/step01.md\nsoagen/README.md\n", "")
	assert.True(t, strings.HasPrefix(read(t, root, "README.md"), made+"# Steps\n\n<!-- raysteps:listing"))
	assert.Equal(t, "# Steps\n\n"+marked, read(t, root, "README_template.md"), "the template stays")
	assert.True(t, strings.HasSuffix(read(t, root, "docs/step01.md"), "-->\n\n[step01/ray.go](../step01/ray.go#L7)\n\n"+listed))
	run(t, 0, "", "") // all is current

	write(t, root, map[string]string{
		"step01/ray.go":  strings.Replace(stepFiles["step01/ray.go"], "return r.t }", "return r.t + 1 }", 1),
		"docs/step02.md": "<!-- raysteps:nope -->\n<!-- /raysteps -->\n",
		"docs/step03.md": "<!-- raysteps:listing file=step02/ray.go decl=Ray.T -->\n<!-- /raysteps -->\n\n<!-- raysteps:diff from=1 to=3 -->\n",
	})
	run(t, 1, "", `readme: docs/step02.md:1: nope: unknown directive; want chart, diff, listing, number, predict, predictions, run or table
readme: docs/step03.md:1: listing: step02/ray.go has no declaration "Ray.T"; it has Ray, Ray.Far
readme: docs/step03.md:4: diff: no <!-- /raysteps --> of its own after it
`)
	assert.True(t, strings.HasSuffix(read(t, root, "docs/step01.md"), listed), "nothing is written")

	write(t, root, map[string]string{"docs/step02.md": "", "docs/step03.md": ""})
	run(t, 0, "README.md\ndocs/step01.md\nsoagen/README.md\n", "")
	assert.Contains(t, read(t, root, "docs/step01.md"), "\nfunc (r *Ray) T() float32 { return r.t + 1 }\n")
}

// fill returns what a directive makes of its arguments, as a block.
func fill(t *testing.T, root, call string) (string, error) {
	marker := "<!-- raysteps:" + call + " -->"
	s, err := newSite(root, false)
	require.NoError(t, err)
	filled, err := s.directives().Page("docs/a.md", marker+"\n<!-- /raysteps -->\n")
	return strings.TrimSuffix(strings.TrimPrefix(filled, marker+"\n\n"), "\n\n<!-- /raysteps -->\n"), err
}

func TestDirectives(t *testing.T) {
	root := module(t, map[string]string{"cmd/main.go": "package main\n\nimport \"fmt\"\n\nfunc main() { fmt.Print(\"Hits\\n  few  1\\nRays\\n  many  2\\n\") }\n"})
	version, _, _ := strings.Cut(runtime.Version(), " ")
	// In want, ~ stands for three backquotes, and ! for the credit.
	for _, tt := range []struct{ name, call, want string }{
		{"listing", "listing file=step02/ray.go decl=Ray,Ray.Far", "[step02/ray.go](../step02/ray.go#L4)\n\n~go\n// Ray is a half-line.\ntype Ray struct{ T float32 }\n\nfunc (r *Ray) Far() bool { return r.T >= 9 }\n~"},
		{"listing of assembly", "listing file=step02/k_amd64.s decl=k doc=no", "[step02/k_amd64.s](../step02/k_amd64.s#L2)\n\n~asm\nTEXT ·k(SB), 4, $0\n\tRET\n~"},
		{"listing of a paragraph", "listing file=step02/ray.go match=^func", "[step02/ray.go](../step02/ray.go)\n\n~go\nfunc (r *Ray) Far() bool { return r.T >= 9 }\n~"},
		{"listing of another file", "listing file=go.mod", "[go.mod](../go.mod)\n\n~\nmodule raysteps\n\ngo 1.26.0\n~"},
		{"diff of a file", "diff from=step02 to=step01 file=k.go", "~diff\n--- step02/k.go\n+++ step01/k.go\n@@ -1,5 +0,0 @@\n-//go:build amd64\n-\n-package step02\n-\n-func k()\n~"},
		{"report", `run cmd="go build -gcflags=-m ./step01" match=": (inlining|moved)"`, "~text\nstep01/leak.go:4:2: moved to heap: r\nstep01/ray.go:9:38: inlining call to (*Ray).T\n~!`go build -gcflags=-m ./step01`"},
		{"program", `run cmd="go run ./cmd" match="Rays|many"`, "~text\nRays\n  many  2\n~\n\n*" + version + ", any processor*: `go run ./cmd`"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := fill(t, root, tt.call)
			require.NoError(t, err)
			want := strings.NewReplacer("~", "```", "!", "\n\n*"+version+", linux/amd64*: ").Replace(tt.want)
			assert.Equal(t, want, got)
		})
	}
	for call, want := range map[string]string{
		"diff from=2 to=step02":                               "diff: 2 and step02 do not differ there; want two steps, and a file that does",
		`run cmd="go build -gcflags=-m ./step02" match=moved`: "run: nothing matches moved there; want a match that fits",
		`listing file=step02/k.go match=(`:                    "listing: error parsing regexp: missing closing ): `(`",
		"table steps=1 rows=step show=rays/s":                 `table: results "amd-epyc-zen-3": nothing was measured of raysteps/step01 Render`,
	} {
		_, err := fill(t, root, call)
		assert.EqualError(t, err, "docs/a.md:1: "+want)
	}
}

// What another Go said stays, until it is deleted.
func TestAnotherGo(t *testing.T) {
	page := "<!-- raysteps:run cmd=\"go build -gcflags=-m ./step01\" match=moved -->\n\n```text\nmoved around\n```\n\n*go1.25.1, linux/amd64*\n\n<!-- /raysteps -->\n"
	root := module(t, map[string]string{"docs/a.md": page})
	version, _, _ := strings.Cut(runtime.Version(), " ")
	run(t, 0, "docs/a.md keeps what go1.25.1, linux/amd64 printed, since this is "+version+", linux/amd64; there is nothing to do\n", "")
	assert.Equal(t, page, read(t, root, "docs/a.md"))
	write(t, root, map[string]string{"docs/a.md": strings.Replace(page, "*go1.25.1, linux/amd64*\n", "", 1)})
	run(t, 0, "docs/a.md\n", "")
	assert.Contains(t, read(t, root, "docs/a.md"), "moved to heap: r")
}

// measured returns a file of all steps in the three scenes, and of the first one again, in
// so many link orders; each step is a quarter faster than the one before.
func measured(cpu string, orders int, factor float64) string {
	var b strings.Builder
	fmt.Fprintf(&b, "goos: linux\ngoarch: amd64\ncpu: %s\ngoversion: go1.26.8\n", cpu)
	packages := append(steps.Packages(steps.All()), results.NoisePackage)
	for i := range orders * len(packages) {
		order, n := i/len(packages), i%len(packages)
		fmt.Fprintf(&b, "\npkg: %s\nlink-order: %d\n\n", packages[n], order)
		for scene, rate := range map[string]float64{"small": 16e6, "medium": 4e6, "large": 0.5e6} {
			scatter := 1 + 0.0005*float64((7*n+3*order)%11-5)
			fmt.Fprintf(&b, "BenchmarkRender/scene=%s 1 %g rays/s\n", scene, rate*factor*scatter*(1+float64(n%(len(packages)-1))/4))
		}
	}
	return b.String()
}

// The reader's own figures take the place of the published ones where a page wants that, and
// nowhere else; -reset takes all of them out again.
func TestOwnFigures(t *testing.T) {
	const table = `<!-- raysteps:table steps=1,2 rows=/scene cols=step show="rays/s, rays/s over 1 as short" -->` + "\n<!-- /raysteps -->\n\n"
	const step02 = table + table + "<!-- raysteps:table pkg=step03 bench=Calls rows=/calls show=sec/op -->\n<!-- /raysteps -->\n\n" +
		"It is <!-- raysteps:number of=2 over=1 scene=large --><!-- /raysteps --> times as fast.\n\n" +
		`<!-- raysteps:chart file=rates rows=step cols=/scene show=rays/s ytitle="rays" title="Rates" -->` + "\n<!-- /raysteps -->\n"
	root := module(t, map[string]string{
		"README_template.md": `<!-- raysteps:table where=/scene:large steps=2 rows=step,question prefer=own show="rays/s" -->` + "\n<!-- /raysteps -->\n\n" +
			`<!-- raysteps:chart file=speedups rows=step cols=/scene show=rays/s ytitle="rays" title="Rates" prefer=own -->` + "\n<!-- /raysteps -->\n",
		"docs/step02.md":     step02,
		"docs/charts/x.svg":  "",
		"results/abacus.txt": measured("Abacus 9", 16, 1) + "pkg: raysteps/step03\nlink-order: 1\nBenchmarkCalls/calls=1 1 1e-9 sec/op\n",
	})
	run(t, 0, "README.md\ndocs/charts/rates.svg\ndocs/charts/speedups.svg\ndocs/step02.md\n", "")
	pages := func() (all [4]string) {
		for i, name := range []string{"README.md", "docs/step02.md", "docs/charts/rates.svg", "docs/charts/speedups.svg"} {
			all[i] = read(t, root, name)
		}
		return all
	}
	published := pages()
	captions := regexp.MustCompile(`(?m)^\*.*\*$`).FindAllString(published[1], -1)
	assert.Equal(t, []string{"*Abacus 9, linux/amd64, go1.26.8, 16 link orders*", "*Here: 1 link order*"}, captions, "a page says once where its figures were measured")
	assert.Contains(t, published[0], "| step | question | rays/s |\n| ---:|:--- | ---:|\n| 2 | [is a getter free?](docs/step02.md) | 625.1k |\n")
	assert.Contains(t, published[1], "| large | 499.9k | 625.1k | 1.25 |")
	assert.Contains(t, published[1], "scene=large -->1.25<!-- /raysteps --> times")

	write(t, root, map[string]string{"results/local/machine.txt": measured("Quipu 3", 1, 2)})
	run(t, 0, "README.md\ndocs/charts/speedups.svg\nThe figures of results/local/machine.txt stand in the pages, as yours; go run ./scripts/readme -reset takes them out.\n", "")
	readme := read(t, root, "README.md")
	assert.Contains(t, readme, "| 2 | [is a getter free?](docs/step02.md) | 1.251M |\n\n*Yours: Quipu 3", "in place of the published ones")
	assert.NotContains(t, readme, "Abacus")

	run(t, 0, "README.md\ndocs/charts/speedups.svg\n", "", "-reset")
	assert.Equal(t, published, pages())
}

// A question shows our answer and not what was measured; the table shows all of them.
func TestPredictions(t *testing.T) {
	root := module(t, map[string]string{"results/abacus.txt": measured("Abacus 9", 16, 1)})
	got, err := fill(t, root, `predict ask="How fast?" of=2 over=1 scene=large ours=1.50`)
	require.NoError(t, err)
	assert.Equal(t, "- How fast? <details><summary>Our guess</summary><b>1.50</b></details>", got)
	got, err = fill(t, root, `predict ask="How fast?" of=2 over=1 scene=large ours=1.50 argument="It is *small*."`)
	require.NoError(t, err)
	assert.Equal(t, "- How fast? <details><summary>Our guess</summary><b>1.50</b>. It is *small*.</details>", got)
	for call, want := range map[string]string{
		"predict ask=a of=2 over=1 scene=large ours=0": `the answer is "0"; want a number above 0 as ours or as estimate`,
		"predict ask=a of=2 over=1 scene=tiny ours=1":  `results "abacus": nothing was measured of 2 Render/scene=tiny in rays/s over 1 Render/scene=tiny`,
	} {
		_, err := fill(t, root, call)
		assert.EqualError(t, err, "docs/a.md:1: predict: "+want, call)
	}
	write(t, root, map[string]string{
		"docs/step01.md": "<!-- raysteps:predict of=1 over=2 scene=large ask=\"How slow?\" ours=0.80 --><!-- /raysteps -->\n",
		"docs/step02.md": "<!-- raysteps:predict of=2 over=1 scene=large ask=\"How large?\" ours=1.50 -->\n<!-- /raysteps -->\n\n<!-- raysteps:predict of=3 over=1 scene=small ask=\"How small?\" ours=1 -->\n<!-- /raysteps -->\n",
	})
	got, err = fill(t, root, "predictions")
	require.NoError(t, err)
	assert.Equal(t, `| step | question | ours | measured | measured over ours |
| ---:|:--- | ---:| ---:| ---:|
| [2](../docs/step02.md) | How small? | 1 | 1.50 | 1.50 |
| [2](../docs/step02.md) | How large? | 1.50 | 1.25 | 0.83 |
| [1](../docs/step01.md) | How slow? | 0.80 | 0.80 | 1.00 |`, got)
}

func TestHelp(t *testing.T) {
	var stdout strings.Builder
	assert.Zero(t, command.Exec(t.Context(), []string{"-h"}, &stdout, io.Discard))
	all := new(site).directives()
	for name, directive := range all {
		assert.NotEmpty(t, directive.Manual, name)
		assert.NotNil(t, directive.Fill, name)
		assert.Contains(t, stdout.String(), "\n  "+name)
	}
	assert.LessOrEqual(t, len(all), 8)
}

func write(t *testing.T, root string, files map[string]string) {
	for name, text := range files {
		file := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o777))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
	}
}

// What is not as it should be is written, and named; what cannot be written ends the command.
func TestWrite(t *testing.T) {
	s := &site{root: t.TempDir(), files: map[string]string{"a.md": "new", "b.md": "as it was"}}
	require.NoError(t, os.WriteFile(filepath.Join(s.root, "b.md"), []byte("as it was"), 0o666))
	var out strings.Builder
	require.NoError(t, s.write(&cli.Env{Stdout: &out}))
	assert.Equal(t, "a.md\n", out.String())
	s.files["missing/c.md"] = "new"
	assert.ErrorContains(t, s.write(&cli.Env{Stdout: &out}), "is not a folder; want one that exists")
	assert.Equal(t, "a.md\n", out.String())
}

// Each caption says what is of older code.
func TestCaptionOfOlderCode(t *testing.T) {
	s, set := new(site), new(results.Set)
	assert.Equal(t, "\n*Abacus 9, older code: step10, step11 and tree, 2 link orders*\n",
		s.captioned(set, "Abacus 9, older code: step10, step11 and tree, 2 link orders"))
	assert.Equal(t, "\n*Here: older code: step10, step11 and tree*\n",
		s.captioned(set, "Abacus 9, older code: step10, step11 and tree, 2 link orders"))
	assert.Empty(t, s.captioned(set, "Abacus 9, 2 link orders"))
}
