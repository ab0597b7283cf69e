package step04

import (
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"raysteps/beyond/examples/accesslog"
)

// log is one in three forms, as it was read or sorted by duration. Each pointer is to an entry, and
// each node a copy of one, that was allocated by itself, in the order of reading.
type log struct {
	first    *Node
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
	var nodes []*Node
	for _, e := range l.pointers {
		nodes = append(nodes, &Node{Entry: *e})
	}
	if sort {
		slices.SortStableFunc(l.pointers, func(a, b *accesslog.Entry) int { return int(a.Duration - b.Duration) })
		slices.SortStableFunc(nodes, func(a, b *Node) int { return int(a.Duration - b.Duration) })
	}
	for i, e := range l.pointers {
		l.values = append(l.values, *e)
		if i > 0 {
			nodes[i-1].Next = nodes[i]
		}
	}
	l.first = nodes[0]
	return l
}

func TestSame(t *testing.T) {
	want := TotalBytes(read().pointers)
	assert.NotZero(t, want)
	for _, l := range []log{read(), sorted()} {
		assert.Equal(t, want, TotalBytes(l.pointers))
		assert.Equal(t, want, TotalBytesFrom(l.first))
		assert.Equal(t, want, TotalBytesOf(l.values))
	}
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
		b.Run("func=TotalBytes,"+tt.name+"/version=list", func(b *testing.B) {
			for b.Loop() {
				TotalBytesFrom(tt.log.first)
			}
		})
		b.Run("func=TotalBytes,"+tt.name+"/version=after", func(b *testing.B) {
			for b.Loop() {
				TotalBytesOf(tt.log.values)
			}
		})
	}
}
