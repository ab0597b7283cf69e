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
	if hasAVX2 {
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
			r := rayOf(&rays[i])
			assert.False(t, kerneltest.LeavesUppers(func() { f.closest(s, &r, tMin, 100) }), "%s leaves the upper halves of registers dirty; want VZEROUPPER at its end", f.name)
		}
	}
}

// A processor without AVX2 walks in plain Go, and the picture is the same.
func TestPlain(t *testing.T) {
	if !hasAVX2 {
		t.Skip("TestStep has tested it")
	}
	hasAVX2 = false
	defer func() { hasAVX2 = true }()
	steptest.Scenes(t, New)
}
