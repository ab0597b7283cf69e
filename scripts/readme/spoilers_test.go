package main

import (
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/page"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/steps"
)

// premises are experiments of steps that say what a scene or a processor is, and not
// what the step gains.
var premises = []string{"step01 ", "step06 Discriminants", "step09 Operation", "step10 Calls", "step12 Uppers"}

// figures holds what chapters ask for.
type figures struct {
	numbers []results.NumberSpec
	typed   []string // as a sentence would have it
}

// ask adds a ratio, and what it differs from 1 by in percent.
func (m *figures) ask(t *testing.T, set *results.Set, spec results.NumberSpec) {
	text, err := set.Number(spec)
	require.NoError(t, err)
	ratio, err := strconv.ParseFloat(text, 64)
	require.NoError(t, err)
	m.numbers = append(m.numbers, spec)
	for _, said := range []string{text, fmt.Sprintf("%.0f %%", 100*math.Abs(ratio-1))} {
		if said != "0 %" && said != "1.00" && said != "100 %" { // words for "as fast" and "twice"
			m.typed = append(m.typed, said)
		}
	}
}

// asked returns what a chapter asks for: what its predictions name, and the speed over the
// step before in each scene.
func asked(t *testing.T, machines []*results.Set, step steps.Step, text string) (m figures) {
	for _, c := range page.Calls([]byte(text)) {
		if c.Name == "predict" {
			set, err := page.Machine(c, machines)
			require.NoError(t, err)
			m.ask(t, set, page.Predict(c).Number)
		}
	}
	assert.NotEmpty(t, m.numbers, "a chapter asks")
	for _, scene := range []string{"small", "medium", "large"} {
		if step.Before != "" {
			name := "Render/scene=" + scene
			m.ask(t, machines[0], results.NumberSpec{Package: step.Name, Bench: name, Column: results.Column{Unit: "rays/s", Base: step.Before + " " + name}})
		}
	}
	return m
}

// region is that of a directive, its markers included.
var region = regexp.MustCompile(`(?s)<!-- raysteps:.*?<!-- /raysteps -->`)

// release matches one of Go, which is no figure.
var release = regexp.MustCompile(`(?i)\bgo ?1\.\d+(\.\d+)?`)

// said lists figures in a text that are among those measured: typed, or by a directive.
func (m figures) said(text string) (all []string) {
	for _, c := range page.Calls([]byte(text)) {
		if c.Name == "number" && slices.ContainsFunc(m.numbers, func(spec results.NumberSpec) bool { return same(spec, page.Number(c)) }) {
			all = append(all, "number: "+c.Old)
		}
	}
	words := release.ReplaceAllString(region.ReplaceAllString(text, ""), "")
	for _, figure := range m.typed {
		if regexp.MustCompile(`(^|[^\d.])` + regexp.QuoteMeta(figure) + `($|[^\d])`).MatchString(words) {
			all = append(all, "typed: "+figure)
		}
	}
	return all
}

// same reports whether two numbers are the same figure, whatever a step is called.
func same(a, b results.NumberSpec) bool {
	base := func(text string) string {
		pkg, name, _ := strings.Cut(text, " ")
		return results.Package(pkg) + " " + name
	}
	return results.Package(a.Package) == results.Package(b.Package) && a.Bench == b.Bench && a.Unit == b.Unit && a.Form == b.Form && base(a.Base) == base(b.Base)
}

// shown lists tables, charts and numbers of a step in a text. Experiments that are
// premises may stand.
func shown(step steps.Step, text string) (all []string) {
	is := func(name string) bool {
		s, err := steps.Find(name)
		return err == nil && s.Name == step.Name
	}
	for _, c := range page.Calls([]byte(text)) {
		shows := false
		switch c.Name {
		case "number":
			shows = is(c.Get("of")) && step.Before != "" // the first has a rate, and gains nothing
		case "table", "chart":
			shows = c.Get("steps")+c.Get("pkg") == "" || slices.ContainsFunc(c.List("pkg"), is)
			if list, err := steps.Parse(c.Get("steps")); err == nil {
				shows = shows || slices.ContainsFunc(list, func(s steps.Step) bool { return s.Name == step.Name })
			}
		}
		experiment, _, _ := strings.Cut(c.Get("bench"), "/")
		if shows && !slices.Contains(premises, step.Name+" "+experiment) {
			all = append(all, fmt.Sprintf("%s of %s", c.Name, c.Get("of")+c.Get("steps")+c.Get("pkg")))
		}
	}
	return append(all, regexp.MustCompile(`[\w./-]*charts/[\w-]+\.svg`).FindAllString(region.ReplaceAllString(text, ""), -1)...)
}

// No figure stands before its question: not in a chapter down to the end of its questions,
// where alternative texts and captions count, not in any of its headings, which an outline
// shows, and not in the contents of README and docs/README, but for the table and the
// chart of results. The book is made of the same text.
func TestNoFigureBeforeItsQuestion(t *testing.T) {
	root, err := cli.ModuleRoot()
	require.NoError(t, err)
	machines, _, err := results.Open(root)
	require.NoError(t, err)
	contents := map[string]string{}
	for _, name := range []string{"README.md", "docs/README.md"} {
		contents[name] = read(t, root, name)
	}
	for _, step := range steps.All() {
		contents["the registry"] += step.Label + "\n" + step.Question + "\n"
	}
	for _, step := range steps.All() {
		if step.Beyond {
			continue
		}
		t.Run(step.Name, func(t *testing.T) {
			text := read(t, root, filepath.Join("docs", step.Name+".md"))
			m := asked(t, machines, step, text)
			before, rest, ok := strings.Cut(text, "\n## Predict\n")
			questions, after, ok2 := strings.Cut(rest, "\n## ")
			require.True(t, ok && ok2, "a chapter has a section Predict")
			assert.Empty(t, m.said(before+"\n"+questions), "said before the end of the questions")
			assert.Empty(t, shown(step, before+"\n"+questions), "shown before the end of the questions")
			assert.NotEmpty(t, m.said(after), "all is said at the end")
			headings := strings.Join(regexp.MustCompile(`(?m)^#+ .*$`).FindAllString(text, -1), "\n")
			assert.Empty(t, m.said(headings), "said in a heading")
			for name, text := range contents {
				assert.Empty(t, m.said(text), "said in %s", name)
			}
			head, _, _ := strings.Cut(text, "\n## ")
			assert.Contains(t, head, step.Act(), "its act, below the title")
		})
	}
}
