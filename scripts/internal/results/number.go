package results

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
	"golang.org/x/perf/benchfmt"

	"raysteps/common/scene"
)

// NumberSpec is what a sentence shows of one benchmark.
type NumberSpec struct {
	Package string // as Query has it
	Bench   string // with its keys: Render/scene=large

	// Column has a base of two words or none, and other forms than in tables. Of a ratio:
	//
	//   - change: what it differs from 1 by
	//   - place: how many times as large it is at the best place of the code as at the worst
	//
	// And of a figure:
	//
	//   - sphere: the time of a sphere; of a count, what a sphere takes
	//   - cycles: the time of a sphere in cycles; ray cycles: that of a ray
	//   - time: that of a picture
	Column
}

// Number writes a figure of a benchmark.
func (s *Set) Number(spec NumberSpec) (string, error) {
	b := s.index[id{Package(spec.Package), spec.Bench, ""}]
	if b == nil {
		return "", &NotMeasuredError{s.Name, Package(spec.Package) + " " + spec.Bench}
	}
	v, there, err := s.quantity(b, spec.Column, nil)
	switch {
	case err != nil:
		return "", err
	case !there:
		return "", &NotMeasuredError{s.Name, strings.TrimSuffix(b.id.String()+" over "+spec.Base, " over ") + ", in " + spec.Unit}
	case spec.Base == "":
		return s.convert(b, v.Center, spec)
	}
	switch spec.Form {
	case "":
		return strconv.FormatFloat(v.Center, 'f', max(0, 2-int(math.Log10(max(1, v.Center)))), 64), nil
	case "change":
		return fmt.Sprintf("%.0f %%", 100*math.Abs(v.Center-1)), nil
	case "place":
		return fmt.Sprintf("%.2f", 1+v.Place), nil
	}
	return "", fmt.Errorf("as is %q; want change, place, or none for the ratio", spec.Form)
}

// convert writes a figure of a benchmark by itself; of cycles and percent the
// sentence has the unit.
func (s *Set) convert(b *benchmark, x float64, spec NumberSpec) (string, error) {
	as, unit := spec.Form, spec.Unit
	if as != "" && strings.HasSuffix(unit, "/s") {
		x, unit = 1/x, "sec/op"
	}
	switch as {
	case "":
		return Format(x, unit), nil
	case "time":
		return fmt.Sprintf("%.3g s", b.time(1/x)), nil
	case "sphere":
		return Format(x/spheresOf(b), unit), nil
	case "cycles", "ray cycles":
		hz, known := clockOf(b.line)
		if !known {
			return "", &NotMeasuredError{s.Name, "cpu-clock, in GHz, beside " + b.id.String()}
		}
		if x *= hz; as == "cycles" {
			x /= spheresOf(b)
		}
		if x < 100 {
			return strconv.FormatFloat(x, 'f', 2-int(max(0, math.Log10(x))), 64), nil
		}
		return humanize.Comma(int64(math.Round(x))), nil
	}
	return "", fmt.Errorf("as is %q; want sphere, time, cycles or ray cycles", as)
}

// clockOf returns at how many cycles per second a benchmark was measured, if it is known.
func clockOf(line *benchfmt.Result) (hz float64, known bool) {
	ghz, err := strconv.ParseFloat(strings.TrimSuffix(line.GetConfig("cpu-clock"), " GHz"), 64)
	return ghz * 1e9, err == nil
}

// spheresOf returns how many spheres are in the benchmark's scene, or are its number n
// or spheres. An experiment that names none of these is of the large scene.
func spheresOf(b *benchmark) float64 {
	if n, err := strconv.ParseFloat(partOf(b, "spheres")+partOf(b, "n"), 64); err == nil {
		return n
	}
	sc, err := scene.ByName(partOf(b, "scene"))
	if err != nil {
		sc = scene.Large()
	}
	return float64(len(sc.Spheres))
}

// coresOf returns how many cores render.
func coresOf(b *benchmark) float64 {
	n, err := strconv.ParseFloat(b.line.GetConfig("gomaxprocs"), 64)
	if b.step == nil || !b.step.Workers || err != nil {
		return 1
	}
	return n
}
