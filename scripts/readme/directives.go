package main

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"raysteps/scripts/internal/page"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/source"
	"raysteps/scripts/internal/steps"
	"raysteps/scripts/internal/toolchain"
)

// directives are all of them, by name.
func (s *site) directives() map[string]page.Directive {
	return map[string]page.Directive{
		"listing": {Required: []string{"file"}, Optional: []string{"decl", "doc=no", "match"}, Help: `file=step04/sphere.go decl=Sphere.Hit
The source of declarations, or of a whole file without its package clause.
doc=no leaves the doc comments off. In an assembly file, decl is the name of
a TEXT block. match=REGEXP chooses paragraphs, pieces between empty lines.`, Fill: s.listing},
		"diff": {Required: []string{"from", "to"}, Optional: []string{"file"}, Help: `from=3 to=4 file=sphere.go
The lesson between two steps, as go run ./scripts/diff shows it, of all files
or some.`, Fill: s.diff},
		"table": {Required: []string{"show"}, Optional: page.SpecKeys, Help: `steps=3,4 rows=/scene cols=step show="rays/s, rays/s over 3"
A table of measurements. steps, pkg, bench (Render, if there is none), where (a
filter of benchstat) and builds=yes or noise=yes choose benchmarks. rows and cols
are fields as in benchstat, and step, label, question and program; without rows the
keys of the names are. show lists the columns: UNIT [over BASE] [as FORM]. BASE is a
step or a package, before, first, first of KEY, KEY=VALUE, peer, or peer FLAGS; FORM
is short or place. machine is the name of another file in results than that of the
machine that the pages are about. With own=instead the reader's own figures stand in
place of the published ones.`, Fill: s.table},
		"chart": {Required: []string{"file", "title", "rows", "cols", "show", "ytitle"}, Optional: append([]string{"linear=yes", "xtitle"}, page.SpecKeys...), Help: `file=spheres rows=/spheres cols=step show=rays/s ytitle="rays per second" title="..."
A chart of a table, drawn into docs/charts: rows is across, step, link-order, or a key
whose values are numbers; cols are the series; several columns are parts of a bar.
linear=yes is for the vertical axis.`, Fill: s.chart},
		"number": {Required: []string{"of"}, Optional: page.NumberKeys, Help: `of=4 over=3 scene=large
A figure in a sentence, of a step or a package: in its unit (rays/s, if there is
none), such as sec/picture, cycles/sphere or instructions/sphere. With over it is a
ratio, or with as=place what that is at the best place of the code over the worst. It
is always of a published machine.`, Fill: s.number},
		"run": {Required: []string{"cmd"}, Optional: []string{"match"}, Help: `cmd="go build -gcflags=-m ./step02" match=REGEXP
The lines that match in the output of a command that a reader can type: go build and
go run of packages of the module. What another Go said stays, until it is deleted.`, Fill: s.runCommand},
		"predict": {Required: []string{"of", "over", "ours"}, Optional: append([]string{"ask"}, page.NumberKeys...), Help: `of=4 over=3 scene=large ours=1.00
A question for a ratio that the page shows later, as a line of a list, with our own
answer folded. The keys are those of number. ask="..." has other words.`, Fill: s.predict},
		"predictions": {Help: `
All that the chapters ask, our answers, and what was measured, the worst first.`, Fill: s.predictions},
	}
}

// link returns the address of a file of the module, given by its path from the root,
// as a link in the page of a directive has to name it.
func link(c *page.Call, file string) string {
	return strings.Repeat("../", strings.Count(path.Clean(c.Page), "/")) + file
}

func (s *site) listing(c *page.Call) (string, error) {
	file := c.Get("file")
	text, err := source.Listing(s.root, file, c.Get("doc") == "", c.List("decl")...)
	if err != nil {
		return "", err
	}
	match, err := regexp.Compile(c.Get("match"))
	if err != nil {
		return "", err
	}
	if c.Get("match") != "" {
		text = strings.Join(slices.DeleteFunc(strings.Split(text, "\n\n"), func(p string) bool { return !match.MatchString(p) }), "\n\n")
		if text == "" {
			return "", fmt.Errorf("%s has no paragraph there that matches %s", file, c.Get("match"))
		}
	}
	language := cmp.Or(map[string]string{".go": "go", ".s": "asm", ".json": "json"}[path.Ext(file)], "text")
	return fmt.Sprintf("[%s](%s)\n\n%s", file, link(c, file), page.Fence(language, text)), nil
}

func (s *site) diff(c *page.Call) (string, error) {
	from, err := steps.Find(c.Get("from"))
	c.Fail(err)
	to, err := steps.Find(c.Get("to"))
	c.Fail(err)
	l, err := source.Diff(s.root, from.Folder(), to.Folder(), c.List("file")...)
	if err == nil && l.Patch() == "" {
		err = fmt.Errorf("%s and %s do not differ there; want two steps, and a file that does", c.Get("from"), c.Get("to"))
	}
	return page.Fence("diff", l.Patch()), err
}

// captioned writes a caption on lines of its own. On a page only the first one says all of
// where the figures were measured; a later one says what differs from that, if anything does.
func (s *site) captioned(page string, set *results.Set, text string) string {
	first, later := s.captions[page]
	if set.Own {
		text = "Yours: " + text
	} else if later {
		parts := slices.DeleteFunc(strings.Split(text, ", "), func(part string) bool { return slices.Contains(first, part) })
		if len(parts) == 0 {
			return ""
		}
		text = "Here: " + strings.Join(parts, ", ")
	} else {
		s.captions[page] = strings.Split(text, ", ")
	}
	return "\n*" + text + "*\n"
}

// chosen is what a table or a chart shows of a machine: with own=instead of the reader's, if
// that has it.
func chosen[T any](s *site, c *page.Call, of func(*results.Set) (T, error)) (shown T, set *results.Set, err error) {
	if set, err = page.Machine(c, s.published); err == nil {
		shown, err = of(set)
	}
	if err == nil && s.own != nil && c.Get("own") != "" {
		if own, err := of(s.own); !errors.Is(err, results.ErrNotMeasured) {
			return own, s.own, err
		}
	}
	return shown, set, err
}

func (s *site) table(c *page.Call) (string, error) {
	spec := page.Spec(c)
	t, set, err := chosen(s, c, func(set *results.Set) (results.Table, error) { return set.Table(spec) })
	if err != nil {
		return "", err
	}
	text := t.Markdown()
	for _, step := range steps.All() {
		text = strings.Replace(text, "| "+step.Question+" |", fmt.Sprintf("| [%s](%s) |", step.Question, link(c, "docs/"+step.Name+".md")), 1)
	}
	return text + s.captioned(c.Page, set, t.Caption), nil
}

func (s *site) chart(c *page.Call) (string, error) {
	fig, set, err := chosen(s, c, func(set *results.Set) (results.Figure, error) { return page.Figure(c, set) })
	if err != nil {
		return "", err
	}
	svg, alt, note, err := drawFigure(fig)
	if err != nil {
		return "", fmt.Errorf("drawing the chart: %w", err)
	}
	file := "docs/charts/" + c.Get("file") + ".svg"
	have, err := s.read(file)
	s.charts = append(s.charts, result{file, have, svg})
	return fmt.Sprintf("![%s; %s](%s)\n\n%s.%s\n%s", c.Get("title"), alt, link(c, file), c.Get("title"), note, s.captioned(c.Page, set, fig.Caption)), err
}

func (s *site) number(c *page.Call) (string, error) { return s.measured(c, page.Number(c)) }

func (s *site) measured(c *page.Call, spec results.NumberSpec) (string, error) {
	set, err := page.Machine(c, s.published)
	if err != nil {
		return "", err
	}
	return set.Number(spec)
}

// credited finds in a region what made it: a version of Go, and for what.
var credited = regexp.MustCompile(`\*(go[0-9][^,*\n]*), ([^*\n]+)\*`)

// runCommand shows what a command prints, and says which Go made it. A region that
// another Go made is kept: it may well say something else.
func (s *site) runCommand(c *page.Call) (string, error) {
	command, language, by := c.Get("cmd"), "text", toolchain.Target
	program := strings.Contains(command, "go run ")
	if program {
		language, by = "", "any processor"
	}
	version, err := toolchain.Version(s.root)
	if err != nil {
		return "", err
	}
	if m := credited.FindStringSubmatch(c.Old); m != nil && (m[1] != version || m[2] != by) {
		s.kept[fmt.Sprintf("made with %s, %s, and this is %s, %s", m[1], m[2], version, by)]++
		return c.Old, nil
	}
	out, err := toolchain.Output(s.root, command)
	if err != nil {
		return "", err
	}
	match, err := regexp.Compile(c.Get("match"))
	if err != nil {
		return "", err
	}
	lines := slices.DeleteFunc(slices.Collect(strings.Lines(out)), func(line string) bool {
		return strings.HasPrefix(line, "#") || !match.MatchString(line)
	})
	if !program { // the compiler's order varies
		slices.Sort(lines)
		lines = slices.Compact(lines)
	}
	if len(lines) == 0 {
		return "", fmt.Errorf("nothing matches in what %s prints; want a match that fits", command)
	}
	return fmt.Sprintf("%s\n\n*%s, %s*: `%s`", page.Fence(language, strings.Join(lines, "")), version, by, command), nil
}

// predict asks a question. The figure itself stays out of the page's region: it is measured,
// so that a question without an answer is an error.
func (s *site) predict(c *page.Call) (string, error) {
	p := page.Predict(c)
	_, err := s.measured(c, p.Number)
	return fmt.Sprintf("- %s <details><summary>Our prediction</summary>%s</details>", p.Question, p.Ours), err
}

// predictions has those of all chapters beside what was measured, the worst first.
func (s *site) predictions(c *page.Call) (string, error) {
	t := results.Table{Header: []string{"step", "question", "ours", "measured", "measured over ours"}, Right: []bool{true, false, true, true, true}}
	far := map[string]float64{} // by how many times an answer was missed, by the question
	for _, step := range steps.All() {
		file := "docs/" + step.Name + ".md"
		text, err := s.read(file)
		c.Fail(err)
		for _, call := range page.Calls(text) {
			if call.Name != "predict" {
				continue
			}
			p := page.Predict(call)
			measured, err := s.measured(call, p.Number)
			if err != nil {
				return "", fmt.Errorf("%s: %w", file, err)
			}
			times, missed := p.Missed(measured)
			far[p.Question] = times
			t.Rows = append(t.Rows, []string{fmt.Sprintf("[%s](%s)", step.Short(), link(c, file)), p.Question, p.Ours, measured, missed})
		}
	}
	if len(t.Rows) == 0 {
		return "", fmt.Errorf("no chapter has a prediction; want <!-- raysteps:predict ... --> in docs/step01.md or another")
	}
	slices.SortStableFunc(t.Rows, func(a, b []string) int { return cmp.Compare(far[b[1]], far[a[1]]) })
	return t.Markdown(), nil
}
