package results

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
)

// Table is a table of finished cells. Every row has as many as the header.
type Table struct {
	Header  []string
	Right   []bool // by column: aligned to the right
	Rows    [][]string
	Caption string // where and how it was measured
}

// Table makes one. Columns without content are left out; an error within which is
// [ErrNotMeasured] says that nothing is left or, of a published machine, that a column is empty.
func (s *Set) Table(spec Spec) (t Table, err error) {
	g, err := s.grid(spec)
	if err != nil {
		return t, err
	}
	t.Caption, t.Rows = g.caption, make([][]string, len(g.rows))
	for _, c := range g.columns {
		if !slices.ContainsFunc(c.cells, func(c cell) bool { return c.text != "" }) {
			continue
		}
		t.Header, t.Right = append(t.Header, c.title()), append(t.Right, !c.left)
		for row, cell := range c.cells {
			t.Rows[row] = append(t.Rows[row], cell.text)
		}
	}
	return t, nil
}

// Text returns the table for a terminal.
func (t Table) Text() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, row := range slices.Concat([][]string{t.Header}, t.Rows) {
		fmt.Fprintln(w, strings.TrimRight(strings.Join(row, "\t"), "\t"))
	}
	w.Flush()
	return b.String()
}

// Markdown returns the table as a page on a code-hosting site shows it, without its
// caption. The figures of a table of more than six columns do not wrap.
func (t Table) Markdown() string {
	text, rule := "| "+strings.Join(t.Header, " | ")+" |\n", "|"
	for _, right := range t.Right {
		rule += map[bool]string{false: ":--- |", true: " ---:|"}[right]
	}
	text += rule + "\n"
	for _, row := range t.Rows {
		text += "|"
		for i, cell := range row {
			if cell = strings.ReplaceAll(cell, "|", `\|`); t.Right[i] && len(row) > 6 {
				cell = strings.ReplaceAll(cell, " ", "\u00A0")
			}
			text += " " + cell + " |"
		}
		text += "\n"
	}
	return text
}
