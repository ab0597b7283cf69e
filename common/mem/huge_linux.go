package mem

import "golang.org/x/sys/unix"

// adviseHuge asks for huge pages. They are no promise, so an error counts for nothing.
func adviseHuge(b []byte) {
	_ = unix.Madvise(b, unix.MADV_HUGEPAGE)
	// For what has been written to before, and has small pages.
	_ = unix.Madvise(b, unix.MADV_COLLAPSE)
}
