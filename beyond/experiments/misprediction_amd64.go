//go:build !purego

package experiments

// The functions that the calls count, and that they do not.
func targets() (first, second uintptr)

// Each goes through order, at least one address, and returns how often the first function was
// called, or a jump was not taken.

func calls1(order []uintptr) (count int)
func calls2(order []uintptr) (count int)
func calls3(order []uintptr) (count int)
func calls4(order []uintptr) (count int)
func calls6(order []uintptr) (count int)
func calls8(order []uintptr) (count int)

func jumps1(order []uintptr) (count int)
func jumps2(order []uintptr) (count int)
func jumps3(order []uintptr) (count int)
func jumps4(order []uintptr) (count int)
func jumps6(order []uintptr) (count int)
func jumps8(order []uintptr) (count int)
