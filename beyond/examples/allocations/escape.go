package allocations

import (
	"bytes"
	"fmt"
	"strconv"
	"sync"

	"raysteps/beyond/examples/accesslog"
)

// Observer gets numbers; what is passed in an interface is on the heap, if it is not small.
type Observer interface{ Observe(value any) }

// Sum is an Observer.
type Sum struct{ N int64 }

// Observe adds a number.
func (s *Sum) Observe(value any) { s.N += value.(int64) }

// ObserveAll hands on the bytes of all entries, each in an interface.
func ObserveAll(entries []accesslog.Entry, to Observer) {
	for i := range entries {
		to.Observe(entries[i].Bytes)
	}
}

// Numbers gets numbers, too.
type Numbers interface{ Add(value int64) }

// Add adds a number.
func (s *Sum) Add(value int64) { s.N += value }

// AddAll hands on the bytes of all entries, as numbers.
func AddAll(entries []accesslog.Entry, to Numbers) {
	for i := range entries {
		to.Add(entries[i].Bytes)
	}
}

// Hooks keeps a function for each entry, which keeps a variable: both are on the heap.
func Hooks(entries []accesslog.Entry, run func(hook func() int64) int64) (total int64) {
	for i := range entries {
		e := &entries[i]
		total += run(func() int64 { return e.Bytes })
	}
	return total
}

// HookOnce hands on the entry instead.
func HookOnce(
	entries []accesslog.Entry, run func(hook func(*accesslog.Entry) int64, e *accesslog.Entry) int64,
) (total int64) {
	hook := func(e *accesslog.Entry) int64 { return e.Bytes }
	for i := range entries {
		total += run(hook, &entries[i])
	}
	return total
}

// Paths collects paths in a slice that grows.
func Paths(entries []accesslog.Entry) (all []string) {
	for i := range entries {
		all = append(all, entries[i].Path)
	}
	return all
}

// PathsSized has room for all from the beginning.
func PathsSized(entries []accesslog.Entry) []string {
	all := make([]string, 0, len(entries))
	for i := range entries {
		all = append(all, entries[i].Path)
	}
	return all
}

// Keys makes a key for each entry, by fmt.
func Keys(entries []accesslog.Entry, use func(key []byte)) {
	for i := range entries {
		e := &entries[i]
		use([]byte(fmt.Sprintf("%s %d", e.Method, e.Status)))
	}
}

// KeysAppended makes them in one buffer.
func KeysAppended(entries []accesslog.Entry, use func(key []byte)) {
	var key []byte
	for i := range entries {
		e := &entries[i]
		key = append(append(key[:0], e.Method...), ' ')
		key = strconv.AppendInt(key, int64(e.Status), 10)
		use(key)
	}
}

// Respond writes an answer of a few hundred bytes, in a buffer for each.
func Respond(e *accesslog.Entry, send func([]byte)) {
	var buffer bytes.Buffer
	respond(&buffer, e)
	send(buffer.Bytes())
}

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// RespondPooled takes the buffer from others that are done with it.
func RespondPooled(e *accesslog.Entry, send func([]byte)) {
	buffer := buffers.Get().(*bytes.Buffer)
	buffer.Reset()
	respond(buffer, e)
	send(buffer.Bytes()) // and nobody keeps it
	buffers.Put(buffer)
}

func respond(to *bytes.Buffer, e *accesslog.Entry) {
	for range 4 {
		to.WriteString(e.Path)
		to.WriteByte('\n')
		to.WriteString(e.Agent)
		to.WriteByte('\n')
	}
}
