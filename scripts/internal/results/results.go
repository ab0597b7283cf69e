// Package results reads files of measurements and turns them into tables.
//
// A file is in the Go benchmark format, as scripts/bench writes it. Each line is
// what one launch says of one benchmark; configuration lines number the launch
// and its link order. In a launch all benchmarks of a group, such as the steps in
// a scene, took slices in turns, so their ratio is formed launch by launch, and
// package estimate makes a figure with an interval of these ratios.
package results

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
	"golang.org/x/perf/benchfmt"

	"raysteps/common/answers"
	"raysteps/scripts/internal/estimate"
	"raysteps/scripts/internal/steps"
)

// Keys of the configuration lines that number a launch and the link order of its
// program, both from 1.
const (
	LinkOrderKey = "link-order"
	LaunchKey    = "launch"
)

// Again is the benchmark package under which a copy of the first step is
// measured, linked at another place: what it differs by is noise.
func Again(s steps.Step) string { return s.Package() + "/again" }

// Key names a benchmark: the import path of its package and its name without
// "Benchmark" and without the number of processors.
type Key struct {
	Package, Name string
}

// part is one of the keys of a name and its value.
type part struct{ key, value string }

// parts splits "ray=value/n=46" behind the benchmark's own name. A part without =
// is a value without a key.
func (k Key) parts() []part {
	_, rest, _ := strings.Cut(k.Name, "/")
	var parts []part
	for text := range strings.SplitSeq(rest, "/") {
		key, value, ok := strings.Cut(text, "=")
		if !ok {
			key, value = "", text
		}
		parts = append(parts, part{key, value})
	}
	return parts
}

// checkNumbers returns an error if a number in the name is none. The names of
// experiments may have words.
func (k Key) checkNumbers() error {
	for _, prefix := range []string{spheresPrefix, sweepPrefix, schedulePrefix} {
		for _, part := range k.parts() {
			if n, err := strconv.Atoi(part.value); strings.HasPrefix(k.Name, prefix) && slices.Contains([]string{"spheres", "tile", "workers"}, part.key) && (err != nil || n < 1) {
				return fmt.Errorf("a benchmark has %s=%s; want a whole number of at least 1", part.key, part.value)
			}
		}
	}
	return nil
}

func (k Key) String() string { return strings.TrimSpace(k.Package + " " + k.Name) }

// Set is the content of one file.
type Set struct {
	Name   string            // of the file, for messages
	Config map[string]string // of the last measurement: cpu, goversion, size and so on
	keys   []Key
	kernel map[string]string                // of packages that ran another kernel than their own
	values map[Key]map[string][]measurement // by unit, in the order of the file
}

// measurement is what one launch says.
type measurement struct {
	launch, order int
	value         float64
}

// ReadFile reads a file of measurements.
func ReadFile(name string) (*Set, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("results %q: %w", name, err)
	}
	defer f.Close()
	return Read(f, name)
}

// Read reads measurements; the name is for messages. A line that looks like a
// benchmark but is none is an error, and so are one without its launch and link
// order, and a file without any.
func Read(r io.Reader, name string) (*Set, error) {
	set := &Set{Name: name, Config: map[string]string{}, values: map[Key]map[string][]measurement{}}
	reader := benchfmt.NewReader(r, name)
	for reader.Scan() {
		switch rec := reader.Result().(type) {
		case *benchfmt.SyntaxError:
			_, line := rec.Pos()
			return nil, fmt.Errorf("results %q: line %d: %s; want the Go benchmark format", name, line, rec.Msg)
		case *benchfmt.Result:
			if err := set.add(rec); err != nil {
				_, line := rec.Pos()
				return nil, fmt.Errorf("results %q: line %d: %w", name, line, err)
			}
		}
	}
	if err := reader.Err(); err != nil {
		return nil, fmt.Errorf("results %q: %w", name, err)
	}
	if len(set.keys) == 0 {
		return nil, fmt.Errorf("results %q: no measurements; want a file in the Go benchmark format, as scripts/bench writes it", name)
	}
	return set, nil
}

func (s *Set) add(r *benchfmt.Result) error {
	launch, err := strconv.Atoi(r.GetConfig(LaunchKey))
	order, err2 := strconv.Atoi(r.GetConfig(LinkOrderKey))
	if cmp.Or(err, err2) != nil {
		return errors.New("no launch and link order: it was not written by this version of scripts/bench; want it measured again, with go run ./scripts/bench")
	}
	key := Key{r.GetConfig("pkg"), BenchmarkName(r.Name)}
	if err := key.checkNumbers(); err != nil {
		return err
	}
	build := r.GetConfig(BuildConfig)
	if build != "" {
		key.Name += buildKey + build
	}
	units := s.values[key]
	if units == nil {
		units = map[string][]measurement{}
		s.values[key] = units
		s.keys = append(s.keys, key)
	}
	for _, v := range r.Values {
		units[v.Unit] = append(units[v.Unit], measurement{launch, order, v.Value})
	}
	if kernel := r.GetConfig("kernel"); kernel != "" {
		if s.kernel == nil {
			s.kernel = map[string]string{}
		}
		s.kernel[key.Package] = kernel
	}
	for _, c := range r.Config {
		s.Config[c.Key] = string(c.Value)
	}
	if build != "" { // no build stands for all
		for _, name := range []string{"goamd64", "pgo"} {
			delete(s.Config, name)
		}
	}
	return nil
}

// BuildConfig is the key of the line that names a build, in a file that compares
// several.
const BuildConfig = "build"

// BenchmarkName returns the name of a benchmark without "-8", the number of
// processors.
func BenchmarkName(n benchfmt.Name) string {
	base, parts := n.Parts()
	name := string(base)
	for _, p := range parts {
		if p[0] != '-' {
			name += string(p)
		}
	}
	return name
}

// Keys lists the benchmarks in the order of the file.
func (s *Set) Keys() []Key { return slices.Clone(s.keys) }

// measurements returns those of a benchmark in a unit, one a launch.
func (s *Set) measurements(key Key, unit string) ([]measurement, error) {
	units, ok := s.values[key]
	if !ok {
		return nil, s.notMeasured(key.Package, key.Name, "")
	}
	measured := units[unit]
	if len(measured) == 0 {
		return nil, fmt.Errorf("results %q: %s: no values in %s", s.Name, key, unit)
	}
	return measured, nil
}

// NotMeasuredError says that a set does not hold a benchmark.
type NotMeasuredError struct {
	Package   string
	Benchmark string // without those of sub-benchmarks: "Render"
	text      string
}

func (e *NotMeasuredError) Error() string { return e.text }

// notMeasured returns the error, with a hint at its end.
func (s *Set) notMeasured(pkg, name, hint string) error {
	benchmark, _, _ := strings.Cut(name, "/")
	return &NotMeasuredError{pkg, benchmark, fmt.Sprintf("results %q: no benchmark %q of package %s%s", s.Name, name, pkg, hint)}
}

// Estimate returns a benchmark's figure in a unit, with its interval.
func (s *Set) Estimate(key Key, unit string) (estimate.Estimate, error) {
	measured, err := s.measurements(key, unit)
	if err != nil {
		return estimate.Estimate{}, err
	}
	return estimateOf(measured), nil
}

// estimateOf is that of measurements. Counts, which may be 0, have no ratios:
// theirs is a point, the median. So is what was the same in several launches.
func estimateOf(measured []measurement) estimate.Estimate {
	var launches []estimate.Launch
	var values []float64
	for _, m := range measured {
		launches = append(launches, estimate.Launch{Order: m.order, Log: math.Log(m.value)})
		values = append(values, m.value)
	}
	slices.Sort(values)
	if middle := values[len(values)/2]; values[0] <= 0 || len(values) > 1 && values[0] == values[len(values)-1] {
		return estimate.Estimate{Center: middle, Lo: middle, Hi: middle}
	}
	return estimate.Of(launches)
}

// Ratio returns a/b, formed launch by launch, and its interval. Launches that
// hold one of the two only do not count.
func (s *Set) Ratio(a, b Key, unit string) (estimate.Estimate, error) {
	launches, err := s.ratios(a, b, unit)
	if err != nil {
		return estimate.Estimate{}, err
	}
	return estimate.Of(launches), nil
}

// ratios returns a/b of each launch that holds both.
func (s *Set) ratios(a, b Key, unit string) ([]estimate.Launch, error) {
	numerators, err := s.measurements(a, unit)
	if err != nil {
		return nil, err
	}
	denominators, err := s.measurements(b, unit)
	if err != nil {
		return nil, err
	}
	inLaunch := map[int]float64{}
	for _, m := range denominators {
		inLaunch[m.launch] = m.value
	}
	var launches []estimate.Launch
	for _, m := range numerators {
		if value, ok := inLaunch[m.launch]; ok {
			launches = append(launches, estimate.Launch{Order: m.order, Log: math.Log(m.value / value)})
		}
	}
	if len(launches) == 0 {
		return nil, fmt.Errorf("results %q: %s and %s were never measured in the same launch", s.Name, a, b)
	}
	return launches, nil
}

// ByLinkOrder returns a/b of each link order, the geometric mean of its launches,
// in the order of their numbers.
func (s *Set) ByLinkOrder(a, b Key, unit string) ([]float64, error) {
	launches, err := s.ratios(a, b, unit)
	if err != nil {
		return nil, err
	}
	sums, counts := map[int]float64{}, map[int]int{}
	for _, l := range launches {
		sums[l.Order] += l.Log
		counts[l.Order]++
	}
	var all []float64
	for _, order := range slices.Sorted(maps.Keys(sums)) {
		all = append(all, math.Exp(sums[order]/float64(counts[order])))
	}
	return all, nil
}

// undecided stands in a table in place of a figure whose interval says too
// little for it.
const undecided = "undecided"

// FormatValue writes a figure and the half width of its interval: "503.1k ± 1%".
// A count that was the same every time stands alone.
func FormatValue(v estimate.Estimate, unit string) string {
	switch half := 100 * v.HalfWidth(); {
	case v.Lo == v.Hi && !strings.HasPrefix(unit, "sec") && !strings.HasSuffix(unit, "/s"):
		return exact(v.Center)
	case v.Lo == v.Hi:
		return Format(v.Center, unit)
	case math.IsInf(half, 0):
		return Format(v.Center, unit) + " ± ∞"
	case half < 9.95:
		return fmt.Sprintf("%s ± %.1f%%", Format(v.Center, unit), half)
	default:
		return fmt.Sprintf("%s ± %.0f%%", Format(v.Center, unit), half)
	}
}

// exact writes a count in full, 25236618 as 25,236,618, and anything else with
// four digits. A count that is a mean of equal ones may be off in its last bits.
func exact(value float64) string {
	if count := math.Round(value); math.Abs(value-count) <= 1e-12*math.Abs(value) {
		return humanize.Comma(int64(count))
	}
	return strconv.FormatFloat(value, 'g', 4, 64)
}

// FormatRatio writes a ratio and its interval, "1.084 (1.071 to 1.097)", with as
// many digits as the interval is worth. A ratio whose interval reaches further
// than 5 % to a side is called undecided: "undecided (0.93 to 1.14)".
func FormatRatio(v estimate.Estimate) string {
	if math.IsInf(v.Hi, 0) {
		return fmt.Sprintf("%.2f (± ∞)", v.Center)
	}
	digits := 2
	if v.Center < 10 && v.HalfWidth() < 0.02 {
		digits = 3
	}
	if v.Undecided() {
		return fmt.Sprintf("%s (%.*f to %.*f)", undecided, digits, v.Lo, digits, v.Hi)
	}
	return fmt.Sprintf("%.*f (%.*f to %.*f)", digits, v.Center, digits, v.Lo, digits, v.Hi)
}

// formatBetween writes the deviation between link orders, or nothing where none
// can be told.
func formatBetween(v estimate.Estimate) string {
	if v.Repeated < 2 {
		return ""
	}
	return fmt.Sprintf("%.1f%%", 100*v.Between)
}

// RenderKey names a step's benchmark of one scene.
func RenderKey(pkg, scene string) Key { return Key{pkg, scenePrefix + scene} }

// Steps returns the table of one scene: every given step that the set holds,
// with the speed against the first step and the step that it goes on from, what
// the latter differs by between link orders, and at the end a copy of the first
// step, linked at another place. A speed-up whose other side was not measured is
// left empty. It is an error if the set holds none of the steps.
//
// Time and rays are those of a picture of 1280x720 with 10 samples a pixel. The
// rays are known; the time follows from them and the rate.
func (s *Set) Steps(scene string, list []steps.Step) (Table, error) {
	t := s.newTable().right("step").left("what changes").right("time", "rays", "rays/s", "speed-up over step 1", "over the step before", "between link orders")
	first := steps.All()[0]
	for _, step := range list {
		key := RenderKey(step.Package(), scene)
		if !s.Has(key) {
			continue
		}
		rays, known := answers.Rays(step.Name, scene)
		time := func(rate estimate.Estimate) string { return Format(float64(rays)/rate.Center, "sec/op") }
		t.text(step.Short(), step.Label+s.OtherKernel(step))
		if rate, err := s.Estimate(key, "rays/s"); known {
			t.cell(time, rate, err).text(exact(float64(rays)))
		} else {
			t.text("", "")
		}
		before, _ := step.Before() // the first step has none, and two empty cells
		base := RenderKey(before.Package(), scene)
		t.value(key, "rays/s").ratio(key, RenderKey(first.Package(), scene), "rays/s", FormatRatio)
		t.ratio(key, base, "rays/s", FormatRatio).ratio(key, base, "rays/s", formatBetween).end()
	}
	if key := RenderKey(Again(first), scene); s.Has(key) && len(t.table.Rows) > 0 {
		base := RenderKey(first.Package(), scene)
		t.text("1", "the same code at another place: the noise", "", "").value(key, "rays/s")
		t.ratio(key, base, "rays/s", FormatRatio).text("").ratio(key, base, "rays/s", formatBetween).end()
	}
	return t.done(fmt.Errorf("results %q: scene %q was not measured with any of these steps; it holds %s",
		s.Name, scene, cmp.Or(strings.Join(s.Scenes(), ", "), "no scene")))
}

// Summary returns one table of the given scenes side by side: every given step that
// the set holds, with its rate and its speed against the first step, and no
// intervals, which the tables of Steps have.
func (s *Set) Summary(scenes []string, list []steps.Step) (Table, error) {
	t := s.newTable().right("step").left("what changes")
	for _, scene := range scenes {
		t.right(scene+", rays/s", "speed-up")
	}
	rate := func(e estimate.Estimate) string { return Format(e.Center, "rays/s") }
	first := steps.All()[0]
	for _, step := range list {
		if !slices.ContainsFunc(scenes, func(scene string) bool { return s.Has(RenderKey(step.Package(), scene)) }) {
			continue
		}
		t.text(step.Short(), step.Label+s.OtherKernel(step))
		for _, scene := range scenes {
			key := RenderKey(step.Package(), scene)
			if !s.Has(key) {
				t.text("", "")
				continue
			}
			e, err := s.Estimate(key, "rays/s")
			t.cell(rate, e, err).ratio(key, RenderKey(first.Package(), scene), "rays/s", shortRatio)
		}
		t.end()
	}
	return t.done(fmt.Errorf("results %q: none of these steps was measured", s.Name))
}

// shortRatio writes a ratio alone, unless its interval says too little for it.
func shortRatio(v estimate.Estimate) string {
	if v.Undecided() {
		return undecided
	}
	if v.Center < 9.995 {
		return fmt.Sprintf("%.2f", v.Center)
	}
	return fmt.Sprintf("%.1f", v.Center)
}

// Noise returns a copy of the first step against the first step in a scene.
func (s *Set) Noise(scene string) (estimate.Estimate, error) {
	first := steps.All()[0]
	return s.Ratio(RenderKey(Again(first), scene), RenderKey(first.Package(), scene), "rays/s")
}

// noiseLimit is what the noise row may differ from 1 by, when its interval says
// that it differs.
const noiseLimit = 0.01

// Noisy returns an error if the same code at two places is told apart by more
// than 1 % in a scene: then so is other code that is the same.
func (s *Set) Noisy() error {
	for _, scene := range s.Scenes() {
		e, err := s.Noise(scene)
		if err != nil {
			continue // it was not measured
		}
		if e.Excludes(1) && math.Abs(e.Center-1) > noiseLimit {
			return fmt.Errorf("in the %s scene the same code at two places differs: %s; want it measured again, on a machine that has nothing else to do", scene, FormatRatio(e))
		}
	}
	return nil
}

// Doubts says in lines why the measurements may be in doubt: the noise row, or
// launches that contradict each other.
func (s *Set) Doubts() []string {
	// Which of the two it is, the measurements do not tell.
	const unsteady = "The machine was not quiet, or runs the same code now faster, now slower: "
	var lines []string
	if err := s.Noisy(); err != nil {
		lines = append(lines, "The machine is noisy: "+err.Error())
	}
	for _, scene := range s.Scenes() {
		if e, err := s.Noise(scene); err == nil && e.Undecided() && !math.IsInf(e.HalfWidth(), 1) {
			lines = append(lines, fmt.Sprintf(unsteady+"in the %s scene the noise row reaches %.0f %% to a side; want more link orders, such as -orders %d", scene, 100*e.HalfWidth(), 4*e.Orders))
			break
		}
	}
	disturbed, compared := 0, 0
	for _, scene := range s.Scenes() {
		for _, step := range steps.All() {
			before, _ := step.Before() // what the first step has was not measured
			e, err := s.Ratio(RenderKey(step.Package(), scene), RenderKey(before.Package(), scene), "rays/s")
			if err != nil || e.Repeated < 2 {
				continue
			}
			compared++
			if e.Disturbed() {
				disturbed++
			}
		}
	}
	if 4*disturbed > compared {
		lines = append(lines, fmt.Sprintf(unsteady+"in %d of %d comparisons launches of the same link order disagree by more than they do elsewhere; want it measured again, or in more link orders", disturbed, compared))
	}
	return lines
}

// OtherKernel marks a step that was measured with another kernel than the one
// that it is about, so that its figures do not pass for those of that one.
func (s *Set) OtherKernel(step steps.Step) string {
	switch kernel := s.kernel[step.Package()]; kernel {
	case "":
		return ""
	case "plain":
		return ", in plain Go"
	default:
		return ", as " + kernel
	}
}

// Scenes lists the scenes that were measured, in the order of the file.
func (s *Set) Scenes() []string { return s.Values("scene") }

// Values lists the values that a key of the benchmarks' names has, in the order of
// the file: large, for one, is a value of scene in "Render/scene=large".
func (s *Set) Values(key string) []string {
	var all []string
	for _, k := range s.keys {
		for _, part := range k.parts() {
			if part.key == key && !slices.Contains(all, part.value) {
				all = append(all, part.value)
			}
		}
	}
	return all
}

// Numbers lists the same in ascending order, of a key whose values are numbers:
// spheres, tile or workers.
func (s *Set) Numbers(key string) []int {
	var all []int
	for _, value := range s.Values(key) {
		if n, err := strconv.Atoi(value); err == nil {
			all = append(all, n)
		}
	}
	slices.Sort(all)
	return all
}

// All returns a table of every benchmark in the set, in every unit.
func (s *Set) All() Table {
	t := s.newTable().left("package", "benchmark").right("figure").left("unit")
	for _, key := range s.keys {
		for _, unit := range slices.Sorted(maps.Keys(s.values[key])) {
			t.text(key.Package, key.Name).value(key, unit).text(unit).end()
		}
	}
	return t.table
}
