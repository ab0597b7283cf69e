package main

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"raysteps/scripts/internal/directive"
	"raysteps/scripts/internal/source"
	"raysteps/scripts/internal/toolchain"
)

// entry is a directive whose content depends on the page that it stands in.
type entry struct {
	usage, help string
	fill        func(*page, *directive.Call) (string, error)
}

// registry holds the directives by name.
var registry = map[string]entry{}

// register adds a directive, whose name is the first word of its usage. It is for
// the init functions of the files that have directives.
func register(usage, help string, fill func(*page, *directive.Call) (string, error)) {
	name, _, _ := strings.Cut(usage, " ")
	registry[name] = entry{usage, help, fill}
}

func init() {
	register("listing file=step04/sphere.go [decl=Sphere.Hit,...] [doc=no]", `The source of declarations, or of a whole file without its package clause.
doc=no leaves the doc comments off. In an assembly file, decl is the name of
a TEXT block.`, fillListing)
	register("diff from=3 to=4 [file=sphere.go,...]", "The lesson between two steps, as go run ./scripts/diff shows it, of all files or some.", fillDiff)
	register(`compiler pkg=step02 flags=-m [match=REGEXP]`, `What the compiler reports with flags such as -m (inlining and escapes), -m=2
(the same with reasons) and -d=ssa/check_bce (bounds checks that are left). A
package with files for GOEXPERIMENT=simd is compiled with it. match chooses
among the lines, file:line:col: text. Of a function that can be inlined, -m=2
prints the body; that is cut off.`, fillCompiler)
	register("samecode from=step01 to=step02 func=(*Sphere).Hit", `How many instructions a function has in two steps, and how many of these are
of operations that the other does not have as often.`, fillSameCode)
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
	from, to := twoSteps(c)
	l, err := source.Diff(p.root, from.Folder(), to.Folder(), c.List("file")...)
	if err != nil {
		return "", err
	}
	if len(l.Files) == 0 {
		return "", fmt.Errorf("%s and %s do not differ there; want a file that does", from.Name, to.Name)
	}
	var parts []string
	if patch := l.Patch(); patch != "" {
		parts = append(parts, directive.Fence("diff", patch))
	}
	for _, f := range l.Files {
		if f.Generated > 0 {
			parts = append(parts, fmt.Sprintf("*%s is generated, %d lines.*", f.Name, f.Generated))
		}
	}
	return strings.Join(parts, "\n\n"), nil
}

var credited = regexp.MustCompile(`\*([^*\n]+), ` + regexp.QuoteMeta(toolchain.Target) + `(?:, GOEXPERIMENT=\w+)?\*`)

// credit names the toolchain, for a caption, and the experiment that any of the
// packages is compiled with. The error is a [directive.Kept] in a check of a
// region that another toolchain made, which may well say something else.
func (p *page) credit(c *directive.Call, pkgs ...string) (string, error) {
	version, err := toolchain.Version(p.root)
	if err != nil {
		return "", err
	}
	if m := credited.FindStringSubmatch(c.Old); p.check && m != nil && m[1] != version {
		return "", &directive.Kept{Reason: fmt.Sprintf("made with %s, and this is %s", m[1], version)}
	}
	with := ""
	for _, pkg := range pkgs {
		name, err := toolchain.Experiment(p.root, pkg)
		if err != nil {
			return "", err
		}
		if name != "" {
			with = ", GOEXPERIMENT=" + name
		}
	}
	return version + ", " + toolchain.Target + with, nil
}

var inlineBody = regexp.MustCompile(`^(can inline .* with cost \d+) as: .*`)

func fillCompiler(p *page, c *directive.Call) (string, error) {
	credit, err := p.credit(c, c.Get("pkg"))
	if err != nil {
		return "", err
	}
	match := c.Regexp("match")
	all, err := toolchain.Report(p.root, c.Get("pkg"), c.Get("flags"))
	if err != nil {
		return "", err
	}
	var reports []string
	for _, d := range all {
		if strings.HasPrefix(d.File, "<") {
			continue
		}
		d.Text = inlineBody.ReplaceAllString(d.Text, "$1")
		if match.MatchString(d.String()) && !slices.Contains(reports, d.String()) {
			reports = append(reports, d.String())
		}
	}
	if len(reports) == 0 {
		return "", fmt.Errorf("of the %d things that the compiler says of %s with %s none is chosen; want a match that fits", len(all), c.Get("pkg"), c.Get("flags"))
	}
	return directive.Fence("text", strings.Join(reports, "\n")) + "\n\n*" + credit + "*", nil
}

func fillSameCode(p *page, c *directive.Call) (string, error) {
	from, to := twoSteps(c)
	credit, err := p.credit(c, from.Folder(), to.Folder())
	if err != nil {
		return "", err
	}
	a, err := toolchain.Assembly(p.root, from.Folder(), c.Get("func"), false)
	if err != nil {
		return "", err
	}
	b, err := toolchain.Assembly(p.root, to.Folder(), c.Get("func"), false)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("`%s` has %d instructions in %s and %d in %s. By operation, %d are in %s alone and %d in %s alone.\n\n*%s*",
		c.Get("func"), len(a.Instructions), from.Folder(), len(b.Instructions), to.Folder(), toolchain.Surplus(a, b), from.Folder(), toolchain.Surplus(b, a), to.Folder(), credit), nil
}
