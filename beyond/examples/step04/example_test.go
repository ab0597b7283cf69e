package step04

import (
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"raysteps/beyond/examples/accesslog"
)

// log is one in both forms, as it was read or sorted by duration. Each pointer is to an entry
// that was allocated by itself.
type log struct {
	pointers []*accesslog.Entry
	values   []accesslog.Entry
}

var (
	read   = sync.OnceValue(func() log { return newLog(false) })
	sorted = sync.OnceValue(func() log { return newLog(true) })
)

func newLog(sort bool) (l log) {
	for _, line := range accesslog.Lines(accesslog.Generate(1, 50_000)) {
		e, err := accesslog.Parse(line)
		if err != nil {
			panic(err) // a fault of accesslog
		}
		l.pointers = append(l.pointers, e)
	}
	if sort {
		slices.SortFunc(l.pointers, func(a, b *accesslog.Entry) int { return int(a.Duration - b.Duration) })
	}
	for _, e := range l.pointers {
		l.values = append(l.values, *e)
	}
	return l
}

func TestSame(t *testing.T) {
	total := TotalBytes(read().pointers)
	assert.NotZero(t, total)
	assert.Equal(t, total, TotalBytesOf(read().values))
	assert.Equal(t, total, TotalBytes(sorted().pointers))
	assert.Equal(t, total, TotalBytesOf(sorted().values))
}

// BenchmarkExample: an operation is 50,000 entries.
func BenchmarkExample(b *testing.B) {
	for _, tt := range []struct {
		name string
		log  log
	}{{"as-read", read()}, {"sorted", sorted()}} {
		b.Run("func=TotalBytes,"+tt.name+"/version=before", func(b *testing.B) {
			for b.Loop() {
				TotalBytes(tt.log.pointers)
			}
		})
		b.Run("func=TotalBytes,"+tt.name+"/version=after", func(b *testing.B) {
			for b.Loop() {
				TotalBytesOf(tt.log.values)
			}
		})
	}
}
