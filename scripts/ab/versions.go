package main

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/git"
	"raysteps/scripts/internal/measure"
	"raysteps/scripts/internal/testbinary"
	"raysteps/scripts/internal/tool"
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
	dir              string // of the packages
	label            string
	release          string   // of the toolchain
	env, linker      []string // of the go command; the flags for the linker
}

type pkg struct {
	path     string
	versions [2]*testbinary.Package
	programs []string // files, of the sides
	unit     *measure.Unit
	places   []map[string]uint64 // by link order of others: where functions begin in a block of 64 bytes
	reached  bool                // whether its benchmarks were looked for
	inputs   bool                // whether its testdata differ

	lock   sync.Mutex
	broken [2]string // why a version cannot be loaded or linked, or empty
}

// find gets the packages of both versions that patterns name.
func (c *comparison) find(ctx context.Context, patterns []string) error {
	c.doing = "go env ran"
	settings, err := tool.Output(ctx, c.dir, nil, "go", "env", "GOWORK", "GOFLAGS", "GOMODCACHE")
	if err != nil {
		return fmt.Errorf("-C %s: %w", c.dir, err)
	}
	all := strings.SplitN(settings+"\n\n\n", "\n", 4)
	var found [2][]*testbinary.Package
	for i := range c.versions {
		v := &c.versions[i]
		v.setEnvironment(all[1], all[2], filepath.Join(c.folder, "modules"))
		folder := filepath.Join(c.folder, fmt.Sprint(i))
		if found[i], err = c.findVersion(ctx, v, folder, all[0], patterns); err != nil {
			return err
		}
	}
	if old, now := &c.versions[before], &c.versions[after]; old.release != now.release {
		for _, v := range []*version{old, now} {
			if v.toolchain != v.release {
				v.label += " " + v.release
			}
		}
	}
	c.match(found)
	if len(c.packages)+len(c.broken) == 0 {
		return fmt.Errorf("%s: no package of a module has benchmarks in both versions; want a func BenchmarkName(b *testing.B) in a file that ends in _test.go", cmp.Or(strings.Join(patterns, " "), "."))
	}
	c.packages = slices.DeleteFunc(c.packages, func(p *pkg) bool { // which need not be built
		return !slices.ContainsFunc(p.versions[before].Functions, c.selects) &&
			!slices.ContainsFunc(p.versions[after].Functions, c.selects)
	})
	if len(c.packages)+len(c.broken) == 0 {
		return fmt.Errorf("-bench %s matches no benchmark", c.bench)
	}
	return nil
}

// match makes packages of those that both versions have.
func (c *comparison) match(found [2][]*testbinary.Package) {
	for version, all := range found {
		for _, p := range all {
			i := slices.IndexFunc(found[1-version], func(other *testbinary.Package) bool {
				return other.ImportPath == p.ImportPath
			})
			if i < 0 {
				c.apart = append(c.apart, p.ImportPath)
				continue
			}
			if version == after {
				continue
			}
			both := &pkg{path: p.ImportPath, unit: &measure.Unit{}}
			both.versions = [2]*testbinary.Package{p, found[after][i]}
			for v, p := range both.versions {
				if p.Error != nil {
					both.broken[v] = strings.Join(strings.Fields(c.relative(p.Error.Err)), " ")
				}
			}
			if both.broken == [2]string{} {
				c.packages = append(c.packages, both)
			} else {
				c.broken = append(c.broken, both)
			}
		}
	}
}

// setEnvironment sets that of the go command. Without the names of folders equal sources make equal
// programs. GOFLAGS may say otherwise. Of -ldflags there that of linking takes the place. Where
// nothing says where modules are kept, as without HOME, a folder is for those.
func (v *version) setEnvironment(goflags, modules, folder string) {
	v.env = append(os.Environ(), "GOTOOLCHAIN="+cmp.Or(v.toolchain, os.Getenv("GOTOOLCHAIN")))
	if modules == "" {
		v.env, goflags = append(v.env, "GOMODCACHE="+folder), goflags+" -modcacherw"
	}
	v.env = append(v.env, "GOFLAGS=-trimpath "+goflags+" "+v.flags)
}

// findVersion returns the packages of a version that have benchmarks. A revision is written to
// a folder.
func (c *comparison) findVersion(
	ctx context.Context, v *version, folder, work string, patterns []string,
) ([]*testbinary.Package, error) {
	dir := c.dir
	v.label = "the folder as it is"
	if v.revision != "" {
		var err error
		if dir, err = c.checkOut(ctx, v, folder); err != nil {
			return nil, err
		}
	}
	v.dir = dir
	v.label = strings.TrimSpace(strings.TrimSpace(v.label+" "+v.toolchain) + " " + v.flags)
	v.linker = slices.DeleteFunc(strings.Fields(v.flags), func(flag string) bool { return !strings.HasPrefix(flag, "-ldflags=") })
	if c.places || c.counts {
		v.linker = append(v.linker, symbols)
	}
	if v.revision != "" && filepath.IsAbs(work) {
		v.env = append(v.env, "GOWORK=") // the revision has its own
		if own, _ := tool.Output(ctx, dir, v.env, "go", "env", "GOWORK"); own == "" {
			return nil, fmt.Errorf("%s has no go.work, and the folder uses %s; want GOWORK=off, or a go.work that git knows", v.label, work)
		}
	}
	c.doing = "go list looked for packages, and for a toolchain and modules if they are not here"
	find := testbinary.Find
	if c.canary > 0 {
		find = testbinary.FindPlanted
	}
	all, err := find(ctx, dir, folder+".overlay", v.env, patterns...)
	if err != nil && ctx.Err() == nil {
		reason := strings.ReplaceAll(c.relative(err.Error()), "exit status 1: ", "")
		return nil, cli.Misuse("%s: %s; want packages such as ./fse, or ./... for all, a toolchain such as go1.26.8, and flags, as go list takes them", v.label, reason)
	}
	if err == nil && len(all) > 0 {
		v.release, err = tool.Output(ctx, dir, v.env, "go", "env", "GOVERSION")
	}
	return slices.DeleteFunc(all, func(p *testbinary.Package) bool {
		return p.Error == nil && (len(p.Functions) == 0 || p.Module.Dir == "")
	}), err
}

// checkOut writes the revision of a version to a folder, and returns that of the packages.
func (c *comparison) checkOut(ctx context.Context, v *version, folder string) (dir string, err error) {
	c.doing = "git wrote " + v.revision
	where, err := tool.Output(ctx, c.dir, nil, "git", "rev-parse", "--show-toplevel", "--show-prefix")
	if err != nil {
		return "", fmt.Errorf("-C %s: want a folder of a git repository: %w", c.dir, err)
	}
	root, prefix, _ := strings.Cut(where, "\n")
	commit, err := git.CheckOut(ctx, root, v.revision, folder)
	if err != nil {
		return "", err
	}
	dir, v.label = filepath.Join(folder, filepath.FromSlash(prefix)), fmt.Sprintf("%s (%s)", v.revision, commit)
	if _, err := os.Stat(dir); err != nil {
		return "", fmt.Errorf("%s has no folder %s; want a revision that has it", v.label, prefix)
	}
	return dir, nil
}

// relative takes the names of the folders of both versions off a message.
func (c *comparison) relative(text string) string {
	for _, dir := range []string{c.versions[before].dir, c.versions[after].dir, c.dir, filepath.Join(c.folder, "0"), filepath.Join(c.folder, "1")} {
		if dir == "" {
			continue
		}
		text = strings.NewReplacer(dir+string(filepath.Separator), "", dir, "the folder").Replace(text)
	}
	return text
}

// leaveOutEqual links each package in both versions in the same order, and leaves out those
// that are the same program with the same testdata, and those that a version cannot link.
func (c *comparison) leaveOutEqual(ctx context.Context) (err error) {
	c.doing = "packages were compiled"
	if c.places { // by its name, as the go command takes longer to find it than it runs
		if c.nm, err = tool.Output(ctx, c.dir, nil, "go", "tool", "-n", "nm"); err != nil {
			return err
		}
	}
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
		if p.unit.Err != nil {
			c.broken = append(c.broken, p)
			return true
		}
		same := !c.single() && sameFile(p.programs[before], p.programs[after])
		p.inputs = same && !sameTestdata(p.versions[before], p.versions[after])
		if same = same && !p.inputs; same {
			c.equal = append(c.equal, p.path)
		}
		return same
	})
	return nil
}

// packageLine matches what stands before the compiler's messages.
var packageLine = regexp.MustCompile(`^exit status 1: (# [^;]*; )?`)

// side returns a side of a package. Some are always linked in the first order, in which leaveOutEqual has
// linked all, and which the sample gets in another way.
func (c *comparison) side(p *pkg, side int) (s *measure.Side) {
	number := sideVersions[side]
	v, one := c.versions[number], c.places && (side == before || side == again)
	config := map[string]string{"pkg": p.path, "side": sides[side], "old": c.versions[before].label, "new": c.versions[after].label}
	s = p.versions[number].Side(p.programs[side], func(order int) int {
		switch {
		case one || order == 0 && s != c.sample:
			return c.seed + 1
		case order == 0:
			return c.seed + 2
		}
		return 1 + rand.New(rand.NewPCG(uint64(c.seed), uint64(side<<20+order))).IntN(1<<30)
	}, config, v.linker...)
	link := s.Link
	s.Link = func(ctx context.Context, order int) error {
		err := link(ctx, order)
		if err == nil && side == others {
			err = c.notePlaces(ctx, p, order)
		}
		if err != nil && ctx.Err() == nil {
			p.lock.Lock()
			p.broken[number] = packageLine.ReplaceAllString(c.relative(err.Error()), "")
			p.lock.Unlock()
		}
		return err
	}
	return s
}
