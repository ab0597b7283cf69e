package results

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"
	"golang.org/x/perf/benchunit"

	"raysteps/scripts/internal/steps"
)

// Experiment returns a table of the sub-benchmarks of one benchmark, in the
// order of the file: a column for each key of their names and for each unit,
// and, if asked for, behind the first unit its ratio to the first row. Units
// are those of benchfmt: sec/op, not ns/op.
//
// With per, which names a key, the ratio is to the first row of the same value
// of that key.
func (s *Set) Experiment(pkg, bench string, units []string, ratio bool, per string) (Table, error) {
	var keys []Key
	for _, key := range s.keys {
		if key.Package == pkg && strings.HasPrefix(key.Name, bench+"/") {
			keys = append(keys, key)
		}
	}
	if len(keys) == 0 {
		return Table{}, s.notMeasured(pkg, bench+"/...", "")
	}

	t := s.newTable()
	for _, part := range keys[0].parts() {
		t.left(part.key)
	}
	against := " against the first row"
	if per != "" {
		against += " of the same " + per
		if !slices.Contains(t.table.Header, per) {
			return Table{}, fmt.Errorf("per is %q; want one of %s", per, strings.Join(t.table.Header, ", "))
		}
	}
	for i, unit := range units {
		t.right(unitTitle(unit))
		if i == 0 && ratio {
			t.right(unitTitle(unit) + against)
		}
	}
	bases := map[string]Key{} // by the value of per, or by ""
	for _, key := range keys {
		parts := key.parts()
		if !slices.EqualFunc(parts, keys[0].parts(), func(a, b part) bool { return a.key == b.key }) {
			return Table{}, fmt.Errorf("results %q: %s does not have the keys of %s", s.Name, key, keys[0])
		}
		group := ""
		for _, part := range parts {
			t.text(part.value)
			if part.key == per {
				group = part.value
			}
		}
		base, ok := bases[group]
		if !ok {
			base = key
			bases[group] = key
		}
		for i, unit := range units {
			t.value(key, unit)
			if i == 0 && ratio {
				t.ratio(key, base, unit, FormatRatio)
			}
		}
		t.end()
	}
	return t.done(nil)
}

func unitTitle(unit string) string {
	return cmp.Or(map[string]string{
		"sec/op": "time", "sec/sphere": "time a sphere", "sec/ray": "time a ray", "sec/operation": "time an operation",
		"B/op": "heap bytes", "allocs/op": "allocations",
	}[unit], unit)
}

// Compare returns a table of one step against another: a row for each scene.
func (s *Set) Compare(from, to steps.Step) (Table, error) {
	t := s.newTable().left("scene")
	t.right("rays/s, "+from.Title()+s.OtherKernel(from), "rays/s, "+to.Title()+s.OtherKernel(to), "speed-up")
	for _, scene := range s.Scenes() {
		a, b := RenderKey(from.Package(), scene), RenderKey(to.Package(), scene)
		t.text(scene).value(a, "rays/s").value(b, "rays/s").ratio(b, a, "rays/s", FormatRatio).end()
	}
	return t.done(fmt.Errorf("results %q: no measurements of BenchmarkRender", s.Name))
}

// Machine says in one line where and how the set was measured.
func (s *Set) Machine() string {
	var parts []string
	cpu := cmp.Or(s.Config["cpu"], s.Config["cpu-brand"])
	if family := s.Config["cpu-family"]; family != "" {
		cpu += " (family " + family + ")"
	}
	if cpu != "" {
		parts = append(parts, cpu)
	}
	parts = s.say(parts, "%s cores", "cpu-cores")
	parts = s.say(parts, "%s/%s", "goos", "goarch")
	parts = s.say(parts, "GOAMD64=%s", "goamd64")
	parts = s.say(parts, "%s", "goversion")
	parts = s.say(parts, "GOEXPERIMENT=%s", "goexperiment")
	launches, orders := s.Launches()
	parts = append(parts, fmt.Sprintf("%s of %s", english.Plural(launches, "launch", "launches"), english.Plural(orders, "link order", "")))
	return strings.Join(parts, ", ")
}

// say appends the values of configuration lines, if the set has them all.
func (s *Set) say(parts []string, format string, keys ...string) []string {
	values := make([]any, len(keys))
	for i, key := range keys {
		if s.Config[key] == "" {
			return parts
		}
		values[i] = s.Config[key]
	}
	return append(parts, fmt.Sprintf(format, values...))
}

// Launches returns how often the least measured benchmark was launched, and in
// how many link orders.
func (s *Set) Launches() (launches, orders int) {
	launches, orders = math.MaxInt, math.MaxInt
	for _, key := range s.keys {
		for _, measured := range s.values[key] {
			seen := map[int]bool{}
			for _, m := range measured {
				seen[m.order] = true
			}
			launches, orders = min(launches, len(measured)), min(orders, len(seen))
		}
	}
	return launches, orders
}

// Format writes a figure without an interval.
func Format(value float64, unit string) string {
	text := benchunit.Scale(value, benchunit.ClassOf(unit))
	if strings.HasPrefix(unit, "sec") {
		text += "s"
	}
	return text
}
