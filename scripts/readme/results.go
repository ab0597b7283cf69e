package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"image/png"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"golang.org/x/perf/benchmath"

	"raysteps/common"
	"raysteps/common/film"
	"raysteps/common/scene"
	"raysteps/scripts/internal/cli"
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
		Required: []string{"pkg", "bench", "units"}, Optional: []string{"ratio", "per"},
		Usage: "experiment pkg=step01 bench=HitLoop units=sec/op,B/op [ratio=no] [per=n]",
		Help: `The sub-benchmarks of a chapter's own benchmark. Units are those of
benchstat: sec/op, not ns/op. The first one is compared with the first row,
except with ratio=no.`,
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
	register("value", directive.Directive{
		Required: []string{"pkg", "bench", "unit"},
		Usage:    "value pkg=step09 bench=FirstPass/a=one/square=stored unit=sec/op",
		Help:     "The median of one row of an experiment. " + inline,
	}, func(p *page, c directive.Call) (string, error) {
		set, err := p.measured(ofExperiments)
		if err != nil {
			return "", err
		}
		v, err := set.Median(results.Key{Package: "raysteps/" + c.Get("pkg"), Name: c.Get("bench")}, c.Get("unit"))
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

// The two kinds of measurements.
const (
	ofSteps       = "steps"
	ofExperiments = "experiments"
)

// published names, for each kind, the file in results that the pages show.
const published = "results/published"

// measured returns the measurements of a kind that the pages show. What is
// wrong with them is said once, and not again for each directive: a set that
// could not be read is kept as nil.
func (s *site) measured(kind string) (*results.Set, error) {
	set, tried := s.sets[kind]
	if set != nil {
		return set, nil
	}
	if tried {
		return nil, &directive.Kept{Reason: "the " + kind + " could not be read"}
	}
	set, err := s.readPublished(kind)
	s.sets[kind] = set
	return set, err
}

func (s *site) readPublished(kind string) (*results.Set, error) {
	names, err := s.published()
	if err != nil {
		return nil, err
	}
	name, ok := names[kind]
	if !ok {
		return nil, fmt.Errorf("%s names no file of %s; put one there with go run ./scripts/readme -publish FILE", published, kind)
	}
	file := path.Join("results", name)
	text, err := os.ReadFile(s.path(file))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s names %s, which does not exist; want a file in results", published, file)
	}
	if err != nil {
		return nil, fmt.Errorf("%s names %s: %w", published, file, err)
	}
	set, is, err := readSet(file, text)
	if err != nil {
		return nil, err
	}
	if is != kind {
		return nil, fmt.Errorf("%s names %s, which holds %s; want %s", published, file, is, kind)
	}
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
		line = strings.TrimSpace(line)
		kind, name, ok := strings.Cut(line, ": ")
		if !ok || (kind != ofSteps && kind != ofExperiments) {
			return nil, fmt.Errorf("%s:%d: %q; want %s: FILE or %s: FILE", published, n, line, ofSteps, ofExperiments)
		}
		if strings.ContainsAny(name, `/\`) || !filepath.IsLocal(name) {
			return nil, fmt.Errorf("%s:%d: %q; want the name of a file in results, without a folder", published, n, name)
		}
		if names[kind] != "" {
			return nil, fmt.Errorf("%s:%d: a second file of %s; want one of each kind", published, n, kind)
		}
		names[kind] = name
	}
	return names, nil
}

// publish makes the measurements in files those that the pages show: it
// copies them into results under the machine's name, unless they are there
// already. Nothing is written before all pages could be filled. It returns
// the kinds of the files.
func (s *site) publish(files []string, machine string) (kinds []string, err error) {
	if len(files) == 0 {
		return nil, nil
	}
	names, err := s.published()
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		if info, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
			return nil, cli.Misuse("-publish: results %q: does not exist; want a file that scripts/bench wrote", file)
		} else if err == nil && info.IsDir() {
			return nil, cli.Misuse("-publish: results %q: is a folder; want a file that scripts/bench wrote", file)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, cli.Misuse("-publish: results %q: %w", file, err)
		}
		set, kind, err := readSet(file, text)
		if err != nil {
			return nil, cli.Misuse("-publish: %w", err)
		}
		if err := publishable(set, kind); err != nil {
			return nil, cli.Misuse("-publish: results %q: %w", file, err)
		}
		if slices.Contains(kinds, kind) {
			return nil, cli.Misuse("-publish: results %q: a second file of %s; want one of each kind", file, kind)
		}
		name := s.inResults(file)
		if name == "" || machine != "" {
			if name, err = fileName(set, kind, machine); err != nil {
				return nil, err
			}
			s.asset(path.Join("results", name), text, nil)
		}
		s.sets[kind], names[kind] = set, name
		kinds = append(kinds, kind)
	}
	if names[ofSteps] == names[ofExperiments] {
		return nil, cli.Misuse("-publish: results/%s would hold the steps and the experiments; want another -machine", names[ofSteps])
	}
	var list strings.Builder
	for _, kind := range []string{ofSteps, ofExperiments} {
		if names[kind] != "" {
			fmt.Fprintf(&list, "%s: %s\n", kind, names[kind])
		}
	}
	s.asset(published, []byte(list.String()), nil)
	return kinds, nil
}

// readSet reads the text of a file and tells its kind. That all steps were
// measured equally often is looked at here, since a file that was cut short
// would otherwise fail in each directive that compares two of them.
func readSet(name string, text []byte) (set *results.Set, kind string, err error) {
	if set, err = results.Read(bytes.NewReader(text), name); err != nil {
		return nil, "", err
	}
	if len(set.Scenes()) == 0 {
		return set, ofExperiments, nil
	}
	var first results.Key
	rounds := 0
	for _, key := range set.Keys() {
		if !strings.HasPrefix(key.Name, "Render/") {
			continue
		}
		for _, unit := range []string{"sec/op", "rays/op", "rays/s"} {
			values, err := set.Values(key, unit)
			if err != nil {
				return nil, "", err
			}
			if rounds == 0 {
				first, rounds = key, len(values)
			}
			if len(values) != rounds {
				return nil, "", fmt.Errorf("results %q: %d values of %s in %s and %d of %s; want whole rounds, as scripts/bench writes them",
					name, len(values), key, unit, rounds, first)
			}
		}
	}
	return set, ofSteps, nil
}

// publishable says why measurements of a kind cannot be published.
func publishable(set *results.Set, kind string) error {
	if rounds := set.Rounds(); rounds < results.MinRounds {
		return fmt.Errorf("too few rounds, %d; want %d or more, for an interval", rounds, results.MinRounds)
	}
	if kind == ofSteps {
		if missing := set.Missing(steps.All(), scene.Names()); len(missing) > 0 {
			return fmt.Errorf("%d measurements are missing, %s the first; want all steps and scenes", len(missing), missing[0])
		}
	}
	return nil
}

// inResults returns the name of a file that is in the folder results, as it
// is spelled there, and "" for any other.
func (s *site) inResults(file string) string {
	info, err := os.Stat(file)
	if err != nil {
		return ""
	}
	entries, err := os.ReadDir(s.path("results"))
	if err != nil {
		return ""
	}
	for _, e := range entries {
		if other, err := e.Info(); err == nil && os.SameFile(info, other) {
			return e.Name()
		}
	}
	return ""
}

// fileName is that of the published copy of a file.
func fileName(set *results.Set, kind, machine string) (string, error) {
	name := slug(machine)
	if machine == "" {
		cpu := cmp.Or(set.Config["cpu"], set.Config["cpu-brand"])
		name = slug(strings.Join([]string{cpu, set.Config["cpu-family"], set.Config["goos"]}, " "))
	}
	switch {
	case name == "" && machine == "":
		return "", cli.Misuse("-publish: results %q: says neither cpu nor goos; want a name for the machine, with -machine", set.Name)
	case name == "" || len(name) > 100:
		return "", cli.Misuse("-machine is %q; want a name with letters a to z or digits, 100 at the most", machine)
	}
	if kind == ofExperiments {
		name += "-experiments"
	}
	return name + ".txt", nil
}

var notInSlug = regexp.MustCompile(`[^a-z0-9]+`)

// slug turns the name of a machine into that of a file.
func slug(name string) string {
	name = strings.Map(unicode.ToLower, name)
	return strings.Trim(notInSlug.ReplaceAllString(name, "-"), "-")
}

// sameMachine reports whether two sets may be of the same machine, as far as
// both say something of it and as far as captions tell.
func sameMachine(a, b *results.Set) bool {
	for _, key := range []string{"goos", "goarch", "cpu", "cpu-brand", "cpu-family", "cpu-cores"} {
		if x, y := a.Config[key], b.Config[key]; x != "" && y != "" && x != y {
			return false
		}
	}
	return true
}

// others says which measurements in the pages are of another machine than
// those of the kinds that were published just now.
func (s *site) others(kinds []string) []string {
	commands := map[string]string{ofSteps: "go run ./scripts/bench -quick", ofExperiments: "go run ./scripts/bench -experiments"}
	var lines []string
	for _, kind := range []string{ofSteps, ofExperiments} {
		set := s.sets[kind]
		if len(kinds) == 0 || set == nil || slices.Contains(kinds, kind) || sameMachine(set, s.sets[kinds[0]]) {
			continue
		}
		lines = append(lines, fmt.Sprintf("The %s in the pages are still those of %s, of another machine; %s measures yours", kind, set.Name, commands[kind]))
	}
	return lines
}

// caption says below a table where and how the figures were measured.
func caption(set *results.Set) string { return "\n*" + set.Machine() + "*\n" }

// experimentsCaption is the same for experiments. They are published apart
// from the steps, and say so if they are of another machine: a page shows
// both, and their times cannot be compared.
func (s *site) experimentsCaption(set *results.Set) (string, error) {
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
		fmt.Fprintf(&b, "The %s scene:\n\n%s", name, table.Markdown())
	}
	b.WriteString(caption(set))
	return b.String(), nil
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
	below, err := p.experimentsCaption(set)
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
func rate(p *page, c directive.Call) (benchmath.Summary, error) {
	set, err := p.measured(ofSteps)
	if err != nil {
		return benchmath.Summary{}, err
	}
	step, err := steps.Find(c.Get("step"))
	if err != nil {
		return benchmath.Summary{}, err
	}
	if _, err := scene.ByName(c.Get("scene")); err != nil {
		return benchmath.Summary{}, err
	}
	return set.Median(results.RenderKey(step.Package(), c.Get("scene")), "rays/s")
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
// compress the same picture differently, and other programs pack pixels into
// a palette.
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
			xr, xg, xb, xa := x.At(j, i).RGBA()
			yr, yg, yb, ya := y.At(j, i).RGBA()
			if xr != yr || xg != yg || xb != yb || xa != ya {
				return false
			}
		}
	}
	return true
}
