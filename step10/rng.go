package step10

// RNG is Marsaglia's xorshift generator of 32-bit numbers with the shifts 13,
// 17 and 15. Its state must not be 0.
type RNG uint32

// seed is where every render starts, so that all pictures of a scene are the
// same.
const seed RNG = 1236787

func (r *RNG) Uint32() uint32 {
	x := *r
	x ^= x << 13
	x ^= x >> 17
	x ^= x << 15
	*r = x
	return uint32(x)
}

// Float32 returns a number of 24 random bits in [0, 1).
func (r *RNG) Float32() float32 { return float32(r.Uint32()&0xFFFFFF) / (1 << 24) }

// InUnitBall returns a point in the ball of radius 1 around the origin.
func (r *RNG) InUnitBall() Vec3 {
	for {
		x, y, z := r.Float32(), r.Float32(), r.Float32()
		p := Vec3{2*x - 1, 2*y - 1, 2*z - 1}
		if p.Dot(p) < 1 {
			return p
		}
	}
}

// InUnitDisk returns a point in the disk of radius 1 around the origin of the
// xy plane.
func (r *RNG) InUnitDisk() Vec3 {
	for {
		x, y := r.Float32(), r.Float32()
		p := Vec3{2*x - 1, 2*y - 1, 0}
		if p.Dot(p) < 1 {
			return p
		}
	}
}
