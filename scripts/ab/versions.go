package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/measure"
)

// The versions, and the sides of a measurement: again is the old version in another link
// order. Its difference is noise.
const (
	before = iota
	after
	again
)

// sides names them in a file.
var sides = []string{"old", "new", "again"}

// pkg is a package in both versions.
type pkg struct {
	path     string
	versions [2]*measure.Package
	unit     *measure.Unit
}

// find gets the packages of both versions that patterns name, and leaves out those whose
// test programs are equal.
func (c *comparison) find(ctx context.Context, patterns []string) error {
	settings, err := cli.Output(ctx, c.dir, nil, "go", "env", "GOWORK", "GOFLAGS")
	if err != nil {
		return fmt.Errorf("-C %s: %w", c.dir, err)
	}
	work, goflags, _ := strings.Cut(settings, "\n")
	if c.tags != "" {
		goflags += " -tags=" + c.tags
	}
	one := len(patterns) == 1 && !strings.Contains(patterns[0], "...")
	var found [2][]*measure.Package
	for version, revision := range c.revisions {
		// Without the names of folders equal sources make equal programs. GOFLAGS may say otherwise.
		env := append(os.Environ(), "GOFLAGS="+strings.TrimSpace("-trimpath "+goflags))
		dir, folder := c.dir, filepath.Join(c.folder, fmt.Sprint(version))
		c.labels[version] = "the folder as it is"
		if revision != "" {
			if dir, err = c.checkOut(ctx, version, folder); err != nil {
				return err
			}
			if filepath.IsAbs(work) {
				env = append(env, "GOWORK=") // the revision has its own
				if own, _ := cli.Output(ctx, dir, env, "go", "env", "GOWORK"); own == "" {
					return fmt.Errorf("%s has no go.work, and the folder uses %s; want GOWORK=off, or a go.work that git knows", c.labels[version], work)
				}
			}
		}
		all, err := measure.Find(ctx, dir, folder+".overlay", env, patterns...)
		if err != nil {
			return c.unknown(ctx, dir, env, patterns, version, err)
		}
		found[version] = slices.DeleteFunc(slices.Clone(all), func(p *measure.Package) bool { return len(p.Functions) == 0 || p.Module.Dir == "" })
		if one && len(found[version]) == 0 && len(all) > 0 {
			return fmt.Errorf("%s: package %s has no benchmarks, or no module; want a func BenchmarkName(b *testing.B) in a file that ends in _test.go", c.labels[version], all[0].ImportPath)
		}
	}
	for version, all := range found {
		for _, p := range all {
			i := slices.IndexFunc(found[1-version], func(other *measure.Package) bool { return other.ImportPath == p.ImportPath })
			if i < 0 {
				c.apart = append(c.apart, p.ImportPath)
			} else if version == before {
				c.packages = append(c.packages, &pkg{path: p.ImportPath, versions: [2]*measure.Package{p, found[after][i]}})
			}
		}
	}
	if len(c.packages) == 0 {
		return fmt.Errorf("%s names no package that has benchmarks in both versions; want one with a func BenchmarkName(b *testing.B) in a file that ends in _test.go", strings.Join(patterns, " "))
	}
	return c.leaveOutEqual(ctx)
}

// unknown returns an error of a pattern that names no package of a version, which lies in a
// folder, or else what went wrong.
func (c *comparison) unknown(ctx context.Context, dir string, env, patterns []string, version int, failure error) error {
	if _, err := cli.Output(ctx, dir, env, "go", "list", "-m"); err == nil {
		for _, pattern := range patterns {
			if _, err := cli.Output(ctx, dir, env, "go", "list", "-find", pattern); err != nil && ctx.Err() == nil {
				reason := err.Error()
				for _, folder := range []string{dir, filepath.Join(c.folder, fmt.Sprint(version))} {
					reason = strings.ReplaceAll(reason, folder+string(filepath.Separator), "")
				}
				return cli.Misuse("%s has no package %q; want a folder such as ./step06, or an import path, as go list takes them: %s", c.labels[version], pattern, strings.TrimPrefix(reason, "exit status 1: "))
			}
		}
	}
	return fmt.Errorf("%s: %w", c.labels[version], failure)
}

// checkOut writes a version to a folder, gives it a name, and returns what stands there for -C.
func (c *comparison) checkOut(ctx context.Context, version int, folder string) (dir string, err error) {
	places, err := cli.Output(ctx, c.dir, nil, "git", "rev-parse", "--show-toplevel", "--show-prefix")
	if err != nil {
		return "", fmt.Errorf("-C %s: want a folder of a git repository: %w", c.dir, err)
	}
	root, prefix, _ := strings.Cut(places, "\n")
	commit, err := measure.CheckOut(ctx, root, c.revisions[version], folder)
	if commit == "" && ctx.Err() == nil {
		return "", cli.Misuse("no revision %q in %s; want one that git log shows (git fetch --unshallow completes a shallow clone)", c.revisions[version], root)
	}
	dir, c.labels[version] = filepath.Join(folder, filepath.FromSlash(prefix)), fmt.Sprintf("%s (%s)", c.revisions[version], commit)
	if _, missing := os.Stat(dir); err == nil && missing != nil {
		err = fmt.Errorf("%s has no folder %s; want a revision that has it", c.labels[version], prefix)
	}
	return dir, err
}

// leaveOutEqual links each package in both versions in the same order, and leaves out those
// that are the same program. The first one is linked alone: what it compiles is in the cache
// then.
func (c *comparison) leaveOutEqual(ctx context.Context) error {
	for i, p := range c.packages {
		p.unit = &measure.Unit{}
		for side := range sides {
			version, first := side%again, c.seed+1+side<<20
			name := c.labels[version]
			if len(c.packages) > 1 {
				name += ": " + p.path
			}
			s := p.versions[version].Side(filepath.Join(c.folder, fmt.Sprintf("%d-%d.exe", i, side)), func(order int) int {
				if order == 0 && side == after {
					return c.seed + 1
				}
				return first + order
			}, map[string]string{"pkg": p.path, "side": sides[side]})
			link := s.Link
			s.Link = func(ctx context.Context, order int) error {
				if err := link(ctx, order); err != nil {
					return fmt.Errorf("%s: %w", name, err)
				}
				return nil
			}
			p.unit.Sides = append(p.unit.Sides, s)
		}
	}
	group, limited := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for i, p := range c.packages {
		for _, s := range p.unit.Sides[:again] {
			link := func() error { return s.Link(limited, 0) }
			if i > 0 {
				group.Go(link)
			} else if err := link(); err != nil {
				return err
			}
		}
	}
	if err := group.Wait(); err != nil {
		return err
	}
	all := c.packages
	c.packages = nil
	for i, p := range all {
		first, err := os.ReadFile(filepath.Join(c.folder, fmt.Sprintf("%d-%d.exe", i, before)))
		second, _ := os.ReadFile(filepath.Join(c.folder, fmt.Sprintf("%d-%d.exe", i, after)))
		if err == nil && bytes.Equal(first, second) {
			c.equal = append(c.equal, p.path)
		} else {
			c.packages = append(c.packages, p)
		}
	}
	return nil
}
