package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/aclements/go-moremath/stats"

	"raysteps/scripts/internal/estimate"
)

// planted labels the second side where one version is measured.
func (c *comparison) planted() string {
	if c.canary > 0 {
		return fmt.Sprintf("the same, with %g %% of work planted in each benchmark", c.canary)
	}
	return "the same"
}

// plant finds how much work is the share that is wanted of a row.
func (c *comparison) plant(ctx context.Context, r *row) {
	c.doing = "work was planted"
	work, err := r.pkg.unit.Sides[after].Planted(ctx, r.name, r.n, c.canary/100)
	if err != nil && ctx.Err() == nil {
		r.lacks[after] = err.Error()
	}
	r.group.Subjects[after].Work = work
}

// canarySaid says how many of the benchmarks were called.
func (c *comparison) canarySaid(all []*finding) (text sentenceList) {
	var called, over, quiet []string
	measured := 0
	for _, f := range all {
		if f.Unit != "sec/op" {
			continue
		}
		measured++
		if f.State == "slower" {
			called = append(called, f.row.Name)
		} else {
			quiet = append(quiet, f.row.Name+" "+c.width(f))
		}
		if f.State == "slower" && f.row.Ratio.Lo > 1+c.over/100 {
			over = append(over, f.row.Name)
		}
	}
	if measured == 0 {
		return nil
	}
	text = append(text, fmt.Sprintf("In a run of %v a change of %g %% is called in %s.", c.limit, c.canary, share(len(called), measured)))
	if !math.IsInf(c.over, 1) {
		text = append(text, fmt.Sprintf("It is beyond -fail-over %g in %s.", c.over, share(len(over), measured)))
	}
	text.add("Not called", quiet)
	if need := c.needs(); need != "" && len(quiet) > 0 {
		text = append(text, need+".")
	}
	return text
}

// share writes how many of some, and the 95 % interval of that share, after Wilson.
func share(some, all int) string {
	p, n := float64(some)/float64(all), float64(all)
	z := stats.InvCDF(stats.StdNormal)((1 + estimate.Confidence) / 2)
	middle, half := p+z*z/(2*n), z*math.Sqrt(p*(1-p)/n+z*z/(4*n*n))
	return fmt.Sprintf("%d of %d benchmarks (95 %% interval: %.0f to %.0f %%)", some, all,
		100*max(0, (middle-half)/(1+z*z/n)), 100*min(1, (middle+half)/(1+z*z/n)))
}

// smallestLimit returns the limit, as a share, at which 199 of 200 runs of the same code end with
// status 0. They are this one, with the sides of launches exchanged at random: either could be the
// other. All rows of a launch are exchanged, as what it has in common, they have.
func (c *comparison) smallestLimit() float64 {
	const runs = 200
	var limits []float64
	random, all := rand.New(rand.NewPCG(1, 1)), c.timed()
	for range runs {
		exchange := make([]bool, c.m.OrderCount)
		for i := range exchange {
			exchange[i] = random.IntN(2) == 0
		}
		limits = append(limits, limitOf(all, exchange, nil))
	}
	slices.Sort(limits)
	return limits[runs-2]
}

// timed is a row that was measured.
type timed struct {
	name  string
	times [2][]float64 // of the versions, by launch
}

// timed returns the rows that were measured.
func (c *comparison) timed() (all []timed) {
	for _, r := range c.rows {
		if r.absence(c) == nil {
			times := [2][]float64{r.values(before, "sec/op"), r.values(after, "sec/op")}
			all = append(all, timed{c.name(r), times})
		}
	}
	return all
}

// limitOf returns the smallest limit that a run tells of, with the sides of some launches exchanged.
// It adds that of each row to those by name, unless that is nil.
func limitOf(all []timed, exchange []bool, by map[string]float64) (limit float64) {
	for _, r := range all {
		sides := [2][]float64{slices.Clone(r.times[before]), slices.Clone(r.times[after])}
		for i := range min(len(sides[0]), len(sides[1]), len(exchange)) {
			if exchange[i] {
				sides[0][i], sides[1][i] = sides[1][i], sides[0][i]
			}
		}
		own := smallest(estimate.MedianRatio(sides[after], sides[before]))
		limit = max(limit, own)
		if by != nil {
			by[r.name] = own
		}
	}
	return limit
}

// floorSaid says the smallest limit, and which rows it is for.
func (c *comparison) floorSaid(all []*finding) (text sentenceList) {
	limit := c.smallestLimit()
	by := map[string]float64{}
	limitOf(c.timed(), nil, by)
	var names []string
	for _, f := range all {
		if f.Unit == "sec/op" {
			names = append(names, f.row.Name)
		}
	}
	if len(names) == 0 {
		return nil
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(by[b], by[a]) })
	if math.IsInf(limit, 1) {
		text.add("No limit is held in "+c.limit.String()+", as there are too few link orders of", slices.DeleteFunc(names, func(name string) bool { return !math.IsInf(by[name], 1) }))
	} else {
		text = append(text, fmt.Sprintf("The smallest limit that 199 of 200 such runs of %v hold: -fail-over %g.", c.limit, math.Ceil(200*limit)/2))
		for i, name := range names {
			names[i] = fmt.Sprintf("%s %.1f %%", name, 100*by[name])
		}
		text.add("The benchmarks of which least is known need", names[:min(3, len(names))])
	}
	if need := c.needs(); need != "" {
		text = append(text, need+"; -bench chooses fewer rows.")
	}
	return text
}
