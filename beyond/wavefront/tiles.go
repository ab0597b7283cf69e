package wavefront

import (
	"image"
	"sync/atomic"

	"raysteps/common/mem"
)

// tileSize is the side of a tile in pixels. A row of a tile is six cache lines
// of the film, and no other tile has a part of them.
const tileSize = 32

// tiling divides a picture into tiles. Tile 0 is the lower left one, and the
// numbers go to the right first, then up. Tiles at the right and at the top end
// with the picture.
type tiling struct {
	picture       image.Rectangle
	tile          image.Point // sides of a tile in pixels
	columns, rows int
}

func newTiling(width, height int, tile image.Point) tiling {
	return tiling{
		picture: image.Rect(0, 0, width, height),
		tile:    tile,
		columns: (width + tile.X - 1) / tile.X,
		rows:    (height + tile.Y - 1) / tile.Y,
	}
}

func (t *tiling) len() int { return t.columns * t.rows }

// pixels returns the pixels of a tile. As in a film, y grows upward.
func (t *tiling) pixels(tile int) image.Rectangle {
	corner := image.Pt(tile%t.columns*t.tile.X, tile/t.columns*t.tile.Y)
	return image.Rectangle{corner, corner.Add(t.tile)}.Intersect(t.picture)
}

// queue hands out tiles in the order of their numbers. Any number of
// goroutines may take from it.
type queue struct {
	_     [mem.Isolation]byte // nothing else in the counter's cache line
	taken atomic.Int64
	_     [mem.Isolation]byte
	tiles int
}

// take returns the next tile, or false if there is none.
func (q *queue) take() (tile int, ok bool) {
	tile = int(q.taken.Add(1)) - 1
	return tile, tile < q.tiles
}
