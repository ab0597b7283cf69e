package avx512

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"raysteps/common/scene"
	"raysteps/common/steptest"
)

// form is what computes the first pass, by what it takes the processor for.
type form struct {
	name             string
	bits256, bits512 bool
}

var forms = []form{{"plain", false, false}, {"avx2", true, false}, {"avx512", true, true}}

// choose makes tracers take this form, until the function is called that it
// returns. If the form cannot run here, it skips.
func (f form) choose(tb testing.TB) (restore func()) {
	before256, before512 := hasAVX2, hasAVX512
	if f.bits256 && !before256 || f.bits512 && !before512 {
		tb.Skip("not tested: this build or this processor cannot run it")
	}
	hasAVX2, hasAVX512 = f.bits256, f.bits512
	return func() { hasAVX2, hasAVX512 = before256, before512 }
}

// Whatever computes the first pass, the pictures of the scenes are the step's.
func TestForms(t *testing.T) {
	best := New(scene.Small()).Kernel()
	for _, f := range forms {
		t.Run(f.name, func(t *testing.T) {
			defer f.choose(t)()
			assert.Equal(t, f.name, New(scene.Small()).Kernel())
			if f.name != best { // TestStep has tested the best one
				steptest.Scenes(t, New)
			}
		})
	}
}
