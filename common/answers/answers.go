// Package answers holds what the steps must give, as data: how many rays they
// trace and which bytes they render, for the three scenes and for some odd ones,
// and which kernel each step is about. Tests hold the steps to it, and commands
// look up how many rays a picture takes.
package answers

import (
	_ "embed"
	"encoding/json"
	"slices"
	"sync"
)

// Answer is what a render must give.
type Answer struct {
	Rays int64  `json:"rays"`
	MD5  string `json:"md5"` // of the picture as a TGA file
}

// group is the answers of the steps that render the same bytes. The file also says
// why these are not those of the group before.
type group struct {
	Steps []string          `json:"steps"`
	Known map[string]Answer `json:"known"`
}

// text has the groups. The answers of steps 1 to 13 for the three scenes at quick
// size are the original program's, built without fast-math and contraction. The
// rest was recorded here, from the first step of each group.
//
//go:embed answers.json
var text []byte

var groups = sync.OnceValue(func() (list []group) {
	if err := json.Unmarshal(text, &list); err != nil {
		panic("common/answers/answers.json: " + err.Error())
	}
	return list
})

// Of returns the known answer of a step, such as that of "step12" for "medium
// quick", and whether there is one.
func Of(step, name string) (Answer, bool) {
	for _, group := range groups() {
		if slices.Contains(group.Steps, step) {
			answer, ok := group.Known[name]
			return answer, ok
		}
	}
	return Answer{}, false
}

// kernels are those that the steps are about. A processor without their
// instructions, or a build without assembly, runs another kernel, and says so.
var kernels = map[string]string{
	"step10": "sse", "step11": "sse", "step12": "avx2", "step13": "avx2",
	"avx512": "avx512", "archsimd": "archsimd512", "wavefront": "avx512", "tree": "avx2", "instrumented": "avx2",
}

// Kernel returns the name of the kernel that a step is about, or nothing if it
// is about none.
func Kernel(step string) string { return kernels[step] }
