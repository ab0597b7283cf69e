package step12

//go:generate go tool soagen -type Sphere -pad 8 -methods Append,CenterX,CenterXPadded,CenterY,CenterYPadded,CenterZ,CenterZPadded,RadiusSqPadded,InvRadius,Material

// Sphere is a ball of one material.
type Sphere struct {
	Center    Vec3    `soa:"split"`
	RadiusSq  float32 `soa:"pad=-inf"` // the radius squared; padding is never hit
	InvRadius float32 // 1 / radius, negative for a normal that points inward
	Material  Material
}
