package cli

import (
	"strings"
	"unicode/utf8"
)

// columns is how wide what commands print is at the most.
const columns = 100

// Wrap breaks a text into lines of at most 100 columns; those behind the first are
// indented twice as far as it is.
func Wrap(text string) string {
	indent := text[:len(text)-len(strings.TrimLeft(text, " "))]
	lines, line := "", indent
	for word := range strings.FieldsSeq(text) {
		switch {
		case line == indent:
			line += word
		case utf8.RuneCountInString(line+" "+word) > columns:
			lines, line = lines+line+"\n", indent+indent+word
		default:
			line += " " + word
		}
	}
	return lines + line
}
