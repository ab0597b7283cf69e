package main

import (
	"cmp"
	"fmt"
	"slices"

	"raysteps/scripts/internal/page"
	"raysteps/scripts/internal/results"
	"raysteps/scripts/internal/steps"
)

// predict asks a question. The figure itself stays out of the page's region: it is measured,
// so that a question without an answer is an error.
func (s *site) predict(c *page.Call) (string, error) {
	p := page.Predict(c)
	measured, err := s.measured(p)
	if err != nil {
		return "", err
	}
	if _, _, err := p.Missed(measured); err != nil {
		return "", err
	}
	return fmt.Sprintf("- %s <details><summary>Our prediction</summary>%s</details>", p.Question, p.Ours), nil
}

func (s *site) measured(p page.Prediction) (string, error) {
	text, _, err := results.FirstOf(s.published, func(set *results.Set) (string, error) { return set.Number(p.Number) })
	return text, err
}

// predictions has those of all chapters beside what was measured, the worst first.
func (s *site) predictions(c *page.Call) (string, error) {
	type row struct {
		times float64
		cells []string
	}
	var rows []row
	for _, step := range steps.All() {
		file := "docs/" + step.Name + ".md"
		text, err := s.read(file)
		c.Fail(err)
		for _, call := range page.Calls(text) {
			if call.Name != "predict" {
				continue
			}
			p := page.Predict(call)
			measured, err := s.measured(p)
			if err != nil {
				return "", fmt.Errorf("%s: %w", file, err)
			}
			times, missed, err := p.Missed(measured)
			if err != nil {
				return "", fmt.Errorf("%s: %w", file, err)
			}
			rows = append(rows, row{times, []string{fmt.Sprintf("[%s](%s)", step.Short(), link(c, file)), p.Question, p.Ours, measured, missed}})
		}
	}
	if len(rows) == 0 {
		return "", fmt.Errorf("no chapter has a prediction; want <!-- raysteps:predict ... --> in docs/step01.md or another")
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(b.times, a.times) })
	t := results.Table{Header: []string{"step", "question", "ours", "measured", "measured over ours"}, Right: []bool{true, false, true, true, true}}
	for _, r := range rows {
		t.Rows = append(t.Rows, r.cells)
	}
	return t.Markdown(), nil
}
