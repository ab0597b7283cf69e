package main

import (
	"context"
	"fmt"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/steps"
)

// runAgainst measures a step against its files in a revision, and says whether
// it still renders the same pictures.
func runAgainst(ctx context.Context, env *cli.Env, root, bin string, o options, step steps.Step) error {
	p, err := planAgainst(ctx, env, root, bin, o, step)
	if err != nil {
		return err
	}
	if p.note != "" {
		fmt.Fprintf(env.Stdout, "%s\n\n", p.note)
	}
	out, f, err := p.newFile(root, o)
	if err != nil {
		return err
	}
	done, err := measure(ctx, env, p.source, p.groups, p.extent.schedule, p.keep(f), func() string { return "" })
	if done == 0 {
		return err
	}
	if err != nil {
		fmt.Fprintf(env.Stdout, "Stopped early: %d of %d launches are finished and kept.\n\n", done, p.extent.orders*p.extent.launches)
	}
	set, rerr := results.ReadFile(out)
	if rerr != nil {
		return rerr
	}
	table := results.Table{
		Header: []string{"scene", "rays/s, " + o.against, "rays/s, " + workingTree, "speed", "between link orders", "picture"},
		Right:  []bool{false, true, true, true, true, false},
	}
	for _, g := range p.groups {
		before, after := p.slicer.pictures[g.title][0], p.slicer.pictures[g.title][1]
		verdict := "the same"
		if before != after {
			verdict = fmt.Sprintf("another, of %d rays in place of %d", after.rays, before.rays)
		}
		cells, rerr := set.AgainstRow(step, g.title, o.against, workingTree)
		if rerr != nil {
			return rerr
		}
		table.Rows = append(table.Rows, append(append([]string{g.title}, cells...), verdict))
	}
	fmt.Fprintf(env.Stdout, "%s against %s\n\n%s\n", step.Title(), o.against, table.Text())
	fmt.Fprintf(env.Stdout, "The measurements are in %s\n", relative(out))
	return err
}
