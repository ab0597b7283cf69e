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
	"raysteps/scripts/internal/estimate"
)

// NumberSpec is a figure in a sentence.
type NumberSpec struct {
	Of    string // a package
	Name  string // of the benchmark, without "Benchmark"
	Unit  string
	Over  []string // packages, of which the fastest counts; empty for a figure by itself
	Whose string   // Name of what it is over, if that is another
	As    string   // see [Set.Number]

	Per   int    // of As cycles: of so many spheres; 1 if it is 0
	Flops int    // of As peak: operations for a sphere
	Peak  string // of As peak: the benchmark of scripts/peak
}

// Number writes a figure. As says what it is of a benchmark by itself:
//
//   - "": the figure in its unit
//   - ray: the time of a ray, from a rate
//   - sphere: that time, or a count of a ray, divided by the number of spheres
//   - cycles: the same in cycles of the processor
//   - ray cycles: the time of a ray in cycles
//   - ipc: instructions that a core executes in a cycle, which are those counted of
//     a ray over the cycles of a ray
//   - peak: operations on spheres as a share of the peak of a core, in percent
//
// and of one over another:
//
//   - "": the ratio
//   - change: the ratio less 1, in percent
func (s *Set) Number(n NumberSpec) (string, error) {
	find := func(pkg, name string) (*benchmark, error) {
		b := s.index[id{Package(pkg), name, ""}]
		if b == nil {
			return nil, &NotMeasuredError{s.Name, Package(pkg) + " " + name}
		}
		if len(b.in(n.Unit)) == 0 {
			return nil, fmt.Errorf("results %q: %s has no values in %s", s.Name, b.id, n.Unit)
		}
		return b, nil
	}
	of, err := find(n.Of, n.Name)
	if err != nil {
		return "", err
	}
	v, _ := of.estimate(n.Unit)
	if len(n.Over) == 0 {
		return s.convert(of, v.Center, n)
	}
	var all []*benchmark
	for _, pkg := range n.Over {
		b, err2 := find(pkg, cmp.Or(n.Whose, n.Name))
		if err = cmp.Or(err, err2); b != nil {
			all = append(all, b)
		}
	}
	over, base := fastest(all, n.Unit)
	if over == nil {
		return "", err
	}
	ratio := estimate.Ratio(of.in(n.Unit), over.in(n.Unit))
	if ratio.Orders == 0 {
		ratio = apart(v, base)
	}
	switch n.As {
	case "":
		return fmt.Sprintf("%.2f", ratio.Center), nil
	case "change":
		return fmt.Sprintf("%.0f %%", 100*math.Abs(ratio.Center-1)), nil
	}
	return "", fmt.Errorf("as is %q; want change, or none for the ratio", n.As)
}

// convert writes a figure of a benchmark by itself; of cycles, percent and ipc the
// sentence has the unit.
func (s *Set) convert(b *benchmark, x float64, n NumberSpec) (string, error) {
	unit, clock := n.Unit, 0.
	if n.As != "" && strings.HasSuffix(unit, "/s") {
		x, unit = 1/x, "sec/op"
	}
	if n.As == "cycles" || n.As == "ray cycles" || n.As == "ipc" {
		ghz, err := strconv.ParseFloat(strings.TrimSuffix(b.line.GetConfig("cpu-clock"), " GHz"), 64)
		if err != nil {
			return "", &NotMeasuredError{s.Name, "cpu-clock, in GHz, beside " + b.id.String()}
		}
		clock = ghz * 1e9
	}
	switch n.As {
	case "", "ray":
		return Format(x, unit), nil
	case "sphere":
		return Format(x/spheresOf(b), unit), nil
	case "cycles":
		x *= float64(max(n.Per, 1)) / spheresOf(b)
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
		peak := id{Package("scripts/peak"), "Peak/op=" + cmp.Or(n.Peak, "mul-add/bits=32"), ""}
		most, there := s.figure(peak, "flop/s")
		switch {
		case n.Flops < 1:
			return "", errors.New("flops is missing; want the number of operations for a sphere, for a share of the peak")
		case !there:
			return "", &NotMeasuredError{s.Name, peak.String()}
		}
		return fmt.Sprintf("%.0f %%", 100*spheresOf(b)*float64(n.Flops)/x/most.Center/coresOf(b)), nil
	}
	return "", fmt.Errorf("as is %q; want ray, sphere, cycles, ray cycles, ipc or peak", n.As)
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
