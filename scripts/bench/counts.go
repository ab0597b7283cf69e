package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"

	"golang.org/x/perf/benchfmt"

	"raysteps/common/scene"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/count"
	"raysteps/scripts/internal/launch"
)

// count counts the chosen steps and prints a table for each scene.
func (o *options) count(ctx context.Context, env *cli.Env, root string) error {
	counted, err := count.Measure(ctx, env, root, o.chosen, scene.Names())
	if err != nil {
		return err
	}
	version, err := count.Version(ctx)
	if err != nil {
		return err
	}
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
	name, err := o.write(root, all)
	if err != nil {
		return err
	}
	for _, sc := range scene.Names() {
		rows := [][]string{{"step", "what changes"}}
		for _, unit := range count.Units() {
			rows[0] = append(rows[0], strings.TrimSuffix(unit, "/ray"))
		}
		for i, c := range counted {
			if c.Scene != sc {
				continue
			}
			step := o.chosen[i/len(scene.Names())]
			label := step.Label
			if c.Kernel != "" && step.Number == 0 {
				label += ", as " + c.Kernel
			}
			row := []string{step.Short(), label}
			for _, v := range c.PerRay {
				row = append(row, formatCount(v))
			}
			rows = append(rows, row)
		}
		fmt.Fprintf(env.Stdout, "%s scene, executed for a ray\n\n", sc)
		table(env.Stdout, rows)
	}
	fmt.Fprintf(env.Stdout, "Mispredicted branches are those of valgrind's model of a predictor; the others are exact. AVX-512 is not counted.\n")
	told(env.Stdout, name)
	return nil
}

// formatCount writes a count with as many digits as a reader compares.
func formatCount(v float64) string {
	if v < 1000 {
		return fmt.Sprintf("%.1f", v)
	}
	text := fmt.Sprintf("%.0f", v)
	return text[:len(text)-3] + "," + text[len(text)-3:]
}

// countAgainst prints what a change did to the counts of a step, where valgrind is
// there.
func (r *report) countAgainst(ctx context.Context, env *cli.Env, w io.Writer) error {
	if err := count.Available(); err != nil {
		fmt.Fprintf(w, "Not counted: %v.\n", err)
		return nil
	}
	before, err := count.Measure(ctx, env, r.p.sources[0].linker.Root, r.o.chosen[:1], scene.Names())
	if err != nil {
		return err
	}
	after, err := count.Measure(ctx, env, r.p.sources[1].linker.Root, r.o.chosen[:1], scene.Names())
	if err != nil {
		return err
	}
	for i, sc := range scene.Names() {
		var changes []string
		for u, unit := range count.Units() {
			b, a := before[i].PerRay[u], after[i].PerRay[u]
			if math.Abs(a-b) > 0.001*b+0.05 {
				changes = append(changes, fmt.Sprintf("%s %s → %s (%+.1f %%)", strings.TrimSuffix(unit, "/ray"), formatCount(b), formatCount(a), 100*(a/b-1)))
			}
		}
		if len(changes) == 0 {
			changes = []string{"instructions " + formatCount(after[i].PerRay[0]) + ", all counts as before"}
		}
		fmt.Fprintf(w, "A ray of %s: %s\n", sc, strings.Join(changes, ", "))
	}
	return nil
}
