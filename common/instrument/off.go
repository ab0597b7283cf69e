//go:build !instrument

package instrument

import (
	"context"

	"raysteps/common/scene"
)

// On says whether the program is built with instruments.
const On = false

// Worker is what one goroutine of a render measures with. Its methods are for
// that goroutine alone. The zero value measures nothing.
type Worker struct{}

// NewWorker returns a worker that measures with the Set of the context, or with
// nothing if there is none. The numbers of workers count from 0.
func NewWorker(ctx context.Context, number int) Worker { return Worker{} }

// Close ends the worker and hands in what it measured.
func (Worker) Close() {}

// Path counts a path of so many rays, one from the camera and the scattered
// ones, that was traced for a pixel.
func (Worker) Path(x, y int, rays int64) {}

// Scattered counts a ray that was scattered by a material of that kind.
func (Worker) Scattered(kind scene.Kind) {}

// Hit counts a ray that hit a sphere of a material of that kind.
func (Worker) Hit(kind scene.Kind) {}

// Memory counts so many bytes of the spheres and of the film, which all workers
// share, and of the memory that this one writes to while it traces.
func (Worker) Memory(spheres, film, scratch int) {}

// BeginTile and EndTile are around the rendering of a tile.
func (Worker) BeginTile(pixels int) {}

// EndTile ends what BeginTile began.
func (Worker) EndTile() {}

// BeginPass and EndPass are around the first pass of a ray over so many spheres,
// those included that pad the columns: the kernel computes them as well.
func (Worker) BeginPass(padded int) {}

// EndPass ends what BeginPass began. The candidates, a bit a sphere, had a
// discriminant that is not negative.
func (Worker) EndPass(spheres int, candidates []uint64) {}

// EndWalk ends what BeginPass began, for a ray that was taken through a tree: it
// visited so many nodes, and was tested against so many boxes and spheres.
func (Worker) EndWalk(nodes, boxes, spheres, candidates int) {}

// Front counts a round of a wavefront: so many rays in a front with room for so
// many.
func (Worker) Front(rays, room int) {}

// Bundle counts camera rays that were searched together: so many, of which each
// was asked about so many of all spheres.
func (Worker) Bundle(rays, asked, spheres int) {}

// Group counts a group of lanes with so many rays that were not in a bundle.
func (Worker) Group(rays, lanes int) {}

// FirstSieve and SecondSieve count what a sieve left of so many spheres, for each
// of some groups of rays: a list of so many bytes, of elements of that size.
func (Worker) FirstSieve(spheres int, left []int, size int) {}

// SecondSieve is described with FirstSieve.
func (Worker) SecondSieve(spheres int, left []int, size int) {}
