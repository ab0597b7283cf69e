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
)

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

// padding is a pad value: a constant, or one of the floating-point numbers
// that Go has no constant for.
type padding struct {
	literal string
	call    string // what to call in package math
}

// padding evaluates a pad value as a constant of type t, where the struct is:
// it may name constants of the package and of what its file imports.
func (src *source) padding(expr string, t types.Type) (padding, error) {
	if _, ok := types.Unalias(t).(*types.TypeParam); ok {
		return padding{}, fmt.Errorf("%s is a type parameter, so its column has no padding; want no pad value", src.spelling(t))
	}
	b, ok := t.Underlying().(*types.Basic)
	if !ok || b.Info()&(types.IsInteger|types.IsFloat|types.IsBoolean) == 0 {
		return padding{}, fmt.Errorf("%s is neither a real number nor a bool, so it is padded with its zero value; want no pad value", src.spelling(t))
	}
	want := "a constant"
	if b.Info()&types.IsFloat != 0 {
		want = "a constant, inf, -inf or nan"
		if call := infinities[expr]; call != "" {
			return padding{call: call}, nil
		}
	}
	tv, err := types.Eval(src.pkg.Fset, src.pkg.Types, src.obj.Pos(), b.Name()+"("+expr+")")
	if err != nil {
		msg := oneLine(err.Error())
		return padding{}, fmt.Errorf("%q is no %s: %s; want %s", expr, b.Name(), msg[len(evaluated.FindString(msg)):], want)
	}
	if tv.Value == nil {
		return padding{}, fmt.Errorf("%q is not constant; want %s", expr, want)
	}
	return padding{literal: literal(tv.Value, b)}, nil
}

// infinities are pad values for which Go has no constants.
var infinities = map[string]string{"inf": "Inf(1)", "+inf": "Inf(1)", "-inf": "Inf(-1)", "nan": "NaN()"}

// evaluated is where the type checker says that it found an error in an expression.
var evaluated = regexp.MustCompile(`^eval:\d+:\d+: `)

// literal writes a constant of a type, or "" for the zero value.
func literal(v constant.Value, t *types.Basic) string {
	switch {
	case v.Kind() == constant.Bool && constant.BoolVal(v):
		return "true"
	case v.Kind() == constant.Bool, constant.Sign(v) == 0:
		return ""
	case t.Info()&types.IsInteger != 0:
		return constant.ToInt(v).ExactString()
	}
	bits := 64
	if t.Kind() == types.Float32 {
		bits = 32
	}
	float, _ := constant.Float64Val(v)
	return strconv.FormatFloat(float, 'g', -1, bits)
}
