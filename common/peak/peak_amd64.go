//go:build !purego

package peak

import "golang.org/x/sys/cpu"

// assembly returns the kernel for an operation, or why there is none.
func assembly(op string, bits int) (run kernel, missing string) {
	if (bits == 256 || op == "fma") && !(cpu.X86.HasAVX2 && cpu.X86.HasFMA) {
		return nil, "the processor lacks AVX2 or FMA, or GODEBUG masks them"
	}
	return map[string]map[int]kernel{
		"add":     {128: addSSE, 256: addAVX},
		"mul-add": {128: mulAddSSE},
		"fma":     {128: fma128, 256: fma256},
		"load":    {128: loadSSE, 256: loadAVX},
	}[op][bits], ""
}

//go:noescape
func addSSE(n int, in *input, out *[8]float32)

//go:noescape
func mulAddSSE(n int, in *input, out *[8]float32)

//go:noescape
func fma128(n int, in *input, out *[8]float32)

//go:noescape
func addAVX(n int, in *input, out *[8]float32)

//go:noescape
func fma256(n int, in *input, out *[8]float32)

//go:noescape
func loadSSE(n int, in *input, out *[8]float32)

//go:noescape
func loadAVX(n int, in *input, out *[8]float32)
