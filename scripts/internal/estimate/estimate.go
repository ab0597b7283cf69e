// Package estimate turns what slices measured into a figure and an interval. All
// statistics are here.
//
// [Levels] makes one figure of a subject's slices in a launch. The samples are link orders,
// binaries with their functions at other places: each is launched once, and is one value (after
// Kalibera and Jones, Rigorous benchmarking in reasonable time, ISMM 2013).
//
// Most of what they differ by is one bit a hot function: whether it begins at an even or an
// odd multiple of 32 bytes. Its effects are fitted, and what is estimated is the mean of all
// places. In a few of a hundred link orders a program is slower by a tenth or more, by something
// else: these are left out, and faster ones would be.
package estimate

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/aclements/go-moremath/stats"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"
)

// Confidence is the share of runs in which an interval covers the mean of all places, in
// link orders that are not far off.
const Confidence = 0.95

// MinOrders is how many link orders give an interval.
const MinOrders = 4

// Launch is what one launch says of a quantity.
type Launch struct {
	Order  int       // which link order was launched; each is once
	Log    float64   // natural logarithm of the quantity
	Places []float64 // see [PlaceEffects]; nil if they are not known
}

// PlaceEffects codes where hot functions begin, each at an odd multiple of 32 bytes or not:
// a number for each effect that this may have, of which the mean over all places is 0.
// Two functions have a third effect, of whether their places are alike.
func PlaceEffects(odd []bool) (effects []float64) {
	if len(odd) == 2 {
		odd = []bool{odd[0], odd[1], odd[0] == odd[1]}
	}
	for _, o := range odd {
		effect := -0.5
		if o {
			effect = 0.5
		}
		effects = append(effects, effect)
	}
	return effects
}

// Estimate is what all launches say of a quantity.
type Estimate struct {
	// Center is the quantity as the mean of all places, 0 if there is no launch, and Lo to
	// Hi its interval: 0 to +Inf for fewer than four link orders, unless two or three agree.
	Center, Lo, Hi float64
	// Place is by what share the quantity is larger at the best place than at the worst; 0 if
	// that was not fitted, or would be so much in one of a thousand fits where there is no effect.
	Place   float64
	Orders  int     // that were launched
	freedom float64 // degrees of freedom of the interval; 0 for those of the link orders
	least   float64 // of few launches, how likely it is at least that they differ by chance
}

// Ratio returns the estimate of one quantity over another, of the link orders that both
// have; exchange both, and it is the inverse.
func Ratio(dividend, divisor []Launch) Estimate {
	var both []Launch
	for _, l := range dividend {
		if i := slices.IndexFunc(divisor, func(d Launch) bool { return d.Order == l.Order }); i >= 0 {
			over := divisor[i]
			both = append(both, Launch{l.Order, l.Log - over.Log, slices.Concat(l.Places, over.Places)})
		}
	}
	return Mean(both)
}

// Mean returns the estimate of a quantity, of the launches where it is a number above 0. Link orders
// that are far from their median are left out: by a tenth, which is more than places are worth, and
// by five deviations of normal values as far from it. Among fewer than eight nothing tells what is far.
func Mean(launches []Launch) Estimate {
	var orders []Launch
	var logs, distances []float64
	for _, l := range launches {
		if !math.IsNaN(l.Log) && !math.IsInf(l.Log, 0) {
			orders, logs = append(orders, l), append(logs, l.Log)
		}
	}
	n := len(orders)
	if n == 0 {
		return Estimate{Hi: math.Inf(1)}
	}
	median := Median(logs)
	for _, log := range logs {
		distances = append(distances, math.Abs(log-median))
	}
	if limit := max(0.1, 5*1.48*Median(distances)); n >= 8 {
		orders = slices.DeleteFunc(orders, func(l Launch) bool { return math.Abs(l.Log-median) > limit })
	}
	center, deviation, freedom, place := leastSquares(orders)
	e := around(center, deviation*student(freedom), n, slices.Max(distances) == 0)
	e.freedom, e.Place = freedom, math.Expm1(place)
	e.least = bySigns(logs)
	return e
}

// leastSquares fits the logarithms of link orders to a constant and the effects of places. It
// returns the center, which is the value where all effects are 0, the standard deviation of that,
// with its degrees of freedom, and what the fitted values differ by at the most, if that is said.
//
// It fits by Gram-Schmidt: what the effects leave of the constant tells the center. The effects
// are a part of the scatter if they leave next to nothing, if there are few values, or if they may
// be chance: up to an F of 3.5, which some seven of a hundred fits exceed where there is no effect.
func leastSquares(orders []Launch) (center, deviation, freedom, place float64) {
	var constant, logs []float64
	for _, l := range orders {
		constant, logs = append(constant, 1), append(logs, l.Log)
	}
	basis := effects(orders)
	project(constant, basis)
	left := slices.Clone(logs)
	project(left, basis)
	n, places, unique := float64(len(orders)), float64(len(basis)), floats.Dot(constant, constant)
	values := n - places - 1 // that are free
	center = floats.Dot(constant, left) / unique
	floats.AddScaled(left, -center, constant)
	scatter, all := floats.Dot(left, left), stats.Variance(logs)*(n-1)
	if places > 0 && (unique < 0.02*n || n < 2*places+4 || all <= scatter*(1+3.5*places/values)) {
		for i := range orders {
			orders[i].Places = nil
		}
		return leastSquares(orders)
	}
	fourth := math.Pow(floats.Norm(constant, 4), 4) // sum of the fourth powers of the influences
	deviation = math.Sqrt(scatter / values / unique)
	// After Satterthwaite, since some values have more influence on the center.
	freedom = max(1, values*unique*unique/(n*fourth))
	if places > 0 {
		floats.Sub(logs, left) // as fitted
		place = slices.Max(logs) - slices.Min(logs)
		chance := distuv.F{D1: places, D2: values}
		if f := (all - scatter) / places / (scatter / values); f < 1e9 && chance.Survival(f) > 0.001 {
			place = 0
		}
	}
	return center, deviation, freedom, place
}

// effects returns those of places as columns that are orthogonal, each of length 1: none if not
// all link orders have the same number of places, and none of a place that is the same in all, or
// that others make up.
func effects(orders []Launch) (basis [][]float64) {
	for j := range orders[0].Places {
		var effect []float64
		for _, l := range orders {
			if len(l.Places) != len(orders[0].Places) {
				return nil
			}
			effect = append(effect, l.Places[j])
		}
		if slices.Min(effect) == slices.Max(effect) {
			continue
		}
		project(effect, basis)
		if length := floats.Norm(effect, 2); length > 1e-9 {
			floats.Scale(1/length, effect)
			basis = append(basis, effect)
		}
	}
	return basis
}

// project takes off a column what a basis makes up of it.
func project(column []float64, basis [][]float64) {
	for _, b := range basis {
		floats.AddScaled(column, -floats.Dot(column, b), b)
	}
}

// around returns the estimate whose logarithm lies in the middle of an interval. It takes some
// link orders, unless fewer agree.
func around(center, half float64, orders int, agree bool) Estimate {
	if orders < MinOrders && !(agree && orders > 1) {
		half = math.Inf(1)
	}
	lo, hi := math.Exp(center-half), math.Exp(center+half)
	return Estimate{Center: math.Exp(center), Lo: lo, Hi: hi, Orders: orders}
}

// student returns how many deviations of a mean an interval reaches to a side.
func student(freedom float64) float64 {
	return stats.InvCDF(stats.TDist{V: freedom})((1 + Confidence) / 2)
}

// MedianRatio returns the estimate of one quantity over another, of what launches say of both. Their
// link orders have nothing in common but the time: it is the median of all ratios of one of the first
// and one of the second (Hodges and Lehmann, 1963). It hardly heeds places that are far off or make
// two groups, where the mean of the ratios in each launch, as of [Ratio], scattered by half more.
//
// The interval is Lehmann's, by the ranks' deviation if in each launch either could be the other.
func MedianRatio(dividend, divisor []float64) Estimate {
	var above, below, means, differences []float64 // logarithms, by launch
	for i := range min(len(dividend), len(divisor)) {
		a, b := math.Log(dividend[i]), math.Log(divisor[i])
		if !math.IsNaN(a-b) && !math.IsInf(a-b, 0) {
			above, below = append(above, a), append(below, b)
			means, differences = append(means, (a+b)/2), append(differences, a-b)
		}
	}
	n := len(above)
	if n == 0 {
		return Mean(nil)
	}
	// What a launch has in common is the machine's: by how much launches differ beyond their scatter.
	common, machine := stats.Variance(means), 0.
	if own := stats.Variance(differences) / 4; own < common {
		machine = 1 - own/common
	}
	floats.AddScaled(above, -machine, means)
	floats.AddScaled(below, -machine, means)
	var ratios []float64
	for _, a := range above {
		for _, b := range below {
			ratios = append(ratios, a-b)
		}
	}
	slices.Sort(ratios)
	center, last := Median(ratios), len(ratios)-1
	floats.AddConst(-center, above)
	all := slices.Sorted(slices.Values(slices.Concat(above, below)))
	apart := 0. // squares of how many ranks lie between the two of a launch
	for i := range above {
		a, _ := slices.BinarySearch(all, above[i])
		b, _ := slices.BinarySearch(all, below[i])
		apart += float64((a - b) * (a - b))
	}
	far := max(0, int(math.Round((float64(last)-math.Sqrt(apart))/2)))
	half := (ratios[last-far] - ratios[far]) / 2 * student(float64(n-1))
	e := around(center, half, n, ratios[0] == ratios[last])
	e.least = bySigns(differences)
	return e
}

// HalfWidth returns how far the interval reaches from Center, as a share of it, or +Inf.
func (e Estimate) HalfWidth() float64 { return math.Sqrt(e.Hi/e.Lo) - 1 }

// MarshalJSON writes the center, and the interval if there is one.
func (e Estimate) MarshalJSON() ([]byte, error) {
	if math.IsInf(e.Hi, 1) {
		return fmt.Appendf(nil, `{"center": %g}`, e.Center), nil
	}
	return fmt.Appendf(nil, `{"center": %g, "lo": %g, "hi": %g}`, e.Center, e.Lo, e.Hi), nil
}

// exact reports whether all that was measured agrees, as counts do.
func (e Estimate) exact() bool { return e.Hi-e.Lo < 1e-9*e.Center }

// digits returns how many decimals the interval bears, three at the most, which are as many as
// the instrument bears. Without an interval there are two.
func (e Estimate) digits() int {
	if math.IsInf(e.Hi, 1) || e.exact() {
		return 2
	}
	return min(max(int(math.Ceil(-math.Log10((e.Hi-e.Lo)/2))), 0), 3)
}

// Short writes the center alone, with as many digits as the interval bears.
func (e Estimate) Short() string { return strconv.FormatFloat(e.Center, 'f', e.digits(), 64) }

// FormatRatio writes a ratio with as many digits as its interval bears, and the interval: "1.24
// (1.23 to 1.25)". The sign ~ stands for a ratio that may be 1. Without an interval it says how
// many link orders that takes, and no figure.
func FormatRatio(e Estimate) string {
	center, digits := e.Short(), e.digits()
	switch {
	case math.IsInf(e.Hi, 1):
		return fmt.Sprintf("needs %d orders, has %d", MinOrders, e.Orders)
	case !e.Excludes(1):
		center = "~"
	}
	if e.exact() {
		return center
	}
	for digits < 3 && e.Excludes(1) && min(math.Abs(e.Lo-1), math.Abs(e.Hi-1)) < math.Pow10(-digits)/2 {
		digits++ // or an end would look like 1
	}
	return fmt.Sprintf("%s (%.*f to %.*f)", center, digits, e.Lo, digits, e.Hi)
}
