package main

import (
	"bytes"
	"errors"
	"fmt"
	"html/template"
	"os"
	"slices"
	"strings"
	"sync"

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

// addCharts adds an entry for the data of each chart that the pages have, since a reader looks
// at few of them.
func (b *book) addCharts() error {
	b.drawn = b.charts
	calls, err := b.chartCalls()
	for _, call := range calls {
		name := call.Get("file")
		b.entries["data/chart-"+name+".js"] = func() ([]byte, error) {
			all, err := b.drawn()
			at := slices.IndexFunc(all, func(c chart) bool { return c.ID == name })
			if at < 0 {
				return nil, errors.Join(err, fmt.Errorf("chart %s is gone; want another start of the book", name))
			}
			return data("chart-"+name, all[at])
		}
	}
	return err
}

// keepCharts has charts made once for all that is written, since each takes a second.
func (b *book) keepCharts() { b.drawn = sync.OnceValues(b.charts) }

// chartCalls are the charts of the pages, in their order.
func (b *book) chartCalls() (all []*page.Call, err error) {
	for _, name := range b.pages {
		text, err := os.ReadFile(b.path(name))
		if err != nil {
			return nil, err
		}
		all = append(all, page.Calls(string(text), "chart")...)
	}
	return all, nil
}

// charts returns the charts that the pages have, of the published machines and of the reader's own.
func (b *book) charts() ([]chart, error) {
	machines, own, err := results.Open(b.root)
	if err != nil {
		return nil, err
	}
	if own != nil {
		machines = append(machines, own)
	}
	calls, err := b.chartCalls()
	if err != nil {
		return nil, err
	}
	all := []chart{}
	for _, call := range calls {
		c := chart{ID: call.Get("file"), Title: call.Get("title"), Machines: []machine{}}
		c.Linear = call.Get("linear") == "yes"
		for _, set := range machines {
			if m, err := machineIn(call, set); err != nil {
				return nil, err
			} else if m != nil {
				m.Shown = len(c.Machines) == 0 || set.Local && len(c.Machines) == 1
				c.Machines = append(c.Machines, *m)
			}
		}
		all = append(all, c)
	}
	return all, nil
}

// machineIn is what a machine has in a chart, or nothing if it was not measured there. A mistake
// in the directive shows in the page.
func machineIn(call *page.Call, set *results.Set) (*machine, error) {
	spec := page.Spec(call)
	fig, err := page.Figure(call, set)
	table, err2 := set.Table(spec)
	if err != nil || err2 != nil {
		return nil, nil
	}
	m := &machine{Name: set.Name, Figure: fig}
	if set.Local {
		m.Name = "yours"
	}
	if len(spec.Columns) == 1 && len(table.Header) == 1+len(fig.Series) { // the chart says what it is of
		for i, s := range fig.Series {
			table.Header[1+i] = s.Name
		}
	}
	var out bytes.Buffer
	err = markdown.Convert([]byte(strings.ReplaceAll(table.Markdown(), "\u00a0", " ")), &out)
	m.Table = template.HTML(headed(out.String()))
	return m, err
}

func (b *book) chartsPage() ([]byte, error) {
	all, err := b.drawn()
	if err != nil {
		return nil, err
	}
	return b.tool("charts", "Charts", all, "axes.js", "chart.js")
}
