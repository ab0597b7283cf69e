package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"slices"
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
	Old       float64            `json:"old"`
	New       float64            `json:"new"`
	Ratio     *estimate.Estimate `json:"ratio,omitempty"` // new over old; none of allocations, which are compared exactly
	Noise     *estimate.Estimate `json:"noise,omitempty"` // old over old, in other link orders
	Orders    int                `json:"link_orders"`
	Verdict   string             `json:"verdict"`

	of      *row
	row     estimate.Row
	differs bool
}

// name is what a row is called: with its package, if there are several.
func (c *comparison) name(r *row) string {
	if len(c.packages)+len(c.equal) > 1 {
		return path.Base(r.pkg.path) + " " + r.name
	}
	return r.name
}

// judge returns what is known of all rows: the times, what differs in allocations, what a
// benchmark reports itself if it varies, and counts.
func (c *comparison) judge() (all []*finding) {
	var rows []estimate.Row
	for _, r := range c.rows {
		exact := func(unit string, old, now float64, differs bool) {
			verdict := "the same"
			if differs {
				verdict = map[bool]string{false: "less", true: "more"}[now > old]
			}
			all = append(all, &finding{Package: r.pkg.path, Benchmark: r.name, Unit: unit, Old: old, New: now, Orders: len(r.values(before, unit)), Verdict: verdict,
				of: r, differs: differs, row: estimate.Row{Name: c.name(r) + " " + unit}})
		}
		if len(r.group.Lines) == 0 {
			continue
		}
		for _, v := range r.group.Lines[0].Values {
			ratio, noise := r.ratio(v.Unit)
			row := estimate.Row{Name: strings.TrimSuffix(c.name(r)+" "+v.Unit, " sec/op"), Unit: v.Unit, Ratio: ratio, Noise: noise}
			switch always := ratio.Lo == 1 && ratio.Hi == 1; {
			case v.Unit == "B/op" || v.Unit == "allocs/op":
				if old, now, differ := r.allocations(v.Unit); differ {
					exact(v.Unit, old, now, true)
				}
			case ratio.Orders > 0 && v.Unit != "B/s" && (v.Unit == "sec/op" || !always):
				rows = append(rows, row)
				all = append(all, &finding{Package: r.pkg.path, Benchmark: r.name, Unit: v.Unit, Old: r.median(before, v.Unit), New: r.median(after, v.Unit),
					Ratio: &ratio, Noise: &noise, Orders: ratio.Orders, of: r, row: row})
			}
		}
		for i := range min(len(r.counts[before]), len(r.counts[after])) {
			old, now := r.counts[before][i], r.counts[after][i]
			exact(countUnits[i], old.perOp, now.perOp, old.differs(now))
		}
	}
	c.rule = estimate.Together(3*c.within/100, rows)
	for _, f := range all {
		if f.Ratio != nil {
			f.Verdict, f.differs = c.rule.Words(f.row)
		}
	}
	return all
}

// beyond says what is beyond the limits: whole intervals of the time, and allocations.
func (c *comparison) beyond(all []*finding) (over []string) {
	var slower, allocate []string
	for _, f := range all {
		switch {
		case (f.Unit == "B/op" || f.Unit == "allocs/op") && f.New > f.Old:
			allocate = append(allocate, f.row.Name+" "+format(f.New, f.Unit))
		case f.Unit == "sec/op" && f.differs && f.row.Ratio.Lo > 1+c.over/100:
			slower = append(slower, f.row.Name+" "+f.row.Ratio.Short())
		}
	}
	if len(slower) > 0 {
		over = append(over, fmt.Sprintf("slower by more than %g%%: %s", c.over, few(slower)))
	}
	if len(allocate) > 0 && c.failAllocs {
		over = append(over, "allocates more: "+few(allocate))
	}
	return over
}

// few names some of many.
func few(names []string) string {
	if len(names) > 6 {
		names = append(names[:5:5], fmt.Sprintf("and %d more", len(names)-5))
	}
	return strings.Join(names, ", ")
}

// lists says of some benchmarks each what they have in common.
func lists(words []string, names ...[]string) (said []string) {
	for i, all := range names {
		if len(all) > 0 {
			said = append(said, words[i]+": "+few(all)+".")
		}
	}
	return said
}

// print prints what is known, in the form that was asked for.
func (c *comparison) print(all []*finding) error {
	if c.places {
		return c.printPlaces()
	}
	if c.json {
		e := json.NewEncoder(c.env.Stdout)
		e.SetIndent("", "  ")
		return e.Encode(map[string]any{"old": c.versions[before].label, "new": c.versions[after].label, "equal": c.equal, "not_measured": c.failures(), "rows": all})
	}
	head := fmt.Sprintf("old: %s\nnew: %s\n\n", c.versions[before].label, c.versions[after].label)
	if len(c.rows) == 0 {
		head = ""
	}
	return c.write(head, c.table(all), c.sentences(all))
}

// write writes lines, a table and sentences, as Markdown if that was asked for.
func (c *comparison) write(head string, rows [][]string, sentences []string) error {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintf(w, " %s\n", strings.Join(row, "\t"))
	}
	w.Flush()
	fence := ""
	if c.markdown {
		fence = "```\n"
	}
	text := fence + head + regexp.MustCompile(` +\n`).ReplaceAllString(b.String(), "\n")
	if len(rows) > 0 && len(sentences) > 0 {
		text += "\n"
	}
	for _, sentence := range sentences {
		text += cli.Wrap(sentence) + "\n"
	}
	_, err := fmt.Fprint(c.env.Stdout, text+fence)
	return err
}

// table returns the rows: in Markdown only those that differ.
func (c *comparison) table(all []*finding) (rows [][]string) {
	for _, f := range all {
		if c.markdown && !f.differs {
			continue
		}
		row := []string{f.row.Name, format(f.Old, f.Unit), "the same", ""}
		switch {
		case f.Ratio != nil:
			row[2], row[3] = estimate.FormatRatio(f.row.Ratio), estimate.FormatRatio(f.row.Noise)
		case f.differs:
			row[2] = "now " + format(f.New, f.Unit)
		}
		rows = append(rows, row)
	}
	if len(rows) > 0 {
		rows = slices.Insert(rows, 0, []string{"benchmark", "old time", "new/old", "same code"})
	}
	return rows
}

// format writes a figure.
func format(value float64, unit string) string {
	text := benchunit.Scale(value, benchunit.ClassOf(unit))
	if strings.HasPrefix(unit, "sec") {
		text += "s"
	}
	return text
}

// failures says what was not measured, and why.
func (c *comparison) failures() (said []string) {
	for _, r := range c.rows {
		if len(r.group.Lines) == 0 {
			why := cmp.Or(r.failure, "the time was over before its turn")
			said = append(said, c.name(r)+": "+strings.TrimPrefix(why, r.name+": "))
		} else if r.uncounted != nil {
			said = append(said, fmt.Sprintf("%s was not counted: %v", c.name(r), r.uncounted))
		}
	}
	if len(c.apart) > 0 {
		said = append(said, "Only one version has benchmarks of: "+few(c.apart)+".")
	}
	return said
}

// sentences say what was found, and what more time would tell.
func (c *comparison) sentences(all []*finding) (said []string) {
	if len(c.rows) == 0 {
		return append(c.failures(), fmt.Sprintf("%s and %s make the same program, to the byte: there is nothing to measure.", c.versions[before].label, c.versions[after].label))
	}
	said = append(lists([]string{"The same program in both versions, to the byte, and so not measured"}, c.equal), c.failures()...)
	var rows []estimate.Row
	var noisy, unseen, uncounted []string
	counts := map[string]bool{} // whether they differ, by benchmark
	for _, f := range all {
		if name := c.name(f.of); slices.Contains(countUnits, f.Unit) {
			counts[name] = counts[name] || f.differs
		}
	}
	for _, f := range all {
		if f.Ratio == nil {
			continue
		}
		rows = append(rows, f.row)
		if differ, ok := counts[f.row.Name]; ok && differ && !f.differs {
			unseen = append(unseen, f.row.Name)
		} else if ok && !differ && f.differs {
			uncounted = append(uncounted, f.row.Name)
		}
		if f.row.Noise.Certain(1, len(c.rows)) {
			noisy = append(noisy, f.row.Name)
		}
	}
	for _, f := range c.rule.Find(rows) {
		said = append(said, strings.ToUpper(f.Words[:1])+f.Words[1:]+": "+few(f.Names)+".")
	}
	said = append(said, lists([]string{"Do not believe this run, as the same code differs from itself", "Other counts, and no time shows it", "Another time, and the same counts, so look at memory and dependences"}, noisy, unseen, uncounted)...)
	wide := slices.ContainsFunc(rows, func(r estimate.Row) bool { return r.Unit == "sec/op" && r.Ratio.HalfWidth() > c.within/100 })
	if need := c.needs(); wide && need != "" {
		said = append(said, need+"; -bench chooses fewer rows.")
	}
	return said
}
