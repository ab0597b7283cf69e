package step10

import "encoding/binary"

// each has a byte in all eight places.
const each = 0x0101010101010101

// PlainWords is Plain, eight bytes at a time. It collects answers, a bit for each byte, and
// asks once, at the end: nearly all texts are plain.
func PlainWords(text []byte) bool {
	var special uint64
	for ; len(text) >= 8; text = text[8:] {
		w := binary.LittleEndian.Uint64(text)
		quote, slash := w^each*'"', w^each*'\\'
		special |= w | (w - each*' ') | (quote - each) | (slash - each) // below 0 is ≥ 0x80
	}
	return special&(each*0x80) == 0 && Plain(text)
}
