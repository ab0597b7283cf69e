//go:build goexperiment.simd && !purego

package archsimd

import "simd/archsimd"

// draw is drawGeneric, four runs of points at a time: each starts where the one before
// ends, since within a run each number waits for the one before.
func (r *RNG) draw() {
	if len(kernels) == 1 {
		r.drawGeneric()
		return
	}
	var starts [3][4]uint32
	for i := range 4 {
		starts[0][i], starts[1][i], starts[2][i] = r.x, r.y, r.z
		r.x, r.y, r.z = jump(r.x), jump(r.y), jump(r.z)
	}
	x, y, z := loadInts4(starts[0][:]), loadInts4(starts[1][:]), loadInts4(starts[2][:])
	var inside archsimd.Uint32x4
	one, sign := archsimd.BroadcastFloat32x4(1), archsimd.BroadcastUint32x4(1<<31)
	for i := 0; i < ahead; i += 4 {
		x, y, z = xorshift4(x), xorshift4(y), xorshift4(z)
		px, py, pz := symmetric4(x), symmetric4(y), symmetric4(z)
		store4(px, r.px[i:i+4])
		store4(py, r.py[i:i+4])
		store4(pz, r.pz[i:i+4])
		// The sign bit is set for a point in the ball. It becomes the highest of its
		// run, and those before it move down.
		outside := px.Mul(px).Add(py.Mul(py)).Add(pz.Mul(pz)).Sub(one)
		inside = inside.ShiftAllRight(1).Or(outside.AsUint32x4().And(sign))
	}
	var runs [4]uint32
	storeInts4(inside, runs[:])
	r.next, r.inside = 0, 0
	for i, run := range runs {
		r.inside |= uint64(run>>16) << (16 * i)
	}
}

// xorshift4 is xorshift of four numbers.
func xorshift4(x archsimd.Uint32x4) archsimd.Uint32x4 {
	x = x.Xor(x.ShiftAllLeft(13))
	x = x.Xor(x.ShiftAllRight(17))
	return x.Xor(x.ShiftAllLeft(15))
}

// symmetric4 is symmetric of four numbers. The quotient is exact, so it may be a product.
func symmetric4(x archsimd.Uint32x4) archsimd.Float32x4 {
	bits := x.And(archsimd.BroadcastUint32x4(0xFFFFFF)).AsInt32x4()
	return bits.ConvertToFloat32().Mul(archsimd.BroadcastFloat32x4(1.0 / (1 << 23))).Sub(archsimd.BroadcastFloat32x4(1))
}

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
