//go:build !purego

package tree

import "golang.org/x/sys/cpu"

const kernel = "avx2"

var hasKernel = cpu.X86.HasAVX2 && cpu.X86.HasFMA

func (p *firstPass) runKernel(r *Ray) { runAVX2(p, r) }

//go:noescape
func runAVX2(p *firstPass, r *Ray)
