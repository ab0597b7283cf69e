package results

import (
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"

	"raysteps/common/scene"
	"raysteps/scripts/internal/directive"
)

// Number writes a figure of a benchmark, from its directive, which readme describes.
// With over it is the ratio to the same benchmark, or overbench, of the fastest of those
// packages.
func (s *Set) Number(c *directive.Call) (string, error) {
	unit, name, scene := cmp.Or(c.Get("unit"), "rays/s"), cmp.Or(c.Get("bench"), "Render"), ""
	if c.Has("scene") {
		scene = "/scene=" + c.Get("scene")
	}
	of := s.index[id{Package(c.Get("of")), name + scene, ""}]
	if of == nil {
		return "", &NotMeasuredError{s.Name, Package(c.Get("of")) + " " + name + scene}
	}
	v, there := of.estimate(unit)
	if !there {
		return "", &NotMeasuredError{s.Name, of.id.String() + " in " + unit}
	}
	if !c.Has("over") {
		return s.convert(of, v.Center, unit, c)
	}
	ratio := math.Inf(1)
	for _, pkg := range c.List("over") {
		base := pkg + " " + cmp.Or(c.Get("overbench"), name) + scene
		if v, there, _ := s.quantity(of, Column{Unit: unit, Base: base}, nil); there {
			ratio = min(ratio, v.Center)
		}
	}
	switch {
	case math.IsInf(ratio, 0):
		return "", &NotMeasuredError{s.Name, c.Get("over") + " " + cmp.Or(c.Get("overbench"), name) + scene + ", in " + unit}
	case c.Get("as") == "":
		return fmt.Sprintf("%.2f", ratio), nil
	case c.Get("as") == "change":
		return fmt.Sprintf("%.0f %%", 100*math.Abs(ratio-1)), nil
	}
	return "", fmt.Errorf("as is %q; want change, or none for the ratio", c.Get("as"))
}

// convert writes a figure of a benchmark by itself; of cycles and percent the
// sentence has the unit.
func (s *Set) convert(b *benchmark, x float64, unit string, c *directive.Call) (string, error) {
	as, clock := c.Get("as"), 0.
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
	case "share":
		most, there := b.estimate("arithmetic-cycles/sphere")
		all, _ := b.estimate("cycles/sphere")
		if !there {
			return "", &NotMeasuredError{s.Name, "cycles/sphere of " + b.id.String()}
		}
		return fmt.Sprintf("%.0f %%", 100*most.Center/all.Center), nil
	}
	return "", fmt.Errorf("as is %q; want ray, sphere, cycles, ray cycles or share", as)
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
