package wavefront

import "raysteps/common"

// tMin keeps a ray from hitting the surface that it starts on. A scattered ray, and a camera
// ray if there is such a surface, begins that far along its way, so the search takes any
// distance that is not negative.
const tMin = 0.001

// group is how many rays a kernel takes at a time.
const group = 16

// capacity is how many rays a front can hold.
const capacity = 4096

// columnLength is that of a column, in rays. It is a group longer than a front, so
// that there is always a group of lanes to load and store, and longer again, so
// that a load from one column and a store into another are not 4 KiB apart, where
// processors take them for the same place.
const columnLength = capacity + 5*group

// A column holds a number of each ray.
type (
	floats [columnLength]float32
	words  [columnLength]uint32
	ints   [columnLength]int32
)

// spread is a number in every lane of a register.
type spread[T any] [group]T

func newSpread[T any](x T) (s spread[T]) {
	for i := range s {
		s[i] = x
	}
	return s
}

// front holds the rays that are under way, a column for each of their numbers.
// Rays that came earlier are before those that came later. The assembly knows
// the fields by their names.
type front struct {
	columns
	_     floats // so that columns may begin at any ray
	n     int    // rays under way
	ended int    // paths that have ended in the sky since the last search
}

// columns are those of plain Go and of the assembly. The stages in lanes see them
// as columns16 and columns8, which begin with a register.
type columns columnsOf[floats, words, ints]

// columnsOf is a layout of columns: F of numbers, W of words, I of integers, all of
// the same size. Columns may begin at any ray: see after.
type columnsOf[F, W, I any] struct {
	// Origins, of rays that start on a surface moved along by tMin, and unit directions.
	ox, oy, oz, dx, dy, dz F
	// The share of each color that is left after all scatterings.
	r, g, b F
	// The state of the path's random numbers.
	state W
	// What the path is part of: the number of its pixel among those under way,
	// shifted left by depthBits, and how often it was scattered.
	path W

	// What the search finds: the distance, and the number of the sphere
	// counted from 1, or 0 for none.
	t   F
	hit W

	// The paths that have ended in the sky: their pixels, and the colors in
	// units of 1/fixed.
	endR, endG, endB I
	endPixel         W

	// The surfaces that the rays hit, a column for each number of a surface, which
	// the stages in lanes need for scattering.
	surface [8]F
}

// depthBits holds common.MaxBounces, or the line below does not compile.
const depthBits = 10

const _ = uint(1<<depthBits - 1 - common.MaxBounces)

// fixed is the unit of colors when they are added up. The sum of integers does
// not depend on their order, and the order of the paths depends on how many
// are under way.
const fixed = 1 << 24
