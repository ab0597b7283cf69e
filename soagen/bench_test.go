package main

import (
	"fmt"
	"testing"

	"raysteps/soagen/internal/shapes"
)

// The benchmarks compare []Sphere (layout=aos) with SphereSoA (layout=soa), a
// struct of 40 bytes that has five numbers and an interface. Their names are
// made of key=value parts, so that benchstat can put the layouts side by side:
//
//	benchstat -col /layout -row '.name /column /n' FILE
//
// The time per element is in ns/elem.

var sizes = []int{100, 10_000, 1_000_000}

type matte struct{ name string }

func (m *matte) Name() string { return m.name }

func sphereAt(i int) shapes.Sphere {
	x := float32(i)
	return shapes.Sphere{
		Center: shapes.Vec3{X: x, Y: x + 1, Z: x + 2}, RadiusSq: x * x, InvRadius: 1 / (x + 1), Material: material,
	}
}

var material = &matte{"matte"}

func aos(n int) []shapes.Sphere {
	s := make([]shapes.Sphere, n)
	for i := range s {
		s[i] = sphereAt(i)
	}
	return s
}

func soa(n int) *shapes.SphereSoA {
	s := shapes.NewSphereSoA(n)
	for i := range n {
		s.Append(sphereAt(i))
	}
	return s
}

// perElement reports the time of an element of n that an operation handles.
func perElement(b *testing.B, n int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/elem")
}

func bySize(b *testing.B, name string, f func(b *testing.B, n int)) {
	for _, n := range sizes {
		b.Run(fmt.Sprintf("%s/n=%d", name, n), func(b *testing.B) {
			f(b, n)
			perElement(b, n)
		})
	}
}

var sink int

// An element counts if it is above the limit, as half of them are. Adding the
// fields up over all elements instead would measure how long an addition takes.
func limit(n int) float32 { return float32(n) * float32(n) / 4 }

// whole looks at every field.
func whole(v *shapes.Sphere, limit float32) int {
	if v.Material != nil && v.Center.X+v.Center.Y+v.Center.Z+v.RadiusSq+v.InvRadius > limit {
		return 1
	}
	return 0
}

// BenchmarkScan reads one field, or all fields, of every element in order. With
// layout=soa-all that is done through All, which puts each element together.
func BenchmarkScan(b *testing.B) {
	bySize(b, "layout=aos/column=one", func(b *testing.B, n int) {
		s, limit := aos(n), limit(n)
		for b.Loop() {
			count := 0
			for i := range s {
				if s[i].RadiusSq > limit {
					count++
				}
			}
			sink = count
		}
	})
	bySize(b, "layout=soa/column=one", func(b *testing.B, n int) {
		s, limit := soa(n), limit(n)
		for b.Loop() {
			count := 0
			for _, r := range s.RadiusSq() {
				if r > limit {
					count++
				}
			}
			sink = count
		}
	})
	bySize(b, "layout=aos/column=all", func(b *testing.B, n int) {
		s, limit := aos(n), limit(n)
		for b.Loop() {
			count := 0
			for i := range s {
				count += whole(&s[i], limit)
			}
			sink = count
		}
	})
	bySize(b, "layout=soa/column=all", func(b *testing.B, n int) {
		s, limit := soa(n), limit(n)
		for b.Loop() {
			count := 0
			x, y, z, rr, inv, m := s.CenterX(), s.CenterY(), s.CenterZ(), s.RadiusSq(), s.InvRadius(), s.Material()
			y, z, rr, inv, m = y[:len(x)], z[:len(x)], rr[:len(x)], inv[:len(x)], m[:len(x)]
			for i := range x {
				if m[i] != nil && x[i]+y[i]+z[i]+rr[i]+inv[i] > limit {
					count++
				}
			}
			sink = count
		}
	})
	bySize(b, "layout=soa-all/column=all", func(b *testing.B, n int) {
		s, limit := soa(n), limit(n)
		for b.Loop() {
			count := 0
			for _, v := range s.All() {
				count += whole(&v, limit)
			}
			sink = count
		}
	})
}
