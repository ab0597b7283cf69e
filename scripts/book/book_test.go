package main

import (
	"bytes"
	"html"
	"io"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/resultstest"
	"raysteps/scripts/internal/steps"
)

func opened(t *testing.T, live bool) *book {
	root, err := cli.ModuleRoot()
	require.NoError(t, err)
	b, err := openBook(root, live)
	require.NoError(t, err)
	return b
}

var (
	linkPattern = regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	idPattern   = regexp.MustCompile(`\bid="?([^ ">]+)`)
)

// Everything can be made and is small enough, every link within the book leads to
// an address that is there, and its fragment to an element.
func TestEntries(t *testing.T) {
	b := opened(t, false)
	texts, ids := map[string][]byte{}, map[string]map[string]bool{}
	size := 0
	var mu sync.Mutex
	var g errgroup.Group
	g.SetLimit(runtime.GOMAXPROCS(0))
	for address, entry := range b.entries {
		g.Go(func() error {
			text, err := entry()
			assert.NotEmpty(t, text, address)
			assert.NotEmpty(t, types[path.Ext(address)], address)
			found := map[string]bool{}
			for _, m := range idPattern.FindAllSubmatch(text, -1) {
				found[string(m[1])] = true
			}
			mu.Lock()
			defer mu.Unlock()
			texts[address], ids[address] = text, found
			size += len(text)
			return err
		})
	}
	require.NoError(t, g.Wait())
	assert.Less(t, size, 10<<20, "the whole site")
	assert.Greater(t, len(b.pages), 25)
	links := 0
	for _, address := range slices.Sorted(maps.Keys(texts)) {
		if path.Ext(address) != ".html" {
			continue
		}
		for _, m := range linkPattern.FindAllSubmatch(texts[address], -1) {
			link, err := url.Parse(html.UnescapeString(string(m[1])))
			require.NoError(t, err, address)
			if link.Scheme != "" {
				continue
			}
			require.False(t, path.IsAbs(link.Path), "%s in %s works on no site in a folder", link, address)
			to := address
			if link.Path != "" {
				to = path.Join(path.Dir(address), link.Path)
			}
			links++
			require.True(t, texts[to] != nil, "%s in %s leads nowhere", link, address)
			if link.Fragment != "" && to != "diff.html" { // whose fragment is a choice
				assert.True(t, ids[to][link.Fragment], "no #%s in %s, for %s", link.Fragment, to, address)
			}
		}
	}
	assert.Greater(t, links, 10_000)
}

func TestPage(t *testing.T) {
	text, err := opened(t, true).page("docs/step12.md")
	require.NoError(t, err)
	for _, want := range []string{
		`<title>Step 12: `,
		`<a href="../docs/step12.html" aria-current="page">12: `,
		`<li><a href="#verdict">Verdict</a></li>`,
		`<h2 id="verdict">Verdict<a href="#verdict" title="link to this heading" class="anchor"></a></h2>`,
		`<b class=k>func</b> `,
		`<a rel="next" href="../docs/step13.html">`,
		`data-live`,
	} {
		assert.True(t, bytes.Contains(text, []byte(want)), want)
	}
	assert.False(t, bytes.Contains(text, []byte(".md\"")), "a link to Markdown")
}

// Links lead to what the book has, and there are more of them.
func TestLinks(t *testing.T) {
	d := parse("docs/x.md", []byte(`
[a](step01.md#verdict) [b](../README.md) [c](../step01) [d](../step01/sphere.go) [e](https://go.dev/#x) [f](#here) ![g](pictures/large.png)

Run `+"`go run ./scripts/diff 3 avx512`"+` and see [h](../common/scene/example.json).

<!-- raysteps:listing file=step01/sphere.go decl=Sphere.Hit doc=no -->

[step01/sphere.go](../step01/sphere.go)

<!-- /raysteps -->

<!-- raysteps:diff from=3 to=4 file=world.go,sphere.go -->

<!-- /raysteps -->

<!-- raysteps:chart kind=rates -->

<!-- /raysteps -->

[step01/sphere.go](../step01/sphere.go)
`))
	text, err := d.html(opened(t, true))
	require.NoError(t, err)
	for _, want := range []string{
		`<a href="../docs/step01.html#verdict">a</a>`,
		`<a href="../index.html">b</a>`,
		`<a href="../src/step01/index.html">c</a>`,
		`<a href="../src/step01/sphere.go.html">d</a>`,
		`<a href="https://go.dev/#x">e</a>`,
		`<a href="#here">f</a>`,
		`<img src="../docs/pictures/large.png" alt="g">`,
		`<a href="../diff.html#step03,avx512"><code>go run ./scripts/diff 3 avx512</code></a> and see <a href="../src/common/scene/example.json.html">h</a>`,
		`<a href="../diff.html#step03,step04,world.go">side by side</a>`,
		`<a href="../charts.html#rates">ask this chart</a>`,
		`<a href="../src/step01/sphere.go.html">step01/sphere.go</a>`,
	} {
		assert.Contains(t, text, want)
	}
	assert.Regexp(t, `<a href="\.\./src/step01/sphere\.go\.html#L\d+">step01/sphere.go</a>`, text)
}

// The fragment of a listing's link is the line of its declaration.
func TestPlaceOfListing(t *testing.T) {
	b := opened(t, true)
	text, err := b.page("docs/step13.md")
	require.NoError(t, err)
	m := regexp.MustCompile(`src/step13/tracer\.go\.html#(L\d+)"`).FindSubmatch(text)
	require.NotNil(t, m)
	source, err := b.sourcePage("step13/tracer.go")
	require.NoError(t, err)
	assert.Contains(t, string(source), "<i id="+string(m[1])+"></i><b class=k>func</b> (t *Tracer) <b class=f>Render</b>(")
}

func TestAnchors(t *testing.T) {
	d := parse("docs/x.md", []byte("# 5. A b: *C*, `d_e`!\n\n## Same\n\n## Same\n\n## [Link](x.md) & ½ `a-b`\n"))
	var ids []string
	for _, h := range d.headings() {
		ids = append(ids, h.ID)
	}
	assert.Equal(t, []string{"5-a-b-c-d_e", "same", "same-1", "link---a-b"}, ids)
	assert.Equal(t, "5. A b: C, d_e!", d.title())
}

func TestSections(t *testing.T) {
	d := parse("docs/x.md", []byte("# Title\n\nFirst *words*\nhere.\n\n<!-- raysteps:steps -->\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n## Part two\n\n- item [link](y.md)\n\n```go\nvar x = 1\n```\n"))
	assert.Equal(t, []section{
		{"docs/x.html", "", "Title", "First words here. a b 1 2"},
		{"docs/x.html", "part-two", "Title: Part two", "item link var x = 1"},
	}, d.sections())
}

func TestHighlight(t *testing.T) {
	for _, tt := range []struct {
		language, text string
		want           []string
	}{
		{"go", "// a < b\nfunc F() string { return \"<\" }\n", []string{`<b class=c>// a &lt; b</b>`, `<b class=k>func</b> <b class=f>F</b>() <b class=t>string</b> { <b class=k>return</b> <b class=s>&#34;&lt;&#34;</b> }`}},
		{"asm", "TEXT ·run(SB), NOSPLIT, $0-8 // end\n\tVMOVUPS (SI), Y0\nloop:\n", []string{
			`<b class=k>TEXT</b> <b class=f>·run</b>(<b class=t>SB</b>), <b class=k>NOSPLIT</b>, <b class=n>$0-8</b> <b class=c>// end</b>`,
			"\t<b class=k>VMOVUPS</b> (<b class=t>SI</b>), <b class=t>Y0</b>", `<b class=f>loop:</b>`}},
		{"diff", "@@ -1 +1 @@\n-old\n+new\n same\n", []string{`<b class=h>@@ -1 +1 @@</b>`, `<b class=del>-old</b>`, `<b class=ins>+new</b>`, ` same`}},
		{"", "<a>\n\nb", []string{"&lt;a&gt;", "", "b"}},
	} {
		assert.Equal(t, tt.want, highlight(tt.language, tt.text), tt.language)
	}
}

// However a file is colored, its text stays.
func TestHighlightKeepsText(t *testing.T) {
	tags := regexp.MustCompile(`</?b[^>]*>`)
	files, err := filepath.Glob("../../step1*/*")
	require.NoError(t, err)
	require.Greater(t, len(files), 20)
	for _, file := range files {
		if !isSource(file) {
			continue
		}
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		lines := highlight(languageOf(file), string(text))
		got := html.UnescapeString(tags.ReplaceAllString(strings.Join(lines, "\n"), ""))
		require.Equal(t, strings.TrimSuffix(string(text), "\n"), got, file)
	}
}

// clone makes a small one, with measurements of the reader's own.
func clone(t *testing.T) string {
	root := t.TempDir()
	write := func(name, text string) {
		file := filepath.Join(root, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o777))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
	}
	write("README.md", "# raysteps\n")
	render := func(rate float64, scene string, n int) []resultstest.Benchmark {
		var all []resultstest.Benchmark
		for i, step := range steps.All()[:n] {
			all = append(all, resultstest.Benchmark{Package: step.Package(), Name: "Render/scene=" + scene, Values: map[string]float64{"rays/s": rate * float64(i+1)}})
		}
		return all
	}
	write("results/abacus.txt", resultstest.File{}.Text(render(1e6, "large", 3)...))
	write("results/published", "steps: abacus.txt\n")
	write("results/old.txt", "BenchmarkRender 1 5 rays/s\n")
	write("results/local/mine.txt", resultstest.File{Machine: resultstest.Quipu, Orders: 1, Launches: 1}.Text(render(3e6, "large", 3)...))
	sweep := func(workers int, rate float64) resultstest.Benchmark {
		key := results.SweepKey("raysteps/step13", "small", 32, workers)
		return resultstest.Benchmark{Package: key.Package, Name: key.Name, Values: map[string]float64{"rays/s": rate}}
	}
	write("results/local/sweep.txt", resultstest.File{}.Text(sweep(1, 1e6), sweep(4, 3e6)))
	spheres := resultstest.Benchmark{Package: "raysteps/step04", Name: "Render/spheres=100", Values: map[string]float64{"rays/s": 7e5}}
	write("results/local/spheres.txt", resultstest.File{}.Text(spheres))
	bench := func(key results.Key, values map[string]float64) resultstest.Benchmark {
		return resultstest.Benchmark{Package: key.Package, Name: key.Name, Values: values}
	}
	write("results/local/experiments.txt", resultstest.File{}.Text(
		bench(results.PeakKey("fma", 256), map[string]float64{"flop/s": 1e11}),
		bench(results.PeakKey("load", 256), map[string]float64{"B/s": 2e11}),
		bench(results.KernelKey("raysteps/step12", "avx2", 484), map[string]float64{"flop/s": 5e10, "ns/sphere": 0.32})))
	return root
}

// A reader's own measurements stand beside the published ones, in all charts.
func TestCharts(t *testing.T) {
	b, err := openBook(clone(t), true)
	require.NoError(t, err)
	files, err := b.measurements(results.OfSteps)
	require.NoError(t, err)
	require.Len(t, files, 2)
	assert.True(t, files[0].Published)
	assert.Equal(t, "Abacus 9", files[0].Name)
	assert.True(t, files[1].Local)
	assert.Regexp(t, "^yours, ", files[1].Name)

	text, err := b.chartsData()
	require.NoError(t, err)
	for _, c := range charts {
		set := files[0].set
		if c.kind != results.OfSteps {
			others, err := b.measurements(c.kind)
			require.NoError(t, err)
			require.Len(t, others, 1, c.ID)
			set = others[0].set
		}
		lines, err := c.lines(set)
		require.NoError(t, err, c.ID)
		require.NotEmpty(t, lines, c.ID)
		assert.Contains(t, string(text), lines[0].Points[0].Text)
	}
	lines, err := speedups(files[0].set)
	require.NoError(t, err)
	require.Len(t, lines[0].Points, 3)
	last := lines[0].Points[2]
	assert.InDelta(t, 3, last.Center, 0.02)
	assert.Less(t, last.Lo, last.Center)
	assert.Less(t, last.Center, last.Hi)
	assert.Equal(t, "step 3, no interface in the hit loop", last.Label)

	lines, err = rates(files[1].set)
	require.NoError(t, err)
	assert.Equal(t, lines[0].Points[0].Lo, lines[0].Points[0].Hi, "one link order has no interval")

	roofs, err := b.measurements(results.OfExperiments)
	require.NoError(t, err)
	lines, err = roofline(roofs[0].set)
	require.NoError(t, err)
	require.Len(t, lines, 2)
	assert.InEpsilon(t, 0.5, lines[0].Points[0].X, 0.02, "the corner")
	assert.InEpsilon(t, 1, lines[1].Points[0].X, 0.05, "5e10 flop/s at 0.32 ns for 16 bytes")

	page, err := b.chartsPage()
	require.NoError(t, err)
	assert.Equal(t, 7, bytes.Count(page, []byte("<details>")), "a table for each file and chart")
	assert.Contains(t, string(page), "999.8k ± 0.1%")
}

func TestWrite(t *testing.T) {
	root := clone(t)
	run := func(args ...string) (int, string) {
		t.Chdir(root)
		var stderr bytes.Buffer
		status := command.Exec(t.Context(), args, io.Discard, &stderr)
		return status, stderr.String()
	}
	require.NoError(t, os.WriteFile(filepath.Join(root, "go.mod"), []byte("module raysteps\n"), 0o666))
	for _, step := range steps.All() { // the site has their sources
		folder := filepath.Join(root, filepath.FromSlash(step.Folder()))
		require.NoError(t, os.MkdirAll(folder, 0o777))
		require.NoError(t, os.WriteFile(filepath.Join(folder, "doc.go"), []byte("package "+step.Name+"\n"), 0o666))
		require.NoError(t, os.MkdirAll(filepath.Join(root, "docs"), 0o777))
		require.NoError(t, os.WriteFile(filepath.Join(root, "docs", step.Name+".md"), []byte("# "+step.Title()+"\n"), 0o666))
	}
	dir := filepath.Join(t.TempDir(), "new", "site")
	for range 2 { // into a new folder, and into one that it wrote
		status, stderr := run("-o", dir)
		assert.Equal(t, 0, status, stderr)
	}
	assert.FileExists(t, filepath.Join(dir, "docs", "step04.html"))
	page, err := os.ReadFile(filepath.Join(dir, "race.html"))
	require.NoError(t, err)
	assert.NotContains(t, string(page), "data-live")
	left, err := fs.Glob(os.DirFS(dir), ".raysteps*")
	require.NoError(t, err)
	assert.Empty(t, left)

	other := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(other, "letter.txt"), []byte("dear"), 0o666))
	status, stderr := run("-o", other)
	assert.Equal(t, 2, status)
	assert.Regexp(t, `^book: -o ".*": holds other files; want an empty folder, a new one, or one that this command wrote\n$`, stderr)

	letter := filepath.Join(other, "letter.txt")
	for _, dir := range []string{letter, filepath.Join(letter, "site")} {
		status, stderr := run("-o", dir)
		assert.Equal(t, 2, status)
		assert.Regexp(t, `^book: -o ".*": .*; want a folder, an empty or a new one\n$`, stderr)
	}

	for _, args := range [][]string{{"-port", "99999"}, {"-port", "-1"}, {"chapter"}} {
		status, stderr := run(args...)
		assert.Equal(t, 2, status, args)
		assert.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
	}
}
