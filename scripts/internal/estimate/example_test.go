package estimate_test

import (
	"fmt"
	"math"

	"raysteps/scripts/internal/estimate"
)

// Three link orders were launched once each. In a launch two variants took
// turns for three cycles; here are the nanoseconds of their slices.
func Example() {
	runs := [][][]float64{
		{{1000, 500}, {1210, 600}, {1100, 550}},
		{{1010, 505}, {1000, 496}, {3000, 498}}, // a burst hit the last cycle
		{{2000, 1010}, {1000, 505}, {1010, 510}},
	}
	var launches []estimate.Launch
	for order, cycles := range runs {
		for _, cycle := range cycles {
			for variant := range cycle {
				cycle[variant] = math.Log(cycle[variant])
			}
		}
		levels := estimate.Levels(cycles)
		launches = append(launches, estimate.Launch{Order: order, Log: levels[0] - levels[1]})
	}
	e := estimate.Of(launches)
	fmt.Printf("%.3f (%.3f to %.3f)\n", e.Center, e.Lo, e.Hi)
	fmt.Println("undecided:", e.Undecided())
	fmt.Println("excludes 1:", e.Excludes(1))
	// Output:
	// 1.999 (1.954 to 2.044)
	// undecided: false
	// excludes 1: true
}
