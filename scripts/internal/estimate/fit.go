package estimate

import (
	"math"
	"slices"

	"github.com/aclements/go-moremath/stats"
	"gonum.org/v1/gonum/floats"
)

// leastSquares fits the logarithms of link orders to a constant and the effects of places. It
// returns the center, which is the value where all effects are 0, the standard deviation of that,
// with its degrees of freedom, and what the fitted values differ by at the most.
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
	fourth := 0. // powers of the influences
	for _, c := range constant {
		fourth += c * c * c * c
	}
	deviation = math.Sqrt(scatter / values / unique)
	// After Satterthwaite, since some values have more influence on the center.
	freedom = max(1, values*unique*unique/(n*fourth))
	if places > 0 {
		floats.Sub(logs, left) // as fitted
		place = slices.Max(logs) - slices.Min(logs)
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
