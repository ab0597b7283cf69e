package step06

import (
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/beyond/examples/accesslog"
)

var texts = sync.OnceValue(func() (all []string) {
	for _, line := range accesslog.Lines(accesslog.Generate(1, 5_000)) {
		_, rest, _ := strings.Cut(line, "[")
		text, _, _ := strings.Cut(rest, "]")
		all = append(all, text)
	}
	return all
})

func TestSame(t *testing.T) {
	before, err := ParseTimes(texts())
	require.NoError(t, err)
	after, err := ParseTimesOnce(texts())
	require.NoError(t, err)
	assert.Equal(t, before, after)
	for _, bad := range [][]string{{""}, {"x"}, {texts()[0], "x"}} {
		_, err := ParseTimes(bad)
		require.Error(t, err)
		_, err2 := ParseTimesOnce(bad)
		assert.Equal(t, err, err2)
	}
}

// BenchmarkExample: an operation is 5,000 times, of which nineteen in twenty are that before.
func BenchmarkExample(b *testing.B) {
	all := texts()
	b.Run("func=ParseTimes/version=before", func(b *testing.B) {
		for b.Loop() {
			_, _ = ParseTimes(all) // the test has it without an error
		}
	})
	b.Run("func=ParseTimes/version=after", func(b *testing.B) {
		for b.Loop() {
			_, _ = ParseTimesOnce(all)
		}
	})
}
