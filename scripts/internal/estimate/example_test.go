package estimate_test

import (
	"fmt"
	"math"

	"raysteps/scripts/internal/estimate"
)

// Two programs took turns in eight link orders. What the machine did to both of a link order, here a
// step of 10 % in the middle, is in neither their ratio nor its interval.
func ExampleRatio() {
	var old, changed []estimate.Launch
	for order := range 8 {
		machine := math.Log(1 + 0.1*float64(order/4))
		scatter := 0.001 * float64(order%3)
		old = append(old, estimate.Launch{Order: order, Log: machine})
		changed = append(changed, estimate.Launch{Order: order, Log: machine + math.Log(1.2) + scatter})
	}
	ratio := estimate.Ratio(changed, old)
	fmt.Println(estimate.FormatRatio(ratio))
	row := estimate.Row{Name: "Hit", Unit: "rays/s", Ratio: ratio}
	fmt.Println(estimate.NewRule(0.01, []estimate.Row{row}).Verdict(row))
	// Output:
	// 1.201 (1.200 to 1.202)
	// faster true
}
