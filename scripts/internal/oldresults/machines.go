package results

import (
	"cmp"
	"slices"

	"raysteps/scripts/internal/estimate"
	"raysteps/scripts/internal/steps"
)

// SameMachine reports whether two sets may be of the same machine, as far as
// both say something of it and as far as [Set.Machine] tells.
func SameMachine(a, b *Set) bool {
	for _, key := range []string{"goos", "goarch", "cpu", "cpu-family", "cpu-cores"} {
		if x, y := a.Config[key], b.Config[key]; x != "" && y != "" && x != y {
			return false
		}
	}
	return true
}

// MachineNames returns short names of the machines of two sets, or of one, that
// differ from each other.
func MachineNames(sets []*Set) []string {
	names := make([]string, len(sets))
	for i, set := range sets {
		names[i] = cmp.Or(set.Config["cpu"], set.Name)
	}
	if len(names) > 1 && names[0] == names[1] {
		names[0], names[1] = names[0]+" (1)", names[1]+" (2)"
	}
	return names
}

// MachinesTable returns a table of one scene: a row for each step, with its rate
// and how it compares with the step before, on each machine. It is an error if the
// first set holds none of the steps.
func MachinesTable(scene string, sets []*Set) (Table, error) {
	t := sets[0].newTable().right("step").left("what changes")
	for _, name := range MachineNames(sets) {
		t.right("rays/s, "+name, "over the step before, "+name)
	}
	for _, step := range steps.All() {
		key := RenderKey(step.Package(), scene)
		if !slices.ContainsFunc(sets, func(set *Set) bool { return set.Has(key) }) {
			continue
		}
		t.text(step.Short(), step.Label)
		before, _ := step.Previous() // the first step has none, and empty cells
		for _, set := range sets {
			if !set.Has(key) {
				t.text("", "")
				continue
			}
			rate, err := set.Estimate(key, "rays/s")
			t.set = set
			t.cell(func(v estimate.Estimate) string { return FormatValue(v, "rays/s") + set.OtherKernel(step) }, rate, err)
			t.ratio(key, RenderKey(before.Package(), scene), "rays/s", FormatRatio)
		}
		t.end()
	}
	return t.done(sets[0].notMeasured(steps.All()[0].Package(), RenderKey("", scene).Name, ""))
}
