//go:build !amd64 || purego

package tree

const (
	kernel    = "assembly"
	hasKernel = false
)

func (p *firstPass) runKernel(r *Ray) { panic("this build has no assembly") }

func (r *RNG) draw() { r.drawGeneric() }
