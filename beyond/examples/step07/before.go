package step07

import "math/bits"

// Histogram counts durations by the bits of their microseconds.
type Histogram struct {
	counts []int
}

// NewHistogram has room for all durations.
func NewHistogram() *Histogram { return &Histogram{make([]int, 65)} }

// Add counts durations, in microseconds.
func (h *Histogram) Add(durations []uint64) {
	for _, d := range durations {
		h.counts[bits.Len64(d)]++
	}
}
