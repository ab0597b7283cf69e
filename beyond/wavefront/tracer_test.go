package wavefront

import (
	"fmt"
	"image"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"raysteps/common"
	"raysteps/common/film"
	"raysteps/common/scene"
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
