package step13

import (
	"os"
	"path/filepath"
	"strings"
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

// The kernel and what it is given are those of step 12, which tests them.
func TestKernel(t *testing.T) {
	for _, file := range []string{"hit_amd64.go", "hit_amd64.s", "hit_arm64.go", "hit_arm64.s", "hit_noasm.go",
		"sphere.go", "sphere_soa.go", "world.go", "material.go", "vec.go", "ray.go", "camera.go"} {
		got, err := os.ReadFile(file)
		require.NoError(t, err)
		want, err := os.ReadFile(filepath.Join("..", "step12", file))
		require.NoError(t, err)
		assert.Equal(t, strings.Replace(string(want), "package step12", "package step13", 1), string(got), file)
	}
}

// No two tiles have numbers alike, and none has a generator that stays at 0.
func TestSeeds(t *testing.T) {
	seen := map[[2]uint32]bool{} // numbers of 32 bits may be alike by chance
	for tile := range 20_000 {
		r := TileRNG(tile)
		for _, pair := range [][2]uint32{{r.s, r.x}, {r.y, r.z}} {
			require.False(t, seen[pair] || pair[0] == 0 || pair[1] == 0, "tile %d starts with %v", tile, pair)
			seen[pair] = true
		}
	}
}

// Many goroutines take many tiles of next to no work, each exactly once. A counter
// that is read and then written would give some to two goroutines, if two of them
// run at the time.
func TestEachTileOnce(t *testing.T) {
	tracer := New(&scene.Scene{Camera: scene.Small().Camera})
	s := common.Settings{Samples: 1, Bounces: 1, Workers: 64}
	require.Len(t, tilesOf(1280, 720, tileSize), 40*23)
	const width = 65535 // 2048 tiles of one row
	for range 5 {
		f, done := film.New(width, 1), atomic.Int64{}
		f.Progress = func(pixels int) { done.Add(int64(pixels)) }
		require.EqualValues(t, width, tracer.Render(f, s), "rays, one a pixel")
		require.EqualValues(t, width, done.Load(), "pixels")
	}
}

// A render by tiles differs from step 12 in nothing but its random numbers: a worker that
// is given step 12's, and the whole picture as its tile, renders as step 12 does, and with
// others the number of rays differs by one percent at the most.
func TestLikeStep12(t *testing.T) {
	step12 := NewRNG(1236787, 321, 789, 457)
	for _, sc := range scenes() {
		t.Run(sc.Name, func(t *testing.T) {
			rowByRow := func(samples int) (*film.Film, int64) {
				s, tracer := settings(1), New(sc)
				s.Samples = samples
				f, w := film.New(s.Width, s.Height), workerOf(tracer, s)
				w.rng = step12
				w.render(f, s)
				return f, w.rays
			}
			f, rays := rowByRow(4)
			steptest.CheckAnswer(t, "step12", sc.Name+" quick", f, rays)

			s := settings(1)
			s.Samples = 16
			_, want := rowByRow(s.Samples)
			assert.InEpsilon(t, want, New(sc).Render(film.New(s.Width, s.Height), s), 0.01, "rays")
		})
	}
}
