package bounds

import "encoding/binary"

// Dot indexes a slice by the length of another.
func Dot(a, b []int) (sum int) {
	for i := range a {
		sum += a[i] * b[i] // checked
	}
	return sum
}

// DotCut cuts it to that length first.
func DotCut(a, b []int) (sum int) {
	b = b[:len(a)] // checked, once
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// DotMin goes to the end of the shorter one.
func DotMin(a, b []int) (sum int) {
	for i := range min(len(a), len(b)) {
		sum += a[i] * b[i]
	}
	return sum
}

// Word reads four bytes, the first first: each is checked.
func Word(b []byte) uint32 {
	return uint32(b[0]) | // checked
		uint32(b[1])<<8 | // checked
		uint32(b[2])<<16 | // checked
		uint32(b[3])<<24 // checked
}

// WordHinted reads the last one first.
func WordHinted(b []byte) uint32 {
	_ = b[3] // checked, once
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}

// Class looks up a byte in a table that is a slice.
func Class(table []uint8, c byte) uint8 {
	return table[c] // checked
}

// ClassArray has 256 elements, as many as a byte has values.
func ClassArray(table *[256]uint8, c byte) uint8 {
	return table[c]
}

// Slot is the place of a hash in a table whose length is a power of two.
func Slot(table []int, hash uint) int {
	return table[hash%uint(len(table))] // a division
}

// SlotMasked has an array, and a mask that fits.
func SlotMasked(table *[1 << 10]int, hash uint) int {
	return table[hash&(1<<10-1)]
}

// Sum8 goes through a slice by an index that counts in eights.
func Sum8(b []byte) (sum uint64) {
	for i := 0; i+8 <= len(b); i += 8 {
		sum += binary.LittleEndian.Uint64(b[i:]) // checked
	}
	return sum
}

// Sum8Cut cuts off what it has read.
func Sum8Cut(b []byte) (sum uint64) {
	for ; len(b) >= 8; b = b[8:] {
		sum += binary.LittleEndian.Uint64(b)
	}
	return sum
}

// Reverse goes from both ends. Go 1.27 proves that.
func Reverse(a []int) {
	for i, j := 0, len(a)-1; i < j; i, j = i+1, j-1 {
		a[i], a[j] = a[j], a[i] // checked by Go 1.26
	}
}
