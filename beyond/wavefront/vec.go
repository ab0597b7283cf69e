package wavefront

import "math"

// Vec3 is a point, a direction or a color of three components.
type Vec3 struct{ X, Y, Z float32 }

func vec3(a [3]float32) Vec3 { return Vec3{a[0], a[1], a[2]} }

func (a Vec3) Sub(b Vec3) Vec3 { return Vec3{a.X - b.X, a.Y - b.Y, a.Z - b.Z} }

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

// sqrt is correctly rounded: the double rounding cannot be seen in 24 bits.
func sqrt(x float32) float32 { return float32(math.Sqrt(float64(x))) }

// fma returns x*y + z, rounded once. The product of two float32 is exact in
// float64. Their sum with z may not be, and rounding it to float64 and again to
// float32 could give a neighbor of the right result. So the sum is rounded to
// odd in between: if it is not exact and its last bit is 0, it becomes the
// neighbor on the side of the error, whose last bit is 1 (Boldo and Melquiond
// 2008).
func fma(x, y, z float32) float32 {
	p, w := float64(x)*float64(y), float64(z)
	s := p + w
	// The error of the sum, exactly (Knuth's TwoSum).
	v := s - p
	e := (p - (s - v)) + (w - v)
	if bits := math.Float64bits(s); bits&1 == 0 && (e > 0 || e < 0) {
		if (e > 0) == (s > 0) {
			bits++
		} else {
			bits--
		}
		s = math.Float64frombits(bits)
	}
	return float32(s)
}
