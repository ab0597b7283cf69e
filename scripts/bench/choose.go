package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/measure"
	"raysteps/scripts/internal/steps"
	"raysteps/scripts/internal/toolchain"
)

// version is a form of the module that is measured: the files of a folder, and what its lines
// say of how it is built.
type version struct {
	root     string
	config   map[string]string
	packages []*measure.Package
}

const (
	buildKey    = "build"          // the configuration that tells versions apart
	sideKey     = "side"           // and that of two processes which differ in their link order alone
	workingTree = "working tree"   // the build of the files as they are
	tracers     = "scripts/render" // is the package whose benchmarks are of all steps
)

// again is the build of the revision that -against measures twice.
func (b *bench) again() string { return b.against + ", linked again: noise" }

// choose says what takes part, and for how long if no flag says it. It refuses what does not
// exist: nothing is built yet.
func (b *bench) choose(ctx context.Context) error {
	b.Wanted, b.Rounds, b.Orders = fewest, 15, 20
	limit := 10 * time.Minute
	b.versions = []*version{{root: b.root}}
	switch {
	case b.against != "":
		b.Orders, limit = 0, time.Minute
		tree := filepath.Join(b.tmp, "tree") // of the revision
		commit, err := measure.CheckOut(ctx, b.root, b.against, tree)
		if commit == "" {
			return cli.Misuse("-against %s: git knows no such revision; want one such as HEAD, a branch or a tag", b.against)
		}
		if err != nil {
			return err
		}
		b.versions = []*version{
			{root: tree, config: map[string]string{buildKey: b.against}},
			{root: b.root, config: map[string]string{buildKey: workingTree}},
			{root: tree, config: map[string]string{buildKey: b.again()}},
		}
	case b.builds != nil:
		b.versions = nil
		for _, config := range b.builds {
			b.versions = append(b.versions, &version{root: b.root, config: config})
		}
	case b.counts:
		return nil
	case b.experiments == "":
		b.Rounds, b.Orders, limit = 8, 0, 11*time.Minute+15*time.Second
	}
	switch {
	case b.limit > 0:
		b.Orders = 0
	case b.quick:
		b.limit, b.Orders = 94*time.Second, 0
	default:
		b.limit = limit
	}
	patterns := []string{"./" + tracers}
	if b.experiments != "" {
		for _, step := range b.steps {
			patterns = append(patterns, "./"+step.Folder())
		}
		if b.steps == nil {
			patterns = []string{"./..."}
		}
	}
	return b.load(ctx, patterns)
}

// load finds the packages of the versions, in which the benchmarks have to be that are asked
// for.
func (b *bench) load(ctx context.Context, patterns []string) error {
	base := os.Environ()
	if slices.ContainsFunc(b.chosen(), func(s steps.Step) bool { return s.SIMD }) {
		var ok bool
		if base, ok = toolchain.WithSIMD(b.root); !ok {
			fmt.Fprintf(b.env.Stderr, "This toolchain has no GOEXPERIMENT=%s for %s: steps are built without it\n", toolchain.SIMD, runtime.GOARCH)
		}
	}
	for i, v := range b.versions {
		env := append(slices.Clone(base), "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -trimpath -pgo=off"))
		for key, variable := range map[string]string{"goamd64": "GOAMD64", "goversion": "GOTOOLCHAIN"} {
			if value := v.config[key]; value != "" {
				env = append(env, variable+"="+value)
			}
		}
		var err error
		if v.packages, err = measure.Find(ctx, v.root, filepath.Join(b.tmp, fmt.Sprint("overlay", i)), env, patterns...); err != nil {
			return fmt.Errorf("%s: %w", cmp.Or(v.config[buildKey], v.root), err)
		}
		for _, name := range b.names() {
			has := func(p *measure.Package) bool {
				return slices.ContainsFunc(p.Functions, func(f measure.Function) bool { return f.Name == "Benchmark"+name })
			}
			switch {
			case name == "all" || slices.ContainsFunc(v.packages, has):
			case b.against != "":
				return cli.Misuse("-against %s: it has no benchmark of the steps in %s; want a newer revision", b.against, patterns[0])
			default:
				return cli.Misuse("-experiments: no package that was chosen has a Benchmark%s; want names of benchmarks, or all", name)
			}
		}
	}
	return nil
}

// names returns those of the benchmarks that take part, without "Benchmark"; or all.
func (b *bench) names() []string { return strings.Split(cmp.Or(b.experiments, "Render"), ",") }

// wanted reports whether a function takes part. Those of all steps, of an execution trace, and
// what scripts/peers measures are none of all.
func (b *bench) wanted(function string) bool {
	name := strings.TrimPrefix(function, "Benchmark")
	if b.experiments == "all" {
		return !slices.Contains([]string{"Render", "Slice", "Full", "Sizes", "Thumbnail", "Picture", "Race", "Rays"}, name)
	}
	return slices.Contains(b.names(), name)
}

// fewest is how many link orders give an interval. If time is short each has fewer rounds,
// so that so many fit in.
const fewest = 4

// chosen returns the steps that take part. Those of beyond are none of -quick, so that the
// ratios of the others are narrow.
func (b *bench) chosen() []steps.Step {
	if b.steps != nil {
		return b.steps
	}
	all := steps.All()
	if b.quick {
		all = slices.DeleteFunc(all, func(s steps.Step) bool { return s.Beyond })
	}
	return all
}

var buildPattern = regexp.MustCompile(`^(?:(go1\.[^+]+)\+?)?(v[1-4])?(\+pgo)?$`)

// readBuilds reads what lines say of builds, with commas between: a release of Go, a level of
// GOAMD64, and whether it is guided by a profile of the steps that are measured.
func readBuilds(list string) (all []map[string]string, err error) {
	for text := range strings.SplitSeq(list, ",") {
		m := buildPattern.FindStringSubmatch(text)
		if m == nil || m[1]+m[2] == "" {
			return nil, fmt.Errorf("%q is no build; want a release of Go, a level or both, and maybe +pgo, such as go1.27.4, v3 or v1+pgo", text)
		}
		all = append(all, map[string]string{buildKey: text, "goversion": m[1], "goamd64": m[2], "pgo": map[string]string{"+pgo": "on"}[m[3]]})
	}
	return all, nil
}
