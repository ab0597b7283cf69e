package step04

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"raysteps/common/mem"
	"raysteps/common/scene"
	"raysteps/common/steptest"
)

// The experiments of the chapter. They run with
//
//	go test -run '^$' -bench 'Layout|Latency' ./step04

// experimentScene is the large scene, cut or repeated further down, with n
// spheres.
func experimentScene(n int) *scene.Scene {
	s := scene.Large()
	large := s.Spheres
	s.Spheres = nil
	for i := range n {
		sphere := large[i%len(large)]
		sphere.Center[1] -= 3 * float32(i/len(large))
		s.Spheres = append(s.Spheres, sphere)
	}
	return s
}

// pointerWorld is the world of the step before.
type pointerWorld []*Sphere

func (w pointerWorld) Hit(r *Ray, tMin, tMax float32, rec *HitRecord) bool {
	hit := false
	for _, sphere := range w {
		if sphere.Hit(r, tMin, tMax, rec) {
			hit = true
			tMax = rec.T
		}
	}
	return hit
}

// layouts are searches of a world of n spheres in three orders in memory: one array,
// pointers to spheres that were allocated one by one, and pointers to spheres that are
// anywhere in four times the memory. Each world is built once, because benchmarks that
// take turns are called for every slice.
func layouts(n int) []steptest.Loop[Ray, HitRecord] {
	if layoutsOf[n] == nil {
		array := New(experimentScene(n)).world
		var pointers, scattered pointerWorld
		for _, s := range array.Spheres {
			pointers = append(pointers, &s)
		}
		room := make([]Sphere, 4*n)
		for i, place := range rand.New(rand.NewPCG(1, 2)).Perm(len(room))[:n] {
			room[place] = array.Spheres[i]
			scattered = append(scattered, &room[place])
		}
		layoutsOf[n] = []steptest.Loop[Ray, HitRecord]{
			{Name: "array", Hit: array.Hit}, {Name: "pointers", Hit: pointers.Hit}, {Name: "scattered", Hit: scattered.Hit},
		}
	}
	return layoutsOf[n]
}

var layoutsOf = map[int][]steptest.Loop[Ray, HitRecord]{}

// rays returns camera rays through random points of the large scene, one by one.
func rays() (next func() Ray) {
	camera, rng := NewCamera(&scene.Large().Camera, 16./9), seed
	return func() Ray { return camera.Ray(rng.Float32(), rng.Float32(), &rng) }
}

// BenchmarkLayout finds the closest sphere of scenes of several sizes; an operation is a
// ray. The caches are warm, by rays that are not timed, or cold, as a program leaves them
// that works on other data between two rays.
func BenchmarkLayout(b *testing.B) {
	next, ray, rec := rays(), new(Ray), new(HitRecord)
	for _, n := range []int{484, 5_000, 20_000, 100_000} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			for _, layout := range layouts(n) {
				search := func() {
					*ray = next()
					layout.Hit(ray, tMin, math.MaxFloat32, rec)
				}
				for _, caches := range []string{"warm", "cold"} {
					b.Run("layout="+layout.Name+"/caches="+caches, func(b *testing.B) {
						const least = 200 * time.Microsecond
						for i, start := 0, time.Now(); i < 5 || time.Since(start) < least; i++ {
							search()
						}
						cold := time.Duration(0)
						for b.Loop() {
							if caches == "warm" {
								search()
								continue
							}
							readOtherData()
							start := time.Now()
							search()
							cold += time.Since(start)
						}
						perRay := float64(cmp.Or(cold, b.Elapsed()).Nanoseconds()) / float64(b.N)
						b.ReportMetric(perRay, "ns/op") // without the reading, for which StopTimer would have no end
						b.ReportMetric(perRay/float64(n), "ns/sphere")
					})
				}
			}
		})
	}
}

// otherData is more than the last cache holds.
var otherData []byte

// readOtherData leaves it in the caches, in place of what they had.
func readOtherData() (sum byte) {
	if otherData == nil {
		otherData = bytes.Repeat([]byte{1}, 48<<20)
	}
	for i := 0; i < len(otherData); i += 64 {
		sum += otherData[i]
	}
	return sum
}

func TestLayout(t *testing.T) { steptest.SameHits(t, rays, layouts(1000)) }

// line is what a cache moves.
type line [16]int32

// walk goes from line to line, each of which says where the next is, so that a load waits for
// the one before. It returns where it is after so many steps.
func walk(lines []line, at int32, steps int) int32 {
	for range steps {
		at = lines[at][0]
	}
	return at
}

// rings are made once, since benchmarks that take turns are called for every slice.
var rings = map[[2]int][]line{}

// ring makes lines that lead to each other in random order, so many in so many pages of 64: all
// that these hold if they hold no more, and otherwise lines in places of the pages by turns, so
// that a cache has room for them.
func ring(lines, pages int) (all []line) {
	if all = rings[[2]int{lines, pages}]; all != nil {
		return all
	}
	all = mem.Aligned[line](64*pages, 4096)
	places := rand.New(rand.NewPCG(uint64(lines), uint64(pages))).Perm(lines)
	place := func(i int) int32 {
		page := i * pages / lines
		return int32(64*page + i%64)
	}
	for i, at := range places {
		all[place(at)][0] = place(places[(i+1)%lines])
	}
	rings[[2]int{lines, pages}] = all
	return all
}

// memories are how far a load goes: lines that a first, second or last cache holds, or none,
// with pages whose addresses the first table of these holds, or does not.
var memories = []struct {
	lines, pages int
	caches       string
}{
	{242, 4, "warm"}, {242, 242, "warm"}, {4096, 64, "warm"}, {1 << 15, 1 << 9, "warm"}, {1 << 21, 1 << 15, "warm"},
	{242, 4, "cold"}, {242, 15, "cold"}, {242, 242, "cold"},
}

// BenchmarkLatency follows a ring of lines, of which 242 hold as many bytes as the spheres. Caches
// are warm or cold as in Layout. An operation is 242 loads, each of which waits for the one before;
// what is said of a load is of the fastest operation, since others are interrupted.
func BenchmarkLatency(b *testing.B) {
	for _, m := range memories {
		b.Run(fmt.Sprintf("lines=%d/pages=%d/caches=%s", m.lines, m.pages, m.caches), func(b *testing.B) {
			lines, at, steps := ring(m.lines, m.pages), int32(0), 242
			all, fastest := time.Duration(0), time.Duration(math.MaxInt64)
			if m.caches == "warm" {
				at = walk(lines, at, min(2*m.lines, 1<<15)) // or until what no cache holds has passed
			}
			for b.Loop() {
				if m.caches == "cold" {
					readOtherData()
				}
				start := time.Now()
				at = walk(lines, at, steps)
				took := time.Since(start)
				all, fastest = all+took, min(fastest, took)
			}
			b.ReportMetric(float64(all.Nanoseconds())/float64(b.N), "ns/op")
			b.ReportMetric(float64(fastest.Nanoseconds())/float64(steps), "ns/load")
		})
	}
}

// A ring passes each of its lines once, in so many pages.
func TestRing(t *testing.T) {
	for _, m := range [][2]int{{242, 4}, {242, 15}, {242, 242}, {4096, 64}} {
		lines, at := ring(m[0], m[1]), int32(0)
		passed, pages := map[int32]bool{}, map[int32]bool{}
		for range m[0] {
			passed[at], pages[at/64] = true, true
			at = walk(lines, at, 1)
		}
		require.Len(t, passed, m[0], m)
		require.Len(t, pages, m[1], m)
		require.Zero(t, at, m)
	}
}
