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
	"github.com/dustin/go-humanize/english"
	"golang.org/x/perf/benchproc"
	"golang.org/x/perf/benchunit"

	"raysteps/scripts/internal/estimate"
	"raysteps/scripts/internal/steps"
)

// TableSpec is what a table shows.
type TableSpec struct {
	Query
	Rows    string   // fields of benchproc, with commas between: "step,label" or "/call,/types"; all keys of the names if empty
	Cols    string   // a field whose values stand side by side, or empty
	Columns []Column // for each value of Cols
}

// Table is a table of finished cells. Every row has as many as the header.
type Table struct {
	Header  []string
	Right   []bool // by column: aligned to the right
	Rows    [][]string
	Caption []string // where and how it was measured, a line for each machine
}

// project returns the values of fields of benchproc, with commas between them.
func project(fields string) (func(*benchmark) []string, error) {
	p, err := new(benchproc.ProjectionParser).Parse(fields, nil)
	if err != nil {
		return nil, fmt.Errorf("fields %q: %w", fields, err)
	}
	return func(b *benchmark) (values []string) {
		key := p.Project(b.line)
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

// cells are those of a table by row, which its labels name, and by column.
type cells struct {
	rows   [][]string // labels
	titles []string
	at     map[[2]string]string // by joined labels and title
}

// Tabulate makes one table of some machines: the rows that any of them has, in the
// order of the first, and for each machine its columns. Columns without content are
// left out. Of the reader's own machine the titles say "yours", and it may have
// nothing; of any other that is a [NotMeasuredError].
func Tabulate(sets []*Set, spec TableSpec) (t Table, err error) {
	all := cells{at: map[[2]string]string{}}
	for _, set := range sets {
		prefix := ""
		switch {
		case set.Own && len(sets) > 1:
			prefix = "yours: "
		case slices.ContainsFunc(sets[1:], func(s *Set) bool { return !s.Own }):
			prefix = set.Title() + ": "
		}
		list, err := set.choose(spec.Query)
		if err == nil {
			spec.Rows = cmp.Or(spec.Rows, keysOf(list[0]))
			list, err = all.fill(set, list, spec, prefix)
		}
		if _, none := err.(*NotMeasuredError); set.Own && none {
			continue
		}
		if err != nil {
			return Table{}, err
		}
		line := caption(list)
		switch {
		case set.Own:
			line = "Yours: " + line
		case set.Name != Reference && sets[0] == set && !strings.HasPrefix(line, "llvm-mca"):
			line = "Not the machine of the other tables: " + line
		}
		t.Caption = append(t.Caption, line)
	}
	for i, field := range strings.Split(spec.Rows, ",") {
		t.Header = append(t.Header, cmp.Or(map[string]string{"label": "what changes"}[field], strings.TrimPrefix(field, "/")))
		words := slices.ContainsFunc(all.rows, func(labels []string) bool {
			_, err := strconv.ParseFloat(strings.ReplaceAll(labels[i], "k", ""), 64)
			return err != nil
		})
		t.Right = append(t.Right, field == "step" || !words)
	}
	for _, labels := range all.rows {
		var row []string
		for i, field := range strings.Split(spec.Rows, ",") {
			row = append(row, Value(field, labels[i]))
		}
		t.Rows = append(t.Rows, row)
	}
	for _, title := range all.titles {
		var column []string
		for _, labels := range all.rows {
			column = append(column, all.at[[2]string{strings.Join(labels, "\x00"), title}])
		}
		if strings.Join(column, "") == "" {
			continue
		}
		t.Header, t.Right = append(t.Header, title), append(t.Right, true)
		for j := range t.Rows {
			t.Rows[j] = append(t.Rows[j], column[j])
		}
	}
	return t, nil
}

// fill adds the rows and columns of a machine, and returns the benchmarks that are in
// them.
func (all *cells) fill(set *Set, list []*benchmark, spec TableSpec, prefix string) (used []*benchmark, err error) {
	labelsOf, err := project(spec.Rows)
	if err != nil {
		return nil, err
	}
	groupOf := func(*benchmark) []string { return []string{"all"} }
	if spec.Cols != "" {
		if groupOf, err = project(spec.Cols); err != nil {
			return nil, err
		}
	}
	var groups []string
	for _, b := range list {
		if group := groupOf(b)[0]; group != "" && !slices.Contains(groups, group) {
			groups = append(groups, group)
			for _, c := range spec.Columns {
				all.titles = append(all.titles, prefix+spec.title(c, group, set))
			}
		}
	}
	filled := make([]bool, len(spec.Columns))
	for _, b := range list {
		labels, group := labelsOf(b), groupOf(b)[0]
		if slices.Contains(labels, "") || group == "" { // such as scenes by number of spheres, in a table by /scene
			continue
		}
		used = append(used, b)
		if !slices.ContainsFunc(all.rows, func(other []string) bool { return slices.Equal(other, labels) }) {
			all.rows = append(all.rows, labels)
		}
		for i, c := range spec.Columns {
			cell, err := set.cell(b, c, list)
			if err != nil {
				return nil, err
			}
			all.at[[2]string{strings.Join(labels, "\x00"), prefix + spec.title(c, group, set)}] = cell
			filled[i] = filled[i] || cell != "" || c.Form == "place" // which older files lack
		}
	}
	if len(used) == 0 || slices.Contains(filled, false) && !set.Own {
		return nil, &NotMeasuredError{set.Name, spec.Query.String() + " by " + spec.Rows}
	}
	return used, nil
}

// title is that of a column.
func (spec TableSpec) title(c Column, group string, set *Set) string {
	words := unitTitle(c.Unit)
	if c.Base != "" {
		words = baseTitle(c.Base)
		if c.Unit != "rays/s" && !strings.HasPrefix(c.Unit, "flop") {
			words = unitTitle(c.Unit) + " " + words
		}
	}
	switch c.Form {
	case "relative": // one group is the base of the others
		_, value, _ := strings.Cut(c.Base, "=")
		words = "over " + value
		if value == group {
			words = unitTitle(c.Unit)
		}
	case "place", "efficiency":
		words = c.Form
	case "time", "rays":
		words = c.Form + " of 1280x720"
	case "share":
		if pkg, name, ok := strings.Cut(c.Base, " "); c.Base == "" {
			words = ""
		} else if ok {
			words = "share of the peak"
			if v, there := set.figure(id{Package(pkg), name, ""}, c.Unit); there {
				words += ", " + Format(v.Center, c.Unit) + " " + c.Unit
			}
		}
	}
	if spec.Cols == "" {
		return words
	}
	separator := ", "
	if strings.HasPrefix(words, "over ") {
		separator = " "
	}
	return strings.TrimSuffix(seriesName(spec.Cols, group)+separator+words, ", ")
}

// baseTitle says in a header what a figure is over.
func baseTitle(base string) string {
	if step, err := steps.Find(base); err == nil {
		return "over " + step.Title()
	}
	if key, isOf := strings.CutPrefix(base, "first of "); isOf {
		return "against the first row of the same " + key
	}
	return cmp.Or(map[string]string{"first": "against the first row", "before": "over the step before", "peer": "over the better in C++"}[base],
		"over "+strings.ReplaceAll(base, "=", " "))
}

func unitTitle(unit string) string {
	return cmp.Or(map[string]string{
		"sec/op": "time", "sec/sphere": "time a sphere", "sec/ray": "time a ray", "sec/operation": "time an operation",
		"B/op": "heap bytes", "allocs/op": "allocations",
	}[unit], unit)
}

// Value is how a page writes a value of a field.
func Value(field, value string) string {
	n, err := strconv.ParseInt(value, 10, 64)
	switch {
	case err != nil:
		return cmp.Or(map[string]string{"/division=row": "rows", "/division=parts": "equal parts"}[field+"="+value], value)
	case field == "/spheres":
		return humanize.Comma(n)
	case field == "/tile":
		return value + "x" + value
	case field == "/division":
		return "tiles of " + value + "x" + value
	}
	return value
}

// seriesName is how a title or a legend writes a value of a field.
func seriesName(field, value string) string {
	switch field {
	case "/workers":
		if n, err := strconv.Atoi(value); err == nil {
			return english.Plural(n, "worker", "")
		}
	case "step":
		if step, err := steps.Find(value); err == nil {
			return step.Title()
		}
	}
	return Value(field, value)
}

// cell writes the quantity of a column, or nothing.
func (s *Set) cell(b *benchmark, c Column, rows []*benchmark) (string, error) {
	if c.Form == "relative" {
		if base, err := s.bases(b, c.Base, rows); err == nil && slices.Contains(base, b) {
			c.Base, c.Form = "", ""
		}
	}
	v, there, err := s.quantity(b, c, rows)
	if err != nil || !there {
		return "", err
	}
	switch c.Form {
	case "place":
		if worth := b.place(c.Unit, rows); worth >= 0.005 {
			return fmt.Sprintf("%.0f %%", 100*worth), nil
		}
		return "", nil
	case "time", "rays":
		rays := raysOf(b)
		switch {
		case rays == 0 || b.pkg == Again:
			return "", nil
		case c.Form == "rays":
			return humanize.Comma(rays), nil
		}
		return Format(float64(rays)/v.Center, "sec/op"), nil
	case "efficiency":
		workers, err := strconv.ParseFloat(partOf(b, "/workers"), 64)
		if err != nil {
			return "", fmt.Errorf("%s has no number of workers", b.id)
		}
		return FormatShare(scaled(v, 1/workers)), nil
	case "share":
		return FormatShare(v), nil
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

func scaled(v estimate.Estimate, factor float64) estimate.Estimate {
	v.Center, v.Lo, v.Hi = factor*v.Center, factor*v.Lo, factor*v.Hi
	return v
}

// Format writes a figure without an interval.
func Format(value float64, unit string) string {
	text := benchunit.Scale(value, benchunit.ClassOf(unit))
	if strings.HasPrefix(unit, "sec") || strings.HasSuffix(unit, "-sec") {
		text += "s"
	}
	return text
}

// FormatValue writes a figure and the half width of its interval: "503.1k ± 1%".
// A count that was the same every time stands alone.
func FormatValue(v estimate.Estimate, unit string) string {
	half := 100 * (math.Sqrt(v.Hi/v.Lo) - 1)
	counted := !strings.HasPrefix(unit, "sec") && !strings.HasSuffix(unit, "/s")
	switch {
	case v.Lo == v.Hi && counted:
		if count := math.Round(v.Center); math.Abs(v.Center-count) <= 1e-12*math.Abs(v.Center) {
			return humanize.Comma(int64(count))
		}
		return strconv.FormatFloat(v.Center, 'g', 4, 64)
	case v.Lo == v.Hi:
		return Format(v.Center, unit)
	case math.IsInf(half, 0) || math.IsNaN(half):
		return Format(v.Center, unit) + " ± ∞"
	case half < 9.95:
		return fmt.Sprintf("%s ± %.1f%%", Format(v.Center, unit), half)
	}
	return fmt.Sprintf("%s ± %.0f%%", Format(v.Center, unit), half)
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

// FormatShare writes a ratio and its interval in percent, "79% (78 to 80)", or
// without an interval that rounds to nothing.
func FormatShare(v estimate.Estimate) string {
	center, lo, hi := math.Round(100*v.Center), math.Round(100*v.Lo), math.Round(100*v.Hi)
	if math.IsInf(v.Hi, 0) || lo == center && hi == center {
		return fmt.Sprintf("%.0f%%", center)
	}
	return fmt.Sprintf("%.0f%% (%.0f to %.0f)", center, lo, hi)
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
			b.WriteString(map[bool]string{false: "|:--- ", true: "| ---:"}[right])
		}
		b.WriteString("|\n")
	}
	return b.String()
}
