// Package cli is what the commands under scripts have in common: how they read flags, report a
// mistake, show help and stop. A command is a [Command] value; its main function is one call of
// [Main], and its tests call [Command.Exec] without starting a process.
//
// Every command behaves the same. A misuse is one line on standard error and
// exit status 2, a failure one line and exit status 1, -h prints the whole help
// on standard output, and -version the version. The first Ctrl-C cancels the context, so
// that finished work can be kept; the second ends the process.
package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"go/doc/comment"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"
	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"
)

// Version is that of all commands and pages: the newest heading of CHANGELOG.md.
const Version = "2026-11-28"

// The exit statuses of every command.
const (
	ExitOK      = 0
	ExitFailure = 1
	ExitMisuse  = 2
)

// Command describes one command.
type Command struct {
	Name     string // the last word of its path: bench
	Synopsis string // the command line after the name: [flags] STEP [STEP]
	Manual   string // the text of doc.go, whose package comment -help prints: godoc has the same
	More     string // what -help prints behind it
	MaxArgs  int    // positional arguments beyond this number are a misuse

	// Setup declares the flags and returns what runs once they are read. The
	// flags live in variables of Setup, so two runs share nothing.
	Setup func(flags *flag.FlagSet) Run
}

// Run does the work of a command. The arguments are the positional ones, among or
// behind the flags. An error made by [Misuse] leads to exit status 2, any other to 1.
type Run func(ctx context.Context, env *Env, args []string) error

// Env is where a command writes.
type Env struct {
	Stdout, Stderr io.Writer
}

// ErrReported is a failure that needs no line: what ran for the command has printed it.
var ErrReported = errors.New("reported already")

type status struct {
	error
	code int
}

func (s status) Unwrap() error { return s.error }

// Misuse returns an error that says that the command was called wrongly. It
// takes a format as [fmt.Errorf] does.
func Misuse(format string, args ...any) error {
	return status{fmt.Errorf(format, args...), ExitMisuse}
}

// Status returns an error that leads to an exit status, unless it is none or leads to one already.
func Status(code int, err error) error {
	if err == nil || errors.As(err, new(status)) {
		return err
	}
	return status{err, code}
}

// Main runs c with the arguments of the process and exits with its status.
func Main(c Command) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// Once the context is canceled the signal has its usual effect again, so
	// that a second Ctrl-C ends a command that does not come to an end.
	context.AfterFunc(ctx, stop)
	os.Exit(c.Exec(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// Exec runs c and returns its exit status. Everything it prints goes to stdout and stderr.
func (c Command) Exec(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	err := c.exec(ctx, args, &Env{Stdout: stdout, Stderr: stderr})
	failed := status{err, ExitFailure}
	errors.As(err, &failed)
	switch {
	case err == nil:
		return ExitOK
	case errors.Is(err, ErrReported):
		return failed.code
	case errors.Is(err, context.Canceled):
		err = errors.New("interrupted")
	}
	for line := range strings.Lines(err.Error()) { // more than one of joined errors
		fmt.Fprintf(stderr, "%s: %s\n", c.Name, strings.TrimSpace(line))
	}
	return failed.code
}

func (c Command) exec(ctx context.Context, args []string, env *Env) error {
	usage := strings.TrimSpace("go run ./scripts/" + c.Name + " " + c.Synopsis)
	flags := flag.NewFlagSet(c.Name, flag.ContinueOnError)
	version := flags.Bool("version", false, "print how new the commands are")
	run := c.Setup(flags)
	var help strings.Builder
	flags.SetOutput(&help)
	flags.Usage = flags.PrintDefaults
	words, err := parse(flags, args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		manual, _, _ := strings.Cut(c.Manual, "\npackage ")
		manual = strings.ReplaceAll(commented.ReplaceAllString(manual, ""), "\t", "  ")
		_, err = fmt.Fprintf(env.Stdout, "usage: %s\n\n%s\n%s\n%s", usage, manual, c.More, &help)
	case err != nil:
		return Misuse("%v; -help lists the flags", err)
	case len(words) > c.MaxArgs:
		return Misuse("unexpected argument %q; usage: %s", words[c.MaxArgs], usage)
	case *version:
		_, err = fmt.Fprintln(env.Stdout, Module, Version)
	default:
		err = run(ctx, env, words)
	}
	return err
}

// parse reads flags, also those behind positional arguments, which it returns. Behind -- there are none.
func parse(flags *flag.FlagSet, args []string) (words []string, err error) {
	for err = flags.Parse(args); err == nil && flags.NArg() > 0; err = flags.Parse(args) {
		if read := len(args) - flags.NArg(); read > 0 && args[read-1] == "--" {
			return append(words, flags.Args()...), nil
		}
		words, args = append(words, flags.Arg(0)), flags.Args()[1:]
	}
	return words, err
}

// commented matches what makes a line of text a comment.
var commented = regexp.MustCompile(`(?m)^// ?`)

// Module is the path of the module that the commands belong to.
const Module = "raysteps"

// ModuleRoot returns the folder of this module, if the working directory is in a clone of it.
func ModuleRoot() (string, error) {
	dir, err := Output(context.Background(), "", nil, "go", "list", "-m", "-f", "{{.Dir}}", Module)
	if err != nil {
		return "", Misuse("the working directory is in no clone of %s, says go list -m %[1]s; want a folder of one", Module)
	}
	return dir, nil
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

// LockMeasuring waits until no other command measures on this machine, and says on
// standard error if it has to. Release lets the next one begin.
func LockMeasuring(ctx context.Context, env *Env) (release func() error, err error) {
	name := filepath.Join(os.TempDir(), "raysteps-measuring.lock")
	os.WriteFile(name, nil, 0o666) // unless another user has made it: Linux lets nobody write that in /tmp
	file := flock.New(name, flock.SetFlag(os.O_RDONLY))
	locked, err := file.TryLock()
	if !locked && err == nil {
		fmt.Fprintln(env.Stderr, "another command is measuring on this machine; this one begins after it")
		_, err = file.TryLockContext(ctx, 100*time.Millisecond)
	}
	return file.Unlock, err
}

// Output runs a command in a folder with an environment, each empty for that of this process, and
// returns what it prints. The error is that of [Failure].
func Output(ctx context.Context, dir string, env []string, name string, args ...string) (string, error) {
	stdout, stderr, err := Execute(ctx, dir, env, name, args...)
	if err != nil {
		return "", Failure(ctx, err, stderr+stdout)
	}
	return strings.TrimRight(stdout, "\r\n"), nil
}

// Execute runs a command as [Output] does, and returns all that it prints. Once the context is
// cancelled the command may clean up for a second, and is not waited for any longer, nor is what
// it has started.
func Execute(ctx context.Context, dir string, env []string, name string, args ...string) (printed, complaints string, err error) {
	var stdout, stderr strings.Builder
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, env
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.Cancel, cmd.WaitDelay = func() error { return cmd.Process.Signal(os.Interrupt) }, time.Second
	err = cmd.Run()
	return stdout.String(), stderr.String(), err
}

var (
	// fatal is what the runtime prints before goroutines and their frames, and the first place
	// among those in the source of this module that is not common, whose caller is to blame.
	fatal = regexp.MustCompile(`(?ms)^\s*((?:panic|fatal error|SIG[A-Z]+): [^\n]*)$(?:.*?^\t[^\n]*?\b` + Module + `/((?:step|beyond|lab|scripts)[^\n]*?\.(?:go|s):\d+))?`)
	// lineEnds also matches the spaces and empty lines around them.
	lineEnds = regexp.MustCompile(`\s*[\r\n]\s*`)
)

// Failure says in one line why a command failed, by what it printed. A terminal sends
// Ctrl-C to the command, too, which may be gone before the context is cancelled.
func Failure(ctx context.Context, err error, text string) error {
	if exit := new(exec.ExitError); errors.As(err, &exit) && exit.String() == "signal: interrupt" {
		return context.Canceled
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if m := fatal.FindStringSubmatch(text); m != nil {
		return fmt.Errorf("%w: %s", err, strings.TrimSuffix(m[1]+" at "+m[2], " at "))
	}
	const most = 4
	lines := lineEnds.Split(strings.TrimSpace(text), most+1)
	if len(lines) > most {
		lines[most] = "..."
	}
	if lines[0] == "" {
		return err
	}
	return fmt.Errorf("%w: %s", err, strings.Join(lines, "; "))
}
