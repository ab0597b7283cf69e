//go:build !purego

package avx512

// For the experiment of the chapter on taking candidates out of a mask; nothing
// else calls them, so the linker leaves them out of the program. Each writes
// the places of the bits of all masks and returns how many there were. There
// must be a mask.

//go:noescape
func collectBits(masks []uint16, to []uint32) int

// collectRegister overwrites up to sixteen elements behind the last as well.
//
//go:noescape
func collectRegister(masks []uint16, to []uint32) int

//go:noescape
func collectMemory(masks []uint16, to []uint32) int
