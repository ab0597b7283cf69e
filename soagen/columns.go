package main

import (
	"go/token"
	"go/types"
	"strconv"
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

// makeColumns makes the columns of the struct. Their types and pad values are
// written down later, when it is known what imported packages are called.
func (c *container) makeColumns() error {
	src := c.src
	for i := range src.st.NumFields() {
		f := src.st.Field(i)
		if f.Name() == "_" {
			continue
		}
		pos := f.Pos()
		if f.Pkg() != src.pkg.Types {
			pos = src.obj.Pos() // defined by a struct of another package
		}
		tag, err := parseTag(src.st.Tag(i))
		switch {
		case err != nil:
			return src.errorf(pos, "%v", err)
		case tag.skip:
			c.Skipped = true
		case !f.Exported() && f.Pkg() != src.pkg.Types:
			return src.errorf(pos, "field %s is not exported by package %s", f.Name(), f.Pkg().Path())
		default:
			if err := c.addColumns(f, pos, tag); err != nil {
				return err
			}
		}
	}
	if len(c.Columns) == 0 {
		return src.errorf(src.obj.Pos(), "%s has no field to make a column of", src.obj.Name())
	}
	return nil
}

// addColumns adds those of a field, to which pos points.
func (c *container) addColumns(f *types.Var, pos token.Pos, tag fieldTag) (err error) {
	src := c.src
	if tag.name == "" {
		tag.name = f.Name()
	}
	cols := []*column{{Name: tag.name, Path: f.Name(), typ: f.Type(), pos: pos}}
	if tag.split {
		if cols, err = src.split(f, pos, tag.name); err != nil {
			return err
		}
		c.splits = append(c.splits, f)
	}
	if tag.pads != nil && c.Pad == 1 {
		return src.errorf(pos, "%s has a pad value, but -pad is not given; want both or neither", f.Name())
	}
	if n := len(tag.pads); n > 1 && n != len(cols) {
		return src.errorf(pos, "%s has %d pad values; want 1 or %d", f.Name(), n, len(cols))
	}
	for i, col := range cols {
		col.Flat = c.Align > 0 && src.pointerFree(col.typ)
		if tag.pads != nil {
			col.PadText = tag.pads[i%len(tag.pads)]
			if col.pad, err = src.padding(col.PadText, col.typ); err != nil {
				return src.errorf(pos, "pad value of %s: %v", f.Name(), err)
			}
		}
	}
	c.Columns = append(c.Columns, cols...)
	return nil
}

// maxSplit is the largest array that is split into columns.
const maxSplit = 16

// split makes a column of each component of a vector: a struct of numbers, or
// a short array of them. A type parameter counts as a number.
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
			path := f.Name() + "[" + n + "]"
			cols = append(cols, &column{Name: prefix + n, Path: path, typ: u.Elem(), pos: pos})
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
			name, path := prefix+upperFirst(part.Name()), f.Name()+"."+part.Name()
			cols = append(cols, &column{Name: name, Path: path, typ: part.Type(), pos: pos})
		}
	default:
		return nil, src.errorf(pos, "%s cannot be split: it is %s; %s", f.Name(), src.spelling(f.Type().Underlying()), want)
	}
	for _, c := range cols {
		if !types.Identical(c.typ, cols[0].typ) {
			return nil, src.errorf(pos, "%s cannot be split: its components differ in type; %s", f.Name(), want)
		}
		b, ok := c.typ.Underlying().(*types.Basic)
		_, param := types.Unalias(c.typ).(*types.TypeParam)
		if !param && (!ok || b.Info()&types.IsNumeric == 0) {
			return nil, src.errorf(pos, "%s cannot be split: %s is not a number; %s", f.Name(), c.Path, want)
		}
	}
	if len(cols) == 0 {
		return nil, src.errorf(pos, "%s cannot be split: it has no components; %s", f.Name(), want)
	}
	return cols, nil
}

func upperFirst(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

func lowerFirst(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToLower(r)) + s[n:]
}
