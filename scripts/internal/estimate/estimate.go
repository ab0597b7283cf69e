// Package estimate turns what slices measured into a figure and an interval. All
// statistics are here.
//
// A launch is one or more processes whose subjects take turns in slices; [Levels] makes
// one figure of a subject's slices. A link order is a binary with its functions at other
// places. It is the link orders that are samples: each is one value, the mean of its
// launches, and the interval comes from their scatter. Kalibera and Jones (Rigorous
// benchmarking in reasonable time, ISMM 2013) explain why.
//
// Most of what link orders do is one bit a hot function: whether it begins at an
// even or an odd multiple of 32 bytes. A few link orders have one place more often
// than the other by chance. So the effects of the bits are fitted, and what is estimated is
// the mean of all places. Each place has a scatter of its own. In a few of a hundred link
// orders a program is 10 to 60 % slower, by something else than its place: such an order
// weighs less, or nothing, and one that were as much faster would weigh as little.
package estimate

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/aclements/go-moremath/stats"
	"github.com/dustin/go-humanize/english"
)

// Confidence is the share of runs in which an interval covers the mean of all
// places in link orders that are not far off.
const Confidence = 0.95

// least is how many link orders have an interval.
const least = 4

// Launch is what one launch says of a quantity.
type Launch struct {
	Order  int       // which link order was launched
	Log    float64   // natural logarithm of the quantity
	Places []float64 // see [Places]; nil if they are not known
}

// Places codes where hot functions begin, each at an odd multiple of 32 bytes or not:
// a number for each effect that this may have, of which the mean over all places is 0.
// Two functions have a third effect, of whether their places are alike.
func Places(odd []bool) (effects []float64) {
	code := map[bool]float64{false: -0.5, true: 0.5}
	for _, o := range odd {
		effects = append(effects, code[o])
	}
	if len(odd) == 2 {
		effects = append(effects, code[odd[0] == odd[1]])
	}
	return effects
}

// Estimate is what all launches say of a quantity.
type Estimate struct {
	// Center is the quantity as the mean of all places, and Lo to Hi its interval:
	// 0 to +Inf if there are fewer than four link orders. Center is 0 if there is no
	// launch.
	Center, Lo, Hi float64

	Orders int // that were launched

	// Place is by what share the quantity is larger at the best place of its hot
	// functions than at the worst, and Explained which share of the variance between
	// link orders that are not far off comes from the places (R², adjusted). Both are 0
	// if that was not fitted, or may be chance.
	Place, Explained float64
}

// Of returns the estimate of a quantity. Launches whose quantity is not a finite
// number above 0 are left out.
func Of(launches []Launch) Estimate { return of(byOrder(launches)) }

// Ratio returns the estimate of one quantity over another, of the link orders that
// both have. The same code at two places has the same effects of its place. The
// estimate of the inverse ratio is the inverse of the estimate.
func Ratio(dividend, divisor []Launch, same bool) Estimate {
	divisor = byOrder(divisor)
	var both []Launch
	for _, l := range byOrder(dividend) {
		i := slices.IndexFunc(divisor, func(b Launch) bool { return b.Order == l.Order })
		if i < 0 {
			continue
		}
		other := divisor[i].Places
		if same && len(l.Places) == len(other) {
			l.Places = slices.Clone(l.Places)
			for j := range other {
				l.Places[j] -= other[j]
			}
		} else {
			l.Places = slices.Concat(l.Places, other)
		}
		l.Log -= divisor[i].Log
		both = append(both, l)
	}
	return of(both)
}

// byOrder returns one launch a link order: the mean of its launches that are numbers.
func byOrder(launches []Launch) (orders []Launch) {
	logs, places := map[int][]float64{}, map[int][]float64{}
	for _, l := range launches {
		if !math.IsNaN(l.Log) && !math.IsInf(l.Log, 0) {
			logs[l.Order], places[l.Order] = append(logs[l.Order], l.Log), l.Places
		}
	}
	for _, order := range slices.Sorted(maps.Keys(logs)) {
		orders = append(orders, Launch{order, stats.Mean(logs[order]), places[order]})
	}
	return orders
}

// of returns the estimate of link orders. Places count if all have the same number.
func of(orders []Launch) Estimate {
	e := Estimate{Hi: math.Inf(1), Orders: len(orders)}
	if e.Orders == 0 {
		return e
	}
	var values []float64
	effects := make([][]float64, len(orders[0].Places))
	for _, l := range orders {
		values = append(values, l.Log)
		if len(l.Places) != len(orders[0].Places) {
			effects = nil
		}
		for j := range effects {
			effects[j] = append(effects[j], l.Places[j])
		}
	}
	f := robust(effects, values)
	e.Center = math.Exp(f.center)
	if e.Orders >= least {
		half := f.halfWidth()
		e.Lo, e.Hi = math.Exp(f.center-half), math.Exp(f.center+half)
	}
	e.Place, e.Explained = f.explained()
	e.Place = math.Expm1(e.Place)
	return e
}

// HalfWidth returns how far the interval reaches to either side of Center, as a
// share of it: 0.01 for 1 %. It is +Inf for an unbounded interval.
func (e Estimate) HalfWidth() float64 { return math.Sqrt(e.Hi/e.Lo) - 1 }

// Excludes reports whether the quantity lies outside of the interval.
func (e Estimate) Excludes(quantity float64) bool { return quantity < e.Lo || quantity > e.Hi }

// String writes the estimate with as many digits as its interval bears, and the
// interval: "1.24 (1.23 to 1.25)". The last digit is that of the first of half the
// interval's width. Without an interval it says how many link orders one takes.
func (e Estimate) String() string {
	switch {
	case math.IsInf(e.Hi, 1):
		return fmt.Sprintf("%.2f (needs %s)", e.Center, english.Plural(max(1, least-e.Orders), "more link order", ""))
	case e.Hi-e.Lo < 1e-9*e.Center: // an exact count
		return fmt.Sprintf("%.2f", e.Center)
	}
	digits := min(max(int(math.Ceil(-math.Log10((e.Hi-e.Lo)/2))), 0), 6)
	return fmt.Sprintf("%.*f (%.*f to %.*f)", digits, e.Center, digits, e.Lo, digits, e.Hi)
}

// FormatRatio writes a ratio and its interval; ~ stands for a ratio that may be 1.
func FormatRatio(e Estimate) string {
	center, interval, _ := strings.Cut(e.String(), " ")
	if !e.Excludes(1) && !math.IsInf(e.Hi, 1) && interval != "" {
		center = "~"
	}
	return strings.TrimSpace(center + " " + interval)
}
