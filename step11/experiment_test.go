package step11

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"raysteps/common"
	"raysteps/common/film"
	"raysteps/common/kerneltest"
	"raysteps/common/scene"
)

// The experiments of the chapter. They run with
//
//	go test -run '^$' -bench 'Slack|Links|Draw' ./step11

// BenchmarkSlack traces bounces in a room, in which every ray hits, each with so many
// additions of 0 more: between the distance of a hit and what goes on from it, or beside that, where
// nothing waits for them.
func BenchmarkSlack(b *testing.B) {
	t := New(room)
	for _, way := range []string{"between", "beside"} {
		for additions := 8; additions <= 1024; additions *= 2 {
			b.Run(fmt.Sprintf("way=%s/additions=%d", way, additions), func(b *testing.B) {
				t.rng = seed()
				kerneltest.BenchCycles(b, func(n int) {
					r := NewRay(Vec3{1, 2, 3}, Vec3{1, 1, 1})
					zero := math.Float32frombits(none)
					s0, s1, s2, s3 := zeros[0], zeros[1], zeros[2], zeros[3]
					s4, s5, s6, s7 := zeros[4], zeros[5], zeros[6], zeros[7]
					between, beside := additions, 0
					if way == "beside" {
						between, beside = 0, additions
					}
					for range n {
						i, d := t.test.Closest(&r, tMin, math.MaxFloat32)
						for range between / 8 {
							d = d + zero + zero + zero + zero + zero + zero + zero + zero
						}
						for range beside / 8 {
							s0, s1, s2, s3 = s0+zero, s1+zero, s2+zero, s3+zero
							s4, s5, s6, s7 = s4+zero, s5+zero, s6+zero, s7+zero
						}
						rec := t.world.Hit(i, &r, d)
						t.ray, _, _ = (*rec.Material).Scatter(&r, rec, &t.rng)
						r = t.ray
					}
					if sum := s0 + s1 + s2 + s3 + s4 + s5 + s6 + s7; sum != 0 {
						b.Fatal(sum)
					}
				})
			})
		}
	}
}

// BenchmarkLinks traces the paths of a picture as step 10 does, and then with one change of
// this step after the other: the hit in registers, no division of a direction by its length of 1,
// three generators, points ahead, and those for the camera, too. The last is all of step 11.
func BenchmarkLinks(b *testing.B) {
	l := new(links) // in one place: another one is worth several percent
	for _, s := range []*scene.Scene{scene.Small(), scene.Medium()} {
		l.begin(s)
		for _, with := range []struct {
			name string
			changes
		}{
			{"none", changes{}},
			{"registers", changes{registers: true}},
			{"and-no-division", changes{registers: true, unit: true}},
			{"and-three-generators", changes{registers: true, unit: true, three: true}},
			{"and-points-ahead", changes{registers: true, unit: true, three: true, ahead: true}},
			{"and-for-the-camera", changes{registers: true, unit: true, three: true, ahead: true, camera11: true}},
		} {
			b.Run("scene="+s.Name+"/change="+with.name, func(b *testing.B) {
				l.changes, l.rng = with.changes, seed()
				kerneltest.BenchCycles(b, l.trace)
			})
		}
	}
}

// BenchmarkDraw draws points ahead and does nothing else; an op is a point.
func BenchmarkDraw(b *testing.B) {
	rng := seed()
	kerneltest.BenchCycles(b, func(n int) {
		for range (n + len(rng.points) - 1) / len(rng.points) {
			rng.draw()
		}
	})
}

// With all changes the paths are those of step 11.
func TestLinks(t *testing.T) {
	f, settings := film.New(64, 36), common.Settings{Samples: 4, Bounces: common.Default().Bounces}
	for _, s := range []*scene.Scene{scene.Small(), scene.Medium()} {
		l := links{changes: changes{registers: true, unit: true, three: true, ahead: true, camera11: true}}
		l.begin(s)
		step := New(s)
		rays := step.Render(f, settings)
		l.trace(int(rays))
		assert.Equal(t, rays, l.rays, s.Name)
		assert.Equal(t, [...]uint32{step.rng.s, step.rng.x}, [...]uint32{l.rng.s, l.rng.x}, s.Name)
	}
}

// links traces as step 10 does but for what is set.
type links struct {
	*Tracer
	changes
	surfaces []surface // in the order of the spheres
	hit      hitInMemory
}

// changes are those that this step makes.
type changes struct {
	registers bool // a hit is returned in registers
	unit      bool // a direction is not divided by its length
	camera11  bool // the place in a pixel is a point drawn ahead
	three     bool // a generator for each coordinate
	ahead     bool // points are drawn ahead
}

// hitInMemory is step 10's HitRecord, and hitInRegisters this step's.
type hitInMemory struct {
	T       float32
	P, N    Vec3
	Surface surface
}

type hitInRegisters struct {
	P, N    Vec3
	Surface *surface
}

// surface is the Material of both steps, with points that links draws.
type surface interface {
	scatter10(l *links, r *Ray, hit *hitInMemory) (Ray, Vec3, bool)
	scatter11(l *links, r *Ray, hit hitInRegisters) (Ray, Vec3, bool)
}

func newSurface(m *scene.Material) surface {
	switch m := newMaterial(m).(type) {
	case *Lambertian:
		return (*matte)(m)
	case *Metal:
		return (*mirror)(m)
	default:
		return (*glass)(m.(*Dielectric))
	}
}

// begin takes a scene, with all random numbers still ahead.
func (l *links) begin(s *scene.Scene) {
	l.Tracer, l.surfaces = New(s), nil
	for _, sphere := range s.Spheres {
		l.surfaces = append(l.surfaces, newSurface(&sphere.Material))
	}
	l.rng = seed()
	l.bounces = common.Default().Bounces
}

// trace traces so many rays of a picture, or a few more.
func (l *links) trace(n int) {
	const width, height, samples = 64, 36, 4
	const invWidth, invHeight = 1 / float32(width), 1 / float32(height)
	camera := NewCamera(&l.camera, float32(width)/height)
	l.rays = 0
	for i := 0; l.rays < int64(n); i++ {
		pixel := i / samples % (width * height)
		at := Vec3{float32(pixel % width), float32(height - 1 - pixel/width), 0}.Add(l.place())
		l.ray = camera.Ray(at.X*invWidth, at.Y*invHeight, &l.rng)
		if l.registers {
			l.color11(&l.ray, 0)
		} else {
			l.color10(&l.ray, 0)
		}
	}
}

// place returns where in its pixel a ray of the camera begins.
func (l *links) place() Vec3 {
	if l.camera11 {
		return l.rng.InCube().Add(Vec3{1, 1, 0}).Scale(0.5)
	}
	return Vec3{l.rng.Float32(), l.rng.Float32(), 0}
}

// point returns a point in the ball.
func (l *links) point() Vec3 {
	switch {
	case l.ahead:
		return l.rng.InUnitBall()
	case l.three:
		return tossThree(&l.rng)
	default:
		return tossOne(&l.rng)
	}
}

func (l *links) color10(r *Ray, depth int) Vec3 {
	l.rays++
	if !l.hit10(r, &l.hit) {
		return l.sky(r)
	}
	if depth >= l.bounces {
		return Vec3{}
	}
	scattered, attenuation, ok := l.hit.Surface.scatter10(l, r, &l.hit)
	if !ok {
		return Vec3{}
	}
	*r = scattered
	return attenuation.Mul(l.color10(r, depth+1))
}

func (l *links) color11(r *Ray, depth int) Vec3 {
	l.rays++
	closest, distance := l.test.Closest(r, tMin, math.MaxFloat32)
	if closest < 0 {
		return l.sky(r)
	}
	if depth >= l.bounces {
		return Vec3{}
	}
	hit := l.hit11(closest, r, distance)
	scattered, attenuation, ok := (*hit.Surface).scatter11(l, r, hit)
	if !ok {
		return Vec3{}
	}
	*r = scattered
	return attenuation.Mul(l.color11(r, depth+1))
}

func (l *links) hit10(r *Ray, rec *hitInMemory) bool {
	i, t := l.test.Closest(r, tMin, math.MaxFloat32)
	if i < 0 {
		return false
	}
	w := l.world
	center := Vec3{w.Spheres.CenterX()[i], w.Spheres.CenterY()[i], w.Spheres.CenterZ()[i]}
	rec.T = t
	rec.P = r.At(t)
	rec.N = rec.P.Sub(center).Scale(w.Spheres.InvRadius()[i])
	rec.Surface = l.surfaces[i]
	return true
}

func (l *links) hit11(i int, r *Ray, distance float32) (rec hitInRegisters) {
	w := l.world
	center := Vec3{w.Spheres.CenterX()[i], w.Spheres.CenterY()[i], w.Spheres.CenterZ()[i]}
	rec.P = r.At(distance)
	rec.N = rec.P.Sub(center).Scale(w.Spheres.InvRadius()[i])
	rec.Surface = &l.surfaces[i]
	return rec
}

func (l *links) direction(r *Ray) Vec3 {
	if l.unit {
		return r.Direction
	}
	return r.Direction.Unit()
}

func (l *links) sky(r *Ray) Vec3 {
	t := 0.5 * (l.direction(r).Y + 1)
	return Vec3{1, 1, 1}.Scale(1 - t).Add(Vec3{0.5, 0.7, 1}.Scale(t))
}

type (
	matte  Lambertian
	mirror Metal
	glass  Dielectric
)

func (m *matte) scatter10(l *links, r *Ray, hit *hitInMemory) (Ray, Vec3, bool) {
	target := hit.P.Add(hit.N).Add(l.point())
	return NewRay(hit.P, target.Sub(hit.P)), m.Albedo, true
}

func (m *matte) scatter11(l *links, r *Ray, hit hitInRegisters) (Ray, Vec3, bool) {
	target := hit.P.Add(hit.N).Add(l.point())
	return NewRay(hit.P, target.Sub(hit.P)), m.Albedo, true
}

func (m *mirror) scatter10(l *links, r *Ray, hit *hitInMemory) (Ray, Vec3, bool) {
	reflected := r.Direction.Unit().Reflect(hit.N)
	scattered := NewRay(hit.P, reflected.Add(l.point().Scale(m.Fuzz)))
	return scattered, m.Albedo, scattered.Direction.Dot(hit.N) > 0
}

func (m *mirror) scatter11(l *links, r *Ray, hit hitInRegisters) (Ray, Vec3, bool) {
	reflected := l.direction(r).Reflect(hit.N)
	scattered := NewRay(hit.P, reflected.Add(l.point().Scale(m.Fuzz)))
	return scattered, m.Albedo, scattered.Direction.Dot(hit.N) > 0
}

func (m *glass) scatter10(l *links, r *Ray, hit *hitInMemory) (Ray, Vec3, bool) {
	dir := r.Direction
	outward, ratio, cosine := hit.N, 1/m.Index, float32(0)
	if d := dir.Dot(hit.N); d > 0 { // leaving
		outward, ratio, cosine = hit.N.Neg(), m.Index, m.Index*d/dir.Length()
	} else {
		cosine = -d / dir.Length()
	}
	next := dir.Reflect(hit.N)
	refracted, possible := refract(dir.Unit(), outward, ratio)
	if x := l.rng.Float32(); possible && !(x < schlick(cosine, m.Index)) {
		next = refracted
	}
	return NewRay(hit.P, next), Vec3{1, 1, 1}, true
}

func (m *glass) scatter11(l *links, r *Ray, hit hitInRegisters) (Ray, Vec3, bool) {
	q := Ray{Direction: l.direction(r)}
	return (*Dielectric)(m).Scatter(&q, HitRecord{P: hit.P, N: hit.N}, &l.rng)
}

func tossOne(r *RNG) Vec3 {
	for {
		x, y, z := r.Float32(), r.Float32(), r.Float32()
		if p := (Vec3{2*x - 1, 2*y - 1, 2*z - 1}); p.Dot(p) < 1 {
			return p
		}
	}
}

func tossThree(r *RNG) Vec3 {
	for {
		r.x, r.y, r.z = xorshift(r.x), xorshift(r.y), xorshift(r.z)
		if p := (Vec3{symmetric(r.x), symmetric(r.y), symmetric(r.z)}); p.Dot(p) < 1 {
			return p
		}
	}
}

// room is a sphere seen from within: all rays hit it.
var room = &scene.Scene{Camera: scene.Small().Camera, Spheres: []scene.Sphere{
	{Radius: -10, Material: scene.Material{Kind: scene.Lambertian, Albedo: [3]float32{1, 1, 1}}},
}}

// none is 0, which no compiler knows. Nor does it know that the zeros are equal: eight
// sums that begin with one value would be one sum.
var (
	none  uint32
	zeros [8]float32
)
