//go:build !purego

package kerneltest

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
