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
	"slices"
	"strconv"
	"strings"
	"sync"

	"golang.org/x/perf/benchfmt"

	"raysteps/common/turns"
	"raysteps/scripts/internal/cli"
)

// Launch starts a process of each program in a link order, the first of which is 0,
// and returns what they measured. If there is more than one they take turns with each
// other, and their plans have to be alike.
func Launch(ctx context.Context, programs []*Program, order int) (all []*benchfmt.Result, err error) {
	dir, err := os.MkdirTemp("", "raysteps-launch-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	// A pipe leads from each process to the next, and from the last to the first. Its end
	// stays open here, so that the last byte of all has a reader.
	n := len(programs)
	in, out := make([]*os.File, n), make([]*os.File, n)
	for i := range n {
		next := (i + 1) % n
		if in[next], out[i], err = os.Pipe(); err != nil {
			return nil, err
		}
		defer in[next].Close()
		defer out[i].Close()
	}
	seed := rand.Uint64()
	errs := make([]error, n)
	var group sync.WaitGroup
	for i, p := range programs {
		plan := p.Plan
		plan.Seed, plan.Out, plan.Ring = seed, filepath.Join(dir, fmt.Sprint("out-", i)), n > 1
		cmd, err := p.Command(ctx, order, &plan)
		if err != nil {
			return nil, err
		}
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if plan.Ring {
			cmd.Stdin, cmd.Stdout = in[i], out[i]
		}
		if err := cmd.Start(); err != nil {
			return nil, err
		}
		group.Go(func() {
			if err := cmd.Wait(); err != nil {
				errs[i] = cli.Failure(ctx, fmt.Errorf("a launch ended: %w", err), stderr.String()+stdout.String())
			}
		})
	}
	out[n-1].Write([]byte{0})
	for _, end := range out {
		end.Close()
	}
	group.Wait()
	for _, e := range errs { // one that fails ends the others, which say so
		if e != nil && (err == nil || strings.Contains(err.Error(), turns.OtherEnded)) {
			err = e
		}
	}
	for i, p := range programs {
		var results []*benchfmt.Result
		if err == nil {
			results, err = Read(filepath.Join(dir, fmt.Sprint("out-", i)))
		}
		for _, r := range results {
			turns.Set(r, "link-order", strconv.Itoa(order+1))
			for _, key := range slices.Sorted(maps.Keys(p.Config)) {
				turns.Set(r, key, p.Config[key])
			}
		}
		all = append(all, results...)
	}
	return all, err
}

// Command returns what carries out a plan in a link order. It writes the plan beside
// what it is to write.
func (p *Program) Command(ctx context.Context, order int, plan *turns.Plan) (*exec.Cmd, error) {
	text, err := json.Marshal(plan)
	if err != nil {
		return nil, err
	}
	name := plan.Out + ".plan"
	cmd := exec.CommandContext(ctx, p.Binaries[order])
	cmd.Env = append(os.Environ(), turns.PlanVariable+"="+name)
	if p.Test {
		cmd.Args = append(cmd.Args, "-test.run", "^TestTakeTurns", "-test.benchtime", "1x")
		cmd.Dir = filepath.Join(p.linker.Root, filepath.FromSlash(p.folder))
	}
	return cmd, os.WriteFile(name, text, 0o644)
}

// Read reads benchmark lines that a process wrote.
func Read(name string) (all []*benchfmt.Result, err error) {
	files := benchfmt.Files{Paths: []string{name}}
	for files.Scan() {
		switch r := files.Result().(type) {
		case *benchfmt.SyntaxError:
			return nil, fmt.Errorf("what a launch wrote is not in the Go benchmark format: %v", r)
		case *benchfmt.Result:
			all = append(all, r.Clone())
		}
	}
	return all, files.Err()
}
