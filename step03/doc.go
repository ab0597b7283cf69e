// Package step03 takes the interface out of the hit loop.
//
// The world is no longer a list of whatever can be hit but a struct with a
// slice for each kind of thing; there is one kind, the sphere. So the loop
// calls a method of a type that the compiler knows. Materials stay behind
// their interface: they are asked once a ray, not once a sphere.
package step03
