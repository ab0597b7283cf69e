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
	intervals := 2 * len(m.Rows) // in both columns
	compared, reach, lists, said := 0, 0.0, map[string][]string{}, []string{}
	const (
		faster  = "Faster, in so much of the time"
		slower  = "Slower, in so much of the time"
		changed = "Another figure, times the old one"
		same    = "The same"
		unknown = "Not known, and a longer -time tells more"
		noisy   = "Do not believe this run, as the same code differs from itself"
	)
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
			compared++
			table.Rows = append(table.Rows, []string{cell, results.Format(before, unit), estimate.FormatRatio(ratio), estimate.FormatRatio(noise)})
			cell += fmt.Sprintf(" %.2f", ratio.Center)
			list, far := unknown, max(ratio.Hi-1, 1-ratio.Lo)
			switch {
			case ratio.Certain(1, intervals) && unit != "sec/op":
				list = changed
			case ratio.Certain(1, intervals) && ratio.Center < 1:
				list = faster
			case ratio.Certain(1, intervals):
				list = slower
			case !ratio.Excludes(1) && far <= 3*m.Within:
				list, reach = same, max(reach, far)
			}
			lists[list] = append(lists[list], cell)
			if unit == "sec/op" && ratio.Lo > 1+limit {
				beyond = append(beyond, cell)
			}
			if noise.Certain(1, intervals) {
				lists[noisy] = append(lists[noisy], name)
			}
		}
	}
	for _, list := range []string{faster, slower, changed, same, unknown, noisy} {
		names := lists[list]
		if list == same && len(names) > 0 {
			names = []string{fmt.Sprintf("%d of %d, within %.1f %%", len(names), compared, 100*reach)}
		} else if len(names) > 6 {
			names = append(names[:5:5], fmt.Sprintf("and %d more", len(names)-5))
		}
		if len(names) > 0 {
			said = append(said, list+": "+strings.Join(names, ", ")+".")
		}
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
