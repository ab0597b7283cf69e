//go:build !purego

package step12

// For the experiment of the chapter on VZEROUPPER; nothing else calls them, so
// the linker leaves them out of the program.

//go:noescape
func dirtyUppers()

//go:noescape
func cleanUppers()
