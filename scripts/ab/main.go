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
	"slices"
	"strings"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/sync/errgroup"

	"raysteps/common/outfile"
	"raysteps/scripts/internal/ab"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/launch"
)

func main() { cli.Main(command) }

//go:embed doc.go
var manual string

var command = cli.Command{
	Name:     "ab",
	Synopsis: "[flags] [PACKAGE]",
	Manual:   manual,
	MaxArgs:  1,
	Setup: func(flags *flag.FlagSet) cli.Run {
		c := &comparison{}
		flags.StringVar(&c.dir, "C", ".", "`folder` in which the package is looked for")
		flags.StringVar(&c.revisions[ab.Old], "against", "HEAD", "`revision` of the old version")
		flags.StringVar(&c.revisions[ab.New], "with", "", "`revision` of the new version, in place of the folder as it is")
		flags.StringVar(&c.bench, "bench", ".", "`regexp` of benchmarks, as go test has it")
		flags.StringVar(&c.tags, "tags", "", "build `tags`, with commas between")
		flags.IntVar(&c.cpu, "cpu", 1, "GOMAXPROCS, which is larger for benchmarks that start `goroutines`; there is more noise then")
		flags.DurationVar(&c.limit, "time", time.Minute, "for all of it, building included")
		flags.Float64Var(&c.within, "within", 1, "half width of intervals that are narrow enough to end early, in `percent`")
		flags.Float64Var(&c.over, "fail-over", math.Inf(1), "exit with status 1 if an interval lies wholly beyond so many `percent` slower")
		flags.BoolVar(&c.markdown, "markdown", false, "print Markdown, for a pull request")
		flags.Func("o", "`file` for measurements in the Go benchmark format, with a key side", func(name string) error {
			c.out = name
			return outfile.Check("measurements", name)
		})
		return c.run
	},
}

// comparison is one run of the command.
type comparison struct {
	dir, bench, tags, out string
	revisions, labels     [2]string // of the old and the new version
	limit                 time.Duration
	within, over          float64
	cpu, seed             int // the seed is of link orders
	markdown              bool
	folder                string // for temporary files
	packages              [2]*ab.Package
	bar                   *progressbar.ProgressBar
	started               time.Time
}

var errEqual = errors.New("the versions are equal")

func (c *comparison) run(ctx context.Context, env *cli.Env, args []string) (err error) {
	if _, err := regexp.Compile(c.bench); err != nil {
		return cli.Misuse("-bench: %w", err)
	}
	if info, err := os.Stat(c.dir); err != nil || !info.IsDir() {
		return cli.Misuse("-C %s: no such folder; want one of a Go module", c.dir)
	}
	if c.cpu < 1 || c.limit <= 0 || c.within <= 0 {
		return cli.Misuse("-cpu %d -time %v -within %v: want numbers above 0", c.cpu, c.limit, c.within)
	}
	if c.folder, err = os.MkdirTemp("", "ab-"); err != nil {
		return err
	}
	defer os.RemoveAll(c.folder)
	limited, cancel := context.WithTimeout(ctx, c.limit)
	defer cancel()
	c.seed, c.started, c.bar = rand.IntN(1<<30), time.Now(), env.Progress(int64(c.limit/time.Second), "building and measuring")
	m := &ab.Measurement{Bench: c.bench, Within: c.within / 100, Link: c.link}
	m.Start = func(ctx context.Context, side int) (launch.Server, error) {
		return launch.Start(ctx, c.packages[side%ab.Again].Command(ctx, c.binary(side), fmt.Sprint("-test.cpu=", c.cpu)))
	}
	if err = c.find(limited, append(args, ".")[0]); err == nil {
		m.Functions = slices.Concat(c.packages[ab.Old].Functions, c.packages[ab.New].Functions)
		err = m.Run(limited)
	}
	c.bar.Finish()
	switch {
	case errors.Is(err, errEqual):
		_, err = fmt.Fprintf(env.Stdout, "%s and %s make the same program, to the byte: there is nothing to measure.\n", c.labels[ab.Old], c.labels[ab.New])
		return err
	case limited.Err() != nil && ctx.Err() == nil && len(m.Rows) == 0:
		return fmt.Errorf("%v were over before anything was measured; want a longer -time", c.limit)
	case len(m.Rows) == 0:
		return cmp.Or(err, fmt.Errorf("-bench %s matches no benchmark of the package", c.bench))
	}
	if c.out != "" {
		err = cmp.Or(outfile.Write("measurements", c.out, file(m, c.labels, c.packages[ab.Old].ImportPath)), err)
	}
	text, beyond := report(m, c.labels, c.over/100, c.markdown)
	fmt.Fprint(env.Stdout, text)
	if !slices.ContainsFunc(m.Rows, func(r *ab.Row) bool { return len(r.Levels) > 0 }) {
		err = cmp.Or(err, errors.New("no benchmark could be measured"))
	}
	if len(beyond) > 0 {
		err = cmp.Or(err, fmt.Errorf("slower by more than %g%%: %s", c.over, strings.Join(beyond, ", ")))
	}
	return err
}

// find gets both versions of a package.
func (c *comparison) find(ctx context.Context, pattern string) error {
	settings, err := cli.Output(ctx, c.dir, nil, "go", "env", "GOWORK", "GOFLAGS")
	if err != nil {
		return fmt.Errorf("-C %s: %w", c.dir, err)
	}
	work, goflags, _ := strings.Cut(settings, "\n")
	if c.tags != "" {
		goflags += " -tags=" + c.tags
	}
	for side, revision := range c.revisions {
		// Without the names of folders equal sources make equal programs. GOFLAGS may say otherwise.
		env := append(os.Environ(), "GOFLAGS="+strings.TrimSpace("-trimpath "+goflags))
		dir, folder := c.dir, filepath.Join(c.folder, fmt.Sprint(side))
		c.labels[side] = "the folder as it is"
		if revision != "" {
			if dir, c.labels[side], err = c.checkOut(ctx, revision, folder); err != nil {
				return err
			}
			if filepath.IsAbs(work) {
				env = append(env, "GOWORK=") // the revision has its own
				if own, _ := cli.Output(ctx, dir, env, "go", "env", "GOWORK"); own == "" {
					return fmt.Errorf("%s has no go.work, and the folder uses %s; want GOWORK=off, or a go.work that git knows", c.labels[side], work)
				}
			}
		}
		found, err := ab.Find(ctx, dir, folder+".overlay", env, pattern)
		if err == nil && len(found) != 1 {
			err = cli.Misuse("%s does not name one package; want one with benchmarks, such as ./fse", pattern)
		} else if err == nil && (len(found[0].Functions) == 0 || found[0].Module.Dir == "") {
			err = fmt.Errorf("package %s has no benchmarks, or no module; want a func BenchmarkName(b *testing.B) in a file that ends in _test.go", found[0].ImportPath)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", c.labels[side], err)
		}
		c.packages[side] = found[0]
	}
	return nil
}

// checkOut writes a revision to a folder, and returns what stands there for -C, with a name
// for it.
func (c *comparison) checkOut(ctx context.Context, revision, folder string) (dir, label string, err error) {
	places, err := cli.Output(ctx, c.dir, nil, "git", "rev-parse", "--show-toplevel", "--show-prefix")
	if err != nil {
		return "", "", fmt.Errorf("-C %s: want a folder of a git repository: %w", c.dir, err)
	}
	root, prefix, _ := strings.Cut(places, "\n")
	commit, err := launch.CheckOut(ctx, root, revision, folder)
	if commit == "" {
		return "", "", cli.Misuse("no revision %q in %s; want one that git log shows (git fetch --unshallow completes a shallow clone)", revision, root)
	}
	dir, label = filepath.Join(folder, filepath.FromSlash(prefix)), fmt.Sprintf("%s (%s)", revision, commit)
	if _, missing := os.Stat(dir); err == nil && missing != nil {
		err = fmt.Errorf("%s has no folder %s; want a revision that has it", label, prefix)
	}
	return dir, label, err
}

// binary names the file of a side, with an ending that Windows wants.
func (c *comparison) binary(side int) string {
	return filepath.Join(c.folder, fmt.Sprint(side, ".exe"))
}

// link links all sides. The first order of both versions is the same: equal ones are
// equal files then.
func (c *comparison) link(ctx context.Context, order int) error {
	c.bar.Set(int(time.Since(c.started) / time.Second))
	var group errgroup.Group
	group.SetLimit(order + 1) // what is compiled first is in the cache then
	for side := range ab.Sides {
		number, version := c.seed+ab.Sides*order+side*min(1, order+side/ab.Again), side%ab.Again
		group.Go(func() error {
			if err := c.packages[version].Link(ctx, number+1, c.binary(side)); err != nil {
				return fmt.Errorf("%s: %w", c.labels[version], err)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil || order > 0 {
		return err
	}
	first, _ := os.ReadFile(c.binary(ab.Old))
	second, _ := os.ReadFile(c.binary(ab.New))
	if bytes.Equal(first, second) {
		return errEqual
	}
	return nil
}
