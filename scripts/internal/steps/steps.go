// Package steps is the one registry of the steps, as data: the commands that show,
// compare or measure steps know them from here. It links none of them; package
// tracers does.
package steps

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize/english"
)

// Step is one step of the tutorial, or a package of beyond, which goes on where
// the tutorial ends.
type Step struct {
	Number int    // from 1, or 0 for a package of beyond
	Name   string // of its package: "step04", or "avx512"
	Label  string // what it changes, in a few words

	Before string // Name of the step that it goes on from, and is compared with; empty for the first
	Peer   string // Name of the step whose program in C++ it is compared with

	Scalar  bool     // tests one sphere at a time
	Workers bool     // renders on several goroutines
	Beyond  bool     // in the folder beyond
	SIMD    bool     // wants GOEXPERIMENT=simd
	Kernel  string   // of amd64 that it is about, or empty
	Hot     []string // symbols of the functions that test the spheres, behind the package's name
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
func (s Step) Short() string {
	if s.Beyond {
		return s.Name
	}
	return strconv.Itoa(s.Number)
}

// Title is what a text calls it: "step 4", or "avx512".
func (s Step) Title() string {
	if s.Beyond {
		return s.Name
	}
	return "step " + s.Short()
}

// Previous returns the step that s goes on from, which the first step does not
// have.
func (s Step) Previous() (Step, bool) {
	i := slices.IndexFunc(all, func(other Step) bool { return other.Name == s.Before })
	if i < 0 {
		return Step{}, false
	}
	return all[i], true
}

// all holds the numbered steps in their order, and then those of beyond.
var all = []Step{
	{Number: 1, Name: "step01", Label: "baseline", Peer: "step01", Scalar: true, Hot: []string{"(*List).Hit", "(*Sphere).Hit"}},
	{Number: 2, Name: "step02", Label: "public ray members", Before: "step01", Peer: "step02", Scalar: true, Hot: []string{"(*List).Hit", "(*Sphere).Hit"}},
	{Number: 3, Name: "step03", Label: "no interface in the hit loop", Before: "step02", Peer: "step03", Scalar: true, Hot: []string{"(*World).Hit"}},
	{Number: 4, Name: "step04", Label: "spheres in one array", Before: "step03", Peer: "step04", Scalar: true, Hot: []string{"(*World).Hit"}},
	{Number: 5, Name: "step05", Label: "structure of arrays", Before: "step04", Peer: "step05", Scalar: true, Hot: []string{"(*World).Hit"}},
	{Number: 6, Name: "step06", Label: "two passes", Before: "step05", Peer: "step06", Scalar: true, Hot: []string{"(*World).Hit"}},
	{Number: 7, Name: "step07", Label: "a column for each coordinate", Before: "step06", Peer: "step07", Scalar: true, Hot: []string{"(*World).Hit"}},
	{Number: 8, Name: "step08", Label: "plain numbers in the first pass", Before: "step07", Peer: "step08", Scalar: true, Hot: []string{"(*World).Hit"}},
	{Number: 9, Name: "step09", Label: "unit directions, squared radius", Before: "step08", Peer: "step09", Scalar: true, Hot: []string{"(*World).Hit"}},
	{Number: 10, Name: "step10", Label: "SSE", Before: "step09", Peer: "step10", Kernel: "sse"},
	{Number: 11, Name: "step11", Label: "what is left around the loop", Before: "step10", Peer: "step11", Kernel: "sse"},
	{Number: 12, Name: "step12", Label: "AVX2 and FMA", Before: "step11", Peer: "step12", Kernel: "avx2"},
	{Number: 13, Name: "step13", Label: "goroutines over tiles", Before: "step12", Peer: "step13", Workers: true, Kernel: "avx2"},
	{Name: "avx512", Label: "sixteen lanes", Before: "step12", Peer: "step12", Beyond: true, Kernel: "avx512"},
	{Name: "archsimd", Label: "SIMD without assembly", Before: "step12", Peer: "step12", Beyond: true, SIMD: true, Kernel: "archsimd512"},
	{Name: "wavefront", Label: "many rays at once", Before: "step13", Peer: "step13", Workers: true, Beyond: true, SIMD: true, Kernel: "avx512"},
	{Name: "tree", Label: "a tree in place of the loop", Before: "step13", Peer: "step13", Workers: true, Beyond: true, Kernel: "avx2"},
}

// extra are packages that Find knows and nothing compares: they render as a step
// does, for another purpose than to be fast.
var extra = []Step{{Name: "instrumented", Label: "step 13 from inside", Before: "step13", Peer: "step13", Workers: true, Beyond: true, Kernel: "avx2"}}

// All returns the numbered steps in their order, and then the packages of
// beyond.
func All() []Step { return slices.Clone(all) }

// Numbered returns the steps of the tutorial.
func Numbered() []Step { return slices.DeleteFunc(All(), func(s Step) bool { return s.Beyond }) }

// Parse returns the steps of a selection such as "4", "1,4", "1-3,step04" or
// "12,avx512", in the order of All and each once.
func Parse(selection string) ([]Step, error) {
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
		if s.Name == folder || s.Folder() == folder || err == nil && !s.Beyond && s.Number == number {
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
