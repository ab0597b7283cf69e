package main

import (
	"bytes"
	"errors"
	"fmt"
	"image/png"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/perf/benchmath"

	"raysteps/common"
	"raysteps/common/film"
	"raysteps/common/scene"
	"raysteps/scripts/internal/directive"
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
		Required: []string{"pkg", "bench", "units"}, Optional: []string{"ratio"},
		Usage: "experiment pkg=step01 bench=HitLoop units=sec/op,B/op [ratio=no]",
		Help: `The sub-benchmarks of a chapter's own benchmark. The first unit is
compared with the first row, except with ratio=no.`,
	}, fillExperiment)
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

// The two kinds of measurements.
const (
	ofSteps       = "steps"
	ofExperiments = "experiments"
)

// published names, for each kind, the file in results that the pages show.
const published = "results/published"

// measured returns the measurements of a kind that the pages show.
func (s *site) measured(kind string) (*results.Set, error) {
	if set, ok := s.sets[kind]; ok {
		return set, nil
	}
	names, err := s.published()
	if err != nil {
		return nil, err
	}
	name, ok := names[kind]
	if !ok {
		return nil, fmt.Errorf("%s names no file of %s; put one there with go run ./scripts/readme -publish FILE", published, kind)
	}
	f, err := os.Open(s.path(path.Join("results", name)))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", published, err)
	}
	defer f.Close()
	set, err := results.Read(f, path.Join("results", name))
	if err != nil {
		return nil, err
	}
	s.sets[kind] = set
	return set, nil
}

// published reads which files are shown, by kind.
func (s *site) published() (map[string]string, error) {
	names := map[string]string{}
	text, err := os.ReadFile(s.path(published))
	if errors.Is(err, fs.ErrNotExist) {
		return names, nil
	}
	if err != nil {
		return nil, err
	}
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		kind, name, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok || (kind != ofSteps && kind != ofExperiments) {
			return nil, fmt.Errorf("%s:%d: %q; want %s: FILE or %s: FILE", published, n, strings.TrimSpace(line), ofSteps, ofExperiments)
		}
		names[kind] = name
	}
	return names, nil
}

// publish makes the measurements in files those that the pages show: it
// copies them into results under the machine's name. Nothing is written
// before all pages could be filled.
func (s *site) publish(files []string, machine string) error {
	if len(files) == 0 {
		return nil
	}
	names, err := s.published()
	if err != nil {
		return err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("-publish: %w", err)
		}
		set, err := results.Read(bytes.NewReader(text), file)
		if err != nil {
			return fmt.Errorf("-publish: %w", err)
		}
		kind, err := kindOf(set)
		if err != nil {
			return fmt.Errorf("-publish: results %q: %w", file, err)
		}
		if s.sets[kind] != nil {
			return fmt.Errorf("-publish: results %q: a second file of %s; want one of each kind", file, kind)
		}
		s.sets[kind] = set
		names[kind] = fileName(set, kind, machine)
		s.asset(path.Join("results", names[kind]), text, nil)
	}
	var list strings.Builder
	for _, kind := range []string{ofSteps, ofExperiments} {
		if names[kind] != "" {
			fmt.Fprintf(&list, "%s: %s\n", kind, names[kind])
		}
	}
	s.asset(published, []byte(list.String()), nil)
	return nil
}

// kindOf tells the kind of measurements, or why they cannot be published.
func kindOf(set *results.Set) (string, error) {
	if rounds := set.Rounds(); rounds < results.MinRounds {
		return "", fmt.Errorf("%d rounds; want %d or more, for an interval", rounds, results.MinRounds)
	}
	if len(set.Scenes()) == 0 {
		return ofExperiments, nil
	}
	if missing := set.Missing(steps.All(), scene.Names()); len(missing) > 0 {
		return "", fmt.Errorf("%d measurements are missing, %s the first; want all steps and scenes", len(missing), missing[0])
	}
	return ofSteps, nil
}

func fileName(set *results.Set, kind, machine string) string {
	if machine == "" {
		machine = strings.Join([]string{set.Config["cpu"], set.Config["cpu-family"], set.Config["goos"]}, " ")
	}
	name := slug(machine)
	if kind == ofExperiments {
		name += "-experiments"
	}
	return name + ".txt"
}

var notInSlug = regexp.MustCompile(`[^a-z0-9]+`)

// slug turns the name of a machine into that of a file.
func slug(name string) string {
	name = strings.Map(unicode.ToLower, name)
	return strings.Trim(notInSlug.ReplaceAllString(name, "-"), "-")
}

func caption(set *results.Set) string { return "\n*" + set.Machine() + "*\n" }

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
		fmt.Fprintf(&b, "The %s scene:\n\n%s", name, table.Markdown())
	}
	b.WriteString(caption(set))
	return b.String(), nil
}

func fillCompare(p *page, c directive.Call) (string, error) {
	set, err := p.measured(ofSteps)
	if err != nil {
		return "", err
	}
	from, err := steps.Find(c.Get("from"))
	if err != nil {
		return "", err
	}
	to, err := steps.Find(c.Get("to"))
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
	table, err := set.Experiment("raysteps/"+c.Get("pkg"), c.Get("bench"), c.List("units"), ratio)
	if err != nil {
		return "", err
	}
	return table.Markdown() + caption(set), nil
}

func fillRatio(p *page, c directive.Call) (string, error) {
	set, err := p.measured(ofSteps)
	if err != nil {
		return "", err
	}
	from, err := steps.Find(c.Get("from"))
	if err != nil {
		return "", err
	}
	to, err := steps.Find(c.Get("to"))
	if err != nil {
		return "", err
	}
	v, err := set.Ratio(results.RenderKey(to.Package(), c.Get("scene")), results.RenderKey(from.Package(), c.Get("scene")), "rays/s")
	return fmt.Sprintf("%.2f", v.Center), err
}

// rate returns the rays a second of the step and scene of a call.
func rate(p *page, c directive.Call) (benchmath.Summary, error) {
	set, err := p.measured(ofSteps)
	if err != nil {
		return benchmath.Summary{}, err
	}
	step, err := steps.Find(c.Get("step"))
	if err != nil {
		return benchmath.Summary{}, err
	}
	return set.Median(results.RenderKey(step.Package(), c.Get("scene")), "rays/s")
}

// duration writes a time of less than a second with three digits.
func duration(seconds float64) string {
	for _, unit := range []struct {
		name string
		size float64
	}{{"ms", 1e-3}, {"µs", 1e-6}} {
		if seconds >= unit.size {
			return fmt.Sprintf("%.3g %s", seconds/unit.size, unit.name)
		}
	}
	return fmt.Sprintf("%.3g ns", seconds*1e9)
}

// pictureSize is that of the pictures in the pages.
var pictureSize = common.Settings{Width: 480, Height: 270, Samples: 10, Bounces: 50, Workers: 1}

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
			steps.Latest().New(sc).Render(f, pictureSize)
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
	p.asset(file, b.Bytes(), samePixels)
	return fmt.Sprintf("![The %s scene](%s)", name, p.link(file)), nil
}

// samePixels compares what two PNG files show. Two versions of Go may
// compress the same picture differently.
func samePixels(a, b []byte) bool {
	x, err := png.Decode(bytes.NewReader(a))
	if err != nil {
		return false
	}
	y, err := png.Decode(bytes.NewReader(b))
	if err != nil || x.Bounds() != y.Bounds() {
		return false
	}
	for i := x.Bounds().Min.Y; i < x.Bounds().Max.Y; i++ {
		for j := x.Bounds().Min.X; j < x.Bounds().Max.X; j++ {
			if x.At(j, i) != y.At(j, i) {
				return false
			}
		}
	}
	return true
}
