package main

import (
	"bytes"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"raysteps/common"
	"raysteps/common/film"
	"raysteps/common/scene"
	"raysteps/scripts/internal/directive"
	"raysteps/scripts/internal/estimate"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/steps"
)

func init() {
	inline := "Goes into a line of prose."
	register("steps", directive.Directive{
		Optional: []string{"scene", "steps"},
		Usage:    "steps [scene=large] [steps=1-4]",
		Help:     "The table of the steps, with the noise, for one scene or for all.",
	}, fillSteps)
	register("compare", directive.Directive{
		Required: []string{"from", "to"},
		Usage:    "compare from=3 to=4",
		Help:     "One step against another, a row for each scene.",
	}, fillCompare)
	register("experiment", directive.Directive{
		Required: []string{"pkg", "bench", "units"}, Optional: []string{"ratio", "per"},
		Usage: "experiment pkg=step01 bench=HitLoop units=sec/op,B/op [ratio=no] [per=n]",
		Help: `The sub-benchmarks of a chapter's own benchmark. Units are those of
benchstat: sec/op, not ns/op. The first one is compared with the first row,
except with ratio=no.`,
	}, fillExperiment)
	register("sweep", directive.Directive{
		Optional: []string{"scene", "step", "tile", "workers"},
		Usage:    "sweep [scene=large] [step=13] [tile=32] [workers=2]",
		Help: `A step with goroutines by their number and by the size of tiles: all that was
measured in a scene, or what has one size or one number.`,
	}, fillSweep)
	register("schedule", directive.Directive{
		Optional: []string{"scene", "step"},
		Usage:    "schedule [scene=large] [step=13]",
		Help: `The efficiency of a step with goroutines on processors that are simulated: a row
for each way to divide the picture, a column for each number of workers.`,
	}, fillSchedule)
	register("spheres", directive.Directive{
		Usage: "spheres",
		Help:  "Rays a second by number of spheres, a column for each step.",
	}, func(p *page, _ directive.Call) (string, error) {
		return fillTable(p, results.OfSpheres, (*results.Set).SpheresTable)
	})
	register("builds", directive.Directive{
		Optional: []string{"scene"},
		Usage:    "builds [scene=large]",
		Help:     "The steps in one scene by build, against the first one.",
	}, func(p *page, c directive.Call) (string, error) {
		name, err := sceneOf(c)
		if err != nil {
			return "", err
		}
		return fillTable(p, results.OfBuilds, func(set *results.Set) (results.Table, error) { return set.BuildsTable(name) })
	})
	register("full", directive.Directive{
		Usage: "full",
		Help:  "Whole pictures, and slices of the same minutes against them.",
	}, func(p *page, _ directive.Call) (string, error) {
		return fillTable(p, results.OfFull, (*results.Set).FullTable)
	})
	register("machines", directive.Directive{
		Optional: []string{"scene", "steps"},
		Usage:    "machines [scene=large] [steps=1,4,10-13]",
		Help: `The steps in one scene on the machine of the pages and on the one beside it
(-compare), a column each.`,
	}, fillMachines)
	register("percore", directive.Directive{
		Optional: []string{"scene", "steps"},
		Usage:    "percore [scene=large] [steps=12-13]",
		Help: `Rays a second for each goroutine, on the machine of the pages and on the one
beside it.`,
	}, fillPerCore)
	register("machine", directive.Directive{
		Usage: "machine",
		Help:  "Where and how the steps were measured, in one line.",
	}, func(p *page, _ directive.Call) (string, error) {
		set, err := p.measured(ofSteps)
		if err != nil {
			return "", err
		}
		return "Measured on: " + set.Machine() + ".", nil
	})
	register("value", directive.Directive{
		Required: []string{"pkg", "bench", "unit"},
		Usage:    "value pkg=step09 bench=FirstPass/a=one/square=stored unit=sec/op",
		Help:     "The figure of one row of an experiment. " + inline,
	}, func(p *page, c directive.Call) (string, error) {
		set, err := p.measured(ofExperiments)
		if err != nil {
			return "", err
		}
		v, err := set.Estimate(results.Key{Package: "raysteps/" + c.Get("pkg"), Name: c.Get("bench")}, c.Get("unit"))
		return results.FormatCenter(v, c.Get("unit")), err
	})
	register("ratio", directive.Directive{
		Required: []string{"from", "to", "scene"},
		Usage:    "ratio from=1 to=4 scene=large",
		Help:     "How many times as fast a step is as another. " + inline,
	}, fillRatio)
	register("rate", directive.Directive{
		Required: []string{"step", "scene"},
		Usage:    "rate step=4 scene=large",
		Help:     "Rays a second. " + inline,
	}, func(p *page, c directive.Call) (string, error) {
		v, err := rate(p, c)
		return results.FormatCenter(v, "rays/s"), err
	})
	register("perray", directive.Directive{
		Required: []string{"step", "scene"},
		Usage:    "perray step=4 scene=large",
		Help:     "The time of a ray. " + inline,
	}, func(p *page, c directive.Call) (string, error) {
		v, err := rate(p, c)
		return duration(1 / v.Center), err
	})
	register("persphere", directive.Directive{
		Required: []string{"step", "scene"},
		Usage:    "persphere step=4 scene=large",
		Help:     "The time of a ray divided by the number of spheres. " + inline,
	}, func(p *page, c directive.Call) (string, error) {
		v, err := rate(p, c)
		if err != nil {
			return "", err
		}
		sc, err := scene.ByName(c.Get("scene"))
		if err != nil {
			return "", err
		}
		return duration(1 / v.Center / float64(len(sc.Spheres))), nil
	})
	register("pictures", directive.Directive{
		Usage: "pictures",
		Help:  "The three scenes side by side.",
	}, func(p *page, _ directive.Call) (string, error) {
		names := scene.Names()
		slices.Reverse(names)
		var head, images []string
		for _, name := range names {
			link, err := p.picture(name)
			if err != nil {
				return "", err
			}
			sc, err := scene.ByName(name)
			if err != nil {
				return "", err
			}
			head = append(head, fmt.Sprintf("%s: %d spheres", name, len(sc.Spheres)))
			images = append(images, link)
		}
		return results.Table{Header: head, Right: make([]bool, len(head)), Rows: [][]string{images}}.Markdown(), nil
	})
	register("picture", directive.Directive{
		Required: []string{"scene"},
		Usage:    "picture scene=large",
		Help:     "A scene, rendered by the last step.",
	}, func(p *page, c directive.Call) (string, error) { return p.picture(c.Get("scene")) })
}

// The kinds of measurements that most pages show.
const (
	ofSteps       = results.OfSteps
	ofExperiments = results.OfExperiments
)

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
	set, err := s.readPublished(kind)
	if errors.As(err, new(*missingError)) && kind != ofSteps && kind != ofExperiments {
		return nil, err
	}
	s.sets[kind] = set
	return set, err
}

// caption says below a table where and how the figures were measured.
func caption(set *results.Set) string { return "\n*" + set.Machine() + "*\n" }

// captionOf is the same for any kind. Kinds are published apart from the
// steps, and say so if they are of another machine: a page shows both, and
// their times cannot be compared.
func (s *site) captionOf(set *results.Set, kind results.Kind) (string, error) {
	if kind == ofSteps {
		return caption(set), nil
	}
	names, err := s.published()
	if err != nil {
		return "", err
	}
	if names[ofSteps] == "" && s.sets[ofSteps] == nil {
		return caption(set), nil
	}
	other, err := s.measured(ofSteps)
	if err != nil {
		return "", err
	}
	if sameMachine(set, other) {
		return caption(set), nil
	}
	return "\n*On another machine than the steps: " + set.Machine() + "*\n", nil
}

func fillSteps(p *page, c directive.Call) (string, error) {
	set, err := p.measured(ofSteps)
	if err != nil {
		return "", err
	}
	list := steps.All()
	if c.Has("steps") {
		if list, err = steps.Select(c.Get("steps")); err != nil {
			return "", err
		}
	}
	scenes := scene.Names()
	slices.Reverse(scenes)
	if c.Has("scene") {
		scenes = []string{c.Get("scene")}
	}
	var b strings.Builder
	for i, name := range scenes {
		if _, err := scene.ByName(name); err != nil {
			return "", err
		}
		table, err := set.Steps(name, list)
		if err != nil {
			return "", err
		}
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "The %s scene:\n\n%s", name, unbroken(table.Markdown()))
	}
	b.WriteString(caption(set))
	return b.String(), nil
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
	below, err := p.captionOf(set, kind)
	return t.Markdown() + below, err
}

func fillSweep(p *page, c directive.Call) (string, error) {
	name, err := sceneOf(c)
	if err != nil {
		return "", err
	}
	tile, err := c.Int("tile", 0)
	if err != nil {
		return "", err
	}
	workers, err := c.Int("workers", 0)
	if err != nil {
		return "", err
	}
	return fillTable(p, results.OfSweep, func(set *results.Set) (results.Table, error) {
		step, _, err := sweepOf(set, c)
		if err != nil {
			return results.Table{}, err
		}
		return set.SweepTable(step, name, func(at results.SweepPoint) bool {
			return (tile == 0 || at.Tile == tile) && (workers == 0 || at.Workers == workers)
		})
	})
}

func fillSchedule(p *page, c directive.Call) (string, error) {
	name, err := sceneOf(c)
	if err != nil {
		return "", err
	}
	return fillTable(p, results.OfSchedules, func(set *results.Set) (results.Table, error) {
		step, err := stepOf(set, c)
		if err != nil {
			return results.Table{}, err
		}
		return set.ScheduleTable(step, name)
	})
}

// twoOf returns the steps that the keys from and to name.
func twoOf(c directive.Call) (from, to steps.Step, err error) {
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

func fillCompare(p *page, c directive.Call) (string, error) {
	set, err := p.measured(ofSteps)
	if err != nil {
		return "", err
	}
	from, to, err := twoOf(c)
	if err != nil {
		return "", err
	}
	table, err := set.Compare(from, to)
	if err != nil {
		return "", err
	}
	return table.Markdown() + caption(set), nil
}

func fillExperiment(p *page, c directive.Call) (string, error) {
	set, err := p.measured(ofExperiments)
	if err != nil {
		return "", err
	}
	ratio, err := c.Bool("ratio", true)
	if err != nil {
		return "", err
	}
	units := c.List("units")
	if len(units) == 0 {
		return "", fmt.Errorf("units is %q; want one or more, such as sec/op", c.Get("units"))
	}
	table, err := set.Experiment("raysteps/"+c.Get("pkg"), c.Get("bench"), units, ratio, c.Get("per"))
	if err != nil {
		return "", err
	}
	below, err := p.captionOf(set, ofExperiments)
	return table.Markdown() + below, err
}

func fillRatio(p *page, c directive.Call) (string, error) {
	set, err := p.measured(ofSteps)
	if err != nil {
		return "", err
	}
	from, to, err := twoOf(c)
	if err != nil {
		return "", err
	}
	if _, err := scene.ByName(c.Get("scene")); err != nil {
		return "", err
	}
	v, err := set.Ratio(results.RenderKey(to.Package(), c.Get("scene")), results.RenderKey(from.Package(), c.Get("scene")), "rays/s")
	return fmt.Sprintf("%.2f", v.Center), err
}

// rate returns the rays a second of the step and scene of a call.
func rate(p *page, c directive.Call) (estimate.Estimate, error) {
	set, err := p.measured(ofSteps)
	if err != nil {
		return estimate.Estimate{}, err
	}
	step, err := steps.Find(c.Get("step"))
	if err != nil {
		return estimate.Estimate{}, err
	}
	if _, err := scene.ByName(c.Get("scene")); err != nil {
		return estimate.Estimate{}, err
	}
	return set.Estimate(results.RenderKey(step.Package(), c.Get("scene")), "rays/s")
}

// duration writes a time with up to three digits. It is rounded first, so
// that 999.9 ns are 1 µs.
func duration(seconds float64) string {
	if rounded, err := strconv.ParseFloat(strconv.FormatFloat(seconds, 'e', 2, 64), 64); err == nil {
		seconds = rounded
	}
	for _, unit := range []struct {
		name string
		size float64
	}{{"s", 1}, {"ms", 1e-3}, {"µs", 1e-6}} {
		if seconds >= unit.size {
			return fmt.Sprintf("%.3g %s", seconds/unit.size, unit.name)
		}
	}
	return fmt.Sprintf("%.3g ns", seconds*1e9)
}

// pictureSize is that of the pictures in the pages.
var pictureSize = common.Settings{Width: 480, Height: 270, Samples: 10, Bounces: 50, Workers: 1}

// picturing is the step that renders the pictures: the last with a number, and
// none of beyond, which may draw other random numbers on other machines.
func picturing() steps.Step {
	numbered := steps.Numbered()
	return numbered[len(numbered)-1]
}

// pictures renders each scene at most once in a process.
var pictures = func() map[string]func() *film.Film {
	all := map[string]func() *film.Film{}
	for _, name := range scene.Names() {
		all[name] = sync.OnceValue(func() *film.Film {
			sc, err := scene.ByName(name)
			if err != nil {
				panic(err) // the name is one of scene.Names
			}
			f := film.New(pictureSize.Width, pictureSize.Height)
			picturing().New(sc).Render(f, pictureSize)
			return f
		})
	}
	return all
}()

// picture renders a scene into docs/pictures and returns the Markdown that
// shows it.
func (p *page) picture(name string) (string, error) {
	render, ok := pictures[name]
	if !ok {
		_, err := scene.ByName(name)
		return "", err
	}
	var b bytes.Buffer
	if err := render().WritePNG(&b); err != nil {
		return "", err
	}
	file := path.Join("docs/pictures", name+".png")
	p.asset(file, b.Bytes(), samePixels(0))
	return fmt.Sprintf("![The %s scene](%s)", name, p.link(file)), nil
}

// unbroken keeps the figures of a wide table in one line each. In a narrow
// window they would wrap, and the columns to the right stay out of it all the
// same.
func unbroken(markdown string) string {
	return figure.ReplaceAllStringFunc(markdown, func(s string) string { return strings.ReplaceAll(s, " ", "\u00A0") })
}

// figure is a number and its interval: "503.1k ± 9%", "1.07 (1.03 to 1.11)".
var figure = regexp.MustCompile(`[0-9]\S* ± \S+|[0-9.]+ \([0-9.]+ to [0-9.]+\)`)
