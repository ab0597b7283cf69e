// Package infile reads files that a user names. What is no plain file, such as a named pipe,
// might be waited for without an end, and a device be read without one; so both are refused
// before they are opened, and a file that is larger than it can rightly be before it is read.
package infile

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Read returns the content of a plain file of at most limit bytes, or of the one that a link
// leads to. What stands in the error for the kind of file: "scene". The error of a file that
// cannot be read wraps that of the operating system.
func Read(what, name string, limit int64) ([]byte, error) {
	text, err := read(name, limit)
	if err != nil {
		return nil, fmt.Errorf("%s %q: %w", what, name, err)
	}
	return text, nil
}

func read(name string, limit int64) ([]byte, error) {
	info, err := os.Stat(name)
	if err != nil {
		return nil, unreadable(err)
	}
	switch {
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("is a %s; want a plain file", kind(info.Mode()))
	case info.Size() > limit:
		return nil, fmt.Errorf("is of %d bytes; want at most %d", info.Size(), limit)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, unreadable(err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, limit+1)) // not every file says its size
	if err != nil {
		return nil, unreadable(err)
	}
	if int64(len(text)) > limit {
		return nil, fmt.Errorf("is of more than %d bytes; want at most that", limit)
	}
	return text, nil
}

// unreadable leaves out the operation and the file, which the error of Read begins with.
func unreadable(err error) error {
	return fmt.Errorf("%w; want a file that can be read", cmp.Or(errors.Unwrap(err), err))
}

func kind(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "folder"
	case mode&fs.ModeNamedPipe != 0:
		return "pipe"
	case mode&fs.ModeSocket != 0:
		return "socket"
	}
	return "device"
}
