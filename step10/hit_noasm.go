//go:build !amd64 || purego

package step10

const (
	kernel    = "assembly"
	hasKernel = false
)

func (p *firstPass) runKernel(r *Ray) int { panic("this build has no assembly") }
