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
// AndNot for each other there. The kernels do without AndNot; if another chain
// goes wrong one day, this says so.
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
		wrong bool // as far as known
	}{
		{"x.And(y).And(z)", func(x, y, z vec) vec { return x.And(y).And(z) }, x & y & z, false},
		{"x.And(y).Or(z)", func(x, y, z vec) vec { return x.And(y).Or(z) }, x&y | z, false},
		{"x.And(y).Xor(z)", func(x, y, z vec) vec { return x.And(y).Xor(z) }, x&y ^ z, false},
		{"x.And(y).AndNot(z)", func(x, y, z vec) vec { return x.And(y).AndNot(z) }, x & y &^ z, true},
		{"x.Or(y).And(z)", func(x, y, z vec) vec { return x.Or(y).And(z) }, (x | y) & z, false},
		{"x.Or(y).Or(z)", func(x, y, z vec) vec { return x.Or(y).Or(z) }, x | y | z, false},
		{"x.Or(y).Xor(z)", func(x, y, z vec) vec { return x.Or(y).Xor(z) }, (x | y) ^ z, false},
		{"x.Or(y).AndNot(z)", func(x, y, z vec) vec { return x.Or(y).AndNot(z) }, (x | y) &^ z, true},
		{"x.Xor(y).And(z)", func(x, y, z vec) vec { return x.Xor(y).And(z) }, (x ^ y) & z, false},
		{"x.Xor(y).Or(z)", func(x, y, z vec) vec { return x.Xor(y).Or(z) }, x ^ y | z, false},
		{"x.Xor(y).Xor(z)", func(x, y, z vec) vec { return x.Xor(y).Xor(z) }, x ^ y ^ z, false},
		{"x.Xor(y).AndNot(z)", func(x, y, z vec) vec { return x.Xor(y).AndNot(z) }, (x ^ y) &^ z, true},
		{"x.AndNot(y)", func(x, y, _ vec) vec { return x.AndNot(y) }, x &^ y, false},
		{"x.AndNot(y).And(z)", func(x, y, z vec) vec { return x.AndNot(y).And(z) }, x &^ y & z, true},
		{"x.AndNot(y).Or(z)", func(x, y, z vec) vec { return x.AndNot(y).Or(z) }, x&^y | z, true},
		{"x.AndNot(y).Xor(z)", func(x, y, z vec) vec { return x.AndNot(y).Xor(z) }, x&^y ^ z, true},
		{"x.AndNot(y).AndNot(z)", func(x, y, z vec) vec { return x.AndNot(y).AndNot(z) }, x &^ y &^ z, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			right := tt.chain(vx, vy, vz).Equal(archsimd.BroadcastInt32x16(tt.want)).ToBits() == 0xFFFF
			switch {
			case !tt.wrong:
				assert.True(t, right, "compiled wrongly by %s", runtime.Version())
			case right:
				t.Logf("compiled correctly by %s; earlier versions did not", runtime.Version())
			default:
				t.Skipf("compiled wrongly by %s, as is known", runtime.Version())
			}
		})
	}
}
