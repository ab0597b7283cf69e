package browsertest

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

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
// files, and the picture that is shown is the picture.
func TestRace(t *testing.T) {
	for _, base := range []string{served, static} {
		tab := newTab(t, base, 390, 844)
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
		assert.Equal(t, strings.Contains(string(files), "ops_wasm.go"), !strings.Contains(eval[string](tab, `document.querySelector(".outcome").textContent`), "plain Go"))
		// The ray of a pixel, by the keyboard.
		tab.run(chromedp.Focus(".lane canvas"), chromedp.KeyEvent(kb.ArrowDown), chromedp.KeyEvent(kb.Enter))
		tab.until(`document.querySelectorAll(".path tbody tr").length > 0`)
		assert.Regexp(t, `^1(matte|metal|glass|the sky).*484484, `, eval[string](tab, `document.querySelector(".path tbody tr").textContent`))
		assert.True(t, eval[bool](tab, noScroll))
	}
}

// Without WebAssembly the picture of a race stays, and the page says so; chapters are
// read as before.
func TestWithoutWebAssembly(t *testing.T) {
	tab := newTab(t, static, 390, 844)
	_, err := chromedp.Call(tab.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: "delete window.WebAssembly"})
	require.NoError(t, err)
	tab.goTo("race.html")
	tab.until(`document.querySelector(".message").textContent === "This browser cannot run the steps: it lacks WebAssembly, or the means to unpack it."`)
	assert.True(t, eval[bool](tab, `document.querySelector(".replay img").naturalWidth > 100 && document.querySelector("#race form").hidden`))
}

// A chapter veils what follows its question, in the outline too, until it has a number.
// Then its steps can be measured, and all of it is on one page as text.
func TestPredictions(t *testing.T) {
	tab := newTab(t, static, 390, 844)
	const veiled = `document.querySelectorAll("main .veiled").length`
	tab.goTo("docs/step06.html")
	assert.Greater(t, eval[int](tab, veiled), 10)
	assert.Greater(t, eval[int](tab, `document.querySelectorAll("#contents .veiled").length`), 1)
	assert.NotNil(t, eval[bool](tab, `document.querySelector("ul.predict").offsetParent !== null`), "the question stands")
	assert.Zero(t, eval[int](tab, `[...document.querySelectorAll("#main .measure, #main img[src*='charts/']")].filter(e => e.offsetParent).length`))
	tab.run(chromedp.Focus("ul.predict input"), chromedp.KeyEvent("1.5"), chromedp.KeyEvent(kb.Enter))
	tab.until(veiled + " === 0")

	tab.run(chromedp.Click(".measure button"))
	tab.until(`document.querySelector("tr.mine") !== null`)
	row := eval[string](tab, `[...document.querySelector("tr.mine").cells].map(c => c.textContent).join("|")`)
	m := regexp.MustCompile(`^large, your browser\|[\d.]+[kM]\|[\d.]+[kM]\|([\d.]+|~) \(([\d.]+) to ([\d.]+)\)$`).FindStringSubmatch(row)
	require.NotNil(t, m, row)
	t.Log(row)
	tab.goTo("docs/step06.html")
	assert.Equal(t, 0, eval[int](tab, veiled), "it is kept")
	assert.True(t, eval[bool](tab, `document.querySelector("tr.mine") !== null`), "and so is the row")

	tab.goTo("predictions.html")
	tab.until(`document.querySelector("textarea") !== null`)
	text := eval[string](tab, `document.querySelector("textarea").value`)
	assert.Regexp(t, `(?s)^raysteps, .*1 of \d+ predicted.* I said 1\.5, the book .* rays/s, over step05 `, text)
	assert.True(t, eval[bool](tab, noScroll))
	tab.goTo("docs/epilogue.html")
	tab.until(`[...document.querySelectorAll("td.mine")].some(e => e.textContent === "1.5")`)
}
