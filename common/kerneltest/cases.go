package kerneltest

import "math"

// ahead is a ray along the z axis.
var ahead = Ray{Vec{0, 0, -5}, Vec{0, 0, 1}}

// cases are rays and spheres of which it is known what comes out: the indices of
// the candidates, without those whose discriminant is NaN, and that of the sphere
// that is hit, or -1.
var cases = []struct {
	name       string
	ray        Ray
	spheres    []Sphere
	candidates []uint32
	hit        int
}{
	{"no sphere", ahead, nil, nil, -1},
	{"ahead, behind and beside", ahead, []Sphere{sphereAt(0, 0, 0, 1), sphereAt(0, 0, -20, 1), sphereAt(2, 0, 0, 1)}, []uint32{0, 1}, 0},
	{"from within", ahead, []Sphere{sphereAt(0, 0, -5, 1), sphereAt(0.5, 0.5, -5, 1), sphereAt(0, 0, 90, 100*100)}, []uint32{0, 1, 2}, 1},
	{"from the surface", ahead, []Sphere{sphereAt(0, 0, -4, 1), sphereAt(1, 0, -5, 1)}, []uint32{0, 1}, 0},
	{"ties", ahead, []Sphere{sphereAt(0, 0, 0, 1), sphereAt(2, 0, 0, 1), sphereAt(0, 0, 0, 1)}, []uint32{0, 2}, 0},
	{"radius 0", ahead, []Sphere{sphereAt(0, 0, 0, 0), sphereAt(denormal, 0, 0, 0), sphereAt(1, 0, 0, 0)}, []uint32{0, 1}, 0},

	// b*b is never -0, so neither is the discriminant: a tangent gives +0.
	{"tangent", ahead, []Sphere{sphereAt(1, 0, 0, 1), sphereAt(0, -1, 0, 1)}, []uint32{0, 1}, 0},
	{"tangent, b is 0", Ray{Vec{0, 1, 0}, Vec{0, 0, 1}}, []Sphere{sphereAt(0, 0, 0, 1), sphereAt(0, 0, 0, below1)}, []uint32{0}, -1},
	{"tangent, b is -0", Ray{Vec{0, 1, 0}, Vec{minusZero, minusZero, minusZero}}, []Sphere{sphereAt(0, 0, 0, 1), sphereAt(0, 0, 0, below1)}, []uint32{0}, -1},
	{"smallest discriminants", Ray{Vec{}, Vec{0, 0, 1}}, []Sphere{sphereAt(0, 0, 0, denormal), sphereAt(0, 0, 0, -denormal), sphereAt(0, 0, 0, minusZero)}, []uint32{0, 2}, -1},

	{"zeros of both signs", Ray{Vec{0, minusZero, 0}, Vec{minusZero, 0, 1}}, []Sphere{sphereAt(0, 0, 0, 1), sphereAt(minusZero, minusZero, minusZero, 1)}, []uint32{0, 1}, 0},
	{"direction is 0", Ray{}, []Sphere{sphereAt(0, 0, 0, 1), sphereAt(0, 0, 2, 1)}, []uint32{0}, 0},
	{"denormals", Ray{Vec{denormal, denormal, denormal}, Vec{0, 0, 1}}, []Sphere{sphereAt(denormal, 0, 0, denormal), sphereAt(-denormal, 1e-42, 0, -1e-42)}, []uint32{0}, -1},
	{"direction is denormal", Ray{Vec{3, 0, 0}, Vec{denormal, -denormal, 0}}, []Sphere{sphereAt(0, 0, 0, 1), sphereAt(0, 0, 0, 9)}, []uint32{1}, -1},
	{"huge", Ray{Vec{0, 0, -1e9}, Vec{0, 0, 1}}, []Sphere{sphereAt(0, 0, 1e9, 1), sphereAt(1e9, 0, 0, 1), sphereAt(0, 0, 1e18, 1), sphereAt(1e12, 0, 0, 1e30)}, []uint32{0, 2, 3}, 0},
	{"b overflows", Ray{Vec{1, 1, 1}, Vec{math.MaxFloat32, math.MaxFloat32, math.MaxFloat32}}, []Sphere{sphereAt(0, 0, 0, 1), sphereAt(5, 5, 5, 1)}, []uint32{0, 1}, -1},
	{"b*b overflows", Ray{Vec{0, 0, 1}, Vec{0, 0, 1e20}}, []Sphere{sphereAt(0, 0, 0, 1)}, []uint32{0}, -1},
	{"c overflows", Ray{Vec{}, Vec{0, 0, 1}}, []Sphere{sphereAt(1e20, 0, 0, 1), sphereAt(0, 0, 0, 1)}, []uint32{1}, 1},
	{"both overflow", ahead, []Sphere{sphereAt(0, 0, 1e20, 1), sphereAt(0, 0, 0, 1)}, []uint32{1}, 1},

	{"squared radius is infinite", ahead, []Sphere{sphereAt(9, 9, 9, inf), sphereAt(0, 0, 0, -inf), sphereAt(0, 0, 0, 1)}, []uint32{0, 2}, 2},
	{"center is infinite", ahead, []Sphere{sphereAt(inf, 0, 0, 1), sphereAt(0, -inf, 0, 1), sphereAt(0, 0, inf, 1), sphereAt(0, 0, 0, 1)}, []uint32{3}, 3},
	{"origin is infinite", Ray{Vec{inf, 0, 0}, Vec{0, 0, 1}}, []Sphere{sphereAt(0, 0, 0, 1), sphereAt(inf, 0, 0, 1)}, nil, -1},
	{"direction is infinite", Ray{Vec{1, 1, 1}, Vec{-inf, -inf, -inf}}, []Sphere{sphereAt(0, 0, 0, 1), sphereAt(1, 0, 0, 1)}, []uint32{0}, -1},
	{"column is NaN", ahead, []Sphere{
		sphereAt(nan, 0, 0, 1), sphereAt(0, nan, 0, 1), sphereAt(0, 0, nan, 1), sphereAt(0, 0, 0, nan),
		sphereAt(0, 0, 0, 1),
		sphereAt(-nan, 0, 0, 1), sphereAt(0, -nan, 0, 1), sphereAt(0, 0, -nan, 1), sphereAt(0, 0, 0, -nan),
		sphereAt(0, 0, 0, 1),
	}, []uint32{4, 9}, 4},
	{"origin is NaN", Ray{Vec{nan, 0, 0}, Vec{0, 0, 1}}, []Sphere{sphereAt(0, 0, 0, 1), sphereAt(0, 0, 0, inf)}, nil, -1},
	{"direction is NaN", Ray{Vec{}, Vec{0, 0, -nan}}, []Sphere{sphereAt(0, 0, 0, 1), sphereAt(0, 0, 0, inf)}, nil, -1},
}

var below1 = math.Nextafter32(1, 0)

func sphereAt(x, y, z, radiusSq float32) Sphere { return Sphere{Vec{x, y, z}, radiusSq} }
