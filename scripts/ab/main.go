package main

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"time"

	"github.com/schollz/progressbar/v3"

	"raysteps/common/outfile"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/estimate"
	"raysteps/scripts/internal/measure"
)

func main() { cli.Main(command(0, 30)) }

//go:embed doc.go
var manual string

// command returns the command, which measures so many link orders at the most, 0 for as many as
// the time allows, and each in so many rounds at the most.
func command(orders, rounds int) cli.Command {
	return cli.Command{Name: "ab", Synopsis: "[flags] [PACKAGE ...]", Manual: manual, MaxArgs: math.MaxInt, Setup: func(flags *flag.FlagSet) cli.Run {
		c := &comparison{m: measure.Measurement{Orders: orders, Rounds: rounds, Wanted: wantedOrders}}
		old, now := &c.versions[before], &c.versions[after]
		flags.StringVar(&c.dir, "C", ".", "`folder` in which packages are looked for")
		flags.StringVar(&old.revision, "against", "", "`revision` of the old version: HEAD if empty, or that of the new one if toolchains or flags differ")
		flags.StringVar(&now.revision, "with", "", "`revision` of the new version, in place of the folder as it is")
		flags.StringVar(&old.toolchain, "old-go", "", "`toolchain` of the old version, such as go1.26.8")
		flags.StringVar(&now.toolchain, "new-go", "", "`toolchain` of the new version")
		flags.StringVar(&old.flags, "old-flags", "", "`flags` of go build for the old version, such as -pgo=off")
		flags.StringVar(&now.flags, "new-flags", "", "`flags` of go build for the new version; GOFLAGS has those of both")
		flags.BoolVar(&c.places, "places", false, "show what link orders do to one version, and whether alignment ends it")
		flags.BoolVar(&c.counts, "counts", false, "count instructions and branches, too, by valgrind")
		flags.StringVar(&c.bench, "bench", ".", "`regexp` of benchmarks, as go test has it")
		flags.IntVar(&c.cpu, "cpu", 1, "GOMAXPROCS, which is larger for benchmarks that start `goroutines`; there is more noise then")
		flags.DurationVar(&c.limit, "time", time.Minute, "for all of it, building included")
		flags.Float64Var(&c.within, "within", 1, "half width of intervals that are narrow enough to end early, in `percent`")
		flags.Float64Var(&c.over, "fail-over", math.Inf(1), "exit with status 1 if an interval lies wholly beyond so many `percent` slower")
		flags.BoolVar(&c.failAllocs, "fail-allocs", false, "exit with status 1 if a benchmark allocates more often, or more bytes")
		flags.BoolVar(&c.markdown, "markdown", false, "print what differs as Markdown, for a pull request")
		flags.BoolVar(&c.json, "json", false, "print JSON, for a program")
		flags.Func("o", "`file` for measurements in the Go benchmark format, with a key side", func(name string) error {
			c.out = name
			return outfile.Check("measurements", name)
		})
		return func(ctx context.Context, env *cli.Env, args []string) error {
			return cli.Status(exitUnknown, c.compare(ctx, env, args))
		}
	}}
}

// comparison is one run of the command.
type comparison struct {
	dir, bench, out            string
	versions                   [2]version
	limit                      time.Duration
	within, over               float64 // in percent
	cpu                        int
	places, counts, failAllocs bool
	markdown, json             bool

	env      *cli.Env
	folder   string // for temporary files
	packages []*pkg
	equal    []string // packages that are the same program in both versions
	apart    []string // packages that only one version has
	rows     []*row
	ratios   []estimate.Row
	rule     estimate.Rule // by which they are judged
	m        measure.Measurement
	seed     int // of link orders
	bar      *progressbar.ProgressBar
	started  time.Time
}

// exitUnknown is the exit status if something could not be measured. It is another one than
// that of a limit, so that nothing that was not measured reads as passed, or as slower.
const exitUnknown = 3

// choose finds misuses of the flags, and completes the two versions.
func (c *comparison) choose() error {
	old, now := &c.versions[before], &c.versions[after]
	builds := old.toolchain != now.toolchain || old.flags != now.flags
	_, pattern := regexp.Compile(c.bench)
	info, folder := os.Stat(c.dir)
	valgrind := measure.Installed()
	switch {
	case pattern != nil:
		return cli.Misuse("-bench: %w", pattern)
	case folder != nil || !info.IsDir():
		return cli.Misuse("-C %s: no such folder; want one of a Go module", c.dir)
	case c.cpu < 1 || c.limit <= 0 || !(c.within > 0): // NaN is not
		return cli.Misuse("-cpu %d -time %v -within %v: want numbers above 0", c.cpu, c.limit, c.within)
	case !(c.over >= 0):
		return cli.Misuse("-fail-over %v: want 0 percent or more", c.over)
	case c.counts && valgrind != nil:
		return cli.Misuse("-counts: %w", valgrind)
	case c.places && (builds || old.revision != "" || c.counts || c.json || c.failAllocs || !math.IsInf(c.over, 1)):
		return cli.Misuse("-places shows one version, and compares nothing; want -with at the most, and none of -against, -old-go, -new-go, -old-flags, -new-flags, -counts, -fail-over, -fail-allocs, -json")
	case c.places:
		old.revision, now.flags, c.m.Wanted = now.revision, align, wantedOrders/4
	case old.revision == "" && builds:
		old.revision = now.revision
	case old.revision == "":
		old.revision = "HEAD"
	}
	return nil
}

// compare says on standard output what it finds, and what is beyond a limit by its error.
func (c *comparison) compare(ctx context.Context, env *cli.Env, patterns []string) (err error) {
	if err := c.choose(); err != nil {
		return err
	}
	if c.folder, err = os.MkdirTemp("", "ab-"); err != nil {
		return err
	}
	defer os.RemoveAll(c.folder)
	c.env, c.seed, c.started = env, rand.IntN(1<<30), time.Now()
	limited, cancel := context.WithTimeout(ctx, c.limit)
	defer cancel()
	if err = c.find(limited, patterns); err == nil { // else nobody is waited for
		spent := time.Since(c.started)
		unlock, failed := cli.LockMeasuring(ctx, env)
		if failed != nil {
			return failed
		}
		defer unlock()
		c.started = time.Now().Add(-spent)
		limited, cancel = context.WithTimeout(ctx, c.limit-spent)
		defer cancel()
		c.bar = env.Progress(int64(c.limit/time.Second), "building and measuring")
		if err = c.leaveOutEqual(limited); err == nil {
			err = c.measure(limited)
		}
		c.bar.Finish()
	}
	if limited.Err() != nil && ctx.Err() == nil {
		err = nil // what is known is said
	}
	switch {
	case err == nil && len(c.rows) == 0 && len(c.packages) == 0 && len(c.equal) > 0:
		return c.print(nil)
	case err == nil && len(c.rows) == 0 && limited.Err() != nil:
		return fmt.Errorf("nothing was measured in %v; want a longer -time", c.limit)
	case len(c.rows) == 0:
		return cmp.Or(err, fmt.Errorf("-bench %s matches no benchmark", c.bench))
	}
	if c.out != "" {
		err = cmp.Or(outfile.Write("measurements", c.out, c.file()), err)
	}
	findings := c.judge()
	err = cmp.Or(c.print(findings), err)
	if len(c.m.Lines()) == 0 {
		err = cmp.Or(err, errors.New("no benchmark could be measured"))
	}
	return cmp.Or(err, c.beyond(findings))
}
