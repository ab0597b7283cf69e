package results

import (
	"cmp"
	"errors"
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
	// what a ratio differs from 1 by; ray or sphere for the time of one, of a count what a
	// sphere takes; ray cycles or cycles for the same in cycles; ipc for the instructions
	// of a ray that were counted over its cycles; peak for the share of the peak.
	As    string
	Per   int    // spheres, of cycles: 1, if it is 0
	Flops int    // operations a sphere, of peak
	Peak  string // parts of the benchmark of the peak: mul-add/bits=32, if it is empty
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
		return "", fmt.Errorf("results %q: %s has no values in %s", s.Name, of.id, unit)
	}
	if len(spec.Over) == 0 {
		return s.convert(of, v.Center, spec)
	}
	ratio := math.Inf(1)
	for _, pkg := range spec.Over {
		base := pkg + " " + spec.OverBench
		if v, there, _ := s.quantity(of, Column{Unit: unit, Base: base}, nil); there {
			ratio = min(ratio, v.Center)
		}
	}
	switch {
	case math.IsInf(ratio, 0):
		return "", &NotMeasuredError{s.Name, strings.Join(spec.Over, ", ") + " " + spec.OverBench + ", in " + unit}
	case spec.As == "":
		return fmt.Sprintf("%.2f", ratio), nil
	case spec.As == "change":
		return fmt.Sprintf("%.0f %%", 100*math.Abs(ratio-1)), nil
	}
	return "", fmt.Errorf("as is %q; want change, or none for the ratio", spec.As)
}

// convert writes a figure of a benchmark by itself; of cycles, percent and ipc the
// sentence has the unit.
func (s *Set) convert(b *benchmark, x float64, spec NumberSpec) (string, error) {
	as, unit, clock := spec.As, spec.Unit, 0.
	if as != "" && strings.HasSuffix(unit, "/s") {
		x, unit = 1/x, "sec/op"
	}
	if as == "cycles" || as == "ray cycles" || as == "ipc" {
		ghz, err := strconv.ParseFloat(strings.TrimSuffix(b.line.GetConfig("cpu-clock"), " GHz"), 64)
		if err != nil {
			return "", &NotMeasuredError{s.Name, "cpu-clock, in GHz, beside " + b.id.String()}
		}
		clock = ghz * 1e9
	}
	switch as {
	case "", "ray":
		return Format(x, unit), nil
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
	case "ipc":
		count, there := s.figure(id{b.pkg, strings.Replace(b.name, "Render", "Count", 1), ""}, "instructions/ray")
		if !there {
			return "", &NotMeasuredError{s.Name, "instructions/ray of " + b.id.String()}
		}
		return fmt.Sprintf("%.2f", count.Center/(x*clock*coresOf(b))), nil
	case "peak":
		peak := id{Package("scripts/peak"), "Peak/op=" + cmp.Or(spec.Peak, "mul-add/bits=32"), ""}
		most, there := s.figure(peak, "flop/s")
		switch {
		case spec.Flops == 0:
			return "", errors.New("flops is missing; want the number of operations for a sphere, for a share of the peak")
		case !there:
			return "", &NotMeasuredError{s.Name, peak.String()}
		}
		return fmt.Sprintf("%.0f %%", 100*spheresOf(b)*float64(spec.Flops)/x/most.Center/coresOf(b)), nil
	}
	return "", fmt.Errorf("as is %q; want ray, sphere, cycles, ray cycles, ipc or peak", as)
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
