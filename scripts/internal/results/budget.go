package results

import (
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"

	"raysteps/common/answers"
	"raysteps/common/scene"
	"raysteps/scripts/internal/steps"
)

// What a core begins in a cycle, by AMD's publication 58455. TestPeak holds what the benchmark
// Peak measures to it. Budgets are known of this core alone.
const (
	knownCore       = "Zen 5"
	additions       = 2
	multiplications = 2
	instructions    = 8
)

// loopsFile says what an iteration of a step's loop over the spheres consists of, and which
// benchmark times it. It belongs to no machine.
const loopsFile = "loops.txt"

// loop is in how many cycles a core can begin what a step does for a sphere.
type loop struct {
	arithmetic float64 // additions and multiplications
	front      float64 // instructions of all kinds
	timed      id
}

// readLoops returns them by package; there are none if there is no file.
func readLoops(root string) (map[string]loop, error) {
	all := map[string]loop{}
	lines, err := readFile(filepath.Join(root, Folder, loopsFile))
	for _, line := range lines {
		spheres, _ := line.Value("spheres/iteration")
		per := func(unit string) float64 {
			v, _ := line.Value(unit + "/iteration")
			return v / spheres
		}
		pkg, name, _ := strings.Cut(line.GetConfig("timed"), " ")
		all[line.GetConfig("pkg")] = loop{
			arithmetic: max(per("additions")/additions, per("multiplications")/multiplications),
			front:      per("instructions") / instructions,
			timed:      id{pkg, name, ""},
		}
	}
	return all, err
}

// derive adds to the measurements of a machine what follows from them: from a rate the time
// of a picture, from the clock the cycles of a ray and a sphere, and from a count that of a
// sphere. And from the loops, where the core is known, what the cycles of a sphere consist of
// in the large scene; and each loop that is timed becomes a benchmark Floor of its step.
func (s *Set) derive(loops map[string]loop) {
	for _, b := range s.benchmarks {
		spheres := b.spheres()
		for _, l := range b.launches {
			b.convert(l.Result, spheres)
		}
	}
	for _, step := range steps.All() {
		l, known := loops[step.Package()]
		if step.Number > 0 && step.Number < 6 { // which call a function that has the arithmetic of step 6
			l, known = loops[Package("6")]
			l.timed = id{}
		}
		if !known {
			continue
		}
		s.divide(step, l)
		if timed := s.index[l.timed]; timed != nil {
			floor := &benchmark{id: id{step.Package(), "Floor", ""}, step: &step}
			for _, at := range timed.launches {
				at.Result = at.Clone()
				at.Name = benchfmt.Name(floor.name)
				at.SetConfig("pkg", floor.pkg)
				at.SetConfig("step", step.Short())
				floor.line, floor.launches = at.Result, append(floor.launches, at)
				if all, clocked := at.Value("cycles/sphere"); clocked && at.GetConfig("cpu-generation") == knownCore {
					add(at.Result, "arithmetic/sphere", l.arithmetic)
					add(at.Result, "front/sphere", l.front)
					add(at.Result, "measured/sphere", all)
					add(at.Result, "floors", all/max(l.arithmetic, l.front))
				}
			}
			s.add(floor)
		}
	}
}

// add gives a line a figure in a unit that it lacks, unless that is 0.
func add(line *benchfmt.Result, unit string, value float64) {
	if _, there := line.Value(unit); !there && value > 0 {
		line.Values = append(line.Values, benchfmt.Value{Value: value, Unit: unit})
	}
}

// convert adds what follows from a line and the clock alone.
func (b *benchmark) convert(line *benchfmt.Result, spheres float64) {
	hz := clockOf(line)
	if rate, there := line.Value("rays/s"); there && b.step != nil && b.pkg != Again && strings.HasPrefix(b.name, "Render/") {
		rays, _ := answers.Rays(b.step.Name, partOf(b, "scene"))
		cycles := hz * b.cores() / rate
		add(line, "sec/picture", float64(rays)/rate)
		add(line, "cycles/ray", cycles)
		add(line, "cycles/sphere", cycles/spheres)
	}
	if t, there := line.Value("sec/op"); there && b.step != nil {
		add(line, "cycles/sphere", t*hz/spheres)
	}
	if strings.HasPrefix(b.name, "Count/") {
		for _, v := range line.Values {
			if counted, isRay := strings.CutSuffix(v.Unit, "/ray"); isRay {
				add(line, counted+"/sphere", v.Value/spheres)
			}
		}
	}
}

// divide adds the parts of the cycles that a sphere of the large scene takes: its arithmetic,
// other instructions that do not begin beside it, and waiting.
func (s *Set) divide(step steps.Step, l loop) {
	b, count := s.index[id{step.Package(), "Render/scene=large", ""}], s.index[id{step.Package(), "Count/scene=large", ""}]
	if b == nil || count == nil {
		return
	}
	executed, _ := count.line.Value("instructions/sphere")
	front := executed / instructions
	if count.line.GetConfig("kernel") != b.line.GetConfig("kernel") { // of another kernel: valgrind knows no AVX-512
		front = l.front
	}
	for _, at := range b.launches {
		if all, clocked := at.Value("cycles/sphere"); clocked && at.GetConfig("cpu-generation") == knownCore {
			begun := max(l.arithmetic, front)
			add(at.Result, "arithmetic-cycles/sphere", l.arithmetic)
			add(at.Result, "instructions-cycles/sphere", begun-l.arithmetic)
			add(at.Result, "waiting-cycles/sphere", all-begun)
		}
	}
}

// clockOf returns at how many cycles per second a benchmark was measured, 0 if it is not known.
func clockOf(line *benchfmt.Result) float64 {
	ghz, _ := strconv.ParseFloat(strings.TrimSuffix(line.GetConfig("cpu-clock"), " GHz"), 64)
	return ghz * 1e9
}

// spheres returns how many spheres are in the benchmark's scene, or are its number n
// or spheres. An experiment that names none of these is of the large scene.
func (b *benchmark) spheres() float64 {
	if n, err := strconv.ParseFloat(partOf(b, "spheres")+partOf(b, "n"), 64); err == nil {
		return n
	}
	sc, err := scene.ByName(partOf(b, "scene"))
	if err != nil {
		sc = scene.Large()
	}
	return float64(len(sc.Spheres))
}

// cores returns how many cores render.
func (b *benchmark) cores() float64 {
	if n, err := strconv.ParseFloat(b.line.GetConfig("gomaxprocs"), 64); err == nil && b.step.Workers {
		return n
	}
	return 1
}
