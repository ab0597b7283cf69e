package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/measure"
)

// The versions, and the sides of a measurement. With -places, before and again are one program,
// after is aligned, and others is linked in other orders.
const (
	before = iota
	after
	again
	others
)

// sides names them in a file, and sideVersions is what they are built from.
var (
	sides        = []string{"old", "new", "again", "others"}
	sideVersions = []int{before, after, before, before}
)

type version struct {
	revision         string // none for the folder as it is
	toolchain, flags string // as GOTOOLCHAIN and GOFLAGS have them
	label            string
	env, linker      []string // of the go command; the flags for the linker
}

type pkg struct {
	path     string
	versions [2]*measure.Package
	programs []string // files, of the sides
	unit     *measure.Unit
	odd      []map[string]bool // by link order of others: which functions begin at an odd multiple of 32 bytes
}

// find gets the packages of both versions that patterns name.
func (c *comparison) find(ctx context.Context, patterns []string) error {
	settings, err := cli.Output(ctx, c.dir, nil, "go", "env", "GOWORK", "GOFLAGS")
	if err != nil {
		return fmt.Errorf("-C %s: %w", c.dir, err)
	}
	work, goflags, _ := strings.Cut(settings, "\n")
	var found [2][]*measure.Package
	for i := range c.versions {
		if found[i], err = c.findVersion(ctx, &c.versions[i], filepath.Join(c.folder, fmt.Sprint(i)), work, goflags, patterns); err != nil {
			return err
		}
	}
	for version, all := range found {
		for _, p := range all {
			i := slices.IndexFunc(found[1-version], func(other *measure.Package) bool { return other.ImportPath == p.ImportPath })
			if i < 0 {
				c.apart = append(c.apart, p.ImportPath)
			} else if version == before {
				c.packages = append(c.packages, &pkg{path: p.ImportPath, versions: [2]*measure.Package{p, found[after][i]}, unit: &measure.Unit{}})
			}
		}
	}
	if len(c.packages) == 0 {
		return fmt.Errorf("%s: no package of a module has benchmarks in both versions; want a func BenchmarkName(b *testing.B) in a file that ends in _test.go", cmp.Or(strings.Join(patterns, " "), "."))
	}
	return nil
}

// findVersion returns the packages of a version that have benchmarks. A revision is written to
// a folder.
func (c *comparison) findVersion(ctx context.Context, v *version, folder, work, goflags string, patterns []string) ([]*measure.Package, error) {
	dir := c.dir
	v.label = "the folder as it is"
	if v.revision != "" {
		places, err := cli.Output(ctx, c.dir, nil, "git", "rev-parse", "--show-toplevel", "--show-prefix")
		if err != nil {
			return nil, fmt.Errorf("-C %s: want a folder of a git repository: %w", c.dir, err)
		}
		root, prefix, _ := strings.Cut(places, "\n")
		commit, err := measure.CheckOut(ctx, root, v.revision, folder)
		if err != nil {
			return nil, err
		}
		dir, v.label = filepath.Join(folder, filepath.FromSlash(prefix)), fmt.Sprintf("%s (%s)", v.revision, commit)
		if _, err := os.Stat(dir); err != nil {
			return nil, fmt.Errorf("%s has no folder %s; want a revision that has it", v.label, prefix)
		}
	}
	v.label = strings.TrimSpace(strings.TrimSpace(v.label+" "+v.toolchain) + " " + v.flags)
	// Without the names of folders equal sources make equal programs. GOFLAGS may say otherwise. Of
	// -ldflags there that of linking takes the place.
	v.env = append(os.Environ(), "GOFLAGS=-trimpath "+goflags+" "+v.flags, "GOTOOLCHAIN="+cmp.Or(v.toolchain, os.Getenv("GOTOOLCHAIN")))
	v.linker = slices.DeleteFunc(strings.Fields(v.flags), func(flag string) bool { return !strings.HasPrefix(flag, "-ldflags=") })
	if c.places || c.counts {
		v.linker = append(v.linker, symbols)
	}
	if v.revision != "" && filepath.IsAbs(work) {
		v.env = append(v.env, "GOWORK=") // the revision has its own
		if own, _ := cli.Output(ctx, dir, v.env, "go", "env", "GOWORK"); own == "" {
			return nil, fmt.Errorf("%s has no go.work, and the folder uses %s; want GOWORK=off, or a go.work that git knows", v.label, work)
		}
	}
	all, err := measure.Find(ctx, dir, folder+".overlay", v.env, patterns...)
	if err != nil && ctx.Err() == nil {
		reason := strings.NewReplacer("exit status 1: ", "", dir+string(filepath.Separator), "", dir, "the folder", folder+string(filepath.Separator), "").Replace(err.Error())
		return nil, cli.Misuse("%s: %s; want packages such as ./fse, or ./... for all, a toolchain such as go1.26.8, and flags, as go list takes them", v.label, reason)
	}
	return slices.DeleteFunc(all, func(p *measure.Package) bool { return len(p.Functions) == 0 || p.Module.Dir == "" }), err
}

// leaveOutEqual links each package in both versions in the same order, and leaves out those
// that are the same program.
func (c *comparison) leaveOutEqual(ctx context.Context) error {
	var units []*measure.Unit
	for i, p := range c.packages {
		for side := range sides {
			if side <= after || c.places {
				p.programs = append(p.programs, filepath.Join(c.folder, fmt.Sprintf("%d-%d.exe", i, side)))
				p.unit.Sides = append(p.unit.Sides, c.side(p, side))
			}
		}
		units = append(units, p.unit)
	}
	if err := c.m.Link(ctx, units); err != nil {
		return err
	}
	c.packages = slices.DeleteFunc(c.packages, func(p *pkg) bool {
		first, err := os.ReadFile(p.programs[before])
		second, _ := os.ReadFile(p.programs[after])
		same := err == nil && bytes.Equal(first, second)
		if same {
			c.equal = append(c.equal, p.path)
		}
		return same
	})
	return nil
}

// side returns a side of a package. Some are always linked in the first order.
func (c *comparison) side(p *pkg, side int) *measure.Side {
	v, one := c.versions[sideVersions[side]], c.places && (side == before || side == again)
	s := p.versions[sideVersions[side]].Side(p.programs[side], func(order int) int {
		if order == 0 || one {
			return c.seed + 1
		}
		return 1 + rand.New(rand.NewPCG(uint64(c.seed), uint64(side<<20+order))).IntN(1<<30)
	}, map[string]string{"pkg": p.path, "side": sides[side], "old": c.versions[before].label, "new": c.versions[after].label}, v.linker...)
	link := s.Link
	s.Link = func(ctx context.Context, order int) error {
		if one && order > 0 {
			return nil
		}
		err := link(ctx, order)
		if err == nil && side == others {
			err = c.notePlaces(ctx, p, order)
		}
		if err != nil {
			err = fmt.Errorf("%s: %s: %w", v.label, p.path, err)
		}
		return err
	}
	return s
}
