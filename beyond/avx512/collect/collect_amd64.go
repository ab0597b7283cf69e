//go:build !purego

package collect

// Each function writes the places of the bits of all masks, from 0 to 15, and
// returns how many there were. There must be a mask, and room for 16 places of
// each. Those that use registers need AVX-512.

//go:noescape
func collectBits(masks []uint16, to []uint32) int

// collectRegister overwrites up to sixteen elements behind the last as well.
//
//go:noescape
func collectRegister(masks []uint16, to []uint32) int

//go:noescape
func collectMemory(masks []uint16, to []uint32) int
