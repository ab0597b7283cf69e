package wavefront

import "image"

// tileSize is the side of a tile in pixels. A row of a tile is six cache lines
// of the film, and no other tile has a part of them.
const tileSize = 32

// tilesOf divides a picture into tiles, those at the right and at the top cut to
// fit. The lower left one is the first; the others follow to the right, then up.
func tilesOf(width, height int, size image.Point) []image.Rectangle {
	var tiles []image.Rectangle
	for y := 0; y < height; y += size.Y {
		for x := 0; x < width; x += size.X {
			tiles = append(tiles, image.Rect(x, y, min(x+size.X, width), min(y+size.Y, height)))
		}
	}
	return tiles
}
