//go:build !purego

package peak

// assembly returns the loops of NEON registers, with as many chains as there are
// registers for.
func assembly() []loop {
	return []loop{{"mul-add", 128, 24 * 4, mulAddNEON, ""}, {"fma", 128, 24 * 4 * 2, fmaNEON, ""}}
}

//go:noescape
func mulAddNEON(n int, in *input, out *[16]float32)

//go:noescape
func fmaNEON(n int, in *input, out *[16]float32)
