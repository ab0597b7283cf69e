// Package step05 keeps the spheres as a structure of arrays.
//
// One slice of spheres becomes a slice of centers, one of radii and one of
// materials, in a container that soagen generates. Nothing is computed
// differently; the step prepares those that follow.
package step05
