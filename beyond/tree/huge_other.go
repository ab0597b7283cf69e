//go:build !linux

package tree

import "raysteps/common/mem"

// huge returns n elements from a multiple of a cache line on.
func huge[T any](n int) []T { return mem.Aligned[T](n, mem.CacheLine) }
