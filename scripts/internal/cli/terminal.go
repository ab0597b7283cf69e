package cli

import (
	"io"
	"os"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

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

// Progress returns a bar on standard error that counts to total and shows
// what is being done, how much of it is done and how long the rest will
// take. It is silent unless standard error is a terminal, and it disappears
// at the end. To print a line in between, clear it first. Options are added to
// those.
func (e *Env) Progress(total int64, what string, options ...progressbar.Option) *progressbar.ProgressBar {
	if !IsTerminal(e.Stderr) {
		return progressbar.DefaultSilent(total, what)
	}
	return progressbar.NewOptions64(total, append([]progressbar.Option{
		progressbar.OptionSetWriter(e.Stderr),
		progressbar.OptionSetDescription(what),
		progressbar.OptionShowCount(),
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionFullWidth(),
		progressbar.OptionThrottle(100 * time.Millisecond),
		progressbar.OptionClearOnFinish(),
	}, options...)...)
}
