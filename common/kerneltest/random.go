package kerneltest

import (
	"math"
	"math/rand/v2"
)

// Vec is a vector: x, y, z.
type Vec [3]float32

// along returns a + x*d.
func (a Vec) along(d Vec, x float32) Vec {
	return Vec{add(a[0], mul(x, d[0])), add(a[1], mul(x, d[1])), add(a[2], mul(x, d[2]))}
}

func (a Vec) cross(b Vec) Vec {
	return Vec{
		sub(mul(a[1], b[2]), mul(a[2], b[1])),
		sub(mul(a[2], b[0]), mul(a[0], b[2])),
		sub(mul(a[0], b[1]), mul(a[1], b[0])),
	}
}

// unit returns a vector of length 1, or one of NaN if a is 0.
func (a Vec) unit() Vec {
	squared := add(add(mul(a[0], a[0]), mul(a[1], a[1])), mul(a[2], a[2]))
	return Vec{}.along(a, 1/sqrt(squared))
}

func sqrt(x float32) float32 { return float32(math.Sqrt(float64(x))) }

var (
	inf       = float32(math.Inf(1))
	nan       = float32(math.NaN())
	minusZero = float32(math.Copysign(0, -1))
	denormal  = float32(math.SmallestNonzeroFloat32)
)

// specialValues are those that floating-point code goes wrong at, and some
// ordinary ones: zeros, denormals and normal numbers at their limit, the largest
// number whose square is finite and others around it, infinities, a quiet and a
// signaling NaN; each with either sign.
var specialValues = func() []float32 {
	x := []float32{
		0, denormal, 1e-42, 1.1754942e-38, 1.1754944e-38, 1e-20,
		0.1, 1, below1, 3, 5000, 1e9, 1e18, 1.8446743e19, 1e20, math.MaxFloat32,
		inf, nan, math.Float32frombits(0x7F800001),
	}
	for _, v := range x {
		x = append(x, -v)
	}
	return x
}()

// Special returns a number that floating-point code goes wrong at, or an ordinary one.
func Special(rng *rand.Rand) float32 { return specialValues[rng.IntN(len(specialValues))] }

// randomVec returns a vector in a cube around 0 whose sides are twice as long as
// size.
func randomVec(rng *rand.Rand, size float32) Vec {
	axis := func() float32 { return (2*rng.Float32() - 1) * size }
	return Vec{axis(), axis(), axis()}
}

// Solid returns a sphere of a radius, which may be negative.
func Solid(center Vec, radius float32) Sphere {
	return Sphere{center, mul(radius, radius)}
}

// Radius returns the radius of a sphere without its sign.
func (s *Sphere) Radius() float32 { return sqrt(s.RadiusSq) }

// RandomSpheres returns spheres of a radius of 0.1 to 2.1, some of them shells
// in the one before or equal to an earlier one, and a few as large as the ground
// of a scene.
func RandomSpheres(rng *rand.Rand, n int) []Sphere {
	spheres := make([]Sphere, n)
	for i := range spheres {
		spheres[i] = Solid(randomVec(rng, 10), 0.1+2*rng.Float32())
		switch {
		case i > 0 && rng.IntN(8) == 0:
			spheres[i] = Solid(spheres[i-1].Center, -0.9*spheres[i-1].Radius())
		case i > 0 && rng.IntN(16) == 0:
			spheres[i] = spheres[rng.IntN(i)]
		case rng.IntN(50) == 0:
			spheres[i] = Solid(Vec{spheres[i].Center[0], -1000, spheres[i].Center[2]}, 990)
		}
	}
	return spheres
}

// RandomRay returns a ray of a unit direction. It starts outside the spheres, in
// one or on one; and goes anywhere, to the center of one, past one about as
// closely as float32 can say, or along an axis.
func RandomRay(rng *rand.Rand, spheres []Sphere) Ray {
	origin, direction := randomVec(rng, 15), randomVec(rng, 1)
	if len(spheres) > 0 {
		s := &spheres[rng.IntN(len(spheres))]
		switch rng.IntN(6) {
		case 0:
			origin = s.Center.along(randomVec(rng, 0.05), 1)
		case 1:
			origin = s.Center.along(direction.unit(), s.Radius())
		}
		s = &spheres[rng.IntN(len(spheres))]
		toward := s.Center.along(origin, -1)
		switch rng.IntN(5) {
		case 0:
			direction = toward
		case 1:
			direction = toward.along(direction.cross(toward).unit(), s.Radius())
		case 2:
			direction = [3]Vec{{1, 0, 0}, {0, -1, 0}, {0, 0, 1}}[rng.IntN(3)]
		}
	}
	return Ray{origin, direction.unit()}
}

// RandomInput returns spheres, and a function that returns one ray after the other: of a
// scene, or of numbers that have no geometry.
func RandomInput(rng *rand.Rand, n int) ([]Sphere, func() Ray) {
	bits := func() float32 { return math.Float32frombits(rng.Uint32()) }
	// Of any sign and mantissa, from 1/256 up to 256, so that sums of squares are finite
	// and round often.
	moderate := func() float32 {
		bits := rng.Uint32()
		return math.Float32frombits(bits&^(255<<23) | (127-8+bits>>23&15)<<23)
	}
	special := func() float32 { return Special(rng) }
	some := func() float32 { // if all were special, most results would be NaN
		if rng.IntN(3) == 0 {
			return special()
		}
		return moderate()
	}
	spheres := RandomSpheres(rng, n)
	kind := rng.IntN(5)
	if kind > 2 {
		return spheres, func() Ray { return RandomRay(rng, spheres) }
	}
	ofSphere := [...]func() float32{bits, moderate, special}[kind]
	ofRay := [...]func() float32{bits, moderate, some}[kind]
	vec := func(x func() float32) Vec { return Vec{x(), x(), x()} }
	for i := range spheres {
		spheres[i] = Sphere{vec(ofSphere), ofSphere()}
	}
	return spheres, func() Ray { return Ray{vec(ofRay), vec(ofRay)} }
}
