package browsertest

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	veiled = `document.querySelectorAll("main .veiled").length`
	said   = `document.querySelector(".predict .said").textContent`
	kept   = `JSON.stringify(Object.values(JSON.parse(localStorage.answers || "{}")))`
)

// choose presses a button of the first question by the keyboard, and writes a number.
func (b *tab) choose(sign, number string) {
	b.Helper()
	b.chooseIn(".predict", sign, number)
}

// chooseSecond does the same for the second question of a page.
func (b *tab) chooseSecond(sign, number string) {
	b.Helper()
	b.do(`document.querySelectorAll(".predict")[1].classList.add("second")`)
	b.chooseIn(".second", sign, number)
}

func (b *tab) chooseIn(question, sign, number string) {
	b.Helper()
	b.run(chromedp.Focus(question+` [data-sign="`+sign+`"]`), chromedp.KeyEvent(kb.Enter))
	if number != "" {
		b.do(`document.querySelector("` + question + ` input").value = ""`)
		b.run(chromedp.KeyEvent(number), chromedp.KeyEvent(kb.Enter))
	}
}

// elsewhere is what another tab does: it keeps something, and the browser says so.
func (b *tab) elsewhere(name, value string) {
	b.Helper()
	b.do(fmt.Sprintf(`localStorage[%[1]q] = %[2]q; dispatchEvent(new StorageEvent("storage", { key: %[1]q }))`, name, value))
}

// A question is asked by its sign, then its size, and says what it took: a comma is a point, and
// what is no number, or contradicts the sign, is refused. An answer can be taken back.
func TestQuestion(t *testing.T) {
	for width, theme := range map[int64]string{1280: "light", 390: "dark"} {
		tab := newTab(t, static, width, 844)
		tab.emulate(theme)
		tab.goTo("docs/step06.html")
		assert.Greater(t, eval[int](tab, veiled), 10)
		assert.Zero(t, eval[int](tab, `[...document.querySelectorAll(".predict :is(details, .came, .back)")].filter(e => e.offsetParent).length`), "ours comes after")
		tab.choose("faster", "1,5")
		assert.Equal(t, `[{"sign":"faster","value":1.5}]`, eval[string](tab, kept))
		assert.Equal(t, "Kept: faster, 1.5.", eval[string](tab, said))
		tab.until(`/^Our guess: [\d.]+\. Measured: [\d.]+\.$/.test(document.querySelector(".predict .came").textContent)`)
		for _, wrong := range []string{"0.8", "abc", "1.2.3", "-2", "1e3"} {
			tab.choose("faster", wrong)
			assert.Regexp(t, `^Not kept: .* The last one, 1\.5, stays\.$`, eval[string](tab, said), wrong)
			assert.Equal(t, `[{"sign":"faster","value":1.5}]`, eval[string](tab, kept))
		}
		tab.choose("slower", ".9")
		assert.Equal(t, "Kept: slower, 0.9.", eval[string](tab, said))
		tab.choose("same", "")
		assert.Equal(t, `[{"sign":"same","value":1}]`, eval[string](tab, kept))
		tab.elsewhere("answers", `{"`+eval[string](tab, `document.querySelector(".predict").dataset.key`)+`": {"sign": "faster", "value": 3}}`)
		assert.Equal(t, "Kept: faster, 3.", eval[string](tab, said))
		tab.run(chromedp.Focus(".predict .back"), chromedp.KeyEvent(kb.Enter))
		assert.Equal(t, "[]", eval[string](tab, kept))
		assert.Greater(t, eval[int](tab, veiled), 10, "again")
		assert.True(t, eval[bool](tab, noScroll))
	}
}

// More time is slower.
func TestQuestionOfTime(t *testing.T) {
	tab := newTab(t, static, 390, 844)
	tab.goTo("docs/step01.html")
	require.Equal(t, "yes", eval[string](tab, `document.querySelector(".predict").dataset.slower`))
	tab.choose("faster", "1.25")
	assert.Equal(t, "Not kept: 1.25 would not be faster here: that is below 1.", eval[string](tab, said))
	tab.choose("slower", "1.25")
	assert.Equal(t, "Kept: slower, 1.25.", eval[string](tab, said))
}

// Storage that is damaged, full or forbidden leaves pages that work, and that say so.
func TestStorage(t *testing.T) {
	for name, script := range map[string]string{
		"damaged":   `localStorage.answers ??= "[1"; localStorage.shown ??= "7"; localStorage.read = "null"; localStorage.measured = '{"a": 5, "b": {"large": {"steps": 1}}}'`,
		"full":      `Storage.prototype.setItem = () => { throw new DOMException("full", "QuotaExceededError"); }`,
		"forbidden": `Object.defineProperty(window, "localStorage", { get() { throw new DOMException("no", "SecurityError"); } })`,
	} {
		tab := newTab(t, static, 1280, 800)
		tab.before(script)
		tab.goTo("docs/step01.html")
		tab.choose("slower", "1.5")
		assert.Equal(t, 0, eval[int](tab, veiled), name)
		assert.Equal(t, name != "damaged", eval[bool](tab, said+`.includes("keeps nothing")`), name)
		tab.goTo("predictions.html")
		tab.until(`document.querySelectorAll("#predictions tbody tr").length > 10`)
		tab.run(chromedp.Click("#theme"))
	}
}

// A chapter veils what follows its question, in the outline and the search too, until it has an
// answer. Then its steps can be measured, and all of it is on one page as text and as a file.
func TestPredictions(t *testing.T) {
	tab := newTab(t, static, 390, 844)
	tab.goTo("docs/step08.html")
	assert.Greater(t, eval[int](tab, `document.querySelectorAll("#contents .veiled").length`), 1)
	assert.Zero(t, eval[int](tab, `[...document.querySelectorAll("#main .measure, #main img[src*='charts/']")].filter(e => e.offsetParent).length`))
	section := eval[string](tab, `document.querySelector("main h2.veiled").id`)
	search := fmt.Sprintf(`const s = document.getElementById("search"); s.value = "step 8 " + document.getElementById(%q).textContent; s.dispatchEvent(new Event("input"))`, section)
	found := fmt.Sprintf(`[...document.querySelectorAll("#found a")].some(a => a.href.endsWith("docs/step08.html#%s"))`, section)
	tab.do(search)
	tab.until(`document.getElementById("found").textContent.includes("veiled until you have guessed")`)
	assert.False(t, eval[bool](tab, found))
	tab.choose("faster", "3")
	tab.chooseSecond("faster", "1.5")
	tab.until(veiled + " === 0")
	tab.do(search)
	tab.until(found)
	tab.do(`document.body.click()`) // which closes what was found

	tab.run(chromedp.Click(".measure button"))
	tab.until(`document.querySelector("tr.mine") !== null || /^Too few/.test(document.querySelector(".measure").textContent)`)
	if eval[bool](tab, `document.querySelector("tr.mine") === null`) {
		t.Skip("not tested: this machine is too busy to measure")
	}
	row := eval[string](tab, `[...document.querySelector("tr.mine").cells].map(c => c.textContent).join("|")`)
	m := regexp.MustCompile(`^large, your browser\|[\d.]+[kM]\|[\d.]+[kM]\|([\d.]+|~) \(([\d.]+) to ([\d.]+)\)$`).FindStringSubmatch(row)
	require.NotNil(t, m, row)
	tab.goTo("docs/step08.html")
	assert.Equal(t, 0, eval[int](tab, veiled), "it is kept")
	assert.True(t, eval[bool](tab, `document.querySelector("tr.mine") !== null`), "and so is the row")
	tab.until(`/guessed.*measured here/.test(document.querySelector("#contents [aria-current] .marks").textContent)`)

	tab.goTo("predictions.html")
	tab.until(`document.querySelector("textarea") !== null`)
	text := eval[string](tab, `document.querySelector("textarea").value`)
	assert.Regexp(t, `(?s)^raysteps, .*2 of \d+ predicted.* I said 1\.5, the book .* rays/s, over step07 `, text)
	assert.True(t, eval[bool](tab, noScroll))
	tab.do(`URL.createObjectURL = blob => { blob.text().then(text => { window.saved = text; }); return "#saved"; }`)
	tab.run(chromedp.Click(`//button[. = "Save the guesses as a file"]`))
	tab.until(`JSON.parse(window.saved || "{}").raysteps === "guesses"`)
	assert.True(t, eval[bool](tab, `Object.values(JSON.parse(window.saved).answers).some(a => a.value === 1.5)`))
	tab.goTo("docs/epilogue.html")
	tab.until(`[...document.querySelectorAll("td.mine")].some(e => e.textContent === "1.5")`)
	forget(t, tab)
}

// forget forgets all predictions, which takes a second click, and none before it.
func forget(t *testing.T, tab *tab) {
	tab.goTo("predictions.html")
	tab.until(`document.querySelector("textarea") !== null`)
	tab.run(chromedp.Click(`//button[. = "Forget all"]`))
	assert.Equal(t, "No, keep it", eval[string](tab, `document.activeElement.textContent`))
	assert.NotEqual(t, "[]", eval[string](tab, kept))
	tab.run(chromedp.Click(`//button[. = "Yes, forget all"]`))
	tab.until(`!localStorage.answers && !localStorage.measured`)
	assert.Contains(t, eval[string](tab, `document.querySelector("#predictions").textContent`), "None of")
}
