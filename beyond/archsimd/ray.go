package archsimd

// Ray is a half-line. Its direction is a unit vector.
type Ray struct {
	Origin, Direction Vec3
}

// NewRay returns a ray in a direction of any length but 0.
func NewRay(origin, direction Vec3) Ray { return Ray{origin, direction.Unit()} }

// At returns the point at distance t from the origin.
func (r Ray) At(t float32) Vec3 { return r.Origin.Add(r.Direction.Scale(t)) }
