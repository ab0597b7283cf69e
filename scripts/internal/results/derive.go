package results

import (
	"strconv"
	"strings"
	"sync"

	"golang.org/x/perf/benchfmt"

	"raysteps/common/answers"
	"raysteps/common/scene"
)

// derivedUnit is a unit that no benchmark reports: its figure follows from one in another unit.
type derivedUnit struct {
	unit string // or how units end, if it begins with a slash
	from string // the unit that it follows from, or how that ends

	// figure returns it, of a launch of a benchmark, whose line says a value in the unit from. 0 says
	// that nothing follows.
	figure func(b *benchmark, l launch, value float64) float64
}

// derivedUnits are all of them; of two with the same unit the first that has a figure counts, and what
// was measured goes before both. To add a unit, add a row: tables, charts and sentences know it by its
// name then, and words.txt may say what a table calls it. A unit of two benchmarks needs the other one
// beside it, as addRenderBudget keeps counts beside a render. A figure must not call value, which reads
// this table. A line is never written to, since what it
// says could not be told afterwards from what follows.
//
// Figures follow for benchmarks of steps alone. An operation of one of their experiments is a ray
// against all spheres.
var derivedUnits = []derivedUnit{
	{"sec/picture", "rays/s", (*benchmark).secondsOfPicture},
	{"cycles/ray", "rays/s", (*benchmark).cyclesOfRay},
	{"cycles/sphere", "rays/s", perSphere((*benchmark).cyclesOfRay)},
	{"cycles/sphere", "sec/op", perSphere((*benchmark).cyclesOfOperation)},
	{"/sphere", "/ray", perSphere((*benchmark).countOfRay)},
	{"arithmetic-cycles/sphere", "cycles/sphere", budgetPart(budget.arithmeticCycles)},
	{"front-cycles/sphere", "cycles/sphere", budgetPart(budget.frontCycles)},
	{"instructions-cycles/sphere", "cycles/sphere", budgetPart(budget.instructionsCycles)},
	{"waiting-cycles/sphere", "cycles/sphere", budgetPart(budget.waitingCycles)},
}

// source returns the unit from which a unit follows, if it is the one of d.
func (d derivedUnit) source(unit string) (from string, ok bool) {
	if !strings.HasPrefix(d.unit, "/") {
		return d.from, unit == d.unit
	}
	stem, ok := strings.CutSuffix(unit, d.unit)
	return stem + d.from, ok
}

// value returns what a launch says in a unit: what was measured, or what follows from that.
func (b *benchmark) value(l launch, unit string) (v float64, there bool) {
	if l.taken {
		return 0, false
	}
	if v, there = l.line.Value(unit); there || b.step == nil && b.budget == nil {
		return v, there
	}
	for _, d := range derivedUnits {
		from, ok := d.source(unit)
		if !ok {
			continue
		}
		if base, there := b.value(l, from); there {
			if v = d.figure(b, l, base); v > 0 {
				return v, true
			}
		}
	}
	return 0, false
}

// isRender reports whether a benchmark renders parts of the picture of a step.
func (b *benchmark) isRender() bool { return b.step != nil && strings.HasPrefix(b.name, "Render/") }

// secondsOfPicture returns how long the whole picture takes, by the rate of rays.
func (b *benchmark) secondsOfPicture(_ launch, rate float64) float64 {
	if !b.isRender() {
		return 0
	}
	answer, _ := answers.Of(b.step.Name, b.key("scene")+" full")
	return float64(answer.Rays) / rate
}

// cyclesOfRay returns the cycles of all cores that a ray takes, by the rate of rays.
func (b *benchmark) cyclesOfRay(l launch, rate float64) float64 {
	if !b.isRender() {
		return 0
	}
	seconds := 1 / rate
	if cores, err := strconv.ParseFloat(l.line.GetConfig("gomaxprocs"), 64); err == nil && b.step.Workers {
		seconds *= cores
	}
	return seconds * gigahertz(l.line) * 1e9
}

// cyclesOfOperation returns the cycles of an operation, by its time.
func (b *benchmark) cyclesOfOperation(l launch, seconds float64) float64 {
	if b.step == nil {
		return 0
	}
	return seconds * gigahertz(l.line) * 1e9
}

// countOfRay returns what was counted of a ray of a step.
func (b *benchmark) countOfRay(_ launch, count float64) float64 {
	if b.step == nil || !strings.HasPrefix(b.name, "Count/") {
		return 0
	}
	return count
}

// perSphere divides a figure of a ray by the spheres of its scene.
func perSphere(figure func(*benchmark, launch, float64) float64) func(*benchmark, launch, float64) float64 {
	return func(b *benchmark, l launch, value float64) float64 { return figure(b, l, value) / b.spheres() }
}

// gigahertz returns the clock that was measured, or 0.
func gigahertz(line *benchfmt.Result) float64 {
	ghz, _ := strconv.ParseFloat(strings.TrimSuffix(line.GetConfig("cpu-clock"), " GHz"), 64)
	return ghz
}

// spheres returns how many spheres are in the benchmark's scene, or are its number n
// or spheres. An experiment that names none of these is of the large scene.
func (b *benchmark) spheres() float64 {
	if n, err := strconv.ParseFloat(b.key("spheres")+b.key("n"), 64); err == nil {
		return n
	}
	name := b.key("scene")
	if n, known := sphereCounts.Load(name); known {
		return n.(float64)
	}
	sc, err := scene.ByName(name)
	if err != nil {
		sc = scene.Large()
	}
	n := float64(len(sc.Spheres))
	sphereCounts.Store(name, n)
	return n
}

// sphereCounts has the number of spheres by name of a scene: a scene can have a million of them, and
// is asked for with each launch.
var sphereCounts sync.Map

// key returns the value of a key of the name, such as scene, or nothing.
func (b *benchmark) key(key string) string {
	_, rest, _ := strings.Cut(b.name+"/", "/"+key+"=")
	value, _, _ := strings.Cut(rest, "/")
	return value
}
