//go:build !purego

package kerneltest

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"golang.org/x/sys/cpu"
)

// A missing VZEROUPPER is noticed.
func TestLeavesUppers(t *testing.T) {
	if !cpu.X86.HasAVX2 {
		t.Skip("not tested: this processor has no AVX2")
	}
	assert.False(t, LeavesUppers(CleanUppers))
	assert.True(t, LeavesUppers(DirtyUppers))
	assert.False(t, LeavesUppers(func() {}), "clean again")
}
