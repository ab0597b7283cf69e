package scene

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// reader is the text of a file. The package json by itself would take null and repeated
// fields, and says of a value neither its line nor its sphere.
type reader []byte

// value is a value in JSON, and where it is in the file.
type value struct {
	text []byte
	at   int
}

// field is a field of an object.
type field struct {
	name string
	want string // what the value should be
	must bool   // be there
	// set stores the value. It returns errOther if that is not what it should be, or an
	// error with the place of something in it.
	set func(v value) error
}

var errOther = errors.New("another value is wanted")

// syntax holds the file to being one value in JSON.
func (r reader) syntax() error {
	if bytes.HasPrefix(r, []byte("\ufeff")) {
		return r.errorf(0, "a byte order mark; want a file in UTF-8 without one")
	}
	if !utf8.Valid(r) {
		valid := bytes.TrimLeftFunc(r, func(c rune) bool { return c != utf8.RuneError })
		return r.errorf(len(r)-len(valid), "invalid UTF-8; want a file in UTF-8")
	}
	if e, ok := errors.AsType[*json.SyntaxError](json.Unmarshal(r, new(json.RawMessage))); ok {
		return r.errorf(max(0, int(e.Offset)-1), "%v; want one value in plain JSON: no comments, no trailing commas", e)
	}
	return nil
}

// object reads an object.
func (r reader) object(v value, place, want string, fields ...field) error {
	if v.text[0] != '{' {
		return r.errorf(v.at, "%s is %s; want %s", place, printable(v.text), want)
	}
	place = strings.TrimPrefix(place+": ", "the file: ")
	seen := make([]bool, len(fields))
	if err := v.each(func(name string, at int, v value) error {
		i := slices.IndexFunc(fields, func(f field) bool { return f.name == name })
		if i < 0 {
			var names []string
			for _, f := range fields {
				names = append(names, f.name)
			}
			return r.errorf(at, "%sunknown field %s; want one of %s", place, quote(name), strings.Join(names, ", "))
		} else if seen[i] {
			return r.errorf(at, "%sduplicate field %q; want it once", place, name)
		}
		seen[i] = true
		err := fields[i].set(v)
		if err == errOther {
			err = r.errorf(v.at, "%s%s is %s; want %s", place, name, printable(v.text), fields[i].want)
		}
		return err
	}); err != nil {
		return err
	}
	for i, f := range fields {
		if f.must && !seen[i] {
			return r.errorf(v.at, "%s%s is missing; want %s", place, f.name, f.want)
		}
	}
	return nil
}

// each calls do with what is in an object or an array: each value, with its name and where
// that is in an object.
func (v value) each(do func(name string, at int, v value) error) error {
	d := json.NewDecoder(bytes.NewReader(v.text))
	next := func() int { return len(v.text) - len(bytes.TrimLeft(v.text[d.InputOffset():], " \t\r\n,:")) }
	d.Token()
	for d.More() {
		at, name := next(), ""
		if v.text[0] == '{' {
			token, _ := d.Token()
			name = token.(string)
		}
		begin := next()
		var text json.RawMessage
		d.Decode(&text)
		if err := do(name, v.at+at, value{text, v.at + begin}); err != nil {
			return err
		}
	}
	return nil
}

// errorf begins an error with the line and column of an offset in the text.
// Both count from 1, columns in characters.
func (r reader) errorf(at int, format string, args ...any) error {
	before := r[:at]
	line := bytes.Count(before, []byte("\n")) + 1
	column := utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
	return fmt.Errorf("%d:%d: "+format, append([]any{line, column}, args...)...)
}

// quote is a string from the file, fit for a line of text. What printable returns
// has no quotes if it can do without.
func quote(s string) string { return strconv.Quote(shorten(s)) }

func printable(text []byte) string {
	if bytes.ContainsFunc(text, unprintable) {
		return quote(string(text))
	}
	return shorten(string(text))
}

func shorten(s string) string {
	const most = 40
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "..."
	}
	return s
}

func unprintable(r rune) bool { return r == unicode.ReplacementChar || !unicode.IsPrint(r) }
