package browsertest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// What a term means shows on hover, on tap and by the keyboard, and goes away.
func TestTerms(t *testing.T) {
	const meaning = `document.querySelector(".meaning")?.textContent || ""`
	for width, theme := range map[int64]string{1280: "light", 390: "dark"} {
		tab := newTab(t, static, width, 844)
		tab.emulate(theme)
		tab.goTo("docs/step10.html")
		tab.until(`document.querySelectorAll("main .term").length > 3`)
		tab.run(chromedp.Focus("main .term"))
		assert.NotEmpty(t, eval[string](tab, meaning))
		assert.Equal(t, "meaning", eval[string](tab, `document.activeElement.getAttribute("aria-describedby")`))
		assert.True(t, eval[bool](tab, `(() => { const r = document.querySelector(".meaning").getBoundingClientRect(); return r.left >= 0 && r.right <= innerWidth; })()`))
		tab.run(chromedp.KeyEvent(kb.Escape))
		assert.Empty(t, eval[string](tab, meaning))
		tab.do(`document.querySelector("main .term").click()`)
		assert.NotEmpty(t, eval[string](tab, meaning))
		tab.do(`document.querySelector("h1").click()`)
		assert.Empty(t, eval[string](tab, meaning))
		tab.do(`document.querySelector("main .term").dispatchEvent(new PointerEvent("pointerover", { bubbles: true }))`)
		assert.NotEmpty(t, eval[string](tab, meaning))
		assert.True(t, eval[bool](tab, noScroll))
	}
}

// The keys turn pages where they do nothing else, and a page that was read to its end is marked.
func TestProgress(t *testing.T) {
	tab := newTab(t, static, 1280, 800)
	tab.goTo("docs/measuring.html")
	assert.Contains(t, eval[string](tab, `document.querySelector(".progress").textContent`), "not yet read")
	tab.do(`document.querySelector(".turn").scrollIntoView()`)
	tab.until(`document.querySelector(".progress").textContent.startsWith("✓ read")`)
	assert.Contains(t, eval[string](tab, `document.querySelector("#contents [aria-current] .marks").textContent`), "read")
	next := eval[string](tab, `document.querySelector(".turn [rel=next]").href`)
	tab.run(chromedp.KeyEvent(kb.ArrowRight))
	tab.until(fmt.Sprintf(`location.href === %q && document.querySelector(".progress") !== null`, next))
	tab.run(chromedp.KeyEvent(kb.ArrowLeft))
	tab.until(`location.pathname === "/docs/measuring.html"`)
	tab.run(chromedp.Focus("#search"), chromedp.KeyEvent(kb.ArrowRight))
	assert.Equal(t, "/docs/measuring.html", eval[string](tab, "location.pathname"))
}

// A listing is copied without prompts and numbers of lines.
func TestCopy(t *testing.T) {
	tab := newTab(t, static, 1280, 800)
	tab.before(`Object.defineProperty(navigator, "clipboard", { value: { writeText: async text => { window.copied = text; } } })`)
	tab.goTo("src/step13/rng.go.html")
	tab.run(chromedp.Focus(".copy"), chromedp.KeyEvent(kb.Enter))
	tab.until(`document.querySelector(".copy").textContent === "Copied"`)
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "step13", "rng.go"))
	require.NoError(t, err)
	assert.Equal(t, string(text), eval[string](tab, "window.copied"))
	tab.goTo("")
	tab.do(`document.querySelector("pre code").textContent = "$ go test\n$ go run .\n"`)
	tab.run(chromedp.Focus(".copy"), chromedp.KeyEvent(kb.Enter))
	tab.until("window.copied !== undefined")
	assert.Equal(t, "go test\ngo run .\n", eval[string](tab, "window.copied"))
}

// axe returns the script of axe-core, in the version of package-lock.json.
func axe(t *testing.T) string {
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skip("not tested: there is no npm, which gets axe-core")
	}
	dir := t.TempDir()
	for _, name := range []string{"package.json", "package-lock.json"} {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), text, 0o666))
	}
	cmd := exec.Command("npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	text, err := os.ReadFile(filepath.Join(dir, "node_modules", "axe-core", "axe.min.js"))
	require.NoError(t, err)
	return string(text)
}

// No rule of axe-core is violated, on pages of each kind, with everything open.
func TestAccessibility(t *testing.T) {
	script := axe(t)
	for i, address := range []string{"", "docs/step04.html", "docs/step10.html", "docs/results.html", "docs/glossary.html", "src/step12/hit_amd64.s.html",
		"diff.html#step09,step10", "charts.html#rates", "race.html", "predictions.html"} {
		for _, width := range []int64{1280, 390} {
			tab := newTab(t, static, width, 844)
			tab.emulate([2]string{"light", "dark"}[(i+int(width))%2])
			tab.before(script)
			tab.goTo(address)
			tab.until(`document.readyState === "complete"`)
			tab.do(`document.querySelector(".predict [data-sign=faster]")?.click(); document.querySelector(".term")?.click()`)
			tab.do(`window.violations = null; axe.run().then(r => { window.violations = r.violations.map(v => v.id + ": " + v.nodes.map(n => n.html.slice(0, 120)).slice(0, 3).join(" | ")).join("\n"); })`)
			tab.until(`window.violations !== null`)
			assert.Empty(t, eval[string](tab, "window.violations"), "%s at %d", address, width)
		}
	}
}
