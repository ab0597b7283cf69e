// Package step01 holds what the tests of the toolchain package ask about.
package step01

type Hitter interface{ Hit(r *Vec) bool }

type Sphere struct {
	center Vec
	radius float32
}

func (s *Sphere) Hit(r *Vec) bool {
	return s.center.Dot(*r) > 2.5*s.radius
}

type World struct {
	list []Hitter
	xs   []float32
}

func (w *World) Hit(r *Vec) bool {
	for _, h := range w.list {
		if h.Hit(r) {
			return true
		}
	}
	return false
}

func (w *World) Sum(n int) float32 {
	sum := float32(0)
	for i := range n {
		sum += w.xs[i]
	}
	return sum
}

func New() *Sphere {
	s := Sphere{radius: 1}
	return &s
}

type List[T any] struct{ items []T }

//go:noinline
func (l *List[T]) Len() int { return len(l.items) }

func Count() int { return new(List[int]).Len() }

//go:noescape
func kernel(x *float32) float32

var shared *Vec

func Share(v *Vec) { shared = v }
