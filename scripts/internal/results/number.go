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
	"raysteps/scripts/internal/steps"
)

// NumberSpec is a figure in a sentence.
type NumberSpec struct {
	Of    string // a package
	Name  string // of the benchmark, without "Benchmark"
	Unit  string
	Over  []string // packages, of which the fastest counts; empty for a figure by itself
	Whose string   // Name of what it is over, if that is another
	As    string   // see [Set.Number]

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
//   - difference: the difference, in the unit
//   - sphere difference, cycles difference: of the times of a sphere
//   - crossing: from how many spheres on it is faster
func (s *Set) Number(n NumberSpec) (string, error) {
	get := func(pkg, name string) (*benchmark, estimate.Estimate, error) {
		b := s.index[id{Package(pkg), name, ""}]
		if b == nil {
			return nil, estimate.Estimate{}, &NotMeasuredError{s.Name, Package(pkg) + " " + name}
		}
		sample := b.sample(n.Unit)
		if len(sample.values) == 0 {
			return nil, estimate.Estimate{}, fmt.Errorf("results %q: %s has no values in %s", s.Name, b.id, n.Unit)
		}
		return b, sample.estimate(), nil
	}
	if n.As == "crossing" && len(n.Over) == 1 {
		v, err := s.crossing(Package(n.Of), Package(n.Over[0]), n.Unit)
		return formatSpheres(v.Center), err
	}
	of, v, err := get(n.Of, n.Name)
	if err != nil {
		return "", err
	}
	quantity, relation, _ := strings.Cut(n.As, " ")
	if len(n.Over) == 0 {
		switch n.As {
		case "ipc":
			return s.ipc(of, v.Center)
		case "peak":
			return s.shareOfPeak(of, v.Center, n)
		}
		return s.format(of, v.Center, n.Unit, n.As)
	}
	if relation == "" && slices.Contains([]string{"limit", "change", "share", "difference"}, quantity) {
		quantity, relation = "", quantity
	}
	var over *benchmark
	var base estimate.Estimate
	for _, pkg := range n.Over {
		name := n.Whose
		if name == "" {
			name = n.Name
		}
		b, w, err := get(pkg, name)
		if none := (*NotMeasuredError)(nil); errors.As(err, &none) && len(n.Over) > 1 {
			continue
		}
		if err != nil {
			return "", err
		}
		if over == nil || w.Center > base.Center {
			over, base = b, w
		}
	}
	if over == nil {
		return "", &NotMeasuredError{s.Name, strings.Join(n.Over, " or ") + " " + n.Name}
	}
	if relation == "difference" {
		a, unit, err := s.convert(of, v.Center, n.Unit, quantity)
		b, _, err2 := s.convert(over, base.Center, n.Unit, quantity)
		if err = errors.Join(err, err2); err != nil {
			return "", err
		}
		if unit == "cycles" {
			return formatCycles(math.Abs(a - b)), nil
		}
		return Format(math.Abs(a-b), unit), nil
	}
	ratio := estimate.Ratio(of.sample(n.Unit).launches, over.sample(n.Unit).launches)
	if ratio.Launches == 0 { // they were measured apart
		ratio = estimate.Estimate{Center: v.Center / base.Center, Lo: v.Lo / base.Hi, Hi: v.Hi / base.Lo, Launches: 1}
	}
	switch {
	case quantity != "":
		return "", fmt.Errorf("as is %q; want limit, change, share, difference, sphere difference, cycles difference or crossing", n.As)
	case relation == "limit":
		return fmt.Sprintf("%.1f %%", 100*max(ratio.Hi-1, 1-ratio.Lo)), nil
	case relation == "change":
		return fmt.Sprintf("%.0f %%", 100*math.Abs(ratio.Center-1)), nil
	case relation == "share":
		return fmt.Sprintf("%.0f %%", 100*ratio.Center), nil
	}
	return fmt.Sprintf("%.2f", ratio.Center), nil
}

func (s *Set) format(b *benchmark, value float64, unit, as string) (string, error) {
	value, unit, err := s.convert(b, value, unit, as)
	if err != nil {
		return "", err
	}
	if unit == "cycles" {
		return formatCycles(value), nil
	}
	return Format(value, unit), nil
}

// formatCycles writes a number of cycles, whose unit the sentence has: 11.9, or 6,230.
func formatCycles(n float64) string {
	if n < 100 {
		return fmt.Sprintf("%.1f", n)
	}
	return humanize.Comma(int64(math.Round(n)))
}

// ipc returns the instructions that a core executes in a cycle at a rate of rays.
func (s *Set) ipc(b *benchmark, rate float64) (string, error) {
	count, there := s.figure(id{b.pkg, strings.Replace(b.name, "Render", "Count", 1), b.build}, "instructions/ray")
	if !there {
		return "", &NotMeasuredError{s.Name, "instructions/ray of " + b.id.String()}
	}
	cycles, _, err := s.convert(b, rate, "rays/s", "ray cycles")
	if err != nil {
		return "", err
	}
	cores, err := coresOf(b)
	return fmt.Sprintf("%.2f", count.Center/cycles/cores), err
}

// shareOfPeak returns which share of the operations that its cores could do are those
// of a render on spheres, at a rate of rays.
func (s *Set) shareOfPeak(b *benchmark, rate float64, n NumberSpec) (string, error) {
	peak := id{Package("scripts/peak"), "Peak/op=" + cmp.Or(n.Peak, "mul-add/bits=32"), ""}
	most, there := s.figure(peak, "flop/s")
	switch {
	case !there:
		return "", &NotMeasuredError{s.Name, peak.String()}
	case n.Flops < 1 || spheresOf(b) == 0 || !strings.HasSuffix(n.Unit, "rays/s"):
		return "", fmt.Errorf("a share of the peak is that of a render of a scene; want flops, the operations for a sphere, and a scene")
	}
	cores, err := coresOf(b)
	return fmt.Sprintf("%.0f %%", 100*rate*float64(n.Flops*spheresOf(b))/most.Center/cores), err
}

// coresOf returns how many cores render.
func coresOf(b *benchmark) (float64, error) {
	if step, ok := stepOf(b); !ok || !step.Workers {
		return 1, nil
	}
	n, err := strconv.Atoi(b.line.GetConfig("gomaxprocs"))
	if err != nil {
		return 0, fmt.Errorf("%s: gomaxprocs is %q; want the number of cores", b.id, b.line.GetConfig("gomaxprocs"))
	}
	return float64(n), nil
}

// convert returns a figure as what As says of a benchmark by itself.
func (s *Set) convert(b *benchmark, value float64, unit, as string) (float64, string, error) {
	if as == "" {
		return value, unit, nil
	}
	if strings.HasSuffix(unit, "/s") {
		value, unit = 1/value, "sec/op"
	}
	if as == "ray" {
		return value, unit, nil
	}
	spheres := spheresOf(b)
	if spheres == 0 {
		spheres, _ = strconv.Atoi(partOf(b, "/spheres") + partOf(b, "/n"))
	}
	if as == "ray cycles" {
		spheres, as = 1, "cycles"
	}
	switch {
	case as != "sphere" && as != "cycles":
		return 0, "", fmt.Errorf("as is %q; want ray, sphere, cycles, ray cycles, ipc or peak", as)
	case spheres == 0:
		return 0, "", fmt.Errorf("%s has no number of spheres", b.id)
	case as == "sphere":
		return value / float64(spheres), unit, nil
	}
	clock, err := strconv.ParseFloat(strings.TrimSuffix(b.line.GetConfig("cpu-clock"), " GHz"), 64)
	if err != nil {
		return 0, "", fmt.Errorf("results %q: cpu-clock is %q; want it as 4.10 GHz, for cycles", s.Name, b.line.GetConfig("cpu-clock"))
	}
	return value / float64(spheres) * clock * 1e9, "cycles", nil
}

// crossing returns from how many spheres on a package is faster than another, and
// the interval. In each launch it is the last place where the ratio passes 1, on a
// line between two measurements on logarithmic axes.
func (s *Set) crossing(pkg, over, unit string) (estimate.Estimate, error) {
	type place struct {
		spheres int
		ratios  []estimate.Launch
	}
	var places []place
	for _, b := range s.benchmarks {
		base := s.index[id{over, b.name, b.build}]
		if n, err := strconv.Atoi(partOf(b, "/spheres")); err == nil && b.pkg == pkg && base != nil {
			p := place{spheres: n}
			others := base.sample(unit).launches
			for i, l := range b.sample(unit).launches {
				if i >= len(others) || others[i].Order != l.Order {
					return estimate.Estimate{}, fmt.Errorf("results %q: %s and %s were not measured in the same launches", s.Name, b.id, base.id)
				}
				p.ratios = append(p.ratios, estimate.Launch{Order: l.Order, Log: l.Log - others[i].Log})
			}
			places = append(places, p)
		}
	}
	slices.SortFunc(places, func(a, b place) int { return a.spheres - b.spheres })
	none := fmt.Errorf("results %q: there is no number of spheres from which on %s is faster than %s", s.Name, pkg, over)
	last := len(places) - 1
	if last < 1 {
		return estimate.Estimate{}, &NotMeasuredError{s.Name, pkg + " and " + over + " by number of spheres"}
	}
	crossings := slices.Clone(places[0].ratios)
	for j := range crossings {
		i := last
		for i > 0 && places[i-1].ratios[j].Log > 0 && places[last].ratios[j].Log > 0 {
			i--
		}
		at := math.Log(float64(places[i].spheres))
		if i > 0 && places[i].ratios[j].Log > 0 {
			above, below := places[i].ratios[j].Log, places[i-1].ratios[j].Log
			at -= (at - math.Log(float64(places[i-1].spheres))) * above / (above - below)
		}
		crossings[j].Log = at
	}
	v := estimate.Of(crossings)
	if v.Center < float64(places[0].spheres)*1.000001 || v.Center > float64(places[last].spheres)/1.000001 {
		return v, none
	}
	return v, nil
}

// formatSpheres writes a number of spheres with two digits: 3.1, 230 or 1,500.
func formatSpheres(n float64) string {
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(n, 'e', 1, 64), 64)
	return humanize.Commaf(rounded)
}

// Rates has the rates of the steps in a scene, for a race at their speeds.
type Rates struct {
	Steps   []Rate
	Caption string
}

// Rate is that of a step, and its ratios to those before it.
type Rate struct {
	Step   steps.Step
	Center float64
	Over   []string
}

// Rates returns the rates of the steps in a scene.
func (s *Set) Rates(scene string) (Rates, error) {
	list, err := s.choose(Query{Bench: "Render", Where: "/scene:" + scene})
	if err != nil {
		return Rates{}, err
	}
	all := Rates{Caption: caption(list)}
	for i, b := range list {
		step, _ := stepOf(b)
		of := b.sample("rays/s")
		rate := Rate{Step: step, Center: of.estimate().Center}
		for _, other := range list[:i] {
			rate.Over = append(rate.Over, estimate.FormatRatio(estimate.Ratio(of.launches, other.sample("rays/s").launches)))
		}
		all.Steps = append(all.Steps, rate)
	}
	return all, nil
}
