package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/dustin/go-humanize"
	"golang.org/x/perf/benchfmt"

	"raysteps/common/scene"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/count"
	"raysteps/scripts/internal/launch"
)

// count counts the chosen steps in the three scenes.
func (o *options) count(ctx context.Context, env *cli.Env, root string) ([]*benchfmt.Result, error) {
	counted, err := count.Measure(ctx, env, root, o.chosen, scene.Names())
	if err != nil {
		return nil, err
	}
	version, err := count.Version(ctx)
	var all []*benchfmt.Result
	for _, c := range counted {
		r := &benchfmt.Result{Name: benchfmt.Name("Count/scene=" + c.Scene), Iters: 1}
		for i, unit := range count.Units() {
			r.Values = append(r.Values, benchfmt.Value{Value: math.Round(100*c.PerRay[i]) / 100, Unit: unit})
		}
		launch.Set(r, "pkg", c.Package)
		launch.Set(r, "kernel", c.Kernel)
		launch.Set(r, "valgrind", version)
		all = append(all, r)
	}
	return all, err
}

// countAgainst prints what a change did to the counts of a step, where valgrind is
// there. The trees are that of the revision and the working one.
func (o *options) countAgainst(ctx context.Context, env *cli.Env, w io.Writer, trees ...string) error {
	if err := count.Available(); err != nil {
		fmt.Fprintf(w, "Not counted: %v.\n", err)
		return nil
	}
	var counts [2][]count.Result
	for i := range counts {
		var err error
		if counts[i], err = count.Measure(ctx, env, trees[i], o.chosen, scene.Names()); err != nil {
			return err
		}
	}
	format := func(v float64) string { return humanize.CommafWithDigits(v, 1) }
	for i, sc := range scene.Names() {
		before, after := counts[0][i].PerRay, counts[1][i].PerRay
		var changes []string
		for u, unit := range count.Units() {
			if b, a := before[u], after[u]; math.Abs(a-b) > 0.001*b+0.05 {
				changes = append(changes, fmt.Sprintf("%s %s → %s (%+.1f %%)", strings.TrimSuffix(unit, "/ray"), format(b), format(a), 100*(a/b-1)))
			}
		}
		if len(changes) == 0 {
			changes = []string{"instructions " + format(after[0]) + ", all counts as before"}
		}
		fmt.Fprintf(w, "A ray of %s: %s\n", sc, strings.Join(changes, ", "))
	}
	return nil
}
