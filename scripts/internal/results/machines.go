package results

import (
	"cmp"

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
	equal := func() bool { return len(names) > 1 && names[0] == names[1] }
	for i, set := range sets {
		names[i] = cmp.Or(set.Config["cpu"], set.Name)
	}
	if equal() {
		for i, set := range sets {
			names[i] += ", " + cmp.Or(set.Config["goos"], "system") + ", " + cmp.Or(set.Config["cpu-cores"], "?") + " cores"
		}
	}
	if equal() {
		names[0], names[1] = names[0]+" (1)", names[1]+" (2)"
	}
	return names
}

// MachinesTable returns a table of one scene: a row for each step, with the rate
// and the speed-up on each machine. It is an error if the first set holds none of
// the steps.
func MachinesTable(scene string, sets []*Set) (Table, error) {
	table := Table{Header: []string{"step", "what changes"}, Right: []bool{true, false}}
	for _, name := range MachineNames(sets) {
		table.Header = append(table.Header, "rays/s, "+name, "speed-up over step 1, "+name)
		table.Right = append(table.Right, true, true)
	}
	first := steps.All()[0]
	for _, step := range steps.All() {
		key := RenderKey(step.Package(), scene)
		cells := []string{step.Short(), step.Label}
		measured := false
		for _, set := range sets {
			if !set.Has(key) {
				cells = append(cells, "", "")
				continue
			}
			measured = true
			rate, err := set.Estimate(key, "rays/s")
			if err != nil {
				return Table{}, err
			}
			speedup := ""
			if step.Name != first.Name {
				if speedup, _, err = set.speedup(key, RenderKey(first.Package(), scene)); err != nil {
					return Table{}, err
				}
			}
			cells = append(cells, FormatValue(rate, "rays/s")+set.OtherKernel(step), speedup)
		}
		if measured {
			table.Rows = append(table.Rows, cells)
		}
	}
	if len(table.Rows) == 0 {
		return Table{}, sets[0].notMeasured(first.Package(), RenderKey(first.Package(), scene).Name, "")
	}
	return table, nil
}
