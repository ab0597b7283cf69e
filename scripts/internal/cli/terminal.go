package cli

import (
	"go/doc/comment"
	"io"
	"os"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// Env is where a command writes.
type Env struct {
	Stdout, Stderr io.Writer
}

// Wrap breaks a text into lines of at most 100 columns, as wide as what commands print may be,
// each indented as the first.
func Wrap(text string) string {
	words := strings.TrimLeft(text, " ")
	indent := text[:len(text)-len(words)]
	lines := comment.Printer{TextWidth: 100 - len(indent), TextPrefix: indent}
	return strings.TrimSuffix(string(lines.Text(new(comment.Parser).Parse(words))), "\n")
}

// IsTerminal reports whether somebody is looking at what is written to w.
func IsTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Color reports whether text for w may be colored: w is a terminal that
// shows colors, and NO_COLOR is not set.
func Color(w io.Writer) bool {
	return IsTerminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// Progress returns a bar that counts to total and shows on standard error what is being done, how
// much of it is done and how long the rest will take. On a terminal it disappears at the end; to
// print a line in between, clear it first. Elsewhere it is a line a minute.
func (e *Env) Progress(total int64, what string) *progressbar.ProgressBar {
	w, width := e.Stderr, progressbar.OptionFullWidth()
	if !IsTerminal(w) {
		w, width = &eachMinute{w, time.Now().Add(time.Minute)}, progressbar.OptionSetWidth(20)
	}
	return progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(w),
		progressbar.OptionSetDescription(what),
		progressbar.OptionShowCount(),
		width,
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionSetRenderBlankState(true), // at once
	)
}

// eachMinute writes what a bar draws as a line, and no other for a minute.
type eachMinute struct {
	w    io.Writer
	next time.Time
}

func (m *eachMinute) Write(p []byte) (int, error) {
	line := strings.TrimSpace(string(p)) // empty where the bar clears its last one
	if line == "" || time.Now().Before(m.next) {
		return len(p), nil
	}
	m.next = time.Now().Add(time.Minute)
	_, err := io.WriteString(m.w, line+"\n")
	return len(p), err
}
