//go:build !purego

package peak

import "golang.org/x/sys/cpu"

// assembly returns the loops of this processor.
func assembly() []loop {
	without := func(has bool, what string) string {
		if has {
			return ""
		}
		return "the processor lacks " + what + ", or GODEBUG masks it"
	}
	return []loop{
		{"mul-add", 128, chainsMulAdd * 4, mulAddSSE, ""},
		{"fma", 256, chains * 8 * 2, fma256, without(cpu.X86.HasAVX2 && cpu.X86.HasFMA, "AVX2 or FMA")},
		{"fma", 512, chains * 16 * 2, fma512, without(cpu.X86.HasAVX512F, "AVX-512")},
	}
}

//go:noescape
func mulAddSSE(n int, in *input, out *[16]float32)

//go:noescape
func fma256(n int, in *input, out *[16]float32)

//go:noescape
func fma512(n int, in *input, out *[16]float32)
