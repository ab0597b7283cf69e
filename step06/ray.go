package step06

// Ray is a half-line. Its direction need not be a unit vector.
type Ray struct {
	Origin, Direction Vec3
}

func NewRay(origin, direction Vec3) Ray { return Ray{origin, direction} }

// At returns the point t directions away from the origin.
func (r *Ray) At(t float32) Vec3 { return r.Origin.Add(r.Direction.Scale(t)) }
