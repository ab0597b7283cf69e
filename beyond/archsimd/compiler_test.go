//go:build goexperiment.simd && amd64 && !purego

package archsimd

import (
	"runtime"
	"simd/archsimd"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Where the compiler may use AVX-512, it makes one instruction of two bitwise
// operations on signed integers. In Go 1.26 and 1.27 it takes the operands of
// AndNot for each other, so the seven chains of two in which an AndNot stands come
// out wrong; they are not tested, since another version may well mend them. The
// kernels do without AndNot in a chain. If one of the others goes wrong one day,
// this says so.
func TestBitwiseChains(t *testing.T) {
	if !has512 {
		t.Skip("not tested: the processor has no AVX-512")
	}
	// Each bit of a byte is another combination of three bits.
	var x, y, z int32 = 0x70F0F0F0, 0x4CCCCCCC, 0x2AAAAAAA
	vx, vy, vz := archsimd.BroadcastInt32x16(x), archsimd.BroadcastInt32x16(y), archsimd.BroadcastInt32x16(z)

	type vec = archsimd.Int32x16
	for _, tt := range []struct {
		name  string
		chain func(x, y, z vec) vec
		want  int32
	}{
		{"x.And(y).And(z)", func(x, y, z vec) vec { return x.And(y).And(z) }, x & y & z},
		{"x.And(y).Or(z)", func(x, y, z vec) vec { return x.And(y).Or(z) }, x&y | z},
		{"x.And(y).Xor(z)", func(x, y, z vec) vec { return x.And(y).Xor(z) }, x&y ^ z},
		{"x.Or(y).And(z)", func(x, y, z vec) vec { return x.Or(y).And(z) }, (x | y) & z},
		{"x.Or(y).Or(z)", func(x, y, z vec) vec { return x.Or(y).Or(z) }, x | y | z},
		{"x.Or(y).Xor(z)", func(x, y, z vec) vec { return x.Or(y).Xor(z) }, (x | y) ^ z},
		{"x.Xor(y).And(z)", func(x, y, z vec) vec { return x.Xor(y).And(z) }, (x ^ y) & z},
		{"x.Xor(y).Or(z)", func(x, y, z vec) vec { return x.Xor(y).Or(z) }, x ^ y | z},
		{"x.Xor(y).Xor(z)", func(x, y, z vec) vec { return x.Xor(y).Xor(z) }, x ^ y ^ z},
		{"x.AndNot(y)", func(x, y, _ vec) vec { return x.AndNot(y) }, x &^ y},
	} {
		t.Run(tt.name, func(t *testing.T) {
			right := tt.chain(vx, vy, vz).Equal(archsimd.BroadcastInt32x16(tt.want)).ToBits() == 0xFFFF
			assert.True(t, right, "compiled wrongly by %s", runtime.Version())
		})
	}
}
