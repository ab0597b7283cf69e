package turns

import "image"

// Pictures is the group of subjects that a launcher of scripts/internal/launch loads:
// tracers that render one scene. All slices of a cycle are of the same picture, at its
// pitch and with its samples.
type Pictures struct {
	Name                   string // of the benchmarks: Render
	Scene                  string // scene=large, or sphereflake=4
	Width, Height, Samples int
	Tracers                []Picture
	// Save is a folder in which each tracer puts the whole picture, as step04.tga, when
	// it is loaded.
	Save string `json:",omitempty"`
}

// Picture is what the slices of a tracer render.
type Picture struct {
	Package string // import path, of those that the launcher has
	Workers int
	// Grid divides the picture into Grid x Grid cells. A slice renders a block in each, at
	// a random place that is the same for all tracers in a cycle.
	Grid int
	// Share, in place of a grid, has a slice render one of so many shares of the picture's
	// blocks, which lie on diagonals. The next cycle renders the next share.
	Share int
	// Block is the size of a block in pixels. Its place is a multiple of it, and a block
	// at the edge of the picture is cut.
	Block image.Point
	// Times says how many blocks it renders in each cell, or how many shares; without
	// either, how many whole pictures.
	Times int
}
