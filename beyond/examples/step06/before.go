package step06

import "net/url"

// Decode replaces the escapes of all paths, such as %20, by what they stand for.
func Decode(paths []string) (err error) {
	for i, path := range paths {
		if paths[i], err = url.PathUnescape(path); err != nil {
			return err
		}
	}
	return nil
}
