package scene

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

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
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, fileError(path, err)
	case info.IsDir():
		return nil, fmt.Errorf("scene %q: this is a directory; want a JSON file", path)
	case info.Size() > MaxFileSize:
		return nil, fmt.Errorf("scene %q: %w", path, errSize)
	}
	return Read(f, path)
}

// fileError says in one form for all systems what they say in different
// words, and names the file once.
func fileError(path string, err error) error {
	const want = "want a JSON file that can be read"
	for _, known := range []error{fs.ErrNotExist, fs.ErrPermission} {
		if errors.Is(err, known) {
			return fmt.Errorf("scene %q: %w; %s", path, known, want)
		}
	}
	if e := (*fs.PathError)(nil); errors.As(err, &e) {
		err = e.Err
	}
	return fmt.Errorf("scene %q: %w; %s", path, err, want)
}

// Read reads a scene as JSON from r to its end, and validates it. The name is
// that of the file, for errors and for a scene without a name of its own.
//
// An error is one line: the file, the place, what is wrong and what would be
// right. The place is line and column, where the JSON or the type of a value
// is at fault, and the field in words.
func Read(r io.Reader, name string) (*Scene, error) {
	text, err := io.ReadAll(io.LimitReader(r, MaxFileSize+1))
	if err != nil {
		return nil, fileError(name, err)
	}
	s, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("scene %q: %w", name, err)
	}
	if s.Name == "" {
		s.Name = sceneName(name)
	}
	if err := s.Validate(); err != nil {
		return nil, fmt.Errorf("scene %q: %w", name, err)
	}
	return s, nil
}

// sceneName is a file's name without folder and ending, made printable.
func sceneName(file string) string {
	base := filepath.Base(file)
	if name := strings.TrimSuffix(base, filepath.Ext(base)); name != "" {
		base = name
	}
	base = strings.Map(func(r rune) rune {
		if unprintable(r) {
			return '_'
		}
		return r
	}, base)
	return strings.ToValidUTF8(base[:min(len(base), maxName)], "")
}

var errSize = fmt.Errorf("larger than the size limit; want at most %d MiB", MaxFileSize>>20)

func parse(text []byte) (*Scene, error) {
	if len(text) > MaxFileSize {
		return nil, errSize
	}
	p := &parser{dec: jsontext.NewDecoder(bytes.NewBuffer(text)), text: text}
	if starts(text, "\xEF\xBB\xBF", "\xFE\xFF", "\xFF\xFE") {
		return nil, p.errorf(0, "byte order mark; want UTF-8 without one")
	}
	if len(bytes.TrimLeft(text, space)) == 0 {
		return nil, errors.New("the file is empty; want a JSON object with camera and spheres")
	}
	var s Scene
	if err := p.object("an object with camera and spheres", []field{
		{name: "name", into: &s.Name, want: "a string", optional: true},
		{name: "camera", into: &s.Camera, want: "an object with from and at"},
		{name: "spheres", into: &s.Spheres, want: "an array of objects"},
	}); err != nil {
		return nil, err
	}
	if rest := bytes.TrimLeft(text[p.dec.InputOffset():], space); len(rest) > 0 {
		return nil, p.errorf(len(text)-len(rest), "text after the end of the scene; want one JSON object")
	}
	return &s, nil
}

// parser reads a scene token by token. Decoding into structs would be
// shorter, but misses fields that are absent, null or out of place, and its
// errors speak of Go's types.
type parser struct {
	dec  *jsontext.Decoder
	text []byte
}

// field is one that an object must or may have.
type field struct {
	name     string
	into     any    // of a type that value knows
	want     string // what the value should be, in words
	optional bool
	at       int // where the value was found in the text, or 0
}

// What several fields want.
const (
	wantNumber = "a number"
	wantVector = "an array of three numbers"
	wantKind   = `"lambertian", "metal" or "dielectric"`
)

// object reads an object that has no other fields than these, and says in
// them where they were found.
func (p *parser) object(want string, fields []field) error {
	start := p.next()
	if _, err := p.token('{', want); err != nil {
		return err
	}
	for i := range fields {
		fields[i].at = 0
	}
	for p.dec.PeekKind() != '}' {
		at := p.next()
		tok, err := p.dec.ReadToken()
		if err != nil {
			return p.syntaxError(err, "a field name in double quotes")
		}
		name := tok.String()
		i := slices.IndexFunc(fields, func(f field) bool { return f.name == name })
		if i < 0 {
			var names []string
			for _, f := range fields {
				names = append(names, f.name)
			}
			last := len(names) - 1
			return p.errorf(at, "%sunknown field %s; want %s or %s", inside(p.dec.StackPointer().Parent()),
				quote(name), strings.Join(names[:last], ", "), names[last])
		}
		fields[i].at = p.next()
		if err := p.value(&fields[i]); err != nil {
			return err
		}
	}
	if _, err := p.token('}', want); err != nil {
		return err
	}
	for _, f := range fields {
		if f.at == 0 && !f.optional {
			return p.missing(start, f)
		}
	}
	return nil
}

func (p *parser) missing(object int, f field) error {
	return p.errorf(object, "%s is missing; want %s", place(p.dec.StackPointer().AppendToken(f.name)), f.want)
}

func (p *parser) value(f *field) error {
	switch into := f.into.(type) {
	case *Camera:
		return p.camera(into, f.want)
	case *[]Sphere:
		return p.spheres(into, f.want)
	case *[3]float32:
		return p.vector(into, f.want)
	case *float32:
		return p.number(into)
	case *string:
		tok, err := p.token('"', f.want)
		if err == nil {
			*into = tok.String()
		}
		return err
	case *Kind:
		tok, err := p.token('"', f.want)
		if err != nil {
			return err
		}
		for k := Lambertian; k <= Dielectric; k++ {
			if tok.String() == k.String() {
				*into = k
				return nil
			}
		}
		return p.mismatch(f.at, tok, f.want)
	}
	panic(fmt.Sprintf("no reader for %T", f.into))
}

func (p *parser) camera(c *Camera, want string) error {
	*c = Camera{Up: [3]float32{0, 1, 0}, FOV: 60}
	fields := []field{
		{name: "from", into: &c.From, want: wantVector},
		{name: "at", into: &c.At, want: wantVector},
		{name: "up", into: &c.Up, want: wantVector, optional: true},
		{name: "fov", into: &c.FOV, want: wantNumber, optional: true},
		{name: "aperture", into: &c.Aperture, want: wantNumber, optional: true},
		{name: "focus", into: &c.Focus, want: wantNumber, optional: true},
	}
	err := p.object(want, fields)
	if focus := fields[len(fields)-1]; focus.at == 0 {
		c.Focus = float32(length(difference(c.From, c.At)))
	}
	return err
}

func (p *parser) spheres(spheres *[]Sphere, want string) error {
	if _, err := p.token('[', want); err != nil {
		return err
	}
	var s Sphere
	m := &s.Material
	fields := []field{
		{name: "center", into: &s.Center, want: wantVector},
		{name: "radius", into: &s.Radius, want: wantNumber},
		{name: "material", into: &m.Kind, want: wantKind},
		{name: "albedo", into: &m.Albedo, want: wantVector, optional: true},
		{name: "fuzz", into: &m.Fuzz, want: wantNumber, optional: true},
		{name: "index", into: &m.Index, want: wantNumber, optional: true},
	}
	const no, may, must = 0, 1, 2
	kinds := [...]struct {
		rules [3]int // for albedo, fuzz and index
		want  string
	}{
		Lambertian: {[3]int{must, no, no}, "albedo"},
		Metal:      {[3]int{must, may, no}, "albedo and fuzz"},
		Dielectric: {[3]int{no, no, must}, "index"},
	}
	for p.dec.PeekKind() != ']' {
		s = Sphere{}
		start := p.next()
		if err := p.object("an object with center, radius and material", fields); err != nil {
			return err
		}
		kind := &kinds[m.Kind]
		for i, f := range fields[3:] {
			if f.at == 0 && kind.rules[i] == must {
				return p.missing(start, f)
			}
			if f.at != 0 && kind.rules[i] == no {
				return p.errorf(f.at, "%s%s does not belong to %v; want only %s", inside(p.dec.StackPointer()), f.name, m.Kind, kind.want)
			}
		}
		*spheres = append(*spheres, s)
	}
	_, err := p.token(']', want)
	return err
}

func (p *parser) vector(v *[3]float32, want string) error {
	at := p.next()
	if _, err := p.token('[', want); err != nil {
		return err
	}
	n := 0
	for ; n < len(v) && p.dec.PeekKind() != ']'; n++ {
		if err := p.number(&v[n]); err != nil {
			return err
		}
	}
	tok, err := p.dec.ReadToken()
	switch {
	case err != nil:
		return p.syntaxError(err, "three numbers")
	case tok.Kind() != ']':
		return p.errorf(at, "%s has more than three numbers; want three", place(p.dec.StackPointer().Parent()))
	case n < len(v):
		return p.errorf(at, "%s has %d of three numbers; want three", place(p.dec.StackPointer()), n)
	}
	return nil
}

func (p *parser) number(v *float32) error {
	at := p.next()
	tok, err := p.token('0', wantNumber)
	if err != nil {
		return err
	}
	*v, err = tok.Float32()
	// A number that is too small becomes 0 without an error.
	if err == nil && *v == 0 {
		mantissa, _, _ := strings.Cut(strings.ToLower(tok.String()), "e")
		if strings.Trim(mantissa, "-0.") != "" {
			err = strconv.ErrRange
		}
	}
	if err != nil {
		return p.mismatch(at, tok, "a number that a 32-bit float can hold")
	}
	return nil
}

// token reads a token of one kind.
func (p *parser) token(kind jsontext.Kind, want string) (jsontext.Token, error) {
	at := p.next()
	tok, err := p.dec.ReadToken()
	if err != nil {
		return tok, p.syntaxError(err, want)
	}
	if tok.Kind() != kind {
		return tok, p.mismatch(at, tok, want)
	}
	return tok, nil
}

func (p *parser) mismatch(at int, tok jsontext.Token, want string) error {
	var is string
	switch tok.Kind() {
	case '{':
		is = "an object"
	case '[':
		is = "an array"
	case '"':
		is = quote(tok.String())
	default:
		is = shorten(tok.String())
	}
	return p.errorf(at, "%s is %s; want %s", place(p.dec.StackPointer()), is, want)
}

// syntaxError puts an error of the decoder in the words of this format. Want
// is what the parser was about to read.
func (p *parser) syntaxError(err error, want string) error {
	var e *jsontext.SyntacticError
	if !errors.As(err, &e) {
		return err
	}
	at, in := int(e.ByteOffset), inside(e.JSONPointer)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		end := len(bytes.TrimRight(p.text, space))
		return p.errorf(end, "%sthe file ends too early; want the rest of the scene", in)
	case errors.Is(err, jsontext.ErrDuplicateName):
		return p.errorf(at, "%s is there twice; want it once", place(e.JSONPointer))
	}
	wrong := p.text[at:]       // begins with what is wrong
	token := p.text[p.next():] // begins with the token that it is part of
	_, before := p.dec.StackIndex(p.dec.StackDepth())
	what, instead, _ := strings.Cut(e.Err.Error(), " (expecting ")
	instead = strings.TrimSuffix(instead, ")")
	switch {
	case starts(wrong, "//", "/*", "#"):
		return p.errorf(at, "%scomment; want JSON, which has none", in)
	case starts(wrong, ",") && before > 0 && starts(token, "]", "}"):
		return p.errorf(at, "%scomma before a closing bracket; want none", in)
	case strings.Contains(what, " after ") && instead != "":
		return p.errorf(at, "%s%s; want %s", in, what, instead)
	case strings.HasSuffix(what, " in number"):
		return p.errorf(at, "%s%s; want a digit", in, what)
	case starts(token, `"`) && !starts(wrong, ","):
		return p.errorf(at, "%s%s; want UTF-8 with the escapes of JSON", in, what)
	}
	if !starts(wrong, ",") {
		at = p.next()
	}
	r, _ := utf8.DecodeRune(p.text[at:])
	return p.errorf(at, "%sunexpected %q; want %s", in, r, want)
}

func starts(text []byte, with ...string) bool {
	return slices.ContainsFunc(with, func(s string) bool { return bytes.HasPrefix(text, []byte(s)) })
}

// errorf begins an error with the line and column of an offset in the text.
// Both count from 1, columns in characters.
func (p *parser) errorf(at int, format string, args ...any) error {
	before := p.text[:at]
	line := bytes.Count(before, []byte("\n")) + 1
	column := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
	return fmt.Errorf("%d:%d: "+format, append([]any{line, column}, args...)...)
}

const space = " \t\r\n"

// next is the offset of the next token, or the length of the text.
func (p *parser) next() int {
	at := int(p.dec.InputOffset())
	for at < len(p.text) && strings.IndexByte(space+",:", p.text[at]) >= 0 {
		at++
	}
	return at
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
		case t[0] >= '0' && t[0] <= '9':
			s += "[" + t + "]"
		default:
			s += ": " + t
		}
	}
	if s == "" {
		return "the file"
	}
	return s
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
