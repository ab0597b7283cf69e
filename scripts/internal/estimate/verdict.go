package estimate

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/aclements/go-moremath/stats"
)

// Verdict is what a ratio says of two that were compared.
type Verdict int

const (
	Unknown Verdict = iota
	Same            // within the limit of the rule
	More
	Less
	LittleMore // by less than 1 %
	LittleLess
)

// Differs reports whether the two are different.
func (v Verdict) Differs() bool { return v > Same }

// Rule is the one by which all commands judge ratios.
//
// Two are different if the interval excludes 1, by more than chance explains among so many.
// Otherwise they are the same within the far end of the interval, if that is at most the
// limit, and else nothing is known. Where the same code differs from itself by more than
// its interval, a verdict that is no larger than that is none.
type Rule struct {
	Limit float64 // such as 0.01 for 1 %
	Among int     // ratios that are judged together, 0 for one
}

// BenjaminiHochberg returns the rule for rows that are judged together: of those that it calls
// different, one in twenty is by chance (Benjamini and Hochberg, 1995). With k different ones among
// m, each is judged as one among m/k.
func (r Rule) BenjaminiHochberg(rows []Row) Rule {
	for k := len(rows); k > 0; k-- {
		r.Among = (len(rows) + k - 1) / k
		differ := 0
		for _, row := range rows {
			if row.Ratio.Certain(1, r.Among) {
				differ++
			}
		}
		if differ >= k {
			break
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

// Of returns the verdict on a row.
func (r Rule) Of(row Row) Verdict {
	e, size := row.Ratio, 0.
	verdict := Unknown
	switch {
	case e.Certain(1, max(1, r.Among)):
		size = math.Abs(math.Log(e.Center))
		switch {
		case e.Center > 1.01:
			verdict = More
		case e.Center > 1:
			verdict = LittleMore
		case e.Center > 0.99:
			verdict = LittleLess
		default:
			verdict = Less
		}
	case e.Orders > 0 && e.Far() <= r.Limit:
		size = math.Log1p(e.Far())
		verdict = Same
	}
	if row.Noise.Orders > 0 && row.Noise.Excludes(1) && size <= math.Abs(math.Log(row.Noise.Center)) {
		return Unknown
	}
	return verdict
}

// Far returns how far the interval's far end is from 1.
func (e Estimate) Far() float64 { return max(e.Hi-1, 1-e.Lo) }

// Excludes reports whether the quantity lies outside of the interval.
func (e Estimate) Excludes(quantity float64) bool { return quantity < e.Lo || quantity > e.Hi }

// Certain reports whether it lies there by more than chance explains among so many
// estimates (Bonferroni).
func (e Estimate) Certain(quantity float64, among int) bool {
	if !e.Excludes(quantity) {
		return false
	}
	student := stats.TDist{V: cmp.Or(e.freedom, float64(max(1, e.Orders-1)))}
	t := func(alpha float64) float64 { return stats.InvCDF(student)(1 - alpha/2) }
	wider := t((1-Confidence)/float64(among)) / t(1-Confidence)
	return math.Abs(math.Log(e.Hi*e.Lo)-2*math.Log(quantity)) > wider*math.Log(e.Hi/e.Lo)
}

// Words says what a verdict on a row is, such as "slower by less than 1 %".
func (r Rule) Words(row Row) string {
	return words(r.Of(row), row.Unit, row.Ratio.Far())
}

func words(v Verdict, unit string, far float64) string {
	more, less := "higher", "lower"
	switch {
	case strings.HasSuffix(unit, "/s"):
		more, less = "faster", "slower"
	case strings.HasPrefix(unit, "sec"):
		more, less = "slower", "faster"
	}
	switch v {
	case Same:
		return fmt.Sprintf("the same within %.1f %%", math.Ceil(1000*max(0, far-1e-9))/10) // and not 0.96 within 0.9
	case More:
		return more
	case Less:
		return less
	case LittleMore:
		return more + " by less than 1 %"
	case LittleLess:
		return less + " by less than 1 %"
	}
	return "not known from this run"
}

// Finding is what some rows have in common.
type Finding struct {
	Words string
	Names []string // with the ratio behind it, if the words call them different
}

// Find sorts rows by what is said of them: the faster ones first, then the slower ones,
// then those that hardly differ, and last those of which nothing is known.
func (r Rule) Find(rows []Row) (findings []Finding) {
	far := 0. // of all that are the same
	for _, row := range rows {
		if r.Of(row) == Same {
			far = max(far, row.Ratio.Far())
		}
	}
	names := map[string][]string{}
	for _, row := range rows {
		name, verdict := row.Name, r.Of(row)
		if verdict == More || verdict == Less {
			name += " " + row.Ratio.Short()
		}
		text := words(verdict, row.Unit, far)
		names[text] = append(names[text], name)
	}
	for _, unit := range []string{"rays/s", ""} { // faster and slower, and higher and lower
		for _, v := range []Verdict{More, Less, LittleMore, LittleLess, Same, Unknown} {
			text := words(v, unit, far)
			if unit != "" && (v == Same || v == Unknown) || names[text] == nil {
				continue
			}
			findings = append(findings, Finding{text, names[text]})
		}
	}
	return findings
}
