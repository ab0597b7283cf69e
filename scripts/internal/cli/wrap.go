package cli

import (
	"strings"
	"unicode/utf8"
)

// Columns is how wide what commands print is at the most.
const Columns = 100

// Wrap breaks a text into lines of at most [Columns] columns; those behind the first are
// indented twice as far as it is.
func Wrap(text string) string {
	indent := text[:len(text)-len(strings.TrimLeft(text, " "))]
	var b strings.Builder
	column := 0
	for word := range strings.FieldsSeq(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case column == 0:
			b.WriteString(indent)
			column = len(indent)
		case column+1+n > Columns:
			b.WriteString("\n" + indent + indent)
			column = 2 * len(indent)
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
	}
	return b.String()
}
