//go:build !purego

package tree

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"raysteps/common/scene"
	"raysteps/common/steptest"
)

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
