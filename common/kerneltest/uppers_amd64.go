//go:build !purego

package kerneltest

import "golang.org/x/sys/cpu"

// DirtyUppers leaves something in the upper half of every register, as a kernel
// without VZEROUPPER does. The processor must have AVX2. After an experiment
// with it, call [CleanUppers].
//
//go:noescape
func DirtyUppers()

// CleanUppers does the same work and cleans up.
//
//go:noescape
func CleanUppers()

// LeavesUppers runs f with the upper halves of the registers clean, and returns
// whether it leaves something in one of them: whether VZEROUPPER is missing.
// Without AVX2 there is nothing to leave. What f leaves, it leaves each time it runs;
// what is seen once and not again came from elsewhere, such as from an interrupt.
func LeavesUppers(f func()) bool {
	if !cpu.X86.HasAVX2 {
		f()
		return false
	}
	for range 3 {
		CleanUppers()
		f()
		if !uppersInUse() {
			return false
		}
	}
	return true
}

// uppersInUse returns whether the upper half of a register is not 0, and cleans
// all of them.
func uppersInUse() bool
