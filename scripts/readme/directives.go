package main

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"raysteps/common/scene"
	"raysteps/scripts/internal/chart"
	"raysteps/scripts/internal/directive"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/source"
	"raysteps/scripts/internal/steps"
)

// kind is a directive whose content depends on the page that it stands in.
type kind struct {
	required, optional []string
	help               string
	fill               func(*page, *directive.Call) (string, error)
}

// kinds are all of them, by name.
var kinds = map[string]kind{
	"listing": {[]string{"file"}, []string{"decl", "doc"}, `file=step04/sphere.go decl=Sphere.Hit
The source of declarations, or of a whole file without its package clause.
doc=no leaves the doc comments off. In an assembly file, decl is the name of
a TEXT block.`, fillListing},
	"diff": {[]string{"from", "to"}, []string{"file"}, `from=3 to=4 file=sphere.go
The lesson between two steps, as go run ./scripts/diff shows it, of all files
or some.`, fillDiff},
	"table": {[]string{"show"}, append([]string{"rows", "cols", "each", "machines", "own"}, results.QueryKeys...), `steps=3,4 rows=/scene cols=step show="rays/s, rays/s over 3"
A table of measurements. steps, pkg, bench (Render, if there is none), where (a
filter of benchstat) and builds=yes or noise=yes choose benchmarks. rows and cols
are fields as in benchstat, and step, label and program; without rows the keys of
the names are. show lists the columns: UNIT [over BASE] [as FORM]. BASE is
a step or a package, before, first, first of KEY, KEY=VALUE, peer, or a package and a
benchmark; FORM is short, share, efficiency, relative, time or rays.
each=/scene makes a table for each value. machines=all shows all machines side by
side. The reader's own figures stand in columns beside, or with own=below in a table
of their own.`, fillTable},
	"chart": {[]string{"file", "title", "x", "series", "y"}, append([]string{"linear", "ideal", "xtitle", "ytitle"}, results.QueryKeys...), `file=spheres x=/spheres series=step y=rays/s title="..."
A chart of measurements, drawn into docs/charts: a point for each benchmark, in
series. y is as in show of a table. x is a field, a count such as
instructions/ray, or link-order, for which series may be place. linear=yes is for the
vertical axis; ideal=yes draws y = x.`, fillChart},
	"number": {[]string{"of"}, []string{"bench", "scene", "unit", "over", "overbench", "as", "per", "flops", "peak"}, `of=4 over=3 scene=large as=limit
A figure in a sentence, of a step or a package: in its unit (rays/s, if there is
none); as=ray or sphere, the time of a ray or a sphere (of a count, with unit, that
of a sphere); as="ray cycles" or cycles, the same in cycles; per=16
makes it that of 16 spheres. as=ipc is instructions a
cycle: those counted of a ray over its cycles. as=peak flops=23 is the share of the
peak for single numbers with 23 operations a sphere (16 from step 9 on);
peak=mul-add/bits=128, fma/bits=256 or fma/bits=512 is another one that scripts/peak
measures. These are by core. With over, the ratio; as=limit, change or share in percent, difference, sphere difference, cycles
difference, or crossing, from how many spheres on it is faster. Of several packages
in over the fastest counts. It is always of the published machine.`, fillNumber},
	"run": {[]string{"cmd"}, []string{"match", "func", "from", "to", "skip", "sections"}, `cmd="go build -gcflags=-m ./step02" match=REGEXP
The output of a command that a reader can type: go build and go run of packages of
the module. Of what the compiler reports, match chooses lines. With -gcflags=-S and
func it is the instructions of a function, each with its address and with the line that
it comes from; from and to are the source lines of a loop, with what was inlined there.
Of the output of a program, skip leaves lines off and sections chooses among paragraphs
by their headings.`, fillRun},
	"picture": {[]string{"file", "cmd", "alt"}, []string{"scenes", "heading"}, `file=large.png cmd="go run ./scripts/render ... -o {}" alt="..."
A picture that a command makes, in docs/pictures. With scenes=large,small it is one
of each, side by side, and {scene} stands for the name; heading finds in the output
what to say above it, in place of the number of spheres.`, fillPicture},
}

func fillListing(p *page, c *directive.Call) (string, error) {
	file := c.Get("file")
	text, err := source.Listing(p.root, file, c.Bool("doc", true), c.List("decl")...)
	if err != nil {
		return "", err
	}
	language := map[string]string{".go": "go", ".s": "asm", ".json": "json"}[path.Ext(file)]
	if language == "" {
		language = "text"
	}
	return fmt.Sprintf("[%s](%s)\n\n%s", file, p.link(file), directive.Fence(language, text)), nil
}

func fillDiff(p *page, c *directive.Call) (string, error) {
	from, err := steps.Find(c.Get("from"))
	c.Fail(err)
	to, err := steps.Find(c.Get("to"))
	c.Fail(err)
	if from.Name == to.Name {
		return "", fmt.Errorf("from and to are both %s; want two steps", from.Name)
	}
	l, err := source.Diff(p.root, from.Folder(), to.Folder(), c.List("file")...)
	if err != nil {
		return "", err
	}
	if len(l.Files) == 0 {
		return "", fmt.Errorf("%s and %s do not differ there; want a file that does", from.Name, to.Name)
	}
	return directive.Fence("diff", l.Patch()), nil
}

func fillTable(p *page, c *directive.Call) (string, error) {
	spec := results.TableSpec{Query: results.QueryOf(c), Rows: c.Get("rows"), Cols: c.Get("cols"), Columns: results.ColumnsOf(c, "show")}
	each := c.Get("each")
	if each == "" {
		text, captions, err := p.table(spec, c)
		return text + captions, err
	}
	if each != "/scene" {
		return "", fmt.Errorf("each is %q; want /scene", each)
	}
	var parts, captions []string
	for _, name := range slices.Backward(scene.Names()) {
		one := spec
		one.Where = strings.TrimSpace(spec.Where + " " + each + ":" + name)
		text, caption, err := p.table(one, c)
		if err != nil {
			return "", err
		}
		parts = append(parts, "The "+name+" scene:\n\n"+text)
		for line := range strings.Lines(caption) { // each of them once, at the end
			if line != "\n" && !slices.Contains(captions, line) {
				captions = append(captions, line)
			}
		}
	}
	return strings.Join(append(parts, captions...), "\n"), nil
}

// table returns one, and its captions, with the reader's own figures if they are wanted
// and there.
func (p *page) table(spec results.TableSpec, c *directive.Call) (text, captions string, err error) {
	machines, err := p.machines()
	if err != nil {
		return "", "", err
	}
	_, first, err := results.FirstOf(machines, func(set *results.Set) (results.Table, error) {
		return results.Tabulate([]*results.Set{set}, spec)
	})
	if err != nil {
		return "", "", err
	}
	sets := []*results.Set{first}
	for _, set := range machines {
		if _, err := results.Tabulate([]*results.Set{set}, spec); err == nil && set != first && c.Get("machines") == "all" {
			sets = append(sets, set)
		}
	}
	below := c.Get("own") == "below"
	if p.own != nil && !below {
		sets = append(sets, p.own)
	}
	t, err := results.Tabulate(sets, spec)
	if err == nil && p.own != nil && below {
		var own results.Table
		own, err = results.Tabulate([]*results.Set{p.own}, spec)
		if len(own.Rows) > 0 {
			text = "\nYours:\n\n" + own.Markdown()
			t.Caption = append(t.Caption, own.Caption...)
		}
	}
	for _, line := range t.Caption {
		captions += "\n*" + line + "*\n"
	}
	return t.Markdown() + text, captions, err
}

func fillChart(p *page, c *directive.Call) (string, error) {
	machines, err := p.machines()
	if err != nil {
		return "", err
	}
	spec := results.FigureOf(c)
	fig, _, err := results.FirstOf(machines, func(set *results.Set) (results.Figure, error) { return set.Figure(spec) })
	if err != nil {
		return "", err
	}
	svg, alt, note, err := chart.Draw(fig, c.Bool("ideal", false))
	if err != nil {
		return "", fmt.Errorf("drawing the chart: %w", err)
	}
	file := "docs/charts/" + c.Get("file") + ".svg"
	p.asset(file, svg, bytes.Equal)
	return fmt.Sprintf("![%s; %s](%s)\n\n%s.%s\n\n*%s*", c.Get("title"), alt, p.link(file), c.Get("title"), note, fig.Caption), nil
}

func fillNumber(p *page, c *directive.Call) (string, error) {
	machines, err := p.machines()
	if err != nil {
		return "", err
	}
	n := results.NumberSpec{Of: c.Get("of"), Name: cmp.Or(c.Get("bench"), "Render"), Unit: cmp.Or(c.Get("unit"), "rays/s"),
		Over: c.List("over"), Whose: c.Get("overbench"), As: c.Get("as"), Per: c.Int("per", 1), Peak: c.Get("peak")}
	if c.Has("flops") {
		n.Flops = c.Int("flops", 0)
	}
	if name := c.Get("scene"); name != "" {
		n.Name += "/scene=" + name
	}
	text, _, err := results.FirstOf(machines, func(set *results.Set) (string, error) { return set.Number(n) })
	return text, err
}
