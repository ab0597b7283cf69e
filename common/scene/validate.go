package scene

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode"
)

// MaxSpheres is how many spheres Validate accepts.
const MaxSpheres = 1 << 20

// The other limits keep the squares and products of a tracer within what
// float32 can hold, short of a very wide angle at the largest distances.
const (
	maxName   = 255  // bytes
	minLength = 1e-6 // of a radius, the focus, up, and the line of sight
	maxLength = 1e9  // of the same, and of each coordinate
	minIndex  = 1e-6
	maxIndex  = 1e6
	minFOV    = 1 // degrees
	maxFOV    = 179
	minSine   = 1e-4 // of the angle between up and the line of sight
)

// Validate reports the first thing in the scene that a tracer cannot use, and
// what it could, in one line that names the place; spheres are counted from
// 0. After a nil error every number is finite and within the limits of
// docs/scene-format.md, and the camera looks in a direction.
func (s *Scene) Validate() error {
	if len(s.Name) > maxName || strings.ContainsFunc(s.Name, unprintable) {
		return fmt.Errorf("name is %s; want at most %d bytes of printable characters", quote(s.Name), maxName)
	}
	if err := s.Camera.validate(); err != nil {
		return fmt.Errorf("camera: %w", err)
	}
	if len(s.Spheres) == 0 {
		return errors.New("no spheres; want at least one")
	}
	if len(s.Spheres) > MaxSpheres {
		return fmt.Errorf("%d spheres; want at most %d", len(s.Spheres), MaxSpheres)
	}
	for i := range s.Spheres {
		if err := s.Spheres[i].validate(); err != nil {
			return fmt.Errorf("sphere %d: %w", i, err)
		}
	}
	return nil
}

func (c *Camera) validate() error {
	if err := cmp.Or(
		coordinates("from", c.From),
		coordinates("at", c.At),
		coordinates("up", c.Up),
		inRange("fov", c.FOV, minFOV, maxFOV, "degrees from 1 to 179"),
		inRange("aperture", c.Aperture, 0, maxLength, "a number from 0 to 1e9"),
	); err != nil {
		return err
	}
	if c.From == c.At {
		return fmt.Errorf("from and at are both %s; want two different points", point(c.From))
	}
	sight := difference(c.From, c.At)
	// As float32, in which the number in a file that says 1e-6 is a little less.
	if d := float32(length(sight)); d < minLength || d > maxLength {
		return fmt.Errorf("from and at are %.3g apart; want a distance from 1e-6 to 1e9", d)
	}
	if err := inRange("focus", c.Focus, minLength, maxLength, "a distance from 1e-6 to 1e9"); err != nil {
		return err
	}
	up := difference(c.Up, [3]float32{})
	if float32(length(up)) < minLength {
		return fmt.Errorf("up is %s; want a direction at least 1e-6 long", point(c.Up))
	}
	if length(cross(up, sight)) < minSine*length(up)*length(sight) {
		return fmt.Errorf("up is %s, along the line of sight; want a direction across it", point(c.Up))
	}
	return nil
}

func (s *Sphere) validate() error {
	if err := coordinates("center", s.Center); err != nil {
		return err
	}
	r := math.Abs(float64(s.Radius))
	switch {
	case r == 0 || math.IsNaN(r) || math.IsInf(r, 0):
		return fmt.Errorf("radius is %v; want a finite number other than 0", s.Radius)
	case float32(r) < minLength || r > maxLength:
		return fmt.Errorf("radius is %v; want a magnitude from 1e-6 to 1e9", s.Radius)
	}
	return s.Material.validate()
}

func (m *Material) validate() error {
	switch m.Kind {
	case Lambertian:
		return cmp.Or(m.albedo(), m.unused("fuzz", m.Fuzz), m.unused("index", m.Index))
	case Metal:
		return cmp.Or(m.albedo(),
			inRange("fuzz", m.Fuzz, 0, math.MaxFloat32, "a finite number, 0 or more"),
			m.unused("index", m.Index))
	case Dielectric:
		return cmp.Or(inRange("index", m.Index, minIndex, maxIndex, "a positive number, 1e-6 to 1e6"),
			m.unused("albedo", m.Albedo[:]...), m.unused("fuzz", m.Fuzz))
	}
	return fmt.Errorf("material has the unknown kind %d; want %v, %v or %v", m.Kind, Lambertian, Metal, Dielectric)
}

func (m *Material) albedo() error {
	const want = "a number from 0 to 1"
	return cmp.Or(
		inRange("albedo[0]", m.Albedo[0], 0, 1, want),
		inRange("albedo[1]", m.Albedo[1], 0, 1, want),
		inRange("albedo[2]", m.Albedo[2], 0, 1, want))
}

// unused reports a number that the kind has no use for, since it points to a
// mistake about the kind.
func (m *Material) unused(name string, values ...float32) error {
	for _, v := range values {
		if v != 0 {
			return fmt.Errorf("%s is set to %v; want 0 for %v", name, v, m.Kind)
		}
	}
	return nil
}

func coordinates(name string, p [3]float32) error {
	for i, v := range p {
		// NaN fails every comparison.
		if !(v >= -maxLength && v <= maxLength) {
			return fmt.Errorf("%s[%d] is %v; want a number from -1e9 to 1e9", name, i, v)
		}
	}
	return nil
}

func inRange(name string, v, least, most float32, want string) error {
	if v >= least && v <= most {
		return nil
	}
	return fmt.Errorf("%s is %v; want %s", name, v, want)
}

func difference(a, b [3]float32) (d [3]float64) {
	for i := range d {
		d[i] = float64(a[i]) - float64(b[i])
	}
	return d
}

func cross(a, b [3]float64) [3]float64 {
	return [3]float64{a[1]*b[2] - a[2]*b[1], a[2]*b[0] - a[0]*b[2], a[0]*b[1] - a[1]*b[0]}
}

func length(a [3]float64) float64 { return math.Hypot(math.Hypot(a[0], a[1]), a[2]) }

func point(p [3]float32) string { return fmt.Sprintf("(%v, %v, %v)", p[0], p[1], p[2]) }

func unprintable(r rune) bool { return r == unicode.ReplacementChar || !unicode.IsPrint(r) }
