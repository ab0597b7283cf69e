// Package clock is the clock of the packages that time pieces of a program.
//
// On Windows it moves in steps of half a millisecond to 16. There a single time
// below that is 0 or a whole step, and only sums over many calls say something.
package clock

import "time"

// start is when the program started. Now subtracts it, since time.Since asks the
// system for the monotonic time alone, and time.Now for the time of day as well,
// at twice the cost.
var start = time.Now()

// Now returns the time since some moment at the start of the program. It never
// goes back. Any number of goroutines may call it at once.
func Now() time.Duration { return time.Since(start) }
