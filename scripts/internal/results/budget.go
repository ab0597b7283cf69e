package results

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/perf/benchfmt"

	"raysteps/common/scene"
	"raysteps/scripts/internal/steps"
)

// core is how many operations a core begins in a cycle, by its vendor's guide to
// optimization. TestPeak holds what scripts/peak measures to it.
type core struct{ additions, multiplications, instructions float64 }

// cores are those that are known, by generation: AMD's publications 56665 and 58455.
var cores = map[string]core{"Zen 3": {2, 2, 6}, "Zen 5": {2, 2, 8}}

// loops is the file that says what an iteration of a step's loop over the spheres consists
// of, and which benchmark times it. It belongs to no machine.
const loops = "loops.txt"

// loop is what a step does for a sphere.
type loop struct {
	additions, multiplications, instructions float64
	timed                                    id
}

// readLoops returns them by package; there are none if there is no file.
func readLoops(root string) (map[string]loop, error) {
	file := filepath.Join(root, Folder, loops)
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	lines, err2 := parse(text, file)
	all := map[string]loop{}
	for _, line := range lines {
		per := func(unit string) float64 {
			v, _ := line.Value(unit + "/iteration")
			spheres, _ := line.Value("spheres/iteration")
			return v / spheres
		}
		pkg, name, _ := strings.Cut(line.GetConfig("timed"), " ")
		all[line.GetConfig("pkg")] = loop{per("additions"), per("multiplications"), per("instructions"), id{pkg, name, ""}}
	}
	return all, errors.Join(err, err2)
}

// arithmetic returns the cycles that the arithmetic of a sphere takes.
func (c core) arithmetic(l loop) float64 {
	return max(l.additions/c.additions, l.multiplications/c.multiplications)
}

// derive adds to the measurements of a machine what follows from them, from its clock
// and its core, and from the loops: to the renders of steps the cycles, of a sphere in
// the large scene and of a ray in the others, and how many of them the arithmetic takes,
// the other instructions beside it, and waiting. And each loop that is timed becomes a
// benchmark Floor of its step.
func (s *Set) derive(loops map[string]loop) {
	for _, step := range steps.All() {
		l, known := loops[step.Package()]
		if step.Number > 0 && step.Number < 6 { // which call a function that has the arithmetic of step 6
			l, known = loops[Package("6")]
			l.timed = id{}
		}
		if !known {
			continue
		}
		for _, name := range scene.Names() {
			s.divide(step, name, l)
		}
		if b := s.index[l.timed]; b != nil {
			floor := &benchmark{id: id{step.Package(), "Floor", ""}, step: &step}
			for _, launch := range b.launches {
				launch.Result = launch.Clone()
				launch.SetConfig("step", step.Short())
				floor.line, floor.launches = launch.Result, append(floor.launches, launch)
			}
			floor.add(func(line *benchfmt.Result, hz float64, c core) map[string]float64 {
				t, _ := line.Value("sec/op")
				all, front := t*hz/spheresOf(b), l.instructions/c.instructions
				return map[string]float64{"arithmetic/sphere": c.arithmetic(l), "front/sphere": front, "measured/sphere": all, "floors": all / max(c.arithmetic(l), front)}
			})
			s.benchmarks, s.index[floor.id] = append(s.benchmarks, floor), floor
		}
	}
}

// divide adds the cycles of a step's render, and their parts.
func (s *Set) divide(step steps.Step, scene string, l loop) {
	b, count := s.index[id{step.Package(), "Render/scene=" + scene, ""}], s.index[id{step.Package(), "Count/scene=" + scene, ""}]
	if b == nil || count == nil {
		return
	}
	spheres, of, unit := spheresOf(b), 1., "cycles/ray"
	if scene == "large" {
		of, unit = spheres, "cycles/sphere"
	}
	instructions, _ := count.line.Value("instructions/ray")
	if count.line.GetConfig("kernel") != b.line.GetConfig("kernel") { // of another kernel: valgrind knows no AVX-512
		instructions = spheres * l.instructions
	}
	b.add(func(line *benchfmt.Result, hz float64, c core) map[string]float64 {
		rate, _ := line.Value("rays/s")
		all, arithmetic := hz*coresOf(b)/rate/of, spheres*c.arithmetic(l)/of
		begun := max(arithmetic, instructions/c.instructions/of)
		return map[string]float64{unit: all, "arithmetic-" + unit: arithmetic, "instructions-" + unit: begun - arithmetic, "waiting-" + unit: all - begun}
	})
}

// add gives the launches of a benchmark some figures, where the clock and the core are
// known. What is 0 is left out.
func (b *benchmark) add(figures func(line *benchfmt.Result, hz float64, c core) map[string]float64) {
	for _, l := range b.launches {
		hz, clocked := clockOf(l.Result)
		if c, known := cores[l.GetConfig("cpu-generation")]; known && clocked {
			for unit, v := range figures(l.Result, hz, c) {
				if v > 0 {
					l.Values = append(l.Values, benchfmt.Value{Value: v, Unit: unit})
				}
			}
		}
	}
}
