package results

import (
	_ "embed"
	"strings"

	"golang.org/x/perf/benchfmt"

	"raysteps/scripts/internal/steps"
)

// What a core can start per cycle, by AMD's publication 58455. TestPeak holds what the benchmark
// Peak measures to it. Budgets are known of this core alone.
const (
	knownCore       = "Zen 5"
	additions       = 2
	multiplications = 2
	instructions    = 8
)

// budget says what the cycles that a sphere takes consist of.
type budget struct {
	loop       string  // the last step that has the same loop over the spheres, as in a table
	arithmetic float64 // cycles in which its arithmetic could be started, at least
	front      float64 // cycles in which all of its instructions could be, at least
}

// The parts of all cycles of a sphere: its arithmetic, other instructions that are not started beside
// it, and waiting. The front end's cycles are those of both.
func (p budget) arithmeticCycles(float64) float64   { return p.arithmetic }
func (p budget) frontCycles(float64) float64        { return p.front }
func (p budget) instructionsCycles(float64) float64 { return max(p.arithmetic, p.front) - p.arithmetic }
func (p budget) waitingCycles(all float64) float64  { return all - max(p.arithmetic, p.front) }

// budgetPart makes one of them a derived figure.
func budgetPart(part func(budget, float64) float64) func(*benchmark, launch, float64) float64 {
	return func(b *benchmark, l launch, all float64) float64 {
		if !b.hasBudget(l) {
			return 0
		}
		return part(*b.budget, all)
	}
}

// hasBudget reports whether a launch has the parts of a budget.
func (b *benchmark) hasBudget(l launch) bool {
	return b.budget != nil && l.line.GetConfig("cpu-generation") == knownCore
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
		loop := budget{
			loop:       list[len(list)-1].Short(),
			arithmetic: max(per("additions")/additions, per("multiplications")/multiplications),
			front:      per("instructions") / instructions,
		}
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
	counted, _ := count.value(count.last(), "instructions/sphere")
	loop.front = counted / instructions
	render.budget = &loop
}

// number returns what a line says in a unit, or 0.
func number(line *benchfmt.Result, unit string) float64 {
	v, _ := line.Value(unit)
	return v
}
