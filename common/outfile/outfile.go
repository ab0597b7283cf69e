// Package outfile writes files that are complete or not there at all.
package outfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

const mode = 0o644 // of the files

// Check says why [Write] cannot write a file of that name. Ask before work that
// takes long. What stands in the error for the kind of file: "picture".
func Check(what, name string) error {
	if info, err := os.Stat(filepath.Dir(name)); err != nil || !info.IsDir() {
		return fmt.Errorf("%s %q: %q is not a folder; want one that exists", what, name, filepath.Dir(name))
	}
	// The name of a symbolic link would get the new file, and its target stay.
	if info, err := os.Lstat(name); err == nil && info.IsDir() {
		return fmt.Errorf("%s %q: is a folder; want the name of a file", what, name)
	} else if err == nil && !info.Mode().IsRegular() {
		return fmt.Errorf("%s %q: is a link or a device; want the name of a plain file", what, name)
	}
	f, err := create(name)
	if err == nil {
		err = errors.Join(f.Close(), os.Remove(f.Name()))
	}
	if err != nil {
		return fmt.Errorf("%s %q: %w", what, name, err)
	}
	return nil
}

// Write writes a file. If there is one of that name, it is replaced only when
// the new one is complete, and whoever has it open goes on to see it whole. The
// mode of the new file does not depend on the umask.
func Write(what, name string, data []byte) error {
	if err := Check(what, name); err != nil {
		return err
	}
	f, err := create(name)
	if err != nil {
		return fmt.Errorf("%s %q: %w", what, name, err)
	}
	_, err = f.Write(data)
	// Not f.Chmod, which Windows lacks.
	if err = errors.Join(err, f.Sync(), f.Close(), os.Chmod(f.Name(), mode)); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return fmt.Errorf("%s %q: %w", what, name, errors.Join(err, os.Remove(f.Name())))
	}
	return nil
}

// create opens a new file in the folder of that name, from which it can be
// renamed.
func create(name string) (*os.File, error) {
	return os.CreateTemp(filepath.Dir(name), ".raysteps-")
}
