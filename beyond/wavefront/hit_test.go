package wavefront

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/common/kerneltest"
	"raysteps/common/mem"
	"raysteps/common/scene"
)

// upTo is the number of spheres up to which every number is tested.
const upTo = 200

func newFront() *front { return &mem.Aligned[front](1, mem.CacheLine)[0] }

// spheresOf returns spheres as the search reads them; all says whether it is to
// solve the equation of all.
func spheresOf(list []kerneltest.Sphere, all bool) *spheres {
	s := newSpheres(len(list))
	s.all = all
	for i := range list {
		l := &list[i]
		center := vec3(l.Center)
		s.cx, s.cy, s.cz = append(s.cx, center.X), append(s.cy, center.Y), append(s.cz, center.Z)
		s.reach = append(s.reach, reach(center, l.Radius(), 100))
		s.radiusSq = append(s.radiusSq, l.RadiusSq)
	}
	return s
}

func (f *front) put(r kerneltest.Ray) {
	f.ox[f.n], f.oy[f.n], f.oz[f.n] = r.Origin[0], r.Origin[1], r.Origin[2]
	f.dx[f.n], f.dy[f.n], f.dz[f.n] = r.Direction[0], r.Direction[1], r.Direction[2]
	f.n++
}

func (f *front) ray(i int) kerneltest.Ray {
	return kerneltest.Ray{
		Origin:    kerneltest.Vec{f.ox[i], f.oy[i], f.oz[i]},
		Direction: kerneltest.Vec{f.dx[i], f.dy[i], f.dz[i]},
	}
}

// checkKernel runs a kernel and the plain search, and compares what they find
// for all rays of a front. The kernel must write to nothing but what it finds,
// and its scratch columns. It returns how many rays hit something.
func checkKernel(t testing.TB, k *form, s *spheres, f *front) (hits int) {
	t.Helper()
	got := newFront()
	*got = *f
	whole := min((f.n+group-1)/group*group, capacity)
	for i := range got.t {
		got.t[i], got.hit[i] = -7, 0xDEADBEEF
	}
	checkSearch(t, k, newSearch(s), newSearch(s), got)
	for i := range f.n {
		if got.hit[i] != 0 {
			hits++
		}
	}
	for i := whole; i < len(got.t); i++ {
		if got.t[i] != -7 || got.hit[i] != 0xDEADBEEF {
			t.Fatalf("wrote to ray %d of %d", i, f.n)
		}
	}
	got.t, got.hit = f.t, f.hit
	if !sameBits(got, f) {
		t.Fatalf("%d spheres, %d rays: the front has changed", len(s.cx), f.n)
	}
	return hits
}

// checkUppers runs a kernel or a stage, which must leave the upper halves of the
// registers clean.
func checkUppers(t testing.TB, name string, run func()) {
	t.Helper()
	if kerneltest.LeavesUppers(run) {
		t.Fatalf("after %s the upper halves of the registers are not clean; want VZEROUPPER or ClearAVXUpperBits at the end", name)
	}
}

// sameBits compares fronts so that NaN is equal to itself.
func sameBits(a, b *front) bool {
	const n = unsafe.Sizeof(*a) / 4
	return slices.Equal((*[n]uint32)(unsafe.Pointer(a))[:], (*[n]uint32)(unsafe.Pointer(b))[:])
}

// The kernels agree for every number of spheres, and for every number of rays up to
// some groups, then any, then a full front.
func TestHitCounts(t *testing.T) {
	forEachKernel(t, func(t *testing.T, k *form) {
		rng := rand.New(rand.NewPCG(14, 1))
		hits := 0
		for n := range upTo + 1 {
			list := kerneltest.RandomSpheres(rng, n)
			rays := n
			switch {
			case n == upTo:
				rays = capacity
			case n > 3*group:
				rays = rng.IntN(3 * searchGroups * group)
			}
			f := newFront()
			for range rays {
				f.put(kerneltest.RandomRay(rng, list))
			}
			for _, all := range []bool{false, true} {
				hits += checkKernel(t, k, spheresOf(list, all), f)
			}
		}
		assert.Greater(t, hits, upTo*100, "hits that were compared")
	})
}

// As many pairs of a ray and a sphere as the flag -pairs says: of scenes and of
// numbers of other kinds, with the reach that belongs to a sphere or any other.
func TestHitRandom(t *testing.T) {
	forEachKernel(t, func(t *testing.T, k *form) {
		rng := rand.New(rand.NewPCG(14, 8))
		compared, hits := 0, 0
		for compared < kerneltest.Pairs() {
			n := 1 + rng.IntN(upTo)
			list, ray := kerneltest.RandomInput(rng, n)
			s := spheresOf(list, rng.IntN(2) == 0)
			if rng.IntN(4) == 0 {
				for i := range s.reach {
					s.reach[i] = math.Float32frombits(rng.Uint32())
				}
			}
			f := newFront()
			for range 1 + rng.IntN(3*searchGroups*group) {
				f.put(ray())
			}
			hits += checkKernel(t, k, s, f)
			compared += n * f.n
		}
		t.Logf("compared %d pairs of a ray and a sphere; %d rays hit one", compared, hits)
		assert.Greater(t, hits, compared/1000, "hits that were compared")
	})
}

// The plain search, to which the kernels are held, finds what float64 finds, wherever rounding
// does not decide.
func TestHitPlain(t *testing.T) {
	rng := rand.New(rand.NewPCG(14, 2))
	compared, hits := 0, 0
	for n := range upTo + 1 {
		list := kerneltest.RandomSpheres(rng, n)
		f := newFront()
		for range 3 * group {
			f.put(kerneltest.RandomRay(rng, list))
		}
		for _, all := range []bool{false, true} {
			hitPlain(newSearch(spheresOf(list, all)), f)
			for i := range f.n {
				r := f.ray(i)
				hit, distance, sure := closest(list, &r)
				if !sure {
					continue
				}
				compared++
				require.Equal(t, hit, f.hit[i], "%d spheres, %v", n, r)
				if hit > 0 {
					hits++
					require.InDelta(t, distance, f.t[i], 0.1, "%d spheres, %v", n, r)
				}
			}
		}
	}
	assert.Greater(t, compared, upTo*30, "rays that were compared")
	assert.Greater(t, hits, upTo*10, "hits that were compared")
}

// closest solves the equations of spheres in float64. It is not sure if rounding to float32
// might turn a hit into a miss, or another sphere into the closest.
func closest(list []kerneltest.Sphere, r *kerneltest.Ray) (hit uint32, distance float64, sure bool) {
	distance, next := math.Inf(1), math.Inf(1)
	for i := range list {
		nb, square := 0.0, 0.0
		for axis := range 3 {
			d := float64(list[i].Center[axis]) - float64(r.Origin[axis])
			nb, square = nb+d*float64(r.Direction[axis]), square+d*d
		}
		discriminant := nb*nb - square + float64(list[i].RadiusSq)
		if math.Abs(discriminant) < 1e-3+1e-5*square {
			return 0, 0, false
		}
		for _, t := range []float64{nb - math.Sqrt(discriminant), nb + math.Sqrt(discriminant)} {
			switch {
			case math.Abs(t) < 0.1:
				return 0, 0, false
			case t > 0 && t < distance:
				hit, distance, next = uint32(i)+1, t, distance
			case t > 0:
				next = min(next, t)
			}
		}
	}
	return hit, distance, !(next-distance < 0.2)
}

func FuzzHit(f *testing.F) {
	kerneltest.Fuzz(f, func(t *testing.T, list []kerneltest.Sphere, rays []kerneltest.Ray) {
		front := newFront()
		for _, r := range rays[:min(len(rays), 2*group)] {
			front.put(r)
		}
		for _, all := range []bool{false, true} {
			for _, form := range forms() {
				checkKernel(t, &form, spheresOf(list, all), front)
			}
		}
	})
}

// A sieve keeps every sphere that a ray grazes, by a hundredth to a millionth of
// its radius: what the search finds is what the equation of all spheres finds.
// The sizes and places are those at which one of the terms of reach is needed.
func TestGrazing(t *testing.T) {
	for _, tt := range []struct {
		name           string
		center         kerneltest.Vec
		radius, within float64 // of its surface, where the rays start
	}{
		{"ground", kerneltest.Vec{0, -1000, 0}, 1000, 10},
		{"unit sphere", kerneltest.Vec{6, 0, -8}, 1, 10},
		{"tiny sphere", kerneltest.Vec{6, 0, -8}, 0.001, 10},
		{"tiny sphere far away", kerneltest.Vec{600, 100, -800}, 0.001, 1000},
	} {
		t.Run(tt.name, func(t *testing.T) {
			forEach(t, func(t *testing.T, form *form) {
				rng := rand.New(rand.NewPCG(14, 10))
				s := &scene.Scene{Name: tt.name,
					Spheres: []scene.Sphere{{Center: tt.center, Radius: float32(tt.radius)}}}
				s.Camera = scene.Small().Camera
				// Spheres that are out of the way, so that there are enough for balls.
				for i := range many {
					s.Spheres = append(s.Spheres,
						scene.Sphere{Center: [3]float32{0, 10 + float32(i)/10, 0}, Radius: 0.01})
				}
				tracer := newTracer(s, form)
				require.False(t, tracer.spheres.all)
				equation := tracer.spheres
				equation.all = true
				hits := 0
				for range 4 {
					f := newFront()
					for f.n < capacity {
						f.put(grazing(rng, tt.center, tt.radius, tt.within))
					}
					want := checkSearch(t, form, tracer.newSearch(), newSearch(&equation), f)
					for _, hit := range want.hit[:f.n] {
						if hit == 1 {
							hits++
						}
					}
				}
				assert.Greater(t, hits, 100, "hits that were compared")
			})
		})
	}
}

// Balls leave out most spheres, and none that a ray hits: with them a search finds what the
// plain one finds, which asks every ray about every sphere.
func TestBalls(t *testing.T) {
	forEachKernel(t, func(t *testing.T, form *form) {
		rng := rand.New(rand.NewPCG(14, 11))
		// Of spheres at one place, the first one counts, whichever ball it is in.
		same := scene.Cloud(1000)
		same.Name = "same"
		for i := range same.Spheres {
			same.Spheres[i].Center = same.Spheres[i%50].Center
		}
		clouds := []*scene.Scene{scene.Cloud(many), scene.Cloud(many + 1), scene.Cloud(1000)}
		for _, s := range append(clouds, scene.Large(), scene.Sphereflake(3), same) {
			tracer, hits, asked, searched := newTracer(s, form), 0, 0, 0
			search, plain := tracer.newSearch(), newSearch(&tracer.spheres)
			require.NotNil(t, search.balls)
			for turn := range 20 {
				if turn == 10 && form.nests { // balls of however few
					b := &search.balls.spheres
					search.ask(b, newBalls(b, tracer.distance, nesting, 1))
				}
				f := scatteredFront(rng, s.Spheres, search.groups*group)
				checkSearch(t, form, search, plain, f)
				for i := range search.groups { // of AVX-512, and half of those of AVX2
					asked += search.fromCounts[i]*cluster + search.balls.pairCounts[i]
					searched += len(s.Spheres)
				}
				for _, hit := range f.hit[:f.n] {
					hits += int(min(hit, 1))
				}
			}
			assert.Greater(t, hits, 100, "%s: hits that were compared", s.Name)
			if s.Name != "cloud" {
				assert.Less(t, asked, searched*9/10, "%s: spheres in balls that are met", s.Name)
			}
		}
	})
}

// scatteredFront returns a front of n rays. Those of a group start on one of the spheres or
// up to 30 away from it; every other one goes to the center of any sphere.
func scatteredFront(rng *rand.Rand, spheres []scene.Sphere, n int) *front {
	f, from := newFront(), &spheres[0]
	for f.n < n {
		to := &spheres[rng.IntN(len(spheres))]
		if f.n%group == 0 {
			from = to
		}
		away := vec3(kerneltest.RandomRay(rng, nil).Direction).Unit()
		r := kerneltest.Ray{Direction: kerneltest.Vec{away.X, away.Y, away.Z}}
		for axis := range r.Origin {
			away := abs(from.Radius) + float32(f.n%4*10)
			r.Origin[axis] = from.Center[axis] + away*r.Direction[axis]
		}
		if d := vec3(to.Center).Sub(vec3(r.Origin)); f.n%2 == 0 && d.Length() > 0 {
			d = d.Unit()
			r.Direction = kerneltest.Vec{d.X, d.Y, d.Z}
		}
		f.put(r)
	}
	return f
}

// checkSearch compares what a form finds for all rays of a front with what the plain
// search finds, and returns that.
func checkSearch(t testing.TB, form *form, s, plain *search, f *front) *front {
	t.Helper()
	want := newFront()
	*want = *f
	hitPlain(plain, want)
	checkUppers(t, "the search", func() { form.hit(s, f) })
	for i := range f.n {
		if f.hit[i] != want.hit[i] || math.Float32bits(f.t[i]) != math.Float32bits(want.t[i]) {
			t.Fatalf("%d spheres, ray %d of %d, %+v: sphere %d at %v; want sphere %d at %v",
				len(s.cx), i, f.n, f.ray(i), f.hit[i], f.t[i], want.hit[i], want.t[i])
		}
	}
	return want
}

// grazing returns a ray that comes as near to the center of a sphere as its radius
// or a little less. Mostly the nearest point is straight to the side or straight
// up from the center, where p or q is largest.
func grazing(rng *rand.Rand, center kerneltest.Vec, radius, within float64) kerneltest.Ray {
	r := kerneltest.RandomRay(rng, nil)
	if radius > 100 {
		r.Direction[1] *= 0.01 // along the ground
	}
	d := vec(r.Direction[0], r.Direction[1], r.Direction[2]).Unit()
	a := newAcross(0, 0, 0, d.X, d.Y, d.Z)
	sin, cos := math.Sincos(float64(rng.IntN(4))*math.Pi/2 + rng.NormFloat64()*0.001)
	if radius > 100 {
		sin, cos = -1, 0
	}
	side, up := [3]float32{a.ux, 0, -a.uz}, [3]float32{a.vx, -a.vy, a.vz}
	off := radius * (1 - math.Pow(10, -2-4*rng.Float64()))
	back := within * rng.Float64()
	r.Direction = kerneltest.Vec{d.X, d.Y, d.Z}
	for i := range r.Origin {
		across := cos*float64(side[i]) + sin*float64(up[i])
		r.Origin[i] = float32(float64(center[i]) + off*across - back*float64(r.Direction[i]))
	}
	return r
}

// asked are the columns of balls that a search reads.
func asked(balls *spheres) []*[]float32 {
	return []*[]float32{&balls.cx, &balls.cy, &balls.cz, &balls.reach}
}

// hitPages are pages for what a search reads and writes.
type hitPages struct {
	columns [13][]byte // of the spheres, then of the balls, then of balls of these
	lists   [6][]byte
	atEnd   bool // of the pages
}

const pagesUpTo = 70 // spheres

func newHitPages(t *testing.T) *hitPages {
	const room = (pagesUpTo/cluster/nesting + 1) * cluster * nesting
	p := &hitPages{}
	for i := range p.columns {
		p.columns[i] = kerneltest.NewPages(t, 4*room)
	}
	for i := range p.lists {
		p.lists[i] = kerneltest.NewPages(t, 4*searchGroups*(8*room+group))
	}
	return p
}

// move moves a column, and what follows it up to n numbers, to a column of the pages.
func (p *hitPages) move(column *[]float32, n, to int) {
	moved := kerneltest.Slice[float32](p.columns[to], p.atEnd, n)
	copy(moved, (*column)[:n])
	*column = moved[:len(*column)]
}

// search returns a search for spheres with a reach, which asks about balls where there can be.
func (p *hitPages) search(s *spheres, reach float32, nests bool) *search {
	search := newSearch(s)
	all := []*[]uint32{&search.candidates, &search.rays, &search.from}
	if !s.all && reach <= 1 {
		b, nest := newBalls(s, 100, cluster, 1.42), (*spheres)(nil)
		for i, column := range asked(b) {
			p.move(column, (len(*column)+nesting-1)/nesting*nesting, 5+i)
		}
		if nests && reach == 1 {
			nest = newBalls(b, 100, nesting, 1)
			for i, column := range asked(nest) {
				p.move(column, len(*column), 9+i)
			}
		}
		search.ask(b, nest)
		all = append(all[:2], &search.balls.candidates, &search.balls.rays)
		if nest := search.balls.balls; nest != nil {
			all = append(all, &nest.candidates, &nest.rays)
		}
	}
	for i, list := range all {
		to := kerneltest.Slice[uint32](p.lists[i], p.atEnd, len(*list))
		copy(to, *list)
		*list = to
	}
	if search.balls != nil {
		search.from = search.balls.candidates
	}
	return search
}

// Nothing is read or written outside the columns of the spheres and the lists
// of candidates: each has pages of its own, and lies at their very end or start.
func TestHitPages(t *testing.T) {
	pages := newHitPages(t)
	forEachKernel(t, func(t *testing.T, k *form) {
		for _, atEnd := range []bool{false, true} {
			pages.atEnd = atEnd
			t.Run(fmt.Sprintf("at the end %v", atEnd), func(t *testing.T) {
				rng := rand.New(rand.NewPCG(14, 7))
				for n := range pagesUpTo + 1 {
					list := kerneltest.RandomSpheres(rng, n)
					for _, all := range []bool{false, true} {
						s := spheresOf(list, all)
						for i, column := range []*[]float32{&s.cx, &s.cy, &s.cz, &s.reach, &s.radiusSq} {
							pages.move(column, cap(*column), i)
						}
						f := newFront()
						for range searchGroups * group {
							f.put(kerneltest.RandomRay(rng, list))
						}
						// All are candidates, some, none.
						for _, reach := range []float32{float32(math.Inf(1)), 1, float32(math.Inf(-1))} {
							for i := range s.reach {
								s.reach[i] = reach
							}
							search := pages.search(s, reach, k.nests)
							require.Nil(t, kerneltest.FaultOf(func() { k.hit(search, f) }), "%d spheres", n)
							checkKernel(t, k, s, f)
						}
					}
				}
			})
		}
	})
}
