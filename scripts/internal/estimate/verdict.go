package estimate

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// Rule is the one by which all commands judge ratios.
//
// Two are different if chance hardly explains how far the ratio is from 1. Otherwise they are
// the same within the far end of the interval, if that is at most the limit, and else nothing
// is known. A verdict that is no larger than what the same code differs by from itself is none,
// though that may be chance: in a minute in which the machine wavers, noise has a wide interval.
type Rule struct {
	limit  float64 // such as 0.01 for 1 %
	chance float64 // that explains no more
}

// NewRule returns the rule for rows that are judged together: of those that it calls different,
// one in twenty is by chance (Benjamini and Hochberg, 1995). What differs beyond doubt is not among
// those of which chance makes some differ, so the rest is judged a second time (Benjamini, Krieger
// and Yekutieli, 2006).
func NewRule(limit float64, rows []Row) Rule {
	var chances []float64
	for _, row := range rows {
		chances = append(chances, row.Ratio.chance())
	}
	slices.Sort(chances)
	r, equal := Rule{limit: limit}, float64(len(rows))
	for range 2 {
		each := (1 - Confidence) / max(1, equal)
		r.chance = each
		for i, chance := range chances {
			if all := min(1-Confidence, each*float64(i+1)); chance <= all { // with i before it
				r.chance, equal = all, float64(len(rows)-i-1)
			}
		}
	}
	return r
}

// Row is a ratio of a table.
type Row struct {
	Name  string
	Unit  string // of both quantities: of sec/op and the like less is faster
	Ratio Estimate
	Noise Estimate // the same code over itself, beside it; the zero Estimate if nobody knows
}

// What is said of a ratio, beside faster and slower, or higher and lower.
const (
	little  = " by less than 1 %"
	same    = "the same within "
	unknown = "not known from this run"
)

// Verdict says what a ratio is, such as "slower by less than 1 %", and whether the two that were
// compared differ.
func (r Rule) Verdict(row Row) (words string, differ bool) {
	more, less := "higher", "lower"
	switch {
	case strings.HasSuffix(row.Unit, "/s"):
		more, less = "faster", "slower"
	case strings.HasPrefix(row.Unit, "sec"):
		more, less = "slower", "faster"
	}
	e, size := row.Ratio, math.Abs(math.Log(row.Ratio.Center))
	differ = e.chance() <= r.chance
	switch {
	case differ && e.Center > 1:
		words = more
	case differ:
		words = less
	case e.Orders > 0 && e.FarEnd() <= r.limit:
		words, size = same+percent(e.FarEnd()), math.Log1p(e.FarEnd())
	default:
		return unknown, false
	}
	if row.Noise.Orders > 0 && size <= math.Abs(math.Log(row.Noise.Center)) {
		return unknown, false
	}
	if differ && e.Center > 0.99 && e.Center <= 1.01 {
		words += little
	}
	return words, differ
}

// percent rounds up: 0.96 is not within 0.9.
func percent(share float64) string {
	return fmt.Sprintf("%.1f %%", math.Ceil(1000*max(0, share-1e-9))/10)
}

// FarEnd returns how far the interval's far end is from 1.
func (e Estimate) FarEnd() float64 { return max(e.Hi-1, 1-e.Lo) }

// Excludes reports whether the quantity lies outside of the interval.
func (e Estimate) Excludes(quantity float64) bool { return quantity < e.Lo || quantity > e.Hi }

// Significant reports whether the quantity is not 1 by more than chance explains among so many
// estimates (Bonferroni).
func (e Estimate) Significant(among int) bool { return e.chance() <= (1-Confidence)/float64(among) }

// Finding is what some rows have in common.
type Finding struct {
	Words string
	Names []string // with the ratio behind it, if the words call them different
}

// Findings sorts rows by what is said of them: the faster ones first, then the slower ones,
// then those that hardly differ, and last those of which nothing is known.
func (r Rule) Findings(rows []Row) (findings []Finding) {
	far, names := 0., map[string][]string{} // of all that are the same; by words
	for _, row := range rows {
		name := row.Name
		words, differ := r.Verdict(row)
		switch {
		case differ && !strings.HasSuffix(words, little):
			name += " " + row.Ratio.Short()
		case strings.HasPrefix(words, same):
			words, far = same, max(far, row.Ratio.FarEnd())
		}
		names[words] = append(names[words], name)
	}
	for _, words := range []string{"faster", "slower", "faster" + little, "slower" + little,
		"higher", "lower", "higher" + little, "lower" + little, same, unknown} {
		f := Finding{words, names[words]}
		if words == same {
			f.Words += percent(far)
		}
		if f.Names != nil {
			findings = append(findings, f)
		}
	}
	return findings
}
