package scene

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
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
	if err := json.Unmarshal(text, s, json.RejectUnknownMembers(true), json.WithUnmarshalers(unmarshalers)); err != nil {
		return nil, fmt.Errorf("scene %q: %w", name, explain(text, err))
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

// unmarshalers decode what a file has to say in other words than the package json
// would take: it accepts null for everything.
var unmarshalers = json.JoinUnmarshalers(
	json.UnmarshalFromFunc(func(d *jsontext.Decoder, _ any) error {
		if d.PeekKind() == 'n' {
			return errors.New("null")
		}
		return errors.ErrUnsupported
	}),
	json.UnmarshalFromFunc(func(d *jsontext.Decoder, s *Sphere) error {
		type plain Sphere // which has no function of its own
		*s = Sphere{missing3, missing, Material{Kind: noKind, Albedo: missing3, Index: missing}}
		return json.UnmarshalDecode(d, (*plain)(s))
	}),
)

// UnmarshalText is for the name of a kind.
func (k *Kind) UnmarshalText(text []byte) error {
	for *k = Lambertian; *k <= Dielectric; *k++ {
		if k.String() == string(text) {
			return nil
		}
	}
	return errors.New("unknown kind")
}

// wants says what the fields should be.
var wants = map[string]string{
	"": "an object with camera and spheres", "name": "a string", "camera": "an object with from and at", "spheres": "an array of objects",
	"from": aVector, "at": aVector, "up": aVector, "fov": aNumber, "aperture": aNumber, "focus": aNumber,
	"center": aVector, "radius": aNumber, "material": `"lambertian", "metal" or "dielectric"`,
	"albedo": aVector, "fuzz": aNumber, "index": aNumber,
}

const (
	aNumber = "a 32-bit number"
	aVector = "an array of three numbers"
)

// complete sets what depends on other fields or on the name of the file, reports
// what is missing, and validates the scene.
func (s *Scene) complete(name string) error {
	base := filepath.Base(name)
	s.Name = cmp.Or(s.Name, strings.TrimSuffix(base, filepath.Ext(base)), base)
	require := func(place, field string, is bool) error {
		if is {
			return nil
		}
		return fmt.Errorf("%s%s is missing; want %s", place, field, wants[field])
	}
	c := &s.Camera
	err := cmp.Or(
		require("camera: ", "from", c.From == c.From),
		require("camera: ", "at", c.At == c.At),
		require("", "spheres", s.Spheres != nil),
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
			require(place, "center", sphere.Center == sphere.Center),
			require(place, "radius", sphere.Radius == sphere.Radius),
			require(place, "material", m.Kind != noKind),
			require(place, "albedo", m.Albedo == m.Albedo),
			require(place, "index", m.Index == m.Index),
		)
	}
	if err != nil {
		return err
	}
	return s.Validate()
}

// notJSON finds numbers that other formats have.
var notJSON = regexp.MustCompile(`^[+-]?(?i:nan|inf|infinity)\b`)

// explain puts an error of the package json in the words of this format.
func explain(text []byte, err error) error {
	if e, ok := errors.AsType[*json.SemanticError](err); ok {
		at := e.ByteOffset
		at += int64(len(text[at:]) - len(bytes.TrimLeft(text[at:], " \t\r\n,:")))
		if ptr := e.JSONPointer; errors.Is(err, json.ErrUnknownName) {
			return errorf(text, at, "%sunknown field %s; want %s", inside(ptr.Parent()), quote(ptr.LastToken()), fieldsOf(ptr.Parent()))
		}
		value, err := jsontext.NewDecoder(bytes.NewReader(text[at:])).ReadValue()
		if err != nil && e.Err != nil { // at the end of an array
			return errorf(text, at, "%s has %v; want %s", place(e.JSONPointer), e.Err, want(e.JSONPointer))
		} else if err != nil {
			value = text[at:]
		}
		return errorf(text, at, "%s is %s; want %s", place(e.JSONPointer), printable(string(value)), want(e.JSONPointer))
	}
	if e, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		if word := notJSON.Find(text[e.ByteOffset:]); word != nil {
			return errorf(text, e.ByteOffset, "%s is %s, which is no number of JSON; want %s", place(e.JSONPointer), word, want(e.JSONPointer))
		}
		what, want, _ := strings.Cut(strings.TrimSuffix(e.Err.Error(), ")"), " (expecting ")
		switch {
		case errors.Is(err, jsontext.ErrDuplicateName):
			want = "it once"
		case want == "":
			want = "one value in plain JSON: no comments, no trailing commas"
		}
		return errorf(text, e.ByteOffset, "%s%s; want %s", inside(e.JSONPointer), what, want)
	}
	return err
}

// want says what should be at a pointer.
func want(ptr jsontext.Pointer) string {
	name := ptr.LastToken()
	switch {
	case !isIndex(name):
		return wants[name]
	case ptr.Parent() == "/spheres":
		return "an object with center, radius and material"
	}
	return aNumber
}

// fieldsOf says which fields the object at a pointer may have.
func fieldsOf(ptr jsontext.Pointer) string {
	switch ptr {
	case "":
		return "name, camera or spheres"
	case "/camera":
		return "from, at, up, fov, aperture or focus"
	}
	return "center, radius, material, albedo, fuzz or index"
}

// errorf begins an error with the line and column of an offset in the text.
// Both count from 1, columns in characters.
func errorf(text []byte, at int64, format string, args ...any) error {
	before := text[:at]
	line := bytes.Count(before, []byte("\n")) + 1
	column := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
	return fmt.Errorf("%d:%d: "+format, append([]any{line, column}, args...)...)
}

// place is a JSON pointer in words: "sphere 12: center[1]" for
// /spheres/12/center/1.
func place(ptr jsontext.Pointer) string {
	s := ""
	for t := range ptr.Tokens() {
		switch {
		case s == "":
			s = t
		case s == "spheres":
			s = "sphere " + t
		case isIndex(t):
			s += "[" + t + "]"
		default:
			s += ": " + t
		}
	}
	return cmp.Or(printable(s), "the file")
}

// inside is place before a remark that is about something in it.
func inside(ptr jsontext.Pointer) string {
	return strings.TrimPrefix(place(ptr)+": ", place("")+": ")
}

func isIndex(token string) bool { return token != "" && strings.Trim(token, "0123456789") == "" }

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
