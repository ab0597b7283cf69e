package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"raysteps/scripts/internal/cli"
)

// countedTime is how long the iterations last, about, that are counted: long enough that what
// a process does beside them is little.
const countedTime = 10 * time.Millisecond

var countUnits = []string{"instructions/op", "branches/op"}

// unequal is the share by which counts differ if not by chance.
const unequal = 0.01

// count counts what both versions of the benchmarks execute, as long as there is time.
func (c *comparison) count(ctx context.Context, limit time.Duration) error {
	end := time.Now().Add(limit)
	for _, p := range c.packages {
		var programs [2]string
		for v := range programs {
			programs[v] = filepath.Join(c.folder, fmt.Sprint("counted-", v))
			if err := p.versions[v].Link(ctx, c.seed+1, programs[v], append(slices.Clip(c.versions[v].linker), symbols)...); err != nil {
				return err
			}
		}
		group, limited := errgroup.WithContext(ctx)
		group.SetLimit(runtime.GOMAXPROCS(0))
		for i, r := range c.rows {
			if r.pkg != p.path || len(r.group.Subjects) == 0 {
				continue
			}
			for v, program := range programs {
				group.Go(func() error {
					if time.Now().After(end) {
						return nil
					}
					return c.countRow(limited, p.versions[v].Dir, v, program, fmt.Sprint(program, ".", i), r)
				})
			}
		}
		if err := group.Wait(); err != nil {
			return err
		}
	}
	return nil
}

// countRow counts iterations of a benchmark, and twice as many: the difference has nothing
// of what is done once.
func (c *comparison) countRow(ctx context.Context, dir string, v int, program, file string, r *row) error {
	iterations := 2 + int(countedTime/r.each)
	env := append(slices.Clip(c.versions[v].env), "GOMAXPROCS=1", "GOGC=off", "GOMEMLIMIT=1GiB", "GODEBUG=asyncpreemptoff=1")
	counts := map[string]float64{}
	for _, n := range []int{iterations, 2 * iterations} {
		args := append([]string{"--quiet", "--tool=cachegrind", "--cache-sim=no", "--branch-sim=yes", "--cachegrind-out-file=" + file, program, "-test.memprofilerate=1000000000"}, c.arguments(r, n)...)
		if _, err := cli.Output(ctx, dir, env, "valgrind", args...); err != nil {
			return fmt.Errorf("counting %s: %w", r.name, err)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for unit, count := range parseCounts(string(text)) {
			counts[unit] = count/float64(iterations) - counts[unit]
		}
	}
	r.counts[v] = counts
	return nil
}

// scheduler matches the functions of the runtime that work by the clock, or look for memory
// where it happens to be.
var scheduler = regexp.MustCompile(`^runtime\.(sysmon|retake|u?n?lock2|pcvalue|step|findfunc|tracebackPCs|mergeSummaries|\(\*(unwinder|pageAlloc|mheap)\))`)

// parseCounts returns the sums of a file of cachegrind, without what scheduler matches.
func parseCounts(text string) map[string]float64 {
	counts, function := map[string]float64{}, ""
	for line := range strings.Lines(text) {
		var at, instructions, branches, mispredicted, indirect float64
		if name, ok := strings.CutPrefix(line, "fn="); ok {
			function = strings.TrimSpace(name)
		} else if n, _ := fmt.Sscan(line, &at, &instructions, &branches, &mispredicted, &indirect); n == 5 && !scheduler.MatchString(function) {
			counts[countUnits[0]] += instructions
			counts[countUnits[1]] += branches + indirect
		}
	}
	return counts
}
