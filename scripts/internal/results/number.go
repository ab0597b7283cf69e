package results

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"

	"raysteps/common/scene"
)

// NumberSpec is what a sentence shows of one benchmark.
type NumberSpec struct {
	Package string // as Query has it
	Bench   string // with its keys: Render/scene=large
	Unit    string

	// Over are packages to form the ratio with, of which the fastest counts, and
	// OverBench their benchmark.
	Over      []string
	OverBench string

	// As is how it is written: empty for the figure or the ratio as it is; change for
	// what a ratio differs from 1 by; place for how many times as large it is at the best
	// place of the code as at the worst; sphere for the time of one, of a count what a
	// sphere takes; cycles for the same in cycles, and ray cycles for those of a ray; time
	// for that of a picture.
	As  string
	Per int // spheres, of cycles: 1, if it is 0
}

// Number writes a figure of a benchmark.
func (s *Set) Number(spec NumberSpec) (string, error) {
	of := s.index[id{Package(spec.Package), spec.Bench, ""}]
	if of == nil {
		return "", &NotMeasuredError{s.Name, Package(spec.Package) + " " + spec.Bench}
	}
	unit := spec.Unit
	v, there := of.estimate(unit)
	if !there {
		return "", &NotMeasuredError{s.Name, of.id.String() + " in " + unit}
	}
	if len(spec.Over) == 0 {
		return s.convert(of, v.Center, spec)
	}
	ratio, place := math.Inf(1), 0.
	for _, pkg := range spec.Over {
		base := pkg + " " + spec.OverBench
		if v, there, _ := s.quantity(of, Column{Unit: unit, Base: base}, nil); there && v.Center < ratio {
			ratio, place = v.Center, v.Place
		}
	}
	switch {
	case math.IsInf(ratio, 0):
		return "", &NotMeasuredError{s.Name, strings.Join(spec.Over, ", ") + " " + spec.OverBench + ", in " + unit}
	case spec.As == "":
		return strconv.FormatFloat(ratio, 'f', max(0, 2-int(math.Log10(max(1, ratio)))), 64), nil
	case spec.As == "change":
		return fmt.Sprintf("%.0f %%", 100*math.Abs(ratio-1)), nil
	case spec.As == "place":
		return fmt.Sprintf("%.2f", 1+place), nil
	}
	return "", fmt.Errorf("as is %q; want change, place, or none for the ratio", spec.As)
}

// convert writes a figure of a benchmark by itself; of cycles and percent the
// sentence has the unit.
func (s *Set) convert(b *benchmark, x float64, spec NumberSpec) (string, error) {
	as, unit, clock := spec.As, spec.Unit, 0.
	if as != "" && strings.HasSuffix(unit, "/s") {
		x, unit = 1/x, "sec/op"
	}
	if as == "cycles" || as == "ray cycles" {
		ghz, err := strconv.ParseFloat(strings.TrimSuffix(b.line.GetConfig("cpu-clock"), " GHz"), 64)
		if err != nil {
			return "", &NotMeasuredError{s.Name, "cpu-clock, in GHz, beside " + b.id.String()}
		}
		clock = ghz * 1e9
	}
	switch as {
	case "":
		return Format(x, unit), nil
	case "time":
		return fmt.Sprintf("%.3g s", b.time(1/x)), nil
	case "sphere":
		return Format(x/spheresOf(b), unit), nil
	case "cycles":
		x *= float64(max(1, spec.Per)) / spheresOf(b)
		fallthrough
	case "ray cycles":
		if x *= clock; x < 100 {
			return fmt.Sprintf("%.1f", x), nil
		}
		return humanize.Comma(int64(math.Round(x))), nil
	}
	return "", fmt.Errorf("as is %q; want sphere, time, cycles or ray cycles", as)
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
