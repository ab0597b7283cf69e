// Package steps lists the steps for the commands that run or show them.
package steps

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

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
)

// Step is one step of the tutorial.
type Step struct {
	Number int
	Name   string // of its package and folder: "step04"
	Label  string // what it changes, in a few words
	Single bool   // renders on one goroutine
	New    func(*scene.Scene) common.Tracer
}

// Package returns the import path.
func (s Step) Package() string { return "raysteps/" + s.Name }

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
}

func build[T common.Tracer](newTracer func(*scene.Scene) T) func(*scene.Scene) common.Tracer {
	return func(s *scene.Scene) common.Tracer { return newTracer(s) }
}

// All returns the steps in their order.
func All() []Step { return slices.Clone(all) }

// Latest returns the last step.
func Latest() Step { return all[len(all)-1] }

// LatestSingle returns the last step that renders on one goroutine.
func LatestSingle() Step {
	for _, s := range slices.Backward(all) {
		if s.Single {
			return s
		}
	}
	panic("steps: no step renders on one goroutine")
}

// Select returns the steps of a list such as "4", "1,4" or "1-3,step04", in
// the order of the tutorial and each once.
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

// Find returns the step of a number or a name: "4" or "step04".
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
	i := slices.IndexFunc(all, func(s Step) bool { return s.Name == name || err == nil && s.Number == number })
	if i < 0 {
		return 0, fmt.Errorf("unknown step %q; want a number from %d to %d", name, all[0].Number, all[len(all)-1].Number)
	}
	return i, nil
}
