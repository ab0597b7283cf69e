package scene

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxFileSize is how many bytes a scene file may have.
const maxFileSize = 64 << 20

// ReadFile reads a scene from a JSON file in the form that
// common/scene/README.md describes. See Read for the errors; that of a file
// that cannot be read wraps the operating system's.
func ReadFile(path string) (*Scene, error) {
	var text []byte
	f, err := os.Open(path)
	if err == nil {
		defer f.Close()
		text, err = io.ReadAll(io.LimitReader(f, maxFileSize+1)) // a device may have no end
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return nil, fmt.Errorf("scene %q: %w; want a JSON file that can be read", path, e.Err)
	}
	if len(text) > maxFileSize {
		return nil, fmt.Errorf("scene %q: larger than the size limit; want at most %d MiB", path, maxFileSize>>20)
	}
	return Read(text, path)
}

// Read reads a scene as JSON, and validates it. The name is that of the file, for
// errors and for a scene whose name is empty.
//
// An error is one line: the file, the place, what is wrong and what would be
// right. The place is line and column, where the JSON or the type of a value
// is at fault, and the field in words.
func Read(text []byte, name string) (*Scene, error) {
	base := filepath.Base(name)
	s := &Scene{Camera: Camera{Up: [3]float32{0, 1, 0}, FOV: 60, Focus: missing}}
	r := &reader{json.NewDecoder(bytes.NewReader(text)), text}
	err := r.syntax()
	if err == nil {
		err = r.file(s)
	}
	if err == nil {
		s.Name = cmp.Or(s.Name, strings.TrimSuffix(base, filepath.Ext(base)), base)
		if c := &s.Camera; c.Focus != c.Focus {
			c.Focus = float32(length(difference(c.From, c.At)))
		}
		err = s.Validate()
	}
	if err != nil {
		return nil, fmt.Errorf("scene %q: %w", name, err)
	}
	return s, nil
}

// missing stands in a number whose default depends on other fields, until the file has
// set it: JSON has no NaN.
var missing = float32(math.NaN())

// What a value should be.
const (
	aNumber = "a 32-bit number"
	aVector = "an array of three numbers"
	aKind   = `"lambertian", "metal" or "dielectric"`
	aCamera = "an object with from and at"
	spheres = "an array of objects"
	aSphere = "an object with center, radius and material"
)

// reader goes through a file token by token, and knows where it is. The package
// json by itself would take null and repeated fields, and says of a value neither its
// line nor its sphere.
type reader struct {
	*json.Decoder
	text []byte
}

// syntax holds the file to being one value in JSON.
func (r *reader) syntax() error {
	if !utf8.Valid(r.text) {
		valid := bytes.TrimLeftFunc(r.text, func(c rune) bool { return c != utf8.RuneError })
		return r.errorf(len(r.text)-len(valid), "invalid UTF-8; want a file in UTF-8")
	}
	if e, ok := errors.AsType[*json.SyntaxError](json.Unmarshal(r.text, new(json.RawMessage))); ok {
		return r.errorf(max(0, int(e.Offset)-1), "%v; want one value in plain JSON: no comments, no trailing commas", e)
	}
	return nil
}

// file reads a file whose syntax is right.
func (r *reader) file(s *Scene) error {
	c := &s.Camera
	return r.object("", "an object with camera and spheres",
		field{"name", &s.Name, ""},
		field{"camera", func() error {
			return r.object("camera", aCamera,
				field{"from", &c.From, aVector}, field{"at", &c.At, aVector}, field{"up", &c.Up, ""},
				field{"fov", &c.FOV, ""}, field{"aperture", &c.Aperture, ""}, field{"focus", &c.Focus, ""})
		}, aCamera},
		field{"spheres", func() error {
			if at := r.next(); r.text[at] != '[' {
				return r.wrong(at, "spheres", spheres)
			}
			r.Token()
			for r.More() {
				sphere, err := r.sphere(fmt.Sprintf("sphere %d", len(s.Spheres)))
				if err != nil {
					return err
				}
				s.Spheres = append(s.Spheres, sphere)
			}
			r.Token()
			return nil
		}, spheres})
}

func (r *reader) sphere(place string) (Sphere, error) {
	s := Sphere{Material: Material{Albedo: [3]float32{missing}, Index: missing}}
	m := &s.Material
	if err := r.object(place, aSphere,
		field{"center", &s.Center, aVector}, field{"radius", &s.Radius, aNumber}, field{"material", &m.Kind, aKind},
		field{"albedo", &m.Albedo, ""}, field{"fuzz", &m.Fuzz, ""}, field{"index", &m.Index, ""}); err != nil {
		return s, err
	}
	noAlbedo, noIndex := m.Albedo != m.Albedo, m.Index != m.Index
	switch glass := m.Kind == Dielectric; {
	case noAlbedo && !glass:
		return s, fmt.Errorf("%s: albedo is missing; want %s", place, aVector)
	case noIndex && glass:
		return s, fmt.Errorf("%s: index is missing; want %s", place, aNumber)
	case noAlbedo:
		m.Albedo = [3]float32{}
	case noIndex:
		m.Index = 0
	}
	return s, nil
}

// field is a field of an object: what its value is read into, or a function that reads
// it; and what it should be, if it must be there.
type field struct {
	name string
	into any
	must string
}

// object reads an object, the value of each field into what that says.
func (r *reader) object(place, want string, fields ...field) error {
	if at := r.next(); r.text[at] != '{' {
		return r.wrong(at, cmp.Or(place, "the file"), want)
	}
	if place != "" {
		place += ": "
	}
	r.Token()
	var seen [6]bool
	for r.More() {
		at := r.next()
		name, _ := r.Token()
		i := slices.IndexFunc(fields, func(f field) bool { return f.name == name })
		if i < 0 {
			var names []string
			for _, f := range fields {
				names = append(names, f.name)
			}
			return r.errorf(at, "%sunknown field %s; want one of %s", place, quote(name.(string)), strings.Join(names, ", "))
		} else if seen[i] {
			return r.errorf(at, "%sduplicate field %q; want it once", place, name)
		}
		seen[i] = true
		if read, ok := fields[i].into.(func() error); ok {
			if err := read(); err != nil {
				return err
			}
			continue
		}
		at = r.next()
		if want := r.value(fields[i].into); want != "" {
			return r.wrong(at, place+fields[i].name, want)
		}
	}
	r.Token()
	for i, f := range fields {
		if f.must != "" && !seen[i] {
			return fmt.Errorf("%s%s is missing; want %s", place, f.name, f.must)
		}
	}
	return nil
}

// value reads a value into what a field points to. If it is not of that sort, value
// returns what it should be.
func (r *reader) value(into any) (want string) {
	var text json.RawMessage
	r.Decode(&text)
	null := string(text) == "null" // which package json takes for anything
	switch into := into.(type) {
	case *string:
		if json.Unmarshal(text, into) != nil || null {
			return "a string"
		}
	case *Kind:
		var name string
		json.Unmarshal(text, &name)
		for *into = Lambertian; into.String() != name; *into++ {
			if *into == Dielectric {
				return aKind
			}
		}
	case *float32:
		if json.Unmarshal(text, into) != nil || null {
			return aNumber
		}
	case *[3]float32:
		var numbers []*float32 // an array would take fewer or more, and null
		if json.Unmarshal(text, &numbers) != nil || len(numbers) != len(into) || slices.Contains(numbers, nil) {
			return aVector
		}
		for i, number := range numbers {
			into[i] = *number
		}
	}
	return ""
}

// next returns where the next token begins.
func (r *reader) next() int {
	return len(r.text) - len(bytes.TrimLeft(r.text[r.InputOffset():], " \t\r\n,:"))
}

// wrong is the error for a value that is not what its place wants.
func (r *reader) wrong(at int, place, want string) error {
	var value json.RawMessage
	json.NewDecoder(bytes.NewReader(r.text[at:])).Decode(&value)
	return r.errorf(at, "%s is %s; want %s", place, printable(string(value)), want)
}

// errorf begins an error with the line and column of an offset in the text.
// Both count from 1, columns in characters.
func (r *reader) errorf(at int, format string, args ...any) error {
	before := r.text[:at]
	line := bytes.Count(before, []byte("\n")) + 1
	column := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
	return fmt.Errorf("%d:%d: "+format, append([]any{line, column}, args...)...)
}

// quote is a string from the file, fit for a line of text. What printable returns
// has no quotes if it can do without.
func quote(s string) string { return strconv.Quote(shorten(s)) }

func printable(s string) string {
	if strings.ContainsFunc(s, unprintable) {
		return quote(s)
	}
	return shorten(s)
}

func shorten(s string) string {
	const most = 40
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "..."
	}
	return s
}
