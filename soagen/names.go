package main

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"slices"
)

// members are the fields and methods that the container has for itself.
var members = []string{"count", "cols", "check", "resize"}

// wellKnown are the methods without arguments to which go vet gives other results.
var wellKnown = []string{"GobDecode", "GobEncode", "MarshalJSON", "MarshalXML", "ReadByte", "ReadRune",
	"UnmarshalJSON", "UnmarshalXML", "UnreadByte", "UnreadRune", "WriteByte"}

// checkMethods checks that the columns can be methods, and gives padded columns
// their names.
func (c *container) checkMethods() error {
	has := c.ownMethods()
	add := func(col *column, name string) error {
		if other, ok := has[name]; ok {
			return c.src.errorf(col.pos, "column %s of %s collides with %s; rename it with `soa:\"name=...\"`", name, col.Path, other)
		}
		has[name] = fmt.Sprintf("the column of %s, at %s", col.Path, c.src.where(col.pos))
		return nil
	}
	fields := map[string]bool{"Len": true, "At": true, "Set": true} // and methods of the view
	for _, col := range c.Columns {
		if err := add(col, col.Name); err != nil {
			return err
		}
		fields[col.Name] = true
	}
	for _, col := range c.Columns {
		if c.Pad > 1 && col.Flat {
			col.Padded = col.Name + "Padded"
			if err := add(col, col.Padded); err != nil {
				return err
			}
		}
	}
	for _, file := range slices.Concat(c.src.pkg.Syntax, c.src.tests()) {
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok {
				continue
			}
			name, of := f.Name.Name, receiver(f)
			ofSoA := of == c.SoA && has[name] != "" && !slices.Contains(wellKnown, name)
			if ofSoA || of == c.View && c.Has("View") && fields[name] {
				return c.src.errorf(f.Name.Pos(), "method %s of %s is generated, too; want another name", name, of)
			}
		}
	}
	return nil
}

// ownMethods are the names that a column cannot have, with what has them.
func (c *container) ownMethods() map[string]string {
	has := map[string]string{}
	for _, name := range wellKnown {
		has[name] = fmt.Sprintf("the well-known method %s, of which go vet wants other results", name)
	}
	fixed := append(slices.Collect(maps.Keys(c.methods)), "Len")
	if c.Padded() {
		fixed = append(fixed, "PaddedLen")
	}
	if c.Has("View") {
		fixed = append(fixed, "At", "Set")
	}
	for _, name := range fixed {
		has[name] = fmt.Sprintf("the method %s of %s", name, c.SoA)
	}
	for _, name := range members {
		has[name] = fmt.Sprintf("%s, which %s has for itself", name, c.SoA)
	}
	return has
}

// receiver returns the name of the type that f is a method of, or "".
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil || len(f.Recv.List) != 1 {
		return ""
	}
	t := ast.Unparen(f.Recv.List[0].Type)
	if star, ok := t.(*ast.StarExpr); ok {
		t = ast.Unparen(star.X)
	}
	switch x := t.(type) {
	case *ast.IndexExpr:
		t = x.X
	case *ast.IndexListExpr:
		t = x.X
	}
	if id, ok := t.(*ast.Ident); ok {
		return id.Name
	}
	return ""
}

// declare checks that what the container declares in the package is not there yet.
func (c *container) declare(f *goFile) error {
	names := []string{c.SoA}
	if c.Has("New") {
		names = append(names, c.New)
	}
	if c.Has("View") {
		names = append(names, c.View)
	}
	if c.Flat() {
		names = append(names, c.Cut)
	}
	for _, name := range names {
		if at := cmp.Or(c.src.declares(name), c.src.imports(name)); at != "" {
			return c.src.errorf(c.src.obj.Pos(), "%s is declared already, at %s; choose another name for the container with -soa", name, at)
		}
		if f.taken[name] {
			return c.src.errorf(c.src.obj.Pos(), "%s is declared for another type of this run; want a run for each, one with another -soa", name)
		}
		f.taken[name], f.mentioned[name] = true, true
	}
	return c.collect(f, names)
}

// collect finds out what the types in the generated code are written with.
func (c *container) collect(f *goFile, own []string) error {
	src := c.src
	name := func(obj *types.TypeName) {
		c.mentions[obj] = true
		if obj.Pkg() == nil || obj.Pkg() == src.pkg.Types {
			f.mentioned[obj.Name()] = true
		}
	}
	name(src.obj)
	for _, field := range c.splits {
		src.spell(field.Type(), name)
	}
	for _, col := range c.Columns {
		if problem := src.spell(col.typ, name); problem != "" {
			return src.errorf(col.pos, "the type of column %s cannot be written: %s", col.Name, problem)
		}
		if col.Flat {
			src.parts(col.typ, name)
		}
	}
	for p := range src.params.TypeParams() {
		name(p.Obj())
		f.taken[p.Obj().Name()] = true
		if problem := src.spell(p.Constraint(), name); problem != "" {
			return src.errorf(p.Obj().Pos(), "the constraint of %s cannot be written: %s", p.Obj().Name(), problem)
		}
	}
	return c.checkParams(own)
}

// checkNames refuses names that hide what the generated code needs.
func (c *container) checkNames() error {
	hidden := slices.Clone(predeclared)
	for obj := range c.mentions {
		if obj.Pkg() == nil {
			hidden = append(hidden, obj.Name())
		}
	}
	slices.Sort(hidden)
	for _, name := range slices.Compact(hidden) {
		if at := c.src.declares(name); at != "" {
			return &sourceError{at, fmt.Sprintf("%s hides Go's own %s, which the generated code needs; want another name", name, name)}
		}
	}
	return nil
}

// checkParams refuses type parameters that hide what the generated code needs, which own
// has the names of that the container declares.
func (c *container) checkParams(own []string) error {
	needs := map[string]bool{}
	for _, name := range slices.Concat(own, predeclared) {
		needs[name] = true
	}
	for p := range c.src.params.TypeParams() {
		hides := needs[p.Obj().Name()]
		for obj := range c.mentions {
			local := obj.Pkg() == nil || obj.Pkg() == c.src.pkg.Types
			hides = hides || local && obj != p.Obj() && obj.Name() == p.Obj().Name() && obj.Name() != "_"
		}
		if hides {
			return c.src.errorf(p.Obj().Pos(), "type parameter %s hides the %[1]s that the generated code needs; want another name", p.Obj().Name())
		}
	}
	return nil
}
