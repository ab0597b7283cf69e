package step06

import (
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"raysteps/beyond/examples/accesslog"
)

var paths = sync.OnceValue(func() (all []string) {
	for _, e := range accesslog.Entries(accesslog.Generate(1, 5_000)) {
		all = append(all, e.Path)
	}
	return all
})

func TestSame(t *testing.T) {
	before, after := slices.Clone(paths()), slices.Clone(paths())
	require.NoError(t, Decode(before))
	require.NoError(t, DecodeRare(after))
	assert.Equal(t, before, after)
	assert.Contains(t, after, "/api/search?q=café")
	for _, bad := range []string{"%", "/%2", "/a%zz"} {
		err := Decode([]string{"/", bad})
		require.Error(t, err, bad)
		assert.Equal(t, err, DecodeRare([]string{"/", bad}))
	}
}

// BenchmarkExample: an operation is 5,000 paths, of which 3 in 100 have an escape.
func BenchmarkExample(b *testing.B) {
	all := make([]string, len(paths()))
	b.Run("func=Decode/version=before", func(b *testing.B) {
		for b.Loop() {
			copy(all, paths())
			_ = Decode(all) // the test has it without an error
		}
	})
	b.Run("func=Decode/version=after", func(b *testing.B) {
		for b.Loop() {
			copy(all, paths())
			_ = DecodeRare(all)
		}
	})
}
