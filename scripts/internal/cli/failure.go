package cli

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

// Output runs a command in a folder with an environment, each empty for that of this
// process, and returns what it prints. The error is that of [Failure]. Once the context is
// cancelled the command may clean up for a second, and is not waited for any longer, nor is
// what it has started.
func Output(ctx context.Context, dir string, env []string, name string, args ...string) (string, error) {
	var stdout, stderr strings.Builder
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = dir, env
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.Cancel, cmd.WaitDelay = func() error { return cmd.Process.Signal(os.Interrupt) }, time.Second
	if err := cmd.Run(); err != nil {
		return "", Failure(ctx, err, stderr.String()+stdout.String())
	}
	return strings.TrimRight(stdout.String(), "\r\n"), nil
}

var (
	// fatal is what the runtime prints before goroutines and their frames, and the first place
	// among those in the source of this module that is not common, whose caller is to blame.
	fatal = regexp.MustCompile(`(?ms)^\s*((?:panic|fatal error): [^\n]*)$(?:.*?^\t[^\n]*?\b` + Module + `/((?:step|beyond|lab|scripts)[^\n]*?\.(?:go|s):\d+))?`)
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
