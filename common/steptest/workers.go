package steptest

import (
	"fmt"
	"image"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"raysteps/common"
	"raysteps/common/answers"
	"raysteps/common/film"
	"raysteps/common/scene"
)

// Workers tests a step that renders on several goroutines: that picture and
// number of rays do not depend on how many, that one tracer may render several
// films at once, and that no goroutine of the step outlives its render.
func Workers[T common.Tracer](t *testing.T, newTracer func(*scene.Scene) T) {
	p := newSubject(newTracer)
	for _, sc := range builtin() {
		for _, workers := range []int{1, 2, 3, 7, 64} {
			t.Run(fmt.Sprintf("scene=%s/workers=%d", sc.Name, workers), func(t *testing.T) {
				s := common.Quick()
				s.Workers = workers
				assert.Equal(t, p.answer(t, sc.Name+" quick"), render(p.new(sc), s))
			})
		}
	}

	// Pictures of a pixel, and of a pixel less and more than a tile.
	for _, size := range []image.Point{{1, 1}, {2, 1}, {31, 31}, {32, 32}, {33, 32}, {32, 33}, {65, 7}} {
		t.Run(fmt.Sprintf("size=%dx%d", size.X, size.Y), func(t *testing.T) {
			tracer := newTracer(scene.Small())
			s := common.Settings{Width: size.X, Height: size.Y, Samples: 1, Bounces: 50, Workers: 1}
			want := render(tracer, s)
			for _, workers := range []int{2, 3, 64, common.MaxWorkers} {
				s.Workers = workers
				assert.Equal(t, want, render(tracer, s), "%d workers", workers)
			}
		})
	}

	t.Run("one tracer, films at once", func(t *testing.T) {
		tracer, s := newTracer(scene.Medium()), common.Quick()
		s.Workers = 2
		want := render(tracer, s)
		got := atOnce(4, func() answers.Answer { return render(tracer, s) })
		assert.Equal(t, []answers.Answer{want, want, want, want}, got)
	})

	t.Run("no goroutine is left", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { // which fails if one is
			tracer, s := newTracer(scene.Small()), common.Quick()
			for _, s.Workers = range []int{2, 64} {
				f, before := film.New(s.Width, s.Height), runtime.NumGoroutine()
				rendering := sync.OnceValue(runtime.NumGoroutine)
				f.Progress = func(int) { rendering() }
				tracer.Render(f, s)
				assert.Greater(t, rendering(), before, "goroutines in the middle of the render")
				synctest.Wait()
			}
		})
	})
}
