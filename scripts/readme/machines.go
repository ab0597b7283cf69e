package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"raysteps/scripts/internal/directive"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/steps"
)

// machines returns the steps of the machine of the pages, and of the one
// beside it if there is one.
func (s *site) machines() ([]*results.Set, error) {
	set, err := s.measured(ofSteps)
	if err != nil {
		return nil, err
	}
	other, err := s.measured(beside)
	if errors.As(err, new(*missingError)) {
		return []*results.Set{set}, nil
	}
	if err != nil {
		return nil, err
	}
	return []*results.Set{set, other}, nil
}

// names are short ones of machines that differ.
func machineNames(sets []*results.Set) []string {
	names := make([]string, len(sets))
	for i, set := range sets {
		names[i] = cmp.Or(set.Config["cpu"], set.Config["cpu-brand"], set.Name)
	}
	if len(names) > 1 && names[0] == names[1] {
		for i, set := range sets {
			names[i] += ", " + cmp.Or(set.Config["goos"], "system") + ", " + cmp.Or(set.Config["cpu-cores"], "?") + " cores"
		}
	}
	if len(names) > 1 && names[0] == names[1] {
		names[0], names[1] = names[0]+" (1)", names[1]+" (2)"
	}
	return names
}

// captions says where each of the machines' figures were measured.
func captions(sets []*results.Set) string {
	if len(sets) == 1 {
		return caption(sets[0])
	}
	var lines []string
	for i, name := range machineNames(sets) {
		line := sets[i].Machine()
		if !strings.HasPrefix(line, name) {
			line = name + ": " + line
		}
		lines = append(lines, "*"+line+"*")
	}
	return "\n" + strings.Join(lines, "\n\n") + "\n"
}

// sceneAndSteps returns what a call asks for.
func sceneAndSteps(c directive.Call, otherwise []steps.Step) (string, []steps.Step, error) {
	name, err := sceneOf(c)
	if err != nil {
		return "", nil, err
	}
	if c.Has("steps") {
		otherwise, err = steps.Select(c.Get("steps"))
	}
	return name, otherwise, err
}

func fillMachines(p *page, c directive.Call) (string, error) {
	sets, err := p.machines()
	if err != nil {
		return "", err
	}
	scene, list, err := sceneAndSteps(c, steps.All())
	if err != nil {
		return "", err
	}
	table := results.Table{Header: []string{"step", "what changes"}, Right: []bool{true, false}}
	for _, name := range machineNames(sets) {
		table.Header = append(table.Header, "rays/s, "+name, "speed-up over step 1, "+name)
		table.Right = append(table.Right, true, true)
	}
	first := results.RenderKey(steps.All()[0].Package(), scene)
	for _, step := range list {
		key := results.RenderKey(step.Package(), scene)
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
				return "", err
			}
			speedup := ""
			if step.Number != 1 {
				ratio, err := set.Ratio(key, first, "rays/s")
				if err != nil {
					return "", err
				}
				speedup = results.FormatRatio(ratio)
			}
			cells = append(cells, results.FormatValue(rate, "rays/s")+set.OtherKernel(step), speedup)
		}
		if measured {
			table.Rows = append(table.Rows, cells)
		}
	}
	return finished(table, sets, list, scene)
}

// fillPerCore divides the rate of a step by the goroutines that it used.
func fillPerCore(p *page, c directive.Call) (string, error) {
	sets, err := p.machines()
	if err != nil {
		return "", err
	}
	single := steps.LatestSingle()
	scene, list, err := sceneAndSteps(c, slices.DeleteFunc(steps.All(), func(s steps.Step) bool { return s.Single && s.Name != single.Name }))
	if err != nil {
		return "", err
	}
	names := machineNames(sets)
	table := results.Table{
		Header: []string{"machine", "step", "goroutines", "rays/s", "rays/s a goroutine"},
		Right:  []bool{false, true, true, true, true},
	}
	for i, set := range sets {
		for _, step := range list {
			key := results.RenderKey(step.Package(), scene)
			if !set.Has(key) {
				continue
			}
			rate, err := set.Estimate(key, "rays/s")
			if err != nil {
				return "", err
			}
			workers := 1.0
			if !step.Single {
				if workers, err = numberIn(set, "gomaxprocs"); err != nil {
					return "", err
				}
			}
			each := results.Scaled(rate, 1/workers)
			cells := []string{names[i], step.Short() + set.OtherKernel(step), strconv.FormatFloat(workers, 'f', -1, 64), results.FormatValue(rate, "rays/s"), results.FormatValue(each, "rays/s")}
			table.Rows = append(table.Rows, cells)
		}
	}
	return finished(table, sets, list, scene)
}

// finished adds the captions, if the table has a row.
func finished(table results.Table, sets []*results.Set, list []steps.Step, scene string) (string, error) {
	if len(table.Rows) == 0 {
		_, err := sets[0].Estimate(results.RenderKey(list[0].Package(), scene), "rays/s")
		return "", err
	}
	return table.Markdown() + captions(sets), nil
}

// numberIn returns the number in a configuration line of a set.
func numberIn(set *results.Set, key string) (float64, error) {
	n, err := strconv.ParseFloat(set.Config[key], 64)
	if err != nil || !(n > 0 && n <= 1e6) {
		return 0, fmt.Errorf("results %q: %s is %q; want a number above 0", set.Name, key, set.Config[key])
	}
	return n, nil
}
