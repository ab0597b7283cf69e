package main

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"raysteps/common/outfile"
	"raysteps/scripts/internal/ab"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/launch"
)

func main() { cli.Main(command()) }

//go:embed doc.go
var manual string

func command() cli.Command {
	return cli.Command{
		Name:     "ab",
		Synopsis: "[flags] [PACKAGE]",
		Manual:   manual,
		MaxArgs:  1,
		Setup: func(flags *flag.FlagSet) cli.Run {
			c := &comparison{bench: ".", within: 0.01, over: math.Inf(1), processors: []string{""}}
			flags.StringVar(&c.dir, "C", ".", "`folder` in which the package is looked for")
			flags.StringVar(&c.revisions[ab.Old], "against", "HEAD", "`revision` of the old version")
			flags.StringVar(&c.revisions[ab.New], "with", "", "`revision` of the new version, in place of the folder as it is")
			flags.Func("bench", "`regexp` of benchmarks, as go test has it (default all)", func(text string) error {
				_, err := regexp.Compile(text)
				c.bench = text
				return err
			})
			flags.StringVar(&c.tags, "tags", "", "build tags, with commas between")
			flags.Func("cpu", "`list` of values of GOMAXPROCS, with commas between", func(text string) error {
				c.processors = strings.Split(text, ",")
				for _, p := range c.processors {
					if n, err := strconv.Atoi(p); err != nil || n < 1 {
						return errors.New("want numbers such as 1,2")
					}
				}
				return nil
			})
			flags.DurationVar(&c.limit, "time", time.Minute, "for all of it, building included")
			flags.Func("within", "half `width` of intervals that are narrow enough to end early (default 1%)", percentage(&c.within))
			flags.Func("fail-over", "exit with status 1 if an interval lies wholly beyond so much `slower`", percentage(&c.over))
			flags.StringVar(&c.out, "o", "", "`file` for measurements in the Go benchmark format, with a key side")
			flags.BoolVar(&c.markdown, "markdown", false, "print Markdown, for a pull request")
			return c.run
		},
	}
}

// percentage returns what reads a flag such as 2%.
func percentage(share *float64) func(string) error {
	return func(text string) error {
		value, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
		if *share = value / 100; err != nil || !(value > 0) {
			return errors.New("want a percentage such as 2%")
		}
		return nil
	}
}

// comparison is one run of the command.
type comparison struct {
	dir, bench, tags, out string
	processors            []string
	revisions             [2]string // of the old and the new version
	limit                 time.Duration
	within, over          float64
	markdown              bool

	folder   string // for temporary files
	labels   [2]string
	packages [2]*ab.Package
	seed     int // of link orders
	started  time.Time
}

var errEqual = errors.New("the versions are equal")

func (c *comparison) run(ctx context.Context, env *cli.Env, args []string) (err error) {
	if c.out != "" {
		if err := outfile.Check("measurements", c.out); err != nil {
			return err
		}
	}
	if c.folder, err = os.MkdirTemp("", "ab-"); err != nil {
		return err
	}
	defer os.RemoveAll(c.folder)
	limited, cancel := context.WithTimeout(ctx, c.limit)
	defer cancel()
	c.started, c.seed = time.Now(), rand.IntN(1<<30)
	bar := env.Progress(int64(c.limit/time.Second), "building")
	m := &ab.Measurement{Bench: c.bench, Processors: c.processors, Within: c.within, Link: c.link, Start: c.start, Step: func(rows int) {
		bar.Describe(fmt.Sprintf("measuring, benchmarks to go: %d", rows))
		bar.Set(int(time.Since(c.started) / time.Second))
	}}
	if err = c.find(limited, append(args, ".")[0]); err == nil {
		m.Functions = [2][]ab.Function{c.packages[ab.Old].Functions, c.packages[ab.New].Functions}
		err = m.Run(limited)
	}
	bar.Finish()
	switch {
	case errors.Is(err, errEqual):
		_, err = fmt.Fprintf(env.Stdout, "%s and %s make the same program, to the byte: there is nothing to measure.\n", c.labels[ab.Old], c.labels[ab.New])
		return err
	case limited.Err() != nil && ctx.Err() == nil && len(m.Rows) == 0:
		return fmt.Errorf("%v were over before anything was measured; want a longer -time", c.limit)
	case len(m.Rows) == 0:
		return cmp.Or(err, fmt.Errorf("-bench %s matches no benchmark of the package", c.bench))
	}
	r := newReport(m, c.labels, c.over)
	if c.out != "" {
		err = cmp.Or(outfile.Write("measurements", c.out, r.file(m, c.packages[ab.Old].ImportPath)), err)
	}
	fmt.Fprint(env.Stdout, r.text(c.markdown))
	if len(r.beyond) > 0 {
		err = cmp.Or(err, fmt.Errorf("slower by more than %g%%: %s", 100*c.over, strings.Join(r.beyond, ", ")))
	}
	return err
}

// find gets both versions of a package.
func (c *comparison) find(ctx context.Context, pattern string) error {
	repository, err := openRepository(ctx, c.dir)
	if err != nil {
		return err
	}
	settings, err := output(ctx, c.dir, nil, "go", "env", "GOWORK", "GOFLAGS")
	if err != nil {
		return err
	}
	work, goflags, _ := strings.Cut(settings, "\n")
	var flags []string
	if c.tags != "" {
		flags = []string{"-tags=" + c.tags}
	}
	for side, revision := range c.revisions {
		// Without the names of folders equal sources make equal programs. GOFLAGS may say otherwise.
		env := append(os.Environ(), "GOFLAGS="+strings.TrimSpace("-trimpath "+goflags))
		dir, folder := c.dir, filepath.Join(c.folder, strconv.Itoa(side))
		c.labels[side] = "the folder as it is"
		if revision != "" {
			if dir, c.labels[side], err = repository.checkOut(ctx, revision, folder); err != nil {
				return err
			}
			if filepath.IsAbs(work) {
				moved, err := repository.workspace(work, folder)
				if err != nil {
					return err
				}
				env = append(env, "GOWORK="+moved)
			}
		}
		if c.packages[side], err = ab.Find(ctx, dir, pattern, folder+".overlay", env, flags); err != nil {
			return fmt.Errorf("%s: %w", c.labels[side], err)
		}
	}
	return nil
}

// binary names the file of a side, with an ending that Windows wants.
func (c *comparison) binary(side int) string {
	return filepath.Join(c.folder, fmt.Sprint(side, ".exe"))
}

// link links all sides. The first order of both versions is the same: equal ones are
// equal files then.
func (c *comparison) link(ctx context.Context, order int) error {
	var group errgroup.Group
	if order == 0 {
		group.SetLimit(1) // what one compiles the next finds in the cache
	}
	for side := range ab.Sides {
		number, version := c.seed+ab.Sides*order+side, side%ab.Again
		if order == 0 && side == ab.New {
			number = c.seed
		}
		group.Go(func() error {
			if err := c.packages[version].Link(ctx, number+1, c.binary(side)); err != nil {
				return fmt.Errorf("%s: %w", c.labels[version], err)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	if order == 0 {
		first, err := os.ReadFile(c.binary(ab.Old))
		second, err2 := os.ReadFile(c.binary(ab.New))
		if err = cmp.Or(err, err2); err != nil || bytes.Equal(first, second) {
			return cmp.Or(err, errEqual)
		}
	}
	if name := c.packages[ab.New].ChangedSince(c.started); name != "" && c.revisions[ab.New] == "" {
		return fmt.Errorf("%s was changed meanwhile; want the folder left alone, or a revision by -with", name)
	}
	return nil
}

func (c *comparison) start(ctx context.Context, side, order int, processors string) (ab.Process, error) {
	return launch.Start(ctx, c.packages[side%ab.Again].Command(ctx, c.binary(side), processors))
}
