// Package scene describes what to render, as plain data: a camera, spheres
// and their materials. It holds the three scenes that every step is measured
// on, and reads a scene of one's own from a JSON file.
//
// A step turns this data into whatever form it is about, before the clock
// starts; nothing here is used while rays are traced. So points and colors
// are bare arrays of three float32 in the order x, y, z or r, g, b, and there
// is no vector type.
//
// Coordinates are right-handed with y up, in units of the scene's own choice.
// Colors are linear, not gamma-encoded.
package scene

// Scene is everything that can be seen, and where it is seen from. A tracer
// may keep a pointer to a Scene but does not write to it, so one Scene may be
// rendered by several tracers at once.
type Scene struct {
	Name    string
	Camera  Camera
	Spheres []Sphere
}

// Camera is a thin lens at From that looks at At.
type Camera struct {
	From     [3]float32
	At       [3]float32
	Up       [3]float32 // points up in the picture; need not be a unit vector or perpendicular
	FOV      float32    // vertical field of view in degrees, between 0 and 180
	Aperture float32    // diameter of the lens; 0 is a pinhole and all is sharp
	Focus    float32    // distance from From at which things are sharp
}

// Sphere is a ball of one material. A negative radius turns the normal
// inward: two glass spheres with one center, of radius 0.5 and -0.45, make a
// hollow bubble.
type Sphere struct {
	Center   [3]float32
	Radius   float32
	Material Material
}

// Material says how a sphere scatters light. Which fields count depends on
// Kind; the others are zero.
type Material struct {
	Kind   Kind
	Albedo [3]float32 // share of light that is scattered, 0 to 1 a channel: Lambertian and Metal
	Fuzz   float32    // Metal: radius of the ball that blurs a reflection, 0 for a mirror, at most 1
	Index  float32    // refractive index, 1.5 for glass: Dielectric
}

// Kind is one of the three materials.
type Kind uint8

const (
	Lambertian Kind = iota // matte: scatters every way
	Metal                  // reflects
	Dielectric             // glass or water: reflects and refracts
)

var kinds = []string{"lambertian", "metal", "dielectric"}

func (k Kind) String() string { return kinds[k] }
