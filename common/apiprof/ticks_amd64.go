//go:build !purego

package apiprof

// hasTicks reports whether ticks reads a counter of the processor.
const hasTicks = true

// ticks reads the processor's time-stamp counter. It shows what a cheaper
// clock would give and is not offered as one: whether it runs at one speed and
// the same on all cores is known to the operating system, which bases its own
// clock on this counter where it does. Preshing left it out for that reason.
func ticks() int64
