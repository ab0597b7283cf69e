package wavefront

import "math"

// spheres is what the search reads, the columns of the world.
//
// The search looks along the ray, at the plane across it, in which the center
// of a sphere is p to the side and q further up. If one of them exceeds the
// radius, the ray misses. To find p takes two multiplications, fused with the
// additions, and q three, where the equation of the sphere takes seven. So a
// kernel asks for p and q first, and solves the equation for the few spheres
// that are left.
//
// Since p and q are rounded, they are compared with a reach that is a little
// larger than the radius: by so much that no sphere is lost.
type spheres struct {
	cx, cy, cz, reach, radiusSq []float32
	// All spheres are candidates, for all rays: they are so few that looking at p
	// and q does not pay.
	all bool
}

// few is up to how many spheres the equation is solved for all of them.
const few = 8

// reach returns the reach of a sphere in a scene in which all rays start within
// a distance of the origin of the coordinates. There, p and q are off by less
// than sixteen roundings of numbers as large as that distance and the center's.
// Their vectors are as long as 1 but for a few roundings.
func reach(center Vec3, radius, distance float32) float32 {
	return float32(abs(radius)*(1+1.0/1024)) + float32((center.Length()+distance)*(1.0/(1<<20)))
}

// across is the plane across a ray: the unit vectors (ux, 0, -uz) and (vx, -vy,
// vz), and how far the ray is from the origin of the coordinates in it.
type across struct {
	ux, uz, pu, vx, vy, vz, qv float32
}

// tiny keeps a square root from being 0. A ray along the y axis has vectors of
// length 0 instead, so every sphere is a candidate.
const tiny = 1.0 / (1 << 66)

func newAcross(ox, oy, oz, dx, dy, dz float32) across {
	h2 := fma(dz, dz, fma(dx, dx, tiny))
	k := 1 / sqrt(h2)
	w := float32(dy * k)
	a := across{ux: float32(dz * k), uz: float32(dx * k)}
	a.vx, a.vy, a.vz = float32(w*dx), float32(h2*k), float32(w*dz)
	a.pu = fma(oz, a.uz, -float32(ox*a.ux))
	a.qv = fma(oy, a.vy, -fma(oz, a.vz, float32(ox*a.vx)))
	return a
}

// hitPlain finds the closest sphere for every ray of a front, and of equal ones
// the first. For the rays of bundles it solves the equation of all spheres: what
// a bundle leaves out has no solution.
func hitPlain(s *search, f *front) {
	cx := s.cx
	cy, cz, reach, radiusSq := s.cy[:len(cx)], s.cz[:len(cx)], s.reach[:len(cx)], s.radiusSq[:len(cx)]
	scattered := s.scattered(f)
	for i := range f.n {
		ox, oy, oz, dx, dy, dz := f.ox[i], f.oy[i], f.oz[i], f.dx[i], f.dy[i], f.dz[i]
		a := newAcross(ox, oy, oz, dx, dy, dz)
		closest, hit := math.Float32bits(math.MaxFloat32), uint32(0)
		for j := range cx {
			if !s.all && i < scattered {
				p := fma(-cz[j], a.uz, fma(cx[j], a.ux, a.pu))
				if abs(p) > reach[j] {
					continue
				}
				q := fma(-cy[j], a.vy, fma(cz[j], a.vz, fma(cx[j], a.vx, a.qv)))
				if abs(q) > reach[j] {
					continue
				}
			}
			// A point of the ray is on the sphere if t² - 2nb·t + c = 0.
			x, y, z := cx[j]-ox, cy[j]-oy, cz[j]-oz
			nb := fma(z, dz, fma(y, dy, float32(x*dx)))
			c := fma(z, z, fma(y, y, fma(x, x, -radiusSq[j])))
			root := sqrt(fma(nb, nb, -c))
			// As unsigned integers, the bits of numbers that are negative, and those
			// of NaN, are larger than those of others.
			t := min(math.Float32bits(nb-root), math.Float32bits(nb+root))
			if t < closest {
				closest, hit = t, uint32(j)+1
			}
		}
		f.t[i], f.hit[i] = math.Float32frombits(closest), hit
	}
}

func abs(x float32) float32 { return math.Float32frombits(math.Float32bits(x) &^ (1 << 31)) }
