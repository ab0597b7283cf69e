// Package outfile writes files that are complete or not there at all.
package outfile

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// Check says why [Write] cannot write a file of that name. Ask before work that
// takes long. What stands in the error for the kind of file: "picture".
func Check(what, name string) error {
	f, err := create(what, name)
	if err != nil {
		return err
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// Write writes a file. If there is one of that name, it is replaced only when
// the new one is complete, and whoever has it open goes on to see it whole.
func Write(what, name string, data []byte) error {
	f, err := create(what, name)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = cmp.Or(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
		return fmt.Errorf("%s %q: %w", what, name, reason(err))
	}
	return nil
}

// reason is an error without its operation and file, which is one that nobody asked for.
func reason(err error) error { return cmp.Or(errors.Unwrap(err), err) }

// create opens a new file in the folder of that name, from which it can be renamed. Unlike
// os.CreateTemp, and libraries that call it, it leaves the mode to the umask.
func create(what, name string) (*os.File, error) {
	dir := filepath.Dir(name)
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("%s %q: %q is not a folder; want one that exists", what, name, dir)
	}
	// The name of a symbolic link would get the new file, and its target stay.
	if info, err := os.Lstat(name); err == nil && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s %q: is a folder, a link or a device; want the name of a plain file", what, name)
	}
	f, err := os.OpenFile(filepath.Join(dir, fmt.Sprintf(".raysteps-%x", rand.Uint64())), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, fmt.Errorf("%s %q: cannot write in the folder %q: %w", what, name, dir, reason(err))
	}
	return f, nil
}
