// Package steps lists the steps for the commands that run or show them.
package steps

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"raysteps/beyond/archsimd"
	"raysteps/beyond/avx512"
	"raysteps/beyond/tree"
	"raysteps/beyond/wavefront"
	"raysteps/common"
	"raysteps/common/scene"
	"raysteps/step01"
	"raysteps/step02"
	"raysteps/step03"
	"raysteps/step04"
	"raysteps/step05"
	"raysteps/step06"
	"raysteps/step07"
	"raysteps/step08"
	"raysteps/step09"
	"raysteps/step10"
	"raysteps/step11"
	"raysteps/step12"
	"raysteps/step13"
)

// Step is one step of the tutorial, or a package of beyond, which goes on where
// the tutorial ends.
type Step struct {
	Number int    // from 1, or 0 for a package of beyond
	Name   string // of its package: "step04", or "avx512"
	Label  string // what it changes, in a few words
	Single bool   // renders on one goroutine
	New    func(*scene.Scene) common.Tracer
}

// Folder returns the path from the root of the module, with slashes.
func (s Step) Folder() string {
	if s.Number == 0 {
		return "beyond/" + s.Name
	}
	return s.Name
}

// Package returns the import path.
func (s Step) Package() string { return "raysteps/" + s.Folder() }

// Short is what stands for it in a column of a table: "4", or "avx512".
func (s Step) Short() string {
	if s.Number == 0 {
		return s.Name
	}
	return strconv.Itoa(s.Number)
}

// Title is what a text calls it: "step 4", or "avx512".
func (s Step) Title() string {
	if s.Number == 0 {
		return s.Name
	}
	return "step " + s.Short()
}

// Before returns the step that s goes on from, which the first step does not
// have. A package of beyond goes on from the last numbered step that uses as
// many goroutines as it does, one or several.
func (s Step) Before() (Step, bool) {
	for _, other := range slices.Backward(all) {
		if other.Number > 0 && (s.Number == 0 && other.Single == s.Single || other.Number == s.Number-1) {
			return other, true
		}
	}
	return Step{}, false
}

// all holds the numbered steps in their order, and then those of beyond.
var all = []Step{
	{1, "step01", "baseline", true, build(step01.New)},
	{2, "step02", "public ray members", true, build(step02.New)},
	{3, "step03", "no interface in the hit loop", true, build(step03.New)},
	{4, "step04", "spheres in one array", true, build(step04.New)},
	{5, "step05", "structure of arrays", true, build(step05.New)},
	{6, "step06", "two passes", true, build(step06.New)},
	{7, "step07", "a column for each coordinate", true, build(step07.New)},
	{8, "step08", "plain numbers in the first pass", true, build(step08.New)},
	{9, "step09", "unit directions, squared radius", true, build(step09.New)},
	{10, "step10", "SSE", true, build(step10.New)},
	{11, "step11", "what is left around the loop", true, build(step11.New)},
	{12, "step12", "AVX2 and FMA", true, build(step12.New)},
	{13, "step13", "goroutines over tiles", false, build(step13.New)},
	{0, "avx512", "sixteen lanes", true, build(avx512.New)},
	{0, "archsimd", "SIMD without assembly", true, build(archsimd.New)},
	{0, "wavefront", "many rays at once", false, build(wavefront.New)},
	{0, "tree", "a tree in place of the loop", false, build(tree.New)},
}

func build[T common.Tracer](newTracer func(*scene.Scene) T) func(*scene.Scene) common.Tracer {
	return func(s *scene.Scene) common.Tracer { return newTracer(s) }
}

// All returns the numbered steps in their order, and then the packages of
// beyond.
func All() []Step { return slices.Clone(all) }

// Numbered returns the steps of the tutorial.
func Numbered() []Step {
	return slices.DeleteFunc(All(), func(s Step) bool { return s.Number == 0 })
}

// Latest returns the last of all.
func Latest() Step { return all[len(all)-1] }

// LatestSingle returns the last numbered step that renders on one goroutine.
// A package of beyond is none: what it is about, most machines do not have.
func LatestSingle() Step {
	for _, s := range slices.Backward(all) {
		if s.Number > 0 && s.Single {
			return s
		}
	}
	panic("steps: no step renders on one goroutine")
}

// Select returns the steps of a list such as "4", "1,4", "1-3,step04" or
// "12,avx512", in the order of All and each once.
func Select(list string) ([]Step, error) {
	wanted := map[string]bool{}
	for item := range strings.SplitSeq(list, ",") {
		item = strings.TrimSpace(item)
		from, to, isRange := strings.Cut(item, "-")
		switch {
		case !isRange:
			to = from
		case from == "" || to == "":
			return nil, fmt.Errorf("range %q is not complete; want both ends, such as 2-3", item)
		}
		first, err := find(from)
		if err != nil {
			return nil, err
		}
		last, err := find(to)
		if err != nil {
			return nil, err
		}
		if first > last {
			return nil, fmt.Errorf("range %q runs backward; want the lower step first", item)
		}
		for _, s := range all[first : last+1] {
			wanted[s.Name] = true
		}
	}
	return slices.DeleteFunc(All(), func(s Step) bool { return !wanted[s.Name] }), nil
}

// Find returns the step of a number or a name: "4", "step04", "avx512" or
// "beyond/avx512".
func Find(name string) (Step, error) {
	i, err := find(name)
	if err != nil {
		return Step{}, err
	}
	return all[i], nil
}

func find(name string) (int, error) {
	name = strings.TrimSpace(name)
	number, err := strconv.Atoi(name)
	if err != nil {
		number = -1
	}
	i := slices.IndexFunc(all, func(s Step) bool {
		return s.Name == name || s.Folder() == name || s.Number > 0 && s.Number == number
	})
	if i < 0 {
		return 0, fmt.Errorf("unknown step %q; want %s", name, Choices())
	}
	return i, nil
}

// Choices says in a message which steps there are: "a number from 1 to 13, or
// avx512 or wavefront".
func Choices() string {
	numbered := Numbered()
	text := fmt.Sprintf("a number from %d to %d", numbered[0].Number, numbered[len(numbered)-1].Number)
	for i, s := range all[len(numbered):] {
		if i == 0 {
			text += ","
		}
		text += " or " + s.Name
	}
	return text
}
