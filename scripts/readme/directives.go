package main

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/dustin/go-humanize/english"

	"raysteps/scripts/internal/chart"
	"raysteps/scripts/internal/page"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/source"
	"raysteps/scripts/internal/steps"
	"raysteps/scripts/internal/toolchain"
)

// directives are all of them, by name.
func (s *site) directives() map[string]page.Directive {
	return map[string]page.Directive{
		"listing": {Required: []string{"file"}, Optional: []string{"decl", "doc", "match"}, Help: `file=step04/sphere.go decl=Sphere.Hit
The source of declarations, or of a whole file without its package clause.
doc=no leaves the doc comments off. In an assembly file, decl is the name of
a TEXT block. match=REGEXP chooses paragraphs, pieces between empty lines.`, Fill: s.listing},
		"diff": {Required: []string{"from", "to"}, Optional: []string{"file"}, Help: `from=3 to=4 file=sphere.go
The lesson between two steps, as go run ./scripts/diff shows it, of all files
or some.`, Fill: s.diff},
		"table": {Required: []string{"show"}, Optional: append([]string{"rows", "cols", "machine", "own"}, page.QueryKeys...), Help: `steps=3,4 rows=/scene cols=step show="rays/s, rays/s over 3"
A table of measurements. steps, pkg, bench (Render, if there is none), where (a
filter of benchstat) and builds=yes or noise=yes choose benchmarks. rows and cols
are fields as in benchstat, and step, label, question and program; without rows the keys of the
names are. show lists the columns: UNIT [over BASE] [as FORM]. BASE is
a step or a package, before, first, first of KEY, KEY=VALUE, peer, peer FLAGS, or a package and a
benchmark; FORM is short, time or place. machine is the name of a
file in results, for another than the first that has the figures. The reader's own stand
in columns beside these, or with own=instead in their place.`, Fill: s.table},
		"chart": {Required: []string{"file", "title", "x", "series", "y", "ytitle"}, Optional: append([]string{"linear", "xtitle", "machine", "own"}, page.QueryKeys...), Help: `file=spheres x=/spheres series=step y=rays/s ytitle="rays per second" title="..."
A chart of measurements, drawn into docs/charts: a point for each benchmark, in
series. y is as in show of a table; several columns are parts of a bar. x is a
field, such as step or link-order. linear=yes is for the vertical axis.`, Fill: s.chart},
		"number": {Required: []string{"of"}, Optional: []string{"bench", "scene", "unit", "over", "overbench", "as", "machine"}, Help: `of=4 over=3 scene=large
A figure in a sentence, of a step or a package: in its unit (rays/s, if there is
none); as=sphere, the time of a sphere (of a count, with unit, what one takes);
as=cycles the same in cycles; as="ray cycles"
that of a ray; as=time, that of a picture. These are by core. With over, the ratio, or with as=change what it
differs from 1 by, in percent. It
is always of a published machine.`, Fill: s.number},
		"run": {Required: []string{"cmd"}, Optional: []string{"match", "func", "from", "to"}, Help: `cmd="go build -gcflags=-m ./step02" match=REGEXP
The output of a command that a reader can type: go build and go run of packages of
the module. match chooses lines. With -gcflags=-S and func it is the instructions of a function, each with its
address and with the line that it comes from; from and to are the source lines of a loop,
with what was inlined there. What another Go said stays, until it is deleted.`, Fill: s.runCommand},
		"predict": {Required: []string{"of", "ours"}, Optional: page.PredictKeys, Help: `of=4 over=3 scene=large ours=1.00
A question for a figure that the page shows later, as a line of a list, with our own
answer folded. The figure is chosen by the keys of number; ours is written as that would
be, with its unit. ask="..." has other words.`, Fill: s.predict},
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
	text, err := source.Listing(s.root, file, c.Bool("doc", true), c.List("decl")...)
	if err == nil && c.Has("match") {
		match, paragraphs := c.Regexp("match"), strings.Split(text, "\n\n")
		text = strings.Join(slices.DeleteFunc(paragraphs, func(p string) bool { return !match.MatchString(p) }), "\n\n")
		if text == "" {
			return "", fmt.Errorf("%s has no paragraph there that matches %s", file, c.Get("match"))
		}
	}
	language := cmp.Or(map[string]string{".go": "go", ".s": "asm", ".json": "json"}[path.Ext(file)], "text")
	return fmt.Sprintf("[%s](%s)\n\n%s", file, link(c, file), page.Fence(language, text)), err
}

func (s *site) diff(c *page.Call) (string, error) {
	from, err := steps.Find(c.Get("from"))
	c.Fail(err)
	to, err := steps.Find(c.Get("to"))
	c.Fail(err)
	if from.Name == to.Name {
		return "", fmt.Errorf("from and to are both %s; want two steps", from.Name)
	}
	l, err := source.Diff(s.root, from.Folder(), to.Folder(), c.List("file")...)
	if err != nil {
		return "", err
	}
	if len(l.Files) == 0 {
		return "", fmt.Errorf("%s and %s do not differ there; want a file that does", from.Name, to.Name)
	}
	return page.Fence("diff", l.Patch()), nil
}

// machines are those that a directive is about: the published ones, or one of them.
func (s *site) machines(c *page.Call) []*results.Set {
	if !c.Has("machine") {
		return s.published
	}
	var names []string
	for _, set := range s.published {
		if names = append(names, set.Name); set.Name == c.Get("machine") {
			return []*results.Set{set}
		}
	}
	c.Fail(fmt.Errorf("machine is %q; want %s", c.Get("machine"), english.WordSeries(names, "or")))
	return nil
}

// instead reports whether the reader's own figures take the place of the published ones.
func (s *site) instead(c *page.Call) bool {
	if own := c.Get("own"); own != "" && own != "instead" {
		c.Fail(fmt.Errorf("own is %q; want instead, or none for columns beside", own))
	}
	return s.own != nil && c.Has("own")
}

// captioned writes a caption on lines of its own. On a page only the first one says all of
// where the published figures were measured; a later one says what differs from that, if
// anything does.
func (s *site) captioned(page string, set *results.Set, text string) string {
	first, later := s.captions[page]
	switch {
	case set.Own:
		text = "Yours: " + text
	case set.Name != results.Reference:
		text = "Not the machine of the other tables: " + text
	case later:
		parts := slices.DeleteFunc(strings.Split(text, ", "), func(part string) bool { return slices.Contains(first, part) })
		if len(parts) == 0 {
			return ""
		}
		text = "Here: " + strings.Join(parts, ", ")
	default:
		s.captions[page] = strings.Split(text, ", ")
	}
	return "\n*" + text + "*\n"
}

// table makes one with the reader's own figures, if they are there.
func (s *site) table(c *page.Call) (string, error) {
	spec := page.Table(c)
	spec.Words = func(text string) string {
		for _, step := range steps.All() {
			if text == step.Question {
				return fmt.Sprintf("[%s](%s)", text, link(c, "docs/"+step.Name+".md"))
			}
		}
		return page.Words(text)
	}
	tabulate := func(sets ...*results.Set) (results.Table, error) { return results.Tabulate(sets, spec) }
	t, first, err := results.FirstOf(s.machines(c), func(set *results.Set) (results.Table, error) { return tabulate(set) })
	if err != nil {
		return "", err
	}
	if s.instead(c) {
		if own, err := tabulate(s.own); err == nil && len(own.Rows) > 0 {
			t = own
		}
	} else if s.own != nil {
		t, err = tabulate(first, s.own)
	}
	text := t.Markdown()
	for _, line := range t.Caption {
		text += s.captioned(c.Page, line.Set, line.Text)
	}
	return text, err
}

func (s *site) chart(c *page.Call) (string, error) {
	spec := page.Figure(c)
	fig, set, err := results.FirstOf(s.machines(c), func(set *results.Set) (results.Figure, error) { return set.Figure(spec) })
	if err != nil {
		return "", err
	}
	if s.instead(c) {
		if own, err := s.own.Figure(spec); err == nil {
			fig, set = own, s.own
		}
	}
	svg, alt, note, err := chart.Draw(fig)
	if err != nil {
		return "", fmt.Errorf("drawing the chart: %w", err)
	}
	file := "docs/charts/" + c.Get("file") + ".svg"
	err = s.asset(file, svg, bytes.Equal)
	return fmt.Sprintf("![%s; %s](%s)\n\n%s.%s\n%s", c.Get("title"), alt, link(c, file), c.Get("title"), note, s.captioned(c.Page, set, fig.Caption)), err
}

func (s *site) number(c *page.Call) (string, error) {
	spec := page.Number(c)
	text, _, err := results.FirstOf(s.machines(c), func(set *results.Set) (string, error) { return set.Number(spec) })
	return text, err
}

// credited finds in a region what made it: a version of Go, and for what.
var credited = regexp.MustCompile(`\*(go[0-9][^,*\n]*), ([^*\n]+)\*`)

// runCommand shows what a command prints, and says which Go made it. A region that
// another Go made is kept: it may well say something else.
func (s *site) runCommand(c *page.Call) (string, error) {
	command := c.Get("cmd")
	program := strings.Contains(command, "go run ")
	by := toolchain.Target
	if program {
		by = "any processor"
	} else if with, _, ok := strings.Cut(command, " go "); ok {
		by += ", " + with
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
	language, text := "text", ""
	if c.Has("func") {
		language = "asm"
		text, err = toolchain.Assembly(out, c.Get("func"), c.Int("from", 1), c.Int("to", math.MaxInt))
	} else {
		lines := slices.Collect(strings.Lines(out))
		if program {
			language = ""
		} else { // the order varies
			slices.Sort(lines)
			lines = slices.Compact(lines)
		}
		match := c.Regexp("match")
		for _, line := range lines {
			if !strings.HasPrefix(line, "#") && match.MatchString(line) {
				text += line
			}
		}
	}
	if err == nil && text == "" {
		err = fmt.Errorf("nothing is chosen of what %s prints; want a match or lines that fit", command)
	}
	return fmt.Sprintf("%s\n\n*%s, %s*: `%s`", page.Fence(language, text), version, by, command), err
}
