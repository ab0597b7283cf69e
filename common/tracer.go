package common

import (
	"context"

	"raysteps/common/film"
)

// Tracer is what every step's New returns: a scene in the form that the step
// is about.
type Tracer interface {
	// Render fills the film and returns the number of rays that it traced.
	// Samples, bounces and workers are those of the settings, which must be
	// valid; the size is the film's. One call may run at a time.
	Render(f *film.Film, s Settings) int64
}

// ParallelTracer is a tracer that renders on as many goroutines as the settings
// say. The picture and the number of rays do not depend on how many.
type ParallelTracer interface {
	Tracer
	// RenderContext is Render with an end before the end, when the context is
	// done, and then the error says how far it came; or when a goroutine panics,
	// and then it says where. The number is that of the rays so far, and the film
	// holds the tiles that are finished and parts of others.
	RenderContext(ctx context.Context, f *film.Film, s Settings) (int64, error)
}

// KernelNamer is a tracer that has more than one way to find hits, such as
// assembly for some processors and plain Go for all.
type KernelNamer interface {
	Tracer
	// Kernel names the way that is taken in this build and on this processor:
	// "avx2", or "plain" for plain Go.
	Kernel() string
}
