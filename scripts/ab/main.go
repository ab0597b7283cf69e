// Ab compares the benchmarks of two versions of any Go package. They take turns in
// slices of milliseconds, in many link orders.
package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
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

func command() cli.Command {
	return cli.Command{
		Name:     "ab",
		Synopsis: "[flags] [PACKAGE]",
		Help: `Ab compares the benchmarks of two versions of a Go package: a revision and what is in
the folder, or two revisions. Each is linked in many orders, and all take turns in slices
of milliseconds. The table has the time of the old version, the ratio of the new over
the old with its 95 % interval, or ~ if that contains 1, and the same of the old version
linked again: noise. docs/program.md tells how to read it.

It changes nothing in the folder or in its git repository. Ctrl-C prints what is known.`,
		Examples: `
			go run ./scripts/ab -C ../mine                                   # what is not committed
			go run ./scripts/ab -C ../mine -against HEAD~1 -bench Compress ./fse
			go run ./scripts/ab -C ../mine -against v1.2.0 -with v1.3.0 -time 3m ./fse
			go run ./scripts/ab -C ../mine -against main -markdown -fail-over 2% # in a workflow
			go run ./scripts/ab -C ../mine -o ab.txt && go tool benchstat -col side ab.txt`,
		MaxArgs: 1,
		Setup: func(flags *flag.FlagSet) cli.Run {
			c := &comparison{within: 0.01, over: percent(math.Inf(1))}
			flags.StringVar(&c.dir, "C", ".", "`folder` in which the package is looked for")
			flags.StringVar(&c.revisions[ab.Old], "against", "HEAD", "`revision` of the old version")
			flags.StringVar(&c.revisions[ab.New], "with", "", "`revision` of the new version, in place of the folder as it is")
			flags.StringVar(&c.bench, "bench", ".", "`regexp` of benchmarks, as go test has it")
			flags.StringVar(&c.tags, "tags", "", "build tags, with commas between")
			flags.StringVar(&c.processors, "cpu", "", "`list` of values of GOMAXPROCS, with commas between")
			flags.DurationVar(&c.limit, "time", time.Minute, "for all of it, building included")
			flags.Var(&c.within, "within", "half `width` of an interval that is narrow enough; if all are, it ends early")
			flags.Var(&c.over, "fail-over", "exit with status 1 if an interval lies wholly beyond so much `slower`")
			flags.StringVar(&c.out, "o", "", "`file` for the measurements, in the Go benchmark format, with a key side")
			flags.BoolVar(&c.markdown, "markdown", false, "print Markdown, for a pull request")
			return c.run
		},
	}
}

// percent is a flag such as 2%.
type percent float64

func (p *percent) String() string { return fmt.Sprintf("%g%%", 100*float64(*p)) }

func (p *percent) Set(text string) error {
	value, err := strconv.ParseFloat(strings.TrimSuffix(text, "%"), 64)
	if err != nil || !(value > 0) {
		return errors.New("want a percentage such as 2%")
	}
	*p = percent(value / 100)
	return nil
}

// comparison is one run of the command.
type comparison struct {
	dir, bench, tags, processors, out string
	revisions                         [2]string // of the old and the new version
	limit                             time.Duration
	within, over                      percent
	markdown                          bool

	folder   string // for temporary files
	labels   [2]string
	packages [2]*ab.Package
	seed     int       // of link orders
	started  time.Time // when what is in the user's folder was read
}

var errEqual = errors.New("the versions are equal")

func (c *comparison) run(ctx context.Context, env *cli.Env, args []string) (err error) {
	m := &ab.Measurement{Bench: c.bench, Processors: strings.Split(c.processors, ","), Within: float64(c.within), Link: c.link, Start: c.start}
	if err := c.check(m); err != nil {
		return err
	}
	if c.folder, err = os.MkdirTemp("", "ab-"); err != nil {
		return err
	}
	defer os.RemoveAll(c.folder)
	limited, cancel := context.WithTimeout(ctx, c.limit)
	defer cancel()
	c.started, c.seed = time.Now(), rand.IntN(1<<30)
	bar := env.Progress(int64(c.limit/time.Second), "building")
	m.Step = func(rows int) {
		bar.Describe(fmt.Sprintf("measuring %d of %d benchmarks", rows, len(m.Rows)))
		bar.Set(int(time.Since(c.started) / time.Second))
	}
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
		return cmp.Or(err, fmt.Errorf("-bench %s: %s has no such benchmark", c.bench, c.packages[ab.Old].ImportPath))
	}
	r := newReport(m, c.labels, float64(c.over))
	if c.out != "" {
		err = errors.Join(err, outfile.Write("measurements", c.out, r.file(m, c.packages[ab.Old].ImportPath)))
	}
	fmt.Fprint(env.Stdout, r.text(c.markdown))
	if err == nil && len(r.beyond) > 0 {
		err = fmt.Errorf("slower by more than %s: %s", &c.over, strings.Join(r.beyond, ", "))
	}
	return err
}

// check says what is wrong with the flags.
func (c *comparison) check(m *ab.Measurement) error {
	if _, err := regexp.Compile(c.bench); err != nil {
		return cli.Misuse("-bench: %v", err)
	}
	if c.limit < time.Second {
		return cli.Misuse("-time is %v; want a second or more", c.limit)
	}
	for _, p := range m.Processors {
		if n, err := strconv.Atoi(p); c.processors != "" && (err != nil || n < 1) {
			return cli.Misuse("-cpu is %q; want numbers such as 1,2", c.processors)
		}
	}
	if info, err := os.Stat(c.dir); err != nil || !info.IsDir() {
		return cli.Misuse("-C is %q; want a folder", c.dir)
	}
	if c.out == "" {
		return nil
	}
	return outfile.Check("measurements", c.out)
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
		if err := os.Mkdir(folder+".overlay", 0o700); err != nil {
			return err
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

// link links all sides. The old and the new version have the same first order, as equal
// versions are then equal files.
func (c *comparison) link(ctx context.Context, order int) error {
	var group errgroup.Group
	if order == 0 {
		group.SetLimit(1) // what one compiles the next finds in the cache
	}
	for side := range ab.Sides {
		number := c.seed + ab.Sides*order + side
		if order == 0 && side == ab.New {
			number = c.seed
		}
		group.Go(func() error {
			if err := c.packages[side%ab.Again].Link(ctx, number+1, c.binary(side)); err != nil {
				return fmt.Errorf("%s: %w", c.labels[side%ab.Again], err)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil || order > 0 {
		return cmp.Or(err, c.changed())
	}
	first, err := os.ReadFile(c.binary(ab.Old))
	second, err2 := os.ReadFile(c.binary(ab.New))
	if bytes.Equal(first, second) {
		return cmp.Or(err, err2, errEqual)
	}
	return cmp.Or(err, err2)
}

// changed says that the user's folder was changed since it was read, as far as that is
// known by its sources.
func (c *comparison) changed() error {
	if c.revisions[ab.New] != "" {
		return nil
	}
	return filepath.WalkDir(c.packages[ab.New].Module.Dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" {
			return nil
		}
		if info, err := entry.Info(); err == nil && info.ModTime().After(c.started) {
			return fmt.Errorf("%s was changed while it was measured; want it left alone, or a revision by -with", path)
		}
		return nil
	})
}

func (c *comparison) start(ctx context.Context, side, order int, processors string) (ab.Process, error) {
	return launch.Start(ctx, c.packages[side%ab.Again].Command(ctx, c.binary(side), processors))
}
