//go:build goexperiment.simd && !purego

package wavefront

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"

	"golang.org/x/sys/cpu"
)

func init() {
	if !cpu.X86.HasAVX2 || !cpu.X86.HasFMA {
		return
	}
	if archsimd.X86.AVX512() {
		vector = append(vector, form{name: "avx512", draw: drawLanes, aim: aimAVX512, cull: cullLanes, lanes: 16, hit: hitAVX512, part: partAVX512, collect: collect, scatter: scatterAVX512})
	}
	vector = append(vector, form{name: "avx2", draw: drawLanes, aim: aimAVX2, cull: cullLanes, lanes: 8, hit: hitAVX2, part: partAVX2, collect: collect, scatter: scatterAVX2})
}

func hitAVX512(s *search, f *front) { s.hit(f, 4, cullBeamAVX512, sieveAVX512, solveAVX512) }
func hitAVX2(s *search, f *front)   { s.hit(f, 3, cullBeamAVX2, sieveAVX2, solveAVX2) }

// hit is hitPlain in passes, each of which goes over some groups of 1<<shift rays.
func (s *search) hit(f *front, shift uint, cull func(b *beam, blocks *float32, n int, list *uint32) int, sieve, solve func(s *search, c *columns, groups int)) {
	lanes, scattered := 1<<shift, s.scattered(f)
	rays := f
	if s.beams != nil {
		cellsLanes(f, scattered)
		s.beams.sort(f, scattered)
		rays = s.beams.sorted
	}
	for i := 0; i < scattered; i += searchGroups * lanes {
		c, groups := at[columns](rays, i), min(searchGroups, (scattered-i+lanes-1)>>shift)
		if s.beams != nil {
			s.shine(c, groups, lanes, cull)
		}
		if !s.all {
			sieve(s, c, groups)
		}
		solve(s, c, groups)
	}
	if s.beams != nil {
		s.beams.unsort(f, scattered)
	}
	// The last group of what comes before reaches into a bundle, so they are in the
	// order of their rays.
	for i := range s.bundles {
		b := &s.bundles[i]
		n := cullLanes(b.lens, b, s.shared.candidates)
		for j := range s.shared.counts {
			s.shared.counts[j] = n
		}
		for j := 0; j < b.n; j += searchGroups * lanes {
			solve(s.shared, at[columns](f, b.first+j), min(searchGroups, (b.n-j+lanes-1)>>shift))
		}
	}
}

// shine makes the lists that the sieve reads: of the spheres in the beam of sixteen
// rays each.
func (s *search) shine(c *columns, groups, lanes int, cull func(b *beam, blocks *float32, n int, list *uint32) int) {
	b := s.beams
	room, list, n := len(s.cx)+group, 0, 0
	for i := range groups {
		if i*lanes%group == 0 {
			list = i * room
			beamLanes(b.beam, after(c, i*lanes))
			n = cull(b.beam, &b.blocks[0], b.n, &s.from[list])
		}
		s.fromAt[i], s.fromCounts[i] = list*4, n
	}
}

// cullBeamAVX512 and cullBeamAVX2 put the numbers of the spheres into a list that a
// beam may hit: of n spheres, in blocks as balls has them. There must be room for
// all and a group more.

//go:noescape
func cullBeamAVX512(b *beam, blocks *float32, n int, list *uint32) int

//go:noescape
func cullBeamAVX2(b *beam, blocks *float32, n int, list *uint32) int

//go:noescape
func sieveAVX512(s *search, c *columns, groups int)

//go:noescape
func solveAVX512(s *search, c *columns, groups int)

//go:noescape
func sieveAVX2(s *search, c *columns, groups int)

//go:noescape
func solveAVX2(s *search, c *columns, groups int)

// after returns the columns that begin n rays later, so that a group of lanes is
// always at the same distance from a pointer. That takes fewer instructions, and
// there is nothing to check: the ray must be one of the front, or the next.
func after[C any](c *C, n int) *C { return (*C)(unsafe.Add(unsafe.Pointer(c), n*4)) }

// at returns the columns of a front that begin at a ray.
func at[C any](f *front, i int) *C { return (*C)(unsafe.Pointer(after(&f.columns, i))) }

// picks has the numbers of the lanes for each set of eight lanes.
var picks = func() (p [256][8]uint32) {
	for lanes := range p {
		n := 0
		for rest := uint(lanes); rest != 0; rest &= rest - 1 {
			p[lanes][n] = uint32(bits.TrailingZeros(rest))
			n++
		}
	}
	return p
}()
