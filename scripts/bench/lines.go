package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"

	"raysteps/common"
	"raysteps/scripts/internal/measure"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/steps"
)

// publishedLines returns measured lines as a file of a machine has them: those of steps are of their
// packages and say rates alone; places of code are words. Where two processes stand beside each
// other, each is a link order of its own; there the first step of the second over that of the
// first is noise. The measured lines stay as they are.
func publishedLines(measured []*benchfmt.Result) (all []*benchfmt.Result) {
	for _, line := range measured {
		line = line.Clone()
		setPlaces(line)
		slice, isSlice := steps.ParseSliceName(string(line.Name))
		if isSlice {
			setStep(line, slice)
		}
		number, _ := strconv.Atoi(line.GetConfig(processKey))
		order, _ := strconv.Atoi(line.GetConfig("link-order"))
		if number > 0 {
			results.SetConfig(line, processKey, "")
			results.SetConfig(line, "link-order", strconv.Itoa(2*order-2+number))
		}
		if number == 2 && isSlice && slice.Step == steps.All()[0] {
			noise := line.Clone() // beside the first process
			results.SetConfig(noise, "pkg", results.NoisePackage)
			results.SetConfig(noise, "link-order", strconv.Itoa(2*order-1))
			all = append(all, noise)
		}
		all = append(all, line)
	}
	return all
}

// setPlaces says where the hot functions of a line begin: odd-0 and the like are 1 for an odd multiple
// of 32 bytes, and 0 for an even one.
func setPlaces(line *benchfmt.Result) {
	var places []string
	for _, v := range line.Values {
		if strings.HasPrefix(v.Unit, "odd-") {
			places = append(places, []string{"even", "odd"}[int(v.Value+0.5)])
		}
	}
	results.SetConfig(line, "place", strings.Join(places, " "))
}

// setStep makes the line of a slice that of the step's package.
func setStep(line *benchfmt.Result, slice steps.SliceName) {
	whole := common.Default()
	function := strings.Replace(slice.Function, "Sizes", "Render", 1)
	line.Name = benchfmt.Name(function + "/" + slice.Picture + slice.Processors)
	line.Values = slices.DeleteFunc(line.Values, func(v benchfmt.Value) bool {
		return v.Unit != "rays/s" && v.Unit != measure.Processors
	})
	results.SetConfig(line, "pkg", slice.Step.Package())
	results.SetConfig(line, "kernel", slice.Kernel())
	results.SetConfig(line, "size", fmt.Sprintf("%dx%d", whole.Width, whole.Height))
	results.SetConfig(line, "samples", strconv.Itoa(whole.Samples))
}
