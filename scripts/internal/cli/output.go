package cli

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/moby/sys/atomicwriter"
)

// CheckOutput says whether something can be written to a file of that name. It is
// asked before work that takes long.
func CheckOutput(what, name string) error {
	if info, err := os.Stat(filepath.Dir(name)); err != nil || !info.IsDir() {
		return fmt.Errorf("%s %q: %q is not a folder; want one that exists", what, name, filepath.Dir(name))
	}
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return fmt.Errorf("%s %q: is a folder; want the name of a file", what, name)
	}
	// What is opened and closed without a byte leaves no trace.
	w, err := atomicwriter.New(name, 0o644)
	if err != nil {
		return fmt.Errorf("%s %q: %w", what, name, err)
	}
	return w.Close()
}
