//go:build browser

package main

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	cdpruntime "github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/common"
	"raysteps/common/film"
	"raysteps/common/scene"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/steps"
	"raysteps/scripts/internal/tracers"
)

// These tests need a Chromium, and so a tag of their own:
// go test -tags browser ./scripts/book

// patience is how long a page may take to come to what is waited for.
const patience = time.Minute

// chromium is one process for all tests, in which each has tabs of its own.
var chromium = sync.OnceValues(func() (context.Context, error) {
	options := chromedp.DefaultExecAllocatorOptions[:]
	if program, err := exec.LookPath("chromium-headless-shell"); err == nil {
		options = append(options, chromedp.ExecPath(program)) // others are found
	}
	if os.Getuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	ctx, _ := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, _ = chromedp.NewContext(ctx)
	return ctx, chromedp.Do(ctx)
})

func TestMain(m *testing.M) {
	status := m.Run()
	if ctx, err := chromium(); err == nil {
		_ = chromedp.Cancel(ctx)
	}
	os.Exit(status)
}

type action = chromedp.Action[chromedp.Void]

// tab is one of the browser, at one address. What its pages complain about fails
// the test.
type tab struct {
	*testing.T
	ctx  context.Context
	base string

	mu         sync.Mutex
	complaints []string
}

func newTab(t *testing.T, base string, width, height int64) *tab {
	browser, err := chromium()
	require.NoError(t, err)
	ctx, cancel := chromedp.NewContext(browser)
	b := &tab{T: t, ctx: ctx, base: base}
	complain := func(text string) {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.complaints = append(b.complaints, text)
	}
	require.NoError(t, chromedp.Do(ctx, chromedp.EmulateViewport(width, height)))
	require.NoError(t, chromedp.Listen(ctx, func(event any) {
		switch e := event.(type) {
		case *cdpruntime.EventExceptionThrown:
			text := e.ExceptionDetails.Text
			if e.ExceptionDetails.Exception != nil {
				text += " " + e.ExceptionDetails.Exception.Description
			}
			complain(text)
		case *cdpruntime.EventConsoleAPICalled:
			complain(fmt.Sprint(e.Type, " to the console"))
		case *log.EventEntryAdded:
			complain(e.Entry.Text + " " + e.Entry.URL)
		}
	}))
	_, err = chromedp.Call(ctx, log.Enable, cdp.Empty{})
	require.NoError(t, err)
	t.Cleanup(func() {
		cancel()
		b.mu.Lock()
		defer b.mu.Unlock()
		assert.Empty(t, b.complaints, "of the page")
	})
	return b
}

func (b *tab) run(actions ...action) {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	require.NoError(b, chromedp.Do(ctx, actions...))
}

func (b *tab) goTo(address string) {
	b.Helper()
	b.run(chromedp.Navigate(b.base + address))
}

// eval runs an expression in the page.
func eval[T any](b *tab, expression string) T {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, patience)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	require.NoError(b, err, expression)
	return v
}

// do runs statements in the page.
func (b *tab) do(statements string) {
	b.Helper()
	eval[bool](b, "(() => {"+statements+"; return true; })()")
}

// until waits for an expression to be true, on this page or the next.
func (b *tab) until(expression string) {
	b.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		// A page that is being left is no failure.
		if ok, err := chromedp.Run(b.ctx, chromedp.Evaluate[bool](expression)); ok && err == nil {
			return
		}
	}
	require.Fail(b, "this was never true: "+expression)
}

// emulate sets the medium, and the theme that the reader prefers.
func (b *tab) emulate(medium, theme string) {
	b.Helper()
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Media: medium, Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}}})
	require.NoError(b, err)
}

// served returns a server of the book and its address.
func served(t *testing.T) (*server, string) {
	s := newServer(opened(t, true))
	srv := httptest.NewServer(s.handler())
	t.Cleanup(srv.Close)
	return s, srv.URL + "/"
}

// noScroll is what a page that fits is: nothing but listings and tables, which have
// scroll bars of their own, is wider than the window.
const noScroll = `document.documentElement.scrollWidth <= innerWidth`

// wide has a line for each listing and table that is wider than the page, when the
// reader sees all of it.
const wide = `(() => {
	document.querySelectorAll(".veiled").forEach(e => e.classList.remove("veiled"));
	document.querySelectorAll("details").forEach(e => e.open = true);
	const over = [...document.querySelectorAll("pre, .table")].filter(e => e.scrollWidth > e.clientWidth);
	return over.map(e => (e.scrollWidth - e.clientWidth) + ": " + e.textContent.trim().replace(/\s+/g, " ").slice(0, 60)).join("\n");
})()`

func TestBrowserPages(t *testing.T) {
	server, base := served(t)
	var all []string
	for _, name := range server.book.pages {
		all = append(all, pageAddress(name))
	}
	all = append(all, "charts.html", "diff.html", "race.html", "predictions.html", "src/index.html", "src/step12/hit_amd64.s.html")
	for _, width := range []int64{1200, 390} {
		tab := newTab(t, base, width, 844)
		for i, address := range all {
			theme := [2]string{"light", "dark"}[i%2]
			tab.emulate("", theme)
			tab.goTo(address)
			assert.True(t, eval[bool](tab, noScroll), "%s fits in %d pixels", address, width)
			if width == 1200 {
				assert.Empty(t, eval[string](tab, wide), address)
			}
			ink := eval[string](tab, `getComputedStyle(document.body).color + getComputedStyle(document.body).backgroundColor`)
			assert.Equal(t, map[string]string{"light": "rgb(31, 35, 40)rgb(255, 255, 255)", "dark": "rgb(217, 221, 227)rgb(22, 24, 28)"}[theme], ink, address)
		}
	}
}

func TestBrowserReading(t *testing.T) {
	_, base := served(t)
	tab := newTab(t, base, 1280, 800)

	// From the first page to a chapter, to the place of its listing and back.
	tab.goTo("")
	tab.run(chromedp.Click(`//nav[@id="contents"]//a[starts-with(., "13: ")]`))
	tab.until(`location.pathname === "/docs/step13.html"`)
	tab.goTo("src/step13/rng.go.html#L7")
	assert.True(t, eval[bool](tab, `document.querySelector(":target") !== null`))

	// The search: by the key, along the results, and to the section.
	tab.goTo("docs/step01.html")
	tab.run(chromedp.KeyEvent("/"))
	assert.Equal(t, "search", eval[string](tab, `document.activeElement.id`))
	tab.do(`document.activeElement.value = ""`) // the driver types a letter even if the page has handled its key
	tab.run(chromedp.KeyEvent("false sharing"))
	tab.until(`document.querySelector("#found a mark") !== null`)
	tab.run(chromedp.KeyEvent(kb.ArrowDown))
	assert.Equal(t, "A", eval[string](tab, `document.activeElement.tagName`))
	tab.run(chromedp.KeyEvent(kb.Enter))
	tab.until(`location.pathname.endsWith(".html") && location.hash.length > 1`)
	tab.run(chromedp.Focus("#search"), chromedp.KeyEvent("xyzzyplugh"))
	tab.until(`document.querySelector("#found p")?.textContent.startsWith("Nothing")`)
	tab.run(chromedp.KeyEvent(kb.Escape))
	assert.True(t, eval[bool](tab, `document.getElementById("found").hidden`))

	// Light and dark, by the button, and kept on the next page.
	tab.emulate("", "light")
	tab.run(chromedp.Click("#theme"))
	tab.goTo("docs/step02.html")
	assert.Equal(t, "dark", eval[string](tab, `document.documentElement.dataset.theme`))
	tab.run(chromedp.Click("#theme"))
	assert.Equal(t, "light", eval[string](tab, `document.documentElement.dataset.theme`))

	// The first stop of the keyboard goes to the text.
	tab.goTo("docs/step03.html")
	tab.run(chromedp.KeyEvent(kb.Tab))
	assert.Equal(t, "To the text", eval[string](tab, `document.activeElement.textContent`))

	// On paper there is the text alone.
	tab.emulate("print", "dark")
	assert.Equal(t, "none none", eval[string](tab, `["header", "#contents"].map(s => getComputedStyle(document.querySelector(s)).display).join(" ")`))

	// On a narrow screen the contents open and close.
	narrow := newTab(t, base, 390, 844)
	narrow.goTo("docs/step05.html")
	const contents = `getComputedStyle(document.getElementById("contents")).display`
	assert.Equal(t, "none", eval[string](narrow, contents))
	narrow.run(chromedp.Click("#menu"))
	assert.Equal(t, "block", eval[string](narrow, contents))
	narrow.run(chromedp.Click(`//nav[@id="contents"]//a[starts-with(., "10: ")]`))
	narrow.until(`location.pathname === "/docs/step10.html"`)
}

// In the static site a chapter shows its result when a prediction is kept, or none is
// wanted, and the page of predictions has them all.
func TestBrowserFiles(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, opened(t, false).write(&cli.Env{Stdout: io.Discard, Stderr: io.Discard}, dir))
	tab := newTab(t, "file://"+filepath.ToSlash(dir)+"/", 390, 844)
	const veiled = `[...document.querySelectorAll(".veiled")].filter(e => e.offsetParent === null).length`
	tab.goTo("docs/step05.html")
	assert.Greater(t, eval[int](tab, veiled), 10, "the prediction and all below it")
	assert.Zero(t, eval[int](tab, `[...document.querySelectorAll("#main img[src*='charts/']")].filter(e => e.offsetParent).length`))
	assert.Contains(t, eval[string](tab, `document.getElementById("main").innerText`), "Your prediction for the large scene: step 5 is")
	tab.do(`document.querySelector(".predict input").value = "1.5"`)
	tab.run(chromedp.Click(`//button[. = "Keep it and read on"]`))
	assert.Equal(t, 0, eval[int](tab, veiled))
	tab.until(`document.querySelector(".predict").textContent !== ""`)
	assert.Regexp(t, `^You predicted 1\.5 times, and it is .*\): [+−]\d+ % \(all predictions\)\.$`, eval[string](tab, `document.querySelector(".predict").textContent`))
	tab.goTo("docs/step06.html")
	tab.run(chromedp.Click(`//button[. = "Read on without"]`))
	assert.Equal(t, 0, eval[int](tab, veiled))
	tab.goTo("docs/step05.html")
	assert.Equal(t, 0, eval[int](tab, veiled), "it is kept")
	tab.goTo("docs/measuring.html")
	assert.Equal(t, 0, eval[int](tab, `document.querySelectorAll(".predict").length`))
	tab.goTo("predictions.html")
	tab.until(`document.querySelectorAll("#predictions tbody tr").length === 16`)
	assert.True(t, eval[bool](tab, noScroll))
	assert.Regexp(t, `^1 of 16 predicted; on average they are off by \d+ %\.$`, eval[string](tab, `document.querySelector("#predictions p").textContent`))
	assert.Regexp(t, `^step 5: structure of arrays1\.5.*\)[+−]\d+ %$`, eval[string](tab, `document.querySelectorAll("#predictions tr")[4].textContent`))
	assert.Regexp(t, `two passes[^%]*\)$`, eval[string](tab, `document.querySelectorAll("#predictions tr")[5].textContent`))
	tab.run(chromedp.Click(`//button[. = "Forget all"]`))
	tab.goTo("docs/step05.html")
	assert.Greater(t, eval[int](tab, veiled), 10)
	tab.do(`location.hash = "verdict"`)
	tab.until(veiled + " === 0") // a link shows what it leads to

	// The rest works from files, too.
	tab.goTo("docs/step07.html")
	tab.run(chromedp.Focus("#search"), chromedp.KeyEvent("bounds checks"))
	tab.until(`document.querySelectorAll("#found a").length > 3`)
	tab.run(chromedp.KeyEvent(kb.Escape))
	tab.run(chromedp.Click(`//main//a[. = "side by side"]`))
	tab.until(`document.querySelectorAll(".pair").length > 1`)
	tab.goTo("charts.html")
	tab.until(`document.querySelector("#speedups circle") !== null`)
	tab.goTo("src/step12/hit.go.html#L20")
	assert.True(t, eval[bool](tab, `document.querySelector(":target") !== null`))
	tab.start("small", 320, 1, "step01", "step13", "wavefront")
	tab.until(`document.getElementById("message").textContent === "Finished."`)
	assert.Equal(t, 3, eval[int](tab, `document.querySelectorAll("#outcome tbody tr").length`))
	assert.Equal(t, "wavefront", eval[string](tab, `document.querySelector(".lane.first h3").textContent.split(":")[0]`))
}

func TestBrowserDifferences(t *testing.T) {
	server, base := served(t)
	tab := newTab(t, base, 390, 844)
	tab.goTo("diff.html#step06,step07,world.go")
	tab.until(`document.querySelectorAll(".pair").length === 2`)
	assert.Equal(t, server.book.heading("docs/step07.md"), eval[string](tab, `document.querySelector("#diff h2").textContent`))
	assert.True(t, eval[bool](tab, noScroll))
	rows := eval[int](tab, `document.querySelectorAll(".row").length`)
	tab.run(chromedp.Click("#unfold"))
	assert.Greater(t, eval[int](tab, `document.querySelectorAll(".row").length`), rows)
	// Unfolded, both sides are the files.
	for side, step := range []string{"step06", "step07"} {
		text, err := os.ReadFile(filepath.Join("..", "..", step, "world.go"))
		require.NoError(t, err)
		got := eval[string](tab, fmt.Sprintf(`[...document.querySelectorAll("#file-world\\.go .row > :nth-child(%d) pre")].map(p => p.textContent + "\n").join("")`, side+1))
		assert.Equal(t, string(text), got)
	}
	// Any two, and backward.
	for _, pair := range []string{"step01,wavefront", "step13,step04", "tree,avx512"} {
		from, to, _ := strings.Cut(pair, ",")
		tab.do(fmt.Sprintf(`location.hash = %q`, pair))
		tab.until(fmt.Sprintf(`document.title.startsWith("%s to %s")`, from, to))
		assert.Greater(t, eval[int](tab, `document.querySelectorAll(".pair").length`), 2)
		assert.True(t, eval[bool](tab, noScroll))
	}
}

func TestBrowserCharts(t *testing.T) {
	_, base := served(t)
	tab := newTab(t, base, 390, 844)
	tab.goTo("charts.html#rates")
	tab.until(`document.querySelector("#rates svg") !== null`)
	assert.True(t, eval[bool](tab, noScroll))
	const readout = `document.querySelector("#rates .readout").textContent`
	tab.run(chromedp.Focus("#rates svg"), chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowRight))
	assert.Regexp(t, `step 3, no interface · .*: [0-9.]+[kM]`, eval[string](tab, readout))
	// By the pointer.
	tab.do(`
		const svg = document.querySelector("#rates svg"), box = svg.getBoundingClientRect();
		svg.dispatchEvent(new PointerEvent("pointermove", { clientX: box.right - 20, clientY: box.top + 20 }))`)
	last := steps.All()[len(steps.All())-1]
	assert.Contains(t, eval[string](tab, readout), last.Title())
	// Without a scene.
	circles := eval[int](tab, `document.querySelectorAll("#rates circle").length`)
	tab.run(chromedp.Click(`//section[@id="rates"]//label[contains(., "medium")]/input`))
	assert.Less(t, eval[int](tab, `document.querySelectorAll("#rates circle").length`), circles)
}

// start begins a race in the page of it.
func (b *tab) start(scene string, width, samples int, names ...string) {
	b.Helper()
	b.goTo("race.html")
	b.until(`document.querySelectorAll("[name=step]:checked").length === 4`)
	b.do(fmt.Sprintf(`
		const form = document.getElementById("race"), wanted = %q.split(" ");
		form.scene.value = %q;
		form.width.value = %d;
		form.samples.value = %d;
		for (const box of form.step) box.checked = wanted.includes(box.value);
		form.onchange();
		form.requestSubmit()`, strings.Join(names, " "), scene, width, samples))
}

func TestBrowserRace(t *testing.T) {
	_, base := served(t)
	tab := newTab(t, base, 1280, 900)
	names := []string{"step04", "step12", "step13", "wavefront"}
	tab.start("medium", 320, 2, names...)
	tab.until(`document.getElementById("message").textContent === "Finished."`)
	assert.Equal(t, 4, eval[int](tab, `document.querySelectorAll("progress").length`))
	assert.Equal(t, 1, eval[int](tab, `document.querySelectorAll(".lane.first").length`))
	assert.Equal(t, 4, eval[int](tab, `document.querySelectorAll("#outcome tbody tr").length`))
	// The picture is that of the step, to the byte.
	f, settings := film.New(320, 180), common.Default()
	settings.Samples = 2
	step, err := steps.Find(names[3])
	require.NoError(t, err)
	tracers.New(step, scene.Medium()).Render(f, settings)
	got := eval[string](tab, `btoa(String.fromCharCode(...document.querySelectorAll("canvas")[3].getContext("2d").getImageData(0, 0, 320, 180).data.subarray(0, 100000)))`)
	assert.True(t, base64.StdEncoding.EncodeToString(f.Image().Pix[:100000]) == got)
	tab = newTab(t, base, 390, 1140)
	tab.start("large", 320, 4, "step01", "step06", "step12", "step13")
	tab.until(`[...document.querySelectorAll("progress")].every(p => p.value > 0.6)`)
	assert.True(t, eval[bool](tab, noScroll))
	tab.run(chromedp.Click("#stop"))
	tab.until(`document.getElementById("message").textContent === "Stopped."`)
}
