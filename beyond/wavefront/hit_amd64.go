//go:build goexperiment.simd && !purego

package wavefront

import (
	"math/bits"
	"simd/archsimd"
	"unsafe"

	"golang.org/x/sys/cpu"
)

func init() {
	if !cpu.X86.HasAVX2 || !cpu.X86.HasFMA || !cpu.X86.HasPOPCNT {
		return
	}
	if archsimd.X86.AVX512() {
		vector = append(vector, form{
			name: "avx512", draw: drawLanes, aim: aimAVX512, cull: cullLanes, hit: hitAVX512,
			part: partAVX512, collect: collect, scatter: scatterAVX512,
		})
	}
	vector = append(vector, form{
		name: "avx2", draw: drawLanes, aim: aimAVX2, cull: cullLanes, hit: hitAVX2, nests: true,
		part: partAVX2, collect: collect, scatter: scatterAVX2,
	})
}

func hitAVX512(s *search, f *front) {
	s.hit(f, 4, acrossAVX512, ballsAVX512, sieveAVX512, pairsAVX512, solveAVX512)
}

// nestedAVX2 asks about balls of balls before it asks about these.
func nestedAVX2(s *search, c *columns, groups int) {
	ballsAVX2(s.balls, c, groups)
	nestAVX2(s, c, groups)
}

func hitAVX2(s *search, f *front) {
	balls := kernel(ballsAVX2)
	if s.balls != nil && s.balls.balls != nil {
		balls = nestedAVX2
	}
	s.hit(f, 3, acrossAVX2, balls, sieveAVX2, pairsAVX2, solveAVX2)
}

// kernel is a pass over groups of rays, which begin at some columns.
type kernel func(s *search, c *columns, groups int)

// hit is hitPlain in passes, each of which goes over some groups of 1<<shift rays.
func (s *search) hit(f *front, shift uint, across, balls, sieve, pairs, solve kernel) {
	lanes, scattered := 1<<shift, s.scattered(f)
	for i := 0; i < scattered; i += s.groups * lanes {
		c, groups := at[columns](f, i), min(s.groups, (scattered-i+lanes-1)>>shift)
		if !s.all {
			across(s, c, groups)
			if s.balls != nil {
				balls(s.balls, c, groups)
				s.fromCounts = s.balls.counts
			}
			sieve(s, c, groups)
			if s.balls != nil {
				pairs(s, c, groups)
			}
		}
		solve(s, c, groups)
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

//go:noescape
func acrossAVX512(s *search, c *columns, groups int)

//go:noescape
func acrossAVX2(s *search, c *columns, groups int)

//go:noescape
func ballsAVX512(s *search, c *columns, groups int)

//go:noescape
func pairsAVX512(s *search, c *columns, groups int)

//go:noescape
func pairsAVX2(s *search, c *columns, groups int)

//go:noescape
func nestAVX2(s *search, c *columns, groups int)

//go:noescape
func ballsAVX2(s *search, c *columns, groups int)

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
