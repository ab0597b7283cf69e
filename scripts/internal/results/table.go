package results

import (
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// Table is a table of finished cells.
type Table struct {
	Header []string
	Right  []bool // by column: aligned to the right
	Rows   [][]string
}

// Text returns the table for a terminal. Columns without any content are left
// out.
func (t Table) Text() string {
	w := t.writer()
	style := table.StyleLight
	style.Options = table.OptionsNoBordersAndSeparators
	style.Format.Header = text.FormatDefault
	w.SetStyle(style)
	w.SuppressEmptyColumns()
	w.SuppressTrailingSpaces()
	return w.Render() + "\n"
}

// Markdown returns the table as a page on a code-hosting site shows it.
func (t Table) Markdown() string { return t.writer().RenderMarkdown() + "\n" }

func (t Table) writer() table.Writer {
	w := table.NewWriter()
	var columns []table.ColumnConfig
	for i, right := range t.Right {
		align := text.AlignLeft
		if right {
			align = text.AlignRight
		}
		columns = append(columns, table.ColumnConfig{Number: i + 1, Align: align, AlignHeader: align})
	}
	w.SetColumnConfigs(columns)
	w.AppendHeader(row(t.Header))
	for _, cells := range t.Rows {
		w.AppendRow(row(cells))
	}
	return w
}

func row(cells []string) table.Row {
	r := make(table.Row, len(cells))
	for i, cell := range cells {
		r[i] = strings.TrimSpace(cell)
	}
	return r
}
