// Package steps is the one registry of the steps, as data: the commands that show, compare or
// measure steps know them from here. It links none of them; scripts/render does.
package steps

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Step is one step of the tutorial, or a package of beyond, which goes on where the tutorial ends.
type Step struct {
	Number   int    // from 1, or 0 for a package of beyond
	Name     string // of its package: "step04", or "avx512"
	Label    string // what it changes, in a few words
	Question string // that its chapter asks
	Before   string // Name of the step that it goes on from, and is compared with; empty for the first
	Peer     string // Name of the step whose program in C++ it is compared with, or embree
	Workers  bool   // renders on several goroutines
	Beyond   bool   // in the folder beyond
	Kernel   string // of amd64 that it is about, or empty
	SIMD     bool   // has files for GOEXPERIMENT=simd
}

// Folder returns the path from the root of the module, with slashes.
func (s Step) Folder() string {
	if s.Beyond {
		return "beyond/" + s.Name
	}
	return s.Name
}

// Package returns the import path.
func (s Step) Package() string { return "raysteps/" + s.Folder() }

// Short is what stands for it in a column of a table: "4", or "avx512".
func (s Step) Short() string { return strings.TrimPrefix(s.Title(), "step ") }

// Title is what a text calls it: "step 4", or "avx512".
func (s Step) Title() string {
	if s.Beyond {
		return s.Name
	}
	return fmt.Sprint("step ", s.Number)
}

// all holds the numbered steps in their order, and then those of beyond.
var all = []Step{
	{Number: 1, Name: "step01", Label: "the textbook program", Question: "where does two thirds of the time go?", Peer: "step01"},
	{Number: 2, Name: "step02", Label: "fields instead of getters", Question: "is a getter free?", Before: "step01", Peer: "step02"},
	{Number: 3, Name: "step03", Label: "no interface in the loop", Question: "what does a call through an interface cost?", Before: "step02", Peer: "step03"},
	{Number: 4, Name: "step04", Label: "a slice of values", Question: "side by side in memory: faster?", Before: "step03", Peer: "step04"},
	{Number: 5, Name: "step05", Label: "structure of arrays", Question: "half the data, less time?", Before: "step04", Peer: "step05"},
	{Number: 6, Name: "step06", Label: "the common case in the loop", Question: "what if nearly every test says no?", Before: "step05", Peer: "step06"},
	{Number: 7, Name: "step07", Label: "columns of x, y and z", Question: "what can the linker do?", Before: "step06", Peer: "step07"},
	{Number: 8, Name: "step08", Label: "local variables", Question: "what do six loads cost?", Before: "step07", Peer: "step08"},
	{Number: 9, Name: "step09", Label: "unit vectors", Question: "when does a square root pay?", Before: "step08", Peer: "step09"},
	{Number: 10, Name: "step10", Label: "SSE", Question: "four at a time, four times as fast?", Before: "step09", Peer: "step10", Kernel: "sse"},
	{Number: 11, Name: "step11", Label: "a shorter chain", Question: "what does the processor wait for?", Before: "step10", Peer: "step11", Kernel: "sse"},
	{Number: 12, Name: "step12", Label: "AVX2 and FMA", Question: "twice as wide, twice as fast?", Before: "step11", Peer: "step12", Kernel: "avx2"},
	{Number: 13, Name: "step13", Label: "goroutines over tiles", Question: "what do the workers share?", Before: "step12", Peer: "step13", Workers: true, Kernel: "avx2"},
	{Name: "avx512", Label: "sixteen lanes", Question: "is there anything left to halve?", Before: "step12", Peer: "step12", Beyond: true, Kernel: "avx512"},
	{Name: "archsimd", Label: "archsimd or simd", Question: "is it as fast as assembly?", Before: "step12", Peer: "step12", Beyond: true, SIMD: true, Kernel: "archsimd512"},
	{Name: "wavefront", Label: "many rays at once", Question: "what if nobody has to wait?", Before: "step13", Peer: "step13", Beyond: true, SIMD: true, Workers: true, Kernel: "avx512"},
	{Name: "tree", Label: "a tree of spheres", Question: "what if most spheres are never asked?", Before: "step13", Peer: "embree", Beyond: true, Workers: true, Kernel: "avx2"},
}

// Choices says in a message which steps there are.
const Choices = "a number from 1 to 13, avx512, archsimd, wavefront or tree"

// All returns the numbered steps in their order, and then the packages of beyond.
func All() []Step { return slices.Clone(all) }

// Packages returns the import paths of steps.
func Packages(list []Step) (all []string) {
	for _, s := range list {
		all = append(all, s.Package())
	}
	return all
}

// Parse returns the steps of a selection such as "4", "1,4", "1-3,step04" or
// "12,avx512", in the order of All and each once.
func Parse(selection string) ([]Step, error) {
	var chosen []Step
	for item := range strings.SplitSeq(selection, ",") {
		from, to, isRange := strings.Cut(item, "-")
		if !isRange {
			to = from
		}
		first, err := Find(from)
		last, err2 := Find(to)
		if err = cmp.Or(err, err2); err != nil {
			return nil, err
		}
		i, j := slices.Index(all, first), slices.Index(all, last)
		if i > j {
			return nil, fmt.Errorf("range %q runs backward; want the lower step first", item)
		}
		chosen = append(chosen, all[i:j+1]...)
	}
	return slices.DeleteFunc(All(), func(s Step) bool { return !slices.Contains(chosen, s) }), nil
}

// Find returns the step of a number or a folder: "4", "step04", "step04/",
// "avx512" or "beyond/avx512".
func Find(name string) (Step, error) {
	name = strings.TrimSpace(name)
	folder := path.Clean(strings.ReplaceAll(name, `\`, "/"))
	number, _ := strconv.Atoi(strings.TrimPrefix(folder, "step"))
	for _, s := range all {
		if s.Name == folder || s.Folder() == folder || number > 0 && s.Number == number {
			return s, nil
		}
	}
	return Step{}, fmt.Errorf("unknown step %q; want %s", name, Choices)
}
