package main

import (
	"bytes"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/aclements/go-moremath/stats"
	"golang.org/x/perf/benchfmt"

	"raysteps/common/turns/benchturns"
	"raysteps/scripts/internal/ab"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/estimate"
	"raysteps/scripts/internal/results"
)

// report is what a measurement says.
type report struct {
	labels [2]string // of the versions
	table  results.Table
	said   []string // sentences
	beyond []string // slower by more than a limit
}

func newReport(m *ab.Measurement, labels [2]string, limit float64) *report {
	r := &report{labels: labels, table: results.Table{Header: []string{"benchmark", "old time", "new/old", "same code"}, Right: []bool{false, true, false, false}}}
	compared, reach := 0, 0.0
	for _, row := range m.Rows {
		compared += len(row.Levels[:min(1, len(row.Levels))]) * len(row.Units())
	}
	lists := map[string][]string{}
	for _, row := range m.Rows {
		name := row.Name
		if i := strings.LastIndexByte(name, '-'); len(m.Processors) == 1 && i > 0 {
			name = name[:i] // the same number everywhere
		}
		switch {
		case row.Failure != "":
			r.said = append(r.said, name+": "+strings.TrimPrefix(row.Failure, name+": "))
			continue
		case len(row.Levels) == 0:
			lists[unknown] = append(lists[unknown], name)
			continue
		case row.Alone:
			r.said = append(r.said, name+": has a process for each slice, as it fails beside others or the second time")
		}
		for i, unit := range row.Units() {
			cell := name
			if i > 0 || unit != "sec/op" {
				cell += " " + unit
			}
			ratio, noise := row.Ratio(unit)
			r.add(cell, results.Format(row.Median(ab.Old, unit), unit), estimate.FormatRatio(ratio), noiseCell(noise))
			list, far := same, max(ratio.Hi-1, 1-ratio.Lo)
			switch {
			case ratio.Excludes(1) && !certain(ratio, compared):
				list = chance
			case ratio.Excludes(1) && unit != "sec/op":
				list = changed
			case ratio.Excludes(1):
				list = map[bool]string{true: faster, false: slower}[ratio.Center < 1]
			case far > 3*m.Within:
				list = unknown
			default:
				reach = max(reach, far)
			}
			if ratio.Excludes(1) {
				cell += " " + strings.Fields(ratio.String())[0]
			}
			lists[list] = append(lists[list], cell)
			if unit == "sec/op" && ratio.Lo > 1+limit {
				r.beyond = append(r.beyond, cell)
			}
			if noise.Excludes(1) && certain(noise, compared) {
				lists[noisy] = append(lists[noisy], name)
			}
		}
		for _, unit := range []string{"B/op", "allocs/op"} {
			before, after := row.Median(ab.Old, unit), row.Median(ab.New, unit)
			if ratio, _ := row.Ratio(unit); before != after && (ratio.Orders == 0 || ratio.Excludes(1)) {
				r.add("  "+unit, results.Format(before, unit), "now "+results.Format(after, unit), "")
			}
		}
	}
	for _, list := range []string{faster, slower, changed, chance, same, unknown, noisy} {
		names := lists[list]
		if list == same && len(names) > 0 {
			names = []string{fmt.Sprintf("%d of %d, within %.1f %%", len(names), compared, 100*reach)}
		} else if len(names) > 6 {
			names = append(names[:5:5], fmt.Sprintf("and %d more", len(names)-5))
		}
		if len(names) > 0 {
			r.said = append(r.said, list+": "+strings.Join(names, ", ")+".")
		}
	}
	return r
}

// What is said of rows.
const (
	faster  = "Faster, in so much of the time"
	slower  = "Slower, in so much of the time"
	changed = "Another figure, times the old one"
	chance  = "Perhaps different, and perhaps chance, as in one of twenty rows"
	same    = "The same"
	unknown = "Not known, and a longer -time tells more"
	noisy   = "Do not believe this run, as the same code differs from itself"
)

// add adds a line to the table. A name that is too long loses its middle.
func (r *report) add(name string, cells ...string) {
	if long := []rune(name); len(long) > 44 {
		name = string(long[:20]) + "…" + string(long[len(long)-23:])
	}
	r.table.Rows = append(r.table.Rows, append([]string{name}, cells...))
}

func noiseCell(e estimate.Estimate) string {
	if e.Excludes(1) || math.IsInf(e.Hi, 1) {
		return estimate.FormatRatio(e)
	}
	return fmt.Sprintf("~ ±%.1f %%", 100*e.HalfWidth())
}

// certain reports whether an interval excludes 1 by more than chance explains among so
// many (Bonferroni).
func certain(e estimate.Estimate, among int) bool {
	quantile := func(alpha float64) float64 {
		return stats.InvCDF(stats.TDist{V: float64(e.Orders - 1)})(1 - alpha/2)
	}
	alpha := 1 - estimate.Confidence
	half := math.Log(e.Hi/e.Lo) / 2 * quantile(alpha/float64(among)) / quantile(alpha)
	return e.Excludes(1) && math.Abs(math.Log(e.Hi*e.Lo))/2 > half
}

// text returns the report for a terminal, or for a pull request.
func (r *report) text(markdown bool) string {
	table, end := r.table.Text(), "\n"
	if markdown {
		table, end = r.table.Markdown(), "\n\n"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "old: %s%snew: %s\n\n%s\n", r.labels[0], end, r.labels[1], table)
	for _, sentence := range r.said {
		b.WriteString(cli.Wrap(sentence) + end)
	}
	return b.String()
}

// file returns what was measured in the Go benchmark format, one side after the other.
func (r *report) file(m *ab.Measurement, pkg string) []byte {
	var text bytes.Buffer
	w := benchfmt.NewWriter(&text)
	for side, name := range []string{"old", "new", "again"} {
		for _, row := range m.Rows {
			for _, l := range row.Levels {
				line := &benchfmt.Result{Name: benchfmt.Name(row.Name), Iters: int(l.Values[side][benchturns.Iterations])}
				for i, value := range []string{pkg, r.labels[0], r.labels[1], name} {
					line.Config = append(line.Config, benchfmt.Config{Key: []string{"pkg", "old", "new", "side"}[i], Value: []byte(value), File: true})
				}
				for _, unit := range slices.Sorted(maps.Keys(l.Values[side])) {
					if unit != benchturns.Iterations {
						line.Values = append(line.Values, benchfmt.Value{Value: l.Values[side][unit], Unit: unit})
					}
				}
				w.Write(line) // to memory
			}
		}
	}
	return text.Bytes()
}
