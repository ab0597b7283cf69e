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
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/measure"
	"raysteps/scripts/internal/results"
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
	b.Wanted, b.Rounds, b.Orders = 10, 15, 20 // if time is short each order has fewer rounds
	limit := 10 * time.Minute
	b.versions = []*version{{root: b.root}}
	switch {
	case b.against != "":
		b.Orders, limit = 0, time.Minute
		tree := filepath.Join(b.tmp, "tree") // of the revision
		if _, err := measure.CheckOut(ctx, b.root, b.against, tree); err != nil {
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
			if name != "all" && !slices.ContainsFunc(v.packages, has) {
				return cli.Misuse("%s: no package that was chosen has a Benchmark%s; want names of benchmarks, all, or a newer revision", cmp.Or(v.config[buildKey], "-experiments"), name)
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

const (
	sliceTime  = 3 * time.Millisecond  // that a slice takes at least, if it can be made longer
	workerTime = 50 * time.Millisecond // the same for workers: for the first milliseconds the system may run them on one core
	longest    = 2 * time.Second       // of a slice; a tracer that takes longer takes no part
)

// find links the packages and finds their benchmarks that are measured.
func (b *bench) find(ctx context.Context) error {
	for i, p := range b.versions[0].packages {
		functions := slices.DeleteFunc(slices.Clone(p.Functions), func(f measure.Function) bool { return !b.wanted(f.Name) })
		if len(functions) == 0 {
			continue
		}
		u := &measure.Unit{}
		b.Units = append(b.Units, u)
		err := b.addSides(ctx, u, i)
		for _, f := range functions {
			if err == nil {
				err = b.addGroups(ctx, u, p, f)
			}
		}
		if err != nil {
			return fmt.Errorf("building the benchmarks of %s: %w", p.ImportPath, err)
		}
	}
	if b.against != "" {
		return b.compare(ctx)
	}
	return nil
}

// ofSteps reports whether the benchmarks of a package are those of all steps.
func ofSteps(p *measure.Package) bool { return strings.HasSuffix(p.ImportPath, tracers) }

// addSides adds the versions of package i to a unit, and links the first. The steps have two
// sides if there is one version of them.
func (b *bench) addSides(ctx context.Context, u *measure.Unit, i int) error {
	for _, v := range b.versions {
		p, flags := v.packages[i], []string(nil)
		if v.config["pgo"] != "" {
			profile, err := b.profile(ctx, p)
			if err != nil {
				return err
			}
			flags = []string{"-pgo=" + profile}
		}
		configs := []map[string]string{v.config}
		if ofSteps(p) && len(b.versions) == 1 {
			configs = []map[string]string{{sideKey: "1"}, {sideKey: "2"}}
		}
		for _, config := range configs {
			first := 1 + b.files<<20 // so that each side has link orders of its own
			u.Sides = append(u.Sides, p.Side(b.file(".exe"), func(order int) int { return first + order }, config, flags...))
		}
	}
	return u.Sides[0].Link(ctx, 0)
}

// file returns the name of another file for what is built.
func (b *bench) file(ending string) string {
	b.files++
	return filepath.Join(b.tmp, fmt.Sprint(b.files, ending))
}

// profile returns a CPU profile of the steps.
func (b *bench) profile(ctx context.Context, p *measure.Package) (file string, err error) {
	file = b.file(".pprof")
	_, err = cli.Output(ctx, p.Dir, nil, "go", "test", "-run=^$", "-bench="+pattern("BenchmarkRender", b.chosen()), "-benchtime=300ms", "-cpu=1", "-cpuprofile="+file, "-o="+b.file(".exe"))
	return file, err
}

// pattern selects steps of a function.
func pattern(function string, list []steps.Step) string {
	var names []string
	for _, step := range list {
		names = append(names, step.Short())
	}
	return "^" + function + "$/^step=(" + strings.Join(names, "|") + ")(,|$)"
}

// addGroups adds the benchmarks of a function to a unit. Each of its variants takes turns
// with the others, each step with those in the same scene.
func (b *bench) addGroups(ctx context.Context, u *measure.Unit, p *measure.Package, f measure.Function) error {
	all := runtime.GOMAXPROCS(0)
	if !ofSteps(p) {
		slice := sliceTime
		if f.Workers { // for the first milliseconds the system may run them on one core
			slice *= 5
		}
		return b.addSubjects(ctx, u, f.Name, "^"+f.Name+"$", slice, measure.Subject{CPU: all})
	}
	for _, workers := range []bool{false, true} {
		list := slices.DeleteFunc(slices.Clone(b.chosen()), func(s steps.Step) bool { return s.Workers != workers })
		like, slice := measure.Subject{CPU: 1}, sliceTime
		if workers && f.Name != "BenchmarkSizes" { // which are of one core
			like, slice = measure.Subject{CPU: all, Workers: all, Few: 2}, workerTime
			if len(u.Sides) != 2 {
				like.Few = 4
			}
		}
		if f.Name == "BenchmarkFull" {
			like.Few = 1
		}
		if len(list) > 0 {
			if err := b.addSubjects(ctx, u, f.Name, pattern(f.Name, list), slice, like); err != nil {
				return err
			}
		}
	}
	return nil
}

// addSubjects adds the benchmarks of a function that a pattern selects, for each side, each
// like one that is given.
func (b *bench) addSubjects(ctx context.Context, u *measure.Unit, function, pattern string, slice time.Duration, like measure.Subject) error {
	found, err := u.Sides[0].Benchmarks(ctx, function, pattern, like.CPU, slice)
	for _, f := range found {
		if f.Failure != "" {
			return fmt.Errorf("%s: %s", f.Name, f.Failure)
		}
		name := function
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
			s := like
			s.Side, s.Name, s.N = side, f.Name, f.N
			u.Groups[i].Subjects = append(u.Groups[i].Subjects, &s)
		}
	}
	return err
}

// compare renders the scenes in the size of a thumbnail by both versions of -against.
func (b *bench) compare(ctx context.Context) (err error) {
	var pictures [2][]*measure.Slice
	for i, side := range b.Units[0].Sides[:2] {
		if err := side.Link(ctx, 0); err != nil {
			return err
		}
		if pictures[i], err = side.Benchmarks(ctx, "BenchmarkThumbnail", pattern("BenchmarkThumbnail", b.steps), 1, 0); err != nil {
			return err
		}
	}
	b.changed = b.differ(pictures[0], pictures[1])
	return nil
}

// differ says in which scenes pictures of both versions differ.
func (b *bench) differ(old, now []*measure.Slice) error {
	var scenes []string
	for _, was := range old {
		for _, is := range now {
			if is.Name == was.Name && is.Values["crc32"] != was.Values["crc32"] {
				scenes = append(scenes, is.Name[strings.LastIndex(is.Name, "=")+1:])
			}
		}
	}
	if scenes == nil {
		return nil
	}
	const format = "the picture is NOT that of %s: %s scene; to see it: go run ./scripts/render, here and in a checkout of it"
	return fmt.Errorf(format, b.against, strings.Join(scenes, ", "))
}

// ofStep matches the name of a benchmark of all steps: function, step, form, the scene, and
// the number of processors.
var ofStep = regexp.MustCompile(`^(\w+)/step=([^/,]+)(?:,as=([^/]+))?(/\w+=\w+)(-\d+)?$`)

// linesOf makes lines of the benchmarks of all steps those of the packages of the steps.
// Where two processes stand beside each other that are linked alike but for the order, each
// is a link order of its own. There the first step of the second process over that of the
// first is noise.
func linesOf(lines []*benchfmt.Result) (all []*benchfmt.Result) {
	for _, line := range lines {
		m := ofStep.FindStringSubmatch(string(line.Name))
		if m == nil {
			all = append(all, line)
			continue
		}
		line = line.Clone()
		step, _ := steps.Find(m[2]) // which it was measured by
		line.Name = benchfmt.Name(strings.Replace(m[1], "Sizes", "Render", 1) + m[4] + m[5])
		var places []string
		for _, v := range line.Values {
			if strings.HasPrefix(v.Unit, "odd-") {
				places = append(places, []string{"even", "odd"}[int(v.Value+0.5)])
			}
		}
		line.Values = slices.DeleteFunc(line.Values, func(v benchfmt.Value) bool { return v.Unit != "rays/s" && v.Unit != measure.Processors })
		whole, side := common.Default(), line.GetConfig(sideKey)
		order, _ := strconv.Atoi(line.GetConfig("link-order"))
		if side != "" {
			order = 2*order - 1 // of the first process
		}
		for _, config := range [][2]string{
			{"pkg", step.Package()}, {"kernel", cmp.Or(m[3], step.Kernel)}, {"size", fmt.Sprintf("%dx%d", whole.Width, whole.Height)},
			{"samples", strconv.Itoa(whole.Samples)}, {"place", strings.Join(places, " ")}, {sideKey, ""}, {"link-order", strconv.Itoa(order)},
		} {
			measure.SetConfig(line, config[0], config[1])
		}
		if side == "2" && step.Number == 1 {
			noise := line.Clone()
			measure.SetConfig(noise, "pkg", results.Again)
			all = append(all, noise)
		}
		if side == "2" {
			measure.SetConfig(line, "link-order", strconv.Itoa(order+1))
		}
		all = append(all, line)
	}
	return all
}
