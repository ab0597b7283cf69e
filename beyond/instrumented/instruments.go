package instrumented

import (
	"math/bits"
	"unsafe"

	"raysteps/beyond/tracing"
	"raysteps/common/apiprof"
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
	tileTime      = Statistics.Timer("Time/Tiles")
)

// byKind declares a counter for each kind of material.
func byKind(title string) (counters [scene.Dielectric + 1]stats.Counter) {
	for kind := range counters {
		counters[kind] = Statistics.Counter(title + scene.Kind(kind).String())
	}
	return counters
}

// kindOf returns what kind of material it is.
func kindOf(m step13.Material) scene.Kind {
	switch m.(type) {
	case *step13.Metal:
		return scene.Metal
	case *step13.Dielectric:
		return scene.Dielectric
	default:
		return scene.Lambertian
	}
}

// Phases returns the functions that are phases of a render. They need no marks.
func Phases() []phase.Mark {
	return []phase.Mark{
		phase.Func("Tile", (*worker).render),
		phase.Func("Camera rays", tracing.CameraRay, (*step13.Camera).Ray),
		phase.Func("Path", (*worker).color),
		phase.Func("Hit test", (*worker).closest),
		phase.Func("Hit", (*step13.World).Hit),
		phase.Func("Scattering", (*step13.Lambertian).Scatter, (*step13.Metal).Scatter, (*step13.Dielectric).Scatter),
		phase.Func("Random numbers", (*step13.RNG).Float32, (*step13.RNG).InCube, (*step13.RNG).InUnitBall, (*step13.RNG).InUnitDisk),
		phase.Func("Sky", tracing.Sky),
	}
}

// open gives a worker its instruments. It is called before the worker starts.
func (i *Instruments) open(w *worker, number int) {
	w.shard = i.Stats.NewShard()
	if i.Timers != nil {
		w.timers = i.Timers.Worker(number)
	}
	if i.HitTest != nil {
		w.hitTest = i.HitTest.Worker(number)
	}
	if number == 0 { // what all workers share counts once: five columns of numbers, and the materials
		perSphere := 5*4 + unsafe.Sizeof(*new(step13.Material))
		spheresMemory.Add(w.shard, int64(w.world.Spheres.PaddedLen())*int64(perSphere))
	}
}

// close hands in what a worker measured.
func (w *worker) close() {
	w.shard.Close()
	w.hitTest.Flush()
}

// path counts a path of so many rays.
func (w *worker) path(rays int64) {
	cameraRays.Add(w.shard, 1)
	pathLength.Add(w.shard, rays)
}

// tests counts the hit test of a ray.
func (w *worker) tests(spheres int, candidates []uint64) {
	if w.shard == nil {
		return
	}
	n := 0
	for _, word := range candidates {
		n += bits.OnesCount64(word)
	}
	testsPerRay.Add(w.shard, int64(spheres), 1)
	positive.Add(w.shard, int64(n), int64(spheres))
}
