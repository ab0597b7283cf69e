// Package cli is what the commands under scripts have in common: how they
// read flags, report a mistake, show help and stop. A command is a [Command]
// value; its main function is one call of [Main], and its tests call
// [Command.Exec] without starting a process.
//
// Every command behaves the same. A misuse is one line on standard error and
// exit status 2, a failure one line and exit status 1, and -h prints the
// whole help on standard output. The first Ctrl-C cancels the context, so
// that finished work can be kept; the second ends the process.
package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
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
	Help     string // what it does, in paragraphs
	Examples string // command lines, one a line, with or without a comment
	MaxArgs  int    // positional arguments beyond this number are a misuse

	// Setup declares the flags and returns what runs once they are read. The
	// flags live in variables of Setup, so two runs share nothing.
	Setup func(flags *flag.FlagSet) Run
}

// Run does the work of a command. The arguments are the positional ones;
// flags may stand before, between or after them. An error made by [Misuse]
// leads to exit status 2, any other to 1.
type Run func(ctx context.Context, env *Env, args []string) error

// Env is where a command writes.
type Env struct {
	Stdout, Stderr io.Writer
}

// Main runs c with the arguments of the process and exits with its status.
func Main(c Command) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// Once the context is canceled the signal has its usual effect again, so
	// that a second Ctrl-C ends a command that does not come to an end.
	context.AfterFunc(ctx, stop)
	status := c.Exec(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(status)
}

// Exec runs c and returns its exit status. Everything it prints goes to
// stdout and stderr.
func (c Command) Exec(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	err := c.exec(ctx, args, &Env{Stdout: stdout, Stderr: stderr})
	if err == nil {
		return ExitOK
	}
	if errors.Is(err, ErrReported) {
		return ExitFailure
	}
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		err = errors.New("interrupted")
	}
	for _, line := range lines(err) {
		fmt.Fprintf(stderr, "%s: %s\n", c.Name, line)
	}
	if IsMisuse(err) {
		return ExitMisuse
	}
	return ExitFailure
}

func (c Command) exec(ctx context.Context, args []string, env *Env) error {
	flags := flag.NewFlagSet(c.Name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Usage = func() {}
	run := c.Setup(flags)

	positional, err := parse(flags, args)
	if errors.Is(err, flag.ErrHelp) {
		return c.help(env.Stdout, flags)
	}
	if err != nil {
		return Misuse("%v; -help lists the flags", err)
	}
	if len(positional) > c.MaxArgs {
		return Misuse("unexpected argument %q; usage: %s", positional[c.MaxArgs], c.usage())
	}
	return run(ctx, env, positional)
}

// parse reads flags wherever they stand. The flag package stops at the first
// argument that is no flag, and "publish FILE -second" is easily typed.
func parse(flags *flag.FlagSet, args []string) (positional []string, err error) {
	for {
		if err := flags.Parse(args); err != nil {
			return nil, err
		}
		if args = flags.Args(); len(args) == 0 {
			return positional, nil
		}
		positional, args = append(positional, args[0]), args[1:]
	}
}

func (c Command) usage() string {
	return strings.TrimSpace("go run ./scripts/" + c.Name + " " + c.Synopsis)
}

func (c Command) help(w io.Writer, flags *flag.FlagSet) error {
	var all, b strings.Builder
	flags.SetOutput(&all)
	flags.PrintDefaults()
	fmt.Fprintf(&b, "usage: %s\n\n%s\n", c.usage(), strings.TrimSpace(c.Help))
	if all.Len() > 0 {
		fmt.Fprintf(&b, "\nFlags:\n%s", &all)
	}
	b.WriteString("\nExamples:\n")
	for line := range strings.Lines(strings.TrimSpace(c.Examples)) {
		b.WriteString("  " + strings.TrimSpace(line) + "\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// ErrReported is a failure that needs no line, as another program that ran for
// the command has printed it.
var ErrReported = errors.New("reported already")

type misuse struct{ error }

func (m misuse) Unwrap() error { return m.error }

// Misuse returns an error that says that the command was called wrongly. It
// takes a format as [fmt.Errorf] does.
func Misuse(format string, args ...any) error {
	return misuse{fmt.Errorf(format, args...)}
}

// IsMisuse reports whether err, or an error that it wraps, was made by
// [Misuse].
func IsMisuse(err error) bool { return errors.As(err, new(misuse)) }

// lines returns what a command prints of an error: a line for each of those that
// [errors.Join] joined, and a single line for any other, whatever it holds.
func lines(err error) []string {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var all []string
		for _, e := range joined.Unwrap() {
			all = append(all, lines(e)...)
		}
		return all
	}
	var parts []string
	for line := range strings.Lines(err.Error()) {
		if line = strings.TrimSpace(line); line != "" {
			parts = append(parts, line)
		}
	}
	return []string{strings.Join(parts, "; ")}
}

// Some lists names in a message, and how many more there are if they are many.
func Some(names []string) string {
	const most = 12
	switch {
	case len(names) == 0:
		return "none"
	case len(names) > most+1:
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}
