package main

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/scripts/internal/directive"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/steps"
)

// premises are experiments of steps that say what a scene or a processor is, and not
// what the step gains.
var premises = []string{"step06 Discriminants", "step09 Operation", "step10 Calls", "step12 Uppers"}

// spoilers lists what stands above the first prediction of a chapter and gives the
// result of its step away: figures, tables and charts of it, by their directives; other
// charts; and what the tables will say, typed. Experiments that are premises may stand.
func spoilers(step steps.Step, page, mark string, typed []string) (all []string) {
	above, _, ok := strings.Cut(page, mark)
	if !ok {
		return []string{"no prediction"}
	}
	isOf := func(name string) bool {
		s, err := steps.Find(name)
		return err == nil && s.Name == step.Name
	}
	for _, c := range directive.Calls([]byte(above)) {
		shows := false
		switch c.Name {
		case "number":
			shows = isOf(c.Get("of")) || step.Before != "" && slices.ContainsFunc(c.List("over"), isOf) && isBefore(c.Get("of"), step)
		case "table", "chart":
			shows = !c.Has("steps") && !c.Has("pkg") || slices.ContainsFunc(c.List("pkg"), isOf)
			if list, err := steps.Parse(c.Get("steps")); err == nil {
				shows = shows || slices.ContainsFunc(list, func(s steps.Step) bool { return s.Name == step.Name })
			}
		}
		experiment, _, _ := strings.Cut(c.Get("bench"), "/")
		if shows && !slices.Contains(premises, step.Name+" "+experiment) {
			all = append(all, strings.TrimSpace(fmt.Sprintf("%s of %s %.20s", c.Name, c.Get("of")+c.Get("steps")+c.Get("pkg"), c.Old)))
		}
	}
	words := regexp.MustCompile(`(?s)<!-- raysteps:.*?<!-- /raysteps -->`).ReplaceAllString(above, "")
	all = append(all, regexp.MustCompile(`[\w./-]*charts/[\w-]+\.svg`).FindAllString(words, -1)...)
	for _, text := range typed {
		if regexp.MustCompile(`(^|[^\d.])` + regexp.QuoteMeta(text) + `($|[^\d])`).MatchString(words) {
			all = append(all, "typed: "+text)
		}
	}
	return all
}

func isBefore(name string, step steps.Step) bool {
	s, err := steps.Find(name)
	return err == nil && s.Name == step.Before
}

func TestSpoilers(t *testing.T) {
	step, err := steps.Find("4")
	require.NoError(t, err)
	for _, tt := range []struct {
		name, text string
		want       []string
	}{
		{"nothing", "Figures of <!-- raysteps:number of=3 over=2 scene=large -->1.06<!-- /raysteps --> and listings.", nil},
		{"a figure", "Is <!-- raysteps:number of=4 scene=large as=sphere -->2.7ns<!-- /raysteps --> much?", []string{"number of 4 2.7ns"}},
		{"over it", "<!-- raysteps:number of=3 over=step04 scene=large -->1.04<!-- /raysteps -->", []string{"number of 3 1.04"}},
		{"a later step over it", "<!-- raysteps:number of=12 over=4 scene=large -->13.7<!-- /raysteps -->", nil},
		{"of an experiment", "<!-- raysteps:number of=step04 bench=Layout unit=sec/op -->1ns<!-- /raysteps -->", []string{"number of step04 1ns"}},
		{"a table", "<!-- raysteps:table steps=3-5 show=rays/s -->\n\n| a |\n\n<!-- /raysteps -->", []string{"table of 3-5 | a |"}},
		{"a table of a package", "<!-- raysteps:table pkg=step03,step04 bench=Layout show=sec/op -->\n\n<!-- /raysteps -->", []string{"table of step03,step04"}},
		{"a table of others", "<!-- raysteps:table steps=1-3 show=rays/s -->\n\n| a |\n\n<!-- /raysteps -->", nil},
		{"a chart of all", "<!-- raysteps:chart file=x x=step -->\n\n![x](../docs/charts/x.svg)\n\n<!-- /raysteps -->", []string{"chart of  ![x](../docs/charts/"}},
		{"another chart", "![speeds](charts/speedups.svg)", []string{"charts/speedups.svg"}},
		{"a drawing", "![lines](pictures/array.svg)", nil},
		{"typed", "It has 0.96 times the speed, 4 % less.", []string{"typed: 0.96", "typed: 4 %"}},
		{"typed, another", "10.96, 0.961 and 14 %", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			page := "# Step 4: x\n\n" + tt.text + "\n\n**Prediction.** No gain.\n\n<!-- raysteps:number of=4 -->1<!-- /raysteps --> ![all](charts/all.svg) 0.96\n"
			assert.Equal(t, tt.want, spoilers(step, page, "\n**Prediction.**", []string{"0.96", "4 %"}))
			d := parse("docs/step04.md", []byte(page))
			made, err := d.html(opened(t, true))
			require.NoError(t, err)
			assert.Len(t, spoilers(step, string(made), "<strong>Prediction.</strong>", []string{"0.96", "4 %"}), len(tt.want), "in the book")
		})
	}
	assert.Equal(t, []string{"no prediction"}, spoilers(step, "# Step 4: x\n", "\n**Prediction.**", nil))
}

// typed returns the results of a step as a sentence would have them: how many times as
// fast it is as the one before, in each scene, and what that is in percent.
func typed(t *testing.T, b *book, step steps.Step) (all []string) {
	machines, _, err := results.Open(b.root, false)
	require.NoError(t, err)
	for _, scene := range []string{"small", "medium", "large"} {
		for _, as := range []string{"", "change"} {
			text, err := machines[0].Number(results.NumberSpec{Package: step.Name, Bench: "Render/scene=" + scene, Unit: "rays/s",
				Over: []string{step.Before}, OverBench: "Render/scene=" + scene, As: as})
			require.NoError(t, err)
			if text != "0 %" && text != "1.00" && text != "100 %" { // words for "as fast" and "twice"
				all = append(all, text)
			}
		}
	}
	return all
}

// No chapter gives its result away before the reader has predicted it, neither in
// Markdown nor in the book.
func TestChaptersPredictFirst(t *testing.T) {
	b := opened(t, true)
	for _, step := range steps.All() {
		if step.Number == 0 {
			continue
		}
		t.Run(step.Name, func(t *testing.T) {
			name := "docs/" + step.Name + ".md"
			var results []string
			if step.Before != "" {
				results = typed(t, b, step)
			}
			d, err := b.open(name)
			require.NoError(t, err)
			assert.Empty(t, spoilers(step, string(d.text), "\n**Prediction.**", results), "above the prediction in %s", name)
			made, err := b.page(name)
			require.NoError(t, err)
			_, main, _ := bytes.Cut(made, []byte("<main "))
			assert.Empty(t, spoilers(step, string(main), "<strong>Prediction.</strong>", results), "above the prediction in the book")
			act, _ := step.Act()
			head, _, _ := strings.Cut(string(d.text), "\n## ")
			assert.True(t, strings.Contains(head, act.String()), "want *%s* below the title of %s", act, name)
		})
	}
}
