package step10

import "raysteps/common/scene"

// Material is what a surface does to light.
type Material interface {
	// Scatter returns the ray that goes on from a hit of r, and how much of
	// each color it keeps; ok is false if the surface absorbs the light.
	Scatter(r *Ray, hit *HitRecord, rng *RNG) (scattered Ray, attenuation Vec3, ok bool)
}

func newMaterial(m *scene.Material) Material {
	switch m.Kind {
	case scene.Metal:
		return &Metal{vec3(m.Albedo), min(m.Fuzz, 1)}
	case scene.Dielectric:
		return &Dielectric{m.Index}
	default:
		return &Lambertian{vec3(m.Albedo)}
	}
}

// Lambertian is a matte surface.
type Lambertian struct {
	Albedo Vec3
}

func (m *Lambertian) Scatter(r *Ray, hit *HitRecord, rng *RNG) (scattered Ray, attenuation Vec3, ok bool) {
	target := hit.P.Add(hit.N).Add(rng.InUnitBall())
	return NewRay(hit.P, target.Sub(hit.P)), m.Albedo, true
}

// Metal is a mirror, the more blurred the larger its fuzz.
type Metal struct {
	Albedo Vec3
	Fuzz   float32 // 0 to 1
}

func (m *Metal) Scatter(r *Ray, hit *HitRecord, rng *RNG) (scattered Ray, attenuation Vec3, ok bool) {
	reflected := r.Direction.Unit().Reflect(hit.N)
	scattered = NewRay(hit.P, reflected.Add(rng.InUnitBall().Scale(m.Fuzz)))
	return scattered, m.Albedo, scattered.Direction.Dot(hit.N) > 0
}

// Dielectric is clear: glass, or water.
type Dielectric struct {
	Index float32 // refractive index against the air around it
}

func (m *Dielectric) Scatter(r *Ray, hit *HitRecord, rng *RNG) (scattered Ray, attenuation Vec3, ok bool) {
	dir := r.Direction
	outward, ratio, cosine := hit.N, 1/m.Index, float32(0)
	if d := dir.Dot(hit.N); d > 0 { // leaving
		outward, ratio, cosine = hit.N.Neg(), m.Index, m.Index*d/dir.Length()
	} else {
		cosine = -d / dir.Length()
	}
	next := dir.Reflect(hit.N)
	refracted, possible := refract(dir, outward, ratio)
	// One number is drawn in any case. The reflectance may be below 0 on the
	// way out, where cosine is not a cosine; then the ray is refracted.
	if draw := rng.Float32(); possible && !(draw < schlick(cosine, m.Index)) {
		next = refracted
	}
	return NewRay(hit.P, next), Vec3{1, 1, 1}, true
}

// refract bends a direction by Snell's law at a surface with unit normal n
// against it; ratio is the refractive index before the surface over that
// behind it. It is not possible if the light is reflected totally.
func refract(dir, n Vec3, ratio float32) (refracted Vec3, possible bool) {
	unit := dir.Unit()
	dt := unit.Dot(n)
	discriminant := 1 - float32(float32(ratio*ratio)*(1-float32(dt*dt)))
	if !(discriminant > 0) {
		return Vec3{}, false
	}
	return unit.Sub(n.Scale(dt)).Scale(ratio).Sub(n.Scale(sqrt(discriminant))), true
}

// schlick approximates the share of light that glass reflects (Schlick 1994).
func schlick(cosine, index float32) float32 {
	r0 := (1 - index) / (1 + index)
	r0 *= r0
	y := 1 - cosine
	y2 := float32(y * y)
	return r0 + float32((1-r0)*float32(float32(y2*y2)*y))
}
