// Package estimate turns what launches measured into a figure and an interval.
//
// A launch is a process in which everything that is compared takes turns (see
// [raysteps/common/turns]). A link order is a binary with its functions at other
// places. It is the link orders that are samples: each is one value, the mean of its
// launches, and the interval comes from their scatter. Kalibera and Jones (Rigorous
// benchmarking in reasonable time, ISMM 2013) explain why.
//
// Most of what link orders do is one bit a hot function: whether it begins at an
// even or an odd multiple of 32 bytes. A few link orders have one place more often
// than the other by chance. So the effects of the bits are fitted by least squares and
// taken out, and what is left is the mean of all places. Link orders that are far off
// for another reason are left out. [benchmath] summarizes what remains, as samples of a
// normal distribution.
package estimate

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/aclements/go-moremath/stats"
	"golang.org/x/perf/benchmath"
)

// Confidence is the share of runs in which an interval covers the middle of all
// link orders.
const Confidence = 0.95

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
	// 0 to +Inf if fewer than two link orders take part. Center is 0 if there is no
	// launch.
	Center, Lo, Hi float64

	Orders int // that were launched

	// Place is by what share the quantity is larger at the best place of its hot
	// functions than at the worst; 0 if that was not fitted, or is less than twice
	// its standard error.
	Place float64
}

// Of returns the estimate of a quantity. Launches whose quantity is not a finite
// number above 0 are left out.
func Of(launches []Launch) Estimate {
	orders := byOrder(launches)
	return of(orders, effects(orders))
}

// Ratio returns the estimate of one quantity over another, of the link orders that
// both have. The same code at two places has the same effects of its place.
func Ratio(dividend, divisor []Launch, same bool) Estimate {
	dividend, divisor = byOrder(dividend), byOrder(divisor)
	var both []Launch
	for _, l := range dividend {
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
	if same {
		return of(both)
	}
	return of(both, effects(dividend), effects(divisor))
}

// of returns the estimate of some link orders, whose places are those of so many
// effects for each program.
func of(orders []Launch, programs ...int) Estimate {
	e := Estimate{Hi: math.Inf(1), Orders: len(orders)}
	if e.Orders == 0 {
		return e
	}
	values, place := balance(complete(nearby(orders), programs))
	e.Place = math.Expm1(place)
	s := benchmath.AssumeNormal.Summary(benchmath.NewSample(values, &benchmath.DefaultThresholds), Confidence)
	e.Center = math.Exp(s.Center)
	if e.Orders > 1 {
		e.Lo, e.Hi = math.Exp(s.Lo), math.Exp(s.Hi)
	}
	return e
}

// effects returns how many numbers the places of all launches have.
func effects(orders []Launch) int {
	n := math.MaxInt
	for _, l := range orders {
		n = min(n, len(l.Places))
	}
	return n
}

// complete returns the launches without the places of two functions of a program
// unless each pair of places came up: what the missing one is worth would be a guess.
func complete(orders []Launch, programs []int) []Launch {
	from := 0
	for _, n := range programs {
		pairs := map[[2]float64]bool{}
		for _, l := range orders {
			if n == 3 {
				pairs[[2]float64(l.Places[from:])] = true
			}
		}
		if len(pairs) == 0 || len(pairs) == 4 {
			from += n
			continue
		}
		orders = slices.Clone(orders)
		for i, l := range orders {
			orders[i].Places = slices.Delete(slices.Clone(l.Places), from, from+n)
		}
	}
	return orders
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

// balance fits the effects of the places and returns the values without them, and
// the logarithm of what the best places are over the worst.
func balance(orders []Launch) (values []float64, place float64) {
	terms, values := columns(orders)
	n := len(orders)
	rests := make([][]float64, len(terms)) // what a term has that the others have not
	for t, term := range terms {
		rests[t] = left(term, slices.Delete(slices.Clone(terms), t, t+1))
	}
	factors, residuals := solve(terms, values, slices.Repeat([]float64{1}, n))
	freedom := float64(n - len(terms))
	variance := dot(residuals, residuals) / freedom
	worth := make([]float64, n)
	for t, rest := range rests[1:] {
		if factor := factors[t+1]; factor*factor > 4*variance/dot(rest, rest) {
			for i, x := range terms[t+1] {
				worth[i] += factor * x
			}
		}
	}
	place = slices.Max(worth) - slices.Min(worth)
	// benchmath takes these for n independent values. The fit has taken a degree of
	// freedom for each effect, and places that came up unevenly say less of their mean.
	wider := 1.
	if len(terms) > 1 {
		wider = math.Sqrt(float64(n-1)/freedom) * student(freedom) / student(float64(n-1)) * math.Sqrt(float64(n)/dot(rests[0], rests[0]))
	}
	for i, r := range residuals {
		values[i] = factors[0] + wider*r
	}
	return values, place
}

// columns returns those of the fit, a constant and the effects of the places, and the
// values. An effect that is the same in all link orders is left out, since there is
// nothing to balance it with, and so is one that others make up, and all if there are
// too few link orders: places are then a part of the scatter.
func columns(orders []Launch) (terms [][]float64, values []float64) {
	n := len(orders)
	for _, o := range orders {
		values = append(values, o.Log)
	}
	terms = append(terms, slices.Repeat([]float64{1}, n))
	for effect := range effects(orders) {
		var column []float64
		for _, o := range orders {
			column = append(column, o.Places[effect])
		}
		if rest := left(column, terms); dot(rest, rest) > 1e-6*float64(n) {
			terms = append(terms, column)
		}
	}
	if n < len(terms)+4 {
		terms = terms[:1]
	}
	return terms, values
}

const far = 4 // standard deviations

// nearby leaves out link orders that are far off: in three of a hundred some step is 10
// to 60 % slower than in the others, by something else than these effects. What is far is
// seen from the fit with the least sum of absolute residuals, which such an order does
// not move (Rousseeuw and Leroy, Robust Regression and Outlier Detection, 1987). If
// more than one in five are far, it is something that is not known, and all remain.
func nearby(orders []Launch) []Launch {
	terms, values := columns(orders)
	n, floor := len(orders), 0.001
	if n-len(terms) < 8 {
		terms, floor = terms[:1], 0.1 // more than a place is worth
	}
	if n < 9 {
		return orders // nothing tells what is far
	}
	distances, weights := make([]float64, n), slices.Repeat([]float64{1}, n)
	for range 30 {
		_, residuals := solve(terms, values, weights)
		for i, r := range residuals {
			distances[i] = math.Abs(r)
			weights[i] = 1 / math.Sqrt(max(distances[i], 1e-9))
		}
	}
	// The fit goes through as many values as it has terms. Of normal values half of the
	// other distances are below 0.6745 deviations.
	sorted := slices.Sorted(slices.Values(distances))[len(terms):]
	limit := max(far*sorted[len(sorted)/2]/0.6745, floor)
	var near []Launch
	for i, o := range orders {
		if distances[i] <= limit {
			near = append(near, o)
		}
	}
	if 5*len(near) < 4*n {
		return orders
	}
	return near
}

// solve returns the factors of the terms with the least sum of squares of residuals,
// each times its weight, and the residuals.
func solve(terms [][]float64, values, weights []float64) (factors, residuals []float64) {
	weigh := func(v []float64) []float64 {
		v = slices.Clone(v)
		for i, w := range weights {
			v[i] *= w
		}
		return v
	}
	var weighed [][]float64
	for _, term := range terms {
		weighed = append(weighed, weigh(term))
	}
	target := weigh(values)
	residuals = slices.Clone(values)
	for t, term := range terms {
		rest := left(weighed[t], slices.Delete(slices.Clone(weighed), t, t+1))
		factors = append(factors, dot(target, rest)/dot(rest, rest))
		for i, x := range term {
			residuals[i] -= factors[t] * x
		}
	}
	return factors, residuals
}

// student returns how many standard errors an interval reaches to a side.
func student(freedom float64) float64 {
	return stats.InvCDF(stats.TDist{V: freedom})((1 + Confidence) / 2)
}

// left returns what is left of a vector when the directions of others are taken out,
// by Gram-Schmidt.
func left(vector []float64, others [][]float64) []float64 {
	var basis [][]float64
	for _, next := range append(slices.Clone(others), vector) {
		next = slices.Clone(next)
		for _, b := range basis {
			share := dot(next, b) / dot(b, b)
			for i := range next {
				next[i] -= share * b[i]
			}
		}
		basis = append(basis, next)
	}
	return basis[len(others)]
}

func dot(a, b []float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// HalfWidth returns how far the interval reaches to either side of Center, as a
// share of it: 0.01 for 1 %. It is +Inf for an unbounded interval.
func (e Estimate) HalfWidth() float64 { return math.Sqrt(e.Hi/e.Lo) - 1 }

// Excludes reports whether the quantity lies outside of the interval.
func (e Estimate) Excludes(quantity float64) bool { return quantity < e.Lo || quantity > e.Hi }

// String writes the estimate with as many digits as its interval bears, and the
// interval: "1.24 (1.23 to 1.25)".
func (e Estimate) String() string { return e.Scale(1, "") }

// Scale writes the estimate divided by a unit, with the unit's name behind it. The
// last digit is that of the first of half the interval's width.
func (e Estimate) Scale(unit float64, name string) string {
	center, lo, hi := e.Center/unit, e.Lo/unit, e.Hi/unit
	if math.IsInf(hi, 1) || hi-lo < 1e-9*center { // no interval, or an exact count
		return fmt.Sprintf("%.2f%s", center, name)
	}
	digits := min(max(int(math.Ceil(-math.Log10((hi-lo)/2))), 0), 6)
	return fmt.Sprintf("%.*f%s (%.*f to %.*f)", digits, center, name, digits, lo, digits, hi)
}

// FormatRatio writes a ratio and its interval; ~ stands for a ratio that may be 1.
func FormatRatio(e Estimate) string {
	if !e.Excludes(1) {
		_, interval, _ := strings.Cut(e.String(), " ")
		return strings.TrimSpace("~ " + interval)
	}
	return e.String()
}
