package step02

import (
	"math"
	"testing"

	"raysteps/common/scene"
)

// The experiments of the chapter. They run with
//
//	go test -run '^$' -bench 'Inlining|Marks' ./step02

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

// experimentLists holds the large scene once for each row of the experiments, by
// the name of the row.
func experimentLists() (getters, marks map[string]*List) {
	getters = map[string]*List{"none": {}, "inlined": {}, "called": {}}
	marks = map[string]*List{"1": {}, "4": {}, "8": {}, "16": {}}
	for _, s := range scene.Large().Spheres {
		sphere := &Sphere{vec3(s.Center), s.Radius, newMaterial(&s.Material)}
		for list, item := range map[*List]Hittable{
			getters["none"]:    sphere,
			getters["inlined"]: (*inlinedSphere)(sphere),
			getters["called"]:  (*calledSphere)(sphere),
			marks["1"]:         (*sphere1)(sphere),
			marks["4"]:         (*sphere4)(sphere),
			marks["8"]:         (*sphere8)(sphere),
			marks["16"]:        (*sphere16)(sphere),
		} {
			list.Items = append(list.Items, item)
		}
	}
	return getters, marks
}

func runLists(b *testing.B, key string, names []string, lists map[string]*List) {
	rays := experimentRays(1024)
	rec := new(HitRecord)
	for _, name := range names {
		list := lists[name]
		b.Run(key+"="+name, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				list.Hit(&rays[i%len(rays)], tMin, math.MaxFloat32, rec)
			}
		})
	}
}

// BenchmarkInlining finds the closest of 484 spheres; an operation is a ray.
// The spheres read the fields of the ray, or get them from getters, which are
// inlined or called.
func BenchmarkInlining(b *testing.B) {
	getters, _ := experimentLists()
	runLists(b, "getters", []string{"none", "inlined", "called"}, getters)
}

func (r *Ray) inlinedOrigin() Vec3    { return r.Origin }
func (r *Ray) inlinedDirection() Vec3 { return r.Direction }

type inlinedSphere Sphere

func (s *inlinedSphere) Hit(r *Ray, tMin, tMax float32, rec *HitRecord) bool {
	oc := r.inlinedOrigin().Sub(s.Center)
	a := r.inlinedDirection().Dot(r.inlinedDirection())
	b := oc.Dot(r.inlinedDirection())
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

//go:noinline
func (r *Ray) calledOrigin() Vec3 { return r.Origin }

//go:noinline
func (r *Ray) calledDirection() Vec3 { return r.Direction }

type calledSphere Sphere

func (s *calledSphere) Hit(r *Ray, tMin, tMax float32, rec *HitRecord) bool {
	oc := r.calledOrigin().Sub(s.Center)
	a := r.calledDirection().Dot(r.calledDirection())
	b := oc.Dot(r.calledDirection())
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

// BenchmarkMarks finds the closest of 484 spheres; an operation is a ray. The
// hit tests are the same but for the number of inline marks on the way to the
// first return.
func BenchmarkMarks(b *testing.B) {
	_, marks := experimentLists()
	runLists(b, "marks", []string{"1", "4", "8", "16"}, marks)
}

// radiusN is N calls, each inlined into the next, around one load. On a line of
// its own it leaves N inline marks.

func (s *Sphere) radius1() float32  { return s.Radius }
func (s *Sphere) radius2() float32  { return s.radius1() }
func (s *Sphere) radius3() float32  { return s.radius2() }
func (s *Sphere) radius4() float32  { return s.radius3() }
func (s *Sphere) radius5() float32  { return s.radius4() }
func (s *Sphere) radius6() float32  { return s.radius5() }
func (s *Sphere) radius7() float32  { return s.radius6() }
func (s *Sphere) radius8() float32  { return s.radius7() }
func (s *Sphere) radius9() float32  { return s.radius8() }
func (s *Sphere) radius10() float32 { return s.radius9() }
func (s *Sphere) radius11() float32 { return s.radius10() }
func (s *Sphere) radius12() float32 { return s.radius11() }
func (s *Sphere) radius13() float32 { return s.radius12() }
func (s *Sphere) radius14() float32 { return s.radius13() }
func (s *Sphere) radius15() float32 { return s.radius14() }
func (s *Sphere) radius16() float32 { return s.radius15() }

type (
	sphere1  Sphere
	sphere4  Sphere
	sphere8  Sphere
	sphere16 Sphere
)

func (s *sphere1) Hit(r *Ray, tMin, tMax float32, rec *HitRecord) bool {
	radius := (*Sphere)(s).radius1()
	oc := r.Origin.Sub(s.Center)
	a := r.Direction.Dot(r.Direction)
	b := oc.Dot(r.Direction)
	c := oc.Dot(oc) - float32(radius*radius)
	discriminant := float32(b*b) - float32(a*c)
	if !(discriminant > 0) {
		return false
	}
	return (*Sphere)(s).Hit(r, tMin, tMax, rec)
}

func (s *sphere4) Hit(r *Ray, tMin, tMax float32, rec *HitRecord) bool {
	radius := (*Sphere)(s).radius4()
	oc := r.Origin.Sub(s.Center)
	a := r.Direction.Dot(r.Direction)
	b := oc.Dot(r.Direction)
	c := oc.Dot(oc) - float32(radius*radius)
	discriminant := float32(b*b) - float32(a*c)
	if !(discriminant > 0) {
		return false
	}
	return (*Sphere)(s).Hit(r, tMin, tMax, rec)
}

func (s *sphere8) Hit(r *Ray, tMin, tMax float32, rec *HitRecord) bool {
	radius := (*Sphere)(s).radius8()
	oc := r.Origin.Sub(s.Center)
	a := r.Direction.Dot(r.Direction)
	b := oc.Dot(r.Direction)
	c := oc.Dot(oc) - float32(radius*radius)
	discriminant := float32(b*b) - float32(a*c)
	if !(discriminant > 0) {
		return false
	}
	return (*Sphere)(s).Hit(r, tMin, tMax, rec)
}

func (s *sphere16) Hit(r *Ray, tMin, tMax float32, rec *HitRecord) bool {
	radius := (*Sphere)(s).radius16()
	oc := r.Origin.Sub(s.Center)
	a := r.Direction.Dot(r.Direction)
	b := oc.Dot(r.Direction)
	c := oc.Dot(oc) - float32(radius*radius)
	discriminant := float32(b*b) - float32(a*c)
	if !(discriminant > 0) {
		return false
	}
	return (*Sphere)(s).Hit(r, tMin, tMax, rec)
}

// TestExperiments holds the lists to the same hits.
func TestExperiments(t *testing.T) {
	getters, marks := experimentLists()
	hits := 0
	for _, r := range experimentRays(1000) {
		var want HitRecord
		hit := getters["none"].Hit(&r, tMin, math.MaxFloat32, &want)
		if hit {
			hits++
		}
		for _, lists := range []map[string]*List{getters, marks} {
			for name, list := range lists {
				var got HitRecord
				if ok := list.Hit(&r, tMin, math.MaxFloat32, &got); ok != hit || got != want {
					t.Fatalf("%s, ray %v: %v %v; want %v %v", name, r, ok, got, hit, want)
				}
			}
		}
	}
	if hits == 0 {
		t.Fatal("no ray hits anything")
	}
}
