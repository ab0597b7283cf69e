package results

import (
	_ "embed"
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

// loopsText says what an iteration of the steps' loops over the spheres consists of, and which
// benchmark times it.
//
//go:embed loops.txt
var loopsText []byte

// derive adds what the cycles of a sphere consist of, where the core is known: in the large scene,
// and of a benchmark that times a loop. They have a field loop, its last step.
func (s *Set) derive() {
	lines, _ := Parse(loopsText, "loops.txt") // TestBudget reads it
	for _, line := range lines {
		per := func(unit string) float64 { return value(line, unit+"/iteration") / value(line, "spheres/iteration") }
		arithmetic := max(per("additions")/additions, per("multiplications")/multiplications)
		list, _ := steps.Parse(line.GetConfig("steps"))
		loop := list[len(list)-1].Short()
		pkg, name, _ := strings.Cut(line.GetConfig("timed"), " ")
		if timed := s.index[id{pkg, name, ""}]; timed != nil {
			timed.divide(loop, arithmetic, per("instructions")/instructions)
		}
		for _, step := range list {
			render, count := s.index[id{step.Package(), "Render/scene=large", ""}], s.index[id{step.Package(), "Count/scene=large", ""}]
			// Valgrind knows no AVX-512, and counts another kernel.
			if render != nil && count != nil && count.line().GetConfig("kernel") == render.line().GetConfig("kernel") {
				render.divide(loop, arithmetic, value(count.line(), "instructions/sphere")/instructions)
			}
		}
	}
}

// divide adds the parts of the cycles that a sphere takes: its arithmetic, other instructions
// that do not begin beside it, and waiting.
func (b *benchmark) divide(loop string, arithmetic, front float64) {
	for _, l := range b.launches {
		if all, clocked := l.Value("cycles/sphere"); clocked && l.GetConfig("cpu-generation") == knownCore {
			l.SetConfig("loop", loop)
			begun := max(arithmetic, front)
			add(l.Result, "arithmetic-cycles/sphere", arithmetic)
			add(l.Result, "front-cycles/sphere", front)
			add(l.Result, "instructions-cycles/sphere", begun-arithmetic)
			add(l.Result, "waiting-cycles/sphere", all-begun)
		}
	}
}

// add gives a line a figure in a unit, unless that is 0. Of two the first counts, which was there.
func add(line *benchfmt.Result, unit string, v float64) {
	if v > 0 {
		line.Values = append(line.Values, benchfmt.Value{Value: v, Unit: unit})
	}
}

// convert adds what follows from a line and the clock alone: from a rate the time of a picture and
// the cycles of a ray and a sphere, and from a count that of a sphere. An operation of a benchmark
// of a step is a ray against all spheres; what it says of another is shown nowhere.
func (b *benchmark) convert(line *benchfmt.Result) {
	ghz, _ := strconv.ParseFloat(strings.TrimSuffix(line.GetConfig("cpu-clock"), " GHz"), 64)
	spheres, seconds := b.spheres(), value(line, "sec/op")
	if b.step == nil {
		return
	}
	if rate, there := line.Value("rays/s"); there && strings.HasPrefix(b.name, "Render/") {
		answer, _ := answers.Of(b.step.Name, partOf(b, "scene")+" full")
		add(line, "sec/picture", float64(answer.Rays)/rate)
		seconds = 1 / rate
		if cores, err := strconv.ParseFloat(line.GetConfig("gomaxprocs"), 64); err == nil && b.step.Workers {
			seconds *= cores
		}
		add(line, "cycles/ray", seconds*ghz*1e9)
	}
	add(line, "cycles/sphere", seconds*ghz*1e9/spheres)
	for _, v := range line.Values {
		if unit, isRay := strings.CutSuffix(v.Unit, "/ray"); isRay && strings.HasPrefix(b.name, "Count/") {
			add(line, unit+"/sphere", v.Value/spheres)
		}
	}
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
