package avx512

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"raysteps/common/scene"
	"raysteps/common/steptest"
)

// Whatever the processor makes of the first pass, the picture is the step's.
func TestForms(t *testing.T) {
	best := New(scene.Small()).Kernel()
	forEach(t, func(t *testing.T, impl implementation) {
		defer choose(impl.name)()
		want := impl.name
		if want == "generic" {
			want = "plain"
		}
		assert.Equal(t, want, New(scene.Small()).Kernel())
		if want != best { // TestStep has tested the best one
			steptest.Run(t, New)
		}
	})
}
