package main

import (
	"fmt"
	"go/token"
	"go/types"
	"path"
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

// hasPointers reports whether a value of type t may contain a pointer. A type
// parameter may.
func hasPointers(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&types.IsString != 0 || u.Kind() == types.UnsafePointer
	case *types.Array:
		return hasPointers(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if hasPointers(f.Type()) {
				return true
			}
		}
		return false
	}
	return true
}

// lock returns what in a value of type t must not be copied, such as a
// sync.Mutex, or nil. The rule is that of go vet.
func lock(t types.Type) types.Type {
	for {
		array, ok := t.Underlying().(*types.Array)
		if !ok {
			break
		}
		t = array.Elem()
	}
	st, ok := t.Underlying().(*types.Struct)
	if !ok {
		return nil
	}
	if has := func(t types.Type, name string) bool {
		obj, _, _ := types.LookupFieldOrMethod(t, false, nil, name)
		f, ok := obj.(*types.Func)
		return ok && f.Signature().Params().Len() == 0 && f.Signature().Results().Len() == 0
	}; has(types.NewPointer(t), "Lock") && has(types.NewPointer(t), "Unlock") && !(has(t, "Lock") && has(t, "Unlock")) {
		return t
	}
	for f := range st.Fields() {
		if l := lock(f.Type()); l != nil {
			return l
		}
	}
	return nil
}

// kind says what a type is that is not a struct.
func kind(t types.Type) string {
	switch t.(type) {
	case *types.Interface:
		return "an interface"
	case *types.Array:
		return "an array"
	}
	names := map[string]string{
		"*types.Basic": t.String(), "*types.Pointer": "a pointer", "*types.Slice": "a slice",
		"*types.Chan": "a channel", "*types.Map": "a map", "*types.Signature": "a function",
	}
	return names[fmt.Sprintf("%T", t)]
}

// spelling collects what it takes to write types down in package pkg.
type spelling struct {
	pkg      *types.Package
	packages map[string]*types.Package // to import, by path
	local    map[string]bool           // names of pkg and of type parameters
	universe map[string]bool           // predeclared names
}

// add collects the names in t, or says why t cannot be written.
func (s *spelling) add(t types.Type) (problem string) {
	name := func(obj *types.TypeName) {
		switch pkg := obj.Pkg(); {
		case pkg == nil:
			s.universe[obj.Name()] = true
		case pkg == s.pkg && strings.HasPrefix(obj.Name(), "_C"):
			problem = fmt.Sprintf("the C type %s cannot be named in a file without cgo", strings.TrimPrefix(obj.Name(), "_Ctype_"))
		case pkg == s.pkg:
			s.local[obj.Name()] = true
		case !obj.Exported():
			problem = fmt.Sprintf("%s is not exported by package %s", obj.Name(), pkg.Path())
		case !importable(pkg.Path(), s.pkg.Path()):
			problem = fmt.Sprintf("package %s is internal and cannot be imported here", pkg.Path())
		default:
			s.packages[pkg.Path()] = pkg
		}
	}
	var walk func(types.Type)
	walk = func(t types.Type) {
		switch t := t.(type) {
		case *types.Basic:
			if t.Kind() == types.UnsafePointer {
				s.packages["unsafe"] = types.Unsafe
			} else {
				s.universe[t.Name()] = true
			}
		case *types.Alias:
			name(t.Obj())
		case *types.Named:
			name(t.Obj())
		case *types.TypeParam:
			s.local[t.Obj().Name()] = true
		case *types.Struct:
			for f := range t.Fields() {
				if !f.Exported() && f.Pkg() != s.pkg {
					problem = fmt.Sprintf("field %s is not exported by package %s", f.Name(), f.Pkg().Path())
				}
			}
		case *types.Interface:
			for m := range t.ExplicitMethods() {
				if !m.Exported() && m.Pkg() != s.pkg {
					problem = fmt.Sprintf("method %s is not exported by package %s", m.Name(), m.Pkg().Path())
				}
			}
		}
		children(t, walk)
	}
	walk(t)
	return problem
}

// importable applies the rule of the go command for internal packages.
func importable(imported, importer string) bool {
	i := strings.LastIndex("/"+imported+"/", "/internal/")
	if i < 0 {
		return true
	}
	if i == 0 {
		return false // of the standard library
	}
	parent := imported[:i-1]
	return importer == parent || strings.HasPrefix(importer, parent+"/")
}

// names picks names that are not taken.
type names map[string]bool

// pick returns name, or name with a number if that is taken, and takes it.
func (n names) pick(name string) string {
	free := name
	for i := 2; n[free] || types.Universe.Lookup(free) != nil || token.IsKeyword(free); i++ {
		free = fmt.Sprint(name, i)
	}
	n[free] = true
	return free
}

// importSpec writes an import, with a name where the path does not end in it.
func importSpec(pkgPath, pkgName, name string) string {
	if path.Base(pkgPath) == pkgName && name == pkgName {
		return fmt.Sprintf("%q", pkgPath)
	}
	return fmt.Sprintf("%s %q", name, pkgPath)
}
