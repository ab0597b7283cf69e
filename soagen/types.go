package main

import (
	"fmt"
	"go/types"
	"slices"
	"strings"
)

// children calls f for the types that t is spelled with. It does not look
// behind a name: for what a named type stands for, ask for its Underlying.
func children(t types.Type, f func(types.Type)) {
	list := func(l *types.TypeList) {
		for t := range l.Types() {
			f(t)
		}
	}
	tuple := func(l *types.Tuple) {
		for v := range l.Variables() {
			f(v.Type())
		}
	}
	switch t := t.(type) {
	case *types.Alias:
		list(t.TypeArgs())
	case *types.Named:
		list(t.TypeArgs())
	case *types.Pointer:
		f(t.Elem())
	case *types.Slice:
		f(t.Elem())
	case *types.Array:
		f(t.Elem())
	case *types.Chan:
		f(t.Elem())
	case *types.Map:
		f(t.Key())
		f(t.Elem())
	case *types.Tuple:
		tuple(t)
	case *types.Signature:
		tuple(t.Params())
		tuple(t.Results())
	case *types.Struct:
		for v := range t.Fields() {
			f(v.Type())
		}
	case *types.Interface:
		for m := range t.ExplicitMethods() {
			f(m.Type())
		}
		for t := range t.EmbeddedTypes() {
			f(t)
		}
	case *types.Union:
		for term := range t.Terms() {
			f(term.Type())
		}
	}
}

// valid reports whether the type checker knows how t is spelled and what a
// value of it contains. What is behind a pointer does not matter: it may well
// use the container that is yet to be generated.
func valid(t types.Type) bool {
	return spelled(t) && contents(t, nil)
}

func spelled(t types.Type) bool {
	ok := t != types.Typ[types.Invalid]
	children(t, func(t types.Type) { ok = ok && spelled(t) })
	return ok
}

// contents reports whether the type checker knows what is in a value of type
// t, which is itself inside values of the types outer.
func contents(t types.Type, outer []types.Type) bool {
	if slices.Contains(outer, t) {
		return false // a struct that contains itself
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() != types.Invalid
	case *types.Array:
		return contents(u.Elem(), append(outer, t))
	case *types.Struct:
		for f := range u.Fields() {
			if !contents(f.Type(), append(outer, t)) {
				return false
			}
		}
	}
	return true
}

// pointerFree reports whether no value of type t can hold a pointer, and the
// generated code can state that so that it stops compiling when it changes (see
// guards). It cannot state it of what it cannot name, such as the unexported fields of
// another package's struct, so such a struct counts as one with pointers; and so does a
// type parameter, since type arguments may have some.
func (src *source) pointerFree(t types.Type) bool {
	named, ok := t.(interface{ Obj() *types.TypeName }) // or an alias
	if ok && src.cannotName(named.Obj()) != "" {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&(types.IsNumeric|types.IsBoolean) != 0
	case *types.Array:
		return src.pointerFree(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if !f.Exported() && f.Pkg() != src.pkg.Types || !src.pointerFree(f.Type()) {
				return false
			}
		}
		return true
	}
	return false
}

// lock returns what in a value of type t must not be copied, such as a
// sync.Mutex, or nil. The rule is that of go vet.
func lock(t types.Type) types.Type {
	if array, ok := t.Underlying().(*types.Array); ok {
		return lock(array.Elem())
	}
	st, ok := t.Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	has := func(t types.Type, name string) bool {
		obj, _, _ := types.LookupFieldOrMethod(t, false, nil, name)
		f, ok := obj.(*types.Func)
		return ok && f.Signature().Params().Len() == 0 && f.Signature().Results().Len() == 0
	}
	if p := types.NewPointer(t); has(p, "Lock") && has(p, "Unlock") && !(has(t, "Lock") && has(t, "Unlock")) {
		return t
	}
	for f := range st.Fields() {
		if l := lock(f.Type()); l != nil {
			return l
		}
	}
	return nil
}

// checkCopies refuses a struct of which go vet would say that the container copies it.
func (c *container) checkCopies() error {
	if l := lock(c.src.obj.Type()); l != nil {
		return c.src.errorf(c.src.obj.Pos(), "%s has a %s, which must not be copied, as elements are; want a pointer to it", c.Type, c.src.spelling(l))
	}
	return nil
}

// cannotName says why the generated code cannot name a type, or returns "".
func (src *source) cannotName(obj *types.TypeName) string {
	switch pkg := obj.Pkg(); {
	case pkg == nil: // of Go itself
		return ""
	case pkg == src.pkg.Types && strings.HasPrefix(obj.Name(), "_C"):
		return fmt.Sprintf("the C type %s cannot be named in a file without cgo", strings.TrimPrefix(obj.Name(), "_Ctype_"))
	case pkg == src.pkg.Types:
		return ""
	case !obj.Exported():
		return fmt.Sprintf("%s is not exported by package %s", obj.Name(), pkg.Path())
	case !src.mayImport(pkg.Path()):
		return fmt.Sprintf("%s is of package %s, which package %s cannot import", obj.Name(), pkg.Path(), src.pkg.PkgPath)
	}
	return ""
}

// mayImport reports whether the go command lets the package import that of the path.
func (src *source) mayImport(path string) bool {
	if strings.Contains("/"+path, "/vendor/") {
		return false
	}
	elements := strings.Split(path, "/")
	for i, element := range slices.Backward(elements) {
		if element == "internal" {
			if i == 0 { // of the standard library
				return src.pkg.Module == nil
			}
			return strings.HasPrefix(src.pkg.PkgPath+"/", strings.Join(elements[:i], "/")+"/")
		}
	}
	return true
}

// parts calls name for the types that may be named to guard what is in a value of type t,
// which has no pointers.
func (src *source) parts(t types.Type, name func(*types.TypeName)) {
	u := t.Underlying()
	src.spell(u, name)
	switch u := u.(type) {
	case *types.Array:
		src.parts(u.Elem(), name)
	case *types.Struct:
		for f := range u.Fields() {
			src.parts(f.Type(), name)
		}
	}
}

// spell calls name for the names that t is written with, or says why t cannot
// be written.
func (src *source) spell(t types.Type, name func(*types.TypeName)) (problem string) {
	add := func(obj *types.TypeName) {
		if why := src.cannotName(obj); why != "" {
			problem = why
		}
		name(obj)
	}
	var walk func(types.Type)
	walk = func(t types.Type) {
		switch t := t.(type) {
		case *types.Basic:
			if obj, ok := types.Universe.Lookup(t.Name()).(*types.TypeName); ok {
				add(obj)
			}
		case interface{ Obj() *types.TypeName }: // *types.Named, *types.Alias or *types.TypeParam
			add(t.Obj())
		case *types.Struct:
			for f := range t.Fields() {
				if !f.Exported() && f.Pkg() != src.pkg.Types {
					problem = fmt.Sprintf("field %s is not exported by package %s", f.Name(), f.Pkg().Path())
				}
			}
		case *types.Interface:
			for m := range t.ExplicitMethods() {
				if !m.Exported() && m.Pkg() != src.pkg.Types {
					problem = fmt.Sprintf("method %s is not exported by package %s", m.Name(), m.Pkg().Path())
				}
			}
		}
		children(t, walk)
	}
	walk(t)
	return problem
}
