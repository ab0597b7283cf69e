package stats_test

import (
	"fmt"
	"sync"

	"raysteps/common/stats"
)

// One line declares a statistic, here for a renderer.
var (
	set stats.Set

	cameraRays = set.Counter("Rays/Camera")
	lit        = set.Percentage("Rays/Reached the sky")
	tests      = set.Ratio("Rays/Sphere tests per ray")
	pathLength = set.IntDistribution("Paths/Length")
	brightness = set.FloatDistribution("Paths/Brightness")
	sceneSize  = set.Memory("Memory/Scene")

	// A statistic may be an element of an array.
	hits = [...]stats.Counter{
		matte: set.Counter("Hits/Matte"),
		metal: set.Counter("Hits/Metal"),
	}
)

const (
	matte = iota
	metal
)

func Example() {
	run := set.NewRun() // one picture
	var workers sync.WaitGroup
	for range 2 {
		workers.Go(func() {
			shard := run.NewShard()
			defer shard.Close()
			for i := range int64(1000) {
				cameraRays.Add(shard, 1)
				tests.Add(shard, 46, 1)
				lit.Count(shard, i%4 == 0)
				pathLength.Add(shard, 1+i%9)
				brightness.Add(shard, float64(i%3)/2)
				hits[i%2].Add(shard, 1)
			}
		})
	}
	shard := run.NewShard() // the goroutine that starts the others is a worker, too
	sceneSize.Add(shard, 46*64)
	shard.Close()
	workers.Wait()
	fmt.Print(run.Report())
	// Output:
	// Hits
	//   Matte                  1,000
	//   Metal                  1,000
	// Memory
	//   Scene                  2.875 KiB   2,944 bytes
	// Paths
	//   Brightness            0.4995 mean  0 to 1, 2,000 values
	//   Length                 4.996 mean  1 to 9, 2,000 values
	// Rays
	//   Camera                 2,000
	//   Reached the sky       25.000 %     500 of 2,000
	//   Sphere tests per ray  46.000       92,000 / 2,000
}
