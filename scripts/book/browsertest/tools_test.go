package browsertest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDifferences(t *testing.T) {
	tab := newTab(t, static, 390, 844)
	tab.goTo("diff.html#step06,step07,world.go")
	tab.until(`document.querySelectorAll(".pair").length === 2`)
	assert.True(t, eval[bool](tab, noScroll))
	rows := eval[int](tab, `document.querySelectorAll(".row").length`)
	tab.run(chromedp.Click("#unfold"))
	assert.Greater(t, eval[int](tab, `document.querySelectorAll(".row").length`), rows)
	// Unfolded, both sides are the files.
	for side, step := range []string{"step06", "step07"} {
		text, err := os.ReadFile(filepath.Join("..", "..", "..", step, "world.go"))
		require.NoError(t, err)
		got := eval[string](tab, fmt.Sprintf(`[...document.querySelectorAll("#file-world\\.go .row > :nth-child(%d) pre")].map(p => p.textContent + "\n").join("")`, side+1))
		assert.Equal(t, string(text), got)
	}
	// What is told by color is told by a sign, too.
	assert.True(t, eval[bool](tab, `[...document.querySelectorAll(".row .old .sign")].every(s => s.textContent === "−")`))
	assert.True(t, eval[bool](tab, `[...document.querySelectorAll(".row .new .sign")].every(s => s.textContent === "+")`))
	assert.Greater(t, eval[int](tab, `document.querySelectorAll(".row .new .sign").length`), 4)
	// Any two, and backward.
	tab.do(`location.hash = "tree,step04"`)
	tab.until(`document.title.startsWith("tree to step04")`)
	assert.Greater(t, eval[int](tab, `document.querySelectorAll(".pair").length`), 2)
}

// Of the files of a step a reader sees those of one target. New ones are folded, and listed on top.
func TestTargets(t *testing.T) {
	tab := newTab(t, static, 390, 844)
	tab.goTo("diff.html#step09,step10")
	const files = `[...document.querySelectorAll(".changes a")].map(a => a.textContent).join()`
	tab.until(`document.querySelectorAll(".pair").length > 3`)
	assert.Contains(t, eval[string](tab, files), "hit_amd64.s")
	assert.NotContains(t, eval[string](tab, files), "hit_arm64.s")
	assert.Zero(t, eval[int](tab, `document.querySelectorAll("#file-hit_amd64\\.s .row").length`))
	assert.Less(t, eval[int](tab, `document.documentElement.scrollHeight`), 8_000)
	tab.run(chromedp.Click(`//ul[@class="changes"]//a[. = "hit_amd64.s"]`))
	tab.until(`document.querySelectorAll("#file-hit_amd64\\.s .row").length > 100`)
	tab.do(`const t = document.getElementById("target"); t.value = "arm64"; t.dispatchEvent(new Event("change"))`)
	tab.until(files + `.includes("hit_arm64.s")`)
	assert.NotContains(t, eval[string](tab, files), "hit_amd64.s")
	tab.goTo("diff.html#step11,step12") // where the choice is kept
	tab.until(files + `.includes("hit_arm64.s")`)
}

func TestCharts(t *testing.T) {
	tab := newTab(t, static, 390, 844)
	tab.goTo("charts.html#rates")
	tab.until(`document.querySelector("#rates svg") !== null`)
	assert.True(t, eval[bool](tab, noScroll))
	const readout = `document.querySelector("#rates .readout").textContent`
	tab.run(chromedp.Focus("#rates svg[role]"), chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowRight))
	assert.Regexp(t, `step 3.* · .*: [0-9.]+[kM]`, eval[string](tab, readout))
	// Without a scene.
	marks := eval[int](tab, `document.querySelectorAll("#rates path.mark").length`)
	tab.run(chromedp.Click(`//details[@id="rates"]//label[contains(., "medium")]/input`))
	assert.Less(t, eval[int](tab, `document.querySelectorAll("#rates path.mark").length`), marks)
}

// Nothing heavy is loaded or drawn before a reader wants it.
func TestLight(t *testing.T) {
	const loaded = `performance.getEntriesByType("resource").map(e => e.name.replace(/.*\//, "")).join()`
	tab := newTab(t, static, 1280, 800)
	tab.goTo("charts.html")
	tab.until(`document.querySelectorAll("details.chart").length > 5`)
	assert.Zero(t, eval[int](tab, `document.querySelectorAll("main svg").length`))
	assert.NotContains(t, eval[string](tab, loaded), "chart-")
	tab.run(chromedp.Click("details.chart summary"))
	tab.until(`document.querySelectorAll("details.chart[open] svg path.mark").length > 5`)
	tab.goTo("")
	tab.until(ready)
	assert.NotContains(t, eval[string](tab, loaded), ".gz")

	// On a narrow screen the chart of a page is drawn with text that can be read.
	narrow := newTab(t, static, 390, 844)
	narrow.goTo("docs/results.html")
	narrow.do(`document.querySelector("p.drawn").nextElementSibling.scrollIntoView()`)
	narrow.until(`document.querySelector(".chart.drawn svg text") !== null`)
	assert.True(t, eval[bool](narrow, `(() => {
		const svg = document.querySelector(".chart.drawn > div > svg[role]");
		return svg.getBoundingClientRect().width / svg.viewBox.baseVal.width > 0.95;
	})()`))
	assert.True(t, eval[bool](narrow, noScroll))
}

const ready = `document.querySelector("#race form")?.hidden === false`

// race runs one of steps 1, 6, 9 and 10 and returns how many times as fast as step 1 each is.
func (b *tab) race(size string) map[string]float64 {
	b.Helper()
	b.goTo("race.html")
	b.until(ready)
	b.do(`const form = document.querySelector("#race form"); form.scene.value = "large"; form.size.value = "` + size + `"; form.onchange()`)
	b.run(chromedp.Click(".live button.main"))
	b.until(`document.querySelectorAll(".outcome tbody tr").length === 4`)
	ratios := map[string]float64{}
	for row := range strings.SplitSeq(eval[string](b, `[...document.querySelectorAll(".outcome tbody tr")].map(r => r.cells[0].textContent + "|" + r.cells[4].textContent).join("\n")`), "\n") {
		name, ratio, _ := strings.Cut(row, "|")
		ratios[name], _ = strconv.ParseFloat(ratio, 64)
	}
	return ratios
}

// The steps render the known bytes in a tab, from the server of the book and from one of
// files, with and without SIMD128, and the picture that is shown is the picture.
func TestRace(t *testing.T) {
	for _, base := range []string{served, static} {
		tab := newTab(t, base, 390, 844)
		if base == static {
			tab.before("WebAssembly.validate = () => false") // as a browser that refuses it
		}
		ratios := tab.race("quick")
		t.Log(ratios)
		assert.Len(t, ratios, 4)
		assert.Equal(t, "the same the same the same the same", eval[string](tab, `[...document.querySelectorAll(".outcome tbody tr")].map(r => r.cells[5].textContent).join(" ")`))
		assert.Equal(t, 4, eval[int](tab, `[...document.querySelectorAll(".lane canvas")].filter(c => c.getContext("2d").getImageData(0, 0, 80, 60).data.every((v, i) => i % 4 < 3 || v === 255)).length`))
		assert.True(t, eval[bool](tab, noScroll))
		// The kernel is that of the toolchain, and the page says which.
		cmd := exec.Command("go", "list", "-f", "{{.GoFiles}}", "simd/archsimd")
		cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOEXPERIMENT=simd")
		files, _ := cmd.Output()
		assert.Equal(t, base == served && strings.Contains(string(files), "ops_wasm.go"), !strings.Contains(eval[string](tab, `document.querySelector(".outcome").textContent`), "plain Go"))
		// The ray of a pixel, by the keyboard.
		tab.run(chromedp.Focus(".lane canvas"), chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.Enter))
		tab.until(`document.querySelectorAll(".path tbody tr").length > 0`)
		tab.until(`document.querySelector(".path h3").getBoundingClientRect().top < innerHeight`)
		assert.Regexp(t, `^1(matte|metal|glass|the sky).*484484, `, eval[string](tab, `document.querySelector(".path tbody tr").textContent`))
		assert.True(t, eval[bool](tab, noScroll))
	}
}

// What a page shows is of the race that was run, whatever is chosen meanwhile.
func TestRaceAsRun(t *testing.T) {
	tab := newTab(t, static, 1280, 800)
	tab.goTo("race.html")
	tab.until(ready)
	tab.do(`document.querySelector("#race form").size.value = "quick"`)
	tab.run(chromedp.Click(".live button.main"))
	assert.True(t, eval[bool](tab, `["scene", "size"].every(n => document.querySelector("#race form")[n].disabled) && document.querySelector(".live button.main").disabled`))
	tab.until(`document.querySelectorAll(".outcome tbody tr").length === 4`)
	tab.do(`const form = document.querySelector("#race form"); form.scene.value = "small"; form.onchange()`)
	tab.run(chromedp.Focus(".lane canvas"), chromedp.KeyEvent(kb.Enter))
	tab.until(`document.querySelector(".path h3")?.textContent.endsWith("in the medium scene")`)
	assert.True(t, eval[bool](tab, `document.querySelector(".path tbody td:nth-child(3)").textContent === "46"`))
	tab.until(`document.querySelector(".path h3").getBoundingClientRect().top < innerHeight`)
}

// Without WebAssembly the picture of a race stays, and the page says so; chapters are
// read as before.
func TestWithoutWebAssembly(t *testing.T) {
	tab := newTab(t, static, 390, 844)
	tab.before("delete window.WebAssembly")
	tab.goTo("race.html")
	tab.until(`document.querySelector(".message").textContent === "This browser cannot run the steps: it lacks WebAssembly, or the means to unpack it."`)
	assert.True(t, eval[bool](tab, `document.querySelector(".replay img").naturalWidth > 100 && document.querySelector("#race form").hidden`))
}
