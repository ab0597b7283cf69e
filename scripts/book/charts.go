package main

import (
	"bytes"
	"html/template"
	"os"
	"strings"

	"raysteps/scripts/internal/page"
	"raysteps/scripts/internal/results"
)

// chart is one of the pages' charts, with the values of each machine that has them.
type chart struct {
	ID       string // the name of its file
	Title    string
	Linear   bool // upward
	Machines []machine
}

// machine is what one has in a chart.
type machine struct {
	Name   string
	Shown  bool // at first
	Figure results.Figure
	Table  template.HTML `json:"-"`
}

// charts returns the charts that the pages have, in their order, of the published
// machines and of the reader's own.
func (b *book) charts() ([]chart, error) {
	machines, own, err := results.Open(b.root)
	if err != nil {
		return nil, err
	}
	if own != nil {
		machines = append(machines, own)
	}
	all := []chart{}
	for _, name := range b.pages {
		text, err := os.ReadFile(b.path(name))
		if err != nil {
			return nil, err
		}
		for _, call := range page.Calls(string(text), "chart") {
			c := chart{ID: call.Get("file"), Title: call.Get("title"), Linear: call.Get("linear") == "yes", Machines: []machine{}}
			for _, set := range machines {
				spec := page.Spec(call)
				fig, err := page.Figure(call, set)
				table, err2 := set.Table(spec)
				if err != nil || err2 != nil {
					continue // it was not measured there; a mistake shows in the page
				}
				m := machine{Name: set.Name, Shown: len(c.Machines) == 0 || set.Own && len(c.Machines) == 1, Figure: fig}
				if set.Own {
					m.Name = "yours"
				}
				if len(spec.Columns) == 1 && len(table.Header) == 1+len(fig.Series) { // the chart says what it is of
					for i, s := range fig.Series {
						table.Header[1+i] = s.Name
					}
				}
				var out bytes.Buffer
				if err := markdown.Convert([]byte(strings.ReplaceAll(table.Markdown(), "\u00a0", " ")), &out); err != nil {
					return nil, err
				}
				m.Table = template.HTML(out.String())
				c.Machines = append(c.Machines, m)
			}
			all = append(all, c)
		}
	}
	return all, nil
}

func (b *book) chartsData() ([]byte, error) {
	all, err := b.charts()
	if err != nil {
		return nil, err
	}
	return data("charts", all)
}

func (b *book) chartsPage() ([]byte, error) {
	all, err := b.charts()
	if err != nil {
		return nil, err
	}
	return b.tool("charts", "Charts", all)
}
