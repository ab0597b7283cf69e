package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"raysteps/scripts/internal/git"
	"raysteps/scripts/internal/measure"
	"raysteps/scripts/internal/steps"
	"raysteps/scripts/internal/testbinary"
	"raysteps/scripts/internal/tool"
	"raysteps/scripts/internal/toolchain"
)

// load finds the packages of the versions, in which the benchmarks have to be that are asked for. It
// builds nothing.
func (b *bench) load(ctx context.Context) (err error) {
	if b.counts {
		return nil
	}
	base := os.Environ()
	if slices.ContainsFunc(b.chosen, func(s steps.Step) bool { return s.SIMD }) {
		var ok bool
		if base, ok = toolchain.WithSIMD(b.root); !ok {
			fmt.Fprintf(b.env.Stderr, "This toolchain has no GOEXPERIMENT=simd for %s: steps are built without it\n", runtime.GOARCH)
		}
	}
	goflags := strings.TrimSpace(os.Getenv("GOFLAGS") + " -trimpath -pgo=off")
	base = append(slices.Clip(base), "GOFLAGS="+goflags)
	for i, v := range b.versions {
		if v.kind == oldRevision {
			if _, err := git.CheckOut(ctx, b.root, v.name, v.root); err != nil {
				return err
			}
		}
		v.root = cmp.Or(v.root, b.root)
		overlay, env := filepath.Join(b.tmp, fmt.Sprint("overlay", i)), append(slices.Clip(base), v.variables()...)
		if v.packages, err = testbinary.Find(ctx, v.root, overlay, env, b.patterns...); err != nil {
			return fmt.Errorf("%s: %w", cmp.Or(v.build(), v.root), err)
		}
		for _, name := range b.names() {
			has := func(p *testbinary.Package) bool { return slices.Contains(p.Functions, "Benchmark"+name) }
			if name != "all" && !slices.ContainsFunc(v.packages, has) {
				return noBenchmark(v.build(), name)
			}
		}
	}
	return nil
}

const (
	sliceTime = 3 * time.Millisecond // that a slice takes at least, if it can be made longer
	// workerTime is that of workers: for the first milliseconds the system may run them on one core.
	workerTime = 50 * time.Millisecond
	longest    = 2 * time.Second // of a slice; a tracer that takes longer takes no part
)

// find links the packages and finds their benchmarks that are measured.
func (b *bench) find(ctx context.Context) error {
	for i, p := range b.versions[0].packages {
		others := func(function string) bool { return !b.selects(function) }
		functions := slices.DeleteFunc(slices.Clone(p.Functions), others)
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
		return b.comparePictures(ctx, b.Units[0].Sides[:2])
	}
	return nil
}

// addSides adds the versions of package i to a unit, each of which has link orders of its own,
// and links the first.
func (b *bench) addSides(ctx context.Context, u *measure.Unit, i int) error {
	for k, v := range b.versions {
		p, number, flags := v.packages[i], i*len(b.versions)+k, []string(nil)
		file := filepath.Join(b.tmp, fmt.Sprint(number, ".exe"))
		if v.guided {
			if err := b.profile(ctx, p, file); err != nil {
				return err
			}
			flags = []string{"-pgo=" + file + ".pprof"}
			if !v.alignHot {
				flags = append(flags, "-gcflags=all=-d=alignhot=0")
			}
		}
		layout := func(order int) int { return 1 + order + number<<20 }
		u.Sides = append(u.Sides, p.Side(file, layout, v.config(), flags...))
	}
	return u.Sides[0].Link(ctx, 0)
}

// profile writes a profile of the benchmarks of a package that take part, beside a file that it makes.
func (b *bench) profile(ctx context.Context, p *testbinary.Package, file string) error {
	pattern := "^Benchmark(" + strings.Join(b.names(), "|") + ")$"
	switch b.experiments {
	case "":
		pattern = steps.SlicePattern("Render", b.chosen)
	case "all":
		pattern = "."
	}
	_, err := tool.Output(ctx, p.Dir, nil, "go", "test", "-run=^$", "-bench="+pattern, "-benchtime=300ms", "-cpu=1",
		"-cpuprofile="+file+".pprof", "-o="+file)
	return err
}
