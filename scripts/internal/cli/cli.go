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
	"io"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"strings"
	"syscall"
)

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

	Installed bool // -help calls it by its name, and not by go run

	// Setup declares the flags and returns what runs once they are read. The
	// flags live in variables of Setup, so two runs share nothing.
	Setup func(flags *flag.FlagSet) Run
}

// Run does the work of a command. The arguments are the positional ones, among or
// behind the flags. An error made by [Misuse] leads to exit status 2, any other to 1.
type Run func(ctx context.Context, env *Env, args []string) error

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
	c.Installed = installed(c.Name)
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

// installed reports whether this is the program that a shell starts by a name.
func installed(name string) bool {
	this, _ := os.Executable()
	path, _ := exec.LookPath(name)
	a, _ := os.Stat(this)
	b, _ := os.Stat(path)
	return os.SameFile(a, b) // two that are not there are no file
}

func (c Command) exec(ctx context.Context, args []string, env *Env) error {
	const goRun = "go run ./scripts/"
	called := goRun + c.Name
	if c.Installed {
		called = c.Name
	}
	usage := strings.TrimSpace(called + " " + c.Synopsis)
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
		manual = strings.ReplaceAll(manual, goRun+c.Name+" ", called+" ")
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
