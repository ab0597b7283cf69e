package estimate_test

import (
	"fmt"
	"math"

	"raysteps/scripts/internal/estimate"
)

// Rates of two programs, as one launch of each of six link orders gives them. In the
// fourth order something else was slow; the launches of an order are paired, so the ratio
// does not see it.
func ExampleRatio() {
	var old, changed []estimate.Launch
	for order, rates := range [][2]float64{{500, 600}, {505, 607}, {498, 597}, {430, 516}, {502, 603}, {499, 598}} {
		old = append(old, estimate.Launch{Order: order, Log: math.Log(rates[0])})
		changed = append(changed, estimate.Launch{Order: order, Log: math.Log(rates[1])})
	}
	fmt.Println("ratio:", estimate.FormatRatio(estimate.Ratio(changed, old)))
	fmt.Println("with itself:", estimate.FormatRatio(estimate.Ratio(old, old)))
	// Output:
	// ratio: 1.200 (1.199 to 1.201)
	// with itself: ~
}
