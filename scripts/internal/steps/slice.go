package steps

import (
	"cmp"
	"regexp"
	"strings"
)

// SliceName is the name of a benchmark of a step in package scripts/render, which has those of all
// steps: Render/step=12,as=plain/scene=large-2. This type alone knows how such a name is written.
type SliceName struct {
	Function   string // without "Benchmark": Render
	Step       Step
	Form       string // the kernel with which it renders, if that is not the step's; or empty
	Picture    string // what it renders, as key=value: scene=large
	Processors string // more than one, as the testing package writes them: -2
}

// String writes the whole name.
func (n SliceName) String() string {
	return n.Function + "/" + n.Element() + "/" + n.Picture + n.Processors
}

// Element writes the element of the name that says what is measured: step=12,as=plain.
func (n SliceName) Element() string {
	form := strings.TrimSuffix(",as="+n.Form, ",as=")
	return "step=" + n.Step.Short() + form
}

// Kernel returns the kernel with which it renders, or nothing.
func (n SliceName) Kernel() string { return cmp.Or(n.Form, n.Step.Kernel) }

var sliceName = regexp.MustCompile(`^(\w+)/step=([^/,]+)(?:,as=([^/]+))?/(\w+=\w+)(-\d+)?$`)

// ParseSliceName reads a name. It reports false for that of any other benchmark.
func ParseSliceName(text string) (n SliceName, ok bool) {
	m := sliceName.FindStringSubmatch(text)
	if m == nil {
		return n, false
	}
	step, err := Find(m[2])
	return SliceName{m[1], step, m[3], m[4], m[5]}, err == nil
}

// SlicePattern returns the pattern of go test -bench that selects the slices of steps, in any form and
// of any picture, of a function.
func SlicePattern(function string, list []Step) string {
	var names []string
	for _, step := range list {
		names = append(names, step.Short())
	}
	return "^Benchmark" + function + "$/^step=(" + strings.Join(names, "|") + ")(,|$)"
}
