// Package estimate turns what launches measured into a figure and an interval.
//
// A launch is a process in which everything that is compared takes turns (see
// [raysteps/common/turns]); it gives one figure for each. A link order is a binary
// with its functions at other places. The launches of one link order share those
// places, so it is the link orders that are samples: each is one value, the mean
// of its launches, and the interval comes from their scatter. Kalibera and Jones
// (Rigorous benchmarking in reasonable time, ISMM 2013) explain why.
//
// Most of what link orders do is one bit a hot function: whether it begins at an
// even or an odd multiple of 32 bytes. Such a bit can be worth 9 %, and a few link
// orders have one place more often than the other by chance. So the estimate is
// balanced: the effect of each bit is fitted by least squares and taken out, and
// what is left is the mean of both places. [benchmath] summarizes what remains, as
// samples of a normal distribution. The residuals are widened by what the fit took
// from them.
package estimate

import (
	"cmp"
	"fmt"
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
	Order int     // which link order was launched
	Log   float64 // natural logarithm of the quantity
	Odd   []bool  // for each hot function, whether it begins at an odd place; nil if that is not known
}

// Estimate is what all launches say of a quantity.
type Estimate struct {
	// Center is the quantity as the mean of all places, and Lo to Hi its interval:
	// 0 to +Inf if fewer than two link orders take part. Center is 0 if there is no
	// launch.
	Center, Lo, Hi float64

	Orders, Launches int

	// Place is by what share the quantity is larger at the best place of its hot
	// functions than at the worst; 0 if that was not fitted, or is less than twice
	// its standard error.
	Place float64
}

// Of returns the estimate of a quantity. Launches whose quantity is not a finite
// number above 0 are left out.
func Of(launches []Launch) Estimate {
	e := Estimate{Hi: math.Inf(1)}
	launches = slices.DeleteFunc(slices.Clone(launches), func(l Launch) bool { return math.IsNaN(l.Log) || math.IsInf(l.Log, 0) })
	e.Launches = len(launches)
	orders := byOrder(launches)
	e.Orders = len(orders)
	if e.Orders == 0 {
		return e
	}
	values, place := balance(orders)
	e.Place = math.Expm1(place)
	s := benchmath.AssumeNormal.Summary(benchmath.NewSample(values, &benchmath.DefaultThresholds), Confidence)
	e.Center = math.Exp(s.Center)
	if e.Orders > 1 {
		e.Lo, e.Hi = math.Exp(s.Lo), math.Exp(s.Hi)
	}
	return e
}

// Ratio returns the estimate of one quantity over another, of the link orders that
// both have.
func Ratio(of, over []Launch) Estimate {
	base := map[int]Launch{}
	for _, l := range byOrder(over) {
		base[l.Order] = l
	}
	var both []Launch
	for _, l := range byOrder(of) {
		if b, ok := base[l.Order]; ok {
			both = append(both, Launch{l.Order, l.Log - b.Log, slices.Concat(l.Odd, b.Odd)})
		}
	}
	e := Of(both)
	e.Launches = len(of)
	return e
}

// byOrder returns one launch a link order: the mean of its launches.
func byOrder(launches []Launch) []Launch {
	launches = slices.Clone(launches)
	slices.SortStableFunc(launches, func(a, b Launch) int { return cmp.Or(cmp.Compare(a.Order, b.Order), cmp.Compare(a.Log, b.Log)) })
	var orders []Launch
	count := 0.
	for _, l := range launches {
		if n := len(orders); n > 0 && orders[n-1].Order == l.Order {
			count++
			orders[n-1].Log += (l.Log - orders[n-1].Log) / count
			continue
		}
		orders, count = append(orders, l), 1
	}
	return orders
}

// balance fits the effects of the places and returns the values without them, and
// the logarithm of what the best places are over the worst. A bit that is the same
// in all link orders is left out: there is nothing to balance it with. So are all
// bits if there are too few link orders; places are then a part of the scatter.
func balance(orders []Launch) (values []float64, place float64) {
	n := len(orders)
	values = make([]float64, n)
	for i, o := range orders {
		values[i] = o.Log
	}
	bits := len(orders[0].Odd)
	for _, o := range orders {
		bits = min(bits, len(o.Odd))
	}
	var columns [][]float64
	for bit := range bits {
		column := make([]float64, n)
		odd := 0
		for i, o := range orders {
			column[i] = -0.5
			if o.Odd[bit] {
				column[i] = 0.5
				odd++
			}
		}
		if odd > 0 && odd < n {
			columns = append(columns, column)
		}
	}
	if columns = independent(columns); n < 3+2*len(columns) {
		columns = nil
	}
	effects, residuals := fit(columns, values)
	center := 0.
	for _, r := range residuals {
		center += r / float64(n)
	}
	if len(columns) == 0 {
		return residuals, 0
	}
	rest := subtractMean(residuals)
	variance := dot(rest, rest) / float64(n-1-len(columns))
	for c, column := range columns {
		side := subtractMean(column)
		if effect := effects[c+1]; effect*effect > 4*variance/dot(side, side) {
			place += math.Abs(effect)
		}
	}
	// benchmath takes these for n independent values. The fit has taken a degree of
	// freedom for each bit, and places that came up unevenly say less of their mean.
	left := float64(n - 1 - len(columns))
	wider := math.Sqrt(float64(n-1)/left) * student(left) / student(float64(n-1)) * math.Sqrt(float64(n)/unexplained(columns))
	for i, r := range residuals {
		values[i] = center + wider*(r-center)
	}
	return values, place
}

// far is how many standard deviations a link order counts as being off, at the most:
// one of hundreds is further off by chance. Beyond that, something else happened.
const far = 3

// fit returns the constant and the factors of the columns that fit the values best,
// and the values without what the columns explain. A value that is far off is
// pulled in to where it is no longer (Huber, Robust Statistics, 1981, section 7.8),
// unless there are so few that nothing tells what is far.
func fit(columns [][]float64, values []float64) (effects, residuals []float64) {
	n := len(values)
	values = slices.Clone(values)
	for range 10 {
		effects = leastSquares(columns, values)
		residuals = slices.Clone(values)
		distances := make([]float64, n)
		for i := range values {
			for c, column := range columns {
				residuals[i] -= effects[c+1] * column[i]
			}
			distances[i] = math.Abs(residuals[i] - effects[0])
		}
		slices.Sort(distances)
		// For normal values half of the distances are below 0.6745 deviations.
		limit := far * distances[n/2] / 0.6745 * math.Sqrt(float64(n)/float64(n-1-len(columns)))
		if n-1-len(columns) < 8 || distances[n-1] <= limit || limit == 0 {
			break
		}
		for i, r := range residuals {
			values[i] -= r - effects[0] - min(max(r-effects[0], -limit), limit)
		}
	}
	return effects, residuals
}

// student returns how many standard errors an interval reaches to a side.
func student(freedom float64) float64 {
	return stats.InvCDF(stats.TDist{V: freedom})((1 + Confidence) / 2)
}

// unexplained returns the sum of squares that is left of a column of ones when the
// others, which are independent, are taken out: the mean is known as well as from
// so many values.
func unexplained(columns [][]float64) float64 {
	rest := slices.Repeat([]float64{1}, len(columns[0]))
	var basis [][]float64
	for _, column := range columns {
		b := slices.Clone(column)
		for _, other := range basis {
			subtractShare(b, other)
		}
		subtractShare(rest, b)
		basis = append(basis, b)
	}
	return dot(rest, rest)
}

// subtractShare takes from a what lies in the direction of b.
func subtractShare(a, b []float64) {
	f := dot(a, b) / dot(b, b)
	for i := range a {
		a[i] -= f * b[i]
	}
}

// independent leaves out columns that others or the mean make up.
func independent(columns [][]float64) [][]float64 {
	var kept, basis [][]float64
	for _, column := range columns {
		rest := subtractMean(column)
		for _, b := range basis {
			subtractShare(rest, b)
		}
		if dot(rest, rest) > 1e-6*float64(len(rest)) {
			kept, basis = append(kept, column), append(basis, rest)
		}
	}
	return kept
}

func subtractMean(column []float64) []float64 {
	mean := 0.
	for _, v := range column {
		mean += v / float64(len(column))
	}
	rest := make([]float64, len(column))
	for i, v := range column {
		rest[i] = v - mean
	}
	return rest
}

func dot(a, b []float64) float64 {
	sum := 0.
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// leastSquares returns the constant and the factors of the columns that fit the
// values best, by Gauss-Jordan elimination of the normal equations.
func leastSquares(columns [][]float64, values []float64) []float64 {
	ones := slices.Repeat([]float64{1}, len(values))
	terms := slices.Concat([][]float64{ones}, columns)
	k := len(terms)
	m := make([][]float64, k)
	for i := range m {
		m[i] = make([]float64, k+1)
		for j := range k {
			m[i][j] = dot(terms[i], terms[j])
		}
		m[i][k] = dot(terms[i], values)
	}
	for i := range m {
		for p := i + 1; p < k; p++ {
			if math.Abs(m[p][i]) > math.Abs(m[i][i]) {
				m[i], m[p] = m[p], m[i]
			}
		}
		for p := range m {
			if p == i {
				continue
			}
			f := m[p][i] / m[i][i]
			for j := i; j <= k; j++ {
				m[p][j] -= f * m[i][j]
			}
		}
	}
	factors := make([]float64, k)
	for i := range m {
		factors[i] = m[i][k] / m[i][i]
	}
	return factors
}

// HalfWidth returns how far the interval reaches to either side of Center, as a
// share of it: 0.01 for 1 %. It is +Inf for an unbounded interval.
func (e Estimate) HalfWidth() float64 { return math.Sqrt(e.Hi/e.Lo) - 1 }

// Excludes reports whether the quantity lies outside of the interval.
func (e Estimate) Excludes(quantity float64) bool { return quantity < e.Lo || quantity > e.Hi }

// String writes the estimate with as many digits as its interval bears, and the
// interval: "1.24 (1.23 to 1.25)".
func (e Estimate) String() string { return e.Scale(1, "") }

// Scale writes the estimate divided by a unit, with the unit's name behind it.
func (e Estimate) Scale(unit float64, name string) string {
	center, lo, hi := e.Center/unit, e.Lo/unit, e.Hi/unit
	if math.IsInf(hi, 1) || hi-lo < 1e-9*center { // no interval, or an exact count
		return fmt.Sprintf("%.2f%s", center, name)
	}
	half := (hi - lo) / 2
	return fmt.Sprintf("%s%s (%s to %s)", trimDigits(center, half), name, trimDigits(lo, half), trimDigits(hi, half))
}

// FormatRatio writes a ratio and its interval; ~ stands for a ratio that may be 1.
func FormatRatio(e Estimate) string {
	if !e.Excludes(1) {
		_, interval, _ := strings.Cut(e.String(), " ")
		return strings.TrimSpace("~ " + interval)
	}
	return e.String()
}

// trimDigits writes a number so that its last digit is that of the half-width's
// first.
func trimDigits(v, half float64) string {
	digits := int(math.Ceil(-math.Log10(half)))
	return fmt.Sprintf("%.*f", min(max(digits, 0), 6), v)
}
