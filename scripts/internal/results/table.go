package results

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dustin/go-humanize"
	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchproc"
	"golang.org/x/perf/benchunit"

	"raysteps/common/answers"
	"raysteps/scripts/internal/estimate"
	"raysteps/scripts/internal/steps"
)

// TableSpec is what a table shows.
type TableSpec struct {
	Query
	Rows    string   // fields of benchproc, with commas between: "step,label" or "/call,/types"; all keys of the names if empty
	Cols    string   // a field whose values stand side by side, or empty
	Columns []Column // for each value of Cols
	Words   Words    // of titles and rows
}

// Words returns what is written for a unit, a field, and a value of the fields step, label
// and question; for "over " and the base of a column; and for "own", before the columns of the
// reader's machine beside others. Nil leaves all as they are.
type Words func(text string) string

func (w Words) of(text string) string {
	if w == nil {
		return text
	}
	return w(text)
}

// Table is a table of finished cells. Every row has as many as the header.
type Table struct {
	Header  []string
	Right   []bool // by column: aligned to the right
	Rows    [][]string
	Caption []Caption
}

// Caption says in a line where and how something was measured.
type Caption struct {
	Set  *Set
	Text string
}

// project returns the values of fields of benchproc, with commas between them.
func project(fields string) (func(*benchfmt.Result) []string, error) {
	p, err := new(benchproc.ProjectionParser).Parse(fields, nil)
	if err != nil {
		return nil, fmt.Errorf("fields %q: %w", fields, err)
	}
	return func(line *benchfmt.Result) (values []string) {
		key := p.Project(line)
		for _, field := range p.Fields() {
			values = append(values, key.Get(field))
		}
		return values
	}, nil
}

// keysOf are the keys of a benchmark's name, as fields.
func keysOf(b *benchmark) string {
	var keys []string
	for _, part := range strings.Split(b.name, "/")[1:] {
		key, _, _ := strings.Cut(part, "=")
		keys = append(keys, "/"+key)
	}
	return cmp.Or(strings.Join(keys, ","), ".name")
}

// Tabulate makes one table of a machine, or of one and the reader's: the rows that any of
// them has, in the order of the first, and for each machine its columns. Columns without content are
// left out. A partial machine may have nothing; of any other that is a [NotMeasuredError].
func Tabulate(sets []*Set, spec TableSpec) (t Table, err error) {
	all := grid{}
	for _, set := range sets {
		prefix := ""
		if set.Own && len(sets) > 1 {
			prefix = spec.Words.of("own") + ": "
		}
		list, err := set.choose(spec.Query)
		if err == nil {
			spec.Rows = cmp.Or(spec.Rows, keysOf(list[0]))
			list, err = all.fill(set, list, spec, prefix)
		}
		if _, none := err.(*NotMeasuredError); set.Partial && none {
			continue
		}
		if err != nil {
			return Table{}, err
		}
		if err := set.alike(list, spec); err != nil {
			return Table{}, err
		}
		t.Caption = append(t.Caption, Caption{set, caption(list)})
	}
	t.Rows = make([][]string, len(all.labels))
	for i, field := range strings.Split(spec.Rows, ",") {
		words := false
		for j, labels := range all.labels {
			n, err := strconv.ParseFloat(strings.ReplaceAll(labels[i], "k", ""), 64)
			words = words || err != nil
			if field == "/spheres" && err == nil {
				labels[i] = humanize.Commaf(n)
			}
			if field == "step" || field == "label" || field == "question" {
				labels[i] = spec.Words.of(labels[i])
			}
			t.Rows[j] = append(t.Rows[j], labels[i])
		}
		t.Header, t.Right = append(t.Header, spec.Words.of(strings.TrimPrefix(field, "/"))), append(t.Right, field == "step" || !words)
	}
	for _, c := range all.columns {
		if len(c.cells) == 0 {
			continue
		}
		t.Header, t.Right = append(t.Header, c.title), append(t.Right, true)
		for j := range t.Rows {
			t.Rows[j] = append(t.Rows[j], c.cells[j])
		}
	}
	return t, nil
}

// alike returns an error if the rows of a table differ in more than they should: in the
// machine, the compiler or the picture, unless that is what the table shows. Files that
// do not name blocks have pictures of sizes that were found by timing.
func (s *Set) alike(list []*benchmark, spec TableSpec) error {
	fields := []string{"cpu", "goos", "goarch", "gomaxprocs"}
	if !spec.Builds {
		fields = append(fields, "goversion", "goamd64", "pgo")
	}
	if slices.ContainsFunc(list, func(b *benchmark) bool { return b.line.GetConfig("blocks") != "" }) {
		fields = append(fields, "size", "samples")
	}
	fields = slices.DeleteFunc(fields, func(field string) bool {
		return slices.Contains(strings.Split(spec.Rows+","+spec.Cols, ","), field)
	})
	p, err := new(benchproc.ProjectionParser).Parse(strings.Join(fields, ","), nil)
	if err != nil {
		return err
	}
	var keys []benchproc.Key
	for _, b := range list {
		if !strings.HasPrefix(b.pkg, peerPrefix) && b.line.GetConfig("llvm-mca") == "" {
			keys = append(keys, p.Project(b.line))
		}
	}
	for _, field := range benchproc.NonSingularFields(keys) {
		return fmt.Errorf("results %q: the rows of %s differ in %s; want them measured alike, or a table by %[3]s", s.Name, spec.Query, field)
	}
	return nil
}

// grid is what a table is made of.
type grid struct {
	labels  [][]string // by row
	columns []column
}

type column struct {
	title string
	cells map[int]string // by row
}

// fill adds the rows and columns of a machine, and returns the benchmarks that are in
// them.
func (g *grid) fill(set *Set, list []*benchmark, spec TableSpec, prefix string) (used []*benchmark, err error) {
	labelsOf, err := project(spec.Rows)
	if err != nil {
		return nil, err
	}
	groupOf, err := project(spec.Cols)
	if err != nil {
		return nil, err
	}
	start := map[string]int{} // the first column of each group
	for _, b := range list {
		labels, group := labelsOf(b.line), strings.Join(groupOf(b.line), "")
		if slices.Contains(labels, "") || spec.Cols != "" && group == "" { // such as scenes by number of spheres, in a table by /scene
			continue
		}
		used = append(used, b)
		row := slices.IndexFunc(g.labels, func(other []string) bool { return slices.Equal(other, labels) })
		if row < 0 {
			row, g.labels = len(g.labels), append(g.labels, labels)
		}
		at, there := start[group]
		if !there {
			at, start[group] = len(g.columns), len(g.columns)
			for _, c := range spec.Columns {
				g.columns = append(g.columns, column{prefix + spec.title(c, group), map[int]string{}})
			}
		}
		for i, c := range spec.Columns {
			cell, err := set.cell(b, c, list)
			if err != nil {
				return nil, err
			}
			if cell != "" {
				g.columns[at+i].cells[row] = cell
			}
		}
	}
	for i, c := range spec.Columns {
		full := set.Partial && len(used) > 0 || c.Form == "place" // which older files lack
		for _, at := range start {
			full = full || len(g.columns[at+i].cells) > 0
		}
		if !full {
			return nil, &NotMeasuredError{set.Name, spec.Query.String() + " by " + spec.Rows}
		}
	}
	return used, nil
}

// title is that of a column.
func (spec TableSpec) title(c Column, group string) string {
	title := spec.Words.of(c.Unit)
	if c.Base != "" {
		title = spec.baseTitle(c.Base)
		if c.Unit != "rays/s" && !strings.HasPrefix(c.Unit, "flop") {
			title = spec.Words.of(c.Unit) + " " + title
		}
	}
	switch c.Form {
	case "place":
		title = c.Form
	case "time":
		title = c.Form + " of 1280x720"
	}
	name := seriesName(spec.Cols, group)
	if spec.Cols == "step" {
		name = spec.Words.of(name)
	}
	switch {
	case spec.Cols == "":
		return title
	case strings.HasPrefix(title, "over "):
		return name + " " + title
	}
	return name + ", " + title
}

// baseTitle says in a header what a figure is over.
func (spec TableSpec) baseTitle(base string) string {
	if step, err := steps.Find(base); err == nil {
		return "over " + step.Title()
	}
	if key, isOf := strings.CutPrefix(base, "first of "); isOf {
		return spec.Words.of("over first") + " of the same " + key
	}
	return strings.ReplaceAll(spec.Words.of("over "+base), "=", " ")
}

// seriesName is how a title or a legend writes a value of a field.
func seriesName(field, value string) string {
	if step, err := steps.Find(value); err == nil && field == "step" {
		return step.Title()
	}
	return value
}

// cell writes the quantity of a column, or nothing.
func (s *Set) cell(b *benchmark, c Column, rows []*benchmark) (string, error) {
	v, there, err := s.quantity(b, c, rows)
	if err != nil || !there {
		return "", err
	}
	if c.Base != "" && b.taken() {
		return "taken", nil
	}
	switch c.Form {
	case "place":
		if v.Place >= 0.005 {
			return fmt.Sprintf("%.0f %%", 100*v.Place), nil
		}
		return "", nil
	case "time":
		if t := b.time(v.Center); t > 0 {
			return Format(t, "sec/op"), nil
		}
		return "", nil
	case "short":
		if c.Base == "" {
			return Format(v.Center, c.Unit), nil
		}
		return formatShort(v), nil
	}
	if c.Base != "" {
		return estimate.FormatRatio(v), nil
	}
	return FormatValue(v, c.Unit), nil
}

// time returns how long a picture of 1280x720 with ten samples per pixel takes at a rate, in
// seconds, or 0 if it is not known how many rays that has.
func (b *benchmark) time(rate float64) float64 {
	if b.step == nil || b.pkg == Again {
		return 0
	}
	rays, _ := answers.Rays(b.step.Name, partOf(b, "scene"))
	return float64(rays) / rate
}

// Format writes a figure without an interval.
func Format(value float64, unit string) string {
	if unit == "floors" || strings.Contains(unit, "cycle") || strings.HasSuffix(unit, "/sphere") && !strings.HasPrefix(unit, "sec") {
		return strconv.FormatFloat(value, 'g', 4, 64) // and no thousandths
	}
	text := benchunit.Scale(value, benchunit.ClassOf(unit))
	if strings.HasPrefix(unit, "sec") || strings.Contains(unit, "-sec") {
		text += "s"
	}
	return text
}

// FormatValue writes a figure and the half width of its interval: "503.1 ± 1%". A count
// that was the same every time stands alone, and so does a rate: rates of one evening are
// some percent apart, however narrow their intervals; only ratios repeat.
func FormatValue(v estimate.Estimate, unit string) string {
	half, digits := 100*v.HalfWidth(), 1
	if half >= 9.95 {
		digits = 0
	}
	if isShare(unit) {
		return fmt.Sprintf("%.0f %% (%.0f to %.0f)", v.Center, v.Lo, v.Hi)
	}
	exact := v.Lo == v.Hi && !strings.HasPrefix(unit, "sec") && !strings.HasSuffix(unit, "/s")
	switch count := math.Round(v.Center); {
	case exact && math.Abs(v.Center-count) <= 1e-12*v.Center:
		return humanize.Comma(int64(count))
	case exact:
		return strconv.FormatFloat(v.Center, 'g', 4, 64)
	case v.Lo == v.Hi || strings.HasSuffix(unit, "/s") || math.IsInf(half, 0) || math.IsNaN(half):
		return Format(v.Center, unit)
	}
	return fmt.Sprintf("%s ± %.*f%%", Format(v.Center, unit), digits, half)
}

// formatShort writes a ratio alone, or "~" where the interval contains 1.
func formatShort(v estimate.Estimate) string {
	switch {
	case !v.Excludes(1) && !math.IsInf(v.Hi, 0) && v.Lo < v.Hi:
		return "~"
	case v.Center < 9.995:
		return fmt.Sprintf("%.2f", v.Center)
	}
	return fmt.Sprintf("%.1f", v.Center)
}

// Text returns the table for a terminal.
func (t Table) Text() string {
	widths := make([]int, len(t.Header))
	lines := slices.Concat([][]string{t.Header}, t.Rows)
	for i, right := range t.Right {
		for _, row := range lines {
			widths[i] = max(widths[i], utf8.RuneCountInString(row[i]))
		}
		if !right {
			widths[i] = -widths[i] // to the left
		}
	}
	var b strings.Builder
	for _, row := range lines {
		line := ""
		for i, cell := range row {
			line += fmt.Sprintf(" %*s ", widths[i], cell)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

// Markdown returns the table as a page on a code-hosting site shows it, without its
// caption. The figures of a table of more than six columns do not wrap.
func (t Table) Markdown() string {
	var b strings.Builder
	for i, row := range slices.Concat([][]string{t.Header}, t.Rows) {
		b.WriteString("|")
		for j, cell := range row {
			cell = strings.ReplaceAll(cell, "|", `\|`)
			if i > 0 && t.Right[j] && len(t.Header) > 6 {
				cell = strings.ReplaceAll(cell, " ", "\u00A0")
			}
			b.WriteString(" " + cell + " |")
		}
		b.WriteString("\n")
		if i > 0 {
			continue
		}
		for _, right := range t.Right {
			if right {
				b.WriteString("| ---:")
			} else {
				b.WriteString("|:--- ")
			}
		}
		b.WriteString("|\n")
	}
	return b.String()
}
