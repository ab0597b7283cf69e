package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/steps"
)

func opened(t *testing.T) *book {
	t.Helper()
	b, err := theBook()
	require.NoError(t, err)
	return b
}

var theBook = sync.OnceValues(func() (*book, error) {
	root, err := cli.ModuleRoot()
	if err != nil {
		return nil, err
	}
	return openBook(root)
})

var (
	linkPattern = regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	idPattern   = regexp.MustCompile(`\bid="?([^ ">]+)`)
)

func execute(t *testing.T, args ...string) (status int, stderr string) {
	var out bytes.Buffer
	status = command.Exec(t.Context(), args, io.Discard, &out)
	return status, out.String()
}

// The whole site is written into a new folder. It is small, with the program of a tab, and
// every link within it leads to a file that is there, and its fragment to an element.
func TestSite(t *testing.T) {
	if testing.Short() {
		t.Skip("not tested with -short: builds programs")
	}
	dir := filepath.Join(t.TempDir(), "site")
	status, stderr := execute(t, "-o", dir)
	require.Equal(t, cli.ExitOK, status, stderr)
	texts, ids, size := map[string][]byte{}, map[string]map[string]bool{}, 0
	for address := range opened(t).entries {
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(address)))
		require.NoError(t, err)
		assert.NotEmpty(t, text, address)
		assert.NotEmpty(t, types[path.Ext(address)], address)
		found := map[string]bool{}
		for _, m := range idPattern.FindAllSubmatch(text, -1) {
			found[string(m[1])] = true
		}
		texts[address], ids[address] = text, found
		size += len(text)
	}
	assert.LessOrEqual(t, size, 8<<20, "bytes of the whole site")
	assert.Equal(t, "\x00asm", string(unpacked(t, texts["assets/plain.wasm.gz"])[:4]))

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
	assert.Greater(t, links, 6_000)
}

// A site is written into one that was written before, if in part, and over nothing else. One that
// fails, or is interrupted, is said to, and leaves no new folder.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	b := small()
	b.entries[mark] = b.entries["index.html"]
	broken := errors.New("no figures")
	for i, want := range []error{broken, context.Canceled, nil, nil, broken, context.Canceled, nil} {
		ctx, cancel := context.WithCancel(t.Context())
		b.entries["charts.html"] = func() ([]byte, error) {
			if i > 2 {
				assert.FileExists(t, filepath.Join(dir, "site", mark))
			}
			if want == context.Canceled {
				cancel()
				return nil, nil
			}
			return nil, want
		}
		env := &cli.Env{Stdout: io.Discard, Stderr: io.Discard}
		require.ErrorIs(t, b.write(ctx, env, filepath.Join(dir, "site")), want)
		cancel()
		entries, err := os.ReadDir(dir)
		require.NoError(t, err)
		assert.Len(t, entries, map[bool]int{true: 1}[i >= 2], "a folder that is complete, or none")
	}
	assert.FileExists(t, filepath.Join(dir, "site", "index.html"))
	letter := filepath.Join(dir, "letter.txt")
	require.NoError(t, os.WriteFile(letter, []byte("dear"), 0o666))
	foreign := filepath.Join(dir, "foreign")
	require.NoError(t, os.Mkdir(foreign, 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(foreign, "letter.txt"), []byte("dear"), 0o666))
	for _, args := range [][]string{
		{"-o", dir}, {"-o", foreign}, {"-o", letter}, {"-o", filepath.Join(dir, "no", "site")},
		{"-o", filepath.Join(letter, "site")}, {"-o", "a\x00b/site"}, {"-port", "99999"}, {"-port", "-1"}, {"chapter"},
	} {
		status, stderr := execute(t, args...)
		assert.Equal(t, cli.ExitMisuse, status, args)
		assert.Equal(t, 1, strings.Count(stderr, "\n"), stderr)
	}
}

// The side bar has the chapters in their acts.
func TestPage(t *testing.T) {
	text, err := opened(t).page("docs/step12.md")
	require.NoError(t, err)
	for _, want := range []string{
		"<h2>Act II, Clearing the loop</h2>\n<ul>\n<li><a href=\"../docs/step06.html\">", "<h2>Beyond</h2>\n<ul>\n<li><a href=\"../docs/avx512.html\">",
		`<title>Step 12: `, `<a href="../docs/step12.html" aria-current="page">12: `, `<a rel="next" href="../docs/step13.html">`,
	} {
		assert.Contains(t, string(text), want)
	}
	assert.NotContains(t, string(text), ".md\"", "a link to Markdown")

	d := parse("docs/x.md", []byte("# A\n\n## B c\n\n```diff\n--- a/b.go\n-\tx\n```\n"))
	assert.Equal(t, []section{{ID: "b-c", Title: "B c"}}, d.outline())
	made, err := d.html(opened(t))
	require.NoError(t, err)
	assert.Contains(t, string(made), `<h2 id="b-c">B c<a href="#b-c" title="link to this heading" class="anchor"></a></h2>`)
	assert.Contains(t, string(made), "<b class=h>--- a/b.go</b>\n<b class=del><i>-</i>\tx</b>")
}

// Links lead to what the book has, and there are more of them.
func TestLinks(t *testing.T) {
	d := parse("docs/x.md", []byte(`
[a](step01.md#verdict) [b](../README.md) [c](../step01) [d](../step01/sphere.go) [e](https://go.dev/#x) [f](#here) ![g](pictures/medium.png)

Run `+"`go run ./scripts/diff 3 avx512`"+` and see [h](../common/scene/example.json).

[step01/sphere.go](../step01/sphere.go#L12)

<!-- raysteps:diff from=3 to=4 file=world.go,sphere.go -->

<!-- /raysteps -->

<!-- raysteps:chart file=rates -->

<!-- /raysteps -->
`))
	made, err := d.html(opened(t))
	require.NoError(t, err)
	text := string(made)
	for _, want := range []string{
		`<a href="../docs/step01.html#verdict">a</a>`,
		`<a href="../index.html">b</a>`,
		`<a href="../src/step01/index.html">c</a>`,
		`<a href="../src/step01/sphere.go.html">d</a>`,
		`<a href="https://go.dev/#x">e</a>`,
		`<a href="#here">f</a>`,
		`<img src="../docs/pictures/medium.png" alt="g">`,
		`<a href="../diff.html#step03,avx512"><code>go run ./scripts/diff 3 avx512</code></a> and see <a href="../src/common/scene/example.json.html">h</a>`,
		`<a href="../diff.html#step03,step04,world.go">side by side</a>`,
		`<a href="../charts.html#rates">choose machines and steps in this chart</a>`,
		`<a href="../src/step01/sphere.go.html#L12">step01/sphere.go</a>`,
	} {
		assert.Contains(t, text, want)
	}
}

// A number and its unit stay on a line, in text alone; the line under a title is short.
func TestTypography(t *testing.T) {
	d := parse("docs/x.md", []byte("# A\n\n*Act I, B* · [Contents](../README.md#c) · package `x` · before: [a](step01.md) · next: [b](step02.md)\n\n"+
		"It took 33.1 s, 5 % of 12 spheres, at 3 ns, `4 s` and 2 sides.\n\n```\n1 s\n```\n"))
	made, err := d.html(opened(t))
	require.NoError(t, err)
	assert.Contains(t, string(made), "<p class=\"under\"><em>Act I, B</em> · package <code>x</code></p>")
	assert.Contains(t, string(made), "took 33.1\u00a0s, 5\u00a0% of 12 spheres, at 3\u00a0ns, <code>4 s</code> and 2 sides")
	assert.Contains(t, string(made), ">1 s</code></pre>")
	assert.Equal(t, `<th>a</th><td align="right"></td>`, headed(`<th>a</th><th align="right"></th>`))
}

// What is behind a question is not found before it has an answer, and what is folded never is.
func TestVeiledSections(t *testing.T) {
	d := parse("docs/x.md", []byte("# T\n\n## Q\n\n<!-- raysteps:predict ask=\"How fast?\" ours=2 -->\n\n"+
		"- How fast? <details><summary>Our guess</summary><b>2</b></details>\n\n<!-- /raysteps -->\n\n### R\n\nr\n\n## S\n\ns\n\n### U\n\nu\n"))
	all := d.sections()
	require.Len(t, all, 5)
	key := []string{"docs/x.md: How fast?"}
	assert.Equal(t, section{"docs/x.html", "q", "T: Q", "How fast?", nil}, all[1])
	assert.Equal(t, [][]string{nil, key, key}, [][]string{all[2].Asked, all[3].Asked, all[4].Asked})
}

// Terms have their forms and links that begin at the root; what a word of Go means is no term.
func TestTerms(t *testing.T) {
	all, err := opened(t).terms()
	require.NoError(t, err)
	forms := map[string]string{}
	for _, term := range all {
		for _, name := range term.Names {
			forms[name] = string(term.Meaning)
		}
	}
	assert.Equal(t, forms["Cache"], forms["cache line"])
	assert.Contains(t, forms["SIMD"], `<a href="docs/step10.html">`)
	assert.NotContains(t, forms, "Slice")
}

// A difference has the files of each target, and lines as they are in the files.
func TestTargets(t *testing.T) {
	b := opened(t)
	nine, err := steps.Find("step09")
	require.NoError(t, err)
	ten, err := steps.Find("step10")
	require.NoError(t, err)
	d, err := b.difference(nine, ten)
	require.NoError(t, err)
	of := map[string][]string{}
	for _, f := range d.Files {
		of[f.Name] = f.For
	}
	assert.Equal(t, []string{"amd64"}, of["hit_amd64.s"])
	assert.Equal(t, []string{"arm64"}, of["hit_arm64.s"])
	assert.Equal(t, []string{"wasm"}, of["hit_wasm.go"])
	require.Contains(t, of, "world.go")
	assert.Nil(t, of["world.go"], "of all")
	assert.Equal(t, "===5-12+=", short("===-----++++++++++++="))

	var at int
	all := steps.All()
	for at = range all {
		if all[at].Name == "step04" {
			break
		}
	}
	text, err := b.filesData(all[:at+1])
	require.NoError(t, err)
	assert.Contains(t, string(text), `"camera.go":"step0`, "the same as an earlier step's")
	assert.Contains(t, string(text), `"world.go":["<b class=k>package</b> step04"`)
}

// The fragment of a line is its number, from 1.
func TestLines(t *testing.T) {
	b := opened(t)
	made, err := b.sourcePage("step01/sphere.go")
	require.NoError(t, err)
	assert.Contains(t, string(made), `<code><i id=L1></i><b class=k>package</b> step01`)
	assert.NotContains(t, string(made), "id=L0>")
}

func TestSections(t *testing.T) {
	d := parse("docs/x.md", []byte("# Title\n\nFirst *words*\nhere.\n\n<!-- raysteps:steps -->\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n## 2. Part *two*: `a-b`!\n\n## Same\n\n## Same\n\n- item [link](y.md)\n\n```go\nvar x = 1\n```\n"))
	assert.Equal(t, []section{
		{"docs/x.html", "", "Title", "First words here. a b 1 2", nil},
		{"docs/x.html", "2-part-two-a-b", "Title: 2. Part two: a-b!", "", nil},
		{"docs/x.html", "same", "Title: Same", "", nil},
		{"docs/x.html", "same-1", "Title: Same", "item link var x = 1", nil},
	}, d.sections())
}

func TestHighlight(t *testing.T) {
	for _, tt := range []struct {
		language, text string
		want           []string
	}{
		{"go", "// a < b\nfunc F() string { return \"<\" }\n", []string{`<b class=c>// a &lt; b</b>`, `<b class=k>func</b> <b class=f>F</b>() <b class=t>string</b> { <b class=k>return</b> <b class=s>&#34;&lt;&#34;</b> }`}},
		{"asm", "#include \"textflag.h\"\nTEXT ·run(SB), NOSPLIT, $0-8 // end\n\tVMOVUPS (SI), Y0\nloop:\n", []string{
			`<b class=t>#include &#34;textflag.h&#34;</b>`,
			`<b class=k>TEXT</b> <b class=f>·run</b>(<b class=t>SB</b>), <b class=k>NOSPLIT</b>, <b class=n>$0-8</b> <b class=c>// end</b>`,
			"\t<b class=k>VMOVUPS</b> (<b class=t>SI</b>), <b class=t>Y0</b>", `<b class=f>loop:</b>`}},
		{"", "<a>\n\nb", []string{"&lt;a&gt;", "", "b"}},
	} {
		assert.Equal(t, tt.want, highlight(tt.language, tt.text), tt.language)
	}
}

// However a file is colored, its text stays.
func TestHighlightKeepsText(t *testing.T) {
	for _, file := range []string{"../../step12/hit_amd64.s", "../../step12/hit_arm64.s", "../../step13/tracer.go", "../../soagen/testdata/example/particle.go"} {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		lines := strings.Join(highlight(languageOf(file), string(text)), "\n")
		got := html.UnescapeString(regexp.MustCompile(`</?b[^>]*>`).ReplaceAllString(lines, ""))
		assert.Equal(t, strings.TrimSuffix(string(text), "\n"), got, file)
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
	write("README.md", "# raysteps\n\n"+
		`<!-- raysteps:chart file=speedups rows=step cols=/scene show="rays/s over 1" title="Speed of each step against step 1" -->`+"\n\n<!-- /raysteps -->\n\n"+
		`<!-- raysteps:chart file=spheres rows=/spheres cols=step show=rays/s title="Spheres" -->`+"\n\n<!-- /raysteps -->\n")
	measured := func(orders int) string {
		text := "cpu-generation: Counting House\n"
		for i := range orders * len(steps.All()) {
			order, n := i/len(steps.All()), i%len(steps.All())
			rate := 1e6 * (1 + float64(n)/4) * (1 + 0.001*float64((7*n+3*order)%11))
			text += fmt.Sprintf("pkg: %s\nlink-order: %d\nBenchmarkRender/scene=large 1 %g rays/s\n", steps.All()[n].Package(), order, rate)
		}
		return text
	}
	write("lab/passes/world.go", "package passes\n") // which is the reader's alone
	write("results/abacus.txt", measured(16))
	write("results/local/machine.txt", measured(1))
	return root
}

// The charts are those of the pages. A reader's own measurements stand in them beside
// the published ones.
func TestCharts(t *testing.T) {
	b, err := openBook(clone(t))
	require.NoError(t, err)
	assert.NotContains(t, b.entries, "src/lab/passes/world.go.html")
	all, err := b.charts()
	require.NoError(t, err)
	require.Len(t, all, 2)
	assert.Equal(t, []string{"speedups", "Speed of each step against step 1"}, []string{all[0].ID, all[0].Title})
	require.Len(t, all[0].Machines, 2)
	assert.Equal(t, "abacus", all[0].Machines[0].Name)
	assert.Equal(t, "yours", all[0].Machines[1].Name)
	last := all[0].Machines[0].Figure.Series[0].Points[2]
	assert.InDelta(t, 1.5, last.Center, 0.02)
	assert.Less(t, last.Lo, last.Center)
	assert.Less(t, last.Center, last.Hi)
	assert.Equal(t, "step 3, no interface in the loop", last.Label)
	last = all[0].Machines[1].Figure.Series[0].Points[2]
	assert.Equal(t, last.Center, last.Hi, "one link order has no interval")
	assert.Empty(t, all[1].Machines)

	page, err := b.chartsPage()
	require.NoError(t, err)
	assert.Equal(t, 2, bytes.Count(page, []byte("<details>")), "a table for each machine and chart")
	assert.Equal(t, 2, bytes.Count(page, []byte(`<details class="chart"`)), "closed")
	assert.Contains(t, string(page), "Nothing of this kind has been measured.")
	index, err := b.page("README.md")
	require.NoError(t, err)
	assert.Contains(t, string(index), `<a href="charts.html#speedups">choose machines and steps in this chart</a>`)
}

func TestLoopback(t *testing.T) {
	for _, host := range []string{
		"127.0.0.1:8013", "localhost:8013", "localhost", "[::1]:8013", "[::1]", "127.0.0.1:9999",
	} {
		assert.True(t, loopback(host), host)
	}
	for _, host := range []string{
		"evil.example:8013", "evil.example", "evillocalhost", "evillocalhost:8013", "evil.localhost", "localhost.",
		"localhost.evil.example:8013", "127.0.0.1.evil.example:8013", "127.0.0.1@evil.example",
		"192.168.1.7:8013", "0.0.0.0:8013", "", ":8013", "localhost:8013:1", "2130706433",
	} {
		assert.False(t, loopback(host), host)
	}
}

// small is a book of one page.
func small() *book {
	index := func() ([]byte, error) { return []byte("<p>one"), nil }
	return &book{ctx: context.Background(), entries: map[string]entry{"index.html": index}}
}

func TestRequests(t *testing.T) {
	for _, tt := range []struct {
		name, method, path, host string
		want                     int
	}{
		{"the page", "GET", "/", "localhost", 200},
		{"another page", "GET", "/other.html", "localhost", 404},
		{"a file of the clone", "GET", "/go.mod", "localhost", 404},
		{"a path upward", "GET", "/../../etc/passwd", "localhost", 307}, // to the path without dots
		{"encoded", "GET", "/%2e%2e/%2e%2e/etc/passwd", "localhost", 404},
		{"another host", "GET", "/", "evil.example", 421},
		{"a message", "POST", "/", "localhost", 405},
	} {
		r := httptest.NewRequest(tt.method, "http://"+tt.host+tt.path, nil)
		answer := httptest.NewRecorder()
		small().handler().ServeHTTP(answer, r)
		h, text := answer.Header(), answer.Body.String()
		assert.Equal(t, tt.want, answer.Code, "%s: %s", tt.name, text)
		if tt.want == 200 {
			assert.Equal(t, "text/html; charset=utf-8", h.Get("Content-Type"))
			assert.Equal(t, "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; connect-src 'self'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'", h.Get("Content-Security-Policy"))
			assert.Equal(t, []string{"nosniff", "no-referrer", "same-origin", "no-cache"}, []string{h.Get("X-Content-Type-Options"), h.Get("Referrer-Policy"), h.Get("Cross-Origin-Resource-Policy"), h.Get("Cache-Control")})
		} else {
			assert.NotContains(t, text, "<p>one")
		}
	}
}

// The command says where the book is, and ends when it is interrupted.
func TestCommand(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	stdout, out := io.Pipe()
	var stderr bytes.Buffer
	ended := make(chan int)
	go func() { ended <- command.Exec(ctx, []string{"-port", "0"}, out, &stderr) }()
	line, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err)
	m := regexp.MustCompile(`(http://127\.0\.0\.1:(\d+))/`).FindStringSubmatch(line)
	require.NotNil(t, m, line)
	answer, err := http.Get(m[1])
	require.NoError(t, err)
	answer.Body.Close()
	assert.Equal(t, 200, answer.StatusCode)

	var second bytes.Buffer
	assert.Equal(t, cli.ExitFailure, command.Exec(t.Context(), []string{"-port", m[2]}, io.Discard, &second))
	assert.Contains(t, second.String(), "port "+m[2])

	cancel()
	assert.Equal(t, cli.ExitOK, <-ended)
	assert.Empty(t, stderr.String())
}

// What a directive says is the value of an attribute as it was written, whatever it holds.
func TestAttributes(t *testing.T) {
	const value = `a"b<c&d>'e`
	text := "# Title\n\n<!-- raysteps:predict of=4 ask=\"" + strings.ReplaceAll(value, `"`, `\"`) + "\" -->\n\nOne.\n\n<!-- /raysteps -->\n\n" +
		"<!-- raysteps:chart file=\"" + strings.ReplaceAll(value, `"`, `\"`) + "\" -->\n\nTwo.\n\n<!-- /raysteps -->\n\n" +
		"<!-- raysteps:diff from=3 to=4 file=\"" + strings.ReplaceAll(value, `"`, `\"`) + "\" -->\n\nThree.\n\n<!-- /raysteps -->\n"
	text += "\n```" + value + "\nfour\n```\n"
	body, err := parse("docs/page.md", []byte(text)).html(small())
	require.NoError(t, err)
	for attribute, want := range map[string]string{
		"data-key": "docs/page.md: " + value, `href="../charts.html`: "#" + value, `href="../diff.html`: "#step03,step04," + value, `code class`: value,
	} {
		m := regexp.MustCompile(attribute + `(?:=")?([^"]*)"`).FindStringSubmatch(string(body))
		require.NotNil(t, m, "%s: %s", attribute, body)
		assert.NotContains(t, m[1], "<", attribute)
		assert.Equal(t, want, html.UnescapeString(m[1]), attribute)
	}
}

// unpacked returns what a file of gzip holds.
func unpacked(t *testing.T, packed []byte) []byte {
	reader, err := gzip.NewReader(bytes.NewReader(packed))
	require.NoError(t, err)
	text, err := io.ReadAll(reader)
	require.NoError(t, err)
	return text
}
