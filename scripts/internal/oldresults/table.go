package results

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"raysteps/scripts/internal/estimate"
)

// Table is a table of finished cells. Every row has as many as the header.
type Table struct {
	Header []string
	Right  []bool // by column: aligned to the right
	Rows   [][]string
}

// builder makes a table of a set, cell by cell. It stops at the first error: what
// comes behind adds nothing, and done returns that error.
type builder struct {
	set   *Set
	table Table
	cells []string // of the row that is not finished
	err   error
}

// newTable returns a builder of a table without columns.
func (s *Set) newTable() *builder { return &builder{set: s} }

// left adds columns that are aligned to the left.
func (b *builder) left(titles ...string) *builder {
	b.table.Header = append(b.table.Header, titles...)
	b.table.Right = append(b.table.Right, make([]bool, len(titles))...)
	return b
}

// right adds columns that are aligned to the right.
func (b *builder) right(titles ...string) *builder {
	b.table.Header = append(b.table.Header, titles...)
	b.table.Right = append(b.table.Right, slices.Repeat([]bool{true}, len(titles))...)
	return b
}

// text adds finished cells to the row.
func (b *builder) text(cells ...string) *builder {
	b.cells = append(b.cells, cells...)
	return b
}

// cell adds what format makes of an estimate.
func (b *builder) cell(format func(estimate.Estimate) string, v estimate.Estimate, err error) *builder {
	if b.err = cmp.Or(b.err, err); b.err != nil {
		return b
	}
	return b.text(format(v))
}

// value adds a benchmark's figure in a unit and its interval.
func (b *builder) value(key Key, unit string) *builder {
	v, err := b.set.Estimate(key, unit)
	return b.cell(func(v estimate.Estimate) string { return FormatValue(v, unit) }, v, err)
}

// ratio adds what format makes of key over base. The cell is empty if base is key
// itself or was not measured.
func (b *builder) ratio(key, base Key, unit string, format func(estimate.Estimate) string) *builder {
	if key == base || !b.set.Has(base) {
		return b.text("")
	}
	v, err := b.set.Ratio(key, base, unit)
	return b.cell(format, v, err)
}

// end finishes the row.
func (b *builder) end() {
	b.table.Rows = append(b.table.Rows, b.cells)
	b.cells = nil
}

// done returns the table, or the first error. That of a table without rows may be
// nil.
func (b *builder) done(withoutRows error) (Table, error) {
	if b.err == nil && len(b.table.Rows) == 0 {
		b.err = withoutRows
	}
	if b.err != nil {
		return Table{}, b.err
	}
	return b.table, nil
}

// lines returns the header and the rows, without spaces around cells.
func (t Table) lines() [][]string {
	lines := slices.Concat([][]string{t.Header}, t.Rows)
	for i, cells := range lines {
		lines[i] = slices.Clone(cells)
		for j, cell := range cells {
			lines[i][j] = strings.TrimSpace(cell)
		}
	}
	return lines
}

// Text returns the table for a terminal. Columns without any content are left
// out.
func (t Table) Text() string {
	lines := t.lines()
	widths := make([]int, len(t.Header)) // 0 for a column without content
	for i := range widths {
		for _, cells := range lines[1:] {
			widths[i] = max(widths[i], utf8.RuneCountInString(cells[i]))
		}
		if widths[i] > 0 {
			widths[i] = max(widths[i], utf8.RuneCountInString(lines[0][i]))
		}
	}
	var b strings.Builder
	for _, cells := range lines {
		line := ""
		for i, cell := range cells {
			switch {
			case widths[i] == 0:
			case t.Right[i]:
				line += fmt.Sprintf(" %*s ", widths[i], cell)
			default:
				line += fmt.Sprintf(" %-*s ", widths[i], cell)
			}
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

// Markdown returns the table as a page on a code-hosting site shows it.
func (t Table) Markdown() string {
	var b strings.Builder
	for i, cells := range t.lines() {
		for j := range cells {
			cells[j] = strings.ReplaceAll(cells[j], "|", `\|`)
		}
		fmt.Fprintf(&b, "| %s |\n", strings.Join(cells, " | "))
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
