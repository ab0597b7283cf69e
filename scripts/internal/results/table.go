package results

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Table is a table of finished cells. Every row has as many as the header.
type Table struct {
	Header []string
	Right  []bool // by column: aligned to the right
	Rows   [][]string
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
