package estimate

import (
	"math"
	"slices"

	"github.com/aclements/go-moremath/stats"
)

// fit is a least-squares fit of values to a constant and some effects.
type fit struct {
	center    float64   // the value where all effects are 0
	deviation float64   // standard deviation of the center
	residuals []float64 // values less what is fitted
	variance  float64   // of the residuals
	freedom   float64   // degrees of freedom of the variance
	effective float64   // the same of the deviation, on which some values have more influence
}

// leastSquares fits by Gram-Schmidt: what the effects leave of the constant tells the
// center. If they leave next to nothing, or if there are few values, the fit is without
// effects, which are then a part of the scatter.
func leastSquares(values []float64, effects [][]float64) fit {
	var basis [][]float64 // orthogonal, each of length 1
	project := func(v []float64) []float64 {
		v = slices.Clone(v)
		for _, b := range basis {
			share := dot(v, b)
			for i := range v {
				v[i] -= share * b[i]
			}
		}
		return v
	}
	for _, e := range effects {
		left := project(e)
		if length := math.Sqrt(dot(left, left)); length > 1e-9 { // else others make it up
			for i := range left {
				left[i] /= length
			}
			basis = append(basis, left)
		}
	}
	constant := project(slices.Repeat([]float64{1}, len(values)))
	unique, n, rank := dot(constant, constant), float64(len(values)), float64(1+len(basis))
	if len(effects) > 0 && (unique < 0.02*n || n < 2*rank+2) {
		return leastSquares(values, nil)
	}
	f := fit{center: dot(constant, values) / unique, residuals: project(values), freedom: n - rank}
	fourth := 0. // powers of the influences
	for i, c := range constant {
		f.residuals[i] -= f.center * c
		fourth += c * c * c * c
	}
	f.variance = dot(f.residuals, f.residuals) / f.freedom
	f.effective = max(1, f.freedom*unique*unique/(n*fourth)) // after Satterthwaite
	f.deviation = math.Sqrt(f.variance / unique)
	return f
}

// halfWidth returns how far the interval of the center reaches to a side.
func (f fit) halfWidth() float64 {
	return f.deviation * stats.InvCDF(stats.TDist{V: f.effective})((1+Confidence)/2)
}

// place returns by what the fitted values differ at the most, and the share of the variance
// that they explain; or nothing if that may be chance: up to an F of 4, as of an effect of
// twice its standard error.
func (f fit) place(values []float64) (difference, explained float64) {
	flat := leastSquares(values, nil)
	effects := flat.freedom - f.freedom
	if effects == 0 || flat.variance*flat.freedom <= f.variance*(f.freedom+4*effects) {
		return 0, 0
	}
	fitted := slices.Clone(values)
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
