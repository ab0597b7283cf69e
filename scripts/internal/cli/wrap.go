package cli

import "strings"

// Wrap breaks a text into lines of at most 100 columns; those behind the first begin
// as it does.
func Wrap(text string) string {
	indent := text[:len(text)-len(strings.TrimLeft(text, " "))]
	var b strings.Builder
	column := 0
	for word := range strings.FieldsSeq(text) {
		switch {
		case column == 0:
			b.WriteString(indent)
			column = len(indent)
		case column+1+len(word) > 100:
			b.WriteString("\n" + indent + indent)
			column = 2 * len(indent)
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += len(word)
	}
	return b.String()
}
