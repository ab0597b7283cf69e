package shapes

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// The model tests generated containers against a plain slice of structs: the
// same operations on both, at random, and after them the same elements.

// container is what soagen generates for a struct T, as far as it does not
// depend on the fields.
type container[T, V, P any] interface {
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
	Clone() P
	SortFunc(func(a, b T) int)
	All() iter.Seq2[int, T]
	View(i, j int) V
}

// view is a range of a container.
type view[T any] interface {
	Len() int
	At(int) T
	Set(int, T)
}

// layout says what is particular to one container.
type layout struct {
	align int            // boundary that columns without pointers start on
	pad   int            // what -pad was, or 0
	pads  map[string]any // pad values by column; zero for those that are missing
	own   []string       // columns without pointers that have memory of their own
}

// test does operations at random.
func test[T any, V view[T], P container[T, V, P]](t *testing.T, newContainer func(capacity int) P, l layout) {
	m := model[T, V, P]{t: t, r: rand.New(rand.NewPCG(1, 2)), newContainer: newContainer, layout: l}
	m.c = newContainer(0)
	steps := 1000
	if testing.Short() {
		steps = 200
	}
	for step := range steps {
		switch n, op := len(m.want), m.r.IntN(20); {
		case n > 150:
			m.clear()
		case n == 0 || op > 11:
			v := random[T](m.r)
			m.c.Append(v)
			m.want = append(m.want, v)
		case op < 8:
			m.change(op)
		default:
			[]func(){m.grow, m.clone, m.all, m.view}[op-8]()
		}
		if step%24 == 0 {
			check(t, m.c, m.want, l)
			runtime.GC()
		}
	}
	testErrors(t, m.r, newContainer, l)
}

// model is a container and the slice that has its elements.
type model[T any, V view[T], P container[T, V, P]] struct {
	t            *testing.T
	r            *rand.Rand
	newContainer func(capacity int) P
	layout       layout
	c            P
	want         []T
}

// change does an operation on elements.
func (m *model[T, V, P]) change(op int) {
	c, n, v := m.c, len(m.want), random[T](m.r)
	i, j := m.r.IntN(n), m.r.IntN(n)
	switch op {
	case 0:
		c.Set(i, v)
		m.want[i] = v
	case 1:
		c.Swap(i, j)
		m.want[i], m.want[j] = m.want[j], m.want[i]
	case 2:
		c.RemoveSwap(i)
		m.want[i] = m.want[n-1]
		m.want = m.want[:n-1]
	case 3:
		c.RemoveOrdered(i)
		m.want = slices.Delete(m.want, i, i+1)
	case 4:
		i = n - i/4
		c.Truncate(i)
		m.want = m.want[:i]
	case 5:
		values := []T{v, random[T](m.r), v}[:m.r.IntN(4)]
		c.AppendSlice(values)
		m.want = append(m.want, values...)
	case 6:
		c.Insert(i, v)
		m.want = slices.Insert(m.want, i, v)
	case 7:
		compare := func(a, b T) int {
			first := func(v T) string { return fmt.Sprint(reflect.ValueOf(v).Field(0)) }
			return strings.Compare(first(a), first(b))
		}
		c.SortFunc(compare)
		slices.SortFunc(m.want, compare)
	}
}

func (m *model[T, V, P]) grow() {
	n, more := len(m.want), m.r.IntN(256)
	m.c.Grow(more)
	require.GreaterOrEqual(m.t, m.c.Cap(), n+more)
	capacity := m.c.Cap()
	m.c.Grow(capacity - n)
	require.Equal(m.t, capacity, m.c.Cap(), "there was room already")
}

// clone goes on with a clone, which must not see what is done to the original, nor the other
// way round.
func (m *model[T, V, P]) clone() {
	v, original := random[T](m.r), m.c
	m.c = original.Clone()
	original.Append(v)
	original.Set(0, v)
	check(m.t, m.c, m.want, m.layout)
	clone := m.c.Clone()
	clone.Append(v)
	clone.Set(0, v)
	check(m.t, m.c, m.want, m.layout)
}

func (m *model[T, V, P]) all() { rangeOver(m.t, m.c, m.want) }

func (m *model[T, V, P]) view() {
	i, j := m.r.IntN(len(m.want)), m.r.IntN(len(m.want))
	i, j = min(i, j), max(i, j)+1
	part := m.c.View(i, j)
	for _, column := range reflect.ValueOf(part).Fields() {
		require.Equal(m.t, [2]int{j - i, j - i}, [2]int{column.Len(), column.Cap()})
	}
	for k := range part.Len() {
		require.True(m.t, reflect.DeepEqual(m.want[i+k], part.At(k)))
		m.want[i+k] = random[T](m.r)
		part.Set(k, m.want[i+k])
	}
	check(m.t, m.c, m.want, m.layout)
	m.c.AppendView(part)
	m.want = append(m.want, m.want[i:j]...)
}

// clear empties the container, and goes on with a new one.
func (m *model[T, V, P]) clear() {
	n, capacity := len(m.want), m.c.Cap()
	m.c.Clear()
	check(m.t, m.c, nil, m.layout)
	require.Equal(m.t, capacity, m.c.Cap(), "Clear keeps the capacity")
	m.c, m.want = m.newContainer(n), nil
	require.GreaterOrEqual(m.t, m.c.Cap(), n)
}

// check compares elements, columns and padding with what they should be.
func check[T, V any, P container[T, V, P]](t *testing.T, c P, want []T, l layout) {
	t.Helper()
	n := len(want)
	require.Equal(t, n, c.Len())
	require.GreaterOrEqual(t, c.Cap(), n)
	require.Zero(t, c.Cap()%max(1, l.pad))
	for i, v := range want {
		if got := c.At(i); !reflect.DeepEqual(v, got) {
			t.Fatalf("element %d of %d is %+v; want %+v", i, n, got, v)
		}
	}
	// What lies past the last element must keep nothing alive.
	for field, column := range reflect.ValueOf(c).Elem().Field(1).Fields() {
		for j := n; j < column.Len() && hasPointers(column.Type().Elem()); j++ {
			require.True(t, column.Index(j).IsZero(), "%s: spare element %d with length %d", field.Name, j, n)
		}
	}
	columns := map[string]reflect.Value{}
	for method, f := range reflect.ValueOf(c).Methods() {
		if f.Type().NumIn() == 0 && f.Type().NumOut() == 1 && f.Type().Out(0).Kind() == reflect.Slice {
			columns[method.Name] = f.Call(nil)[0]
		}
	}
	for name, column := range columns {
		of, padded := strings.CutSuffix(name, "Padded")
		length := n
		if padded {
			length = (n + l.pad - 1) / l.pad * l.pad
			require.Equal(t, columns[of].Interface(), column.Slice(0, n).Interface(), name)
		}
		require.Equal(t, [2]int{length, length}, [2]int{column.Len(), column.Cap()}, name)
		elem := column.Type().Elem()
		if length > 0 && elem.Size() > 0 && !hasPointers(elem) && !slices.Contains(l.own, of) {
			require.Zero(t, column.Pointer()%uintptr(l.align), "%s starts at %#x", name, column.Pointer())
		}
		pad := l.pads[of]
		if pad == nil {
			pad = reflect.Zero(elem).Interface()
		}
		for i := n; i < length; i++ {
			got := fmt.Sprint(column.Index(i)) // as text, NaN equals NaN
			require.Equal(t, fmt.Sprint(pad), got, "%s: pad element %d with length %d", name, i, n)
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
		for f := range t.Fields() {
			if hasPointers(f.Type) {
				return true
			}
		}
		return false
	default:
		return k > reflect.Complex128
	}
}

// rangeOver checks All: left early, whole, and while elements come and go.
func rangeOver[T, V any, P container[T, V, P]](t *testing.T, c P, want []T) {
	for range c.All() {
		break
	}
	next, d := 0, c.Clone()
	for i, v := range d.All() {
		require.Equal(t, next, i)
		require.True(t, reflect.DeepEqual(want[i], v))
		d.Append(v)
		next++
	}
	require.Equal(t, [2]int{len(want), 2 * len(want)}, [2]int{next, d.Len()}, "All must not visit what the loop appends")
	for range d.All() {
		d.Clear()
	}
	require.Zero(t, d.Len())
}

// testErrors checks that an index that is off panics as a slice's does, and
// leaves the container as it was.
func testErrors[T any, V view[T], P container[T, V, P]](
	t *testing.T, r *rand.Rand, newContainer func(int) P, l layout,
) {
	c := newContainer(20) // there is room behind the elements
	v := random[T](r)
	want := []T{v, random[T](r), random[T](r)}
	c.AppendSlice(want)
	const maxInt = int(^uint(0) >> 1)
	for _, test := range []struct {
		call func()
		want string
	}{
		{func() { c.At(3) }, "index out of range [3] with length 3"},
		{func() { c.Set(5, v) }, "index out of range [5] with length 3"},
		{func() { c.Swap(0, 4) }, "index out of range [4] with length 3"},
		{func() { c.RemoveSwap(3) }, "index out of range [3] with length 3"},
		{func() { c.RemoveOrdered(3) }, "index out of range [3] with length 3"},
		{func() { c.Insert(4, v) }, "slice bounds out of range [4:3]"},
		{func() { c.Truncate(4) }, "slice bounds out of range [4:3]"},
		{func() { c.Truncate(-1) }, "slice bounds out of range [-1:]"},
		{func() { c.View(2, 4) }, "slice bounds out of range [:4] with capacity 3"},
		{func() { c.View(2, 1) }, "slice bounds out of range [2:1]"},
		{func() { c.View(1, 3).At(2) }, "index out of range [2] with length 2"},
		{func() { c.Grow(-1) }, "growth out of range"},
		{func() { c.Grow(maxInt) }, "out of range"},
		{func() { newContainer(-1) }, "out of range"},
	} {
		func() {
			defer func() { require.Contains(t, fmt.Sprint(recover()), test.want) }()
			test.call()
		}()
	}
	check(t, c, want, l)
}

// random returns an element, most of whose fields differ from those of others. What has no
// column is zero.
func random[T any](r *rand.Rand) (v T) {
	fill(r, reflect.ValueOf(&v).Elem())
	return v
}

func fill(r *rand.Rand, v reflect.Value) {
	v = reflect.NewAt(v.Type(), v.Addr().UnsafePointer()).Elem() // may be set, exported or not
	text := matte(strconv.Itoa(r.Int()))
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(r.IntN(2) == 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		v.SetInt(r.Int64())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		v.SetUint(r.Uint64())
	case reflect.Float32, reflect.Float64:
		v.SetFloat(1 + r.Float64())
	case reflect.Complex64, reflect.Complex128:
		v.SetComplex(complex(r.Float64(), r.Float64()))
	case reflect.String:
		v.SetString(string(text))
	case reflect.Array:
		for i := range v.Len() {
			fill(r, v.Index(i))
		}
	case reflect.Struct:
		for field, part := range v.Fields() {
			if field.Name != "_" && field.Tag.Get("soa") != "-" {
				fill(r, part)
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1+r.IntN(100), 100))
	case reflect.Pointer:
		if r.IntN(4) > 0 { // a list of itself has an end
			v.Set(reflect.New(v.Type().Elem()))
			fill(r, v.Elem())
		}
	case reflect.UnsafePointer:
		v.SetPointer(unsafe.Pointer(new(r.Int64())))
	case reflect.Interface:
		for _, value := range []any{text, strings.NewReader(string(text))} {
			if reflect.TypeOf(value).Implements(v.Type()) {
				v.Set(reflect.ValueOf(value))
			}
		}
	}
}
