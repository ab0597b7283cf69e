package main

import (
	"fmt"
	"maps"
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
var premises = []string{"step01 ", "step11 Slack", "step13 Sharing"}

// asked returns what a chapter asks for: what its predictions name, and the speed over the step
// before in each scene. It maps a figure to what a sentence would have: a ratio, and what it
// differs from 1 by in percent.
func asked(t *testing.T, machines []*results.Set, step steps.Step, text string) map[string][]string {
	all := map[string][]string{}
	calls := page.Calls(text, "predict")
	assert.NotEmpty(t, calls, "a chapter asks")
	for _, scene := range []string{"small", "medium", "large"} {
		if step.Before != "" {
			calls = append(calls, page.Calls(fmt.Sprintf("<!-- raysteps:number of=%s over=%s scene=%s -->", step.Name, step.Before, scene))...)
		}
	}
	for _, c := range calls {
		ratio, err := page.Machine(c, machines).Number(page.Number(c))
		require.NoError(t, err)
		x, err := strconv.ParseFloat(ratio, 64)
		require.NoError(t, err)
		all[figure(c)] = []string{ratio, fmt.Sprintf("%.0f %%", 100*math.Abs(x-1))}
	}
	return all
}

// figure is the same for the same number, whatever a step is called.
func figure(c *page.Call) string {
	of, bench, column := page.Number(c)
	pkg, name, _ := strings.Cut(column.Base, " ")
	if column.Form != "place" { // another figure; the others are the same in other words
		column.Form = ""
	}
	return fmt.Sprint(results.Package(of), bench, column.Unit, column.Form, results.Package(pkg), name)
}

// region is that of a directive, its markers included; release is one of Go, which is no figure.
var (
	region  = regexp.MustCompile(`(?s)<!-- raysteps:.*?<!-- /raysteps -->`)
	release = regexp.MustCompile(`(?i)\bgo ?1\.\d+(\.\d+)?`)
)

// said lists those of the figures that are in a text: typed, or by a directive.
func said(asked map[string][]string, text string) (all []string) {
	for _, c := range page.Calls(text) {
		if c.Name == "number" && asked[figure(c)] != nil {
			all = append(all, "number: "+c.Old)
		}
	}
	words := release.ReplaceAllString(region.ReplaceAllString(text, ""), "")
	for _, text := range slices.Concat(slices.Collect(maps.Values(asked))...) {
		common := text == "0 %" || text == "1.00" || text == "100 %" // words for "as fast" and "twice"
		if !common && regexp.MustCompile(`(^|[^\d.])`+regexp.QuoteMeta(text)+`($|[^\d])`).MatchString(words) {
			all = append(all, "typed: "+text)
		}
	}
	return all
}

// shown lists tables, charts and numbers of a step in a text. Experiments that are
// premises may stand.
func shown(step steps.Step, text string) (all []string) {
	is := func(name string) bool { return results.Package(name) == step.Package() }
	for _, c := range page.Calls(text) {
		shows := false
		switch c.Name {
		case "number":
			shows = is(c.Get("of")) && step.Before != "" // the first has a rate, and gains nothing
		case "table", "chart":
			shows = c.Get("steps")+c.Get("pkg") == "" || slices.ContainsFunc(c.List("pkg"), is)
			if list, err := steps.Parse(c.Get("steps")); err == nil {
				shows = shows || slices.ContainsFunc(list,
					func(s steps.Step) bool { return s.Name == step.Name })
			}
		}
		experiment, _, _ := strings.Cut(c.Get("bench"), "/")
		if shows && !slices.Contains(premises, step.Name+" "+experiment) {
			all = append(all, fmt.Sprintf("%s of %s", c.Name, c.Get("of")+c.Get("steps")+c.Get("pkg")))
		}
	}
	return append(all, regexp.MustCompile(`[\w./-]*charts/[\w-]+\.svg`).FindAllString(region.ReplaceAllString(text, ""), -1)...)
}

// question is the region of one.
var question = regexp.MustCompile(`(?s)<!-- raysteps:predict.*?<!-- /raysteps -->`)

// unveiled returns what a reader of the book sees before the i-th question has an answer: all
// that stands before it, and what follows it up to the next heading.
func unveiled(text string, i int) string {
	span := question.FindAllStringIndex(text, -1)[i]
	section, _, _ := strings.Cut(text[span[1]:], "\n## ")
	return text[:span[0]] + section
}

// answers lists the tables and charts in a text that show what a question asks for.
func answers(asked *page.Call, text string) (all []string) {
	of, bench, column := page.Number(asked)
	experiment, _, _ := strings.Cut(bench, "/")
	for _, c := range page.Calls(text, "table", "chart") {
		shows := slices.Contains(c.List("pkg"), strings.TrimPrefix(results.Package(of), "raysteps/")) &&
			strings.HasPrefix(c.Get("bench"), experiment)
		if column.Form == "place" {
			shows = strings.Contains(c.Get("cols")+c.Get("show"), "place")
		}
		if shows {
			all = append(all, fmt.Sprintf("%s of %s %s", c.Name, c.Get("pkg"), c.Get("bench")))
		}
	}
	return all
}

// No figure stands before its question: not in a chapter, where alternative texts and captions
// count, not in any of its headings, which an outline shows, and not in the contents of README
// and docs/README, but for the table and the chart of results. Before its first table a chapter
// asks for the step, and shows nothing of it; what an experiment says it asks right before it
// shows it, below the next heading. The book is made of the same text.
func TestNoFigureBeforeItsQuestion(t *testing.T) {
	root, err := cli.ModuleRoot()
	require.NoError(t, err)
	machines, _, err := results.Open(root)
	require.NoError(t, err)
	contents := map[string]string{"README.md": read(t, root, "README.md"), "docs/README.md": read(t, root, "docs/README.md")}
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
			before, after, ok := strings.Cut(text, "\n## Measured\n")
			require.True(t, ok, "a chapter has a section Measured")
			assert.NotEmpty(t, page.Calls(before, "predict"), "asked too late")
			assert.Empty(t, said(m, before), "said before the first questions have an answer")
			assert.Empty(t, shown(step, before), "shown before the first questions have an answer")
			assert.NotEmpty(t, said(m, after), "all is said at the end")
			for i, c := range page.Calls(text, "predict") {
				text := unveiled(text, i)
				assert.Empty(t, said(map[string][]string{figure(c): m[figure(c)]}, text), "said: %s", c.Get("ask"))
				assert.Empty(t, answers(c, text), "shown: %s", c.Get("ask"))
			}
			headings := strings.Join(regexp.MustCompile(`(?m)^#+ .*$`).FindAllString(text, -1), "\n")
			assert.Empty(t, said(m, headings), "said in a heading")
			for name, text := range contents {
				assert.Empty(t, said(m, text), "said in %s", name)
			}
			title := fmt.Sprintf("# Step %d: %s: %s\n", step.Number, step.Label, step.Question)
			assert.True(t, strings.HasPrefix(text, title), "as the overview lists it: %s", title)
			row := fmt.Sprintf("\n| %d | %s | [%s](docs/%s.md) |\n", step.Number, step.Label, step.Question, step.Name)
			assert.Contains(t, contents["README.md"], row, "the overview")
			head, _, _ := strings.Cut(text, "\n## ")
			assert.Regexp(t, `\n\*Act I+, [^*]+\*`, head, "its act, below the title")
		})
	}
}
