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
	"slices"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"

	"raysteps/common/outfile"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/measure"
)

func main() { cli.Main(command) }

//go:embed doc.go
var manual string

var command = cli.Command{
	Name:     "ab",
	Synopsis: "[flags] [PACKAGE ...]",
	Manual:   manual,
	MaxArgs:  math.MaxInt,
	Setup: func(flags *flag.FlagSet) cli.Run {
		c := &comparison{}
		flags.StringVar(&c.dir, "C", ".", "`folder` in which packages are looked for")
		flags.StringVar(&c.revisions[before], "against", "HEAD", "`revision` of the old version")
		flags.StringVar(&c.revisions[after], "with", "", "`revision` of the new version, in place of the folder as it is")
		flags.StringVar(&c.bench, "bench", ".", "`regexp` of benchmarks, as go test has it")
		flags.StringVar(&c.tags, "tags", "", "build `tags`, with commas between")
		flags.IntVar(&c.cpu, "cpu", 1, "GOMAXPROCS, which is larger for benchmarks that start `goroutines`; there is more noise then")
		flags.DurationVar(&c.limit, "time", time.Minute, "for all of it, building included")
		flags.Float64Var(&c.within, "within", 1, "half width of intervals that are narrow enough to end early, in `percent`")
		flags.Float64Var(&c.over, "fail-over", math.Inf(1), "exit with status 1 if an interval lies wholly beyond so many `percent` slower")
		flags.BoolVar(&c.failAllocs, "fail-allocs", false, "exit with status 1 if a benchmark allocates more often, or more bytes")
		flags.BoolVar(&c.markdown, "markdown", false, "print Markdown, for a pull request")
		flags.BoolVar(&c.json, "json", false, "print JSON, for a program")
		flags.Func("o", "`file` for measurements in the Go benchmark format, with a key side", func(name string) error {
			c.out = name
			return outfile.Check("measurements", name)
		})
		return c.run
	},
}

// comparison is one run of the command.
type comparison struct {
	dir, bench, tags, out      string
	revisions                  [2]string
	limit                      time.Duration
	within, over               float64 // in percent
	cpu                        int
	markdown, json, failAllocs bool

	env      *cli.Env
	labels   [2]string // of the versions
	folder   string    // for temporary files
	packages []*pkg
	equal    []string // packages that are the same program in both versions
	apart    []string // packages that only one version has
	rows     []*row
	m        measure.Measurement
	seed     int // of link orders
	bar      *progressbar.ProgressBar
	started  time.Time
	promised bool // how long it takes was said
}

// exitUnknown is the exit status if something could not be measured. It is another one than
// that of a limit, so that nothing that was not measured reads as passed, or as slower.
const exitUnknown = 3

func (c *comparison) run(ctx context.Context, env *cli.Env, args []string) error {
	over, err := c.compare(ctx, env, args)
	if err != nil {
		return cli.Status(exitUnknown, err)
	}
	if len(over) > 0 {
		return errors.New(strings.Join(over, "; "))
	}
	return nil
}

// compare says on standard output what it finds. Over is what is beyond a limit.
func (c *comparison) compare(ctx context.Context, env *cli.Env, patterns []string) (over []string, err error) {
	if _, err := regexp.Compile(c.bench); err != nil {
		return nil, cli.Misuse("-bench: %w", err)
	}
	if info, err := os.Stat(c.dir); err != nil || !info.IsDir() {
		return nil, cli.Misuse("-C %s: no such folder; want one of a Go module", c.dir)
	}
	if c.cpu < 1 || c.limit <= 0 || c.within <= 0 {
		return nil, cli.Misuse("-cpu %d -time %v -within %v: want numbers above 0", c.cpu, c.limit, c.within)
	}
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	if c.folder, err = os.MkdirTemp("", "ab-"); err != nil {
		return nil, err
	}
	defer os.RemoveAll(c.folder)
	unlock, err := cli.LockMeasuring(ctx, env)
	if err != nil {
		return nil, err
	}
	defer unlock()
	limited, cancel := context.WithTimeout(ctx, c.limit)
	defer cancel()
	c.env, c.seed, c.started = env, rand.IntN(1<<30), time.Now()
	c.bar = env.Progress(int64(c.limit/time.Second), "building and measuring")
	if err = c.find(limited, patterns); err == nil {
		err = c.measure(limited)
	}
	c.bar.Finish()
	if limited.Err() != nil && ctx.Err() == nil {
		err = nil // what is known is said
	}
	switch {
	case err == nil && len(c.rows) == 0 && len(c.packages) == 0 && len(c.equal) > 0:
		return nil, c.print(nil)
	case err == nil && len(c.rows) == 0 && limited.Err() != nil:
		return nil, fmt.Errorf("%v were over before anything was measured; want a longer -time", c.limit)
	case len(c.rows) == 0:
		return nil, cmp.Or(err, fmt.Errorf("-bench %s matches no benchmark", c.bench))
	}
	if c.out != "" {
		err = cmp.Or(outfile.Write("measurements", c.out, c.file()), err)
	}
	findings := c.judge()
	err = cmp.Or(c.print(findings), err)
	if !slices.ContainsFunc(c.rows, func(r *row) bool { return len(r.group.Lines) > 0 }) {
		err = cmp.Or(err, errors.New("no benchmark could be measured"))
	}
	return c.beyond(findings), err
}
