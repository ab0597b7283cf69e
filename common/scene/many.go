package scene

import "slices"

// Many returns a scene of n spheres: the large one over and over, each time
// further down, or as many of it as that, the ground first.
func Many(n int) *Scene {
	s := Large()
	ground := len(s.Spheres) - 4
	large := slices.Concat(s.Spheres[ground:], s.Spheres[:ground])
	s.Spheres = make([]Sphere, n)
	for i := range s.Spheres {
		s.Spheres[i] = large[i%len(large)]
		s.Spheres[i].Center[1] -= float32(i / len(large))
	}
	return s
}
