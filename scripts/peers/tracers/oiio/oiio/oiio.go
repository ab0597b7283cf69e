// Package oiio stands for the library by which izpi reads pictures of textures, which is in C++.
// Our scenes have none.
package oiio

import (
	"errors"
	"image"
)

// ReadImage64 reads no picture.
func ReadImage64(name string) (image.Image, error) {
	return nil, errors.New(name + ": there is no library to read it")
}
