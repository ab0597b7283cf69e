package wavefront

//go:generate go tool soagen -type Sphere -methods Append

// Sphere is what a ray needs to know of a ball to find out where it hits it.
type Sphere struct {
	Center   Vec3    `soa:"split"`
	Reach    float32 // of the first pass, see spheres
	RadiusSq float32
}
