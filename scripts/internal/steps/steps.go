// Package steps is the one registry of the steps: the commands that run, show or
// measure steps know them from here.
package steps

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize/english"

	"raysteps/beyond/archsimd"
	"raysteps/beyond/avx512"
	"raysteps/beyond/instrumented"
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
	entry(1, "step01", "baseline", step01.New),
	entry(2, "step02", "public ray members", step02.New),
	entry(3, "step03", "no interface in the hit loop", step03.New),
	entry(4, "step04", "spheres in one array", step04.New),
	entry(5, "step05", "structure of arrays", step05.New),
	entry(6, "step06", "two passes", step06.New),
	entry(7, "step07", "a column for each coordinate", step07.New),
	entry(8, "step08", "plain numbers in the first pass", step08.New),
	entry(9, "step09", "unit directions, squared radius", step09.New),
	entry(10, "step10", "SSE", step10.New),
	entry(11, "step11", "what is left around the loop", step11.New),
	entry(12, "step12", "AVX2 and FMA", step12.New),
	entry(13, "step13", "goroutines over tiles", step13.New),
	entry(0, "avx512", "sixteen lanes", avx512.New),
	entry(0, "archsimd", "SIMD without assembly", archsimd.New),
	entry(0, "wavefront", "many rays at once", wavefront.New),
	entry(0, "tree", "a tree in place of the loop", tree.New),
}

// extra are packages that Find knows and nothing compares: they render as a step
// does, for another purpose than to be fast.
var extra = []Step{entry(0, "instrumented", "step 13 from inside", instrumented.New)}

// parallel are the steps that render on several goroutines.
var parallel = []string{"step13", "wavefront", "tree", "instrumented"}

// entry returns a step by the constructor of its tracers.
func entry[T common.Tracer](number int, name, label string, newTracer func(*scene.Scene) T) Step {
	return Step{number, name, label, !slices.Contains(parallel, name), func(s *scene.Scene) common.Tracer { return newTracer(s) }}
}

// All returns the numbered steps in their order, and then the packages of
// beyond.
func All() []Step { return slices.Clone(all) }

// Numbered returns the steps of the tutorial.
func Numbered() []Step {
	return slices.DeleteFunc(All(), func(s Step) bool { return s.Number == 0 })
}

// Select returns the steps of a selection such as "4", "1,4", "1-3,step04" or
// "12,avx512", in the order of All and each once.
func Select(selection string) ([]Step, error) {
	wanted := map[string]bool{}
	for item := range strings.SplitSeq(selection, ",") {
		item = strings.TrimSpace(item)
		from, to, isRange := strings.Cut(item, "-")
		switch {
		case !isRange:
			to = from
		case from == "" || to == "":
			return nil, fmt.Errorf("range %q is not complete; want both ends, such as 2-3", item)
		}
		first, err := Find(from)
		if err != nil {
			return nil, err
		}
		last, err := Find(to)
		if err != nil {
			return nil, err
		}
		if index(first) < 0 || index(last) < 0 {
			return nil, fmt.Errorf("%q is not compared with the steps; want %s", item, Choices())
		}
		if index(first) > index(last) {
			return nil, fmt.Errorf("range %q runs backward; want the lower step first", item)
		}
		for _, s := range all[index(first) : index(last)+1] {
			wanted[s.Name] = true
		}
	}
	return slices.DeleteFunc(All(), func(s Step) bool { return !wanted[s.Name] }), nil
}

// index returns the place of a step in the order of All.
func index(s Step) int {
	return slices.IndexFunc(all, func(other Step) bool { return other.Name == s.Name })
}

// Find returns the step of a number or a folder: "4", "step04", "step04/",
// "avx512" or "beyond/avx512".
func Find(name string) (Step, error) {
	name = strings.TrimSpace(name)
	folder := path.Clean(filepath.ToSlash(name))
	number, err := strconv.Atoi(strings.TrimPrefix(folder, "step"))
	for _, s := range slices.Concat(all, extra) {
		if s.Name == folder || s.Folder() == folder || err == nil && s.Number > 0 && s.Number == number {
			return s, nil
		}
	}
	return Step{}, fmt.Errorf("unknown step %q; want %s", name, Choices())
}

// Choices says in a message which steps there are: "a number from 1 to 13,
// avx512 or wavefront".
func Choices() string {
	numbered := len(Numbered())
	choices := []string{fmt.Sprintf("a number from 1 to %d", numbered)}
	for _, s := range all[numbered:] {
		choices = append(choices, s.Name)
	}
	return english.WordSeries(choices, "or")
}
