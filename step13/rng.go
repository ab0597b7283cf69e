package step13

import (
	"math"
	"math/bits"
)

// RNG is two independent sources of random numbers. One is Marsaglia's xorshift
// generator of 32-bit numbers with the shifts 13, 17 and 15. The other is three
// of them side by side, which advance together and give the three coordinates
// of a point. Points are drawn ahead, 64 at a time.
type RNG struct {
	s       uint32
	x, y, z uint32
	// The points that were drawn last, in the cube from -1 to 1, and which of them
	// is the next.
	points [64]Vec3
	next   uint
	// A bit a point, 1 if it is in the ball and still ahead, be it of InCube or of
	// InUnitBall; the first point is the lowest bit.
	inside uint64
}

// TileRNG returns the generator of a tile. Its numbers depend on nothing
// but its number.
func TileRNG(tile int) RNG {
	a, b := mix(2*uint64(tile)), mix(2*uint64(tile)+1)
	// A xorshift generator that starts from 0 stays there.
	return NewRNG(max(1, uint32(a)), max(1, uint32(a>>32)), max(1, uint32(b)), max(1, uint32(b>>32)))
}

// mix turns a counter into a number all of whose bits change with each bit of
// the counter. The seeds of neighboring tiles have nothing in common, which
// xorshift alone would take many steps to achieve. It is the output function of
// SplitMix64 (Steele, Lea and Flood 2014).
func mix(n uint64) uint64 {
	z := (n + 1) * 0x9E3779B97F4A7C15
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return z ^ z>>31
}

// NewRNG starts from the states of the one generator and of the three, none of
// which may be 0.
func NewRNG(s, x, y, z uint32) RNG {
	return RNG{s: s, x: x, y: y, z: z, next: 64}
}

func xorshift(x uint32) uint32 {
	x ^= x << 13
	x ^= x >> 17
	x ^= x << 15
	return x
}

// unit turns a random number into one of 24 bits in [0, 1).
func unit(x uint32) float32 { return float32(int32(x&0xFFFFFF)) / (1 << 24) }

// symmetric turns a random number into one of 24 bits in [-1, 1).
func symmetric(x uint32) float32 { return float32(int32(x&0xFFFFFF))/(1<<23) - 1 }

// Float32 returns a number in [0, 1).
func (r *RNG) Float32() float32 {
	r.s = xorshift(r.s)
	return unit(r.s)
}

// draw draws points ahead. Which of them are in the ball goes into a word without a
// jump, which would be as random as the points, and so mispredicted half of the time.
func (r *RNG) draw() {
	r.next = 0
	x, y, z, inside := r.x, r.y, r.z, uint64(0)
	for i := range r.points {
		x, y, z = xorshift(x), xorshift(y), xorshift(z)
		p := Vec3{symmetric(x), symmetric(y), symmetric(z)}
		r.points[i] = p
		inside |= uint64(math.Float32bits(p.Dot(p)-1)>>31) << i
	}
	r.x, r.y, r.z, r.inside = x, y, z, inside
}

// InCube returns a point in the cube from -1 to 1.
func (r *RNG) InCube() Vec3 {
	if r.next == 64 {
		r.draw()
	}
	i := r.next % 64 // below 64 for the compiler, too
	r.next++
	r.inside &^= 1 << i
	return r.points[i]
}

// InUnitBall returns a point in the ball of radius 1 around the origin.
func (r *RNG) InUnitBall() Vec3 {
	for r.inside == 0 {
		r.draw()
	}
	i := uint(bits.TrailingZeros64(r.inside)) % 64
	r.next = i + 1
	r.inside &= r.inside - 1
	return r.points[i]
}

// InUnitDisk returns a point in the disk of radius 1 around the origin of the
// xy plane.
func (r *RNG) InUnitDisk() Vec3 {
	for {
		x := xorshift(r.s)
		y := xorshift(x)
		r.s = y
		p := Vec3{symmetric(x), symmetric(y), 0}
		if p.Dot(p) < 1 {
			return p
		}
	}
}
