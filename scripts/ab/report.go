package main

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strings"
	"text/tabwriter"

	"golang.org/x/perf/benchunit"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/estimate"
)

// finding is what is known of a quantity that a benchmark reports.
type finding struct {
	Package   string             `json:"package"`
	Benchmark string             `json:"benchmark"`
	Unit      string             `json:"unit"`
	State     string             `json:"state"` // faster, slower, equal, unknown, or of other units higher, lower, more, less
	Old       float64            `json:"old"`
	New       float64            `json:"new"`
	Ratio     *estimate.Estimate `json:"ratio,omitempty"` // new over old, if there is an interval; none of allocations, which are compared exactly
	Noise     *estimate.Estimate `json:"noise,omitempty"` // old over old, in other link orders
	Orders    int                `json:"link_orders"`
	Verdict   string             `json:"verdict"`

	of      *row
	row     estimate.Row
	differs bool
}

// judge returns what is known of all rows: the times, what differs in allocations, what a
// benchmark reports itself if it varies, and counts.
func (c *comparison) judge() (all []*finding) {
	c.ratios = nil
	for _, r := range c.rows {
		if r.absence(c) == nil {
			all = append(all, c.judgeRow(r)...)
		}
	}
	c.rule = estimate.NewRule(3*c.within/100, c.ratios)
	for _, f := range all {
		if f.row.Ratio.Orders > 0 {
			f.Verdict, f.differs = c.rule.Verdict(f.row)
			f.State, _, _ = strings.Cut(f.Verdict, " ")
		}
		// The words of a verdict begin with faster, slower, higher or lower, "the same" or "not known".
		if state := map[string]string{"the": "equal", "not": "unknown"}[f.State]; state != "" {
			f.State = state
		}
	}
	return all
}

// judgeRow returns what is known of a row, but for the verdicts on ratios.
func (c *comparison) judgeRow(r *row) (all []*finding) {
	add := func(unit string, old, now float64, differs bool) *finding {
		name := strings.TrimSuffix(c.name(r)+" "+unit, " sec/op")
		f := &finding{Package: r.pkg.path, Benchmark: r.name, Unit: unit, State: "equal", Verdict: "the same",
			Old: old, New: now, of: r, row: estimate.Row{Name: name, Unit: unit}, differs: differs}
		f.Orders = len(r.values(before, unit))
		if differs {
			f.Verdict = map[bool]string{false: "less", true: "more"}[now > old]
			f.State = f.Verdict
		}
		all = append(all, f)
		return f
	}
	for _, v := range r.group.Lines[0].Values {
		old, now, differ := r.medians(v.Unit)
		ratio, noise := r.ratio(v.Unit), r.noise(v.Unit)
		switch always := ratio.Lo == 1 && ratio.Hi == 1; {
		case v.Unit == "B/op" || v.Unit == "allocs/op":
			if differ {
				add(v.Unit, old, now, true)
			}
		case ratio.Orders > 0 && v.Unit != "B/s" && (v.Unit == "sec/op" || !always):
			f := add(v.Unit, old, now, false)
			f.row.Ratio, f.row.Noise = ratio, noise
			if !math.IsInf(ratio.Hi, 1) {
				f.Ratio, f.Noise = &ratio, &noise
			}
			c.ratios = append(c.ratios, f.row)
		}
	}
	for i := range min(len(r.counts[before]), len(r.counts[after])) {
		old, now := r.counts[before][i], r.counts[after][i]
		f := add(countUnits[i], old.perOp, now.perOp, old.differs(now))
		if r.recounted = r.recounted || f.differs; old.unknown(now) {
			r.vague, f.State, f.Verdict = true, "unknown", "not known"
		}
	}
	return all
}

// geomean returns the geometric mean of the ratios of time, with what link orders do to all of
// them: of the launches that all have. The zero Estimate is of fewer than two rows.
func (c *comparison) geomean(all []*finding) (mean estimate.Estimate) {
	var logs [2][]float64 // sums by launch
	rows, launches := 0., math.MaxInt
	for _, f := range all {
		if f.Unit == "sec/op" {
			rows, launches = rows+1, min(launches, f.row.Ratio.Orders)
		}
	}
	if rows < 2 {
		return mean
	}
	for side := range logs {
		logs[side] = make([]float64, launches)
		for _, f := range all {
			if f.Unit == "sec/op" {
				for i, v := range f.of.values(side, "sec/op")[:launches] {
					logs[side][i] += math.Log(v) / rows
				}
			}
		}
		for i, log := range logs[side] {
			logs[side][i] = math.Exp(log)
		}
	}
	return estimate.MedianRatio(logs[after], logs[before])
}

func (c *comparison) print(all []*finding) error {
	switch {
	case c.places:
		return c.printPlaces()
	case c.json:
		return c.printJSON(all)
	}
	old, now := c.versions[before].label, c.versions[after].label
	if c.single() {
		now = c.planted()
	}
	return c.write(fmt.Sprintf("old: %s\nnew: %s\n\n", old, now), c.table(all), c.sentences(all))
}

func (c *comparison) printJSON(all []*finding) error {
	e := json.NewEncoder(c.env.Stdout)
	e.SetIndent("", "  ")
	rows := []any{}
	for _, f := range all {
		rows = append(rows, f)
	}
	for _, a := range c.absences() {
		rows = append(rows, a)
	}
	result := map[string]any{"old": c.versions[before].label, "new": c.versions[after].label, "equal": c.equal, "rows": rows}
	if mean := c.geomean(all); mean.Orders >= estimate.MinOrders {
		result["geomean"] = mean
	}
	if c.floor {
		if limit := c.smallestLimit(); !math.IsInf(limit, 1) {
			result["floor"] = limit
		}
	}
	return e.Encode(result)
}

// write writes lines, a table and sentences, as Markdown if that was asked for.
func (c *comparison) write(head string, rows [][]string, sentences []string) error {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	if len(rows) > 1 { // the first is the head
		for _, row := range append(rows, nil) {
			fmt.Fprintf(w, " %s\n", strings.Join(row, "\t"))
		}
	}
	w.Flush()
	fence := map[bool]string{true: "```\n"}[c.markdown]
	text := fence + head + regexp.MustCompile(` +\n`).ReplaceAllString(b.String(), "\n")
	for _, sentence := range sentences {
		text += cli.Wrap(sentence) + "\n"
	}
	_, err := fmt.Fprint(c.env.Stdout, text+fence)
	return err
}

func (c *comparison) table(all []*finding) [][]string {
	rows := [][]string{{"benchmark", "old", "new", "new/old", "same code"}}
	for _, f := range all {
		if c.markdown && !f.differs {
			continue
		}
		row := []string{f.row.Name, format(f.Old, f.Unit), format(f.New, f.Unit), f.Verdict, ""}
		switch {
		case f.Ratio != nil:
			row[3], row[4] = estimate.FormatRatio(f.row.Ratio), noise(f.row.Noise)
		case f.row.Ratio.Orders > 0:
			row[1], row[2], row[3] = "?", "?", c.wouldKnow(f.of)
		}
		rows = append(rows, row)
	}
	if mean := c.geomean(all); mean.Orders >= estimate.MinOrders && len(rows) > 1 {
		rows = append(rows, []string{"geometric mean", "", "", estimate.FormatRatio(mean), ""})
	}
	return rows
}

// noise writes the old version over itself, if there is an interval.
func noise(ratio estimate.Estimate) string {
	if math.IsInf(ratio.Hi, 1) {
		return ""
	}
	return estimate.FormatRatio(ratio)
}

func format(value float64, unit string) string {
	text := benchunit.Scale(value, benchunit.ClassOf(unit))
	if strings.HasPrefix(unit, "sec") {
		text += "s"
	}
	return text
}
