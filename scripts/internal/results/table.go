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

// projection is an expression of benchproc that keeps the order of the file.
func projection(fields string) (*benchproc.Projection, error) {
	p, err := new(benchproc.ProjectionParser).Parse(fields, nil)
	if err != nil {
		return nil, fmt.Errorf("fields %q: %w", fields, err)
	}
	return p, nil
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

// Tabulate makes one table of some machines: the rows that any of them has, in the
// order of the first, and for each machine its columns. Columns without content are
// left out. Of the reader's own machine the titles say "yours", and it may have
// nothing; of any other that is a [NotMeasuredError].
func Tabulate(sets []*Set, spec TableSpec) (Table, error) {
	type row struct {
		labels []string
		cells  map[int]string
	}
	var rows []*row
	byLabel := map[string]*row{}
	var t Table
	var titles []string
	fields := spec.Rows
	for _, set := range sets {
		list, err := set.choose(spec.Query)
		if err != nil {
			if set.Own {
				continue
			}
			return Table{}, err
		}
		fields = cmp.Or(fields, keysOf(list[0]))
		of, err := projection(fields)
		if err != nil {
			return Table{}, err
		}
		var across *benchproc.Projection
		groups := []string{""}
		if spec.Cols != "" {
			if across, err = projection(spec.Cols); err != nil {
				return Table{}, err
			}
			groups = nil
			for _, b := range list {
				group := across.Project(b.line).Get(across.Fields()[0])
				if group != "" && !slices.Contains(groups, group) {
					groups = append(groups, group)
				}
			}
		}
		first := len(titles)
		for _, group := range groups {
			for _, c := range spec.Columns {
				titles = append(titles, spec.title(c, group, set, slices.ContainsFunc(sets[1:], func(s *Set) bool { return !s.Own }), set.Own && len(sets) > 1))
			}
		}
		var used []*benchmark
		filled := make([]bool, len(spec.Columns))
		for i, c := range spec.Columns {
			filled[i] = c.Form == "place" // which older files lack
		}
		for _, b := range list {
			at := 0
			if across != nil {
				if at = slices.Index(groups, across.Project(b.line).Get(across.Fields()[0])); at < 0 {
					continue
				}
			}
			var labels []string
			key := of.Project(b.line)
			for _, field := range of.Fields() {
				labels = append(labels, key.Get(field))
			}
			if slices.Contains(labels, "") { // such as scenes by number of spheres, in a table by /scene
				continue
			}
			used = append(used, b)
			joined := strings.Join(labels, "\x00")
			r := byLabel[joined]
			if r == nil {
				r = &row{labels, map[int]string{}}
				byLabel[joined] = r
				rows = append(rows, r)
			}
			for i, c := range spec.Columns {
				cell, err := set.cell(b, c, list)
				if err != nil {
					return Table{}, err
				}
				if cell != "" {
					filled[i] = true
					r.cells[first+at*len(spec.Columns)+i] = cell
				}
			}
		}
		if !set.Own && (len(used) == 0 || slices.Contains(filled, false)) {
			return Table{}, &NotMeasuredError{set.Name, spec.Query.String() + " by " + fields}
		}
		if len(used) == 0 {
			continue
		}
		line := caption(used)
		switch {
		case set.Own:
			line = "Yours: " + line
		case set.Name != Reference && sets[0] == set && !strings.HasPrefix(line, "llvm-mca"):
			line = "Not the machine of the other tables: " + line
		}
		t.Caption = append(t.Caption, line)
	}
	for _, field := range strings.Split(fields, ",") {
		t.Header = append(t.Header, map[string]string{"label": "what changes"}[field])
		if last := len(t.Header) - 1; t.Header[last] == "" {
			t.Header[last] = strings.TrimPrefix(field, "/")
		}
		t.Right = append(t.Right, field == "step" || len(rows) > 0 && !slices.ContainsFunc(rows, func(r *row) bool {
			_, err := strconv.ParseFloat(strings.ReplaceAll(r.labels[len(t.Header)-1], "k", ""), 64)
			return err != nil
		}))
	}
	for _, r := range rows {
		for i, field := range strings.Split(fields, ",") {
			r.labels[i] = Value(field, r.labels[i])
		}
		t.Rows = append(t.Rows, r.labels)
	}
	for i, title := range titles {
		if !slices.ContainsFunc(rows, func(r *row) bool { return r.cells[i] != "" }) {
			continue
		}
		t.Header, t.Right = append(t.Header, title), append(t.Right, true)
		for j, r := range rows {
			t.Rows[j] = append(t.Rows[j], r.cells[i])
		}
	}
	return t, nil
}

// title is that of a column.
func (spec TableSpec) title(c Column, group string, set *Set, named, yours bool) string {
	words := unitTitle(c.Unit)
	if c.Base != "" {
		words = baseTitle(c.Base)
		if c.Unit != "rays/s" && !strings.HasPrefix(c.Unit, "flop") {
			words = unitTitle(c.Unit) + " " + words
		}
	}
	key, value, isKey := strings.Cut(c.Base, "=")
	if isKey && key == strings.TrimPrefix(spec.Cols, "/") && c.Form == "relative" { // one group is the base of the others
		words = "over " + value
		if value == group {
			words = unitTitle(c.Unit)
		}
	}
	switch {
	case c.Form == "place":
		words = "place"
	case c.Form == "efficiency":
		words = "efficiency"
	case c.Form == "share" && c.Base != "":
		words = "share of the peak"
		if _, name, ok := strings.Cut(c.Base, " "); ok {
			if v, there := set.figure(id{Package(strings.Fields(c.Base)[0]), name, ""}, c.Unit); there {
				words += ", " + Format(v.Center, c.Unit) + " " + c.Unit
			}
		}
	case c.Form == "time":
		words = "time of 1280x720"
	case c.Form == "rays":
		words = "rays of 1280x720"
	case c.Form == "share":
		words = ""
	}
	if group != "" {
		group = seriesName(spec.Cols, group)
		separator := ", "
		if strings.HasPrefix(words, "over ") {
			separator = " "
		}
		words = strings.TrimSuffix(group+separator+words, ", ")
	}
	switch {
	case yours:
		return "yours: " + words
	case named:
		return set.Title() + ": " + words
	}
	return words
}

func (s *Set) figure(i id, unit string) (estimate.Estimate, bool) {
	if b := s.index[i]; b != nil {
		if sample := b.sample(unit); len(sample.values) > 0 {
			return sample.estimate(), true
		}
	}
	return estimate.Estimate{}, false
}

// baseTitle says in a header what a figure is over.
func baseTitle(base string) string {
	switch rest, isOf := strings.CutPrefix(base, "first of "); {
	case base == "first":
		return "against the first row"
	case isOf:
		return "against the first row of the same " + rest
	case base == "before":
		return "over the step before"
	case base == "peer":
		return "over the better in C++"
	case strings.HasPrefix(base, "unit "):
		return "over " + strings.TrimPrefix(base, "unit ")
	}
	if step, err := steps.Find(base); err == nil {
		return "over " + step.Title()
	}
	return "over " + strings.ReplaceAll(base, "=", " ")
}

func unitTitle(unit string) string {
	return cmp.Or(map[string]string{
		"sec/op": "time", "sec/sphere": "time a sphere", "sec/ray": "time a ray", "sec/operation": "time an operation",
		"B/op": "heap bytes", "allocs/op": "allocations", "slice-rays/s": "rate of slices",
	}[unit], unit)
}

// Value is how a page writes a value of a field.
func Value(field, value string) string {
	n, err := strconv.Atoi(value)
	number := err == nil
	switch field {
	case "step":
		if step, err := steps.Find(value); err == nil {
			return step.Short()
		}
	case "/spheres":
		if number {
			return humanize.Comma(int64(n))
		}
	case "/tile":
		return value + "x" + value
	case "/division":
		if number {
			return "tiles of " + value + "x" + value
		}
		return map[string]string{"row": "rows", "parts": "equal parts"}[value]
	}
	return value
}

// cell writes the quantity of a column, or nothing.
func (s *Set) cell(b *benchmark, c Column, rows []*benchmark) (string, error) {
	if c.Form == "relative" {
		if self, err := s.bases(b, c.Base, rows); err == nil && slices.Contains(self, b) {
			c.Base, c.Form = "", ""
		}
	}
	v, there, err := s.quantity(b, c, rows)
	if err != nil || !there {
		return "", err
	}
	switch {
	case c.Form == "place":
		if worth := b.place(c.Unit, rows); worth >= 0.005 {
			return fmt.Sprintf("%.0f %%", 100*worth), nil
		}
		return "", nil
	case c.Form == "time" || c.Form == "rays":
		rays := raysOf(b)
		if rays == 0 || b.pkg == Again {
			return "", nil
		}
		if c.Form == "rays" {
			return humanize.Comma(rays), nil
		}
		return Format(float64(rays)/v.Center, "sec/op"), nil
	case c.Form == "efficiency":
		workers, err := strconv.Atoi(partOf(b, "/workers"))
		if err != nil {
			return "", fmt.Errorf("%s has no number of workers", b.id)
		}
		return FormatShare(scaled(v, 1/float64(workers))), nil
	case c.Form == "share":
		return FormatShare(v), nil
	case c.Form == "short" && c.Base != "":
		return formatShort(v), nil
	case c.Form == "short":
		return Format(v.Center, c.Unit), nil
	case c.Base != "":
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
	switch {
	case v.Lo == v.Hi && !strings.HasPrefix(unit, "sec") && !strings.HasSuffix(unit, "/s"):
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
	for _, cells := range lines {
		for i, cell := range cells {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for _, cells := range lines {
		line := ""
		for i, cell := range cells {
			if t.Right[i] {
				line += fmt.Sprintf(" %*s ", widths[i], cell)
			} else {
				line += fmt.Sprintf(" %-*s ", widths[i], cell)
			}
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

// Markdown returns the table as a page on a code-hosting site shows it, without its
// caption. The figures of a table of more than six columns do not wrap.
func (t Table) Markdown() string {
	var b strings.Builder
	for i, cells := range slices.Concat([][]string{t.Header}, t.Rows) {
		b.WriteString("|")
		for j, cell := range cells {
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
