package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"raysteps/common/scene"
	"raysteps/scripts/internal/directive"
	"raysteps/scripts/internal/published"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/steps"
)

// The directives that show measurements, as tables or as figures in prose.
func init() {
	register("machines scene=large", "The steps in one scene, in columns for each of the machines that are published.", fillMachines)
	register("share pkg=step10 kernel=sse op=mul-add bits=128 [n=8,48,484,4096]",
		"A kernel against what one core can do at most, a row for each number of spheres.", fillShare)

	registerScenes("steps [steps=1-4]", "The table of the steps, with the noise, for each scene.", results.OfSteps, func(set *results.Set, c *directive.Call, scene string) (results.Table, error) {
		list := steps.All()
		if c.Has("steps") {
			var err error
			list, err = steps.Select(c.Get("steps"))
			c.Fail(err)
		}
		return set.Steps(scene, list)
	})
	registerScenes("peers", "Whole pictures by the steps and by the article's program in C++, for each scene.", results.OfPeers, func(set *results.Set, _ *directive.Call, scene string) (results.Table, error) {
		return set.PeersTable(scene)
	})

	registerTable("summary", "Rates and speed-ups of all steps, the scenes side by side.", results.OfSteps, func(set *results.Set, _ *directive.Call) (results.Table, error) {
		return set.Summary(sceneNames(), steps.All())
	})
	registerTable("compare from=3 to=4", "One step against another, a row for each scene.", results.OfSteps, func(set *results.Set, c *directive.Call) (results.Table, error) {
		return set.Compare(twoSteps(c))
	})
	register("experiment pkg=step01 bench=HitLoop units=sec/op,B/op [ratio=no] [per=n]", `The sub-benchmarks of a chapter's own benchmark. Units are those of
benchstat: sec/op, not ns/op. The first one is compared with the first row,
except with ratio=no.`, fillExperiment)
	registerTable("sweep scene=large tile=32", "The step with goroutines by their number, with tiles of one size.", results.OfSweep, func(set *results.Set, c *directive.Call) (results.Table, error) {
		return set.SweepTable(set.FirstStep(), c.Get("scene"), c.Int("tile", 0))
	})
	registerTable("schedule scene=large", `The efficiency of the step with goroutines on processors that are simulated: a
row for each way to divide the picture, a column for each number of workers.`, results.OfSchedules, func(set *results.Set, c *directive.Call) (results.Table, error) {
		return set.ScheduleTable(set.FirstStep(), c.Get("scene"))
	})
	registerTable("spheres", "Rays a second by number of spheres, a column for each step.", results.OfSpheres, func(set *results.Set, _ *directive.Call) (results.Table, error) { return set.SpheresTable() })
	registerTable("builds scene=large", "The steps in one scene by build, against the first one.", results.OfBuilds, func(set *results.Set, c *directive.Call) (results.Table, error) {
		return set.BuildsTable(c.Get("scene"))
	})
	registerTable("full", "Whole pictures, and slices of the same minutes against them.", results.OfFull, func(set *results.Set, _ *directive.Call) (results.Table, error) { return set.FullTable() })

	registerFigure("value pkg=step09 bench=FirstPass/a=one/square=stored unit=sec/op", "The figure of one row of an experiment.", results.OfExperiments, func(set *results.Set, c *directive.Call) (string, error) {
		v, err := set.Estimate(set.KernelHere(results.Key{Package: "raysteps/" + c.Get("pkg"), Name: c.Get("bench")}), c.Get("unit"))
		return results.Format(v.Center, c.Get("unit")), err
	})
	registerFigure("overpeer step=12 scene=large", "How many times as fast a step is as the article's same step, by the better compiler.", results.OfPeers, func(set *results.Set, c *directive.Call) (string, error) {
		v, err := set.OverPeer(stepOf(c, "step"), c.Get("scene"))
		return fmt.Sprintf("%.2f", v.Center), err
	})
	registerFigure("ratio from=1 to=4 scene=large", "How many times as fast a step is as another.", results.OfSteps, func(set *results.Set, c *directive.Call) (string, error) {
		from, to := twoSteps(c)
		v, err := set.Ratio(results.RenderKey(to.Package(), c.Get("scene")), results.RenderKey(from.Package(), c.Get("scene")), "rays/s")
		return fmt.Sprintf("%.2f", v.Center), err
	})
	registerFigure("limit from=7 to=8 scene=large", "By how much a step is at most faster or slower than another: how far the interval\nof their ratio reaches from 1.", results.OfSteps, func(set *results.Set, c *directive.Call) (string, error) {
		from, to := twoSteps(c)
		v, err := set.Ratio(results.RenderKey(to.Package(), c.Get("scene")), results.RenderKey(from.Package(), c.Get("scene")), "rays/s")
		return fmt.Sprintf("%.1f %%", 100*max(v.Hi-1, 1-v.Lo)), err
	})
	registerFigure("crossing step=tree over=12", "From how many spheres on a step is faster than another.", results.OfSpheres, func(set *results.Set, c *directive.Call) (string, error) {
		v, err := set.Crossing(stepOf(c, "step"), stepOf(c, "over"))
		return results.FormatSpheres(v.Center), err
	})
	for name, d := range map[string]struct {
		help   string
		format func(rate float64, spheres int) string
	}{
		"rate":      {"Rays a second.", func(rate float64, _ int) string { return results.Format(rate, "rays/s") }},
		"perray":    {"The time of a ray.", func(rate float64, _ int) string { return results.Format(1/rate, "sec/op") }},
		"persphere": {"The time of a ray divided by the number of spheres.", func(rate float64, spheres int) string { return results.Format(1/rate/float64(spheres), "sec/op") }},
	} {
		registerFigure(name+" step=4 scene=large", d.help, results.OfSteps, func(set *results.Set, c *directive.Call) (string, error) {
			v, err := set.Estimate(results.RenderKey(stepOf(c, "step").Package(), c.Get("scene")), "rays/s")
			return d.format(v.Center, len(named(c.Get("scene")).Spheres)), err
		})
	}
}

// registerTable adds a directive that shows a table of measurements of a kind.
func registerTable(usage, help string, kind results.Kind, table func(*results.Set, *directive.Call) (results.Table, error)) {
	register(usage, help, func(p *page, c *directive.Call) (string, error) {
		return fillTable(p, kind, func(set *results.Set) (results.Table, error) { return table(set, c) })
	})
}

func fillTable(p *page, kind results.Kind, table func(*results.Set) (results.Table, error)) (string, error) {
	set, err := p.measured(kind)
	if err != nil {
		return "", err
	}
	t, err := table(set)
	if err != nil {
		return "", err
	}
	caption, err := p.caption(set)
	return t.Markdown() + caption, err
}

// registerScenes adds a directive that shows such a table for each scene.
func registerScenes(usage, help string, kind results.Kind, table func(*results.Set, *directive.Call, string) (results.Table, error)) {
	register(usage, help, func(p *page, c *directive.Call) (string, error) {
		set, err := p.measured(kind)
		if err != nil {
			return "", err
		}
		text := ""
		for _, name := range sceneNames() {
			t, err := table(set, c, name)
			if err != nil {
				return "", err
			}
			text += fmt.Sprintf("The %s scene:\n\n%s\n", name, unbroken(t.Markdown()))
		}
		caption, err := p.caption(set)
		return strings.TrimSuffix(text, "\n") + caption, err
	})
}

// registerFigure adds a directive that shows a figure in a line of prose.
func registerFigure(usage, help string, kind results.Kind, figure func(*results.Set, *directive.Call) (string, error)) {
	register(usage, help+" Goes into a line of prose.", func(p *page, c *directive.Call) (string, error) {
		set, err := p.measured(kind)
		if err != nil {
			return "", err
		}
		return figure(set, c)
	})
}

// measured returns the measurements of a kind that the pages show. What is
// wrong with them is said once, and not again for each directive: a set that
// could not be read is kept as nil.
func (s *site) measured(kind results.Kind) (*results.Set, error) {
	set, tried := s.sets[kind]
	if set != nil {
		return set, nil
	}
	if tried {
		return nil, &directive.Kept{Reason: "the " + string(kind) + " could not be read"}
	}
	list, err := published.Read(s.root)
	if err == nil {
		set, err = list.Set(s.root, kind)
	}
	if !errors.As(err, new(*published.MissingError)) {
		s.sets[kind] = set
	}
	return set, err
}

// caption says below a table where and how the figures were measured. Kinds are
// published apart from the steps, and say so if they are of another machine: a
// page shows both, and their times cannot be compared.
func (s *site) caption(set *results.Set) (string, error) {
	of, err := s.measured(results.OfSteps)
	if errors.As(err, new(*published.MissingError)) {
		of, err = set, nil
	}
	if err != nil {
		return "", err
	}
	if results.SameMachine(set, of) {
		return "\n*" + set.Machine() + "*\n", nil
	}
	return "\n*On another machine than the steps: " + set.Machine() + "*\n", nil
}

// sceneNames lists the scenes as the pages do, the one with most spheres first.
func sceneNames() []string {
	names := scene.Names()
	slices.Reverse(names)
	return names
}

// stepOf returns the step that a key names.
func stepOf(c *directive.Call, key string) steps.Step {
	step, err := steps.Find(c.Get(key))
	if err != nil {
		c.Fail(fmt.Errorf("%s: %w", key, err))
	}
	return step
}

// twoSteps returns the steps that the keys from and to name.
func twoSteps(c *directive.Call) (from, to steps.Step) {
	from, to = stepOf(c, "from"), stepOf(c, "to")
	if from.Name == to.Name {
		c.Fail(fmt.Errorf("from and to are both %s; want two steps", from.Name))
	}
	return from, to
}

func fillExperiment(p *page, c *directive.Call) (string, error) {
	units := c.List("units")
	if len(units) == 0 {
		c.Fail(fmt.Errorf("units is %q; want one or more, such as sec/op", c.Get("units")))
	}
	table := func(set *results.Set) (results.Table, error) {
		return set.Experiment("raysteps/"+c.Get("pkg"), c.Get("bench"), units, c.Bool("ratio", true), c.Get("per"))
	}
	// What another release of Go has more of comes first: its benchmarks may be
	// measured with the release of the pages as well, in part.
	text, err := fillTable(p, published.MoreExperiments, table)
	if errors.As(err, new(*published.MissingError)) || errors.As(err, new(*results.NotMeasuredError)) {
		return fillTable(p, results.OfExperiments, table)
	}
	return text, err
}

func fillShare(p *page, c *directive.Call) (string, error) {
	var sizes []int
	for _, n := range c.List("n") {
		size, err := strconv.Atoi(n)
		if err != nil || size < 1 {
			c.Fail(fmt.Errorf("n is %q; want numbers of spheres, such as 8,484", c.Get("n")))
		}
		sizes = append(sizes, size)
	}
	set, err := p.measured(results.OfExperiments)
	if err != nil {
		return "", err
	}
	text := "The " + c.Get("kernel") + " kernel was not measured: the processor or the build lacks it.\n"
	switch table, err := set.Share("raysteps/"+c.Get("pkg"), c.Get("kernel"), c.Get("op"), c.Int("bits", 0), sizes); {
	case err == nil:
		text = table.Markdown()
	case !errors.Is(err, results.ErrNotMeasured):
		return "", err
	}
	caption, err := p.caption(set)
	return text + caption, err
}

func fillMachines(p *page, c *directive.Call) (string, error) {
	set, err := p.measured(results.OfSteps)
	if err != nil {
		return "", err
	}
	sets := []*results.Set{set}
	second, err := p.measured(published.SecondMachine)
	if err == nil {
		sets = append(sets, second)
	} else if !errors.As(err, new(*published.MissingError)) {
		return "", err
	}
	table, err := results.MachinesTable(c.Get("scene"), sets)
	if err != nil {
		return "", err
	}
	text := unbroken(table.Markdown())
	for i, name := range results.MachineNames(sets) {
		machine := sets[i].Machine()
		if !strings.HasPrefix(machine, name) {
			machine = name + ": " + machine
		}
		text += "\n*" + machine + "*\n"
	}
	return text, nil
}

// unbroken keeps the figures of a wide table in one line each. In a narrow
// window they would wrap, and the columns to the right stay out of it all the
// same.
func unbroken(markdown string) string {
	return figure.ReplaceAllStringFunc(markdown, func(s string) string { return strings.ReplaceAll(s, " ", "\u00A0") })
}

// figure is a number and its interval: "503.1k ± 9%", "1.07 (1.03 to 1.11)",
// "undecided (0.93 to 1.14)".
var figure = regexp.MustCompile(`[0-9]\S* ± \S+|\S+ \([0-9.]+ to [0-9.]+\)`)
