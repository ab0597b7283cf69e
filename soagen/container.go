package main

import (
	"go/types"
	"slices"
	"strings"
)

// methodNames are what -methods chooses from besides the columns, in the order of
// the README: New stands for the constructor.
var methodNames = []string{"New", "Cap", "Append", "AppendSlice", "AppendView", "Insert", "At", "Set", "Swap",
	"RemoveSwap", "RemoveOrdered", "Truncate", "Clear", "Grow", "Clone", "SortFunc", "All", "View"}

// calls says which methods the code of a method needs.
var calls = map[string][]string{
	"AppendSlice":   {"Grow"},
	"AppendView":    {"Grow", "View"},
	"Insert":        {"Append"},
	"RemoveSwap":    {"Truncate"},
	"RemoveOrdered": {"Truncate"},
	"Clear":         {"Truncate"},
	"SortFunc":      {"At", "Set"},
	"All":           {"At"},
}

// container is what the template is executed with.
type container struct {
	src      *source
	methods  map[string]bool
	splits   []*types.Var             // fields with a column for each component
	chosen   []string                 // methods of columns that -methods names
	mentions map[*types.TypeName]bool // what the generated code may name

	Type       string // the struct's name
	Elem       string // its type: with the type arguments, if it is generic
	SoA        string // the container's name
	Self       string // its type
	View       string // the name of the type of a view
	ViewSelf   string // its type
	Params     string // the type parameters with their constraints, or ""
	New        string
	Cut        string // name of the function that cuts a column off a block
	Align, Pad int
	Columns    []*column
	Skipped    bool     // there are fields without a column
	Guards     []string // statements that compile if the fields are as they were
}

// include adds a method and those that it calls.
func (c *container) include(method string) {
	c.methods[method] = true
	for _, m := range calls[method] {
		c.include(m)
	}
}

func (c *container) Has(method string) bool { return c.methods[method] }

// HasColumn reports whether the column has the method: all have theirs, unless
// -methods names some.
func (c *container) HasColumn(method string) bool {
	return len(c.chosen) == 0 || slices.Contains(c.chosen, method)
}

// Checks reports whether a method checks an index.
func (c *container) Checks() bool {
	return c.Has("At") || c.Has("Set") || c.Has("Swap") || c.Has("RemoveSwap") || c.Has("RemoveOrdered")
}

func (c *container) First() string   { return c.Columns[0].Name }
func (c *container) AlignLess1() int { return c.Align - 1 }
func (c *container) PadLess1() int   { return c.Pad - 1 }

// Flat reports whether there are columns in the shared block, Padded whether
// they are padded, and Pointers whether there are other columns.
func (c *container) Flat() bool {
	return slices.ContainsFunc(c.Columns, func(col *column) bool { return col.Flat })
}
func (c *container) Padded() bool { return c.Pad > 1 && c.Flat() }
func (c *container) Pointers() bool {
	return slices.ContainsFunc(c.Columns, func(col *column) bool { return !col.Flat })
}

// packages are those that the template names for the container.
func (c *container) packages() (names []string) {
	if c.Flat() {
		names = append(names, "math", "unsafe")
	}
	if c.Has("All") {
		names = append(names, "iter")
	}
	if c.Has("SortFunc") {
		names = append(names, "slices")
	}
	return names
}

// write writes the types, the pad values and the guards down.
func (c *container) write(f *goFile) {
	c.writeParams(f)
	for _, col := range c.Columns {
		col.Type = f.write(col.typ)
		switch call := f.word("math") + "." + col.pad.call; {
		case col.pad.call == "":
			col.PadValue = col.pad.literal
		case col.Type == "float64":
			col.PadValue = call
		default:
			col.PadValue = col.Type + "(" + call + ")"
		}
		if col.PadText == "" {
			col.PadText = "zero"
		}
	}
	c.Guards = c.guards(f)
}

// writeParams writes the types of the element, the container and its view, with the type
// parameters of the struct. Those of container and view are called the same.
func (c *container) writeParams(f *goFile) {
	c.Elem, c.Self, c.ViewSelf = c.Type, c.SoA, c.View
	if c.src.params.Len() == 0 {
		return
	}
	var params, args []string
	for p := range c.src.params.TypeParams() {
		name := p.Obj().Name()
		if name == "_" { // the containers' methods name it
			name = f.free("T")
		}
		constraint := f.write(p.Constraint())
		if strings.HasPrefix(constraint, "*") {
			constraint = "interface{ " + constraint + " }" // [P *T] would be an array
		}
		params, args = append(params, name+" "+constraint), append(args, name)
	}
	c.Params = "[" + strings.Join(params, ", ") + "]"
	list := "[" + strings.Join(args, ", ") + "]"
	c.Elem, c.Self, c.ViewSelf = c.Elem+list, c.Self+list, c.ViewSelf+list
}
