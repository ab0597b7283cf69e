package step06

import (
	"net/url"
	"strings"
)

// DecodeRare does the same, and calls the decoder for paths that have a percent sign.
func DecodeRare(paths []string) (err error) {
	for i, path := range paths {
		if strings.IndexByte(path, '%') < 0 {
			continue
		}
		if paths[i], err = url.PathUnescape(path); err != nil {
			return err
		}
	}
	return nil
}
