package step02

import (
	"math"
	"testing"

	"raysteps/common/scene"
)

// The experiment of the chapter. It runs with
//
//	go test -run '^$' -bench Getters ./step02

// experimentRays returns camera rays through random points of the large scene.
func experimentRays(n int) []Ray {
	s := scene.Large()
	camera := NewCamera(&s.Camera, 16./9)
	rng := seed
	rays := make([]Ray, n)
	for i := range rays {
		rays[i] = camera.Ray(rng.Float32(), rng.Float32(), &rng)
	}
	return rays
}

// experimentLists holds the large scene four times: spheres that read the
// fields of a ray, spheres that get its origin from a getter, and spheres that
// get everything from getters, with a receiver that is a pointer or a value.
func experimentLists() (fields, origin, all, value List) {
	for _, s := range scene.Large().Spheres {
		sphere := &Sphere{vec3(s.Center), s.Radius, newMaterial(&s.Material)}
		fields.Items = append(fields.Items, sphere)
		origin.Items = append(origin.Items, (*originGetterSphere)(sphere))
		all.Items = append(all.Items, (*getterSphere)(sphere))
		value.Items = append(value.Items, (*valueGetterSphere)(sphere))
	}
	return fields, origin, all, value
}

// BenchmarkGetters finds the closest of 484 spheres; an operation is a ray.
func BenchmarkGetters(b *testing.B) {
	rays := experimentRays(1024)
	fields, origin, all, value := experimentLists()
	rec := new(HitRecord)
	for _, tt := range []struct {
		name string
		list *List
	}{{"none", &fields}, {"origin", &origin}, {"all", &all}, {"all,value-receiver", &value}} {
		b.Run("getters="+tt.name, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				tt.list.Hit(&rays[i%len(rays)], tMin, math.MaxFloat32, rec)
			}
		})
	}
}

func (r *Ray) getOrigin() Vec3    { return r.Origin }
func (r *Ray) getDirection() Vec3 { return r.Direction }

type originGetterSphere Sphere

func (s *originGetterSphere) Hit(r *Ray, tMin, tMax float32, rec *HitRecord) bool {
	oc := r.getOrigin().Sub(s.Center)
	a := r.Direction.Dot(r.Direction)
	b := oc.Dot(r.Direction)
	c := oc.Dot(oc) - float32(s.Radius*s.Radius)
	discriminant := float32(b*b) - float32(a*c)
	if !(discriminant > 0) {
		return false
	}
	root := sqrt(discriminant)
	t := (-b - root) / a
	if !(t < tMax && t > tMin) {
		t = (-b + root) / a
		if !(t < tMax && t > tMin) {
			return false
		}
	}
	rec.T = t
	rec.P = r.At(t)
	rec.N = rec.P.Sub(s.Center).Scale(1 / s.Radius)
	rec.Material = s.Material
	return true
}

type getterSphere Sphere

func (s *getterSphere) Hit(r *Ray, tMin, tMax float32, rec *HitRecord) bool {
	oc := r.getOrigin().Sub(s.Center)
	a := r.getDirection().Dot(r.getDirection())
	b := oc.Dot(r.getDirection())
	c := oc.Dot(oc) - float32(s.Radius*s.Radius)
	discriminant := float32(b*b) - float32(a*c)
	if !(discriminant > 0) {
		return false
	}
	root := sqrt(discriminant)
	t := (-b - root) / a
	if !(t < tMax && t > tMin) {
		t = (-b + root) / a
		if !(t < tMax && t > tMin) {
			return false
		}
	}
	rec.T = t
	rec.P = r.At(t)
	rec.N = rec.P.Sub(s.Center).Scale(1 / s.Radius)
	rec.Material = s.Material
	return true
}

func (r Ray) valueOrigin() Vec3    { return r.Origin }
func (r Ray) valueDirection() Vec3 { return r.Direction }

type valueGetterSphere Sphere

func (s *valueGetterSphere) Hit(r *Ray, tMin, tMax float32, rec *HitRecord) bool {
	oc := r.valueOrigin().Sub(s.Center)
	a := r.valueDirection().Dot(r.valueDirection())
	b := oc.Dot(r.valueDirection())
	c := oc.Dot(oc) - float32(s.Radius*s.Radius)
	discriminant := float32(b*b) - float32(a*c)
	if !(discriminant > 0) {
		return false
	}
	root := sqrt(discriminant)
	t := (-b - root) / a
	if !(t < tMax && t > tMin) {
		t = (-b + root) / a
		if !(t < tMax && t > tMin) {
			return false
		}
	}
	rec.T = t
	rec.P = r.At(t)
	rec.N = rec.P.Sub(s.Center).Scale(1 / s.Radius)
	rec.Material = s.Material
	return true
}

// TestExperiment holds the four lists to the same hits.
func TestExperiment(t *testing.T) {
	fields, origin, all, value := experimentLists()
	hits := 0
	for _, r := range experimentRays(1000) {
		var want HitRecord
		hit := fields.Hit(&r, tMin, math.MaxFloat32, &want)
		if hit {
			hits++
		}
		for _, list := range []*List{&origin, &all, &value} {
			var got HitRecord
			if ok := list.Hit(&r, tMin, math.MaxFloat32, &got); ok != hit || got != want {
				t.Fatalf("ray %v: %v %v; want %v %v", r, ok, got, hit, want)
			}
		}
	}
	if hits == 0 {
		t.Fatal("no ray hits anything")
	}
}
