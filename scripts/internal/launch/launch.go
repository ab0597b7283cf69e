// Package launch links what is measured into programs in many link orders, starts
// them, and collects the benchmark lines that they write. The loop in which steps
// take turns is theirs: see [raysteps/common/turns].
package launch

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/perf/benchfmt"

	"raysteps/common/turns"
)

// Launch starts a process of each program in a link order, the first of which is 0,
// and returns what they measured. If there is more than one they take turns with each
// other.
func Launch(ctx context.Context, programs []*Program, order int) ([]*benchfmt.Result, error) {
	dir, err := os.MkdirTemp("", "raysteps-launch-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	ring, err := newRing(len(programs))
	if err != nil {
		return nil, err
	}
	seed := rand.Uint64()
	errs := make([]error, len(programs))
	var group sync.WaitGroup
	for i, p := range programs {
		plan := p.Plan
		plan.Seed, plan.Out = seed, filepath.Join(dir, fmt.Sprint("out-", i))
		if len(programs) > 1 {
			plan.Ring = len(programs)
		}
		cmd, err := p.Command(ctx, order, &plan)
		if err != nil {
			return nil, err
		}
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if plan.Ring > 0 {
			cmd.Stdin, cmd.Stdout = ring[i].in, ring[i].out
		}
		if err := cmd.Start(); err != nil {
			return nil, err
		}
		group.Go(func() {
			if err := cmd.Wait(); err != nil {
				errs[i] = Failure(ctx, fmt.Errorf("a launch ended: %w", err), stderr.String()+stdout.String())
			}
		})
	}
	ring.start()
	group.Wait()
	var failed error
	for _, err := range errs { // one that fails ends the others, which say so
		if err != nil && (failed == nil || strings.Contains(failed.Error(), turns.OtherEnded)) {
			failed = err
		}
	}
	if failed != nil {
		return nil, failed
	}
	var all []*benchfmt.Result
	for i, p := range programs {
		results, err := Read(filepath.Join(dir, fmt.Sprint("out-", i)))
		if err != nil {
			return nil, err
		}
		for _, r := range results {
			turns.Set(r, "link-order", strconv.Itoa(order+1))
			for _, key := range slices.Sorted(maps.Keys(p.Config)) {
				turns.Set(r, key, p.Config[key])
			}
		}
		all = append(all, results...)
	}
	return all, nil
}

// Command returns what carries out a plan in a link order. It writes the plan beside
// what it is to write.
func (p *Program) Command(ctx context.Context, order int, plan *turns.Plan) (*exec.Cmd, error) {
	text, err := json.Marshal(plan)
	if err != nil {
		return nil, err
	}
	name := plan.Out + ".plan"
	if err := os.WriteFile(name, text, 0o644); err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, p.Binaries[order])
	if p.Test {
		cmd.Args = []string{cmd.Path, "-test.run", "^TestTakeTurns", "-test.benchtime", "1x"}
	}
	cmd.Dir, cmd.Env = p.Dir, append(os.Environ(), turns.PlanVariable+"="+name)
	return cmd, nil
}

// Read reads benchmark lines that a process wrote.
func Read(name string) ([]*benchfmt.Result, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var all []*benchfmt.Result
	for reader := benchfmt.NewReader(bytes.NewReader(text), name); reader.Scan(); {
		switch r := reader.Result().(type) {
		case *benchfmt.SyntaxError:
			return nil, fmt.Errorf("what a launch wrote is not in the Go benchmark format: %v", r)
		case *benchfmt.Result:
			all = append(all, r.Clone())
		}
	}
	return all, nil
}

// ring are the pipes between processes: out of one is in of the next.
type ring []struct{ in, out *os.File }

func newRing(n int) (ring, error) {
	r := make(ring, n)
	for i := range r {
		in, out, err := os.Pipe()
		if err != nil {
			return nil, err
		}
		r[i].out, r[(i+1)%n].in = out, in
	}
	return r, nil
}

// start gives the first process the byte that is passed around, and closes the ends
// that the processes have now.
func (r ring) start() {
	r[len(r)-1].out.Write([]byte{0})
	for _, end := range r {
		end.in.Close()
		end.out.Close()
	}
}

// Output runs a command and returns what it prints. The error is that of [Failure].
func Output(ctx context.Context, cmd *exec.Cmd) (string, error) {
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", Failure(ctx, err, stderr.String()+stdout.String())
	}
	return stdout.String(), nil
}

var (
	// fatal is what the runtime prints before goroutines and their frames.
	fatal = regexp.MustCompile(`(?m)^\s*((?:panic|fatal error): .*)$`)
	// labFrame is a place in the source of a lab among those frames.
	labFrame = regexp.MustCompile(`(?m)^\t.*\b(lab/\w+/\w+\.(?:go|s):\d+)`)
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
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	lines = slices.DeleteFunc(lines, func(line string) bool { return line == "" })
	if len(lines) > most {
		lines = append(lines[:most], "...")
	}
	if len(lines) == 0 {
		return err
	}
	return fmt.Errorf("%w: %s", err, strings.Join(lines, "; "))
}
