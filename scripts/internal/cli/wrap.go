package cli

import (
	"strings"
	"unicode/utf8"
)

// Wrap breaks a text into lines of at most 100 columns, as wide as what commands print
// may be; those behind the first are indented twice as far as it is.
func Wrap(text string) string {
	indent := text[:len(text)-len(strings.TrimLeft(text, " "))]
	lines, line := "", indent
	for word := range strings.FieldsSeq(text) {
		switch {
		case line == indent:
			line += word
		case utf8.RuneCountInString(line+" "+word) > 100:
			lines, line = lines+line+"\n", indent+indent+word
		default:
			line += " " + word
		}
	}
	return lines + line
}
