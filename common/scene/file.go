package scene

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// MaxFileSize is how many bytes a scene file may have.
const MaxFileSize = 64 << 20

// ReadFile reads a scene from a JSON file in the form that
// docs/scene-format.md describes. See Read for the errors; that of a file
// that cannot be opened wraps the operating system's.
func ReadFile(path string) (*Scene, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fileError(path, err)
	}
	defer f.Close()
	return Read(f, path)
}

// fileError says that a file cannot be read, and names it once.
func fileError(path string, err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err
	}
	if errors.Is(err, fs.ErrNotExist) { // systems have different words
		err = fs.ErrNotExist
	}
	return fmt.Errorf("scene %q: %w; want a JSON file that can be read", path, err)
}

// Read reads a scene as JSON from r to its end, and validates it. The name is
// that of the file, for errors and for a scene whose name is empty.
//
// An error is one line: the file, the place, what is wrong and what would be
// right. The place is line and column, where the JSON or the type of a value
// is at fault, and the field in words.
func Read(r io.Reader, name string) (*Scene, error) {
	text, err := io.ReadAll(io.LimitReader(r, MaxFileSize+1))
	if err != nil {
		return nil, fileError(name, err)
	}
	if len(text) > MaxFileSize {
		return nil, fmt.Errorf("scene %q: larger than the size limit; want at most %d MiB", name, MaxFileSize>>20)
	}
	s, err := file(text).scene()
	if err != nil {
		return nil, fmt.Errorf("scene %q: %w", name, err)
	}
	if s.Name == "" {
		base := filepath.Base(name)
		s.Name = cmp.Or(strings.TrimSuffix(base, filepath.Ext(base)), base)
	}
	if err := s.Validate(); err != nil {
		return nil, fmt.Errorf("scene %q: %w", name, err)
	}
	return s, nil
}

// The fields of a file. Those that are absent are nil.
type (
	sceneFields struct {
		Name    string         `json:"name"`
		Camera  *cameraFields  `json:"camera"`
		Spheres []sphereFields `json:"spheres"`
	}
	cameraFields struct {
		From     []float32 `json:"from"`
		At       []float32 `json:"at"`
		Up       []float32 `json:"up"`
		FOV      *float32  `json:"fov"`
		Aperture *float32  `json:"aperture"`
		Focus    *float32  `json:"focus"`
	}
	sphereFields struct {
		Center   []float32 `json:"center"`
		Radius   *float32  `json:"radius"`
		Material *Kind     `json:"material"`
		Albedo   []float32 `json:"albedo"`
		Fuzz     *float32  `json:"fuzz"`
		Index    *float32  `json:"index"`
	}
)

// wants says what the fields should be.
var wants = map[string]string{
	"name": "a string", "camera": "an object with from and at", "spheres": "an array of objects",
	"from": aVector, "at": aVector, "up": aVector, "fov": aNumber, "aperture": aNumber, "focus": aNumber,
	"center": aVector, "radius": aNumber, "material": `"lambertian", "metal" or "dielectric"`,
	"albedo": aVector, "fuzz": aNumber, "index": aNumber,
}

const (
	aNumber = "a 32-bit number"
	aVector = "an array of three numbers"
)

// fieldsOf says which fields an object may have.
var fieldsOf = map[string]string{
	"": "name, camera or spheres", "camera": "from, at, up, fov, aperture or focus",
	"spheres": "center, radius, material, albedo, fuzz or index",
}

// UnmarshalText is for the name of a kind.
func (k *Kind) UnmarshalText(text []byte) error {
	for *k = Lambertian; *k <= Dielectric; *k++ {
		if k.String() == string(text) {
			return nil
		}
	}
	return errors.New("unknown kind") // for which file.mismatch has better words
}

// file is the text of a scene file.
type file []byte

func (f file) scene() (*Scene, error) {
	var fields sceneFields
	if err := json.Unmarshal(f, &fields, json.RejectUnknownMembers(true)); err != nil {
		return nil, f.explain(err)
	}
	if err := f.noNull(); err != nil {
		return nil, err
	}
	if err := cmp.Or(
		f.require("", "camera", fields.Camera != nil),
		f.require("", "spheres", fields.Spheres != nil),
	); err != nil {
		return nil, err
	}
	s := &Scene{Name: fields.Name, Spheres: make([]Sphere, len(fields.Spheres))}
	if err := f.camera(&s.Camera, fields.Camera); err != nil {
		return nil, err
	}
	for i := range s.Spheres {
		if err := f.sphere(&s.Spheres[i], &fields.Spheres[i], i); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (f file) camera(c *Camera, fields *cameraFields) error {
	const ptr = "/camera"
	*c = Camera{Up: [3]float32{0, 1, 0}, FOV: 60}
	set(&c.FOV, fields.FOV)
	set(&c.Aperture, fields.Aperture)
	if err := cmp.Or(
		f.require(ptr, "from", fields.From != nil),
		f.require(ptr, "at", fields.At != nil),
		f.vector(&c.From, fields.From, ptr, "from"),
		f.vector(&c.At, fields.At, ptr, "at"),
		f.vector(&c.Up, fields.Up, ptr, "up"),
	); err != nil {
		return err
	}
	c.Focus = float32(length(difference(c.From, c.At)))
	set(&c.Focus, fields.Focus)
	return nil
}

func (f file) sphere(s *Sphere, fields *sphereFields, i int) error {
	m := &s.Material
	set(&s.Radius, fields.Radius)
	set(&m.Kind, fields.Material)
	set(&m.Fuzz, fields.Fuzz)
	set(&m.Index, fields.Index)
	ptr := jsontext.Pointer("/spheres/" + strconv.Itoa(i))
	return cmp.Or(
		f.require(ptr, "center", fields.Center != nil),
		f.require(ptr, "radius", fields.Radius != nil),
		f.require(ptr, "material", fields.Material != nil),
		f.require(ptr, "albedo", fields.Albedo != nil || m.Kind == Dielectric),
		f.require(ptr, "index", fields.Index != nil || m.Kind != Dielectric),
		f.vector(&s.Center, fields.Center, ptr, "center"),
		f.vector(&m.Albedo, fields.Albedo, ptr, "albedo"),
	)
}

// set sets what a field is about, if it is there.
func set[T any](v, field *T) {
	if field != nil {
		*v = *field
	}
}

// vector is set for a field of three numbers.
func (f file) vector(v *[3]float32, numbers []float32, object jsontext.Pointer, name string) error {
	if numbers != nil && len(numbers) != len(v) {
		ptr := object.AppendToken(name)
		return f.errorf(f.find(ptr), "%s has %d numbers; want three", place(ptr), len(numbers))
	}
	copy(v[:], numbers)
	return nil
}

// require fails unless a field of an object was found.
func (f file) require(object jsontext.Pointer, name string, found bool) error {
	if found {
		return nil
	}
	return f.errorf(f.find(object), "%s is missing; want %s", place(object.AppendToken(name)), wants[name])
}

// noNull reports the first null, which the decoder takes for a field that is
// absent, or for 0.
func (f file) noNull() error {
	d := jsontext.NewDecoder(bytes.NewBuffer(f))
	for {
		switch token, err := d.ReadToken(); {
		case err != nil: // the end
			return nil
		case token.Kind() == 'n':
			return f.mismatch(int(d.InputOffset())-len("null"), d.StackPointer())
		}
	}
}

var trailingComma = regexp.MustCompile(`^,\s*[\]}]`)

// explain puts an error of the decoder in the words of this format.
func (f file) explain(err error) error {
	if e, ok := errors.AsType[*json.SemanticError](err); ok {
		at := int(e.ByteOffset)
		if !errors.Is(e.Err, json.ErrUnknownName) {
			return f.mismatch(at, e.JSONPointer)
		}
		object := e.JSONPointer.Parent()
		kind, _, _ := strings.Cut(strings.TrimPrefix(string(object), "/"), "/")
		return f.errorf(at, "%sunknown field %s; want %s", inside(object), quote(e.JSONPointer.LastToken()), fieldsOf[kind])
	}
	e, ok := errors.AsType[*jsontext.SyntacticError](err)
	if !ok {
		return err
	}
	at := int(e.ByteOffset)
	what, want, expected := strings.Cut(strings.TrimSuffix(e.Err.Error(), ")"), " (expecting ")
	wrong := bytes.TrimLeft(f[at:], space)
	switch {
	case errors.Is(err, jsontext.ErrDuplicateName):
		return f.errorf(at, "%s is there twice; want it once", place(e.JSONPointer))
	case errors.Is(err, io.ErrUnexpectedEOF):
		what, want = "the file ends too early", "the rest of the scene"
	case strings.HasSuffix(what, "after top-level value"):
		want = "nothing there"
	case trailingComma.Match(wrong) && !strings.Contains(what, "after"):
		what, want = "comma before a closing bracket", "none"
	case bytes.HasPrefix(wrong, []byte("/")):
		what, want = "comment", "JSON, which has none"
	case !expected:
		want = f.want(e.JSONPointer)
	}
	return f.errorf(at, "%s%s; want %s", inside(e.JSONPointer), what, want)
}

// want says what should be at a pointer.
func (f file) want(ptr jsontext.Pointer) string {
	name, inArray := ptr.LastToken(), strings.Trim(ptr.LastToken(), "0123456789") == ""
	switch {
	case ptr == "":
		return "an object with camera and spheres"
	case inArray && ptr.Parent() == "/spheres":
		return "an object with center, radius and material"
	case inArray:
		return aNumber
	}
	return wants[name]
}

// mismatch is about a value that is not what it should be.
func (f file) mismatch(at int, ptr jsontext.Pointer) error {
	token, err := jsontext.NewDecoder(bytes.NewBuffer(f[at:])).ReadToken()
	if err != nil {
		return err
	}
	is := shorten(token.String())
	switch token.Kind() {
	case '{':
		is = "an object"
	case '[':
		is = "an array"
	case '"':
		is = quote(token.String())
	}
	return f.errorf(at, "%s is %s; want %s", place(ptr), is, f.want(ptr))
}

const space = " \t\r\n"

// find returns the offset of the value at a pointer.
func (f file) find(ptr jsontext.Pointer) int {
	d := jsontext.NewDecoder(bytes.NewBuffer(f))
	for {
		at := len(f) - len(bytes.TrimLeft(f[d.InputOffset():], space+",:"))
		if _, err := d.ReadToken(); err != nil {
			return at
		}
		// A name has the pointer of its value, and is the first of the two.
		kind, n := d.StackIndex(d.StackDepth())
		if name := kind == '{' && n%2 == 1; !name && d.StackPointer() == ptr {
			return at
		}
	}
}

// errorf begins an error with the line and column of an offset in the text.
// Both count from 1, columns in characters.
func (f file) errorf(at int, format string, args ...any) error {
	before := f[:at]
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
		case strings.Trim(t, "0123456789") == "":
			s += "[" + t + "]"
		default:
			s += ": " + t
		}
	}
	return cmp.Or(s, "the file")
}

// inside is place before a remark that is about something in it.
func inside(ptr jsontext.Pointer) string {
	if ptr == "" {
		return ""
	}
	return place(ptr) + ": "
}

// quote is a string from the file, fit for a line of text.
func quote(s string) string { return strconv.Quote(shorten(s)) }

func shorten(s string) string {
	const most = 40
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "..."
	}
	return s
}
