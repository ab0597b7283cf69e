package archsimd

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"raysteps/common/scene"
	"raysteps/common/steptest"
)

// form is what computes the first pass, by what it takes the processor for.
type form struct {
	name                      string
	bits128, bits256, bits512 bool
	portable                  bool
}

var forms = []form{
	{name: "plain"},
	{name: "archsimd128", bits128: true},
	{name: "archsimd256", bits256: true},
	{name: "archsimd512", bits256: true, bits512: true},
	{name: "portable", portable: true},
}

// choose makes tracers take this form, until the function is called that it
// returns. If the form cannot run here, it skips.
func (f form) choose(tb testing.TB) (restore func()) {
	before128, before256, before512 := has128, has256, has512
	if f.bits128 && !before128 || f.bits256 && !before256 || f.bits512 && !before512 || f.portable && !hasPortable() {
		tb.Skip("not tested: this build or this processor cannot run it")
	}
	has128, has256, has512, portable = f.bits128, f.bits256, f.bits512, f.portable
	return func() { has128, has256, has512, portable = before128, before256, before512, false }
}

// Whatever computes the first pass, the pictures of the scenes are the step's.
func TestForms(t *testing.T) {
	best := New(scene.Small()).Kernel()
	for _, f := range forms {
		t.Run(f.name, func(t *testing.T) {
			defer f.choose(t)()
			assert.True(t, strings.HasPrefix(New(scene.Small()).Kernel(), f.name))
			if f.name != best { // TestStep has tested the best one
				steptest.Scenes(t, New)
			}
		})
	}
}
