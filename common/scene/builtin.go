package scene

import (
	"fmt"
	"strconv"
	"strings"
)

// Names lists the built-in scenes in the order in which they are measured.
func Names() []string { return []string{"small", "medium", "large"} }

// ByName builds a scene afresh: one of Names, or sphereflake or cloud with their size,
// such as sphereflake=4. The error names the scenes that there are.
func ByName(name string) (s *Scene, err error) {
	kind, text, _ := strings.Cut(name, "=")
	size, err := strconv.Atoi(text)
	switch {
	case name == "small":
		s = Small()
	case name == "medium":
		s = Medium()
	case name == "large":
		s = Large()
	case kind == "sphereflake" && err == nil && size >= 0 && size <= maxLevels:
		s = Sphereflake(size)
	case kind == "cloud" && err == nil && size >= minCloud && size <= MaxSpheres:
		s = Cloud(size)
	default:
		return nil, fmt.Errorf("unknown scene %q; want %s, sphereflake=0 to sphereflake=%d, or cloud=%d to cloud=%d", name, strings.Join(Names(), ", "), maxLevels, minCloud, MaxSpheres)
	}
	s.Name = name
	return s, nil
}

// Small is five spheres: so few that most of a ray's time goes elsewhere.
// Spheres 3 and 4 together are a hollow glass bubble.
func Small() *Scene {
	return &Scene{
		Name:   "small",
		Camera: camera([3]float32{2, 1, 2}, 0.1, 5),
		Spheres: []Sphere{
			{[3]float32{0, 0, -1}, 0.5, matte(0.1, 0.2, 0.5)},
			{[3]float32{0, -100.5, -1}, 100, matte(0.8, 0.8, 0)},
			{[3]float32{1, 0, -1}, 0.5, metal(0.8, 0.6, 0.2, 0.3)},
			{[3]float32{-1, 0, -1}, 0.5, glass(1.5)},
			{[3]float32{-1, 0, -1}, -0.45, glass(1.5)},
		},
	}
}

// Medium is the scene of Aras Pranckevičius's Daily Pathtracer without its
// lights: 46 spheres.
func Medium() *Scene {
	aperture := float32(0.1)
	s := &Scene{
		Name:   "medium",
		Camera: camera([3]float32{0, 2, 3}, aperture*0.2, 3),
		Spheres: []Sphere{
			{[3]float32{0, -100.5, -1}, 100, matte(0.8, 0.8, 0.8)},
			{[3]float32{2, 0, -1}, 0.5, matte(0.8, 0.4, 0.4)},
			{[3]float32{0, 0, -1}, 0.5, matte(0.4, 0.8, 0.4)},
			{[3]float32{-2, 0, -1}, 0.5, metal(0.4, 0.4, 0.8, 0)},
			{[3]float32{2, 0, 1}, 0.5, metal(0.4, 0.8, 0.4, 0)},
			{[3]float32{0, 0, 1}, 0.5, metal(0.4, 0.8, 0.4, 0.2)},
			{[3]float32{-2, 0, 1}, 0.5, metal(0.4, 0.8, 0.4, 0.6)},
			{[3]float32{0.5, 1, 0.5}, 0.5, glass(1.5)},
			{[3]float32{-1.5, 1.5, 0}, 0.3, matte(0.8, 0.6, 0.2)},
		},
	}
	row := func(z float32, material func(i int) Material) {
		for i := range 9 {
			s.Spheres = append(s.Spheres, Sphere{[3]float32{float32(4 - i), 0, z}, 0.5, material(i)})
		}
	}
	grays := [9]float32{0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9}
	colors := [9][3]float32{
		{0.8, 0.1, 0.1}, {0.8, 0.5, 0.1}, {0.8, 0.8, 0.1}, {0.4, 0.8, 0.1}, {0.1, 0.8, 0.1},
		{0.1, 0.8, 0.5}, {0.1, 0.8, 0.8}, {0.1, 0.1, 0.8}, {0.5, 0.1, 0.8},
	}
	row(-3, func(i int) Material { return matte(grays[i], grays[i], grays[i]) })
	row(-4, func(i int) Material { return metal(grays[i], grays[i], grays[i], 0) })
	row(-5, func(i int) Material { return metal(colors[i][0], colors[i][1], colors[i][2], 0) })
	row(-6, func(i int) Material { return matte(colors[i][0], colors[i][1], colors[i][2]) })
	last := &s.Spheres[len(s.Spheres)-1]
	last.Material = metal(0.5, 0.1, 0.8, 0)
	s.Spheres = append(s.Spheres, Sphere{[3]float32{1.5, 1.5, -2}, 0.3, matte(0.1, 0.2, 0.5)})
	return s
}

// Large is 484 spheres: a field of 30 by 16 small ones on the ground, with
// three large ones above it. Of the small ones one in twenty is glass, of an
// index that grows from 1.2 to 24.2, and one in twenty is metal.
func Large() *Scene {
	const columns, rows = 30, 16
	spheres := make([]Sphere, 0, columns*rows+4)
	rand := libcRand(111)
	channel := func() float32 { return float32(rand()&0xff) / 255 }
	for y := range rows {
		for x := range columns {
			i := y*columns + x
			center := [3]float32{float32(x-15) * 1.1, 0, float32(y-8) * 1.1}
			// A color is drawn for every sphere, for glass too.
			r, g, b := channel(), channel(), channel()
			var m Material
			switch {
			case i%20 == 0:
				m = glass(1.2 + float32(float32(i)*0.05))
			case i%10 == 0:
				m = metal(r, g, b, 0.01+float32(0.5*float32(y))/16)
				center[1] = 0.1
			default:
				m = matte(r, g, b)
			}
			spheres = append(spheres, Sphere{center, 0.45, m})
		}
	}
	spheres = append(spheres,
		Sphere{[3]float32{0, -1000.5, 0}, 1000, matte(0.5, 0.5, 0.5)},
		Sphere{[3]float32{5, 3, 0}, 2, metal(0.5, 0.5, 0.8, 0.65)},
		Sphere{[3]float32{0, 3, 0}, 2, glass(1.5)},
		Sphere{[3]float32{-5, 3, 0}, 2, metal(0.8, 0.2, 0.2, 0.05)},
	)
	return &Scene{Name: "large", Camera: camera([3]float32{3, 8, 15}, 0.1, 10), Spheres: spheres}
}

// camera looks at the origin, with the up vector and field of view that the
// built-in scenes share.
func camera(from [3]float32, aperture, focus float32) Camera {
	return Camera{From: from, Up: [3]float32{0, 1, 0}, FOV: 60, Aperture: aperture, Focus: focus}
}

func matte(r, g, b float32) Material {
	return Material{Kind: Lambertian, Albedo: [3]float32{r, g, b}}
}

func metal(r, g, b, fuzz float32) Material {
	return Material{Kind: Metal, Albedo: [3]float32{r, g, b}, Fuzz: fuzz}
}

func glass(index float32) Material {
	return Material{Kind: Dielectric, Index: index}
}
