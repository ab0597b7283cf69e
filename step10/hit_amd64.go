//go:build !purego

package step10

// The kernel takes SSE2 instructions, which every amd64 processor has.
const (
	kernel    = "sse"
	hasKernel = true
)

func (p *firstPass) runKernel(r *Ray) int { return runSSE(p, r) }

//go:noescape
func runSSE(p *firstPass, r *Ray) int
