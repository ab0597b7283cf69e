package common

import "raysteps/common/film"

// Tracer is what every step's New returns: a scene in the form that the step
// is about.
type Tracer interface {
	// Render fills the film and returns the number of rays that it traced.
	// Samples, bounces and workers are those of the settings, which must be
	// valid; the size is the film's. One call may run at a time.
	Render(f *film.Film, s Settings) int64
}
