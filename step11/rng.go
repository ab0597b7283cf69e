package step11

import (
	"math"
	"math/bits"
)

// RNG is two independent sources of random numbers. One is Marsaglia's xorshift
// generator of 32-bit numbers with the shifts 13, 17 and 15. The other is three
// of them side by side, which advance together and give the three coordinates
// of a point. Points are drawn ahead, many at a time: FillPair goes before Pair,
// and FillBall before InUnitBall. The compiler would inline neither if they
// called draw themselves. The assembly knows the fields by their names.
type RNG struct {
	s       uint32
	x, y, z uint32
	// The points that were drawn last, in the cube from -1 to 1, in the order of
	// place, and which of them is the next.
	px, py, pz [ahead]float32
	next       uint
	// A bit a point, 1 if it is in the ball and not yet taken or passed over; the
	// first point is the lowest bit.
	inside uint64
	// The next point of the disk, the state s that it was drawn from, and the one
	// that it leaves.
	disk             Vec3
	diskFrom, diskTo uint32
}

// ahead is the number of points that are drawn at a time, as many as a word has
// bits.
const ahead = 64

// seeds is where every render starts, so that all pictures of a scene are the
// same.
var seeds = RNG{s: 1236787, x: 321, y: 789, z: 457, next: ahead}

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

// place returns where point i is kept. Points are drawn in runs of sixteen, four
// runs side by side: the first of each lie next to each other, then the second.
func place(i uint) uint { return i%16*4 + i/16%4 }

// drawGeneric draws points ahead, in plain Go. Which of them are in the ball
// goes into a word without a jump: the jump would be as random as the points.
func (r *RNG) drawGeneric() {
	r.next, r.inside = 0, 0
	for i := range ahead {
		r.x, r.y, r.z = xorshift(r.x), xorshift(r.y), xorshift(r.z)
		p := Vec3{symmetric(r.x), symmetric(r.y), symmetric(r.z)}
		at := place(uint(i))
		r.px[at], r.py[at], r.pz[at] = p.X, p.Y, p.Z
		r.inside |= uint64(math.Float32bits(p.Dot(p)-1)>>31) << i
	}
}

// FillPair draws points if there is none left.
func (r *RNG) FillPair() {
	if r.next == ahead {
		r.draw()
	}
}

// Pair returns two numbers in [-1, 1), coordinates of the next point, after FillPair.
// They are the same again until Take.
func (r *RNG) Pair() (x, y float32) {
	at := place(r.next % ahead)
	return r.px[at], r.py[at]
}

// FillBall draws points until one is in the ball, unless there is one.
func (r *RNG) FillBall() {
	if r.inside == 0 {
		r.fill()
	}
}

// fill is a function of its own so that FillBall is inlined.
func (r *RNG) fill() {
	for r.inside == 0 {
		r.draw()
	}
}

// InUnitBall returns a point in the ball of radius 1 around the origin: the next
// one that is, after FillBall.
func (r *RNG) InUnitBall() Vec3 {
	i := uint(bits.TrailingZeros64(r.inside)) % ahead
	r.next = i + 1
	r.inside &= r.inside - 1
	at := place(i)
	return Vec3{r.px[at], r.py[at], r.pz[at]}
}

// InUnitDisk returns a point in the disk of radius 1 around the origin of the
// xy plane, the same one again until Take: the one that was drawn ahead, unless s
// has moved on since.
func (r *RNG) InUnitDisk() Vec3 {
	if r.diskFrom != r.s {
		r.drawDisk()
	}
	return r.disk
}

// Take takes what Pair and InUnitDisk returned, and draws the next point of the disk
// ahead.
func (r *RNG) Take() {
	r.inside &^= 1 << (r.next % ahead)
	r.next++
	r.s = r.diskTo
	r.drawDisk()
}

// drawDisk draws the next point of the disk. It tries two at a time, and takes
// one or the other without a jump: one in five would be mispredicted.
func (r *RNG) drawDisk() {
	for s := r.s; ; {
		x := xorshift(s)
		y := xorshift(x)
		x2 := xorshift(y)
		s = xorshift(x2)
		if p := (Vec3{symmetric(x), symmetric(y), 0}); !(p.Dot(p) < 1) {
			x, y = x2, s
		}
		r.disk = Vec3{symmetric(x), symmetric(y), 0}
		if r.disk.Dot(r.disk) < 1 {
			r.diskFrom, r.diskTo = r.s, y
			return
		}
	}
}
