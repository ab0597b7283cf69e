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
	count, rank     float64 // sum of the weights; how many terms no others make up

	center    float64   // the value where all effects are 0
	residuals []float64 // values less what is fitted
	influence []float64 // of each value on the center
	leverage  []float64 // of each value on what is fitted to it
	variance  float64   // of the residuals
}

// leastSquares fits by Gram-Schmidt. The constant comes last: what the effects leave of it
// tells the center. If that is next to nothing, or if there are too few values, the fit
// is without the effects, which are then a part of the scatter.
func leastSquares(effects [][]float64, values, weights []float64) fit {
	n, unique := len(values), 0. // the share of a term that no others make up
	f := fit{effects: effects, values: values, weights: weights, residuals: slices.Clone(values), influence: make([]float64, n), leverage: make([]float64, n)}
	var basis [][]float64
	for _, term := range append(slices.Clone(effects), slices.Repeat([]float64{1}, n)) {
		left := make([]float64, n)
		for i, w := range weights {
			left[i] = math.Sqrt(w) * term[i]
		}
		before := dot(left, left)
		for _, b := range basis {
			share := dot(left, b)
			for i := range left {
				left[i] -= share * b[i]
			}
		}
		length := math.Sqrt(dot(left, left))
		if unique = length * length / before; unique < 1e-20 {
			continue
		}
		for i, w := range weights {
			left[i] /= length
			f.influence[i] = left[i] * math.Sqrt(w) / length
			f.leverage[i] += left[i] * left[i]
		}
		f.center = dot(f.influence, values)
		for i, w := range weights {
			f.residuals[i] -= f.center * length * left[i] / math.Sqrt(w)
		}
		basis = append(basis, left)
	}
	for i, w := range weights {
		f.count += w
		f.variance += w * f.residuals[i] * f.residuals[i]
	}
	f.rank = float64(len(basis))
	if len(effects) > 0 && (unique < 0.02 || f.count < f.rank+4) {
		return leastSquares(nil, values, weights)
	}
	f.variance /= f.count - f.rank
	return f
}

// robust fits values so that those that are far off, above or below, weigh less or
// nothing: first by their distance from the median of all, if that is more than places are
// worth, and then from the fit. Among fewer than eight, nothing tells what is far.
func robust(effects [][]float64, values []float64) fit {
	weights, distances := slices.Repeat([]float64{1}, len(values)), slices.Clone(values)
	if len(values) >= 8 {
		for i := range distances {
			distances[i] -= Median(values)
		}
		taper(weights, distances, nil, 0.1)
		for range 20 {
			if f := leastSquares(effects, values, weights); float64(len(values)) >= f.rank+8 {
				taper(weights, f.residuals, f.effects, 0.03)
			}
		}
	}
	return leastSquares(effects, values, weights)
}

// taper sets weights: 1 up to a limit, and from there down to nothing at twice the limit:
// three deviations of normal values with the same upper quartile, of those at the place that
// scatters most. By the scatter of all, such a place would seem to be far off. Tukey's and
// Huber's weights draw the mean of a place that is now slow and now fast to its median.
func taper(weights, distances []float64, effects [][]float64, limit float64) {
	for _, e := range append(slices.Clone(effects), weights) { // weights are all above 0
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

// halfWidth returns how far the interval of the center reaches to a side. The variance of
// a value depends on its place: squares of residuals, each over 1 less its leverage, are
// fitted to the same effects. A quarter of the variance of all comes in, since few values
// at a place tell little. The degrees of freedom are Satterthwaite's.
func (f fit) halfWidth() float64 {
	squares, shares := slices.Clone(f.residuals), slices.Clone(f.influence)
	for i, r := range f.residuals {
		squares[i] *= r / max(1-f.leverage[i], 0.05)
		shares[i] *= f.influence[i]
	}
	ofSquares := leastSquares(f.effects, squares, f.weights)
	ofShares := leastSquares(f.effects, shares, slices.Repeat([]float64{1}, len(shares)))
	sum, scatter, mean := 0., 1e-300, stats.Mean(shares) // more than 0, if all values are the same
	for i, share := range shares {
		v := 0.75*max(0, squares[i]-ofSquares.residuals[i]) + 0.25*f.variance
		c := 0.75*(share-ofShares.residuals[i]) + 0.25*mean
		sum += share * v
		scatter += c * c * v * v
	}
	freedom := max(1, (f.count-f.rank)*min(1, sum*sum/scatter/f.count))
	return math.Sqrt(sum) * stats.InvCDF(stats.TDist{V: freedom})((1+Confidence)/2)
}

// explained returns by what the fitted values differ at the most, and R², adjusted; or
// nothing if that may be chance: up to an F of 4, as of an effect of twice its standard error.
func (f fit) explained() (difference, share float64) {
	flat := leastSquares(nil, f.values, f.weights)
	if f.rank < 2 || flat.variance*(f.count-1) <= f.variance*(f.count+3*f.rank-4) {
		return 0, 0
	}
	fitted := slices.Clone(f.values)
	for i, r := range f.residuals {
		fitted[i] -= r
	}
	return slices.Max(fitted) - slices.Min(fitted), 1 - f.variance/flat.variance
}

func dot(a, b []float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}
