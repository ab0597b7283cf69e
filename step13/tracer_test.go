package step13

import (
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/common"
	"raysteps/common/film"
	"raysteps/common/scene"
	"raysteps/common/steptest"
)

func settings(workers int) common.Settings {
	return common.Settings{Width: 80, Height: 60, Samples: 4, Bounces: 50, Workers: workers}
}

// workerOf returns a worker for pictures of the size in the settings.
func workerOf(t *Tracer, s common.Settings) *worker {
	camera := NewCamera(&t.camera, float32(s.Width)/float32(s.Height))
	return newWorker(&camera, t.world, s)
}

func TestTiles(t *testing.T) {
	for _, tt := range []struct {
		width, height int
		size          image.Point
		tiles         int
	}{
		{1, 1, image.Pt(32, 32), 1},
		{31, 33, image.Pt(32, 32), 2},
		{32, 32, image.Pt(32, 32), 1},
		{33, 32, image.Pt(32, 32), 2},
		{80, 60, image.Pt(32, 32), 6},
		{320, 180, image.Pt(32, 32), 60},
		{7, 5, image.Pt(1, 1), 35},
		{80, 60, image.Pt(80, 1), 60},
	} {
		t.Run(fmt.Sprintf("%dx%d by %v", tt.width, tt.height, tt.size), func(t *testing.T) {
			tiles := tilesOf(tt.width, tt.height, tt.size)
			assert.Len(t, tiles, tt.tiles)
			covered := map[image.Point]int{}
			for _, tile := range tiles {
				assert.False(t, tile.Empty())
				assert.LessOrEqual(t, tile.Dx(), tt.size.X)
				assert.LessOrEqual(t, tile.Dy(), tt.size.Y)
				for y := tile.Min.Y; y < tile.Max.Y; y++ {
					for x := tile.Min.X; x < tile.Max.X; x++ {
						covered[image.Pt(x, y)]++
					}
				}
			}
			assert.Len(t, covered, tt.width*tt.height)
			for p, n := range covered {
				if n != 1 || !p.In(image.Rect(0, 0, tt.width, tt.height)) {
					t.Fatalf("pixel %v is in %d tiles; want each pixel of the picture in one", p, n)
				}
			}
		})
	}
	tiles := tilesOf(80, 60, image.Pt(32, 32))
	assert.Equal(t, image.Rect(0, 0, 32, 32), tiles[0], "lower left")
	assert.Equal(t, image.Rect(64, 0, 80, 32), tiles[2], "lower right")
	assert.Equal(t, image.Rect(0, 32, 32, 60), tiles[3], "upper left")
}

func TestSeeds(t *testing.T) {
	// All different, none 0, and half of the bits set, as in random numbers.
	const n = 20_000
	seen := map[[2]uint32]bool{} // 80,000 numbers of 32 bits may be alike by chance
	ones := [4][32]int{}
	for tile := range n {
		r := seeds(tile)
		states := [4]uint32{r.s, r.x, r.y, r.z}
		first, second := [2]uint32(states[:2]), [2]uint32(states[2:])
		if seen[first] || seen[second] || slices.Contains(states[:], 0) {
			t.Fatalf("tile %d starts with %v, like another or with a zero", tile, states)
		}
		seen[first], seen[second] = true, true
		for i, v := range states {
			for bit := range 32 {
				ones[i][bit] += int(v >> bit & 1)
			}
		}
	}
	for i := range ones {
		for bit, count := range ones[i] {
			// Six standard deviations of a binomial distribution.
			assert.InDelta(t, n/2, count, 6*math.Sqrt(n)/2, "generator %d, bit %d", i, bit)
		}
	}
}

func TestAnyOrderOfTiles(t *testing.T) {
	tracer, s := New(scene.Medium()), settings(1)
	want := film.New(s.Width, s.Height)
	rays := tracer.Render(want, s)

	got := film.New(s.Width, s.Height)
	tiles := tilesOf(s.Width, s.Height, tracer.tile)
	order := rand.New(rand.NewPCG(1, 2)).Perm(len(tiles))
	require.False(t, slices.IsSorted(order))
	w := workerOf(tracer, s)
	for _, tile := range order {
		w.rng = seeds(tile)
		w.render(got, s, tiles[tile])
	}
	assert.Equal(t, rays, w.rays)
	assert.Equal(t, want, got)
}

// Many goroutines take many tiles of next to no work, each exactly once. A counter
// that is read and then written would give some to two goroutines, if two of them
// run at the time.
func TestEachTileOnce(t *testing.T) {
	tracer, s := New(&scene.Scene{Camera: scene.Small().Camera}), common.Settings{Samples: 1, Bounces: 1, Workers: 64}
	tracer.tile = image.Pt(1, 1)
	for range 20 {
		f, done := film.New(400, 250), atomic.Int64{}
		f.Progress = func(pixels int) { done.Add(int64(pixels)) }
		require.EqualValues(t, 100_000, tracer.Render(f, s), "rays, one a tile")
		require.EqualValues(t, 100_000, done.Load(), "pixels")
	}
}

// A render by tiles differs from step 12 in nothing but its random numbers. So
// it is held to what step 12 gives with other seeds: the mean colors of blocks
// of 16 x 16 pixels may differ from those of a render by step 12 as much as two
// of these differ, and the number of rays by half a percent.
func TestLikeStep12(t *testing.T) {
	if testing.Short() {
		t.Skip("not tested with -short: renders many pictures")
	}
	for _, sc := range scenes() {
		t.Run(sc.Name, func(t *testing.T) {
			// That rowByRow is step 12 is not taken on trust.
			s, f := settings(1), film.New(80, 60)
			step12 := RNG{s: 1236787, x: 321, y: 789, z: 457, next: ahead}
			rays := rowByRow(New(sc), f, s, step12)
			steptest.CheckAnswer(t, "step12", sc.Name+" quick", f, rays)

			toStep12, noise := distances(sc)
			assert.LessOrEqual(t, toStep12, noise)

			// Counting takes more samples to be sure of half a percent.
			s.Samples = 64
			want := rowByRow(New(sc), f, s, step12)
			assert.InEpsilon(t, want, New(sc).Render(f, s), 0.005, "rays")
		})
	}
}

// distances returns the largest difference in color of a block between step 13 and
// one of six renders by step 12 with other seeds, and between two of these.
func distances(sc *scene.Scene) (toStep12, noise float64) {
	s := settings(1)
	s.Samples = 16
	t := New(sc)
	f := film.New(s.Width, s.Height)
	t.Render(f, s)
	step13 := blocksOf(f)
	var pictures []blocks
	for seed := range 6 {
		rowByRow(t, f, s, seeds(1_000_000+seed))
		picture := blocksOf(f)
		toStep12 = max(toStep12, picture.distance(step13))
		for _, earlier := range pictures {
			noise = max(noise, picture.distance(earlier))
		}
		pictures = append(pictures, picture)
	}
	return toStep12, noise
}

// rowByRow renders as step 12 does: the rows from the highest to the lowest, and
// one sequence of random numbers for all.
func rowByRow(t *Tracer, f *film.Film, s common.Settings, rng RNG) int64 {
	w := workerOf(t, s)
	w.rng = rng
	w.render(f, s, image.Rect(0, 0, f.Width, f.Height))
	return w.rays
}

// blocks are the mean colors of the blocks of 16 x 16 pixels of a film.
type blocks [][3]float64

func blocksOf(f *film.Film) blocks {
	const size = 16
	var means blocks
	for y := 0; y < f.Height; y += size {
		for x := 0; x < f.Width; x += size {
			block := image.Rect(x, y, x+size, y+size).Intersect(image.Rect(0, 0, f.Width, f.Height))
			var sum [3]float64
			for v := block.Min.Y; v < block.Max.Y; v++ {
				for u := block.Min.X; u < block.Max.X; u++ {
					r, g, b := f.At(u, v)
					sum[0] += float64(r)
					sum[1] += float64(g)
					sum[2] += float64(b)
				}
			}
			n := float64(block.Dx() * block.Dy())
			means = append(means, [3]float64{sum[0] / n, sum[1] / n, sum[2] / n})
		}
	}
	return means
}

// distance returns the largest difference of a color.
func (a blocks) distance(b blocks) float64 {
	d := 0.0
	for i := range a {
		for c := range a[i] {
			d = max(d, math.Abs(a[i][c]-b[i][c]))
		}
	}
	return d
}
