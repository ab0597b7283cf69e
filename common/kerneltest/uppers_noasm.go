//go:build !amd64 || purego

package kerneltest

// DirtyUppers panics: this build has no registers with upper halves.
func DirtyUppers() { panic("kerneltest.DirtyUppers: want amd64, and assembly") }

// CleanUppers does nothing, for there is nothing to clean up.
func CleanUppers() {}

// LeavesUppers runs f and returns false, for there is nothing to leave.
func LeavesUppers(f func()) bool {
	f()
	return false
}
