package main

import (
	"cmp"
	"path/filepath"
	"slices"
	"time"

	"raysteps/scripts/internal/steps"
)

// renderPackage is the package whose benchmarks are of all steps.
const renderPackage = "scripts/render"

// plan is what takes part, and for how long. It is made once, of the flags, and not changed.
type plan struct {
	chosen   []steps.Step
	versions []*version
	patterns []string      // of the packages in which benchmarks are looked for
	duration time.Duration // linking included; 0 for counts, which take the time that they take

	// As measure.Measurement has them.
	orders int // link orders at the most, 0 for as many as there is time for
	wanted int // link orders that the time is shared out to: if it is short, each has fewer rounds
	rounds int // slices of each subject in a link order, at the most
}

// newPlan makes the plan, of the module at root. Revisions are to be written to a folder in tmp.
func (o *options) newPlan(root, tmp string) plan {
	p := plan{chosen: o.steps, patterns: []string{"./" + renderPackage}, wanted: 10, rounds: 15, orders: 20}
	if o.steps == nil {
		// Without the steps of beyond the ratios of -quick are narrow.
		p.chosen = slices.DeleteFunc(steps.All(), func(s steps.Step) bool { return o.quick && s.Beyond })
	}
	tree := filepath.Join(tmp, "tree")
	switch {
	case o.counts:
		p.versions = o.builds
	case o.against != "":
		p.orders, p.duration = 0, time.Minute
		p.versions = []*version{
			{kind: oldRevision, name: o.against, root: tree}, {kind: workingTree, root: root},
			{kind: oldRelinked, name: o.against, root: tree},
		}
	case o.builds == nil && o.experiments == "":
		p.rounds, p.orders, p.duration = 8, 0, 11*time.Minute+15*time.Second
		for number := 1; number <= 2; number++ {
			p.versions = append(p.versions, &version{kind: process, number: number, root: root})
		}
	default:
		p.versions, p.duration = o.builds, 10*time.Minute
	}
	if p.versions == nil {
		p.versions = []*version{{root: root}}
	}
	if o.quick {
		p.duration = 94 * time.Second
	}
	if o.quick || o.limit > 0 {
		p.orders = 0
	}
	p.duration = cmp.Or(o.limit, p.duration)
	if o.experiments != "" && o.steps == nil {
		p.patterns = []string{"./..."}
	} else if o.experiments != "" {
		for _, step := range o.steps {
			p.patterns = append(p.patterns, "./"+step.Folder())
		}
	}
	return p
}
