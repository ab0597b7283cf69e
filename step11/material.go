package step11

import "raysteps/common/scene"

// Material is what a surface does to light. Which fields count depends on the
// kind.
type Material struct {
	Kind   scene.Kind
	Albedo Vec3    // Lambertian and metal
	Fuzz   float32 // metal: 0 to 1, the more the more blurred
	// Dielectric: the refractive index against the air around, its inverse, and
	// the reflectance straight on.
	Index, InvIndex, Reflectance float32
}

func newMaterial(m *scene.Material) Material {
	material := Material{Kind: m.Kind, Albedo: vec3(m.Albedo), Fuzz: min(m.Fuzz, 1)}
	if m.Kind == scene.Dielectric {
		r0 := (1 - m.Index) / (1 + m.Index)
		material.Index, material.InvIndex, material.Reflectance = m.Index, 1/m.Index, float32(r0*r0)
	}
	return material
}

// Scatter returns the ray that goes on from a hit of r, and how much of each
// color it keeps; ok is false if the surface absorbs the light.
func (m *Material) Scatter(r *Ray, hit HitRecord, rng *RNG) (scattered Ray, attenuation Vec3, ok bool) {
	if m.Kind != scene.Dielectric {
		rng.FillBall() // first: it may call, and a call saves all that is in registers
	}
	switch m.Kind {
	case scene.Lambertian:
		target := hit.P.Add(hit.N).Add(rng.InUnitBall())
		return NewRay(hit.P, target.Sub(hit.P)), m.Albedo, true
	case scene.Metal:
		reflected := r.Direction.Reflect(hit.N)
		scattered = NewRay(hit.P, reflected.Add(rng.InUnitBall().Scale(m.Fuzz)))
		return scattered, m.Albedo, scattered.Direction.Dot(hit.N) > 0
	default:
		return m.throughGlass(hit.P, r.Direction, hit.N, rng), Vec3{1, 1, 1}, true
	}
}

// throughGlass returns the ray that goes on from a hit of a dielectric at p, whose
// normal there is n.
func (m *Material) throughGlass(p, dir, n Vec3, rng *RNG) Ray {
	outward, ratio, cosine := n, m.InvIndex, float32(0)
	if d := dir.Dot(n); d > 0 { // leaving
		outward, ratio, cosine = n.Neg(), m.Index, float32(m.Index*d)
	} else {
		cosine = -d
	}
	refracted, possible := refract(dir, outward, ratio)
	// One number is drawn in any case. The reflectance may be below 0 on the
	// way out, where cosine is not a cosine; then the ray is refracted.
	if draw := rng.Float32(); possible && !(draw < schlick(cosine, m.Reflectance)) {
		return NewRay(p, refracted)
	}
	return NewRay(p, dir.Reflect(n))
}

// refract bends a unit direction by Snell's law at a surface with unit normal n
// against it; ratio is the refractive index before the surface over that
// behind it. It is not possible if the light is reflected totally.
func refract(dir, n Vec3, ratio float32) (refracted Vec3, possible bool) {
	dt := dir.Dot(n)
	discriminant := 1 - float32(float32(ratio*ratio)*(1-float32(dt*dt)))
	if !(discriminant > 0) {
		return Vec3{}, false
	}
	return dir.Sub(n.Scale(dt)).Scale(ratio).Sub(n.Scale(sqrt(discriminant))), true
}

// schlick approximates the share of light that glass reflects (Schlick 1994),
// from the share that it reflects straight on.
func schlick(cosine, r0 float32) float32 {
	y := 1 - cosine
	y2 := float32(y * y)
	return r0 + float32((1-r0)*float32(float32(y2*y2)*y))
}
