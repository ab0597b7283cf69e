// Package common holds what every step is told besides the scene: the
// settings of a render. What else the steps share is in the packages below
// it, and none of them teaches anything: a step has its own vectors, rays and
// intersections.
package common

import (
	"fmt"
	"runtime"
)

// Settings says how a scene is rendered. It is a plain value that its owner may
// change at any time; a tracer reads it and keeps no part of it. The zero value is
// not valid: a size of 0 is more often a mistake than a wish for a default.
type Settings struct {
	Width, Height int // size of the picture in pixels
	Samples       int // camera rays a pixel, averaged
	Bounces       int // scatterings after which a path ends in black
	Workers       int // goroutines, for a step that uses more than one
}

// The largest settings that Validate accepts. They keep a mistyped number
// from asking for more memory or time than anybody has.
const (
	MaxSide    = 65535   // what a TGA header can say
	MaxPixels  = 1 << 26 // 8192 x 8192: 768 MiB of pixels
	MaxSamples = 1 << 20
	MaxBounces = 1000
	MaxWorkers = 4096
)

// Default returns the settings of a picture in full size, which are those of the
// article: 1280x720, 10 samples a pixel, 50 bounces.
func Default() Settings {
	return Settings{Width: 1280, Height: 720, Samples: 10, Bounces: 50, Workers: runtime.GOMAXPROCS(0)}
}

// Quick returns the settings of the tests and of a short benchmark: 80x60, 4
// samples a pixel, 50 bounces.
func Quick() Settings {
	return Settings{Width: 80, Height: 60, Samples: 4, Bounces: 50, Workers: runtime.GOMAXPROCS(0)}
}

// Validate reports the first setting that is out of range, and what would be
// in range, in one line. Everything that allocates by the settings or loops
// over them may rely on a nil error.
func (s Settings) Validate() error {
	for _, f := range []struct {
		name     string
		val, max int
	}{
		{"width", s.Width, MaxSide},
		{"height", s.Height, MaxSide},
		{"samples", s.Samples, MaxSamples},
		{"bounces", s.Bounces, MaxBounces},
		{"workers", s.Workers, MaxWorkers},
	} {
		if f.val < 1 || f.val > f.max {
			return fmt.Errorf("%s is %d; want 1 to %d", f.name, f.val, f.max)
		}
	}
	if pixels := int64(s.Width) * int64(s.Height); pixels > MaxPixels {
		return fmt.Errorf("size is %dx%d, %d pixels; want at most %d", s.Width, s.Height, pixels, MaxPixels)
	}
	return nil
}
