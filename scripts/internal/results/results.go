// Package results reads files of measurements and turns them into tables.
//
// A file is in the Go benchmark format, as scripts/bench writes it: rounds
// one after the other, each with one measurement of every benchmark. So the
// i-th values of two benchmarks were taken close together in time, and their
// ratio is formed round by round, before the median: a machine that slows
// down for a minute slows both sides of a ratio. Reading, medians and
// intervals are those of golang.org/x/perf.
package results

import (
	"cmp"
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
	"golang.org/x/perf/benchmath"

	"raysteps/scripts/internal/steps"
)

// Confidence is the level of all intervals. Fewer than six values do not
// reach it, and their interval is unbounded.
const Confidence = 0.95

// Again is the benchmark package under which the first step is measured a
// second time, at the end of each round: the noise of the machine.
func Again(s steps.Step) string { return s.Package() + "/again" }

// Key names a benchmark: the import path of its package and its name without
// "Benchmark" and without the number of processors.
type Key struct {
	Package, Name string
}

func (k Key) String() string { return strings.TrimSpace(k.Package + " " + k.Name) }

// Set is the content of one file.
type Set struct {
	Name   string            // of the file, for messages
	Config map[string]string // of the last measurement: cpu, goversion, size and so on
	keys   []Key
	kernel map[string]string            // of packages that ran another kernel than their own
	values map[Key]map[string][]float64 // by unit, in the order of the file
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
// benchmark but is none is an error, and so are a file without any and one
// that mixes pictures of different sizes.
func Read(r io.Reader, name string) (*Set, error) {
	set := &Set{Name: name, Config: map[string]string{}, values: map[Key]map[string][]float64{}}
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
	for _, name := range []string{"size", "samples", "bounces"} {
		if before, now := s.Config[name], r.GetConfig(name); before != "" && now != "" && now != before {
			return fmt.Errorf("%s is %q after %q; want one throughout, since tables compare", name, now, before)
		}
	}
	key := Key{r.GetConfig("pkg"), benchmarkName(r.Name)}
	build := buildOf(r)
	if build != "" {
		key.Name += buildKey + build
	}
	units := s.values[key]
	if units == nil {
		units = map[string][]float64{}
		s.values[key] = units
		s.keys = append(s.keys, key)
	}
	for _, v := range r.Values {
		units[v.Unit] = append(units[v.Unit], v.Value)
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
		for _, name := range []string{"goamd64", "pgo", "bounds", "instrument"} {
			delete(s.Config, name)
		}
	}
	return nil
}

// buildOf names the settings of the compiler, "v1" or "v3+pgo+nobounds", in a
// file that compares some, which has the line bounds. So the sub-benchmark
// has another name for each.
func buildOf(r *benchfmt.Result) string {
	if r.GetConfig("bounds") == "" {
		return ""
	}
	build := r.GetConfig("goamd64")
	if r.GetConfig("pgo") == "on" {
		build += "+pgo"
	}
	if r.GetConfig("bounds") == "unchecked" {
		build += "+nobounds"
	}
	if r.GetConfig("instrument") == "on" {
		build += "+instrument"
	}
	return build
}

// benchmarkName drops "-8", the number of processors.
func benchmarkName(n benchfmt.Name) string {
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

// Values returns the measurements of a benchmark in a unit, one a round.
func (s *Set) Values(key Key, unit string) ([]float64, error) {
	units, ok := s.values[key]
	if !ok {
		return nil, s.notMeasured(key.Package, key.Name, "")
	}
	values := units[unit]
	if len(values) == 0 {
		return nil, fmt.Errorf("results %q: %s: no values in %s", s.Name, key, unit)
	}
	return values, nil
}

// NotMeasuredError says that a set does not hold a benchmark.
type NotMeasuredError struct {
	Package   string
	Benchmark string // its own name, without those of sub-benchmarks: "Render"
	text      string
}

func (e *NotMeasuredError) Error() string { return e.text }

// notMeasured returns the error, with a hint at its end.
func (s *Set) notMeasured(pkg, name, hint string) error {
	benchmark, _, _ := strings.Cut(name, "/")
	return &NotMeasuredError{pkg, benchmark, fmt.Sprintf("results %q: no benchmark %q of package %s%s", s.Name, name, pkg, hint)}
}

// Median returns the median of a benchmark's values and its interval.
func (s *Set) Median(key Key, unit string) (benchmath.Summary, error) {
	values, err := s.Values(key, unit)
	if err != nil {
		return benchmath.Summary{}, err
	}
	return median(values), nil
}

// Ratio returns the median of a/b, formed round by round, and its interval.
// The two benchmarks must have been measured equally often.
func (s *Set) Ratio(a, b Key, unit string) (benchmath.Summary, error) {
	num, err := s.Values(a, unit)
	if err != nil {
		return benchmath.Summary{}, err
	}
	den, err := s.Values(b, unit)
	if err != nil {
		return benchmath.Summary{}, err
	}
	if len(num) != len(den) {
		return benchmath.Summary{}, fmt.Errorf("results %q: %d values of %s and %d of %s; want one of each a round",
			s.Name, len(num), a, len(den), b)
	}
	ratios := make([]float64, len(num))
	for i := range num {
		ratios[i] = num[i] / den[i]
	}
	return median(ratios), nil
}

func median(values []float64) benchmath.Summary {
	sample := benchmath.NewSample(slices.Clone(values), &benchmath.DefaultThresholds)
	return benchmath.AssumeNothing.Summary(sample, Confidence)
}

// FormatValue writes a median and the half width of its interval:
// "503.1k ± 1%". A count that was the same every time stands
// alone.
func FormatValue(v benchmath.Summary, unit string) string {
	if v.Lo == v.Hi && !strings.HasPrefix(unit, "sec") && !strings.HasSuffix(unit, "/s") {
		return exact(v.Center)
	}
	return scale(v.Center, unit) + " ± " + v.PctRangeString()
}

// exact writes a count in full, 25236618 as 25,236,618, and anything else with
// four digits.
func exact(value float64) string {
	if value == math.Trunc(value) {
		return humanize.Comma(int64(value))
	}
	return strconv.FormatFloat(value, 'g', 4, 64)
}

// FormatRatio writes a ratio and its interval: "1.08 (1.07 to 1.09)".
func FormatRatio(v benchmath.Summary) string {
	if math.IsInf(v.Lo, 0) || math.IsInf(v.Hi, 0) {
		return fmt.Sprintf("%.2f (± ∞)", v.Center)
	}
	return fmt.Sprintf("%.2f (%.2f to %.2f)", v.Center, v.Lo, v.Hi)
}

// RenderKey names a step's benchmark of one scene.
func RenderKey(pkg, scene string) Key { return Key{pkg, scenePrefix + scene} }

// Steps returns the table of one scene: every given step that the set holds,
// with the speed against the first step and the step that it goes on from, and
// the first step against itself at the end. A speed-up whose other side was not
// measured is left empty. It is an error if the set holds none of the steps.
func (s *Set) Steps(scene string, list []steps.Step) (Table, error) {
	table := Table{
		Header: []string{"step", "what changes", "time", "rays", "rays/s", "speed-up over step 1", "over the step before"},
		Right:  []bool{true, false, true, true, true, true, true},
	}
	all := steps.All()
	first := RenderKey(all[0].Package(), scene)
	for _, step := range list {
		key := RenderKey(step.Package(), scene)
		if _, ok := s.values[key]; !ok {
			continue
		}
		row, err := s.measured(key)
		if err != nil {
			return Table{}, err
		}
		againstFirst, againstBefore := "", ""
		if before, ok := step.Before(); ok {
			if againstFirst, err = s.speedup(key, first); err != nil {
				return Table{}, err
			}
			if againstBefore, err = s.speedup(key, RenderKey(before.Package(), scene)); err != nil {
				return Table{}, err
			}
		}
		table.Rows = append(table.Rows, slices.Concat([]string{step.Short(), step.Label + s.OtherKernel(step)}, row, []string{againstFirst, againstBefore}))
	}
	if len(table.Rows) == 0 {
		return Table{}, &NotMeasuredError{list[0].Package(), "Render", fmt.Sprintf("results %q: scene %q was not measured with any of these steps; it holds %s",
			s.Name, scene, cmp.Or(strings.Join(s.Scenes(), ", "), "no scene"))}
	}
	again := RenderKey(Again(all[0]), scene)
	if _, ok := s.values[again]; ok {
		row, err := s.measured(again)
		if err != nil {
			return Table{}, err
		}
		noise, err := s.speedup(again, first)
		if err != nil {
			return Table{}, err
		}
		table.Rows = append(table.Rows, slices.Concat([]string{"1", "the same again: the noise"}, row, []string{noise, ""}))
	}
	return table, nil
}

func (s *Set) measured(key Key) ([]string, error) {
	seconds, err := s.Median(key, "sec/op")
	if err != nil {
		return nil, err
	}
	rays, err := s.Median(key, "rays/op")
	if err != nil {
		return nil, err
	}
	rate, err := s.Median(key, "rays/s")
	if err != nil {
		return nil, err
	}
	return []string{
		FormatCenter(seconds, "sec/op"),
		exact(rays.Center),
		FormatValue(rate, "rays/s"),
	}, nil
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

// speedup compares the rays a second of two benchmarks, and is empty if the
// set does not hold the second.
func (s *Set) speedup(key, base Key) (string, error) {
	if _, ok := s.values[base]; !ok {
		return "", nil
	}
	ratio, err := s.Ratio(key, base, "rays/s")
	if err != nil {
		return "", err
	}
	return FormatRatio(ratio), nil
}

// MinRounds is how many values an interval takes at the least.
const MinRounds = 6

// Scenes lists the scenes that the steps were measured on, in the order of the
// file.
func (s *Set) Scenes() []string {
	var scenes []string
	for _, key := range s.keys {
		for _, prefix := range []string{scenePrefix, sweepPrefix, schedulePrefix} {
			scene, ok := strings.CutPrefix(key.Name, prefix)
			scene, _, _ = strings.Cut(scene, "/") // from a build, or tile and workers
			if ok && !slices.Contains(scenes, scene) {
				scenes = append(scenes, scene)
			}
		}
	}
	return scenes
}

// All returns a table of every benchmark in the set, in every unit.
func (s *Set) All() Table {
	table := Table{Header: []string{"package", "benchmark", "median", "unit"}, Right: []bool{false, false, true, false}}
	for _, key := range s.keys {
		for _, unit := range slices.Sorted(maps.Keys(s.values[key])) {
			v := median(s.values[key][unit])
			table.Rows = append(table.Rows, []string{key.Package, key.Name, FormatValue(v, unit), unit})
		}
	}
	return table
}
