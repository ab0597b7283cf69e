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
	"reflect"
	"regexp"
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
	s := &Scene{Camera: Camera{From: missing3, At: missing3, Up: [3]float32{0, 1, 0}, FOV: 60, Focus: missing}}
	r := &reader{Decoder: json.NewDecoder(bytes.NewReader(text)), text: text}
	r.UseNumber()
	if err := r.file(s); err != nil {
		return nil, fmt.Errorf("scene %q: %w", name, err)
	}
	if err := s.complete(name); err != nil {
		return nil, fmt.Errorf("scene %q: %w", name, err)
	}
	return s, nil
}

// missing stands in a number until the file has set it, as JSON has no NaN. A kind
// that is missing is noKind.
var (
	missing  = float32(math.NaN())
	missing3 = [3]float32{missing, missing, missing}
)

const noKind Kind = 255

// What a value should be.
const (
	aNumber = "a 32-bit number"
	aVector = "an array of three numbers"
	aKind   = `"lambertian", "metal" or "dielectric"`
	spheres = "an array of objects"
	plain   = "one value in plain JSON: no comments, no trailing commas"
)

// reader goes through a file token by token, and knows where it is. The package
// json by itself would take null, unknown and repeated fields, and says of a value
// neither its line nor its sphere.
type reader struct {
	*json.Decoder
	text  []byte
	place []string // of what is being read: "sphere 12", "center[1]"
}

// field is a field of an object, and what its value is read into.
type field struct {
	name string
	into any
}

func (r *reader) file(s *Scene) error {
	if !utf8.Valid(r.text) {
		return r.errorf(len(r.text)-len(bytes.TrimLeftFunc(r.text, func(c rune) bool { return c != utf8.RuneError })), "invalid UTF-8; want a file in UTF-8")
	}
	c := &s.Camera
	err := r.object("an object with camera and spheres", "name, camera or spheres",
		field{"name", &s.Name},
		field{"camera", func() error {
			return r.object("an object with from and at", "from, at, up, fov, aperture or focus",
				field{"from", &c.From}, field{"at", &c.At}, field{"up", &c.Up},
				field{"fov", &c.FOV}, field{"aperture", &c.Aperture}, field{"focus", &c.Focus})
		}},
		field{"spheres", func() error {
			s.Spheres = []Sphere{}
			return r.array(spheres, func(i int) error {
				s.Spheres = append(s.Spheres, Sphere{missing3, missing, Material{Kind: noKind, Albedo: missing3, Index: missing}})
				sphere := &s.Spheres[i]
				m := &sphere.Material
				r.place = append(r.place[:0], "sphere "+strconv.Itoa(i))
				return r.object("an object with center, radius and material", "center, radius, material, albedo, fuzz or index",
					field{"center", &sphere.Center}, field{"radius", &sphere.Radius}, field{"material", &m.Kind},
					field{"albedo", &m.Albedo}, field{"fuzz", &m.Fuzz}, field{"index", &m.Index})
			})
		}})
	if at := r.next(); err == nil && at < len(r.text) {
		c, _ := utf8.DecodeRune(r.text[at:])
		return r.errorf(at, "unexpected %q after the scene; want %s", c, plain)
	}
	return err
}

// object reads an object, the value of each field into what that says.
func (r *reader) object(want, names string, fields ...field) error {
	if _, err := r.token(json.Delim('{'), want); err != nil {
		return err
	}
	outside := len(r.place)
	var seen [6]bool
	for r.More() {
		at := r.next()
		token, err := r.token("", "")
		if err != nil {
			return err
		}
		i := slices.IndexFunc(fields, func(f field) bool { return f.name == token })
		if i < 0 {
			return r.errorf(at, "%sunknown field %s; want %s", r.inside(), quote(token.(string)), names)
		} else if seen[i] {
			return r.errorf(at, "%sduplicate field %q; want it once", r.inside(), token)
		}
		seen[i] = true
		r.place = append(r.place, fields[i].name)
		if err := r.value(fields[i].into); err != nil {
			return err
		}
		r.place = r.place[:outside]
	}
	_, err := r.token(json.Delim('}'), "")
	return err
}

// array reads an array. read is called when an element comes next.
func (r *reader) array(want string, read func(i int) error) error {
	if _, err := r.token(json.Delim('['), want); err != nil {
		return err
	}
	for i := 0; r.More(); i++ {
		if err := read(i); err != nil {
			return err
		}
	}
	_, err := r.token(json.Delim(']'), "")
	return err
}

// value reads a value into what a field points to, or calls what reads it.
func (r *reader) value(into any) error {
	at := r.next()
	switch into := into.(type) {
	case func() error:
		return into()
	case *string:
		token, err := r.token("", "a string")
		if err == nil {
			*into = token.(string)
		}
		return err
	case *Kind:
		token, err := r.token("", aKind)
		if err != nil {
			return err
		}
		for *into = Lambertian; *into <= Dielectric; *into++ {
			if into.String() == token {
				return nil
			}
		}
		return r.wrong(at, aKind)
	case *float32:
		token, err := r.token(json.Number(""), aNumber)
		if err != nil {
			return err
		}
		x, err := strconv.ParseFloat(string(token.(json.Number)), 32)
		if *into = float32(x); err != nil {
			return r.wrong(at, aNumber)
		}
	case *[3]float32:
		n, last := 0, len(r.place)-1
		name := r.place[last]
		err := r.array(aVector, func(i int) error {
			if r.place[last] = name; i == len(into) {
				return r.errorf(r.next(), "%s has too many elements; want %s", r.here(), aVector)
			}
			n++
			r.place[last] = name + [...]string{"[0]", "[1]", "[2]"}[i]
			return r.value(&into[i])
		})
		if err != nil {
			return err
		}
		if r.place[last] = name; n < len(into) {
			return r.errorf(int(r.InputOffset())-1, "%s has too few elements; want %s", r.here(), aVector)
		}
	}
	return nil
}

// notJSON finds numbers that other formats have. It is no variable, so that a program that
// reads no file, such as the one in a browser, is linked without regular expressions.
func notJSON() *regexp.Regexp { return regexp.MustCompile(`^[+-]?(?i:nan|inf|infinity)\b`) }

// token returns the next token, which has to be of the type of like, or that very
// delimiter.
func (r *reader) token(like json.Token, want string) (json.Token, error) {
	at := r.next()
	token, err := r.Token()
	if err == nil {
		_, delimiter := like.(json.Delim)
		if reflect.TypeOf(token) != reflect.TypeOf(like) || delimiter && token != like {
			return nil, r.wrong(at, want)
		}
		return token, nil
	}
	if word := notJSON().Find(r.text[at:]); word != nil && want != "" {
		return nil, r.errorf(at, "%s is %s, which is no number of JSON; want %s", r.here(), word, want)
	}
	if e, ok := errors.AsType[*json.SyntaxError](err); !ok || at == len(r.text) || strings.Contains(e.Error(), "unexpected end") {
		return nil, r.errorf(len(r.text), "%sunexpected end of the file; want %s", r.inside(), plain)
	}
	// Releases of Go say this in other words, and of other places.
	c, _ := utf8.DecodeRune(r.text[at:])
	what := fmt.Sprintf("unexpected %q", c)
	if _, err := json.NewDecoder(bytes.NewReader(r.text[at:])).Token(); c == '"' && err != nil {
		what = "a string with an escape or a character that JSON does not have"
	}
	return nil, r.errorf(at, "%s%s; want %s", r.inside(), what, plain)
}

// next returns where the next token begins.
func (r *reader) next() int {
	return len(r.text) - len(bytes.TrimLeft(r.text[r.InputOffset():], " \t\r\n,:"))
}

// wrong is the error for a value that is not what the place wants.
func (r *reader) wrong(at int, want string) error {
	var value json.RawMessage
	if json.NewDecoder(bytes.NewReader(r.text[at:])).Decode(&value) != nil {
		value = r.text[at:]
	}
	return r.errorf(at, "%s is %s; want %s", r.here(), printable(string(value)), want)
}

// here is the place in words: "sphere 12: center[1]".
func (r *reader) here() string { return cmp.Or(strings.Join(r.place, ": "), "the file") }

// inside is the place before a remark that is about something in it.
func (r *reader) inside() string {
	if len(r.place) == 0 {
		return ""
	}
	return r.here() + ": "
}

// errorf begins an error with the line and column of an offset in the text.
// Both count from 1, columns in characters.
func (r *reader) errorf(at int, format string, args ...any) error {
	before := r.text[:at]
	line := bytes.Count(before, []byte("\n")) + 1
	column := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
	return fmt.Errorf("%d:%d: "+format, append([]any{line, column}, args...)...)
}

// complete sets what depends on other fields or on the name of the file, reports
// what is missing, and validates the scene.
func (s *Scene) complete(name string) error {
	base := filepath.Base(name)
	s.Name = cmp.Or(s.Name, strings.TrimSuffix(base, filepath.Ext(base)), base)
	require := func(place, field string, is bool, want string) error {
		if is {
			return nil
		}
		return fmt.Errorf("%s%s is missing; want %s", place, field, want)
	}
	c := &s.Camera
	err := cmp.Or(
		require("camera: ", "from", c.From == c.From, aVector),
		require("camera: ", "at", c.At == c.At, aVector),
		require("", "spheres", s.Spheres != nil, spheres),
	)
	if c.Focus != c.Focus {
		c.Focus = float32(length(difference(c.From, c.At)))
	}
	for i := 0; i < len(s.Spheres) && err == nil; i++ {
		sphere := &s.Spheres[i]
		m := &sphere.Material
		glass := m.Kind == Dielectric
		if glass && m.Albedo != m.Albedo {
			m.Albedo = [3]float32{}
		}
		if !glass && m.Index != m.Index {
			m.Index = 0
		}
		place := "sphere " + strconv.Itoa(i) + ": "
		err = cmp.Or(
			require(place, "center", sphere.Center == sphere.Center, aVector),
			require(place, "radius", sphere.Radius == sphere.Radius, aNumber),
			require(place, "material", m.Kind != noKind, aKind),
			require(place, "albedo", m.Albedo == m.Albedo, aVector),
			require(place, "index", m.Index == m.Index, aNumber),
		)
	}
	if err != nil {
		return err
	}
	return s.Validate()
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
