package main

import (
	"cmp"
	"context"
	"fmt"
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
)

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
	binary, file := b.file(".exe"), b.file(".pprof")
	if err := p.Link(ctx, 1, binary); err != nil {
		return "", err
	}
	_, err = cli.Output(ctx, p.Dir, nil, binary, "-test.run=^$", "-test.bench="+pattern("BenchmarkRender", b.chosen()), "-test.benchtime=300ms", "-test.cpu=1", "-test.cpuprofile="+file)
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
func (b *bench) compare(ctx context.Context) error {
	var pictures [2]map[string]float64 // checksums, by name
	for i, side := range b.Units[0].Sides[:2] {
		if err := side.Link(ctx, 0); err != nil {
			return err
		}
		found, err := side.Benchmarks(ctx, "BenchmarkThumbnail", pattern("BenchmarkThumbnail", b.steps), 1, 0)
		if err != nil {
			return err
		}
		pictures[i] = map[string]float64{}
		for _, f := range found {
			pictures[i][f.Name] = f.Values["crc32"]
		}
	}
	var changed []string
	for name, sum := range pictures[0] {
		if now, ok := pictures[1][name]; ok && now != sum {
			changed = append(changed, name[strings.LastIndex(name, "=")+1:])
		}
	}
	slices.Sort(changed)
	if changed != nil {
		const format = "the picture is NOT that of %s: %s scene; to see it: go run ./scripts/render, here and in a checkout of it"
		b.changed = fmt.Errorf(format, b.against, strings.Join(changed, ", "))
	}
	return nil
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
		var values []benchfmt.Value
		var places []string
		for _, v := range line.Values {
			switch {
			case strings.HasPrefix(v.Unit, "odd-"):
				places = append(places, []string{"even", "odd"}[int(v.Value+0.5)])
			case v.Unit == "rays/s" || v.Unit == measure.Processors:
				values = append(values, v)
			}
		}
		line.Values = values
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
