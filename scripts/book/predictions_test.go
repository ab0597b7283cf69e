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

	"raysteps/scripts/internal/page"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/steps"
)

// premises are experiments of steps that say what a scene or a processor is, and not
// what the step gains.
var premises = []string{"step01 ", "step06 Discriminants", "step09 Operation", "step10 Calls", "step12 Uppers"}

// spoilers lists what stands above the first prediction of a chapter and gives the
// result of its step away: figures, tables and charts of it, by their directives; other
// charts; and what the tables will say, typed. Experiments that are premises may stand.
func spoilers(step steps.Step, text, mark string, typed []string) (all []string) {
	above, _, ok := strings.Cut(text, mark)
	if !ok {
		return []string{"no prediction"}
	}
	isOf := func(name string) bool {
		s, err := steps.Find(name)
		return err == nil && s.Name == step.Name
	}
	for _, c := range page.Calls([]byte(above)) {
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

// typed returns the results of a step as a sentence would have them: how many times as
// fast it is as the one before, in each scene, and what that is in percent.
func typed(t *testing.T, b *book, step steps.Step) (all []string) {
	machines, _, err := results.Open(b.root, false)
	require.NoError(t, err)
	for _, scene := range []string{"small", "medium", "large"} {
		for _, as := range []string{"", "change"} {
			text, err := machines[0].Number(results.NumberSpec{Package: step.Name, Bench: "Render/scene=" + scene,
				Column: results.Column{Unit: "rays/s", Base: step.Before + " Render/scene=" + scene, Form: as}})
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
			assert.Empty(t, spoilers(step, string(d.text), "\n## Predict\n", results), "above the prediction in %s", name)
			assert.NotEmpty(t, spoilers(step, string(d.text), "\n## Verdict", results), "nothing above the verdict")
			made, err := b.page(name)
			require.NoError(t, err)
			_, main, _ := bytes.Cut(made, []byte("<main "))
			assert.Empty(t, spoilers(step, string(main), `<h2 id="predict">`, results), "above the prediction in the book")
			assert.NotEmpty(t, spoilers(step, string(main), `<h2 id="verdict-`, results), "nothing above the verdict")
			head, _, _ := strings.Cut(string(d.text), "\n## ")
			assert.True(t, strings.Contains(head, step.Act()), "want *%s* below the title of %s", step.Act(), name)
		})
	}
}
