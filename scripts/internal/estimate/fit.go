package estimate

import (
	"math"
	"slices"

	"github.com/aclements/go-moremath/stats"
)

// fit is a least-squares fit of the logarithms of link orders to a constant and the effects
// of places.
type fit struct {
	fitted    []float64
	scatter   float64 // sum of the squares of what is left
	freedom   float64 // its degrees of freedom
	center    float64 // the value where all effects are 0
	deviation float64 // standard deviation of the center
	effective float64 // degrees of freedom of that: some values have more influence on it
}

// leastSquares fits by Gram-Schmidt, with places or without: what their effects leave of
// the constant tells the center. If they leave next to nothing, or if there are few values,
// or not all have the same number of places, these are a part of the scatter.
func leastSquares(orders []Launch, places bool) fit {
	n := float64(len(orders))
	var constant, left []float64
	for _, l := range orders {
		constant, left = append(constant, 1), append(left, l.Log)
		places = places && len(l.Places) == len(orders[0].Places)
	}
	var basis [][]float64 // orthogonal, each of length 1
	project := func(v []float64) {
		for _, b := range basis {
			share := dot(v, b)
			for i := range v {
				v[i] -= share * b[i]
			}
		}
	}
	for j := range orders[0].Places {
		var effect []float64
		for _, l := range orders {
			if places {
				effect = append(effect, l.Places[j])
			}
		}
		if !places || slices.Min(effect) == slices.Max(effect) { // which has nothing to be told by
			continue
		}
		project(effect)
		if length := math.Sqrt(dot(effect, effect)); length > 1e-9 { // else others make it up
			for i := range effect {
				effect[i] /= length
			}
			basis = append(basis, effect)
		}
	}
	project(constant)
	project(left)
	unique, rank := dot(constant, constant), float64(1+len(basis))
	if rank > 1 && (unique < 0.02*n || n < 2*rank+2) {
		return leastSquares(orders, false)
	}
	f := fit{center: dot(constant, left) / unique, freedom: n - rank}
	fourth := 0. // powers of the influences
	for i, c := range constant {
		left[i] -= f.center * c
		f.fitted = append(f.fitted, orders[i].Log-left[i])
		fourth += c * c * c * c
	}
	f.scatter = dot(left, left)
	f.deviation = math.Sqrt(f.scatter / f.freedom / unique)
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
	if effects == 0 || without.scatter <= f.scatter*(1+4*effects/f.freedom) {
		return 0
	}
	return slices.Max(f.fitted) - slices.Min(f.fitted)
}

func dot(a, b []float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}
