package step10

import (
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"raysteps/beyond/examples/accesslog"
)

var agents = sync.OnceValue(func() (all [][]byte) {
	for _, e := range accesslog.Entries(accesslog.Generate(1, 2_000)) {
		all = append(all, []byte(e.Agent))
	}
	return all
})

// Each byte at each place of strings of each length.
func TestSame(t *testing.T) {
	for length := range 33 {
		for at := range max(1, length) {
			for c := range 256 {
				text := []byte(strings.Repeat("x", length))
				if length > 0 {
					text[at] = byte(c)
				}
				if want := Plain(text); want != PlainWords(text) {
					t.Fatalf("%q: want %t", text, want)
				}
			}
		}
	}
}

// BenchmarkExample: an operation is 2,000 names of browsers, of 18 to 100 bytes.
func BenchmarkExample(b *testing.B) {
	all := agents()
	b.Run("func=Plain/version=before", func(b *testing.B) {
		n := 0
		for b.Loop() {
			for _, text := range all {
				if Plain(text) {
					n++
				}
			}
		}
		assert.NotZero(b, n)
	})
	b.Run("func=Plain/version=after", func(b *testing.B) {
		n := 0
		for b.Loop() {
			for _, text := range all {
				if PlainWords(text) {
					n++
				}
			}
		}
		assert.NotZero(b, n)
	})
}
