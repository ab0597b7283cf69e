package wavefront

import "raysteps/common/scene"

// surface is what scattering needs to know of a sphere, in half a cache line.
type surface struct {
	x, y, z   float32 // the center
	invRadius float32 // negative for a normal that points inward
	// The kind of its material: matte, glass, or the fuzz of a metal, 0 or more.
	kind float32
	// The albedo; of glass instead the refractive index against the air around,
	// its inverse, and the reflectance straight on.
	a, b, c float32
}

const (
	matte = -1
	glass = -2
)

// surfaces are those of a scene.
type surfaces struct {
	all []surface // counted from 1
	// The first of them as columns, for register permutations.
	first [8]spread[float32]
}

func newSurfaces(spheres []scene.Sphere) surfaces {
	s := surfaces{all: make([]surface, 1, 1+len(spheres))}
	for i := range spheres {
		s.all = append(s.all, newSurface(&spheres[i]))
	}
	for i, v := range s.all[:min(group, len(s.all))] {
		for k, x := range [8]float32{v.x, v.y, v.z, v.invRadius, v.kind, v.a, v.b, v.c} {
			s.first[k][i] = x
		}
	}
	return s
}

func newSurface(s *scene.Sphere) surface {
	m := &s.Material
	c, albedo := s.Center, m.Albedo
	v := surface{c[0], c[1], c[2], 1 / s.Radius, matte, albedo[0], albedo[1], albedo[2]}
	switch m.Kind {
	case scene.Metal:
		v.kind = min(m.Fuzz, 1)
	case scene.Dielectric:
		r0 := (1 - m.Index) / (1 + m.Index)
		v.kind, v.a, v.b, v.c = glass, m.Index, 1/m.Index, float32(r0*r0)
	}
	return v
}

// partPlain ends the paths that hit nothing, and those that have been scattered
// so many times. The other rays close up and move to where they hit.
func partPlain(f *front, bounces int) {
	live, ended := 0, 0
	for i := range f.n {
		d := vec(f.dx[i], f.dy[i], f.dz[i])
		r, g, b, path := f.r[i], f.g[i], f.b[i], f.path[i]
		if f.hit[i] == 0 {
			// The sky blends from white straight down to blue straight up. It is
			// the only light.
			t := fma(d.Y, 0.5, 0.5)
			f.endR[ended] = int32(float32(float32(r*fma(t, -0.5, 1)) * fixed))
			f.endG[ended] = int32(float32(float32(g*fma(t, -0.3, 1)) * fixed))
			f.endB[ended] = int32(float32(b * fixed))
			f.endPixel[ended] = path >> depthBits
			ended++
			continue
		}
		if int(path&(1<<depthBits-1)) >= bounces {
			continue // black
		}
		p := along(f.t[i], d, vec(f.ox[i], f.oy[i], f.oz[i]))
		f.ox[live], f.oy[live], f.oz[live] = p.X, p.Y, p.Z
		f.dx[live], f.dy[live], f.dz[live] = d.X, d.Y, d.Z
		f.r[live], f.g[live], f.b[live] = r, g, b
		f.state[live], f.path[live], f.hit[live] = f.state[i], path, f.hit[i]
		live++
	}
	f.n, f.ended = live, ended
}

// scatterPlain sends rays on from what they hit.
func scatterPlain(f *front, surfaces *surfaces) {
	live := 0
	for i := range f.n {
		p, d := vec(f.ox[i], f.oy[i], f.oz[i]), vec(f.dx[i], f.dy[i], f.dz[i])
		s := &surfaces.all[f.hit[i]]
		n := p.Sub(vec(s.x, s.y, s.z)).Scale(s.invRadius)
		dn := dot(d, n)
		reflected := along(float32(dn*-2), n, d)
		ball, draw, state := inBall(f.state[i])
		var out Vec3
		r, g, b := s.a, s.b, s.c
		switch s.kind {
		case matte:
			out = along(1, ball, n)
		case glass:
			out = s.throughGlass(d, n, reflected, dn, draw)
			r, g, b = 1, 1, 1
		default:
			out = along(s.kind, ball, reflected)
		}
		out = normalize(out)
		if s.kind >= 0 && !(dot(out, n) > 0) {
			continue // absorbed
		}
		p = along(tMin, out, p)
		f.ox[live], f.oy[live], f.oz[live] = p.X, p.Y, p.Z
		f.dx[live], f.dy[live], f.dz[live] = out.X, out.Y, out.Z
		f.r[live], f.g[live], f.b[live] = float32(f.r[i]*r), float32(f.g[i]*g), float32(f.b[i]*b)
		f.state[live], f.path[live] = state, f.path[i]+1
		live++
	}
	f.n = live
}

// throughGlass returns the direction in which a ray goes on that meets glass
// with normal n, of which dn is the share along its direction d; draw is a
// random number in [0, 1]. The direction is not quite a unit vector.
func (s *surface) throughGlass(d, n, reflected Vec3, dn, draw float32) Vec3 {
	ratio, cosine := s.b, 0-dn
	leaving := dn > 0
	if leaving {
		ratio, cosine = s.a, float32(s.a*dn)
	}
	// Snell's law. Below 0, the light is reflected totally.
	discriminant := fma(-float32(ratio*ratio), fma(-dn, dn, 1), 1)
	// Schlick's approximation of the share that is reflected. It may be below 0
	// on the way out, where cosine is not a cosine; then the ray is refracted.
	y := 1 - cosine
	y2 := float32(y * y)
	share := fma(1-s.c, float32(float32(y2*y2)*y), s.c)
	if !(discriminant > 0) || draw < share {
		return reflected
	}
	root := sqrt(discriminant)
	if !leaving {
		root = -root
	}
	k := fma(-ratio, dn, root)
	return along(k, n, d.Scale(ratio))
}

// along returns a*v + w, rounded once.
func along(a float32, v, w Vec3) Vec3 {
	return vec(fma(a, v.X, w.X), fma(a, v.Y, w.Y), fma(a, v.Z, w.Z))
}

// dot is a scalar product of fused operations.
func dot(v, w Vec3) float32 { return fma(v.Z, w.Z, fma(v.Y, w.Y, float32(v.X*w.X))) }

// normalize returns the unit vector in a direction, or something shorter if
// that is next to none.
func normalize(v Vec3) Vec3 {
	return v.Scale(1 / sqrt(fma(v.Z, v.Z, fma(v.Y, v.Y, fma(v.X, v.X, tiny)))))
}
