package kerneltest

import (
	"encoding/binary"
	"testing"
)

// Fuzz runs a test on up to 200 spheres and rays of any bits, which the fuzzer chooses; it
// begins with the cases.
func Fuzz(f *testing.F, test func(t *testing.T, spheres []Sphere, rays []Ray)) {
	for _, c := range cases {
		f.Add(bytesOf(c.spheres), bytesOf([]Ray{c.ray, ahead}))
	}
	f.Fuzz(func(t *testing.T, spheres, rays []byte) { test(t, ofBytes[Sphere](spheres), ofBytes[Ray](rays)) })
}

func bytesOf[T any](list []T) []byte {
	data, _ := binary.Append(nil, binary.LittleEndian, list) // all are of float32
	return data
}

func ofBytes[T any](data []byte) []T {
	list := make([]T, min(len(data)/binary.Size(*new(T)), maxCount))
	_, _ = binary.Decode(data, binary.LittleEndian, list) // which are as many as fit
	return list
}

// Fuzz compares the kernels with the oracle.
func (s *Suite) Fuzz(f *testing.F) {
	Fuzz(f, func(t *testing.T, spheres []Sphere, rays []Ray) {
		p := s.Columns(spheres)
		for i := range s.Kernels {
			for j := range min(len(rays), 8) {
				if !s.Kernels[i].Missing {
					s.check(t, &s.Kernels[i], &p, &rays[j], place{})
				}
			}
		}
	})
}
