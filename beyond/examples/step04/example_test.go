package step04

import (
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"raysteps/beyond/examples/accesslog"
)

// log is one in three forms. Each pointer is to an entry, and each node a copy of one, that was
// allocated by itself, in the order of reading.
type log struct {
	first    *Node
	pointers []*accesslog.Entry
	values   []accesslog.Entry
}

// newLog returns a log of n entries as it was read, or sorted by duration.
func newLog(n int, sort bool) (l log) {
	for _, line := range accesslog.Lines(accesslog.Generate(1, n)) {
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
		slices.SortFunc(l.pointers, func(a, b *accesslog.Entry) int { return int(a.Duration - b.Duration) })
		slices.SortFunc(nodes, func(a, b *Node) int { return int(a.Duration - b.Duration) })
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

var (
	orders = []string{"as-read", "sorted"}
	// long are logs of 50,000 entries, and short those of 5,000.
	long = map[string]func() log{
		"as-read": sync.OnceValue(func() log { return newLog(50_000, false) }),
		"sorted":  sync.OnceValue(func() log { return newLog(50_000, true) }),
	}
	short = map[string]func() log{
		"as-read": sync.OnceValue(func() log { return newLog(5_000, false) }),
		"sorted":  sync.OnceValue(func() log { return newLog(5_000, true) }),
	}
)

func TestSame(t *testing.T) {
	want := TotalBytes(short["as-read"]().pointers)
	assert.NotZero(t, want)
	for _, order := range orders {
		l := short[order]()
		assert.Equal(t, want, TotalBytes(l.pointers), order)
		assert.Equal(t, want, TotalBytesFrom(l.first), order)
		assert.Equal(t, want, TotalBytesOf(l.values), order)
	}
}

// BenchmarkExample: an operation is 50,000 entries.
func BenchmarkExample(b *testing.B) {
	for _, order := range orders {
		l := long[order]()
		b.Run("func=TotalBytes,"+order+"/version=before", func(b *testing.B) {
			for b.Loop() {
				TotalBytes(l.pointers)
			}
		})
		b.Run("func=TotalBytes,"+order+"/version=after", func(b *testing.B) {
			for b.Loop() {
				TotalBytesOf(l.values)
			}
		})
	}
}

// BenchmarkList: an operation is 5,000 entries, which fit the second-level cache of a Zen 5.
func BenchmarkList(b *testing.B) {
	for _, order := range orders {
		l := short[order]()
		b.Run("order="+order+"/entries=values", func(b *testing.B) {
			for b.Loop() {
				TotalBytesOf(l.values)
			}
		})
		b.Run("order="+order+"/entries=list", func(b *testing.B) {
			for b.Loop() {
				TotalBytesFrom(l.first)
			}
		})
	}
}
