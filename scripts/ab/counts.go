package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"raysteps/scripts/internal/cachegrind"
)

var countUnits = []string{"instructions/op", "branches/op"}

// count counts what both versions of the benchmarks execute, if that is wanted, as long as there is time.
func (c *comparison) count(ctx context.Context, limit time.Duration) error {
	limited, cancel := context.WithTimeoutCause(ctx, limit, errors.New("half of the time was over; want a longer -time, or another -bench"))
	defer cancel()
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, r := range c.rows {
		if c.counts && len(r.group.Subjects) > 0 {
			group.Go(func() error {
				for v := range r.counts {
					file := filepath.Join(c.folder, fmt.Sprintf("counts-%d-%d", i, v))
					if err := c.countRow(limited, r, v, file); err != nil {
						r.uncounted = cmp.Or(context.Cause(limited), err)
					}
				}
				return nil
			})
		}
	}
	group.Wait() // for what each row has kept
	return ctx.Err()
}

// countRow counts iterations of a benchmark, twice as many, and the first again: the
// difference has nothing of what is done once, which may be another each time.
func (c *comparison) countRow(ctx context.Context, r *row, v int, file string) error {
	iterations := 1 + r.iterations(10*time.Millisecond)
	env := append(slices.Clip(c.versions[v].env), "GOMEMLIMIT=1GiB")
	var counts [3][]float64
	for i, n := range []int{iterations, 2 * iterations, iterations} {
		args := append([]string{"--cache-sim=no", r.pkg.programs[v], "-test.memprofilerate=1000000000"}, c.arguments(r, n)...)
		_, sums, err := cachegrind.Run(ctx, r.pkg.versions[v].Dir, env, file, scheduler, args...)
		if err != nil {
			return err
		}
		counts[i] = []float64{sums["Ir"], sums["Bc"] + sums["Bi"]}
	}
	for i := range countUnits {
		once, again, n := counts[0][i], counts[2][i], float64(iterations)
		each := count{(counts[1][i] - (once+again)/2) / n, math.Abs(once-again) / n}
		r.counts[v] = append(r.counts[v], each)
	}
	return nil
}

// count is how many of a unit an iteration has, and by how much that varies.
type count struct{ perOp, scatter float64 }

// differs reports whether another count is another by more than half a percent, and chance.
func (a count) differs(b count) bool {
	return a.apart(b) && math.Abs(a.perOp-b.perOp) > 3*(a.scatter+b.scatter)
}

// unknown reports whether another count is another by more than half a percent, but perhaps by chance.
func (a count) unknown(b count) bool { return a.apart(b) && !a.differs(b) }

func (a count) apart(b count) bool {
	return math.Abs(a.perOp-b.perOp) > 0.005*max(a.perOp, b.perOp)
}

// scheduler matches the functions of the runtime that work by the clock, or look for memory
// where it happens to be.
var scheduler = regexp.MustCompile(`^fn=runtime\.(sysmon|retake|u?n?lock2|pcvalue|step|findfunc|tracebackPCs|mergeSummaries|\(\*(unwinder|pageAlloc|mheap)\))`)
