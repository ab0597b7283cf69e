package wavefront

import (
	"math"

	"raysteps/common/kerneltest"
)

// hitDistance is how far along a ray a hit is, and by how much float32 may be off.
type hitDistance struct{ T, Tolerance float64 }

// distances returns in float64 where a ray surely hits a sphere first at a
// distance of more than tMin, nil if nowhere, and where float32 may find a hit
// before that or none at all: on the rim, and near tMin.
func distances(s *kerneltest.Sphere, r *kerneltest.Ray, tMin float64) (first *hitDistance, doubtful []hitDistance) {
	var b, lengthSq float64
	for axis := range s.Center {
		v := float64(r.Origin[axis]) - float64(s.Center[axis])
		b += v * float64(r.Direction[axis])
		lengthSq += v * v
	}
	discriminant := b*b - lengthSq + float64(s.RadiusSq)
	// Squares of this size are subtracted from each other, each with an error of
	// some 1e-7 of it.
	size := lengthSq + float64(s.RadiusSq)
	if math.Abs(discriminant) < 1e-5*size {
		return nil, []hitDistance{{-b, 0.01 * math.Sqrt(size)}}
	}
	if discriminant < 0 {
		return nil, nil
	}
	root := math.Sqrt(discriminant)
	for _, t := range []float64{-b - root, -b + root} {
		d := hitDistance{t, 2e-4 * math.Sqrt(size)}
		switch {
		case math.Abs(t-tMin) <= d.Tolerance:
			doubtful = append(doubtful, d)
		case t > tMin:
			return &d, doubtful
		}
	}
	return nil, doubtful
}
