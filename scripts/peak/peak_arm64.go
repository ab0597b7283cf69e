//go:build !purego

package peak

// As many chains as there are registers for.
const chains128, chainsMulAdd128 = 24, 24

// assembly returns the kernel for an operation, or why there is none.
func assembly(op string, bits int) (run kernel, missing string) {
	if bits != 128 {
		return nil, "NEON registers have 128 bits"
	}
	return map[string]kernel{"add": addNEON, "mul-add": mulAddNEON, "fma": fmaNEON, "load": loadNEON}[op], ""
}

//go:noescape
func addNEON(n int, in *input, out *[16]float32)

//go:noescape
func mulAddNEON(n int, in *input, out *[16]float32)

//go:noescape
func fmaNEON(n int, in *input, out *[16]float32)

//go:noescape
func loadNEON(n int, in *input, out *[16]float32)
