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
	"strconv"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"raysteps/common"
	"raysteps/scripts/internal/git"
	"raysteps/scripts/internal/measure"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/steps"
	"raysteps/scripts/internal/testbinary"
	"raysteps/scripts/internal/tool"
	"raysteps/scripts/internal/toolchain"
)

// version is a form of the module that is measured: the files of a folder, and what its lines
// say of how it is built.
type version struct {
	root     string // that of the module if it says no other
	config   map[string]string
	packages []*testbinary.Package
}

// variables are those of the go command that make a build another one.
func (v *version) variables() []string {
	return []string{"GOAMD64=" + cmp.Or(v.config["goamd64"], os.Getenv("GOAMD64")),
		"GOTOOLCHAIN=" + cmp.Or(v.config["goversion"], os.Getenv("GOTOOLCHAIN"))}
}

const (
	buildKey    = "build"                 // the configuration that tells versions apart
	sideKey     = "side"                  // and that of two which differ in their link orders alone
	workingTree = "working tree"          // the build of the files as they are
	again       = ", linked again: noise" // ends that of the revision which -against measures twice
	tracers     = "scripts/render"        // is the package whose benchmarks are of all steps
)

// choose says what takes part, and for how long if no flag says it. Nothing is built yet.
func (b *bench) choose(ctx context.Context) error {
	b.Wanted, b.Rounds, b.Orders = 10, 15, 20 // if time is short each order has fewer rounds
	limit, patterns := 10*time.Minute, []string{"./" + tracers}
	form := func(root, key, value string) *version {
		return &version{root: root, config: map[string]string{key: value}}
	}
	if b.versions = b.builds; b.builds == nil {
		b.versions = []*version{{}}
	}
	switch {
	case b.counts:
		return nil
	case b.against != "":
		b.Orders, limit = 0, time.Minute
		tree := filepath.Join(b.tmp, "tree") // of the revision
		if _, err := git.CheckOut(ctx, b.root, b.against, tree); err != nil {
			return err
		}
		b.versions = []*version{form(tree, buildKey, b.against), form(b.root, buildKey, workingTree), form(tree, buildKey, b.against+again)}
	case b.builds == nil && b.experiments == "":
		b.Rounds, b.Orders, limit = 8, 0, 11*time.Minute+15*time.Second
		b.versions = []*version{form(b.root, sideKey, "1"), form(b.root, sideKey, "2")}
	}
	if b.quick {
		limit = 94 * time.Second
	}
	if b.quick || b.limit > 0 {
		b.Orders = 0
	}
	b.limit = cmp.Or(b.limit, limit)
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

// load finds the packages of the versions, in which the benchmarks have to be that are asked for.
func (b *bench) load(ctx context.Context, patterns []string) (err error) {
	base := os.Environ()
	if slices.ContainsFunc(b.chosen(), func(s steps.Step) bool { return s.SIMD }) {
		var ok bool
		if base, ok = toolchain.WithSIMD(b.root); !ok {
			fmt.Fprintf(b.env.Stderr, "This toolchain has no GOEXPERIMENT=simd for %s: steps are built without it\n", runtime.GOARCH)
		}
	}
	for i, v := range b.versions {
		v.root = cmp.Or(v.root, b.root)
		env := append(slices.Clone(base), "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" -trimpath -pgo=off"))
		env = append(env, v.variables()...)
		if v.packages, err = testbinary.Find(ctx, v.root, filepath.Join(b.tmp, fmt.Sprint("overlay", i)), env, patterns...); err != nil {
			return fmt.Errorf("%s: %w", cmp.Or(v.config[buildKey], v.root), err)
		}
		for _, name := range b.names() {
			has := func(p *testbinary.Package) bool { return slices.Contains(p.Functions, "Benchmark"+name) }
			if name != "all" && !slices.ContainsFunc(v.packages, has) {
				return noBenchmark(v.config[buildKey], name)
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
	names, name := b.names(), strings.TrimPrefix(function, "Benchmark")
	apart := []string{"Render", "Slice", "Full", "Sizes", "Thumbnail", "Picture", "Race", "Rays"}
	return slices.Contains(names, name) || names[0] == "all" && !slices.Contains(apart, name)
}

// chosen returns the steps that take part. Those of beyond are none of -quick, so that the
// ratios of the others are narrow.
func (b *bench) chosen() []steps.Step {
	if b.steps != nil {
		return b.steps
	}
	return slices.DeleteFunc(steps.All(), func(s steps.Step) bool { return b.quick && s.Beyond })
}

var buildPattern = regexp.MustCompile(`^(?:(go1\.[^+]+)\+?)?(v[1-4])?(?:(\+pgo)(\+alignhot=0)?)?$`)

// readBuilds reads what lines say of builds, with commas between: a release of Go, a level of
// GOAMD64, and whether it is guided by a profile of the steps that are measured, maybe without
// aligning the loops that the profile calls hot.
func readBuilds(list string) (all []*version, err error) {
	for text := range strings.SplitSeq(list, ",") {
		m := buildPattern.FindStringSubmatch(text)
		if m == nil || m[1]+m[2] == "" {
			return nil, fmt.Errorf("%q is no build; want a release of Go, a level or both, and maybe +pgo or +pgo+alignhot=0, such as go1.27.4, v3 or v1+pgo", text)
		}
		config := map[string]string{buildKey: text, "goversion": m[1], "goamd64": m[2], "pgo": map[string]string{"+pgo": "on"}[m[3]] + strings.Replace(m[4], "+", ", ", 1)}
		all = append(all, &version{config: config})
	}
	return all, nil
}

const (
	sliceTime  = 3 * time.Millisecond  // that a slice takes at least, if it can be made longer
	workerTime = 50 * time.Millisecond // the same for workers: for the first milliseconds the system may run them on one core
	longest    = 2 * time.Second       // of a slice; a tracer that takes longer takes no part
)

// find links the packages and finds their benchmarks that are measured.
func (b *bench) find(ctx context.Context) error {
	for i, p := range b.versions[0].packages {
		functions := slices.DeleteFunc(slices.Clone(p.Functions), func(f string) bool { return !b.wanted(f) })
		if len(functions) == 0 {
			continue
		}
		u := &measure.Unit{}
		b.Units = append(b.Units, u)
		err := b.addSides(ctx, u, i)
		for _, f := range functions {
			if err == nil {
				err = b.addFunction(ctx, u, p, f)
			}
		}
		if err != nil {
			return fmt.Errorf("building the benchmarks of %s: %w", p.ImportPath, err)
		}
	}
	if b.against != "" {
		return b.compare(ctx, b.Units[0].Sides[:2])
	}
	return nil
}

// addSides adds the versions of package i to a unit, each of which has link orders of its own,
// and links the first.
func (b *bench) addSides(ctx context.Context, u *measure.Unit, i int) error {
	for k, v := range b.versions {
		p, number, flags := v.packages[i], i*len(b.versions)+k, []string(nil)
		file := filepath.Join(b.tmp, fmt.Sprint(number, ".exe"))
		if v.config["pgo"] != "" {
			flags = []string{"-pgo=" + file + ".pprof"}
			if strings.Contains(v.config["pgo"], "alignhot") {
				flags = append(flags, "-gcflags=all=-d=alignhot=0")
			}
			guides := "^Benchmark(" + strings.Join(b.names(), "|") + ")$"
			switch b.experiments {
			case "":
				guides = pattern("BenchmarkRender", b.chosen())
			case "all":
				guides = "."
			}
			_, err := tool.Output(ctx, p.Dir, nil, "go", "test", "-run=^$", "-bench="+guides, "-benchtime=300ms", "-cpu=1", "-cpuprofile="+file+".pprof", "-o="+file)
			if err != nil {
				return err
			}
		}
		u.Sides = append(u.Sides, p.Side(file, func(order int) int { return 1 + order + number<<20 }, v.config, flags...))
	}
	return u.Sides[0].Link(ctx, 0)
}

// pattern selects steps of a function.
func pattern(function string, list []steps.Step) string {
	var names []string
	for _, step := range list {
		names = append(names, step.Short())
	}
	return "^" + function + "$/^step=(" + strings.Join(names, "|") + ")(,|$)"
}

// addFunction adds the benchmarks of a function to a unit. Each of its variants takes turns
// with the others, each step with those in the same scene.
func (b *bench) addFunction(ctx context.Context, u *measure.Unit, p *testbinary.Package, f string) error {
	one, all := measure.Subject{CPU: 1}, measure.Subject{CPU: runtime.GOMAXPROCS(0)}
	if !strings.HasSuffix(p.ImportPath, tracers) {
		return b.addSubjects(ctx, u, f, "^"+f+"$", sliceTime, all)
	}
	all.Workers, all.Few = all.CPU, 2
	switch f {
	case "BenchmarkFull":
		one.Few, all.Few = 1, 1
	case "BenchmarkSizes": // which are of one core
		return b.addSubjects(ctx, u, f, pattern(f, b.chosen()), sliceTime, one)
	}
	single, workers := slices.Clone(b.chosen()), slices.Clone(b.chosen())
	single = slices.DeleteFunc(single, func(s steps.Step) bool { return s.Workers })
	workers = slices.DeleteFunc(workers, func(s steps.Step) bool { return !s.Workers })
	err := b.addSubjects(ctx, u, f, pattern(f, single), sliceTime, one)
	return cmp.Or(err, b.addSubjects(ctx, u, f, pattern(f, workers), workerTime, all))
}

// ofStep matches the name of a benchmark of all steps: function, step, form, the scene, and
// the number of processors.
var ofStep = regexp.MustCompile(`^(\w+)/step=([^/,]+)(?:,as=([^/]+))?(/\w+=\w+)(-\d+)?$`)

// addSubjects adds the benchmarks of a function that a pattern selects, for each side, each
// like one that is given.
func (b *bench) addSubjects(ctx context.Context, u *measure.Unit, function, pattern string, slice time.Duration, like measure.Subject) error {
	found, err := u.Sides[0].Benchmarks(ctx, function, pattern, like.CPU, slice)
	for _, f := range found {
		if f.Skipped {
			fmt.Fprintf(b.env.Stderr, "not measured: %s: %s\n", f.Name, f.Failure)
			continue
		}
		if f.Failure != "" {
			return fmt.Errorf("%s: %s", f.Name, f.Failure)
		}
		name, s := function, like
		s.Name, s.N = f.Name, f.N
		if m := ofStep.FindStringSubmatch(f.Name); m != nil {
			if like.Few != 1 && f.Took > longest {
				continue
			}
			name = m[1] + m[4]
		}
		i := slices.IndexFunc(u.Groups, func(g *measure.Group) bool { return g.Name == name })
		if i < 0 {
			g := &measure.Group{Name: name}
			if b.against != "" {
				g.Done = func() bool { return b.narrow(g) }
			}
			i, u.Groups = len(u.Groups), append(u.Groups, g)
		}
		for side := range u.Sides {
			one := s
			one.Side = side
			u.Groups[i].Subjects = append(u.Groups[i].Subjects, &one)
		}
	}
	return err
}

// compare finds in which scenes the two versions render other pictures, in the size of a
// thumbnail. A revision may have none of a scene.
func (b *bench) compare(ctx context.Context, sides []*measure.Side) error {
	var changed []string
	checksums := map[string]float64{}
	for _, side := range sides {
		if err := side.Link(ctx, 0); err != nil {
			return err
		}
		pictures, err := side.Benchmarks(ctx, "BenchmarkThumbnail", pattern("BenchmarkThumbnail", b.steps), 1, 0)
		if err != nil {
			return err
		}
		for _, p := range pictures {
			is := p.Values["crc32"]
			if was, ok := checksums[p.Name]; ok && was != is {
				changed = append(changed, p.Name[strings.LastIndex(p.Name, "=")+1:])
			}
			checksums[p.Name] = is
		}
	}
	if changed != nil {
		const format = "the picture is NOT that of %s: %s scene; to see it: go run ./scripts/render, here and in a checkout of it"
		b.changed = fmt.Errorf(format, b.against, strings.Join(changed, ", "))
	}
	return nil
}

// linesOf makes the lines of steps those of their packages, and takes off them what is no rate.
// Where two sides differ in their link orders alone, each is an order of its own; there the first
// step of the second over that of the first is noise.
func linesOf(lines []*benchfmt.Result) (all []*benchfmt.Result) {
	for _, line := range lines {
		line = line.Clone()
		var places []string
		for _, v := range line.Values {
			if strings.HasPrefix(v.Unit, "odd-") {
				places = append(places, []string{"even", "odd"}[int(v.Value+0.5)])
			}
		}
		results.SetConfig(line, "place", strings.Join(places, " "))
		m := ofStep.FindStringSubmatch(string(line.Name))
		if m != nil {
			step, _ := steps.Find(m[2]) // which it was measured by
			whole := common.Default()
			line.Name = benchfmt.Name(strings.Replace(m[1], "Sizes", "Render", 1) + m[4] + m[5])
			line.Values = slices.DeleteFunc(line.Values, func(v benchfmt.Value) bool { return v.Unit != "rays/s" && v.Unit != measure.Processors })
			results.SetConfig(line, "pkg", step.Package())
			results.SetConfig(line, "kernel", cmp.Or(m[3], step.Kernel))
			results.SetConfig(line, "size", fmt.Sprintf("%dx%d", whole.Width, whole.Height))
			results.SetConfig(line, "samples", strconv.Itoa(whole.Samples))
		}
		if side := line.GetConfig(sideKey); side != "" {
			order, _ := strconv.Atoi(line.GetConfig("link-order"))
			results.SetConfig(line, sideKey, "")
			results.SetConfig(line, "link-order", strconv.Itoa(2*order-1)) // of the first
			if side == "2" && m != nil && line.GetConfig("pkg") == steps.All()[0].Package() {
				noise := line.Clone()
				results.SetConfig(noise, "pkg", results.NoisePackage)
				all = append(all, noise)
			}
			if side == "2" {
				results.SetConfig(line, "link-order", strconv.Itoa(2*order))
			}
		}
		all = append(all, line)
	}
	return all
}
