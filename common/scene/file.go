package scene

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"raysteps/common/infile"
)

// The most that a file may have: spheres, and bytes, which are 256 a sphere.
const (
	MaxSpheres = 1 << 20
	maxFile    = MaxSpheres << 8
)

const (
	maxName   = 255  // bytes
	minLength = 1e-9 // of a radius, the focus, and the line of sight
	maxLength = 1e12 // of the same, and of each coordinate
	minUp     = 1e-6 // length of up
	minSine   = 1e-4 // of the angle between up and the line of sight
)

// ReadFile reads a scene from a JSON file in the form that
// common/scene/README.md describes. See Read for the errors; that of a file
// that cannot be read wraps the operating system's.
func ReadFile(path string) (*Scene, error) {
	text, err := infile.Read("scene", path, maxFile)
	if err != nil {
		return nil, err
	}
	return Read(text, path)
}

// Read reads a scene as JSON. The name is that of the file, for errors and for a
// scene whose name is empty. After a nil error every number is finite and within the
// limits of common/scene/README.md, and the camera looks in a direction. Lengths are
// those of the file, or divided by a power of two, as is written there.
//
// An error is one line: the file, line and column, the field in words, what is wrong
// and what would be right.
func Read(text []byte, name string) (*Scene, error) {
	s, r := new(Scene), reader(text)
	err := r.syntax()
	if err == nil {
		err = r.scene(s)
	}
	if err != nil {
		return nil, fmt.Errorf("scene %q: %w", name, err)
	}
	base := filepath.Base(name)
	s.normalize()
	s.Name = cmp.Or(s.Name, strings.TrimSuffix(base, filepath.Ext(base)), base)
	return s, nil
}

const (
	aCamera = "an object with from and at"
	aSphere = "an object with center, radius and material"
)

// scene reads a file whose syntax is right.
func (r reader) scene(s *Scene) error {
	text := bytes.TrimLeft(r, " \t\r\n")
	return r.object(value{text, len(r) - len(text)}, "the file", "an object with camera and spheres",
		field{"name", "a string of at most 255 bytes, all printable", false, func(v value) error {
			err := json.Unmarshal(v.text, &s.Name) // which takes null
			if err != nil || v.text[0] != '"' {
				return errOther
			}
			if len(s.Name) > maxName || strings.ContainsFunc(s.Name, unprintable) {
				return errOther
			}
			return nil
		}},
		field{"camera", aCamera, true, func(v value) error { return r.camera(v, &s.Camera) }},
		field{"spheres", fmt.Sprintf("an array of 1 to %d objects", MaxSpheres), true, func(v value) (err error) {
			s.Spheres, err = r.spheres(v, MaxSpheres)
			return err
		}})
}

// spheres reads an array of 1 to so many spheres.
func (r reader) spheres(v value, most int) (all []Sphere, err error) {
	if v.text[0] != '[' {
		return nil, errOther
	}
	err = v.each(func(_ string, _ int, v value) error {
		if len(all) == most {
			return errOther
		}
		sphere, err := r.sphere(v, fmt.Sprintf("sphere %d", len(all)))
		all = append(all, sphere)
		return err
	})
	if err == nil && len(all) == 0 {
		err = errOther
	}
	return all, err
}

func (r reader) camera(v value, c *Camera) error {
	c.Up, c.FOV = [3]float32{0, 1, 0}, 60
	if err := r.object(v, "camera", aCamera,
		numbers("from", true, coordinate, vector(&c.From)...),
		numbers("at", true, coordinate, vector(&c.At)...),
		numbers("up", false, between(-1e9, 1e9, "from -1e9 to 1e9"), vector(&c.Up)...),
		numbers("fov", false, between(1, 179, "of degrees from 1 to 179"), &c.FOV),
		numbers("aperture", false, between(0, maxLength, "from 0 to 1e12"), &c.Aperture),
		numbers("focus", false, between(minLength, maxLength, "from 1e-9 to 1e12"), &c.Focus)); err != nil {
		return err
	}
	sight, up := difference(c.From, c.At), difference(c.Up, [3]float32{})
	across := length(cross(up, sight)) >= minSine*length(up)*length(sight)
	// As float32, in which the number in a file that says 1e-9 is a little less.
	distance := float32(length(sight))
	switch {
	case distance < minLength || distance > maxLength:
		return r.errorf(v.at, "camera: from and at are %.3g apart; want a distance from 1e-9 to 1e12", distance)
	case float32(length(up)) < minUp || !across:
		return r.errorf(v.at, "camera: up is %v; want a direction at least 1e-6 long, and not along the line of sight", c.Up)
	}
	c.Focus = cmp.Or(c.Focus, distance)
	return nil
}

// sphere reads a sphere. Its material says which fields it has.
func (r reader) sphere(v value, place string) (s Sphere, err error) {
	m := &s.Material
	albedo := numbers("albedo", true, between(0, 1, "from 0 to 1"), vector(&m.Albedo)...)
	fuzz := numbers("fuzz", false, between(0, math.MaxFloat32, "of 0 or more"), &m.Fuzz)
	index := numbers("index", true, between(1e-6, 1e6, "from 1e-6 to 1e6"), &m.Index)
	more := []field{albedo, fuzz, index} // of a material that there is not
	var name struct{ Material string }
	json.Unmarshal(v.text, &name)
	kind := slices.Index(kinds, name.Material)
	if kind >= 0 {
		m.Kind = Kind(kind)
		more = [][]field{Lambertian: {albedo}, Metal: {albedo, fuzz}, Dielectric: {index}}[kind]
	}
	fields := []field{
		numbers("center", true, coordinate, vector(&s.Center)...),
		numbers("radius", true, magnitude, &s.Radius),
		{"material", `"lambertian", "metal" or "dielectric"`, true, func(value) error {
			if kind < 0 {
				return errOther
			}
			return nil
		}},
	}
	err = r.object(v, place, aSphere, append(fields, more...)...)
	return s, err
}

// limits are those of a number.
type limits struct {
	text string
	hold func(v float32) bool
}

func between(least, most float32, text string) limits {
	return limits{text, func(v float32) bool { return v >= least && v <= most }}
}

var (
	coordinate = between(-maxLength, maxLength, "from -1e12 to 1e12")
	magnitude  = limits{"from 1e-9 to 1e12 in magnitude", func(v float32) bool {
		v = max(v, -v)
		return v >= minLength && v <= maxLength
	}}
)

func vector(v *[3]float32) []*float32 { return []*float32{&v[0], &v[1], &v[2]} }

// numbers is a field of a number or an array of three.
func numbers(name string, must bool, l limits, into ...*float32) field {
	want := "a number "
	if len(into) > 1 {
		want = "an array of three numbers "
	}
	return field{name, want + l.text, must, func(v value) error {
		text := v.text
		if len(into) == 1 {
			text = slices.Concat([]byte("["), text, []byte("]"))
		}
		var numbers []*float32 // an array would take fewer or more, and null
		if json.Unmarshal(text, &numbers) != nil || len(numbers) != len(into) {
			return errOther
		}
		for i, number := range numbers {
			if number == nil || !l.hold(*number) {
				return errOther
			}
			*into[i] = *number
		}
		return nil
	}}
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
