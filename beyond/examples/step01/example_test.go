package step01

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"raysteps/beyond/examples/accesslog"
)

var requests = sync.OnceValue(func() (all []string) {
	for _, e := range accesslog.Entries(accesslog.Generate(1, 5_000)) {
		all = append(all, e.Method+" "+e.Path+" HTTP/1.1")
	}
	return all
})

func TestSame(t *testing.T) {
	texts := append([]string{"", "GET", "GET /", "GET / ", "GET /?", "GET /?a=b HTTP/1.1", "GET / HTTP/1.1"}, requests()...)
	for _, text := range texts {
		r := ParseRequest(text)
		value, ok := RequestOf(text)
		var filled Request
		assert.Equal(t, r != nil, ok, text)
		assert.Equal(t, r != nil, filled.ReadRequest(text), text)
		if r != nil {
			assert.Equal(t, *r, value, text)
			assert.Equal(t, *r, filled, text)
		}
	}
	n := CountQueries(texts)
	assert.NotZero(t, n)
	assert.Equal(t, n, CountQueriesByValue(texts))
	assert.Equal(t, n, CountQueriesFilled(texts))
}

// BenchmarkExample: an operation is 5,000 requests.
func BenchmarkExample(b *testing.B) {
	texts := requests()
	b.Run("func=CountQueries/version=before", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			CountQueries(texts)
		}
	})
	b.Run("func=CountQueries/version=value", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			CountQueriesByValue(texts)
		}
	})
	b.Run("func=CountQueries/version=after", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			CountQueriesFilled(texts)
		}
	})
}
