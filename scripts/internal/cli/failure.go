package cli

import (
	"context"
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
	// fatal is what the runtime prints before goroutines and their frames.
	fatal = regexp.MustCompile(`(?m)^\s*((?:panic|fatal error): .*)$`)
	// labFrame is a place in the source of a lab among those frames.
	labFrame = regexp.MustCompile(`(?m)^\t.*\b(lab/\w+/\w+\.(?:go|s):\d+)`)
	// lineEnds also matches the spaces and empty lines around them.
	lineEnds = regexp.MustCompile(`\s*[\r\n]\s*`)
)

// Failure says in one line why a command failed. A terminal sends Ctrl-C to the
// command, too, and the command may be gone before the context is cancelled: so
// it waits for that a moment.
func Failure(ctx context.Context, err error, text string) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(200 * time.Millisecond):
	}
	if m := fatal.FindStringSubmatch(text); m != nil {
		if place := labFrame.FindStringSubmatch(text); place != nil {
			m[1] += " at " + place[1]
		}
		return fmt.Errorf("%w: %s", err, m[1])
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
