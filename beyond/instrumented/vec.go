package instrumented

import "math"

// Vec3 is a point, a direction or a color of three components.
type Vec3 struct{ X, Y, Z float32 }

func vec3(a [3]float32) Vec3 { return Vec3{a[0], a[1], a[2]} }

func (a Vec3) Add(b Vec3) Vec3 { return Vec3{a.X + b.X, a.Y + b.Y, a.Z + b.Z} }
func (a Vec3) Sub(b Vec3) Vec3 { return Vec3{a.X - b.X, a.Y - b.Y, a.Z - b.Z} }
func (a Vec3) Neg() Vec3       { return Vec3{-a.X, -a.Y, -a.Z} }

// Mul multiplies component by component.
func (a Vec3) Mul(b Vec3) Vec3 {
	return Vec3{float32(a.X * b.X), float32(a.Y * b.Y), float32(a.Z * b.Z)}
}

// Scale multiplies every component by s.
func (a Vec3) Scale(s float32) Vec3 {
	return Vec3{float32(a.X * s), float32(a.Y * s), float32(a.Z * s)}
}

func (a Vec3) Dot(b Vec3) float32 {
	return float32(a.X*b.X) + float32(a.Y*b.Y) + float32(a.Z*b.Z)
}

func (a Vec3) Cross(b Vec3) Vec3 {
	return Vec3{
		float32(a.Y*b.Z) - float32(a.Z*b.Y),
		-(float32(a.X*b.Z) - float32(a.Z*b.X)),
		float32(a.X*b.Y) - float32(a.Y*b.X),
	}
}

func (a Vec3) Length() float32 { return sqrt(a.Dot(a)) }

// Unit returns a vector of length 1 in the direction of a, which must not be
// zero.
func (a Vec3) Unit() Vec3 { return a.Scale(1 / a.Length()) }

// Reflect mirrors a at a surface with normal n.
func (a Vec3) Reflect(n Vec3) Vec3 { return a.Sub(n.Scale(2 * a.Dot(n))) }

// sqrt is correctly rounded: the double rounding cannot be seen in 24 bits.
func sqrt(x float32) float32 { return float32(math.Sqrt(float64(x))) }
