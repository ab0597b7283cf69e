// Package tool runs other programs, such as go and git, and says in one line why one failed.
package tool

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"time"
)

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
// canceled the command may clean up for a second, and is not waited for any longer, nor is what
// it has started.
func Execute(
	ctx context.Context, dir string, env []string, name string, args ...string,
) (printed, complaints string, err error) {
	var stdout, stderr strings.Builder
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, env
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.Cancel, cmd.WaitDelay = func() error { return cmd.Process.Signal(os.Interrupt) }, time.Second
	err = cmd.Run()
	return stdout.String(), stderr.String(), err
}

var (
	// fatal is what the runtime prints before goroutines and their frames, and the first place in
	// the source of this module outside of common: of an error there its caller is to blame.
	fatal = regexp.MustCompile(`(?ms)^\s*((?:panic|fatal error|SIG[A-Z]+): [^\n]*)$(?:.*?^\t[^\n]*?\braysteps/((?:step|beyond|lab|scripts)[^\n]*?\.(?:go|s):\d+))?`)
	// lineEnds also matches the spaces and empty lines around them.
	lineEnds = regexp.MustCompile(`\s*[\r\n]\s*`)
	// warning matches a line that is one, and so no reason for a failure.
	warning = regexp.MustCompile(`(?mi)^.*\bwarning\b.*$`)
)

// Failure says in one line why a command failed, by what it printed: what the runtime of Go says of
// a program that dies, or else the first lines and the last. A compiler says first what is wrong, git
// and valgrind say it last. Warnings are left out.
//
// A terminal sends Ctrl-C to the command, too, which may be gone before the context is canceled.
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
	lines := lineEnds.Split(strings.TrimSpace(warning.ReplaceAllString(text, "")), -1)
	if first := 3; len(lines) > first+1 {
		lines = append(lines[:first:first], "...", lines[len(lines)-1])
	}
	if lines[0] == "" {
		return err
	}
	return fmt.Errorf("%w: %s", err, strings.Join(lines, "; "))
}
