package main

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"raysteps/scripts/internal/measure"
	"raysteps/scripts/internal/steps"
	"raysteps/scripts/internal/testbinary"
)

// addFunction adds the benchmarks of a function to a unit. Each of its variants takes turns
// with the others, each step with those in the same scene.
func (b *bench) addFunction(ctx context.Context, u *measure.Unit, p *testbinary.Package, f string) error {
	single, parallel := measure.Subject{CPU: 1}, measure.Subject{CPU: runtime.GOMAXPROCS(0)}
	if !strings.HasSuffix(p.ImportPath, renderPackage) {
		return b.addSubjects(ctx, u, selection{f, "^" + f + "$", sliceTime, parallel})
	}
	parallel.Workers, parallel.MaxSlices = parallel.CPU, 2
	pattern := func(list []steps.Step) string {
		return steps.SlicePattern(strings.TrimPrefix(f, "Benchmark"), list)
	}
	switch f {
	case "BenchmarkFull":
		single.MaxSlices, parallel.MaxSlices = 1, 1
	case "BenchmarkSizes": // which are of one core
		return b.addSubjects(ctx, u, selection{f, pattern(b.chosen), sliceTime, single})
	}
	workers := func(s steps.Step) bool { return s.Workers }
	alone := slices.DeleteFunc(slices.Clone(b.chosen), workers)
	together := slices.DeleteFunc(slices.Clone(b.chosen), func(s steps.Step) bool { return !s.Workers })
	err := b.addSubjects(ctx, u, selection{f, pattern(alone), sliceTime, single})
	return cmp.Or(err, b.addSubjects(ctx, u, selection{f, pattern(together), workerTime, parallel}))
}

// selection is the benchmarks of a function that a pattern selects.
type selection struct {
	function, pattern string
	slice             time.Duration
	like              measure.Subject // in all but the side, the name and the iterations
}

// addSubjects adds benchmarks, for each side. One that skips itself is said, and left out.
func (b *bench) addSubjects(ctx context.Context, u *measure.Unit, s selection) error {
	found, err := u.Sides[0].Benchmarks(ctx, s.function, s.pattern, s.like.CPU, s.slice)
	for _, f := range found {
		if f.Skipped {
			fmt.Fprintf(b.env.Stderr, "not measured: %s: %s\n", f.Name, f.Failure)
			continue
		}
		if f.Failure != "" {
			return fmt.Errorf("%s: %s", f.Name, f.Failure)
		}
		group := s.function
		if slice, ok := steps.ParseSliceName(f.Name); ok {
			if s.like.MaxSlices != 1 && f.Took > longest {
				continue
			}
			group = slice.Function + "/" + slice.Picture
		}
		g := b.group(u, group)
		for side := range u.Sides {
			subject := s.like
			subject.Side, subject.Name, subject.N = side, f.Name, f.N
			g.Subjects = append(g.Subjects, &subject)
		}
	}
	return err
}

// group returns the group of a unit that has a name, which it adds if there is none.
func (b *bench) group(u *measure.Unit, name string) *measure.Group {
	i := slices.IndexFunc(u.Groups, func(g *measure.Group) bool { return g.Name == name })
	if i >= 0 {
		return u.Groups[i]
	}
	g := &measure.Group{Name: name}
	if b.against != "" {
		g.Settled = func() bool { return b.narrow(g) }
	}
	u.Groups = append(u.Groups, g)
	return g
}
