package main

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"golang.org/x/perf/benchunit"

	"raysteps/scripts/internal/cli"
	"raysteps/scripts/internal/estimate"
)

// finding is what is known of a quantity that a benchmark reports.
type finding struct {
	Package   string   `json:"package"`
	Benchmark string   `json:"benchmark"`
	Unit      string   `json:"unit"`
	Old       float64  `json:"old"`
	New       float64  `json:"new"`
	Ratio     *bounded `json:"ratio,omitempty"` // new over old; none of allocations, which are compared exactly
	Noise     *bounded `json:"noise,omitempty"` // old over old, linked again
	Orders    int      `json:"link_orders"`
	Verdict   string   `json:"verdict"`

	row     estimate.Row
	differs bool
}

// bounded is a ratio with its 95 % interval: none for fewer than four link orders.
type bounded struct {
	Center float64  `json:"center"`
	Lo     *float64 `json:"lo,omitempty"`
	Hi     *float64 `json:"hi,omitempty"`
}

func boundedBy(e estimate.Estimate) *bounded {
	b := &bounded{Center: e.Center}
	if !math.IsInf(e.Hi, 1) {
		b.Lo, b.Hi = &e.Lo, &e.Hi
	}
	return b
}

// name is what a row is called: with its package, if there are several.
func (c *comparison) name(pkg, benchmark string) string {
	if len(c.packages)+len(c.equal) > 1 {
		return pkg[strings.LastIndexByte(pkg, '/')+1:] + " " + benchmark
	}
	return benchmark
}

// rule is that by which rows are judged: in both columns each has an interval.
func (c *comparison) rule() estimate.Rule {
	return estimate.Rule{Limit: 3 * c.within / 100, Among: 2 * len(c.rows)}
}

// judge returns what is known of all rows: the times, what differs in allocations, and what a
// benchmark reports itself if it varies.
func (c *comparison) judge() (all []*finding) {
	rule := c.rule()
	for _, r := range c.rows {
		for _, unit := range r.units() {
			f := &finding{Package: r.pkg, Benchmark: r.name, Unit: unit, Orders: len(r.values(before, unit))}
			if unit == "B/op" || unit == "allocs/op" {
				if f.Old, f.New, f.differs = r.allocations(unit); f.differs {
					f.Verdict = map[bool]string{false: "less", true: "more"}[f.New > f.Old]
					all = append(all, f)
				}
				continue
			}
			ratio, noise := r.ratio(unit)
			if ratio.Orders == 0 || unit != "sec/op" && r.constant(unit) {
				continue // it reports no time, or the same figure always
			}
			f.Old, f.New, f.Ratio, f.Noise = r.median(before, unit), r.median(after, unit), boundedBy(ratio), boundedBy(noise)
			f.row = estimate.Row{Name: strings.TrimSuffix(c.name(r.pkg, r.name)+" "+unit, " sec/op"), Unit: unit, Ratio: ratio, Noise: noise}
			f.Verdict, f.differs = rule.Words(f.row), rule.Of(f.row).Differs()
			all = append(all, f)
		}
	}
	return all
}

// beyond says what is beyond the limits: whole intervals of the time, and allocations.
func (c *comparison) beyond(all []*finding) (over []string) {
	var slower, allocate []string
	for _, f := range all {
		switch {
		case f.Ratio == nil && f.New > f.Old:
			allocate = append(allocate, fmt.Sprintf("%s %s %s", c.name(f.Package, f.Benchmark), format(f.New, f.Unit), f.Unit))
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

// print prints what is known, in the form that was asked for.
func (c *comparison) print(all []*finding) error {
	if c.json {
		e := json.NewEncoder(c.env.Stdout)
		e.SetIndent("", "  ")
		return e.Encode(map[string]any{"old": c.labels[before], "new": c.labels[after], "equal": c.equal, "not_measured": c.failures(), "rows": all})
	}
	sentences, end := c.sentences(all), "\n"
	text := "old: " + c.labels[before] + "\nnew: " + c.labels[after] + "\n\n"
	if c.markdown {
		end = "\n\n"
		text = strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n\n") + "\n\n" + markdown(c.table(all, true))
	} else {
		text += plain(c.table(all, false))
	}
	if len(c.rows) == 0 {
		text = ""
	}
	for _, sentence := range sentences {
		text += cli.Wrap(sentence) + end
	}
	_, err := fmt.Fprint(c.env.Stdout, text)
	return err
}

// table returns the rows, or only those that differ.
func (c *comparison) table(all []*finding, differing bool) (rows [][]string) {
	for _, f := range all {
		switch {
		case f.Ratio == nil && differing:
			rows = append(rows, []string{c.name(f.Package, f.Benchmark) + " " + f.Unit, format(f.Old, f.Unit), "now " + format(f.New, f.Unit), ""})
		case f.Ratio == nil:
			rows = append(rows, []string{"  " + f.Unit, format(f.Old, f.Unit), "now " + format(f.New, f.Unit), ""})
		case f.differs || !differing:
			rows = append(rows, []string{f.row.Name, format(f.Old, f.Unit), estimate.FormatRatio(f.row.Ratio), estimate.FormatRatio(f.row.Noise)})
		}
	}
	if len(rows) > 0 {
		rows = append([][]string{{"benchmark", "old time", "new/old", "same code"}}, rows...)
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

// plain writes a table for a terminal.
func plain(rows [][]string) string {
	if len(rows) == 0 {
		return ""
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	width := 0 // of the figures, which are aligned to the right
	for _, row := range rows {
		width = max(width, len([]rune(row[1])))
	}
	for _, row := range rows {
		fmt.Fprintf(w, " %s\t%*s\t%s\t%s\n", row[0], width, row[1], row[2], row[3])
	}
	w.Flush()
	lines := strings.Split(b.String(), "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.Join(lines, "\n") + "\n"
}

// markdown writes a table for a pull request.
func markdown(rows [][]string) string {
	text := ""
	for i, row := range rows {
		text += "| " + strings.ReplaceAll(strings.Join(row, "\x00"), "|", `\|`) + " |\n"
		if i == 0 {
			text += "|:--|--:|:--|:--|\n"
		}
	}
	if text != "" {
		text += "\n"
	}
	return strings.ReplaceAll(text, "\x00", " | ")
}

// failures says what was not measured, and why.
func (c *comparison) failures() (said []string) {
	for _, r := range c.rows {
		if len(r.group.Lines) == 0 {
			why := r.failure
			if why == "" {
				why = "the time was over before its turn"
			}
			said = append(said, c.name(r.pkg, r.name)+": "+strings.TrimPrefix(why, r.name+": "))
		}
	}
	if len(c.apart) > 0 {
		said = append(said, "Only one version has benchmarks of: "+few(c.apart)+".")
	}
	return said
}

// sentences say what was found, and what more time would tell.
func (c *comparison) sentences(all []*finding) (said []string) {
	switch n := len(c.equal); {
	case n > 0 && len(c.rows) == 0:
		return append(c.failures(), fmt.Sprintf("%s and %s make the same program, to the byte: there is nothing to measure.", c.labels[before], c.labels[after]))
	case n == 1:
		said = append(said, "The same program in both versions, to the byte, and so not measured: "+c.equal[0]+".")
	case n > 1:
		said = append(said, fmt.Sprintf("The same programs in both versions, to the byte, and so not measured: %d packages.", n))
	}
	said = append(said, c.failures()...)
	var rows []estimate.Row
	var noisy []string
	rule := c.rule()
	for _, f := range all {
		if f.Ratio == nil {
			continue
		}
		rows = append(rows, f.row)
		if f.row.Noise.Certain(1, rule.Among) {
			noisy = append(noisy, f.row.Name)
		}
	}
	for _, f := range rule.Find(rows) {
		said = append(said, strings.ToUpper(f.Words[:1])+f.Words[1:]+": "+few(f.Names)+".")
	}
	if len(noisy) > 0 {
		said = append(said, "Do not believe this run, as the same code differs from itself: "+few(noisy)+".")
	}
	wide := slices.ContainsFunc(rows, func(r estimate.Row) bool { return r.Unit == "sec/op" && r.Ratio.HalfWidth() > c.within/100 })
	if c.m.Done >= least && wide {
		if need := c.needs(time.Since(c.started) / time.Duration(c.m.Done)); need > c.limit {
			said = append(said, fmt.Sprintf("Intervals of ±%.3g %% in nine of ten rows take %s, by -time; -bench chooses fewer rows.", c.within, duration(need)))
		}
	}
	return said
}
