package step13

import (
	"cmp"
	"container/heap"
	"fmt"
	"image"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"raysteps/common"
	"raysteps/common/film"
	"raysteps/common/mem"
	"raysteps/common/scene"
	"raysteps/common/steptest"
)

// What would more workers than this machine has cores give? BenchmarkSchedule
// measures how long each tile takes, on one core, and then hands the measured
// times out to any number of workers. It runs with
//
//	go run ./scripts/bench -step 13 -simulate
//
// and the figures of a run mean something at full size only.

// schedule returns when the last of a number of workers ends that share out
// pieces of work which take the given times: a worker that is free takes the
// next piece. Taking costs every worker the given time, and only one can take
// at a time.
func schedule(times []time.Duration, workers int, taking time.Duration) time.Duration {
	free := make(clocks, workers) // when each worker is free
	var counter time.Duration     // when the counter is free
	for _, d := range times {
		taken := max(free[0], counter) + taking
		counter = taken
		free[0] = taken + d
		heap.Fix(&free, 0)
	}
	return slices.Max(free)
}

// inParts is schedule for pieces that are dealt out beforehand: a worker gets as
// many pieces as each other, one beside the other.
func inParts(times []time.Duration, workers int) time.Duration {
	var last time.Duration
	for w := range workers {
		last = max(last, sum(times[w*len(times)/workers:(w+1)*len(times)/workers]))
	}
	return last
}

// clocks is a heap of times, the earliest first.
type clocks []time.Duration

func (c clocks) Len() int           { return len(c) }
func (c clocks) Less(i, j int) bool { return c[i] < c[j] }
func (c clocks) Swap(i, j int)      { c[i], c[j] = c[j], c[i] }
func (c clocks) Push(any)           { panic("clocks: the number of workers does not change") }
func (c clocks) Pop() any           { panic("clocks: the number of workers does not change") }

func sum(times []time.Duration) time.Duration {
	var total time.Duration
	for _, d := range times {
		total += d
	}
	return total
}

func TestSchedule(t *testing.T) {
	const ms = time.Millisecond
	for _, tt := range []struct {
		name    string
		times   []time.Duration
		workers int
		taking  time.Duration
		shared  time.Duration
		parts   time.Duration
	}{
		{"nothing", nil, 3, ms, 0, 0},
		{"one worker, taking", []time.Duration{1 * ms, 2 * ms, 3 * ms}, 1, 1 * ms, 9 * ms, 6 * ms},
		{"equal pieces", []time.Duration{2 * ms, 2 * ms, 2 * ms, 2 * ms}, 2, 0, 4 * ms, 4 * ms},
		{"a long one at the end", []time.Duration{1 * ms, 1 * ms, 1 * ms, 9 * ms}, 2, 0, 10 * ms, 10 * ms},
		{"a long one at the start", []time.Duration{9 * ms, 1 * ms, 1 * ms, 1 * ms}, 2, 0, 9 * ms, 10 * ms},
		{"one at a time takes", []time.Duration{0, 0, 0, 0}, 4, 1 * ms, 4 * ms, 0},
		{"taking while others work", []time.Duration{4 * ms, 4 * ms}, 2, 1 * ms, 6 * ms, 4 * ms},
	} {
		t.Run(tt.name, func(t *testing.T) {
			assert.Equal(t, tt.shared, schedule(tt.times, tt.workers, tt.taking))
			assert.Equal(t, tt.parts, inParts(tt.times, tt.workers))
		})
	}
}

// BenchmarkSchedule reports efficiencies: the time of one worker that takes
// nothing, divided by the number of workers and by the time that they need.
func BenchmarkSchedule(b *testing.B) {
	s := common.Default()
	steptest.Describe(s, New(scene.Small()))
	taking := takenOnce()
	for _, sc := range scenes() {
		b.Run("scene="+sc.Name, func(b *testing.B) {
			for _, d := range divisions {
				b.Run("division="+d.name, func(b *testing.B) {
					times := measuredTiles(sc, s, d.name, d.tile(s.Width))
					for _, workers := range []int{1, 2, 4, 8, 16, 64, 256} {
						b.Run(fmt.Sprintf("workers=%d", workers), func(b *testing.B) {
							var end time.Duration
							for b.Loop() {
								if d.parts {
									end = inParts(times, workers)
								} else {
									end = schedule(times, workers, taking)
								}
							}
							b.ReportMetric(float64(sum(times))/float64(workers)/float64(end), "efficiency")
							b.ReportMetric(0, "ns/op") // that of the simulation says nothing
						})
					}
				})
			}
		})
	}
}

// measured holds what measuredTiles returns: variants that take turns ask for the
// same times again and again.
var measured = map[string][]time.Duration{}

func measuredTiles(sc *scene.Scene, s common.Settings, division string, tile image.Point) []time.Duration {
	key := sc.Name + " " + division
	if measured[key] == nil {
		measured[key] = tileTimes(New(sc), s, tilesOf(s.Width, s.Height, tile))
	}
	return measured[key]
}

// divisions are ways to divide a picture among workers.
var divisions = []struct {
	name  string
	parts bool // dealt out beforehand, in equal parts
	tile  func(width int) image.Point
}{
	{"8", false, squares(8)},
	{"16", false, squares(16)},
	{"32", false, squares(32)},
	{"64", false, squares(64)},
	{"128", false, squares(128)},
	{"row", false, row},
	{"parts", true, squares(32)},
}

func squares(size int) func(width int) image.Point {
	return func(int) image.Point { return image.Pt(size, size) }
}

func row(width int) image.Point { return image.Pt(width, 1) }

// tileTimes returns how long each tile takes: the least of three passes over all
// of them, since what else the machine does can only make it longer.
func tileTimes(t *Tracer, s common.Settings, tiles []image.Rectangle) []time.Duration {
	times := slices.Repeat([]time.Duration{math.MaxInt64}, len(tiles))
	w, f := workerOf(t, s), film.New(s.Width, s.Height)
	for range 3 {
		for tile, pixels := range tiles {
			start := time.Now()
			w.rng = seeds(tile)
			w.render(f, s, pixels)
			times[tile] = min(times[tile], time.Since(start))
		}
	}
	return times
}

var takenOnce = sync.OnceValue(takingTime)

// takingTime measures what it costs to take from a counter from which all cores
// take all the time: the worst case.
func takingTime() time.Duration {
	var times []time.Duration
	for range 9 {
		const n = 1 << 18
		taken := mem.NewIsolated[atomic.Int64]()
		start := time.Now()
		together(runtime.GOMAXPROCS(0), func(int) {
			for taken.Add(1) <= n {
			}
		})
		times = append(times, time.Since(start)/n)
	}
	slices.SortFunc(times, cmp.Compare)
	return times[len(times)/2]
}

func scenes() []*scene.Scene { return []*scene.Scene{scene.Small(), scene.Medium(), scene.Large()} }
