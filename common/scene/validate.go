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
	minSine   = 1e-4 // of the angle between up and the line of sight
)

// Validate reports the first thing in the scene that a tracer cannot use, and
// what it could, in one line that names the place; spheres are counted from
// 0. After a nil error every number is finite and within the limits of
// common/scene/README.md, and the camera looks in a direction.
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
		inRange("fov", 1, 179, "degrees from 1 to 179", c.FOV),
		inRange("aperture", 0, maxLength, "a number from 0 to 1e9", c.Aperture),
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
	if err := inRange("focus", minLength, maxLength, "a distance from 1e-6 to 1e9", c.Focus); err != nil {
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
	// NaN fails every comparison.
	if r := float32(math.Abs(float64(s.Radius))); !(r >= minLength && r <= maxLength) {
		return fmt.Errorf("radius is %v; want a magnitude from 1e-6 to 1e9", s.Radius)
	}
	m := &s.Material
	if m.Kind > Dielectric {
		return fmt.Errorf("material has the unknown kind %d; want %v, %v or %v", m.Kind, Lambertian, Metal, Dielectric)
	}
	// field is for one that must be 0 unless the material uses it.
	field := func(name string, used bool, least, most float32, want string, values ...float32) error {
		if !used {
			least, most, want = 0, 0, "0 for "+m.Kind.String()
		}
		return inRange(name, least, most, want, values...)
	}
	return cmp.Or(
		field("albedo", m.Kind != Dielectric, 0, 1, "a number from 0 to 1", m.Albedo[:]...),
		field("fuzz", m.Kind == Metal, 0, math.MaxFloat32, "a finite number, 0 or more", m.Fuzz),
		field("index", m.Kind == Dielectric, 1e-6, 1e6, "a positive number, 1e-6 to 1e6", m.Index),
	)
}

func coordinates(name string, p [3]float32) error {
	return inRange(name, -maxLength, maxLength, "a number from -1e9 to 1e9", p[:]...)
}

// inRange reports the first of a field's values that is out of range. NaN is.
func inRange(name string, least, most float32, want string, values ...float32) error {
	for i, v := range values {
		if v >= least && v <= most {
			continue
		}
		if len(values) > 1 {
			name += fmt.Sprintf("[%d]", i)
		}
		return fmt.Errorf("%s is %v; want %s", name, v, want)
	}
	return nil
}

func difference(a, b [3]float32) (d [3]float64) {
	for i := range d {
		d[i] = float64(a[i]) - float64(b[i])
	}
	return d
}

func cross(a, b [3]float64) [3]float64 {
	minor := func(i, j int) float64 { return float64(a[i]*b[j]) - float64(a[j]*b[i]) } // not fused
	return [3]float64{minor(1, 2), minor(2, 0), minor(0, 1)}
}

func length(a [3]float64) float64 { return math.Hypot(math.Hypot(a[0], a[1]), a[2]) }

func point(p [3]float32) string { return fmt.Sprintf("(%v, %v, %v)", p[0], p[1], p[2]) }

func unprintable(r rune) bool { return r == unicode.ReplacementChar || !unicode.IsPrint(r) }
