package wavefront

// Random numbers belong to a path, not to a worker or a lane: a path starts
// from a hash of its pixel and the number of its sample, and carries its state
// along. So its numbers do not depend on which rays happen to be around it.
//
// A stage draws the same number of times from each path, whatever its material
// does with the numbers. Points are not drawn by trial and error, as in the
// steps, since sixteen lanes would wait for the unluckiest.

// mix scatters the numbers 0, 1, 2, ... over all 32-bit numbers, each of which
// is the result for one x. It is the last part of Appleby's MurmurHash3.
func mix(x uint32) uint32 {
	x ^= x >> 16
	x *= mixA
	x ^= x >> 13
	x *= mixB
	return x ^ x>>16
}

const mixA, mixB = 0x85EBCA6B, 0xC2B2AE35

// sampleSeed returns what the paths of a sample have in common; the number of
// the pixel is added to it. Another seed makes another picture.
func sampleSeed(seed uint32, sample int) uint32 { return mix(mix(seed) + uint32(sample)) }

// pathSeed returns the state of a path before its first draw. It must not be 0,
// of which xorshift would make 0 forever.
func pathSeed(x uint32) uint32 { return max(mix(x), 1) }

// xorshift is one step of Marsaglia's generator with the shifts 13, 17 and 15,
// as in the steps.
func xorshift(x uint32) uint32 {
	x ^= x << 13
	x ^= x >> 17
	x ^= x << 15
	return x
}

// symmetric turns a random number into one in [-1, 1].
func symmetric(x uint32) float32 { return float32(float32(int32(x)) * (1.0 / (1 << 31))) }

// unit turns a random number, taken as signed, into one in [0, 1].
func unit(x int32) float32 { return float32(float32(x)*(1.0/(1<<32))) + 0.5 }

// direction turns a random number into a point on the circle of radius 1: an
// angle from -90 to 90 degrees, and the lowest bit says on which side of the y
// axis.
func direction(x uint32) (cos, sin float32) {
	s := symmetric(x)
	s2 := float32(s * s)
	sin = float32(s * fma(fma(fma(s2, sin3, sin2), s2, sin1), s2, sin0))
	cos = fma(fma(fma(fma(s2, cos4, cos3), s2, cos2), s2, cos1), s2, cos0)
	if x&1 != 0 {
		cos = -cos
	}
	return cos, sin
}

// Chebyshev polynomials for sin(πs/2) and cos(πs/2) at -1 <= s <= 1, less than
// 1e-6 off.
const (
	sin0 = 1.570791
	sin1 = -0.6458927
	sin2 = 0.07943397
	sin3 = -0.004332882

	cos0 = 0.99999994
	cos1 = -1.2336982
	cos2 = 0.2536507
	cos3 = -0.02081057
	cos4 = 0.00085816253
)

// inDisk draws a point in the disk of radius 1. The radius of such a point is
// distributed as the larger of two numbers in [0, 1].
func inDisk(state uint32) (x, y float32, next uint32) {
	a := xorshift(state)
	b := xorshift(a)
	c := xorshift(b)
	cos, sin := direction(a)
	r := unit(max(int32(b), int32(c)))
	return float32(r * cos), float32(r * sin), c
}

// inBall draws a point in the ball of radius 1, and returns a number in [0, 1]
// as well for a material that needs one instead. The height of a point on the
// sphere is distributed evenly (Archimedes), and the radius as the largest of
// three numbers in [0, 1].
func inBall(state uint32) (p Vec3, draw float32, next uint32) {
	a := xorshift(state)
	b := xorshift(a)
	c := xorshift(b)
	d := xorshift(c)
	e := xorshift(d)
	h := symmetric(a)
	cos, sin := direction(b)
	r := unit(max(int32(c), int32(d), int32(e)))
	w := float32(r * sqrt(fma(-h, h, 1)))
	return vec(float32(w*cos), float32(w*sin), float32(r*h)), unit(int32(a)), e
}
