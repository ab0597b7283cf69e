// Package shapes has structs of many shapes. A test of soagen copies it into a
// module, generates the containers there and compares them with plain slices.
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
