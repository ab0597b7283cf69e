//go:build !amd64 || purego

package avx512

// Variables and not constants, since a test of all forms sets them.
var hasAVX512, hasAVX2 = false, false

func runAVX512(p *firstPass, r *Ray) { panic("this build has no assembly") }
func runAVX2(p *firstPass, r *Ray)   { panic("this build has no assembly") }
