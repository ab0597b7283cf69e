package step13

import "image"

// tileSize is the side of a tile in pixels. A row of a tile is six cache lines
// of the film, and no other tile has a part of them.
const tileSize = 32

// tilesOf divides a picture into tiles, those at the right and at the top cut to
// fit. The lower left one is the first; the others follow to the right, then up.
func tilesOf(width, height, size int) []image.Rectangle {
	var tiles []image.Rectangle
	for y := 0; y < height; y += size {
		for x := 0; x < width; x += size {
			tiles = append(tiles, image.Rect(x, y, min(x+size, width), min(y+size, height)))
		}
	}
	return tiles
}
