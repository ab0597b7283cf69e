package main

import (
	"cmp"
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
	register("steps [steps=1-4]", "The table of the steps, with the noise, for each scene.", fillSteps)
	register("machines scene=large", "The steps in one scene, in columns for each of the machines that are published.", fillMachines)
	register("share pkg=step10 kernel=sse op=mul-add bits=128 [n=8,48,484,4096]",
		"A kernel against what one core can do at most, a row for each number of spheres.", fillShare)
	register("peers", "Whole pictures by the steps and by the article's program in C++, for each scene.", fillPeers)

	registerTable("summary", "Rates and speed-ups of all steps, the scenes side by side.", results.OfSteps, func(set *results.Set, _ directive.Call) (results.Table, error) {
		return set.Summary(sceneNames(), steps.All())
	})
	registerTable("compare from=3 to=4", "One step against another, a row for each scene.", results.OfSteps, func(set *results.Set, c directive.Call) (results.Table, error) {
		from, to, err := twoSteps(c)
		if err != nil {
			return results.Table{}, err
		}
		return set.Compare(from, to)
	})
	registerTable("experiment pkg=step01 bench=HitLoop units=sec/op,B/op [ratio=no] [per=n]", `The sub-benchmarks of a chapter's own benchmark. Units are those of
benchstat: sec/op, not ns/op. The first one is compared with the first row,
except with ratio=no.`, results.OfExperiments, func(set *results.Set, c directive.Call) (results.Table, error) {
		ratio, err := c.Bool("ratio", true)
		if err != nil {
			return results.Table{}, err
		}
		units := c.List("units")
		if len(units) == 0 {
			return results.Table{}, fmt.Errorf("units is %q; want one or more, such as sec/op", c.Get("units"))
		}
		return set.Experiment("raysteps/"+c.Get("pkg"), c.Get("bench"), units, ratio, c.Get("per"))
	})
	registerTable("sweep scene=large tile=32", "The step with goroutines by their number, with tiles of one size.", results.OfSweep, func(set *results.Set, c directive.Call) (results.Table, error) {
		tile, err := c.Int("tile", 0)
		if err != nil {
			return results.Table{}, err
		}
		step, err := set.FirstStep()
		if err != nil {
			return results.Table{}, err
		}
		return set.SweepTable(step, c.Get("scene"), tile)
	})
	registerTable("schedule scene=large", `The efficiency of the step with goroutines on processors that are simulated: a
row for each way to divide the picture, a column for each number of workers.`, results.OfSchedules, func(set *results.Set, c directive.Call) (results.Table, error) {
		step, err := set.FirstStep()
		if err != nil {
			return results.Table{}, err
		}
		return set.ScheduleTable(step, c.Get("scene"))
	})
	registerTable("spheres", "Rays a second by number of spheres, a column for each step.", results.OfSpheres, func(set *results.Set, _ directive.Call) (results.Table, error) { return set.SpheresTable() })
	registerTable("builds scene=large", "The steps in one scene by build, against the first one.", results.OfBuilds, func(set *results.Set, c directive.Call) (results.Table, error) {
		return set.BuildsTable(c.Get("scene"))
	})
	registerTable("full", "Whole pictures, and slices of the same minutes against them.", results.OfFull, func(set *results.Set, _ directive.Call) (results.Table, error) { return set.FullTable() })

	registerFigure("value pkg=step09 bench=FirstPass/a=one/square=stored unit=sec/op", "The figure of one row of an experiment.", results.OfExperiments, func(set *results.Set, c directive.Call) (string, error) {
		v, err := set.Estimate(results.Key{Package: "raysteps/" + c.Get("pkg"), Name: c.Get("bench")}, c.Get("unit"))
		return results.Format(v.Center, c.Get("unit")), err
	})
	registerFigure("overpeer step=12 [peer=13] scene=large", "How many times as fast a step is as the article's same step, or another, by the better compiler.", results.OfPeers, fillOverPeer)
	registerFigure("ratio from=1 to=4 scene=large", "How many times as fast a step is as another.", results.OfSteps, func(set *results.Set, c directive.Call) (string, error) {
		from, to, err := twoSteps(c)
		if err != nil {
			return "", err
		}
		v, err := set.Ratio(results.RenderKey(to.Package(), c.Get("scene")), results.RenderKey(from.Package(), c.Get("scene")), "rays/s")
		return fmt.Sprintf("%.2f", v.Center), err
	})
	registerFigure("limit from=7 to=8 scene=large", "By how much a step is at most faster or slower than another: how far the interval\nof their ratio reaches from 1.", results.OfSteps, func(set *results.Set, c directive.Call) (string, error) {
		from, to, err := twoSteps(c)
		if err != nil {
			return "", err
		}
		v, err := set.Ratio(results.RenderKey(to.Package(), c.Get("scene")), results.RenderKey(from.Package(), c.Get("scene")), "rays/s")
		return fmt.Sprintf("%.1f %%", 100*max(v.Hi-1, 1-v.Lo)), err
	})
	registerFigure("crossing step=tree over=12", "From how many spheres on a step is faster than another.", results.OfSpheres, func(set *results.Set, c directive.Call) (string, error) {
		step, err := steps.Find(c.Get("step"))
		over, err2 := steps.Find(c.Get("over"))
		if err = cmp.Or(err, err2); err != nil {
			return "", err
		}
		v, err := set.Crossing(step, over)
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
		registerFigure(name+" step=4 scene=large", d.help, results.OfSteps, func(set *results.Set, c directive.Call) (string, error) {
			step, err := steps.Find(c.Get("step"))
			if err != nil {
				return "", err
			}
			v, err := set.Estimate(results.RenderKey(step.Package(), c.Get("scene")), "rays/s")
			return d.format(v.Center, len(named(c.Get("scene")).Spheres)), err
		})
	}
}

// registerTable adds a directive that shows a table of measurements of a kind.
func registerTable(usage, help string, kind results.Kind, table func(*results.Set, directive.Call) (results.Table, error)) {
	register(usage, help, func(p *page, c directive.Call) (string, error) {
		return fillTable(p, kind, func(set *results.Set) (results.Table, error) { return table(set, c) })
	})
}

// registerFigure adds a directive that shows a figure in a line of prose.
func registerFigure(usage, help string, kind results.Kind, figure func(*results.Set, directive.Call) (string, error)) {
	register(usage, help+" Goes into a line of prose.", func(p *page, c directive.Call) (string, error) {
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
	list, err := s.published()
	if err == nil {
		set, err = list.Set(s.root, kind)
	}
	if !errors.As(err, new(*published.MissingError)) {
		s.sets[kind] = set
	}
	return set, err
}

// published returns the list of the files that the pages show.
func (s *site) published() (published.List, error) {
	if s.list != nil {
		return s.list, nil
	}
	list, err := published.Read(s.root)
	s.list = list
	return list, err
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

func fillSteps(p *page, c directive.Call) (string, error) {
	set, err := p.measured(results.OfSteps)
	if err != nil {
		return "", err
	}
	list := steps.All()
	if c.Has("steps") {
		if list, err = steps.Select(c.Get("steps")); err != nil {
			return "", err
		}
	}
	var b strings.Builder
	for _, name := range sceneNames() {
		table, err := set.Steps(name, list)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "The %s scene:\n\n%s\n", name, unbroken(table.Markdown()))
	}
	fmt.Fprintf(&b, "*%s*\n", set.Machine())
	return b.String(), nil
}

// sceneNames lists the scenes as the pages do, the one with most spheres first.
func sceneNames() []string {
	names := scene.Names()
	slices.Reverse(names)
	return names
}

// fillTable fills a region with a table of a kind.
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

// twoSteps returns the steps that the keys from and to name.
func twoSteps(c directive.Call) (from, to steps.Step, err error) {
	if from, err = steps.Find(c.Get("from")); err != nil {
		return from, to, fmt.Errorf("from: %w", err)
	}
	if to, err = steps.Find(c.Get("to")); err != nil {
		return from, to, fmt.Errorf("to: %w", err)
	}
	if from.Name == to.Name {
		return from, to, fmt.Errorf("from and to are both %s; want two steps", from.Name)
	}
	return from, to, nil
}

func fillShare(p *page, c directive.Call) (string, error) {
	kernel := c.Get("kernel")
	if known := []string{"sse", "avx2", "neon", "avx512", "archsimd256", "archsimd512", "generic"}; !slices.Contains(known, kernel) {
		return "", fmt.Errorf("kernel is %q; want %s", kernel, strings.Join(known, " or "))
	}
	bits, err := c.Int("bits", 0)
	if err != nil {
		return "", err
	}
	var sizes []int
	for _, n := range c.List("n") {
		size, err := strconv.Atoi(n)
		if err != nil || size < 1 {
			return "", fmt.Errorf("n is %q; want numbers of spheres, such as 8,484", c.Get("n"))
		}
		sizes = append(sizes, size)
	}
	text, err := fillTable(p, results.OfExperiments, func(set *results.Set) (results.Table, error) {
		return set.Share("raysteps/"+c.Get("pkg"), kernel, c.Get("op"), bits, sizes)
	})
	if errors.Is(err, results.ErrNotMeasured) {
		set, err := p.measured(results.OfExperiments)
		if err != nil {
			return "", err
		}
		caption, err := p.caption(set)
		return "The " + kernel + " kernel was not measured: the processor or the build lacks it.\n" + caption, err
	}
	return text, err
}

func fillMachines(p *page, c directive.Call) (string, error) {
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
	text := table.Markdown()
	for i, name := range results.MachineNames(sets) {
		machine := sets[i].Machine()
		if !strings.HasPrefix(machine, name) {
			machine = name + ": " + machine
		}
		text += "\n*" + machine + "*\n"
	}
	return text, nil
}

func fillPeers(p *page, _ directive.Call) (string, error) {
	set, err := p.measured(results.OfPeers)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, name := range sceneNames() {
		table, err := set.PeersTable(name)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&b, "The %s scene:\n\n%s\n", name, unbroken(table.Markdown()))
	}
	caption, err := p.caption(set)
	return strings.TrimSuffix(b.String(), "\n") + caption, err
}

func fillOverPeer(set *results.Set, c directive.Call) (string, error) {
	step, err := steps.Find(c.Get("step"))
	if err != nil {
		return "", err
	}
	peer := step
	if c.Has("peer") {
		if peer, err = steps.Find(c.Get("peer")); err != nil {
			return "", fmt.Errorf("peer: %w", err)
		}
	}
	v, err := set.OverPeer(step, peer, c.Get("scene"))
	return fmt.Sprintf("%.2f", v.Center), err
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
