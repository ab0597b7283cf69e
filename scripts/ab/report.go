package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"path"
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

func (c *comparison) name(r *row) string {
	if len(c.packages)+len(c.equal) > 1 {
		return path.Base(r.pkg.path) + " " + r.name
	}
	return r.name
}

// judge returns what is known of all rows: the times, what differs in allocations, what a
// benchmark reports itself if it varies, and counts.
func (c *comparison) judge() (all []*finding) {
	c.ratios = nil
	for _, r := range c.rows {
		add := func(unit string, old, now float64, differs bool) *finding {
			name := strings.TrimSuffix(c.name(r)+" "+unit, " sec/op")
			f := &finding{Package: r.pkg.path, Benchmark: r.name, Unit: unit, Old: old, New: now, Orders: len(r.values(before, unit)),
				Verdict: "the same", of: r, row: estimate.Row{Name: name, Unit: unit}, differs: differs}
			if differs {
				f.Verdict = map[bool]string{false: "less", true: "more"}[now > old]
			}
			all = append(all, f)
			return f
		}
		if len(r.group.Lines) == 0 {
			continue
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
				f.Ratio, f.Noise, f.row.Ratio, f.row.Noise = &ratio, &noise, ratio, noise
				c.ratios = append(c.ratios, f.row)
			}
		}
		for i := range min(len(r.counts[before]), len(r.counts[after])) {
			old, now := r.counts[before][i], r.counts[after][i]
			r.recounted = add(countUnits[i], old.perOp, now.perOp, old.differs(now)).differs || r.recounted
		}
	}
	c.rule = estimate.Together(3*c.within/100, c.ratios)
	for _, f := range all {
		if f.Ratio != nil {
			f.Verdict, f.differs = c.rule.Words(f.row)
		}
	}
	return all
}

// beyond returns what is beyond the limits: whole intervals of the time, and allocations.
func (c *comparison) beyond(all []*finding) error {
	var slower, allocate, over said
	for _, f := range all {
		switch {
		case c.failAllocs && (f.Unit == "B/op" || f.Unit == "allocs/op") && f.New > f.Old:
			allocate = append(allocate, f.row.Name+" "+format(f.New, f.Unit))
		case f.Unit == "sec/op" && f.differs && f.row.Ratio.Lo > 1+c.over/100:
			slower = append(slower, f.row.Name+" "+f.row.Ratio.Short())
		}
	}
	over.of(fmt.Sprintf("slower by more than %g%%", c.over), slower)
	over.of("allocates more", allocate)
	if over == nil {
		return nil
	}
	return cli.Status(cli.ExitFailure, errors.New(strings.Join(over, " ")))
}

type said []string // sentences

// of says what some have in common, by their names, of which many are not named.
func (s *said) of(words string, names []string) {
	if len(names) > 6 {
		names = append(names[:5:5], fmt.Sprintf("and %d more", len(names)-5))
	}
	if len(names) > 0 {
		*s = append(*s, words+": "+strings.Join(names, ", ")+".")
	}
}

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
	return c.write(head, c.table(all), c.sentences(all))
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
	rows := [][]string{{"benchmark", "old time", "new/old", "same code"}}
	for _, f := range all {
		if c.markdown && !f.differs {
			continue
		}
		row := []string{f.row.Name, format(f.Old, f.Unit), "the same", ""}
		if f.Ratio != nil {
			row[2], row[3] = estimate.FormatRatio(f.row.Ratio), estimate.FormatRatio(f.row.Noise)
		} else if f.differs {
			row[2] = "now " + format(f.New, f.Unit)
		}
		rows = append(rows, row)
	}
	return rows
}

func format(value float64, unit string) string {
	text := benchunit.Scale(value, benchunit.ClassOf(unit))
	if strings.HasPrefix(unit, "sec") {
		text += "s"
	}
	return text
}

func (c *comparison) failures() (all said) {
	for _, r := range c.rows {
		if len(r.group.Lines) == 0 {
			all = append(all, c.name(r)+": "+cmp.Or(strings.TrimPrefix(r.failure, r.name+": "), "the time was over before its turn"))
		} else if r.uncounted != nil {
			all = append(all, fmt.Sprintf("%s was not counted: %v", c.name(r), r.uncounted))
		}
	}
	all.of("Only one version has benchmarks of", c.apart)
	return all
}

// sentences say what was found, and what more time would tell.
func (c *comparison) sentences(all []*finding) (text said) {
	text.of("The same program in both versions, to the byte, and so not measured", c.equal)
	text = append(text, c.failures()...)
	var noisy, unseen, uncounted []string
	for _, f := range all {
		counted := f.Unit == "sec/op" && len(f.of.counts[after]) > 0
		if counted && f.of.recounted && !f.differs {
			unseen = append(unseen, f.row.Name)
		} else if counted && !f.of.recounted && f.differs {
			uncounted = append(uncounted, f.row.Name)
		}
		if f.Noise != nil && f.Noise.Certain(len(c.rows)) {
			noisy = append(noisy, f.row.Name)
		}
	}
	for _, f := range c.rule.Find(c.ratios) {
		text.of(strings.ToUpper(f.Words[:1])+f.Words[1:], f.Names)
	}
	text.of("Do not believe this run, as the same code differs from itself", noisy)
	text.of("Other counts, and no time shows it", unseen)
	text.of("Another time, and the same counts, so look at memory and dependences", uncounted)
	if need := c.needs(); need != "" {
		text = append(text, need+"; -bench chooses fewer rows.")
	}
	return text
}
