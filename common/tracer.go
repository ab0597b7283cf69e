package common

import (
	"context"

	"raysteps/common/film"
)

// Tracer is what every step's New returns: a scene in the form that the step
// is about.
type Tracer interface {
	// Render sets every pixel of the film and returns the number of rays that it
	// traced. Samples, bounces and workers are those of the settings, which must
	// be valid; their size is not looked at, the film has one. The film belongs to
	// the tracer until Render returns. A tracer keeps scratch memory, so one call
	// may run at a time; different tracers may render at once.
	Render(f *film.Film, s Settings) int64
}

// ParallelTracer is a tracer that renders on as many goroutines as the settings
// say. The picture and the number of rays do not depend on how many.
type ParallelTracer interface {
	Tracer
	// RenderContext is Render that stops early if the context is done, with an
	// error that says how much of the picture is finished, or if a goroutine
	// panics, with an error that says where. All goroutines have returned by then.
	// The number is that of the rays traced until then, and the film holds the
	// tiles that are finished and parts of those that are not.
	RenderContext(ctx context.Context, f *film.Film, s Settings) (int64, error)
}

// KernelTracer is a tracer that has more than one way to find hits, such as
// assembly for some processors and plain Go for all.
type KernelTracer interface {
	Tracer
	// Kernel names the way that is taken in this build and on this processor:
	// "avx2", or "plain" for plain Go.
	Kernel() string
}
