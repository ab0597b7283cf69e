//go:build !purego

package experiments

// Each replaces a number by its square, and takes n iterations for it, at least one: eight
// multiplications by SSE's instructions or AVX's in each, or one instruction of AVX and then
// eight multiplications by SSE's, or sixteen. Meanwhile the upper half of a register that they
// do not touch is in use or not.

func sse(n int, x *float32, inUse bool)
func avx(n int, x *float32, inUse bool)
func mixed(n int, x *float32, inUse bool)
func mixedLong(n int, x *float32, inUse bool)
