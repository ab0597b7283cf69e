package clock_test

import (
	"fmt"

	"raysteps/common/clock"
)

// The time of a piece of a program is the difference of two readings. Where the clock moves in
// large steps it may be 0, and is never below.
func ExampleNow() {
	start := clock.Now()
	sum := 0
	for i := range 100 {
		sum += i
	}
	took := clock.Now() - start
	fmt.Println(sum, took >= 0)
	// Output: 4950 true
}
