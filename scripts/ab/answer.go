package main

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/estimate"
)

// tells reports whether a ratio tells that nothing is slower by more than a limit, as a share: the
// whole interval lies below it, or is no wider than the limit itself and has its center there.
func tells(ratio estimate.Estimate, limit float64) bool { return smallest(ratio) <= limit }

// smallest returns the smallest limit of which a ratio tells that.
func smallest(ratio estimate.Estimate) float64 {
	return min(ratio.Hi-1, max(ratio.Center-1, 2*ratio.HalfWidth()))
}

// limits reports whether there is a limit to hold.
func (c *comparison) limits() bool { return c.failAllocs || !math.IsInf(c.over, 1) }

// answer says whether the limits hold: nil if they do, and this run could tell; what is beyond them,
// which are whole intervals of the time, and allocations; or what is not known.
func (c *comparison) answer(all []*finding) error {
	var slower, allocate, unknown, worse, lost sentenceList
	for _, f := range all {
		switch {
		case c.failAllocs && (f.Unit == "B/op" || f.Unit == "allocs/op") && f.New > f.Old:
			allocate = append(allocate, f.row.Name+" "+format(f.New, f.Unit))
		case f.Unit != "sec/op" || math.IsInf(c.over, 1):
		case f.differs && f.row.Ratio.Lo > 1+c.over/100:
			slower = append(slower, f.row.Name+" "+f.row.Ratio.Short())
		case !tells(f.row.Ratio, c.over/100):
			unknown = append(unknown, f.row.Name+" "+c.width(f))
		}
	}
	worse.add(fmt.Sprintf("slower by more than %g%%", c.over), slower)
	if worse.add("allocates more", allocate); worse != nil {
		return cli.Status(cli.ExitFailure, errors.New(strings.Join(worse, " ")))
	}
	if !c.limits() {
		return nil
	}
	var absent []string
	for _, a := range c.absences() {
		if a.lost {
			absent = append(absent, a.name+" ("+a.State+")")
		}
	}
	lost.add(fmt.Sprintf("not known whether slower by more than %g%%", c.over), unknown)
	if lost.add("not measured in both versions", absent); lost == nil {
		return nil
	}
	if need := c.limitNeeds(all); need != "" {
		lost = append(lost, need)
	}
	return errors.New(strings.Join(lost, " "))
}

// width says how wide an interval is that is too wide for the limit, or what would make one.
func (c *comparison) width(f *finding) string {
	if math.IsInf(f.row.Ratio.Hi, 1) {
		return "(" + c.wouldKnow(f.of) + ")"
	}
	return estimate.FormatRatio(f.row.Ratio)
}

// limitNeeds says how long it takes until nine of ten of those that are not known are.
func (c *comparison) limitNeeds(all []*finding) string {
	needed := &comparison{within: c.over / 2, over: math.Inf(1), limit: c.limit, started: c.started}
	for _, f := range all {
		if f.Unit == "sec/op" {
			needed.rows = append(needed.rows, f.of)
		}
	}
	if need := needed.needs(); need != "" {
		return need + "."
	}
	return ""
}
