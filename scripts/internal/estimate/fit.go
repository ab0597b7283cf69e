package estimate

import (
	"math"
	"slices"

	"github.com/aclements/go-moremath/stats"
)

// fit is a least-squares fit of the logarithms of link orders to a constant and the effects
// of places.
type fit struct {
	values    []float64
	residuals []float64 // values less what is fitted
	variance  float64   // of the residuals
	freedom   float64   // degrees of freedom of the variance
	center    float64   // the value where all effects are 0
	deviation float64   // standard deviation of the center
	effective float64   // degrees of freedom of that: some values have more influence on it
}

// leastSquares fits by Gram-Schmidt, with places or without: what their effects leave of
// the constant tells the center. If they leave next to nothing, or if there are few values,
// or not all have the same number of places, these are a part of the scatter.
func leastSquares(orders []Launch, places bool) fit {
	n := float64(len(orders))
	var f fit
	var constant []float64
	effects := make([][]float64, len(orders[0].Places))
	for _, l := range orders {
		f.values, constant = append(f.values, l.Log), append(constant, 1)
		if places = places && len(l.Places) == len(effects); places {
			for j, place := range l.Places {
				effects[j] = append(effects[j], place)
			}
		}
	}
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
		if !places || slices.Min(e) == slices.Max(e) { // which has nothing to be told by
			continue
		}
		left := project(e)
		if length := math.Sqrt(dot(left, left)); length > 1e-9 { // else others make it up
			for i := range left {
				left[i] /= length
			}
			basis = append(basis, left)
		}
	}
	constant = project(constant)
	unique, rank := dot(constant, constant), float64(1+len(basis))
	if rank > 1 && (unique < 0.02*n || n < 2*rank+2) {
		return leastSquares(orders, false)
	}
	f.center, f.residuals, f.freedom = dot(constant, f.values)/unique, project(f.values), n-rank
	fourth := 0. // powers of the influences
	for i, c := range constant {
		f.residuals[i] -= f.center * c
		fourth += c * c * c * c
	}
	f.variance = dot(f.residuals, f.residuals) / f.freedom
	f.deviation = math.Sqrt(f.variance / unique)
	f.effective = max(1, f.freedom*unique*unique/(n*fourth)) // after Satterthwaite
	return f
}

// halfWidth returns how far the interval of the center reaches to a side.
func (f fit) halfWidth() float64 {
	return f.deviation * stats.InvCDF(stats.TDist{V: f.effective})((1+Confidence)/2)
}

// place returns by what the fitted values differ at the most, or nothing if that may be
// chance: up to an F of 4 against the fit without places, as of an effect of twice its
// standard error.
func (f fit) place(without fit) float64 {
	effects := without.freedom - f.freedom
	if effects == 0 || without.variance*without.freedom <= f.variance*(f.freedom+4*effects) {
		return 0
	}
	fitted := slices.Clone(f.values)
	for i, r := range f.residuals {
		fitted[i] -= r
	}
	return slices.Max(fitted) - slices.Min(fitted)
}

func dot(a, b []float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}
