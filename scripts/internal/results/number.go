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
	"raysteps/scripts/internal/directive"
	"raysteps/scripts/internal/estimate"
)

// Number writes a figure of a benchmark, from the keys of a directive: of and bench,
// with scene, name the benchmark, and unit what is shown of it. As says in what form:
//
//   - "": the figure in its unit
//   - ray: the time of a ray, from a rate
//   - sphere: that time, or a count of a ray, divided by the number of spheres
//   - cycles: the same in cycles of the processor, or those of so many spheres as per says
//   - ray cycles: the time of a ray in cycles
//   - ipc: instructions that a core executes in a cycle, which are those counted of
//     a ray over the cycles of a ray
//   - peak: flops operations on each sphere as a share of the peak of a core, in percent,
//     by the benchmark of scripts/peak that is called so
//
// With over it is the ratio to the same benchmark, or overbench, of the fastest of those
// packages; as change, what that differs from 1 by, in percent.
func (s *Set) Number(c *directive.Call) (string, error) {
	unit, scene := cmp.Or(c.Get("unit"), "rays/s"), ""
	if c.Has("scene") {
		scene = "/scene=" + c.Get("scene")
	}
	name := cmp.Or(c.Get("bench"), "Render")
	find := func(pkg, name string) (*benchmark, error) {
		b := s.index[id{Package(pkg), name + scene, ""}]
		if b == nil {
			return nil, &NotMeasuredError{s.Name, Package(pkg) + " " + name + scene}
		}
		if len(b.in(unit)) == 0 {
			return nil, fmt.Errorf("results %q: %s has no values in %s", s.Name, b.id, unit)
		}
		return b, nil
	}
	of, err := find(c.Get("of"), name)
	if err != nil {
		return "", err
	}
	v, _ := of.estimate(unit)
	if !c.Has("over") {
		return s.convert(of, v.Center, unit, c)
	}
	var all []*benchmark
	for _, pkg := range c.List("over") {
		b, err2 := find(pkg, cmp.Or(c.Get("overbench"), name))
		if err = cmp.Or(err, err2); b != nil {
			all = append(all, b)
		}
	}
	over, base := fastest(all, unit)
	if over == nil {
		return "", err
	}
	ratio := estimate.Ratio(of.in(unit), over.in(unit))
	if ratio.Orders == 0 {
		ratio = apart(v, base)
	}
	switch c.Get("as") {
	case "":
		return fmt.Sprintf("%.2f", ratio.Center), nil
	case "change":
		return fmt.Sprintf("%.0f %%", 100*math.Abs(ratio.Center-1)), nil
	}
	return "", fmt.Errorf("as is %q; want change, or none for the ratio", c.Get("as"))
}

// convert writes a figure of a benchmark by itself; of cycles, percent and ipc the
// sentence has the unit.
func (s *Set) convert(b *benchmark, x float64, unit string, c *directive.Call) (string, error) {
	as, clock := c.Get("as"), 0.
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
		x *= float64(c.Int("per", 1)) / spheresOf(b)
		fallthrough
	case "ray cycles":
		if x *= clock; x < 100 {
			return fmt.Sprintf("%.1f", x), nil
		}
		return humanize.Comma(int64(math.Round(x))), nil
	case "ipc":
		count, there := s.figure(b.counted(), "instructions/ray")
		if !there {
			return "", &NotMeasuredError{s.Name, "instructions/ray of " + b.id.String()}
		}
		return fmt.Sprintf("%.2f", count.Center/(x*clock*coresOf(b))), nil
	case "peak":
		peak := id{Package("scripts/peak"), "Peak/op=" + cmp.Or(c.Get("peak"), "mul-add/bits=32"), ""}
		most, there := s.figure(peak, "flop/s")
		switch {
		case !c.Has("flops"):
			return "", errors.New("flops is missing; want the number of operations for a sphere, for a share of the peak")
		case !there:
			return "", &NotMeasuredError{s.Name, peak.String()}
		}
		return fmt.Sprintf("%.0f %%", 100*spheresOf(b)*float64(c.Int("flops", 1))/x/most.Center/coresOf(b)), nil
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
