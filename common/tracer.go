package common

import "raysteps/common/film"

// Tracer is what every step's New returns: a scene in the form that the step
// is about.
type Tracer interface {
	// Render sets the pixels that the film hands out, all or those of a window, and
	// returns the number of rays that it traced. Samples, bounces and workers are those
	// of the settings, which must be valid; their size is not looked at, the film has
	// one. The film belongs to the tracer until Render returns. A tracer keeps
	// scratch memory, so one call may run at a time, unless the step says otherwise;
	// different tracers may render at once. A step that uses goroutines has the same
	// picture and number for any number of workers, and none of them outlives the call.
	Render(f *film.Film, s Settings) int64
}

// KernelTracer is a tracer that has more than one way to find hits, such as
// assembly for some processors and plain Go for all.
type KernelTracer interface {
	Tracer
	// Kernel names the way that is taken in this build and on this processor:
	// "avx2", or "plain" for plain Go.
	Kernel() string
}
