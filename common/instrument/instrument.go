// Package instrument is where a step is measured from inside: it holds the
// statistics of a render and the marks that the step sets, one line each, at the
// places that they are about. The instruments themselves are in the packages
// stats, perf and apiprof.
//
// A program that is built with the tag instrument has them:
//
//	go run -tags instrument ./scripts/render -stats -scene medium -o medium.png
//
// In any other build [On] is false and [Worker] is an empty struct, so that the
// compiler leaves nothing of a mark: the machine code of the step is the same,
// byte for byte, as if the mark were deleted. A test of scripts/render compares
// the two. The constant is asked at each mark, since an empty method is not
// enough: the compiler inlines it, but keeps a check that its receiver is no nil
// pointer, and a NOP for the place of the call.
package instrument

import (
	"context"

	"raysteps/common/apiprof"
	"raysteps/common/perf"
	"raysteps/common/stats"
)

// Set says what a render is measured with. What is nil is not measured. A set is
// for one render at a time: its fields are set before the render and read after
// it, and in between they belong to the workers.
type Set struct {
	// Stats counts what this package declares.
	Stats *stats.Run
	// Timers times tiles and first passes.
	Timers *perf.Timers
	// Passes measures the calls of the first pass, by the second.
	Passes *apiprof.API
	// Pixels receives the number of rays of each pixel of the film, row after row
	// from the lowest, Width of them a row. Workers write to different elements.
	Pixels []int32
	Width  int
}

type key struct{}

// NewContext returns a context for a render that is measured with set.
func NewContext(ctx context.Context, set *Set) context.Context {
	return context.WithValue(ctx, key{}, set)
}

// declared are the statistics of a render.
var declared stats.Set

// NewRun starts the statistics of a render, for the Stats of a Set.
func NewRun() *stats.Run { return declared.NewRun() }
