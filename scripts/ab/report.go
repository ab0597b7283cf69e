package main

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"raysteps/common/turns/benchturns"
	"raysteps/scripts/internal/ab"
	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/estimate"
	"raysteps/scripts/internal/results"
)

// report returns what a measurement says, and which rows are slower by more than a limit.
func report(m *ab.Measurement, labels [2]string, limit float64, markdown bool) (text string, beyond []string) {
	table := results.Table{Header: []string{"benchmark", "old time", "new/old", "same code"}, Right: []bool{false, true, false, false}}
	rule := estimate.Rule{Limit: 3 * m.Within, Among: 2 * len(m.Rows)} // intervals in both columns
	var rows []estimate.Row
	var said, noisy []string
	for _, row := range m.Rows {
		name := row.Name
		if len(row.Levels) == 0 {
			said = append(said, name+": "+strings.TrimPrefix(cmp.Or(row.Failure, "the time was over before its turn"), name+": "))
			continue
		}
		for _, unit := range row.Units() {
			cell := strings.TrimSuffix(name+" "+unit, " sec/op")
			ratio, noise := row.Ratio(unit)
			before, after := row.Median(ab.Old, unit), row.Median(ab.New, unit)
			if unit == "B/op" || unit == "allocs/op" {
				if before != after && (ratio.Orders == 0 || ratio.Excludes(1)) {
					table.Rows = append(table.Rows, []string{"  " + unit, results.Format(before, unit), "now " + results.Format(after, unit), ""})
				}
				continue
			}
			if exact := ratio.Lo == 1 && ratio.Hi == 1; ratio.Orders == 0 || exact && unit != "sec/op" {
				continue // it reports no time, or the same figure always
			}
			table.Rows = append(table.Rows, []string{cell, results.Format(before, unit), estimate.FormatRatio(ratio), estimate.FormatRatio(noise)})
			judged := estimate.Row{Name: cell, Unit: unit, Ratio: ratio, Noise: noise}
			rows = append(rows, judged)
			if unit == "sec/op" && rule.Of(judged).Differs() && ratio.Lo > 1+limit {
				beyond = append(beyond, cell+" "+ratio.Short())
			}
			if noise.Certain(1, rule.Among) {
				noisy = append(noisy, name)
			}
		}
	}
	few := func(names []string) string {
		if len(names) > 6 {
			names = append(names[:5:5], fmt.Sprintf("and %d more", len(names)-5))
		}
		return strings.Join(names, ", ") + "."
	}
	for _, f := range rule.Find(rows) {
		said = append(said, strings.ToUpper(f.Words[:1])+f.Words[1:]+": "+few(f.Names))
	}
	if len(noisy) > 0 {
		said = append(said, "Do not believe this run, as the same code differs from itself: "+few(noisy))
	}
	shown, end := table.Text()+"\n", "\n"
	switch {
	case len(table.Rows) == 0:
		shown = ""
	case markdown:
		shown, end = table.Markdown()+"\n", "\n\n"
	}
	text = "old: " + labels[0] + end + "new: " + labels[1] + "\n\n" + shown
	for _, sentence := range said {
		text += cli.Wrap(sentence) + end
	}
	return text, beyond
}

// file returns what was measured in the Go benchmark format, one side after the other.
func file(m *ab.Measurement, labels [2]string, pkg string) []byte {
	var text bytes.Buffer
	for side, name := range []string{"old", "new", "again"} {
		fmt.Fprintf(&text, "pkg: %s\nold: %s\nnew: %s\nside: %s\n\n", pkg, labels[0], labels[1], name)
		for _, row := range m.Rows {
			for _, l := range row.Levels {
				fmt.Fprintf(&text, "Benchmark%s %.0f", row.Name, l[side][benchturns.Iterations])
				for _, unit := range row.Units() {
					fmt.Fprintf(&text, " %v %s", l[side][unit], unit)
				}
				text.WriteString("\n")
			}
		}
	}
	return text.Bytes()
}
