//go:build !purego

package tree

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"raysteps/common/kerneltest"
	"raysteps/common/scene"
	"raysteps/common/steptest"
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
	tracer := New(scene.Cloud(1000))
	s, rays := newSearch(tracer.world), pathRays(tracer, 100)
	for _, f := range forms {
		for i := range rays {
			assert.False(t, kerneltest.LeavesUppers(func() { f.closest(s, &rays[i], tMin, 100) }), "%s leaves the upper halves of registers dirty; want VZEROUPPER at its end", f.name)
		}
	}
}

// On a processor without AVX2 the tree has another form, and the picture is the
// same.
func TestPlain(t *testing.T) {
	if !hasKernel {
		t.Skip("TestStep has tested it")
	}
	hasKernel = false
	defer func() { hasKernel = true }()
	tracer := New(scene.Large())
	assert.Equal(t, "plain", tracer.Kernel())
	steptest.Run(t, New)
}
