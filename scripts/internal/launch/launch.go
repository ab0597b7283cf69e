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
)

// Program is what one process of a launch runs.
type Program struct {
	Binaries []string            // by link order
	Places   []map[string]string // by link order and package; see [Places]
	Dir      string              // that it runs in
	Test     bool                // a test binary, and no launcher
	Shift    int                 // of the link order against that of other programs
	Config   map[string]string   // lines for all that it measures
	Plan     turns.Plan
}

// Launch starts a process of each program in a link order and returns what they
// measured. If there is more than one they take turns with each other.
func Launch(ctx context.Context, programs []Program, order int) ([]*benchfmt.Result, error) {
	dir, err := os.MkdirTemp("", "raysteps-launch-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	seed := rand.Uint64()
	ring, err := newRing(len(programs))
	if err != nil {
		return nil, err
	}
	outs := make([]string, len(programs))
	var group sync.WaitGroup
	errs := make([]error, len(programs))
	for i, p := range programs {
		outs[i] = filepath.Join(dir, fmt.Sprint("out-", i))
		plan := p.Plan
		plan.Seed, plan.Out, plan.Ring = seed, outs[i], len(programs) > 1
		text, err := json.Marshal(plan)
		if err != nil {
			return nil, err
		}
		name := filepath.Join(dir, fmt.Sprint("plan-", i))
		if err := os.WriteFile(name, text, 0o644); err != nil {
			return nil, err
		}
		cmd := exec.CommandContext(ctx, p.Binaries[(order+p.Shift)%len(p.Binaries)], name)
		if p.Test {
			cmd.Args = []string{cmd.Path, "-test.run", "^TestTakeTurns", "-test.benchtime", "1x"}
		}
		cmd.Dir, cmd.Env = p.Dir, append(os.Environ(), "RAYSTEPS_PLAN="+name)
		var stdout, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if plan.Ring {
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
	// One that fails ends the others, which say so.
	var failed error
	for _, err := range errs {
		if err != nil && (failed == nil || strings.Contains(failed.Error(), turns.OtherEnded)) {
			failed = err
		}
	}
	if failed != nil {
		return nil, failed
	}
	var all []*benchfmt.Result
	for i, p := range programs {
		results, err := p.read(outs[i], order)
		if err != nil {
			return nil, err
		}
		all = append(all, results...)
	}
	return all, nil
}

// read reads what a process wrote, and adds lines that say which launch it was.
func (p *Program) read(name string, order int) ([]*benchfmt.Result, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var all []*benchfmt.Result
	reader := benchfmt.NewReader(f, name)
	for reader.Scan() {
		switch r := reader.Result().(type) {
		case *benchfmt.SyntaxError:
			return nil, fmt.Errorf("what a launch wrote is not in the Go benchmark format: %v", r)
		case *benchfmt.Result:
			r = r.Clone()
			Set(r, "link-order", strconv.Itoa(order+1))
			for _, key := range slices.Sorted(maps.Keys(p.Config)) {
				Set(r, key, p.Config[key])
			}
			if len(p.Places) > 0 {
				Set(r, "place", p.Places[(order+p.Shift)%len(p.Places)][r.GetConfig("pkg")])
			}
			all = append(all, r)
		}
	}
	return all, reader.Err()
}

// Set gives a result a configuration line; an empty value takes it away.
func Set(r *benchfmt.Result, key, value string) {
	r.SetConfig(key, value)
	for i := range r.Config {
		if r.Config[i].Key == key {
			r.Config[i].File = true
		}
	}
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

// Places tells where functions of a binary begin: at "odd" or "even" multiples of 32
// bytes, which is what Go aligns them to. The functions are symbols, by the package
// that a file shows, and so is the answer, in their order.
func Places(ctx context.Context, binary string, hot map[string][]string) (map[string]string, error) {
	out, err := Output(ctx, exec.CommandContext(ctx, "go", "tool", "nm", binary))
	if err != nil {
		return nil, fmt.Errorf("go tool nm: %w", err)
	}
	address := map[string]uint64{}
	for line := range strings.Lines(out) {
		fields := strings.Fields(line)
		if len(fields) >= 3 && strings.EqualFold(fields[1], "t") {
			if a, err := strconv.ParseUint(fields[0], 16, 64); err == nil {
				address[fields[2]] = a
			}
		}
	}
	places := map[string]string{}
	for pkg, symbols := range hot {
		var place []string
		for _, symbol := range symbols {
			if a, ok := address[symbol]; ok {
				place = append(place, []string{"even", "odd"}[a/32%2])
			}
		}
		places[pkg] = strings.Join(place, " ")
	}
	return places, nil
}
