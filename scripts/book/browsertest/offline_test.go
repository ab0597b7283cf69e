package browsertest

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
)

// After one visit the book is there without its server, pages that were not seen among it.
func TestOffline(t *testing.T) {
	files := httptest.NewServer(http.FileServer(http.Dir(site)))
	defer files.Close()
	tab := newTab(t, files.URL+"/", 1280, 800)
	tab.goTo("")
	tab.until(`navigator.serviceWorker.controller?.state === "activated"`)
	files.CloseClientConnections()
	files.Close()
	for _, address := range []string{"docs/step10.html", "diff.html#step09,step10", ""} {
		tab.goTo(address)
		tab.until(`document.querySelector("h1") !== null`)
	}
	tab.goTo("docs/step10.html")
	tab.choose("faster", "4")
	tab.until(`document.querySelector(".predict .came").textContent !== ""`)
	tab.mu.Lock()
	defer tab.mu.Unlock()
	tab.complaints = nil // of the network
}

// Opened as a file, the book has all but what runs.
func TestFile(t *testing.T) {
	tab := newTab(t, "file://"+filepath.ToSlash(site)+"/", 1280, 800)
	tab.goTo("docs/step04.html")
	tab.choose("faster", "1.5")
	assert.Equal(t, "Kept: faster, 1.5.", eval[string](tab, said))
	tab.run(chromedp.Focus("#search"), chromedp.KeyEvent("cache line"))
	tab.until(`document.querySelector("#found a mark") !== null`)
	tab.goTo("diff.html#step09,step10,world.go")
	tab.until(`document.querySelectorAll("#file-world\\.go .row").length > 10`)
	tab.goTo("charts.html#rates")
	tab.until(`document.querySelector("#rates svg path.mark") !== null`)
	tab.goTo("race.html")
	tab.until(`document.querySelector(".message").textContent.startsWith("Steps run where the book comes from a server")`)
}
