// Package browsertest tests the book as its readers have it: in Chromium, from the
// book's own server and as a static site from a plain file server. It is a module of
// its own, so that the tutorial does not need what drives a browser:
//
//	go test -C scripts/book/browsertest -count=1
package browsertest

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/page"
	cdpruntime "github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// patience is how long a page may take to come to what is waited for.
const patience = 3 * time.Minute

// What all tests share: one Chromium, in which each has tabs of its own, the book's
// server, and the site on a plain file server.
var (
	chromium       context.Context
	served, static string // addresses
	site           string // folder
)

func TestMain(m *testing.M) {
	status, err := prepare(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, "browsertest:", err)
		status = 1
	}
	os.Exit(status)
}

func prepare(m *testing.M) (status int, err error) {
	tmp, err := os.MkdirTemp("", "browsertest-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(tmp)
	root, err := filepath.Abs(filepath.Join("..", "..", ".."))
	if err != nil {
		return 0, err
	}
	run := func(name string, args ...string) *exec.Cmd {
		cmd := exec.Command(name, args...)
		cmd.Dir, cmd.Stderr = root, os.Stderr
		cmd.Env = append(os.Environ(), "TMPDIR="+tmp) // of a server that is killed
		return cmd
	}
	book := filepath.Join(tmp, "book")
	site = filepath.Join(tmp, "site")
	if err := run("go", "build", "-o", book, "./scripts/book").Run(); err != nil {
		return 0, fmt.Errorf("building the book: %w", err)
	}
	if err := run(book, "-o", site).Run(); err != nil {
		return 0, fmt.Errorf("writing the site: %w", err)
	}
	files := httptest.NewServer(http.FileServer(http.Dir(site)))
	defer files.Close()
	static = files.URL + "/"
	stop, err := serve(run(book, "-port", "0"))
	if err != nil {
		return 0, err
	}
	defer stop()
	if err := startChromium(); err != nil {
		return 0, err
	}
	defer func() { _ = chromedp.Cancel(chromium) }()
	return m.Run(), nil
}

// serve starts the book's own server, keeps its address, and returns what stops it.
func serve(server *exec.Cmd) (stop func(), err error) {
	out, err := server.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := server.Start(); err != nil {
		return nil, err
	}
	stop = func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if served = regexp.MustCompile(`http://\S+/`).FindString(line); served == "" {
		stop()
		return nil, fmt.Errorf("the server says %q: %w", line, err)
	}
	return stop, nil
}

// startChromium starts the browser of all tests.
func startChromium() error {
	options := chromedp.DefaultExecAllocatorOptions[:]
	for _, name := range []string{"chromium-headless-shell", "chromium"} {
		if program, err := exec.LookPath(name); err == nil {
			options = append(options, chromedp.ExecPath(program)) // others are found
			break
		}
	}
	if os.Getuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	for _, name := range []string{"disable-gpu", "disable-quic", "disable-component-update"} {
		options = append(options, chromedp.Flag(name, true))
	}
	ctx, _ := chromedp.NewExecAllocator(context.Background(), options...)
	chromium, _ = chromedp.NewContext(ctx)
	if err := chromedp.Do(chromium); err != nil {
		return fmt.Errorf("starting Chromium: %w", err)
	}
	return nil
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
	ctx, cancel := chromedp.NewContext(chromium, chromedp.WithNewBrowserContext())
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
	_, err := chromedp.Call(ctx, log.Enable, cdp.Empty{})
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

// emulate sets the theme that the reader prefers.
func (b *tab) emulate(theme string) {
	b.Helper()
	_, err := chromedp.Call(b.ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}, {Name: "prefers-reduced-motion", Value: "reduce"}}})
	require.NoError(b, err)
}

// noScroll is what a page that fits is: nothing but listings and tables, which have
// scroll bars of their own, is wider than the window.
const noScroll = `document.documentElement.scrollWidth <= innerWidth`

// unfit has a line for each thing on a page that is too wide or too small, when the reader sees all
// of it: tables fit in a wide window, text is 44rem wide, code is never below 13 pixels.
const unfit = `(() => {
	document.querySelectorAll(".veiled").forEach(e => e.classList.remove("veiled"));
	document.querySelectorAll("details:not(.chart)").forEach(e => e.open = true);
	const all = s => [...document.querySelectorAll(s)].filter(e => e.offsetParent);
	const over = innerWidth < 1000 ? [] : all(".table").filter(e => e.scrollWidth > e.clientWidth);
	const small = all("main :is(code, pre, textarea)").filter(e => parseFloat(getComputedStyle(e).fontSize) < 13);
	const long = all(".text main > p:not(.place, .drawn)").filter(e => e.clientWidth > 44 * 16);
	const say = what => e => what + ": " + e.textContent.trim().replace(/\s+/g, " ").slice(0, 60);
	return [...over.map(say("wide")), ...small.map(say("small")), ...long.map(say("long"))].join("\n");
})()`

// pages lists the addresses of the static site, but for sources, of which there is one.
func pages(t *testing.T) (all []string) {
	require.NoError(t, filepath.WalkDir(site, func(file string, _ os.DirEntry, err error) error {
		address, _ := filepath.Rel(site, file)
		address = filepath.ToSlash(address)
		if strings.HasSuffix(address, ".html") && (!strings.HasPrefix(address, "src/") || address == "src/index.html" || address == "src/step12/hit_amd64.s.html") {
			all = append(all, address)
		}
		return err
	}))
	return all
}

func TestPages(t *testing.T) {
	all := pages(t)
	assert.Greater(t, len(all), 25)
	for _, width := range []int64{1280, 390} {
		tab := newTab(t, static, width, 844)
		for i, address := range all {
			theme := [2]string{"light", "dark"}[i%2]
			tab.emulate(theme)
			tab.goTo(address)
			assert.True(t, eval[bool](tab, noScroll), "%s fits in %d pixels", address, width)
			assert.Empty(t, eval[string](tab, unfit), address)
			ink := eval[string](tab, `getComputedStyle(document.body).color + getComputedStyle(document.body).backgroundColor`)
			assert.Equal(t, map[string]string{"light": "rgb(31, 35, 40)rgb(255, 255, 255)", "dark": "rgb(217, 221, 227)rgb(22, 24, 28)"}[theme], ink, address)
		}
	}
}

func TestReading(t *testing.T) {
	tab := newTab(t, served, 1280, 800)

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
	tab.run(chromedp.KeyEvent("link orders"))
	tab.until(`document.querySelector("#found a mark") !== null`)
	tab.run(chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.Enter))
	tab.until(`location.pathname.endsWith(".html") && location.hash.length > 1`)

	// Light and dark, by the button, and kept on the next page.
	tab.until(`document.readyState === "complete"`)
	tab.emulate("light")
	tab.run(chromedp.Click("#theme"))
	tab.goTo("docs/step02.html")
	assert.Equal(t, "dark", eval[string](tab, `document.documentElement.dataset.theme`))

	// On a narrow screen the contents open and close.
	narrow := newTab(t, static, 390, 844)
	narrow.goTo("docs/step05.html")
	const contents = `getComputedStyle(document.getElementById("contents")).display`
	assert.Equal(t, "none", eval[string](narrow, contents))
	narrow.run(chromedp.Click("#menu"))
	assert.Equal(t, "block", eval[string](narrow, contents))
	narrow.run(chromedp.Click(`//nav[@id="contents"]//a[starts-with(., "10: ")]`))
	narrow.until(`location.pathname === "/docs/step10.html"`)
}

// before has each page run a script before its own.
func (b *tab) before(script string) {
	b.Helper()
	params := page.AddScriptToEvaluateOnNewDocumentParams{Source: script}
	_, err := chromedp.Call(b.ctx, page.AddScriptToEvaluateOnNewDocument, params)
	require.NoError(b, err)
}
