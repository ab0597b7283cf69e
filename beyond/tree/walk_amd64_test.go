//go:build !purego

package tree

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"raysteps/common/kerneltest"
)

func init() {
	if hasKernel {
		forms = append(forms, form{"avx2", walkAVX2})
	}
	if hasAVX512 {
		forms = append(forms, form{"avx512", walkAVX512})
	}
}

func TestUppers(t *testing.T) {
	tracer := New(cloud(1000))
	s, rays := newSearch(tracer.world), pathRays(tracer, 100)
	for _, f := range forms {
		for i := range rays {
			assert.False(t, kerneltest.LeavesUppers(func() { f.closest(s, &rays[i], tMin, 100) }), "%s leaves the upper halves of registers dirty; want VZEROUPPER at its end", f.name)
		}
	}
}
