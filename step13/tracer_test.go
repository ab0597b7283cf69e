package step13

import (
	"context"
	"errors"
	"fmt"
	"image"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
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

func TestTiling(t *testing.T) {
	for _, tt := range []struct{ width, height, size, columns, rows int }{
		{1, 1, 32, 1, 1},
		{31, 33, 32, 1, 2},
		{32, 32, 32, 1, 1},
		{33, 32, 32, 2, 1},
		{80, 60, 32, 3, 2},
		{1280, 720, 32, 40, 23},
		{7, 5, 1, 7, 5},
		{100, 3, 8, 13, 1},
	} {
		t.Run(fmt.Sprintf("%dx%d by %d", tt.width, tt.height, tt.size), func(t *testing.T) {
			tiles := newTiling(tt.width, tt.height, image.Pt(tt.size, tt.size))
			assert.Equal(t, tt.columns, tiles.columns)
			assert.Equal(t, tt.rows, tiles.rows)
			covered := map[image.Point]int{}
			for tile := range tiles.len() {
				pixels := tiles.pixels(tile)
				assert.False(t, pixels.Empty())
				assert.LessOrEqual(t, max(pixels.Dx(), pixels.Dy()), tt.size)
				for y := pixels.Min.Y; y < pixels.Max.Y; y++ {
					for x := pixels.Min.X; x < pixels.Max.X; x++ {
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
	t.Run("rows", func(t *testing.T) {
		tiles := newTiling(80, 60, image.Pt(80, 1))
		assert.Equal(t, 60, tiles.len())
		assert.Equal(t, image.Rect(0, 59, 80, 60), tiles.pixels(59))
	})
	t.Run("order", func(t *testing.T) {
		tiles := newTiling(80, 60, image.Pt(32, 32))
		assert.Equal(t, image.Rect(0, 0, 32, 32), tiles.pixels(0), "lower left")
		assert.Equal(t, image.Rect(64, 0, 80, 32), tiles.pixels(2), "lower right")
		assert.Equal(t, image.Rect(0, 32, 32, 60), tiles.pixels(3), "upper left")
	})
}

func TestSeeds(t *testing.T) {
	// All different, none 0, and half of the bits set, as in random numbers.
	const n = 100_000
	seen := map[[4]uint32]bool{}
	ones := [4][32]int{}
	for tile := range n {
		r := seeds(tile)
		states := [4]uint32{r.s, r.x, r.y, r.z}
		require.False(t, seen[states], "tile %d starts like another", tile)
		seen[states] = true
		for i, v := range states {
			require.NotZero(t, v)
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
	tiles := newTiling(s.Width, s.Height, tracer.tile)
	order := rand.New(rand.NewPCG(1, 2)).Perm(tiles.len())
	require.False(t, slices.IsSorted(order))
	w := newWorker(tracer, got, &tiles, s)
	for _, tile := range order {
		w.render(tile)
	}
	assert.Equal(t, rays, w.rays)
	assert.Equal(t, want, got)
}

func TestSizesAndWorkers(t *testing.T) {
	tracer := New(scene.Small())
	for _, size := range []image.Point{{1, 1}, {2, 1}, {31, 31}, {32, 32}, {33, 32}, {32, 33}, {65, 7}} {
		s := settings(1)
		s.Samples = 1
		want := film.New(size.X, size.Y)
		rays := tracer.Render(want, s)
		for _, workers := range []int{2, 3, 64, 4096} {
			s.Workers = workers
			got := film.New(size.X, size.Y)
			assert.Equal(t, rays, tracer.Render(got, s), "%v, %d workers", size, workers)
			assert.Equal(t, want, got, "%v, %d workers", size, workers)
		}
	}
}

func TestRendersAtOnce(t *testing.T) {
	tracer, s := New(scene.Medium()), settings(2)
	want := film.New(s.Width, s.Height)
	tracer.Render(want, s)
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			got := film.New(s.Width, s.Height)
			tracer.Render(got, s)
			assert.Equal(t, want, got)
		})
	}
	wg.Wait()
}

func TestCanceled(t *testing.T) {
	before := func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		f := film.New(80, 60)
		rays, err := New(scene.Small()).RenderContext(ctx, f, settings(2))
		assert.Zero(t, rays)
		assert.ErrorIs(t, err, context.Canceled)
		assert.EqualError(t, err, "ended after 0 of 6 tiles: context canceled")
	}
	t.Run("before", before)

	t.Run("meanwhile", func(t *testing.T) {
		for _, workers := range []int{1, 2, 7} {
			ctx, cancel := context.WithCancelCause(t.Context())
			s := settings(workers)
			f := film.New(1280, 720)
			var finished atomic.Int64
			f.Progress = func(int) {
				n := finished.Add(1)
				if n == 5 {
					cancel(errors.New("enough"))
				}
				if n > 5 {
					<-ctx.Done() // which may take a moment
				}
			}
			rays, err := New(scene.Small()).RenderContext(ctx, f, s)
			n := finished.Load()
			assert.EqualError(t, err, fmt.Sprintf("ended after %d of 920 tiles: enough", n))
			assert.GreaterOrEqual(t, n, int64(5))
			assert.Less(t, n, int64(5+workers), "each worker finishes the tile that it is at")
			assert.GreaterOrEqual(t, rays, n*32*16*int64(s.Samples), "rays of the finished tiles")
			noWorkers(t)
		}
	})

	t.Run("at the last tile", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		f := film.New(80, 60)
		var finished atomic.Int64
		f.Progress = func(int) {
			if finished.Add(1) == 6 {
				cancel()
			}
		}
		_, err := New(scene.Small()).RenderContext(ctx, f, settings(2))
		assert.NoError(t, err, "the picture is complete")
	})
}

func TestPanic(t *testing.T) {
	failed := errors.New("no film in the camera")
	for _, tt := range []struct {
		name    string
		fail    func()
		message string
	}{
		{"error", func() { panic(failed) }, "panic: no film in the camera"},
		{"string", func() { panic("out of light") }, "panic: out of light"},
		{"runtime error", func() { _ = []int{}[len(failed.Error())] }, "panic: runtime error: index out of range [21] with length 0"},
		{"Goexit", runtime.Goexit, "panic: runtime.Goexit"},
	} {
		for _, workers := range []int{1, 2, 7} {
			t.Run(fmt.Sprintf("%s/workers=%d", tt.name, workers), func(t *testing.T) {
				f := film.New(1280, 720)
				var finished atomic.Int64
				f.Progress = func(int) {
					if finished.Add(1) == 10 {
						tt.fail()
					}
				}
				s := settings(workers)
				s.Samples = 1
				_, err := New(scene.Small()).RenderContext(t.Context(), f, s)
				var tile *TileError
				require.ErrorAs(t, err, &tile)
				tiles := newTiling(1280, 720, image.Pt(tileSize, tileSize))
				assert.Equal(t, tiles.pixels(tile.Tile), tile.Pixels)
				assert.EqualError(t, err, fmt.Sprintf("tile %d, pixels %v: %s", tile.Tile, tile.Pixels, tt.message))
				assert.Contains(t, string(tile.Stack), "TestPanic", "the stack leads to what panicked")
				assert.Equal(t, tt.name == "error", errors.Is(err, failed))
				noWorkers(t)
			})
		}
	}

	t.Run("the others", func(t *testing.T) {
		f := film.New(1280, 720)
		f.Progress = func(int) { panic(failed) }
		tiles := newTiling(f.Width, f.Height, image.Pt(tileSize, tileSize))
		q := &queue{tiles: tiles.len()}
		w := newWorker(New(scene.Small()), f, &tiles, settings(1))
		w.run(t.Context(), q)
		assert.Error(t, w.err)
		_, ok := q.take()
		assert.False(t, ok, "get no more tiles")
	})

	t.Run("Render", func(t *testing.T) {
		f := film.New(80, 60)
		f.Progress = func(int) { panic(failed) }
		assert.Panics(t, func() { New(scene.Small()).Render(f, settings(2)) })
		noWorkers(t)
	})
}

func TestNoGoroutineIsLeft(t *testing.T) {
	tracer := New(scene.Small())
	for _, workers := range []int{1, 2, 64} {
		tracer.Render(film.New(80, 60), settings(workers))
		noWorkers(t)
	}
}

// noWorkers fails if a goroutine of this package works still. One that ends by
// Goexit is seen for a moment after it has said that it is done.
func noWorkers(t *testing.T) {
	t.Helper()
	stacks := make([]byte, 1<<20)
	left := ""
	for range 10_000 {
		left = ""
		for stack := range strings.SplitSeq(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
			if strings.Contains(stack, "step13.(*worker)") {
				left = stack
			}
		}
		if left == "" {
			return
		}
		runtime.Gosched()
	}
	t.Errorf("a worker outlives its render:\n%s", left)
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

// BenchmarkNoise reports what TestLikeStep12 compares: the largest difference in
// color of a block between step 13 and one of six renders by step 12 with other
// seeds, and between two of these.
func BenchmarkNoise(b *testing.B) {
	for _, sc := range scenes() {
		b.Run("scene="+sc.Name, func(b *testing.B) {
			var toStep12, noise float64
			for b.Loop() {
				toStep12, noise = distances(sc)
			}
			b.ReportMetric(toStep12, "to-step-12")
			b.ReportMetric(noise, "within-step-12")
			b.ReportMetric(0, "ns/op")
		})
	}
}

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
	whole := newTiling(f.Width, f.Height, image.Pt(f.Width, f.Height))
	w := newWorker(t, f, &whole, s)
	w.rng = rng
	w.pixels(whole.picture)
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
