//go:build !purego

package peak

import "golang.org/x/sys/cpu"

const chains128, chainsMulAdd128 = chains, chainsMulAdd

// assembly returns the kernel for an operation, or why there is none.
func assembly(op string, bits int) (run kernel, missing string) {
	if (bits == 256 || op == "fma") && !(cpu.X86.HasAVX2 && cpu.X86.HasFMA) {
		return nil, "the processor lacks AVX2 or FMA, or GODEBUG masks them"
	}
	if bits == 512 && !cpu.X86.HasAVX512F {
		return nil, "the processor lacks AVX-512, or GODEBUG masks it"
	}
	return map[string]map[int]kernel{
		"add":     {128: addSSE},
		"mul-add": {128: mulAddSSE, 512: mulAdd512},
		"fma":     {128: fma128, 256: fma256, 512: fma512},
		"load":    {128: loadSSE, 256: loadAVX, 512: load512},
	}[op][bits], ""
}

//go:noescape
func addSSE(n int, in *input, out *[16]float32)

//go:noescape
func mulAddSSE(n int, in *input, out *[16]float32)

//go:noescape
func fma128(n int, in *input, out *[16]float32)

//go:noescape
func fma256(n int, in *input, out *[16]float32)

//go:noescape
func mulAdd512(n int, in *input, out *[16]float32)

//go:noescape
func fma512(n int, in *input, out *[16]float32)

//go:noescape
func loadSSE(n int, in *input, out *[16]float32)

//go:noescape
func loadAVX(n int, in *input, out *[16]float32)

//go:noescape
func load512(n int, in *input, out *[16]float32)
