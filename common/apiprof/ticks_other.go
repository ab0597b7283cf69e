//go:build !amd64 || purego

package apiprof

import "raysteps/common/clock"

const hasTicks = false

// ticks takes the place of a counter with what the system has, nanoseconds.
func ticks() int64 { return int64(clock.Now()) }
