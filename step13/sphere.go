package step13

//go:generate go tool soagen -type Sphere -pad 8 -methods Append,CenterXPadded,CenterYPadded,CenterZPadded,RadiusSqPadded,Surface

// Sphere is a ball of one material.
type Sphere struct {
	Center   Vec3    `soa:"split"`
	RadiusSq float32 `soa:"pad=-inf"` // the radius squared; padding is never hit
	Surface  Surface
}

// Surface is what a hit needs of a sphere, once it is known of which. The hit test
// reads columns, a field of all spheres; whoever reads all fields of one touches
// less memory if they lie side by side.
type Surface struct {
	Center    Vec3    // as in the sphere
	InvRadius float32 // 1 / radius, negative for a normal that points inward
	Material  Material
}
