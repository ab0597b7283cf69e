package main

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strconv"

	"golang.org/x/perf/benchfmt"

	"raysteps/common/outfile"
	"raysteps/scripts/internal/launch"
	"raysteps/scripts/internal/oldresults"
)

// file collects measurements and is complete on disk after each append.
type file struct {
	name    string
	machine []benchfmt.Config // lines that all measurements bear
	text    bytes.Buffer
	w       *benchfmt.Writer
}

func newFile(name string, machine []benchfmt.Config, kind results.Kind) *file {
	unit := "rays/s"
	if kind == results.OfSchedules {
		unit = "efficiency"
	}
	f := &file{name: name, machine: machine}
	fmt.Fprintf(&f.text, "Unit %s better=higher\n\n", unit)
	f.w = benchfmt.NewWriter(&f.text)
	return f
}

// append adds the records of a launch, those of a package together: each change
// of package takes three lines.
func (f *file) append(records []launch.Record) error {
	place := map[string]int{}
	for i, r := range slices.Backward(records) {
		place[r.Package] = i
	}
	records = slices.Clone(records)
	slices.SortStableFunc(records, func(a, b launch.Record) int { return cmp.Compare(place[a.Package], place[b.Package]) })
	for _, r := range records {
		if len(r.Values) == 0 {
			continue // all of its slices were skipped
		}
		result := &benchfmt.Result{
			Name:  benchfmt.Name(fmt.Sprintf("%s-%d", r.Name, runtime.GOMAXPROCS(0))),
			Iters: r.Slices,
		}
		for _, c := range f.machine {
			set(result, c.Key, string(c.Value))
		}
		for _, key := range slices.Sorted(maps.Keys(r.Config)) {
			set(result, key, r.Config[key])
		}
		set(result, "pkg", r.Package)
		set(result, results.LinkOrderKey, strconv.Itoa(r.Order))
		set(result, results.LaunchKey, strconv.Itoa(r.Launch))
		for _, unit := range slices.Sorted(maps.Keys(r.Values)) {
			result.Values = append(result.Values, benchfmt.Value{Value: r.Values[unit], Unit: unit})
		}
		if err := f.w.Write(result); err != nil {
			return err
		}
	}
	return outfile.Write("results", f.name, f.text.Bytes())
}

// set sets a line that is written to the file, which
// [benchfmt.Result.SetConfig] does not.
func set(r *benchfmt.Result, key, value string) {
	r.SetConfig(key, value)
	i, _ := r.ConfigIndex(key)
	r.Config[i].File = true
}
