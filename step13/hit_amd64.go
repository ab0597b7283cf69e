//go:build !purego

package step13

import "golang.org/x/sys/cpu"

const kernel = "avx2"

var hasKernel = cpu.X86.HasAVX2 && cpu.X86.HasFMA

// closest is closestGeneric, eight spheres at a time if the processor can. The
// assembly looks at hasKernel: with a second call in it, this function would not
// be inlined.
//
// The race detector does not see what the assembly reads and writes, and the
// scheduler cannot stop it: a million spheres hold up a garbage collection for
// half a millisecond.
func (p *firstPass) closest(r *Ray, tMin, tMax float32) (closest int, t float32) {
	return closestAVX2(p, r, tMin, tMax)
}

//go:noescape
func closestAVX2(p *firstPass, r *Ray, tMin, tMax float32) (closest int, t float32)

// draw is drawGeneric, eight runs of points at a time if the processor can: each
// starts where the one before ends.
func (r *RNG) draw() {
	if !hasKernel {
		r.drawGeneric()
		return
	}
	var starts [3][8]uint32
	for i := range 8 {
		starts[0][i], starts[1][i], starts[2][i] = r.x, r.y, r.z
		r.x, r.y, r.z = jump(r.x), jump(r.y), jump(r.z)
	}
	drawAVX2(r, &starts)
}

//go:noescape
func drawAVX2(r *RNG, starts *[3][8]uint32)

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
			for range ahead / 8 {
				x = xorshift(x)
			}
			jumps[i][b] = x
		}
	}
	return jumps
}()
