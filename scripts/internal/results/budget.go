package results

import (
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"

	"raysteps/common/scene"
	"raysteps/scripts/internal/steps"
)

// core is how many operations a core begins in a cycle, by its vendor's guide to
// optimization. TestPeak holds what beyond/experiments measures to it.
type core struct{ additions, multiplications, instructions float64 }

// cores are those that are known, by generation: AMD's publications 56665 and 58455.
var cores = map[string]core{"Zen 3": {2, 2, 6}, "Zen 5": {2, 2, 8}}

// loops names the file that says what an iteration of the loop over the spheres consists
// of. It belongs to no machine.
const loops = "loops"

// timed are the experiments that time the loop over the 484 spheres of the large scene,
// or the kernel that it is in, by step.
var timed = map[string]string{
	"6":  "step07 FirstPass/centers=vectors/resliced=no",
	"7":  "step07 FirstPass/centers=numbers/resliced=yes",
	"8":  "step08 FirstPass/dot=written-out/ray=local",
	"9":  "step09 FirstPass/a=one/square=stored",
	"10": "step10 Kernel/kernel=sse/n=484", "11": "step11 Kernel/kernel=sse/n=484",
	"12": "step12 Kernel/kernel=avx2/n=484", "avx512": "beyond/avx512 Kernel/kernel=avx512/n=484",
}

// loopOf returns what a sphere takes in the loop of a step, by unit without /iteration.
// Those of the first five call a function that has the arithmetic of step 6.
func (s *Set) loopOf(step steps.Step) map[string]float64 {
	pkg := step.Package()
	if step.Number > 0 && step.Number < 6 {
		pkg = Package("6")
	}
	l := map[string]float64{}
	if b := s.index[id{pkg, "Loop", ""}]; b != nil {
		spheres, _ := b.line.Value("spheres/iteration")
		for _, v := range b.line.Values {
			l[strings.TrimSuffix(v.Unit, "/iteration")] = v.Value / spheres
		}
	}
	return l
}

// budget adds to the measurements of a machine what follows from them, from its clock
// and its core, and from the loops: to the renders of steps the cycles, of a sphere in
// the large scene and of a ray in the others, and how many of them the arithmetic takes,
// the other instructions beside it, and waiting. And each loop that is timed becomes a
// benchmark Floor.
func (s *Set) budget(loops *Set) {
	for _, step := range steps.All() {
		l := loops.loopOf(step)
		if len(l) == 0 {
			continue
		}
		for _, name := range scene.Names() {
			b, count := s.index[id{step.Package(), "Render/scene=" + name, ""}], s.index[id{step.Package(), "Count/scene=" + name, ""}]
			if b == nil || count == nil {
				continue
			}
			n, of, unit := spheresOf(b), 1., "cycles/ray"
			if name == "large" {
				of, unit = n, "cycles/sphere"
			}
			instructions, _ := count.line.Value("instructions/ray")
			if count.line.GetConfig("kernel") != b.line.GetConfig("kernel") { // of another kernel: valgrind knows no AVX-512
				instructions = n * l["instructions"]
			}
			b.add(func(line *benchfmt.Result, hz float64, c core) map[string]float64 {
				rate, _ := line.Value("rays/s")
				all, arithmetic := hz*coresOf(b)/rate/of, n*c.arithmetic(l)/of
				begun := max(arithmetic, instructions/c.instructions/of)
				return map[string]float64{unit: all, "arithmetic-" + unit: arithmetic, "instructions-" + unit: begun - arithmetic, "waiting-" + unit: all - begun}
			})
		}
		pkg, name, _ := strings.Cut(timed[step.Short()], " ")
		b := s.index[id{Package(pkg), name, ""}]
		if b == nil {
			continue
		}
		floor := &benchmark{id: id{step.Package(), "Floor", ""}, step: &step}
		for _, launch := range b.launches {
			launch.Result = launch.Clone()
			launch.SetConfig("step", step.Short())
			floor.line, floor.launches = launch.Result, append(floor.launches, launch)
		}
		floor.add(func(line *benchfmt.Result, hz float64, c core) map[string]float64 {
			t, _ := line.Value("sec/op")
			all, front := t*hz/spheresOf(b), l["instructions"]/c.instructions
			return map[string]float64{"arithmetic/sphere": c.arithmetic(l), "front/sphere": front, "measured/sphere": all, "floors": all / max(c.arithmetic(l), front)}
		})
		s.benchmarks, s.index[floor.id] = append(s.benchmarks, floor), floor
	}
}

// arithmetic returns the cycles that the arithmetic of a sphere takes.
func (c core) arithmetic(l map[string]float64) float64 {
	return max(l["additions"]/c.additions, l["multiplications"]/c.multiplications)
}

// add gives the launches of a benchmark some figures, where the clock and the core are
// known. What is 0 is left out.
func (b *benchmark) add(figures func(line *benchfmt.Result, hz float64, c core) map[string]float64) {
	for _, l := range b.launches {
		ghz, err := strconv.ParseFloat(strings.TrimSuffix(l.GetConfig("cpu-clock"), " GHz"), 64)
		if c, known := cores[l.GetConfig("cpu-generation")]; known && err == nil {
			for unit, v := range figures(l.Result, ghz*1e9, c) {
				if v > 0 {
					l.Values = append(l.Values, benchfmt.Value{Value: v, Unit: unit})
				}
			}
		}
	}
}
