package tree

// RNG is two independent sources of random numbers. One is Marsaglia's xorshift
// generator of 32-bit numbers with the shifts 13, 17 and 15. The other is three
// of them side by side, which advance together and give the three coordinates
// of a point.
type RNG struct {
	s       uint32
	x, y, z uint32
}

// seeds returns where the random numbers of a tile start. They depend on nothing
// but its number.
func seeds(tile int) RNG {
	a, b := mix(2*uint64(tile)), mix(2*uint64(tile)+1)
	// A xorshift generator that starts from 0 stays there.
	return RNG{s: max(1, uint32(a)), x: max(1, uint32(a>>32)), y: max(1, uint32(b)), z: max(1, uint32(b>>32))}
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

// Pair returns two numbers in [0, 1).
func (r *RNG) Pair() (x, y float32) {
	r.x, r.y, r.z = xorshift(r.x), xorshift(r.y), xorshift(r.z)
	return unit(r.x), unit(r.y)
}

// InUnitBall returns a point in the ball of radius 1 around the origin.
func (r *RNG) InUnitBall() Vec3 {
	x, y, z := r.x, r.y, r.z
	for {
		x, y, z = xorshift(x), xorshift(y), xorshift(z)
		p := Vec3{symmetric(x), symmetric(y), symmetric(z)}
		if p.Dot(p) < 1 {
			r.x, r.y, r.z = x, y, z
			return p
		}
	}
}

// InUnitDisk returns a point in the disk of radius 1 around the origin of the
// xy plane.
func (r *RNG) InUnitDisk() Vec3 {
	s := r.s
	for {
		s = xorshift(s)
		x := symmetric(s)
		s = xorshift(s)
		p := Vec3{x, symmetric(s), 0}
		if p.Dot(p) < 1 {
			r.s = s
			return p
		}
	}
}
