//go:build !purego

package avx512

import "golang.org/x/sys/cpu"

// What the processor can do. Of the parts of AVX-512 only the foundation is
// used.
var (
	hasAVX2   = cpu.X86.HasAVX2 && cpu.X86.HasFMA
	hasAVX512 = hasAVX2 && cpu.X86.HasAVX512F
)

// The race detector does not see what the kernels read and write, and the
// scheduler cannot stop them: a million spheres hold up a garbage collection.

//go:noescape
func closestAVX512(p *firstPass, r *Ray, tMin, tMax float32) (closest int, t float32)

//go:noescape
func closestAVX2(p *firstPass, r *Ray, tMin, tMax float32) (closest int, t float32)

// draw is drawGeneric, four runs of points at a time: each starts where the one
// before ends. Every amd64 processor has the SSE2 instructions that it takes.
func (r *RNG) draw() {
	var starts [3][4]uint32
	for i := range 4 {
		starts[0][i], starts[1][i], starts[2][i] = r.x, r.y, r.z
		r.x, r.y, r.z = jump(r.x), jump(r.y), jump(r.z)
	}
	drawSSE(r, &starts)
}

//go:noescape
func drawSSE(r *RNG, starts *[3][4]uint32)

// jump returns the state of a generator a run ahead. Every bit of a
// state is the exclusive or of bits of the one before, so a state can be taken
// apart: what becomes of each of its bytes is looked up.
func jump(x uint32) uint32 {
	return jumps[0][x&0xFF] ^ jumps[1][x>>8&0xFF] ^ jumps[2][x>>16&0xFF] ^ jumps[3][x>>24]
}

var jumps = func() (jumps [4][256]uint32) {
	for i := range jumps {
		for b := range jumps[i] {
			x := uint32(b) << (8 * i)
			for range ahead / 4 {
				x = xorshift(x)
			}
			jumps[i][b] = x
		}
	}
	return jumps
}()
