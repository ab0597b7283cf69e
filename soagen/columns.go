package main

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// column is one column of the container.
type column struct {
	Name   string // of the method
	Path   string // of the field in the struct: Center.X
	Type   string // of an element, as written in the generated file
	Flat   bool   // lives in the shared block: it can hold no pointers
	Padded string // name of the method that returns the padded column, or ""

	PadValue string // expression for the pad value, or "" if it is the zero value
	PadText  string // the same for people

	typ types.Type
	pos token.Pos
	pad padding
}

// padding is a pad value: a constant, or one of the floating-point numbers
// that Go has no constant for.
type padding struct {
	literal string
	call    string // what to call in package math
}

// fieldTag is what the soa key of a field's tag says.
type fieldTag struct {
	skip  bool
	split bool
	name  string
	pads  []string // one, or with split one a component
}

const wantTag = "want -, split, name=X or pad=V"

// unquotedTag finds a soa key that reflect.StructTag does not.
var unquotedTag = regexp.MustCompile(`(^|\s)soa\s*(:|=|$)`)

func parseTag(tag string) (t fieldTag, err error) {
	value, ok := reflect.StructTag(tag).Lookup("soa")
	if !ok {
		if unquotedTag.MatchString(tag) {
			err = fmt.Errorf("the tag %s is malformed; want `soa:\"...\"`", tag)
		}
		return t, err
	}
	if value == "-" {
		return fieldTag{skip: true}, nil
	}
	for option := range strings.SplitSeq(value, ",") {
		key, arg, hasArg := strings.Cut(option, "=")
		switch {
		case option == "split" && !t.split:
			t.split = true
		case key == "name" && hasArg && t.name == "":
			if !token.IsIdentifier(arg) || arg == "_" {
				return t, fmt.Errorf("%q is no name for a column; want an identifier, as in name=X", arg)
			}
			t.name = arg
		case key == "pad" && hasArg && t.pads == nil:
			t.pads = strings.Split(arg, ":")
		case option == "split", key == "name" && hasArg, key == "pad" && hasArg:
			return t, fmt.Errorf("soa tag %q has %s twice; want it once", value, key)
		case option == "-":
			return t, fmt.Errorf("soa tag %q both skips the field and does not; want - alone", value)
		default:
			return t, fmt.Errorf("unknown soa tag %q; %s", option, wantTag)
		}
	}
	return t, nil
}

// makeColumns makes the columns of the struct. Their types and pad values are
// written down later, when it is known what imported packages are called.
func (c *container) makeColumns() error {
	src := c.src
	for i := range src.st.NumFields() {
		f := src.st.Field(i)
		pos := f.Pos()
		if f.Pkg() != src.pkg.Types {
			pos = src.obj.Pos() // defined by a struct of another package
		}
		if f.Name() == "_" {
			continue
		}
		tag, err := parseTag(src.st.Tag(i))
		if err != nil {
			return src.errorf(pos, "%v", err)
		}
		if tag.skip {
			c.Skipped = true
			continue
		}
		if !f.Exported() && f.Pkg() != src.pkg.Types {
			return src.errorf(pos, "field %s is not exported by package %s", f.Name(), f.Pkg().Path())
		}
		if tag.name == "" {
			tag.name = f.Name()
		}
		fieldCols := []*column{{Name: tag.name, Path: f.Name(), typ: f.Type(), pos: pos}}
		if tag.split {
			if fieldCols, err = src.split(f, pos, tag.name); err != nil {
				return err
			}
			c.splits = append(c.splits, f)
		}
		if tag.pads != nil && c.Pad == 1 {
			return src.errorf(pos, "%s has a pad value, but -pad is not given; want both or neither", f.Name())
		}
		if n := len(tag.pads); n > 1 && n != len(fieldCols) {
			return src.errorf(pos, "%s has %d pad values; want 1 or %d", f.Name(), n, len(fieldCols))
		}
		for i, col := range fieldCols {
			col.Flat = c.Align > 0 && src.pointerFree(col.typ)
			if tag.pads != nil {
				col.PadText = tag.pads[i%len(tag.pads)]
				if col.pad, err = src.padding(col.PadText, col.typ); err != nil {
					return src.errorf(pos, "pad value of %s: %v", f.Name(), err)
				}
			}
		}
		c.Columns = append(c.Columns, fieldCols...)
	}
	if len(c.Columns) == 0 {
		return src.errorf(src.obj.Pos(), "%s has no field to make a column of", src.obj.Name())
	}
	return nil
}

// maxSplit is the largest array that is split into columns.
const maxSplit = 16

// split makes a column of each component of a vector: a struct of numbers, or
// a short array of them.
func (src *source) split(f *types.Var, pos token.Pos, prefix string) ([]*column, error) {
	const want = "want a struct or a short array of numbers"
	var cols []*column
	switch u := f.Type().Underlying().(type) {
	case *types.Array:
		if u.Len() < 1 || u.Len() > maxSplit {
			return nil, src.errorf(pos, "%s cannot be split into %d columns; want 1 to %d", f.Name(), u.Len(), maxSplit)
		}
		for i := range u.Len() {
			n := strconv.FormatInt(i, 10)
			cols = append(cols, &column{Name: prefix + n, Path: f.Name() + "[" + n + "]", typ: u.Elem(), pos: pos})
		}
	case *types.Struct:
		for part := range u.Fields() {
			if part.Name() == "_" {
				continue
			}
			if !part.Exported() && part.Pkg() != src.pkg.Types {
				return nil, src.errorf(pos, "%s cannot be split: %s.%s is not exported by package %s",
					f.Name(), f.Name(), part.Name(), part.Pkg().Path())
			}
			cols = append(cols, &column{Name: prefix + upperFirst(part.Name()), Path: f.Name() + "." + part.Name(), typ: part.Type(), pos: pos})
		}
	default:
		return nil, src.errorf(pos, "%s cannot be split: it is %s; %s", f.Name(), src.spelling(f.Type().Underlying()), want)
	}
	for _, c := range cols {
		if !types.Identical(c.typ, cols[0].typ) {
			return nil, src.errorf(pos, "%s cannot be split: its components differ in type; %s", f.Name(), want)
		}
		if b, ok := c.typ.Underlying().(*types.Basic); !ok || b.Info()&types.IsNumeric == 0 {
			return nil, src.errorf(pos, "%s cannot be split: %s is not a number; %s", f.Name(), c.Path, want)
		}
	}
	if len(cols) == 0 {
		return nil, src.errorf(pos, "%s cannot be split: it has no components; %s", f.Name(), want)
	}
	return cols, nil
}

// padding evaluates a pad value as a constant of type t, where the struct is:
// it may name constants of the package and of what its file imports.
func (src *source) padding(expr string, t types.Type) (padding, error) {
	b, ok := t.Underlying().(*types.Basic)
	if !ok || b.Info()&(types.IsInteger|types.IsFloat|types.IsBoolean) == 0 {
		return padding{}, fmt.Errorf("%s is neither a real number nor a bool, so it is padded with its zero value; want no pad value", src.spelling(t))
	}
	want := "a constant"
	if b.Info()&types.IsFloat != 0 {
		want = "a constant, inf, -inf or nan"
		switch expr {
		case "inf", "+inf":
			return padding{call: "Inf(1)"}, nil
		case "-inf":
			return padding{call: "Inf(-1)"}, nil
		case "nan":
			return padding{call: "NaN()"}, nil
		}
	}
	tv, err := types.Eval(src.pkg.Fset, src.pkg.Types, src.obj.Pos(), b.Name()+"("+expr+")")
	if err != nil {
		msg := oneLine(err.Error())
		if p := regexp.MustCompile(`^eval:\d+:\d+: `).FindString(msg); p != "" {
			msg = msg[len(p):]
		}
		return padding{}, fmt.Errorf("%q is no %s: %s; want %s", expr, b.Name(), msg, want)
	}
	switch v := tv.Value; {
	case v == nil:
		return padding{}, fmt.Errorf("%q is not constant; want %s", expr, want)
	case v.Kind() == constant.Bool:
		if constant.BoolVal(v) {
			return padding{literal: "true"}, nil
		}
		return padding{}, nil
	case constant.Sign(v) == 0:
		return padding{}, nil
	case b.Info()&types.IsInteger != 0:
		return padding{literal: constant.ToInt(v).ExactString()}, nil
	}
	bits := 64
	if b.Kind() == types.Float32 {
		bits = 32
	}
	float, _ := constant.Float64Val(tv.Value)
	return padding{literal: strconv.FormatFloat(float, 'g', -1, bits)}, nil
}

func upperFirst(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

func lowerFirst(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToLower(r)) + s[n:]
}
