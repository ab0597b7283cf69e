package main

import (
	"fmt"
	"go/types"
	"strings"
)

// guards are statements that no longer compile when something changes that the
// container was generated for.
type guards struct {
	file       *goFile
	seen       map[string]bool // types, with the paths of their packages
	statements []string
}

func (c *container) guards(f *goFile) []string {
	g, v := guards{file: f, seen: map[string]bool{}}, f.word("v")
	g.fields(c.src.obj.Type(), c.Elem, v)
	for _, field := range c.splits {
		g.fields(field.Type(), "", v+"."+field.Name())
	}
	for _, col := range c.Columns {
		if col.Flat {
			g.pointerFree(col.typ, v+"."+col.Path)
		}
	}
	return g.statements
}

// fields guards against a field that is added to a struct, or a component to a
// vector that is split. It lists all fields without their names, so it is not
// for structs of other packages (where go vet objects to that) or with blank
// fields (which have no value to list). The types of the fields are guarded by
// the code that copies them to columns. The type is written as elem, if that is given.
func (g *guards) fields(t types.Type, elem, path string) {
	own := g.file.src.pkg.Types
	switch u := t.Underlying().(type) {
	case *types.Array:
		g.statements = append(g.statements, fmt.Sprintf("_ = [1]struct{}{}[len(%s)-%d]", path, u.Len()))
	case *types.Struct:
		if named, ok := types.Unalias(t).(*types.Named); ok && named.Obj().Pkg() != own {
			return
		}
		var values []string
		for f := range u.Fields() {
			if f.Name() == "_" || !f.Exported() && f.Pkg() != own {
				return
			}
			values = append(values, path+"."+f.Name())
		}
		if elem == "" {
			elem = g.file.write(t)
		}
		g.statements = append(g.statements, "_ = "+elem+"{"+strings.Join(values, ", ")+"}")
	}
}

// pointerFree guards against pointers in a type that has none now. A type with
// a name is converted to what the name stands for: that compiles only if it
// still does, or, for a number, if it is still a number. The expression x is of
// type t.
func (g *guards) pointerFree(t types.Type, x string) {
	u := t.Underlying()
	if _, ok := t.(interface{ Obj() *types.TypeName }); ok {
		name := types.TypeString(t, nil)
		if g.seen[name] {
			return
		}
		g.seen[name] = true
		g.statements = append(g.statements, fmt.Sprintf("_ = %s(%s)", g.literal(u), x))
	}
	component := strings.TrimPrefix(x, "*") // Go follows the pointer that new returns
	switch u := u.(type) {
	case *types.Array:
		if u.Len() > 0 {
			g.pointerFree(u.Elem(), component+"[0]")
		}
	case *types.Struct:
		for field := range u.Fields() {
			if field.Name() == "_" {
				g.pointerFree(field.Type(), "*new("+g.file.write(field.Type())+")")
			} else {
				g.pointerFree(field.Type(), component+"."+field.Name())
			}
		}
	}
}

// literal writes a type, a struct without its tags and with the names of
// neighbors of one type in one list.
func (g *guards) literal(t types.Type) string {
	f := g.file
	st, ok := t.(*types.Struct)
	if !ok {
		return f.write(t)
	}
	var lists []string
	for i := 0; i < st.NumFields(); i++ {
		field := st.Field(i)
		text := f.write(field.Type())
		if !field.Embedded() {
			names := []string{field.Name()}
			for ; i+1 < st.NumFields(); i++ {
				next := st.Field(i + 1)
				if next.Embedded() || !types.Identical(next.Type(), field.Type()) {
					break
				}
				names = append(names, next.Name())
			}
			text = strings.Join(names, ", ") + " " + text
		}
		lists = append(lists, text)
	}
	return "struct{ " + strings.Join(lists, "; ") + " }"
}
