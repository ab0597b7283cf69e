package estimate

import (
	"math"
	"slices"

	"github.com/aclements/go-moremath/stats"
)

// fit is a weighted least-squares fit of values to a constant and some effects.
type fit struct {
	effects         [][]float64
	values, weights []float64

	center    float64   // the value where all effects are 0
	unique    float64   // share of the constant that no effects make up: if 0, the center is a guess
	residuals []float64 // values less what is fitted
	influence []float64 // of each value on the center
	leverage  []float64 // of each value on what is fitted to it
	rank      float64   // how many of the effects and the constant no others make up
	count     float64   // sum of the weights
	variance  float64   // of the residuals
}

// leastSquares fits by Gram-Schmidt. The constant comes last, so what the effects leave of
// it tells the center.
func leastSquares(effects [][]float64, values, weights []float64) fit {
	n := len(values)
	f := fit{effects: effects, values: values, weights: weights, residuals: slices.Clone(values), influence: make([]float64, n), leverage: make([]float64, n)}
	var basis [][]float64
	for _, term := range append(slices.Clone(effects), slices.Repeat([]float64{1}, n)) {
		left := make([]float64, n)
		for i, w := range weights {
			left[i] = math.Sqrt(w) * term[i]
		}
		before := dot(left, left)
		for range 2 { // once more for what rounding left
			for _, b := range basis {
				share := dot(left, b)
				for i := range left {
					left[i] -= share * b[i]
				}
			}
		}
		length := math.Sqrt(dot(left, left))
		if f.unique = length * length / before; f.unique < 1e-20 {
			continue
		}
		value := 0.
		for i, w := range weights {
			left[i] /= length
			f.influence[i] = left[i] * math.Sqrt(w) / length
			f.leverage[i] += left[i] * left[i]
			value += left[i] * math.Sqrt(w) * values[i]
		}
		for i, w := range weights {
			f.residuals[i] -= value * left[i] / math.Sqrt(w)
		}
		basis = append(basis, left)
	}
	f.rank = float64(len(basis))
	f.center = dot(f.influence, values)
	for i, w := range weights {
		f.count += w
		f.variance += w * f.residuals[i] * f.residuals[i]
	}
	f.variance /= f.count - f.rank
	return f
}

// robust fits values so that those that are far off, above or below, weigh less or
// nothing: first by their distance from the median of all, if that is more than places are
// worth, and then from the fit.
func robust(effects [][]float64, values []float64) fit {
	n := len(values)
	weights := slices.Repeat([]float64{1}, n)
	varies := func(e []float64) bool { return slices.Min(e) < slices.Max(e) }
	effects = slices.DeleteFunc(slices.Clone(effects), func(e []float64) bool { return !varies(e) })
	f := leastSquares(effects, values, weights)
	if f.unique < 0.02 || float64(n) < f.rank+4 { // places are a part of the scatter
		f = leastSquares(nil, values, weights)
	}
	if n < 8 {
		return f // nothing tells what is far
	}
	distances, median := slices.Clone(values), Median(values)
	for i := range distances {
		distances[i] -= median
	}
	taper(weights, distances, nil, 0.1)
	for range 20 {
		if f = leastSquares(f.effects, values, weights); float64(n) >= f.rank+8 {
			taper(weights, f.residuals, f.effects, 0.03)
		}
	}
	if f.unique < 0.01 || f.count < f.rank+2 {
		f = leastSquares(nil, values, weights)
	}
	return f
}

// taper sets weights: 1 up to a limit, and from there down to nothing at twice the limit.
// That is three deviations of normal values with the same upper quartile, of all or of
// those at the place that scatters most. By the scatter of all, those of a place that is
// now slow and now fast would be far off. Tukey's weights, which fall from the center on,
// and Huber's draw the mean of such a place to its median.
func taper(weights, distances []float64, effects [][]float64, limit float64) {
	for _, e := range append(slices.Clone(effects), weights) { // which are all above 0
		for _, side := range []float64{-1, 1} {
			var some []float64
			for i, d := range distances {
				if side*e[i] > 0 {
					some = append(some, math.Abs(d))
				}
			}
			if len(some) >= 6 {
				limit = max(limit, 3/1.15*stats.Sample{Xs: some}.Quantile(0.75))
			}
		}
	}
	for i, d := range distances {
		u := min(max(0, math.Abs(d)/limit-1), 1)
		weights[i] = max((1-u*u)*(1-u*u), 1e-6)
	}
}

// halfWidth returns how far the interval of the center reaches to a side.
//
// The variance of a value depends on its place: squares of residuals, each over 1 less its
// leverage, are fitted to the same effects. A quarter of the variance of all comes in,
// since few values at a place tell little. The degrees of freedom are Satterthwaite's.
func (f fit) halfWidth() float64 {
	squares, shares := slices.Clone(f.residuals), slices.Clone(f.influence)
	for i, r := range f.residuals {
		squares[i] *= r / max(1-f.leverage[i], 0.05)
		shares[i] *= f.influence[i]
	}
	n := len(shares)
	ofSquares := leastSquares(f.effects, squares, f.weights)
	ofShares := leastSquares(f.effects, shares, slices.Repeat([]float64{1}, n))
	var sum, scatter float64
	for i, share := range shares {
		v := max(0.75*(squares[i]-ofSquares.residuals[i])+0.25*f.variance, 0.02*f.variance)
		c := 0.75*(share-ofShares.residuals[i]) + 0.25*dot(f.influence, f.influence)/float64(n)
		sum += share * v
		scatter += c * c * v * v
	}
	if sum < 1e-30 { // the same value each time
		return 0
	}
	freedom := max(1, (f.count-f.rank)*min(1, sum*sum/scatter/f.count))
	return math.Sqrt(sum) * stats.InvCDF(stats.TDist{V: freedom})((1+Confidence)/2)
}

// explained returns by what the fitted values differ at the most, and R², adjusted; or
// nothing if that may be chance: below an F of 4, as of an effect that is twice its
// standard error.
func (f fit) explained() (difference, share float64) {
	mean, total, fitted := dot(f.weights, f.values)/f.count, 0., slices.Clone(f.values)
	for i, v := range f.values {
		total += f.weights[i] * (v - mean) * (v - mean)
		fitted[i] -= f.residuals[i]
	}
	if f.rank < 2 || total <= f.variance*(f.count-f.rank+4*(f.rank-1)) {
		return 0, 0
	}
	return slices.Max(fitted) - slices.Min(fitted), 1 - f.variance/total*(f.count-1)
}

func dot(a, b []float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}
