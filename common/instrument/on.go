//go:build instrument

package instrument

import (
	"context"
	"math/bits"

	"raysteps/common/apiprof"
	"raysteps/common/mem"
	"raysteps/common/perf"
	"raysteps/common/scene"
	"raysteps/common/stats"
)

// On says whether the program is built with instruments.
const On = true

var (
	cameraRays    = declared.Counter("Rays/Camera")
	scatteredRays = byKind("Rays/Scattered by ")
	hits          = byKind("Hits/")
	pathLength    = declared.IntDistribution("Paths/Rays")
	testsPerRay   = declared.Ratio("Sphere tests/Tests per ray")
	nodesPerRay   = declared.Ratio("Tree/Nodes per ray")
	boxesPerRay   = declared.Ratio("Tree/Boxes per ray")
	positive      = declared.Percentage("Sphere tests/Discriminants not negative")
	frontInUse    = declared.Percentage("Wavefront/Front in use")
	lanesInUse    = declared.Percentage("Wavefront/Lanes with a scattered ray")
	firstSieve    = declared.Percentage("Wavefront/Spheres left for a group by the first sieve")
	secondSieve   = declared.Percentage("Wavefront/Spheres left for a group by both")
	bundleRays    = declared.Percentage("Wavefront/Rays in bundles")
	bundleSize    = declared.Ratio("Wavefront/Rays a bundle")
	bundleSpheres = declared.Percentage("Wavefront/Spheres left for a bundle")
	spheresMemory = declared.Memory("Memory/Spheres")
	filmMemory    = declared.Memory("Memory/Film")
	scratchMemory = declared.Memory("Memory/Scratch of the workers")
)

// kinds are in the order of their values.
var kinds = [...]scene.Kind{scene.Lambertian, scene.Metal, scene.Dielectric}

func byKind(title string) (counters [len(kinds)]stats.Counter) {
	for _, k := range kinds {
		counters[k] = declared.Counter(title + k.String())
	}
	return counters
}

// Worker is what one goroutine of a render measures with. Its methods are for
// that goroutine alone. The zero value measures nothing.
type Worker struct{ w *worker }

// worker is isolated, since its timers are written to all the time.
type worker struct {
	number int
	set    *Set
	shard  *stats.Shard
	perf   *perf.Worker
	passes *apiprof.Worker
	tile   perf.Timer
	pass   perf.Timer
}

// NewWorker returns a worker that measures with the Set of the context, or with
// nothing if there is none. The numbers of workers count from 0.
func NewWorker(ctx context.Context, number int) Worker {
	set, _ := ctx.Value(key{}).(*Set)
	if set == nil {
		return Worker{}
	}
	w := mem.NewIsolated[worker]()
	*w = worker{number: number, set: set, shard: set.Stats.NewShard()}
	if set.Timers != nil {
		w.perf = set.Timers.Worker(number)
	}
	if set.Passes != nil {
		w.passes = set.Passes.Worker(number)
	}
	return Worker{w}
}

// Close ends the worker and hands in what it measured.
func (i Worker) Close() {
	if i.w != nil {
		i.w.shard.Close()
		i.w.passes.Flush()
	}
}

// Path counts a path of so many rays, one from the camera and the scattered
// ones, that was traced for a pixel.
func (i Worker) Path(x, y int, rays int64) {
	if i.w == nil {
		return
	}
	cameraRays.Add(i.w.shard, 1)
	pathLength.Add(i.w.shard, rays)
	if set := i.w.set; set.Pixels != nil {
		set.Pixels[y*set.Width+x] += int32(rays)
	}
}

// Scattered counts a ray that was scattered by a material of that kind.
func (i Worker) Scattered(kind scene.Kind) {
	if i.w != nil {
		scatteredRays[kind].Add(i.w.shard, 1)
	}
}

// Hit counts a ray that hit a sphere of a material of that kind.
func (i Worker) Hit(kind scene.Kind) {
	if i.w != nil {
		hits[kind].Add(i.w.shard, 1)
	}
}

// Memory counts so many bytes of the spheres and of the film, which all workers
// share, and of the memory that this one writes to while it traces.
func (i Worker) Memory(spheres, film, scratch int) {
	if i.w == nil {
		return
	}
	if i.w.number == 0 {
		spheresMemory.Add(i.w.shard, int64(spheres))
		filmMemory.Add(i.w.shard, int64(film))
	}
	scratchMemory.Add(i.w.shard, int64(scratch))
}

// BeginTile and EndTile are around the rendering of a tile.
func (i Worker) BeginTile(pixels int) {
	if i.w != nil {
		// Three numbers a pixel are stored. How much is computed differs.
		i.w.tile = *i.w.perf.Start("tile", int64(12*pixels), 0)
	}
}

// EndTile ends what BeginTile began.
func (i Worker) EndTile() {
	if i.w != nil {
		i.w.tile.Stop()
	}
}

// BeginPass and EndPass are around the first pass of a ray over so many spheres,
// those included that pad the columns: the kernel computes them as well.
func (i Worker) BeginPass(padded int) {
	if i.w != nil {
		// Four numbers of four bytes are loaded for a sphere and two are stored, with
		// 16 operations. The bit of a candidate is not counted.
		i.w.pass = *i.w.perf.Start("first pass", int64((4+2)*4*padded), int64(16*padded))
		i.w.passes.Enter()
	}
}

// EndPass ends what BeginPass began. The candidates, a bit a sphere, had a
// discriminant that is not negative.
func (i Worker) EndPass(spheres int, candidates []uint64) {
	if i.w != nil {
		i.w.passes.Leave()
		i.w.pass.Stop()
		n := 0
		for _, word := range candidates {
			n += bits.OnesCount64(word)
		}
		testsPerRay.Add(i.w.shard, int64(spheres), 1)
		positive.Add(i.w.shard, int64(n), int64(spheres))
	}
}

// EndWalk ends what BeginPass began, for a ray that was taken through a tree: it
// visited so many nodes, and was tested against so many boxes and spheres.
func (i Worker) EndWalk(nodes, boxes, spheres, candidates int) {
	if i.w != nil {
		i.w.passes.Leave()
		i.w.pass.Stop()
		nodesPerRay.Add(i.w.shard, int64(nodes), 1)
		boxesPerRay.Add(i.w.shard, int64(boxes), 1)
		testsPerRay.Add(i.w.shard, int64(spheres), 1)
		positive.Add(i.w.shard, int64(candidates), int64(spheres))
	}
}

// Front counts a round of a wavefront: so many rays in a front with room for so
// many.
func (i Worker) Front(rays, room int) {
	if i.w != nil {
		frontInUse.Add(i.w.shard, int64(rays), int64(room))
	}
}

// Bundle counts camera rays that were searched together: so many, of which each
// was asked about so many of all spheres.
func (i Worker) Bundle(rays, asked, spheres int) {
	if i.w != nil {
		bundleRays.Add(i.w.shard, int64(rays), int64(rays))
		bundleSize.Add(i.w.shard, int64(rays), 1)
		bundleSpheres.Add(i.w.shard, int64(asked), int64(spheres))
	}
}

// Group counts a group of lanes with so many rays that were not in a bundle.
func (i Worker) Group(rays, lanes int) {
	if i.w != nil {
		bundleRays.Add(i.w.shard, 0, int64(rays))
		lanesInUse.Add(i.w.shard, int64(rays), int64(lanes))
	}
}

// FirstSieve and SecondSieve count what a sieve left of so many spheres, for each
// of some groups of rays: a list of so many bytes, of elements of that size.
func (i Worker) FirstSieve(spheres int, left []int, size int) {
	if i.w != nil {
		for _, bytes := range left {
			firstSieve.Add(i.w.shard, int64(bytes/size), int64(spheres))
		}
	}
}

// SecondSieve is described with FirstSieve.
func (i Worker) SecondSieve(spheres int, left []int, size int) {
	if i.w != nil {
		for _, bytes := range left {
			secondSieve.Add(i.w.shard, int64(bytes/size), int64(spheres))
		}
	}
}
