package results

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"

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

	Per   int    // of As sphere and cycles: of so many spheres; 1 if it is 0
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
//   - limit: how far the interval of the ratio reaches from 1, in percent
//   - change: the ratio less 1, in percent
//   - share: the ratio in percent
//   - difference, sphere difference, cycles difference: of the figures, of the times
//     of a sphere, or of its cycles
//   - crossing: from how many spheres on it is faster
func (s *Set) Number(n NumberSpec) (string, error) {
	if n.As == "crossing" && len(n.Over) == 1 {
		return s.crossing(Package(n.Of), Package(n.Over[0]), n.Unit)
	}
	of, v, err := s.find(n.Of, n.Name, n.Unit)
	if err != nil {
		return "", err
	}
	if len(n.Over) == 0 {
		x, unit, err := s.convert(of, v.Center, n, n.As)
		return formatNumber(x, unit), err
	}
	var over *benchmark
	var base estimate.Estimate
	for _, pkg := range n.Over {
		b, w, err2 := s.find(pkg, cmp.Or(n.Whose, n.Name), n.Unit)
		if over == nil || b != nil && w.Center > base.Center {
			over, base, err = b, w, err2
		}
	}
	if over == nil {
		return "", err
	}
	quantity, relation, _ := strings.Cut(n.As, " ")
	if relation == "" {
		quantity, relation = "", quantity
	}
	if relation == "difference" {
		x, unit, err := s.convert(of, v.Center, n, quantity)
		y, _, err2 := s.convert(over, base.Center, n, quantity)
		return formatNumber(math.Abs(x-y), unit), errors.Join(err, err2)
	}
	ratio := estimate.Ratio(of.in(n.Unit), over.in(n.Unit))
	if ratio.Orders == 0 {
		ratio = apart(v, base)
	}
	switch n.As {
	case "":
		return fmt.Sprintf("%.2f", ratio.Center), nil
	case "limit":
		return fmt.Sprintf("%.1f %%", 100*max(ratio.Hi-1, 1-ratio.Lo)), nil
	case "change":
		return fmt.Sprintf("%.0f %%", 100*math.Abs(ratio.Center-1)), nil
	case "share":
		return fmt.Sprintf("%.0f %%", 100*ratio.Center), nil
	}
	return "", fmt.Errorf("as is %q; want limit, change, share, difference, sphere difference, cycles difference or crossing", n.As)
}

// find returns a benchmark and what it says in a unit.
func (s *Set) find(pkg, name, unit string) (*benchmark, estimate.Estimate, error) {
	b := s.index[id{Package(pkg), name, ""}]
	if b == nil {
		return nil, estimate.Estimate{}, &NotMeasuredError{s.Name, Package(pkg) + " " + name}
	}
	v, there := b.estimate(unit)
	if !there {
		return nil, v, fmt.Errorf("results %q: %s has no values in %s", s.Name, b.id, unit)
	}
	return b, v, nil
}

// formatNumber writes a figure; of cycles, percent and ipc the sentence has the unit.
func formatNumber(x float64, unit string) string {
	switch {
	case unit == "ipc":
		return fmt.Sprintf("%.2f", x)
	case unit == "%":
		return fmt.Sprintf("%.0f %%", x)
	case unit == "cycles" && x < 100:
		return fmt.Sprintf("%.1f", x)
	case unit == "cycles":
		return humanize.Comma(int64(math.Round(x)))
	}
	return Format(x, unit)
}

// convert returns a figure as what As says of a benchmark by itself.
func (s *Set) convert(b *benchmark, x float64, n NumberSpec, as string) (float64, string, error) {
	unit, spheres := n.Unit, spheresOf(b)/float64(max(n.Per, 1))
	if as != "" && strings.HasSuffix(unit, "/s") {
		x, unit = 1/x, "sec/op"
	}
	switch as {
	case "", "ray":
		return x, unit, nil
	case "sphere":
		return x / spheres, unit, nil
	case "cycles", "ray cycles":
		if as == "ray cycles" {
			spheres = 1
		}
		clock, err := s.clockOf(b)
		return x / spheres * clock, "cycles", err
	case "ipc":
		count, there := s.figure(b.counted(), "instructions/ray")
		if !there {
			return 0, "", &NotMeasuredError{s.Name, "instructions/ray of " + b.id.String()}
		}
		clock, err := s.clockOf(b)
		return count.Center / (x * clock * coresOf(b)), "ipc", err
	case "peak":
		peak := id{Package("scripts/peak"), "Peak/op=" + cmp.Or(n.Peak, "mul-add/bits=32"), ""}
		most, there := s.figure(peak, "flop/s")
		switch {
		case n.Flops < 1:
			return 0, "", errors.New("flops is missing; want the number of operations for a sphere, for a share of the peak")
		case !there:
			return 0, "", &NotMeasuredError{s.Name, peak.String()}
		}
		return 100 * spheres * float64(n.Flops) / x / most.Center / coresOf(b), "%", nil
	}
	return 0, "", fmt.Errorf("as is %q; want ray, sphere, cycles, ray cycles, ipc or peak", as)
}

// coresOf returns how many cores render.
func coresOf(b *benchmark) float64 {
	n, err := strconv.ParseFloat(b.line.GetConfig("gomaxprocs"), 64)
	if b.step == nil || !b.step.Workers || err != nil {
		return 1
	}
	return n
}

// crossing returns from how many spheres on a package is faster than another: where
// the ratio last passes 1, on a line between two measurements on logarithmic axes.
func (s *Set) crossing(pkg, over, unit string) (string, error) {
	type place struct{ spheres, ratio float64 } // logarithms
	var places []place
	for _, b := range s.benchmarks {
		base := s.index[id{over, b.name, b.build}]
		if n, err := strconv.ParseFloat(partOf(b, "/spheres"), 64); err == nil && b.pkg == pkg && base != nil {
			places = append(places, place{math.Log(n), math.Log(estimate.Ratio(b.in(unit), base.in(unit)).Center)})
		}
	}
	if len(places) < 2 {
		return "", &NotMeasuredError{s.Name, pkg + " and " + over + " by number of spheres"}
	}
	slices.SortFunc(places, func(a, b place) int { return cmp.Compare(b.spheres, a.spheres) })
	i := slices.IndexFunc(places, func(p place) bool { return !(p.ratio > 0) })
	if i < 1 {
		return "", fmt.Errorf("results %q: there is no number of spheres from which on %s is faster than %s", s.Name, pkg, over)
	}
	above, below := places[i-1], places[i]
	at := math.Exp(above.spheres - (above.spheres-below.spheres)*above.ratio/(above.ratio-below.ratio))
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(at, 'e', 1, 64), 64) // 3.1, 230 or 1,500
	return humanize.Commaf(rounded), nil
}
