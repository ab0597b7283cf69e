package step12

import (
	"bytes"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"raysteps/beyond/examples/accesslog"
)

var log = sync.OnceValue(func() []byte { return accesslog.Generate(1, 1_500) })

func TestSame(t *testing.T) {
	for length := range 100 {
		for at := range length {
			text := bytes.Repeat([]byte{'\v', 0x8a, 0, 0x0a, 0xff}, 20)[:length]
			text[at] = '\n'
			assert.Equal(t, CountLinesWide(text), CountLines(text), "%q", text)
		}
	}
	assert.Equal(t, 1_500, CountLines(log()))
	assert.Equal(t, 1_500, CountLinesWide(log()))
}

// BenchmarkExample: an operation is 1,500 lines, a quarter of a megabyte.
func BenchmarkExample(b *testing.B) {
	text := log()
	b.Run("func=CountLines/version=before", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			CountLines(text)
		}
	})
	b.Run("func=CountLines/version=after", func(b *testing.B) {
		b.SetBytes(int64(len(text)))
		for b.Loop() {
			CountLinesWide(text)
		}
	})
}
