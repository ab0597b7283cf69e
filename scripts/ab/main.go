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
	"strings"
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
		c := &comparison{}
		c.m = measure.Measurement{
			MaxOrders: orders, MaxRounds: rounds, TargetOrders: wantedOrders, KeepGoing: true,
		}
		c.flags(flags)
		return func(ctx context.Context, env *cli.Env, args []string) error {
			patterns, err := packagesAmong(flags, args)
			if err != nil {
				return err
			}
			return cli.Status(exitUnknown, c.compare(ctx, env, patterns))
		}
	}}
}

// flags declares the flags of the command.
func (c *comparison) flags(flags *flag.FlagSet) {
	old, now := &c.versions[before], &c.versions[after]
	flags.StringVar(&c.dir, "C", ".", "`folder` in which packages are looked for")
	flags.StringVar(&old.revision, "against", "", "`revision` of the old version: HEAD if empty, or that of the new one if toolchains or flags differ")
	flags.StringVar(&now.revision, "with", "", "`revision` of the new version, instead of the folder as it is")
	flags.StringVar(&old.toolchain, "old-go", "", "`toolchain` of the old version, such as go1.26.8")
	flags.StringVar(&now.toolchain, "new-go", "", "`toolchain` of the new version")
	flags.StringVar(&old.flags, "old-flags", "", "`flags` of go build for the old version, such as -pgo=off")
	flags.StringVar(&now.flags, "new-flags", "", "`flags` of go build for the new version; GOFLAGS has those of both")
	flags.BoolVar(&c.places, "places", false, "show what link orders do to one version, and whether alignment ends it")
	flags.BoolVar(&c.floor, "floor", false, "measure one version against itself, and say the smallest -fail-over that holds")
	flags.Float64Var(&c.canary, "canary", 0, "plant so many `percent` of work in the benchmarks of one version, and say how many are called")
	flags.BoolVar(&c.counts, "counts", false, "count instructions and branches, too, by valgrind")
	flags.StringVar(&c.bench, "bench", ".", "`regexp` of benchmarks, as go test has it")
	flags.StringVar(&c.cpu, "cpu", "1", "`list` of GOMAXPROCS, which are larger for benchmarks that start goroutines; there is more noise then")
	flags.DurationVar(&c.limit, "time", time.Minute, "for all of it, building included")
	flags.Float64Var(&c.within, "within", 1, "half width of intervals that are narrow enough to end early, in `percent`")
	flags.Float64Var(&c.over, "fail-over", math.Inf(1), "exit with status 1 if an interval lies wholly beyond so many `percent` slower, and 3 if that is not known")
	flags.BoolVar(&c.failAllocs, "fail-allocs", false, "exit with status 1 if a benchmark allocates more often, or more bytes, and 3 if that is not known")
	flags.BoolVar(&c.markdown, "markdown", false, "print what differs as Markdown, for a pull request")
	flags.BoolVar(&c.json, "json", false, "print JSON, for a program")
	flags.Func("o", "`file` for measurements in the Go benchmark format, with a key side", func(name string) error {
		c.out = name
		return outfile.Check("measurements", name)
	})
}

// packagesAmong reads flags behind packages, as go test does, and returns the packages.
func packagesAmong(flags *flag.FlagSet, args []string) (packages []string, err error) {
	for len(args) > 0 {
		if !strings.HasPrefix(args[0], "-") {
			packages, args = append(packages, args[0]), args[1:]
			continue
		}
		if err := flags.Parse(args); err != nil {
			return nil, cli.Misuse("%v; -help lists the flags", err)
		}
		args = flags.Args()
	}
	return packages, nil
}

// comparison is one run of the command.
type comparison struct {
	dir, bench, out, cpu string
	versions             [2]version
	limit                time.Duration
	within, over, canary float64 // in percent
	processors           []int   // of the list cpu
	places, floor        bool
	counts, failAllocs   bool
	markdown, json       bool

	env      *cli.Env
	folder   string // for temporary files
	nm       string // the program that lists symbols, of -places
	doing    string // what takes the time before anything is measured
	packages []*pkg
	broken   []*pkg   // which cannot be loaded or linked
	equal    []string // packages that are the same program in both versions
	apart    []string // packages that only one version has
	rows     []*row
	ratios   []estimate.Row
	rule     estimate.Rule // by which they are judged
	m        measure.Measurement
	seed     int           // of link orders
	sample   *measure.Side // that is linked once more, for the forecast of how long linking takes
	bar      *progressbar.ProgressBar
	started  time.Time
	linked   time.Time // when measuring began, in the first link order
}

// exitUnknown is the exit status if something could not be measured. It is another one than
// that of a limit, so that nothing that was not measured reads as passed, or as slower.
const exitUnknown = 3

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
		unlock, failed := measure.Lock(ctx, env.Stderr)
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
	return c.conclude(err, limited.Err() != nil)
}

// conclude reports what was measured until an error, if there is one, or the time was over.
func (c *comparison) conclude(err error, over bool) error {
	switch {
	case err == nil && len(c.rows)+len(c.packages)+len(c.broken) == 0 && len(c.equal) > 0:
		return c.print(nil)
	case err == nil && len(c.rows)+len(c.broken) == 0 && over:
		return fmt.Errorf("nothing was measured in %v, which went by while %s; want a longer -time", c.limit, c.doing)
	case err == nil && len(c.rows)+len(c.packages) == 0 && len(c.broken) == 1 && len(c.equal) == 0:
		return errors.New(c.broken[0].reason(c))
	case len(c.rows)+len(c.broken) == 0:
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
	return cmp.Or(err, c.answer(findings))
}
