package steps

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Whatever is written is read as the same, and found by the pattern of its step alone.
func TestSliceName(t *testing.T) {
	for _, step := range All() {
		for _, n := range []SliceName{
			{"Render", step, "", "scene=large", ""},
			{"Full", step, "plain", "scene=small", "-16"},
			{"Sizes", step, "", "cloud=10", ""},
		} {
			read, ok := ParseSliceName(n.String())
			assert.True(t, ok, n.String())
			assert.Equal(t, n, read)
			for _, other := range All() {
				first, second, _ := strings.Cut(SlicePattern(n.Function, []Step{other}), "/")
				assert.Regexp(t, first, "Benchmark"+n.Function)
				matched := regexp.MustCompile(second).MatchString(n.Element())
				assert.Equal(t, step == other, matched, "%s by the pattern of %s", n, other.Title())
			}
		}
	}
}

func TestSliceNameOfOthers(t *testing.T) {
	for _, text := range []string{
		"", "HitLoop", "Render/scene=large", "Render/step=4", "Render/step=99/scene=large", "Render/step=/scene=large",
		"Kernel/kernel=sse/n=484", "a b/step=4/scene=large", "Render/step=4/scene=large/n=1",
	} {
		_, ok := ParseSliceName(text)
		assert.False(t, ok, text)
	}
}
