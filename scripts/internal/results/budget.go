package results

import (
	_ "embed"
	"strings"

	"golang.org/x/perf/benchfmt"

	"raysteps/scripts/internal/steps"
)

// core is what a core can start per cycle.
type core struct{ additions, multiplications, instructions float64 }

// cores are those whose figures are known, by AMD's publications 56665 and 58455. TestPeak holds what
// the benchmark Peak measures to them. Budgets are known of these alone.
var cores = map[string]core{"Zen 3": {2, 2, 6}, "Zen 5": {2, 2, 8}}

// coreOf returns the core that a launch ran on.
func coreOf(l launch) (core, bool) {
	c, ok := cores[l.line.GetConfig("cpu-generation")]
	return c, ok
}

// budget says what a sphere asks of a core.
type budget struct {
	loop string // the last step that has the same loop over the spheres, as in a table
	core        // additions, multiplications, and instructions of all kinds, of a sphere
}

// arithmetic returns the cycles in which a core could start the arithmetic, at least, and front those
// in which it could start all instructions.
func (p budget) arithmetic(c core) float64 {
	return max(p.additions/c.additions, p.multiplications/c.multiplications)
}
func (p budget) front(c core) float64 { return p.instructions / c.instructions }

// The parts of all cycles of a sphere: its arithmetic, other instructions that are not started beside
// it, and waiting. The front end's cycles are those of both.
func (p budget) arithmeticCycles(c core, _ float64) float64 { return p.arithmetic(c) }
func (p budget) frontCycles(c core, _ float64) float64      { return p.front(c) }
func (p budget) instructionsCycles(c core, _ float64) float64 {
	return max(p.arithmetic(c), p.front(c)) - p.arithmetic(c)
}
func (p budget) waitingCycles(c core, all float64) float64 {
	return all - max(p.arithmetic(c), p.front(c))
}

// budgetPart makes one of them a derived figure.
func budgetPart(part func(budget, core, float64) float64) func(*benchmark, launch, float64) float64 {
	return func(b *benchmark, l launch, all float64) float64 {
		c, ok := coreOf(l)
		if b.budget == nil || !ok {
			return 0
		}
		return part(*b.budget, c, all)
	}
}

// hasBudget reports whether a launch has the parts of a budget.
func (b *benchmark) hasBudget(l launch) bool {
	_, ok := coreOf(l)
	return b.budget != nil && ok
}

// loopsText says what an iteration of the steps' loops over the spheres consists of, and which
// benchmark times it.
//
//go:embed loops.txt
var loopsText []byte

// addBudgets gives budgets to the renders of the large scene, and to the benchmarks that time a loop.
func (s *Set) addBudgets() {
	lines, _ := Parse(loopsText, "loops.txt") // TestBudget reads it
	for _, line := range lines {
		per := func(unit string) float64 { // a sphere
			return number(line, unit+"/iteration") / number(line, "spheres/iteration")
		}
		list, _ := steps.Parse(line.GetConfig("steps"))
		loop := budget{list[len(list)-1].Short(), core{per("additions"), per("multiplications"), per("instructions")}}
		pkg, name, _ := strings.Cut(line.GetConfig("timed"), " ")
		if timed := s.index[id{pkg, name, ""}]; timed != nil {
			timed.budget = &loop
		}
		for _, step := range list {
			s.addRenderBudget(step, loop)
		}
	}
}

// addRenderBudget gives a budget to the render of a step, whose instructions are those that were
// counted. Valgrind knows no AVX-512, and counts another kernel.
func (s *Set) addRenderBudget(step steps.Step, loop budget) {
	render := s.index[id{step.Package(), "Render/scene=large", ""}]
	count := s.index[id{step.Package(), "Count/scene=large", ""}]
	kernel := func(b *benchmark) string { return b.last().line.GetConfig("kernel") }
	if render == nil || count == nil || kernel(count) != kernel(render) {
		return
	}
	loop.instructions, _ = count.value(count.last(), "instructions/sphere")
	render.budget = &loop
}

// number returns what a line says in a unit, or 0.
func number(line *benchfmt.Result, unit string) float64 {
	v, _ := line.Value(unit)
	return v
}
