package tree

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/common/kerneltest"
	"raysteps/common/mem"
	"raysteps/common/scene"
	"raysteps/step13"
)

var update = flag.Bool("update", false, "draw docs/pictures/boxes.svg anew")

var raysFlag = flag.Int("rays", 40_000,
	"`rays` that TestSearch compares with a linear search, over all kinds of scenes")

// Sphere is that of step 13.
type Sphere = step13.Sphere

// newLinear returns the search of step 13, over all spheres in the order of the scene.
func newLinear(spheres []Sphere) *step13.HitTest { return step13.NewHitTest(soaOf(spheres)) }

// ball returns a sphere of some radius, which may be negative.
func ball(center Vec3, radius float32) Sphere {
	return Sphere{Center: center, RadiusSq: float32(radius * radius), InvRadius: 1 / radius}
}

func vec(x, y, z float32) Vec3 { return Vec3{X: x, Y: y, Z: z} }

func randomVec(rng *rand.Rand, size float32) Vec3 {
	axis := func() float32 { return (2*rng.Float32() - 1) * size }
	return vec(axis(), axis(), axis())
}

// logUniform returns a number between two powers of ten.
func logUniform(rng *rand.Rand, from, to float64) float32 {
	return float32(math.Pow(10, from+(to-from)*rng.Float64()))
}

// kinds of scenes. Each function returns n spheres.
var kinds = []struct {
	name    string
	spheres func(rng *rand.Rand, n int) []Sphere
}{
	{"a cloud", each(func(rng *rand.Rand, n, i int) Sphere {
		return ball(randomVec(rng, 10), float32(math.Sqrt(100/float64(n)))*(0.1+rng.Float32()))
	})},
	{"on the ground", each(func(rng *rand.Rand, n, i int) Sphere {
		if i == n/2 {
			return ball(vec(0, -1000, 0), 1000)
		}
		c := randomVec(rng, 10)
		return ball(vec(c.X, 0.2, c.Z), 0.2)
	})},
	{"tiny", each(func(rng *rand.Rand, n, i int) Sphere {
		return ball(randomVec(rng, 10), logUniform(rng, -6, -2))
	})},
	{"huge", each(func(rng *rand.Rand, n, i int) Sphere {
		return ball(randomVec(rng, 1e4), logUniform(rng, 2, 6))
	})},
	{"of all sizes", each(func(rng *rand.Rand, n, i int) Sphere {
		return ball(randomVec(rng, logUniform(rng, -3, 9)), logUniform(rng, -6, 9))
	})},
	{"far away", each(func(rng *rand.Rand, n, i int) Sphere {
		return ball(vec(1e6, -3e6, 2e6).Add(randomVec(rng, 100)), 1+10*rng.Float32())
	})},
	{"shells", each(func(rng *rand.Rand, n, i int) Sphere {
		radius := float32(i%7+1) * 0.1
		if i%2 == 1 {
			radius = -radius
		}
		return ball(vec(float32(i/7%10), float32(i/70), 0), radius)
	})},
	{"nested", each(func(rng *rand.Rand, n, i int) Sphere { return ball(vec(0, 0, 0), 1+float32(i)/64) })},
	{"equal", each(func(rng *rand.Rand, n, i int) Sphere { return ball(vec(float32(i%3), 0, 0), 0.5) })},
	{"all equal", each(func(rng *rand.Rand, n, i int) Sphere { return ball(vec(1, 2, 3), 1) })},
	{"a lattice", each(func(rng *rand.Rand, n, i int) Sphere {
		return ball(vec(float32(i%8), float32(i/8%8), float32(i/64)), 0.5)
	})},
	{"a row of powers", each(func(rng *rand.Rand, n, i int) Sphere {
		x := float32(math.Ldexp(1, i%48-20))
		return ball(vec(x, 0, 0), max(1e-6, 0.4*x))
	})},
}

func each(sphere func(rng *rand.Rand, n, i int) Sphere) func(*rand.Rand, int) []Sphere {
	return func(rng *rand.Rand, n int) []Sphere {
		spheres := make([]Sphere, n)
		for i := range spheres {
			spheres[i] = sphere(rng, n, i)
		}
		return spheres
	}
}

// randomRay starts far from the spheres, at one, in one or among them, and goes
// anywhere, along an axis or a plane, to the center of one, or past the rim of
// one about as closely as float32 can say: just where the first pass may be
// wrong.
func randomRay(rng *rand.Rand, spheres []Sphere) Ray {
	pick := func() Sphere {
		if len(spheres) == 0 {
			return ball(Vec3{}, 1)
		}
		return spheres[rng.IntN(len(spheres))]
	}
	on := func(s Sphere) Vec3 { return s.Center.Add(randomVec(rng, 1).Unit().Scale(sqrt(s.RadiusSq))) }
	var origin Vec3
	switch s := pick(); rng.IntN(6) {
	case 0:
		origin = s.Center.Add(randomVec(rng, 1).Unit().Scale(sqrt(s.RadiusSq) * logUniform(rng, 0, 4)))
	case 1:
		origin = s.Center
	case 2, 3:
		origin = on(s)
	case 4:
		origin = s.Center.Add(pick().Center).Scale(0.5)
	case 5:
		origin = s.Center.Add(randomVec(rng, logUniform(rng, -3, 5)))
	}
	direction := randomVec(rng, 1)
	switch s := pick(); rng.IntN(8) {
	case 0:
		direction = s.Center.Sub(origin)
	case 1, 2, 3:
		// To the rim, seen from the origin, and a little to the side.
		to := s.Center.Sub(origin)
		across := direction.Cross(to).Unit()
		distance, radius := float64(to.Length()), math.Sqrt(float64(s.RadiusSq))
		if distance > radius {
			sine := radius / distance * (1 + 2e-3*rng.NormFloat64()*rng.Float64()*rng.Float64())
			if rng.IntN(2) == 0 {
				sine += 1e-3 * rng.NormFloat64()
			}
			direction = to.Unit().Add(across.Scale(float32(math.Tan(math.Asin(min(1, max(-1, sine)))))))
		}
	case 4:
		direction.X = 0
	case 5:
		direction = Vec3{Y: direction.Y}
	case 6:
		direction = []Vec3{
			vec(1, 0, 0), vec(0, -1, 0), vec(0, 0, 1), vec(-1, 0, 1), vec(0, 1e-20, 1), vec(1, 1e-30, -1e-12),
		}[rng.IntN(6)]
	}
	return step13.NewRay(origin, direction)
}

// spoil makes the direction of a ray longer or shorter, or no number. Then spheres off its
// line may be hit, and it is not led through the tree.
func spoil(rng *rand.Rand, r *Ray) {
	for _, x := range []*float32{&r.Direction.X, &r.Direction.Y, &r.Direction.Z, &r.Origin.X} {
		if rng.IntN(3) == 0 {
			*x = kerneltest.Special(rng)
		}
	}
	if rng.IntN(4) == 0 {
		r.Direction = r.Direction.Scale(1 + 1e-4*rng.Float32())
	}
}

// form is one of the ways to walk a tree.
type form struct {
	name string
	walk func(s *search, r *Ray, tMin float32)
}

// forms are those that there are on this processor and in this build.
var forms = []form{{"plain", (*search).walkGeneric}}

// closest is what search.Closest returns if it walks in this form.
func (f form) closest(s *search, r *Ray, tMin, tMax float32) (closest int, t float32) {
	if !(abs(r.Direction.Dot(r.Direction)-1) <= off) {
		return s.Closest(r, tMin, tMax)
	}
	s.tMax, s.found = tMax, -1
	f.walk(s, r, tMin)
	if s.found < 0 {
		return -1, tMax
	}
	return int(s.tree.index(s.found)), s.tMax
}

// treeOf makes a world with a tree of however few spheres.
func treeOf(spheres []Sphere) *World {
	w := new(World)
	w.Spheres = *soaOf(spheres)
	w.tree = newTree(&w.Spheres)
	return w
}

func soaOf(spheres []Sphere) *SphereSoA {
	s := new(SphereSoA)
	for _, sphere := range spheres {
		s.Append(sphere)
	}
	return s
}

// check compares searches in a tree, in all forms, with a linear one.
func check(t *testing.T, name string, s *search, r *Ray, tMax, distance float32, want int) {
	t.Helper()
	for _, f := range forms {
		got, at := f.closest(s, r, tMin, tMax)
		if got != want || at != distance {
			t.Fatalf("%s, %s: %+v hits sphere %d at %g; want %d at %g",
				name, f.name, *r, got, at, want, distance)
		}
	}
}

// The search in the tree finds the same sphere at the same distance as the
// linear one.
func TestSearch(t *testing.T) {
	const raysPerScene = 200
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			t.Parallel()
			rng := rand.New(rand.NewPCG(13, uint64(len(kind.name))))
			hits, outside := 0, 0
			for i := range (*raysFlag + raysPerScene*len(kinds) - 1) / (raysPerScene * len(kinds)) {
				n := []int{1, 2, 3, 7, 16, 17, 21, 64, 65, 200, 484, 1000}[i%12]
				spheres := kind.spheres(rng, n)
				l, s := newLinear(spheres), newSearch(treeOf(spheres))
				for range raysPerScene {
					r := randomRay(rng, spheres)
					if rng.IntN(10) == 0 {
						spoil(rng, &r)
					}
					tMax := float32(math.MaxFloat32)
					if rng.IntN(10) == 0 {
						tMax = logUniform(rng, -3, 4)
					}
					want, distance := l.Closest(&r, tMin, tMax)
					if want >= 0 {
						hits++
						if missed(&spheres[want], &r) {
							outside++
						}
					}
					check(t, fmt.Sprintf("scene %d", i), s, &r, tMax, distance, want)
				}
			}
			t.Logf("%d hits, %d of them on spheres that the ray misses", hits, outside)
			assert.NotZero(t, hits)
		})
	}
}

// The first pass reports a hit on a tiny sphere that the ray passes at more than
// 4.3√u of the distance to it, of the 4.8√u that the comment on node derives. A
// search for the largest rounding errors found the ray. The box must be met.
func TestMargin(t *testing.T) {
	sphere := ball(Vec3{}, 1e-6)
	r := Ray{
		Origin:    vec(-0x1.034a3ep+00, 0x1.30e2b4p-07, 0x1.3a08ccp-07),
		Direction: vec(0x1.fff33cp-01, -0x1.42a39cp-07, -0x1.450f5cp-07),
	}
	hit, distance := newLinear([]Sphere{sphere}).Closest(&r, tMin, math.MaxFloat32)
	require.Zero(t, hit)
	length := r.Direction.Dot(r.Direction)
	require.LessOrEqual(t, abs(length-1), float32(off), "or it is not led through the tree")
	const sqrtU = 0x1p-12
	require.Greater(t, r.Origin.Add(r.Direction.Scale(distance)).Length(), 4.3*sqrtU*distance)

	// The ray misses the larger spheres, which are those outside of the boxes.
	spheres := append(slices.Repeat([]Sphere{ball(vec(0, 0.05, 0), 0.01)}, large), sphere)
	check(t, "tree", newSearch(treeOf(spheres)), &r, math.MaxFloat32, distance, large)
}

// Many spheres, as many as a scene may have.
func TestSearchMany(t *testing.T) {
	if testing.Short() {
		t.Skip("not tested with -short: builds large trees")
	}
	for _, n := range []int{100_000, scene.MaxSpheres} {
		sc := scene.Cloud(n)
		tracer := New(sc)
		l, s := step13.NewHitTest(&tracer.world.Spheres), newSearch(tracer.world)
		for _, recorded := range pathRays(tracer, 300) {
			r := rayOf(&recorded)
			want, distance := l.Closest(&r, tMin, math.MaxFloat32)
			check(t, fmt.Sprintf("%d spheres", n), s, &r, math.MaxFloat32, distance, want)
		}
	}
}

// missed says whether a ray misses a sphere, in float64.
func missed(s *Sphere, r *Ray) bool {
	wide := func(v Vec3) [3]float64 { return [3]float64{float64(v.X), float64(v.Y), float64(v.Z)} }
	v, o, d := wide(s.Center), wide(r.Origin), wide(r.Direction)
	for axis := range v {
		v[axis] -= o[axis]
	}
	// The squared length of the cross product: no large numbers are subtracted.
	x, y, z := v[1]*d[2]-v[2]*d[1], v[2]*d[0]-v[0]*d[2], v[0]*d[1]-v[1]*d[0]
	return x*x+y*y+z*z > float64(s.RadiusSq)*(d[0]*d[0]+d[1]*d[1]+d[2]*d[2])
}

// Spheres and rays of any bits, as far as a scene may have them.
func FuzzSearch(f *testing.F) {
	kerneltest.Fuzz(f, func(t *testing.T, list []kerneltest.Sphere, rays []kerneltest.Ray) {
		number := func(x float32) float32 {
			if !(abs(x) <= 1e9) {
				return 1
			}
			return x
		}
		point := func(v kerneltest.Vec) Vec3 { return vec(number(v[0]), number(v[1]), number(v[2])) }
		var spheres []Sphere
		for i := range list {
			spheres = append(spheres, ball(point(list[i].Center), max(1e-6, number(list[i].Radius()))))
		}
		if len(spheres) == 0 {
			return
		}
		l, s := newLinear(spheres), newSearch(treeOf(spheres))
		for i := range rays {
			r := step13.NewRay(point(rays[i].Origin), point(rays[i].Direction))
			want, distance := l.Closest(&r, tMin, math.MaxFloat32)
			check(t, "tree", s, &r, math.MaxFloat32, distance, want)
		}
	})
}

// box is that of a child of a node.
type box struct{ lo, hi [3]float32 }

// has reports whether the box reaches as far as a sphere does along an axis.
func (b box) has(axis int, center, radius float64) bool {
	return float64(b.lo[axis]) <= center-radius && center+radius <= float64(b.hi[axis])
}

// census counts how often each sphere, node and group of a tree is met on the ways from its
// root, and holds each sphere to the boxes that it is met in.
type census struct {
	*testing.T
	tree                   *tree
	list                   []Sphere
	spheres, nodes, groups []int
}

// visit counts what is at a ref and below, in boxes.
func (c *census) visit(r ref, boxes []box) {
	if r < 0 {
		require.Zero(c, ^r%groupSize)
		c.visitGroup(int(^r/groupSize), boxes)
		return
	}
	require.Zero(c, r%nodeSize)
	require.LessOrEqual(c, len(boxes)*(lanes-1)+1, maxStack, "depth")
	c.nodes[r/nodeSize]++
	node := &c.tree.nodes[r/nodeSize]
	for k := range lanes {
		b := box{
			[3]float32{node.lo[0][k], node.lo[1][k], node.lo[2][k]},
			[3]float32{node.hi[0][k], node.hi[1][k], node.hi[2][k]},
		}
		if b.lo[0] <= b.hi[0] {
			c.visit(node.refs[k], append(boxes, b))
		}
	}
}

func (c *census) visitGroup(i int, boxes []box) {
	c.groups[i]++
	last := int32(-1)
	for k := range lanes {
		g, index := &c.tree.groups[i], c.tree.groups[i].index[k]
		if g.radiusSq[k] == -infinity {
			last = math.MaxInt32 // only padding follows
			continue
		}
		require.Less(c, last, index)
		last = index
		c.spheres[index]++
		s := c.list[index]
		require.Equal(c, s.Center, vec(g.cx[k], g.cy[k], g.cz[k]))
		require.Equal(c, s.RadiusSq, g.radiusSq[k])
		radius := math.Sqrt(float64(s.RadiusSq)) * (1 + 0x1p-17 - 0x1p-22)
		for axis, x := range []float32{s.Center.X, s.Center.Y, s.Center.Z} {
			if boxes != nil { // the large spheres are in none
				reach := float64(c.tree.reach) * (1 + 0x1p-20)
				require.LessOrEqual(c, math.Abs(float64(x))+radius, reach)
			}
			for _, b := range boxes {
				if !b.has(axis, float64(x), radius) {
					c.Fatalf("%+v sticks out of %+v", s, b)
				}
			}
		}
	}
}

// The tree has every sphere once, in its group in the order of the scene, and in
// the boxes of the group and of all nodes above. It is the same however many
// goroutines build it.
func TestTree(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 3))
	sizes := []int{1, 2, 8, 9, 20, 100, 1000, 20_000}
	if testing.Short() {
		sizes = sizes[:7]
	}
	for _, kind := range kinds {
		for _, n := range sizes {
			spheres := kind.spheres(rng, n)
			tree := treeOf(spheres).tree
			c := &census{
				t, tree, spheres, make([]int, n), make([]int, len(tree.nodes)), make([]int, len(tree.groups)),
			}
			c.visit(-1, nil) // the large spheres
			c.visit(0, nil)
			require.Equal(t, slices.Repeat([]int{1}, n), c.spheres, "how often each sphere is there")
			require.Equal(t, slices.Repeat([]int{1}, len(c.nodes)), c.nodes, "how often each node is there")
			require.NotContains(t, c.groups, 0)
			for range 3 {
				require.Equal(t, tree, treeOf(spheres).tree)
			}
		}
	}
}

// Huge memory is all there and aligned, and none reaches into another.
func TestHuge(t *testing.T) {
	for _, n := range []int{1, 1<<19 - 1, 1 << 19, 1<<20 - 1} {
		var all [8][]float32
		for i := range all {
			x := huge[float32](n)
			require.Equal(t, [2]int{n, n}, [2]int{len(x), cap(x)})
			require.Zero(t, uintptr(unsafe.Pointer(&x[0]))%mem.CacheLine)
			x[0], x[n-1], all[i] = float32(i), float32(i), x
		}
		for i, x := range all {
			require.Equal(t, [2]float32{float32(i), float32(i)}, [2]float32{x[0], x[n-1]})
		}
	}
}

// The picture of the tree of the large scene in its chapter, from above: spheres,
// groups and the nodes below the root.
func TestPicture(t *testing.T) {
	const file, scale = "../../docs/pictures/boxes.svg", 12.5
	tree := New(scene.Large()).world.tree
	var boxes, spheres strings.Builder
	for _, class := range []string{"group", "node"} {
		for at := range tree.nodes {
			n := &tree.nodes[at]
			for k, r := range n.refs {
				x, y := scale*n.lo[0][k], scale*n.lo[2][k]
				width, height := scale*(n.hi[0][k]-n.lo[0][k]), scale*(n.hi[2][k]-n.lo[2][k])
				if width > 0 && (r < 0) == (class == "group") {
					const rect = "<rect class=%q x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n"
					fmt.Fprintf(&boxes, rect, class, x, y, width, height)
				}
			}
		}
	}
	for _, s := range scene.Large().Spheres {
		if s.Radius < 100 {
			fmt.Fprintf(&spheres, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"/>\n",
				scale*s.Center[0], scale*s.Center[2], scale*s.Radius)
		}
	}
	const head = `<svg xmlns="http://www.w3.org/2000/svg" width="440" height="230" viewBox="-224 -122 440 230">
<title>Spheres and boxes of the large scene from above</title>
<style>
  .bg { fill: #fff } circle { fill: #666; fill-opacity: .35 } rect { fill: none } .group { stroke: #0072B2 } .node { stroke: #D55E00; stroke-width: 2.5 }
  @media (prefers-color-scheme: dark) { .bg { fill: #16181c } circle { fill: #bbb } .group { stroke: #56B4E9 } .node { stroke: #F0883E } }
</style>
<rect class="bg" x="-224" y="-122" width="440" height="230"/>
`
	want := head + spheres.String() + boxes.String() + "</svg>\n"
	if *update {
		require.NoError(t, os.WriteFile(file, []byte(want), 0o644))
	}
	got, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, want, string(got), "%s is stale; run go test ./beyond/tree -run TestPicture -update", file)
}

// The search visits no more than it has to. A near plane in place of a far one, a box
// too large, a reach as far as the ground, or the furthest child first would find the
// same hits, later.
func TestVisits(t *testing.T) {
	const n = 10_000
	for _, tt := range []struct {
		scene         *scene.Scene
		nodes, groups float64 // a ray
	}{
		{scene.Large(), 1.03, 0.30},
		{scene.Sphereflake(4), 2.07, 0.93},
		{scene.Cloud(n), 6.45, 6.58},
	} {
		tracer := New(tt.scene)
		rays := pathRays(tracer, n)
		for _, f := range forms {
			s := newSearch(tracer.world)
			for i := range rays {
				r := rayOf(&rays[i])
				f.closest(s, &r, tMin, math.MaxFloat32)
			}
			t.Logf("%s, %d spheres: %.3f nodes, %.3f groups a ray",
				f.name, len(tt.scene.Spheres), float64(s.nodeVisits)/n, float64(s.groupVisits)/n)
			assert.Less(t, float64(s.nodeVisits)/n, tt.nodes, "%s: nodes a ray", f.name)
			assert.Less(t, float64(s.groupVisits)/n, tt.groups, "%s: groups a ray", f.name)
		}
	}
}
