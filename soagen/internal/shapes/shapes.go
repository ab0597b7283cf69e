// Package shapes has the structure-of-arrays container that the benchmarks of
// soagen measure, and that a fuzzer compares with a plain slice. Structs of
// other shapes are in testdata: a test copies them and this package into a
// module, generates their containers there and tests them in the same way.
package shapes

//go:generate go tool soagen -type Sphere -pad 8

// Vec3 is a vector for splitting.
type Vec3 struct{ X, Y, Z float32 }

// Material is an interface, so a column of it has pointers.
type Material interface{ Name() string }

// Sphere is the shape of the path tracer's own sphere.
type Sphere struct {
	Center    Vec3    `soa:"split"`
	RadiusSq  float32 `soa:"pad=-inf"`
	InvRadius float32
	Material  Material
}
