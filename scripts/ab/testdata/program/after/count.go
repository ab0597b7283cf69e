// Package count is the program of docs/program.md: it counts words, bills and points.
package count

import (
	"unicode"
	"unicode/utf8"
)

// Words returns how many words a text has.
func Words(text []byte) (n int) {
	before := true // that there was a space
	for len(text) > 0 {
		r, size := rune(text[0]), 1
		space := r == ' ' || r-'\t' < 5 && r >= '\t'
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(text)
			space = unicode.IsSpace(r)
		}
		if before && !space {
			n++
		}
		before, text = space, text[size:]
	}
	return n
}

// Bill is a bill.
type Bill struct {
	Number, Cents int
	Paid          bool
	Name, Street  [48]byte
}

// Open returns what is not paid yet.
func Open(bills []Bill) (cents int) {
	for i := range bills {
		b := &bills[i]
		if !b.Paid {
			cents += b.Cents
		}
	}
	return cents
}

// Points are points of a plane.
type Points struct {
	X, Y, Length []float64
}

// Measure sets the square of the length of each.
func (p *Points) Measure() {
	x, y, length := p.X, p.Y, p.Length
	for i := range x {
		length[i] = x[i]*x[i] + y[i]*y[i]
	}
}
