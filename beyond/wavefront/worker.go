package wavefront

import (
	"image"
	"sync/atomic"

	"raysteps/common"
	"raysteps/common/film"
	"raysteps/common/mem"
)

// worker keeps a front full of rays of a few tiles.
//
// A tile is not finished before the next one is begun, or at the end of each
// there would be a few long paths in mostly empty registers. The front keeps
// the order in which paths began, so a tile is finished when the first ray is
// of a later one.
type worker struct {
	tracer   *Tracer
	camera   *Camera
	film     *film.Film
	settings common.Settings
	search   *search
	front    *front
	block    block // the next to begin
	// The tiles under way, from number oldest up to number newest, without the
	// latter; number n is at n%len.
	tiles          [tilesUnderWay]tile
	sums           *sums
	oldest, newest int
	rays           int64
	// The next worker's numbers begin in another cache line.
	_ [mem.Isolation]byte
}

// queue hands out the tiles of a picture to the workers.
type queue struct {
	tiles []image.Rectangle
	taken *atomic.Int64
}

// tileSize is the side of a tile in pixels. A row of a tile is six cache lines
// of the film, and no other tile has a part of them.
const tileSize = 32

// tilesOf divides a part of a picture into tiles, those at the right and at the top
// cut to fit. The lower left one is the first; the others follow to the right, then up.
func tilesOf(part image.Rectangle) (tiles []image.Rectangle) {
	for y := part.Min.Y; y < part.Max.Y; y += tileSize {
		for x := part.Min.X; x < part.Max.X; x += tileSize {
			tiles = append(tiles, image.Rect(x, y, x+tileSize, y+tileSize).Intersect(part))
		}
	}
	return tiles
}

// tilesUnderWay is how many tiles a worker may have begun.
const tilesUnderWay = 4

// tile is a tile under way.
type tile struct {
	pixels image.Rectangle
	// The next paths to begin: of a block at (x, y), from a sample on.
	x, y, sample int
	sums         []sum // of its pixels, tileSize to a row; a part of the worker's
	lens         *lens // of the spheres that its camera rays may hit
}

// sums are those of the tiles under way.
type sums [tilesUnderWay * tilePixels]sum

// sum adds up the colors of the paths of a pixel: red, green and blue, in units
// of 1/fixed. The fourth number means nothing, and makes it a register.
type sum [4]int64

func (s *sums) at(pixel uint32) *sum { return &s[pixel%(tilesUnderWay*tilePixels)] }

// newWorker returns a worker for a tracer's scene. It can render one picture
// after another.
func newWorker(t *Tracer) *worker {
	w := &worker{tracer: t, search: t.newSearch(), front: &mem.Isolated[front](1)[0]}
	w.sums = (*sums)(mem.Isolated[sum](tilesUnderWay * tilePixels))
	for i := range w.tiles {
		w.tiles[i].sums = w.sums[i*tilePixels : (i+1)*tilePixels]
		w.tiles[i].lens = emptyLens(t.lens.n)
	}
	return w
}

// newSearch returns the memory of a worker's kernels.
func (t *Tracer) newSearch() *search {
	s := newSearch(&t.spheres)
	if t.form.cull != nil && len(s.cx) >= many {
		balls, nest := newBalls(&t.spheres, t.distance, cluster, 1.42), (*spheres)(nil)
		if t.form.nests && len(balls.cx) >= nested {
			nest = newBalls(balls, t.distance, nesting, 1)
		}
		s.ask(balls, nest)
	}
	return s
}

const tilePixels = tileSize * tileSize

// run renders tiles of a film until there are no more.
func (w *worker) run(f *film.Film, c *Camera, q *queue, s common.Settings) {
	w.film, w.camera, w.settings = f, c, s
	w.front.n, w.oldest, w.newest, w.rays = 0, 0, 0, 0
	form := w.tracer.form
	for {
		from := w.front.n
		w.search.bundles = w.search.bundles[:0]
		w.fill(q)
		if w.front.n == 0 {
			return
		}
		form.aim(w.front, w.camera, from)
		if w.tracer.touching {
			w.front.advance(from)
		}
		w.rays += int64(w.front.n)
		form.hit(w.search, w.front)
		form.part(w.front, w.settings.Bounces)
		form.collect(w.front, w.sums)
		form.scatter(w.front, &w.tracer.surfaces)
		w.finish()
	}
}

func (w *worker) tile(n int) *tile { return &w.tiles[n%tilesUnderWay] }

// begun reports whether all paths of a tile have begun.
func (t *tile) begun() bool { return t.y >= t.pixels.Max.Y }

// fill begins paths while there is room for a block.
func (w *worker) fill(q *queue) {
	for w.front.n+group <= w.tracer.live {
		if w.newest == w.oldest || w.tile(w.newest-1).begun() {
			if w.newest == w.oldest+tilesUnderWay {
				return
			}
			number := int(q.taken.Add(1)) - 1
			if number >= len(q.tiles) {
				return
			}
			t := w.tile(w.newest)
			w.newest++
			t.pixels = q.tiles[number]
			t.x, t.y, t.sample = t.pixels.Min.X, t.pixels.Min.Y, 0
			clear(t.sums)
			if cull := w.tracer.form.cull; cull != nil {
				// What all camera rays of the tile miss, no bundle of them need ask about.
				tile := &block{x: t.x, y: t.y, width: t.pixels.Dx(), height: t.pixels.Dy()}
				all := w.camera.bundle(w.tracer.lens, tile, 0, 0)
				list := w.search.shared.candidates
				t.lens.choose(all.lens, list[:cull(all.lens, &all, list)])
			}
		}
		n := w.newest - 1
		t := w.tile(n)
		pixel := n%tilesUnderWay*tilePixels + (t.y-t.pixels.Min.Y)*tileSize + t.x - t.pixels.Min.X
		w.block = block{
			x:      t.x,
			y:      t.y,
			width:  min(blockSide, t.pixels.Max.X-t.x),
			height: min(blockSide, t.pixels.Max.Y-t.y),
			stride: w.film.Width,
			sample: t.sample,
			n:      min(w.settings.Samples-t.sample, (w.tracer.live-w.front.n)/group),
			seed:   w.tracer.seed,
			number: uint32(t.y*w.film.Width + t.x),
			path:   uint32(pixel) << depthBits,
		}
		from := w.front.n
		w.tracer.form.draw(w.front, &w.block)
		w.search.bundles = append(w.search.bundles, w.camera.bundle(t.lens, &w.block, from, w.front.n-from))
		if t.sample += w.block.n; t.sample < w.settings.Samples {
			continue
		}
		t.x, t.sample = t.x+blockSide, 0
		if t.x >= t.pixels.Max.X {
			t.x, t.y = t.pixels.Min.X, t.y+blockSide
		}
	}
}

// collectPlain adds the paths that have ended to their pixels, from a number on.
func collectPlain(n int, f *front, s *sums) {
	for i := n; i < f.ended; i++ {
		p := s.at(f.endPixel[i])
		p[0] += int64(f.endR[i])
		p[1] += int64(f.endG[i])
		p[2] += int64(f.endB[i])
	}
}

// finish writes the tiles to the film of which no ray is under way.
func (w *worker) finish() {
	for w.oldest < w.newest {
		t := w.tile(w.oldest)
		if !t.begun() {
			return
		}
		if w.front.n > 0 && int(w.front.path[0]>>depthBits)/tilePixels == w.oldest%tilesUnderWay {
			return
		}
		scale := 1 / (float32(w.settings.Samples) * fixed)
		for x, y := range w.film.Window(t.pixels).Pixels() {
			s := &t.sums[(y-t.pixels.Min.Y)*tileSize+x-t.pixels.Min.X]
			w.film.SetMean(x, y, float32(s[0])*scale, float32(s[1])*scale, float32(s[2])*scale)
		}
		w.oldest++
	}
}
