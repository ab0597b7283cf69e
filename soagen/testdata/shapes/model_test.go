package shapes

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The model tests generated containers against a plain slice of structs: the
// same operations on both, at random, and after them the same elements.

// Container is what soagen generates for a struct T, as far as it does not
// depend on the fields.
type Container[T, C, V any] interface {
	*C
	Len() int
	Cap() int
	Append(T)
	AppendSlice([]T)
	AppendView(V)
	Insert(int, T)
	At(int) T
	Set(int, T)
	Swap(i, j int)
	RemoveSwap(int)
	RemoveOrdered(int)
	Truncate(int)
	Clear()
	Grow(int)
	Clone() *C
	SortFunc(func(a, b T) int)
	All() iter.Seq2[int, T]
	View(i, j int) V
}

// View is a range of a container.
type View[T any] interface {
	Len() int
	At(int) T
	Set(int, T)
}

// Shape says what is particular to one container.
type Shape[T, C any, V View[T], P Container[T, C, V]] struct {
	New     func(capacity int) *C
	Value   func(*rand.Rand) T // a random element, comparable by reflect.DeepEqual
	Compare func(a, b T) int   // an order for sorting

	Align int            // boundary that columns without pointers start on
	Apart []string       // columns without pointers that nevertheless have memory of their own
	Pad   int            // what -pad was, or 0
	Pads  map[string]any // pad values by column; zero for those that are missing

	// Columns checks the columns that reflection does not see, those that are
	// not exported. It may be nil.
	Columns func(t *testing.T, c P, want []T)
}

// Test does thousands of random operations, in runs that start over.
func (s Shape[T, C, V, P]) Test(t *testing.T) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 5 {
		var c P = new(C)
		if i%2 == 0 {
			c = s.New(10 * i)
			require.GreaterOrEqual(t, c.Cap(), 10*i)
		}
		s.run(t, r, c)
		runtime.GC()
	}
	s.testErrors(t)
	s.testGrowth(t)
}

func (s Shape[T, C, V, P]) run(t *testing.T, r *rand.Rand, c P) {
	t.Helper()
	var want []T
	for step := range 300 {
		n := len(want)
		index := func() int { return r.IntN(n) } // for n > 0
		switch op := r.IntN(20); {
		case op == 0 && n > 0:
			i, v := index(), s.Value(r)
			c.Set(i, v)
			want[i] = v
		case op == 1 && n > 0:
			i, j := index(), index()
			c.Swap(i, j)
			want[i], want[j] = want[j], want[i]
		case op == 2 && n > 0:
			i := index()
			c.RemoveSwap(i)
			want[i] = want[n-1]
			want = want[:n-1]
		case op == 3 && n > 0:
			i := index()
			c.RemoveOrdered(i)
			want = slices.Delete(want, i, i+1)
		case op == 4 && n > 0:
			i := n - r.IntN(n/4+1)
			c.Truncate(i)
			want = want[:i]
		case op == 5:
			i := r.IntN(256)
			c.Grow(i)
			require.GreaterOrEqual(t, c.Cap(), n+i)
			capacity := c.Cap()
			c.Grow(capacity - n)
			require.Equal(t, capacity, c.Cap(), "there was room already")
		case op == 6:
			d := P(c.Clone())
			s.check(t, d, want)
			c.Append(s.Value(r)) // must not be seen by the clone
			if n > 0 {
				c.Set(0, s.Value(r))
			}
			s.check(t, d, want)
			c = d
		case op == 7 && r.IntN(8) == 0:
			capacity := c.Cap()
			c.Clear()
			want = nil
			require.Equal(t, capacity, c.Cap(), "Clear keeps the capacity")
		case op == 8:
			s.rangeOver(t, c, want, r.IntN(2*n+1))
		case op == 9:
			values := make([]T, r.IntN(12))
			for i := range values {
				values[i] = s.Value(r)
			}
			c.AppendSlice(values)
			want = append(want, values...)
		case op == 10:
			i, v := r.IntN(n+1), s.Value(r)
			c.Insert(i, v)
			want = slices.Insert(want, i, v)
		case op == 11 && n > 0:
			i, j := index(), index()+1
			want = s.view(t, r, c, want, min(i, j), max(i, j))
		case op == 12:
			c.SortFunc(s.Compare)
			slices.SortFunc(want, s.Compare)
		default:
			v := s.Value(r)
			c.Append(v)
			want = append(want, v)
		}
		if step%24 == 0 || step == 299 {
			s.check(t, c, want)
		}
	}
}

// check compares elements, columns and padding with what they should be.
func (s Shape[T, C, V, P]) check(t *testing.T, c P, want []T) {
	t.Helper()
	n := len(want)
	require.Equal(t, n, c.Len())
	require.GreaterOrEqual(t, c.Cap(), n)
	if s.Pad > 1 {
		require.Zero(t, c.Cap()%s.Pad)
	}
	for i, v := range want {
		if got := c.At(i); !reflect.DeepEqual(v, got) {
			t.Fatalf("element %d of %d is %+v; want %+v", i, n, got, v)
		}
	}
	if s.Columns != nil {
		s.Columns(t, c, want)
	}
	// What lies past the last element must keep nothing alive.
	private := reflect.ValueOf(c).Elem().Field(1)
	for i := range private.NumField() {
		column := private.Field(i)
		for j := n; j < column.Len() && hasPointers(column.Type().Elem()); j++ {
			if !column.Index(j).IsZero() {
				t.Fatalf("%s: spare element %d with length %d is %v; want zero", private.Type().Field(i).Name, j, n, column.Index(j))
			}
		}
	}
	columns := reflect.ValueOf(c)
	for i := range columns.NumMethod() {
		name, f := columns.Type().Method(i).Name, columns.Method(i)
		if f.Type().NumIn() > 0 || f.Type().NumOut() != 1 || f.Type().Out(0).Kind() != reflect.Slice {
			continue
		}
		s.checkColumn(t, name, f.Call(nil)[0], n)
	}
}

func (s Shape[T, C, V, P]) checkColumn(t *testing.T, name string, col reflect.Value, n int) {
	t.Helper()
	column, padded := strings.CutSuffix(name, "Padded")
	length := n
	if padded {
		length = (n + s.Pad - 1) / s.Pad * s.Pad
	}
	if col.Len() != length || col.Cap() != length {
		t.Fatalf("%s: len %d and cap %d; want %d", name, col.Len(), col.Cap(), length)
	}
	if size := col.Type().Elem().Size(); length > 0 && size > 0 && !hasPointers(col.Type().Elem()) &&
		!slices.Contains(s.Apart, column) && col.Pointer()%uintptr(s.Align) != 0 {
		t.Fatalf("%s: starts at %#x; want a multiple of %d", name, col.Pointer(), s.Align)
	}
	want := s.Pads[column]
	if want == nil {
		want = reflect.Zero(col.Type().Elem()).Interface()
	}
	for i := n; i < length; i++ {
		if got := col.Index(i).Interface(); fmt.Sprint(got) != fmt.Sprint(want) { // NaN equals NaN
			t.Fatalf("%s: pad element %d with length %d is %v; want %v", name, i, n, got, want)
		}
	}
}

// hasPointers reports whether an element of the type can hold pointers, so that it
// must not be in the shared block.
func hasPointers(t reflect.Type) bool {
	switch k := t.Kind(); k {
	case reflect.Array:
		return hasPointers(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if hasPointers(t.Field(i).Type) {
				return true
			}
		}
		return false
	default:
		return k > reflect.Complex128
	}
}

// rangeOver checks All: whole, left early, and while elements come and go.
func (s Shape[T, C, V, P]) rangeOver(t *testing.T, c P, want []T, stop int) {
	t.Helper()
	next := 0
	for i, v := range c.All() {
		require.Equal(t, next, i)
		require.True(t, reflect.DeepEqual(want[i], v))
		if next++; next == stop {
			break
		}
	}
	if stop == 0 {
		stop = len(want) // never
	}
	require.Equal(t, min(stop, len(want)), next)

	d := P(c.Clone())
	seen := 0
	for _, v := range d.All() {
		d.Append(v)
		seen++
	}
	require.Equal(t, len(want), seen, "All must not visit what the loop appends")
	require.Equal(t, 2*len(want), d.Len())
	for range d.All() {
		d.Clear()
	}
	require.Zero(t, d.Len())
}

// view checks the view of the elements from i to j, and appends it to the
// container. It returns what the container should hold then.
func (s Shape[T, C, V, P]) view(t *testing.T, r *rand.Rand, c P, want []T, i, j int) []T {
	t.Helper()
	view := c.View(i, j)
	require.Equal(t, j-i, view.Len())
	for k := range view.Len() {
		require.True(t, reflect.DeepEqual(want[i+k], view.At(k)))
	}
	// Appending to a column of the view must not overwrite what follows it.
	columns := reflect.ValueOf(view)
	for k := range columns.NumField() {
		require.Equal(t, j-i, columns.Field(k).Len())
		if columns.Type().Field(k).IsExported() {
			reflect.Append(columns.Field(k), reflect.Zero(columns.Field(k).Type().Elem()))
		}
		require.Equal(t, j-i, columns.Field(k).Cap())
	}
	s.check(t, c, want)
	for k := i; k < j; k++ {
		want[k] = s.Value(r)
		view.Set(k-i, want[k])
	}
	s.check(t, c, want)
	c.AppendView(view)
	return append(want, want[i:j]...)
}

// testErrors checks that an index that is off panics as a slice's does, and
// leaves the container as it was.
func (s Shape[T, C, V, P]) testErrors(t *testing.T) {
	t.Helper()
	r := rand.New(rand.NewPCG(4, 5))
	var c P = s.New(20) // there is room behind the elements
	var want []T
	for range 3 {
		v := s.Value(r)
		c.Append(v)
		want = append(want, v)
	}
	const maxInt = int(^uint(0) >> 1)
	for _, test := range []struct {
		call func()
		want string
	}{
		{func() { c.At(3) }, "index out of range [3] with length 3"},
		{func() { c.At(-1) }, "index out of range [-1]"},
		{func() { c.Set(5, want[0]) }, "index out of range [5] with length 3"},
		{func() { c.Swap(0, 4) }, "index out of range [4] with length 3"},
		{func() { c.RemoveSwap(3) }, "index out of range [3] with length 3"},
		{func() { c.RemoveOrdered(3) }, "index out of range [3] with length 3"},
		{func() { c.Insert(4, want[0]) }, "slice bounds out of range [4:3]"},
		{func() { c.Insert(-1, want[0]) }, "slice bounds out of range [-1:]"},
		{func() { c.Truncate(4) }, "slice bounds out of range [4:3]"},
		{func() { c.Truncate(-1) }, "slice bounds out of range [-1:]"},
		{func() { c.View(2, 4) }, "slice bounds out of range [:4] with capacity 3"},
		{func() { c.View(2, 1) }, "slice bounds out of range [2:1]"},
		{func() { c.View(1, 3).At(2) }, "index out of range [2] with length 2"},
		{func() { c.View(1, 3).Set(-1, want[0]) }, "index out of range [-1]"},
		{func() { P(new(C)).At(0) }, "index out of range [0] with length 0"},
	} {
		err, ok := recovered(test.call).(runtime.Error)
		require.True(t, ok, test.want)
		require.EqualError(t, err, "runtime error: "+test.want)
	}
	for _, call := range []func(){func() { c.Grow(-1) }, func() { c.Grow(maxInt) }, func() { s.New(-1) }} {
		require.Contains(t, fmt.Sprint(recovered(call)), "out of range")
	}
	s.check(t, c, want)
}

func recovered(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

// testGrowth counts how often appending moves the columns.
func (s Shape[T, C, V, P]) testGrowth(t *testing.T) {
	t.Helper()
	v := s.Value(rand.New(rand.NewPCG(6, 7)))
	var c P = new(C)
	moves := 0
	for range 10_000 {
		before := c.Cap()
		c.Append(v)
		if c.Cap() != before {
			moves++
		}
	}
	require.Less(t, moves, 25, "the capacity grows by half each time")
}
