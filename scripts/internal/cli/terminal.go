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

// Progress returns a bar on standard error that counts to total and shows what is being done, how
// much of it is done and how long the rest will take. It is silent unless standard error is a
// terminal, and it disappears at the end. To print a line in between, clear it first.
func (e *Env) Progress(total int64, what string) *progressbar.ProgressBar {
	return progressbar.NewOptions64(total,
		progressbar.OptionSetWriter(e.Stderr),
		progressbar.OptionSetVisibility(IsTerminal(e.Stderr)),
		progressbar.OptionSetDescription(what),
		progressbar.OptionShowCount(),
		progressbar.OptionFullWidth(),
		progressbar.OptionThrottle(100*time.Millisecond),
		progressbar.OptionClearOnFinish(),
		progressbar.OptionSetRenderBlankState(true), // at once
	)
}
