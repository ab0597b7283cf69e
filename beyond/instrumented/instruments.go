package instrumented

import (
	"math/bits"
	"unsafe"

	"raysteps/common/apiprof"
	"raysteps/common/film"
	"raysteps/common/perf"
	"raysteps/common/phase"
	"raysteps/common/scene"
	"raysteps/common/stats"
	"raysteps/step13"
)

// Instruments is what a render is measured with. What is nil is not measured. The
// fields are set before the render and read after it; in between they belong to
// the workers.
type Instruments struct {
	// Stats counts what Statistics declares.
	Stats *stats.Run
	// Timers times tiles and hit tests.
	Timers *perf.Timers
	// HitTest measures the calls of the hit test, second by second.
	HitTest *apiprof.API
	// Heat receives the number of rays of each pixel of the film, row after row
	// from the lowest. Workers write to different elements.
	Heat []int32
}

// Statistics is what a render counts. A run of it starts from zero.
var Statistics stats.Set

var (
	cameraRays    = Statistics.Counter("Rays/Camera")
	scatteredRays = byKind("Rays/Scattered by ")
	hits          = byKind("Hits/")
	hitDistance   = Statistics.FloatDistribution("Hits/Distance")
	pathLength    = Statistics.IntDistribution("Paths/Rays")
	testsPerRay   = Statistics.Ratio("Sphere tests/Tests per ray")
	positive      = Statistics.Percentage("Sphere tests/Discriminants not negative")
	spheresMemory = Statistics.Memory("Memory/Spheres")
	filmMemory    = Statistics.Memory("Memory/Film")
	scratchMemory = Statistics.Memory("Memory/Scratch of the workers")
	tileTime      = Statistics.Timer("Time/Tiles")
)

// byKind declares a counter for each kind of material.
func byKind(title string) (counters [scene.Dielectric + 1]stats.Counter) {
	for kind := range counters {
		counters[kind] = Statistics.Counter(title + scene.Kind(kind).String())
	}
	return counters
}

// Phases returns the functions that are phases of a render. They need no marks.
func Phases() []phase.Mark {
	return []phase.Mark{
		phase.Func("Tile", (*worker).render),
		phase.Func("Camera rays", (*step13.View).Ray, (*step13.View).Prepare),
		phase.Func("Path", (*worker).color),
		phase.Func("Hit test", (*worker).closest),
		phase.Func("Hit", (*World).Hit),
		phase.Func("Scattering", (*step13.Material).Scatter),
		phase.Func("Random numbers", (*RNG).Float32, (*RNG).FillPair, (*RNG).Pair, (*RNG).FillBall, (*RNG).InUnitBall, (*RNG).InUnitDisk),
		phase.Func("Sky", step13.Sky),
	}
}

// workerInstruments is what one worker measures with. The zero value measures
// nothing.
type workerInstruments struct {
	shard   *stats.Shard
	timers  *perf.Worker
	hitTest *apiprof.Worker
	heat    []int32
}

// open gives a worker its instruments. It is called before the worker starts.
func (i *Instruments) open(w *worker, number int, f *film.Film) {
	w.shard, w.heat = i.Stats.NewShard(), i.Heat
	if i.Timers != nil {
		w.timers = i.Timers.Worker(number)
	}
	if i.HitTest != nil {
		w.hitTest = i.HitTest.Worker(number)
	}
	const number32 = 4 // bytes of a float32
	n := w.world.Spheres.PaddedLen()
	if number == 0 { // what all workers share counts once
		spheresMemory.Add(w.shard, int64(n*(4*number32+int(unsafe.Sizeof(step13.Surface{})))))
		filmMemory.Add(w.shard, int64(f.Bytes()))
	}
	scratchMemory.Add(w.shard, int64(8*len(w.pass.Candidates())+number32*(2*n+3*len(w.attenuations))))
}

// close hands in what a worker measured.
func (i *workerInstruments) close() {
	i.shard.Close()
	i.hitTest.Flush()
}

// path counts a path of so many rays that was traced for pixel (x, y) of a film.
func (i *workerInstruments) path(f *film.Film, x, y int, rays int64) {
	cameraRays.Add(i.shard, 1)
	pathLength.Add(i.shard, rays)
	if i.heat != nil {
		i.heat[y*f.Width+x] += int32(rays)
	}
}

// tests counts the hit test of a ray.
func (i *workerInstruments) tests(spheres int, candidates []uint64) {
	if i.shard == nil {
		return
	}
	n := 0
	for _, word := range candidates {
		n += bits.OnesCount64(word)
	}
	testsPerRay.Add(i.shard, int64(spheres), 1)
	positive.Add(i.shard, int64(n), int64(spheres))
}
