package wavefront

import (
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
