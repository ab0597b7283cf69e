package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"go/format"
	"go/token"
	"go/types"
	"maps"
	"slices"
	"strings"
	"text/template"
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

// The generated code is to be read, so it has plain names, and does not step
// aside for others. These are the names that must mean in it what they mean in
// the template: variables, which imports are not called, and what Go declares and
// packages, which nothing in the package may be called. A type that is called as a
// variable may not compile there.
var (
	variables = []string{"block", "capacity", "column", "compare", "i", "j", "n", "next", "row", "s", "size",
		"sorted", "t", "v", "width", "widths", "yield"}
	predeclared = []string{"any", "bool", "byte", "clear", "copy", "int", "len", "make", "max", "new", "panic", "true", "uintptr"}
	standard    = []string{"iter", "math", "slices", "unsafe"}
)

// members are the fields and methods that the container has for itself.
var members = []string{"count", "cols", "check", "resize"}

//go:embed container.go.tmpl
var containerText string

var containerTemplate = template.Must(template.New("container").Parse(containerText))

// generate returns the file that the options ask for, for the package in dir.
func generate(dir string, opts options) ([]byte, error) {
	srcs, err := load(dir, opts.output, opts.types)
	if err != nil {
		return nil, err
	}
	f := newFile(srcs)
	for _, src := range srcs {
		if src.constraint() != srcs[0].constraint() {
			return nil, src.errorf(src.obj.Pos(), "%s and %s are not built for the same systems; want a run for each", opts.types[0], src.obj.Name())
		}
		if err := f.add(src, opts); err != nil {
			return nil, err
		}
	}
	for _, name := range opts.columns {
		if !f.chosen[name] {
			return nil, misuse{f.src.errorf(f.src.obj.Pos(), "-methods names %q, which is no column of %s; want columns, or some of %s",
				name, strings.Join(opts.types, ", "), strings.Join(methodNames, ", "))}
		}
	}
	return f.format(opts.command)
}

// goFile is a generated file in the making.
type goFile struct {
	src      *source                   // of the first struct
	declared map[string]bool           // names at the level of the package, and of imports
	imports  map[string]string         // names of the packages to import, by path
	packages map[string]*types.Package // those that do not come from the template, by path
	chosen   map[string]bool           // methods of columns that -methods names
	body     bytes.Buffer
}

func newFile(srcs []*source) *goFile {
	f := &goFile{src: srcs[0], declared: map[string]bool{}, imports: map[string]string{}, packages: map[string]*types.Package{}, chosen: map[string]bool{}}
	for _, name := range slices.Concat(f.src.pkg.Types.Scope().Names(), variables, predeclared) {
		f.declared[name] = true
	}
	return f
}

// use imports a package that the template names.
func (f *goFile) use(name string) error {
	if obj := f.src.pkg.Types.Scope().Lookup(name); obj != nil {
		return f.src.errorf(obj.Pos(), "%s is the name of a package that the generated code imports; want another name", name)
	}
	f.imports[name] = name
	return nil
}

// qualify names a package in a type, and imports it.
func (f *goFile) qualify(p *types.Package) string {
	if p == f.src.pkg.Types {
		return ""
	}
	name, ok := f.imports[p.Path()]
	if !ok {
		name = p.Name()
		for i := 2; f.declared[name] || slices.Contains(standard, name) && p.Path() != name; i++ {
			name = fmt.Sprint(p.Name(), i)
		}
		f.declared[name] = true
		f.imports[p.Path()], f.packages[p.Path()] = name, p
	}
	return name
}

func (f *goFile) write(t types.Type) string { return types.TypeString(t, f.qualify) }

// add generates the container of a struct.
func (f *goFile) add(src *source, opts options) error {
	c := &container{
		src: src, Type: src.obj.Name(), SoA: opts.soa, Align: opts.align, Pad: opts.pad,
		methods: map[string]bool{},
	}
	if c.SoA == "" {
		c.SoA = c.Type + "SoA"
	}
	c.View, c.New = c.SoA+"View", "new"+upperFirst(c.SoA)
	if token.IsExported(c.SoA) {
		c.New = "New" + c.SoA
	}
	c.Cut = lowerFirst(c.SoA) + "Cut"
	for _, name := range opts.methods {
		c.include(name)
	}
	for _, step := range []func() error{c.makeColumns, c.checkNames, c.checkMethods, func() error { return c.declare(f) }} {
		if err := step(); err != nil {
			return err
		}
	}
	c.write(f)
	for _, col := range c.Columns {
		for _, name := range []string{col.Name, col.Padded} {
			if slices.Contains(opts.columns, name) {
				c.chosen = append(c.chosen, name)
				f.chosen[name] = true
			}
		}
	}
	if err := containerTemplate.Execute(&f.body, c); err != nil {
		return fmt.Errorf("%s: %v", c.Type, err)
	}
	return nil
}

// format puts the file together.
func (f *goFile) format(command string) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "// Code generated by soagen %s; DO NOT EDIT.\n\n", command)
	if line := f.src.constraint(); line != "" {
		fmt.Fprintf(&b, "%s\n\n", line)
	}
	fmt.Fprintf(&b, "package %s\n\n", f.src.pkg.Name)
	var own, others string // imports of the template, and of types
	for _, path := range slices.Sorted(maps.Keys(f.imports)) {
		name, p := f.imports[path], f.packages[path]
		switch {
		case p == nil:
			own += fmt.Sprintf("%q\n", path)
		case name == p.Name() && strings.HasSuffix("/"+path, "/"+name):
			others += fmt.Sprintf("%q\n", path)
		default:
			others += fmt.Sprintf("%s %q\n", name, path)
		}
	}
	if len(f.imports) > 0 {
		fmt.Fprintf(&b, "import (\n%s\n%s)\n\n", own, others)
	}
	b.Write(wrap(f.body.String()))
	// Formatting breaks a long line at first and indents what is in it only the
	// next time round.
	for text := b.Bytes(); ; {
		formatted, err := format.Source(text)
		if err != nil {
			return nil, fmt.Errorf("the generated code is not Go: %v", err)
		}
		if bytes.Equal(formatted, text) {
			return text, nil
		}
		text = formatted
	}
}

// container is what the template is executed with.
type container struct {
	src     *source
	methods map[string]bool
	splits  []*types.Var // fields with a column for each component
	chosen  []string     // methods of columns that -methods names

	Type       string // the struct's name
	SoA        string // the container's
	View       string // that of the type of a view
	New        string
	Cut        string // name of the function that cuts a column off a block
	Align, Pad int
	Columns    []*column
	Skipped    bool     // there are fields without a column
	Guards     []string // statements that compile if the fields are as they were; v is an element
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

// wrap breaks long lines of comments, which have no indentation.
func wrap(code string) []byte {
	const width = 80
	var b bytes.Buffer
	for line := range strings.Lines(code) {
		for strings.HasPrefix(line, "// ") && len(line) > width+len("\n") {
			i := strings.LastIndexByte(line[:width+1], ' ')
			if i <= len("//") {
				break // a long word
			}
			b.WriteString(line[:i] + "\n")
			line = "// " + line[i+1:]
		}
		b.WriteString(line)
	}
	return b.Bytes()
}

// checkNames finds out what the types in the generated code are written with,
// and refuses names that would mean something else there.
func (c *container) checkNames() error {
	src := c.src
	scope := src.pkg.Types.Scope()
	hidden := map[string]bool{} // names of Go itself that must not be hidden
	for _, name := range predeclared {
		hidden[name] = true
	}
	name := func(obj *types.TypeName) {
		if obj.Pkg() == nil {
			hidden[obj.Name()] = true
		}
	}
	for _, col := range c.Columns {
		if problem := src.spell(col.typ, name); problem != "" {
			return src.errorf(col.pos, "the type of column %s cannot be written: %s", col.Name, problem)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(hidden)) {
		if obj := scope.Lookup(name); obj != nil {
			return src.errorf(obj.Pos(), "%s hides Go's own %s, which the generated code needs; want another name", name, name)
		}
	}
	return nil
}

// checkMethods checks that the columns can be methods, and gives padded columns
// their names.
func (c *container) checkMethods() error {
	src := c.src
	has := map[string]string{}
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
	add := func(col *column, name string) error {
		if other, ok := has[name]; ok {
			return src.errorf(col.pos, "column %s of %s collides with %s; rename it with `soa:\"name=...\"`", name, col.Path, other)
		}
		has[name] = fmt.Sprintf("the column of %s, at %s", col.Path, src.where(col.pos))
		return nil
	}
	for _, col := range c.Columns {
		if err := add(col, col.Name); err != nil {
			return err
		}
	}
	for _, col := range c.Columns {
		if c.Pad > 1 && col.Flat {
			col.Padded = col.Name + "Padded"
			if err := add(col, col.Padded); err != nil {
				return err
			}
		}
	}
	return nil
}

// declare imports what the template names, and checks that what the container
// declares in the package is not there yet.
func (c *container) declare(f *goFile) error {
	names, packages := []string{c.SoA}, []string{}
	if c.Has("New") {
		names = append(names, c.New)
	}
	if c.Has("View") {
		names = append(names, c.View)
	}
	if c.Flat() {
		names = append(names, c.Cut)
		packages = append(packages, "math", "unsafe")
	}
	if c.Has("All") {
		packages = append(packages, "iter")
	}
	if c.Has("SortFunc") {
		packages = append(packages, "slices")
	}
	for _, name := range names {
		if obj := c.src.pkg.Types.Scope().Lookup(name); obj != nil {
			return c.src.errorf(c.src.obj.Pos(), "%s is declared already, at %s; choose another name for the container with -soa",
				name, c.src.where(obj.Pos()))
		}
		if f.declared[name] {
			return c.src.errorf(c.src.obj.Pos(), "%s is declared for another type of this run; want a run for each", name)
		}
		f.declared[name] = true
	}
	for _, name := range packages {
		if err := f.use(name); err != nil {
			return err
		}
	}
	return nil
}

// write writes the types, the pad values and the guards down.
func (c *container) write(f *goFile) {
	for _, col := range c.Columns {
		col.Type = f.write(col.typ)
		switch call := "math." + col.pad.call; {
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
	g := guards{file: f, seen: map[string]bool{}}
	g.fields(c.src.obj.Type(), c.Type, "v")
	for _, field := range c.splits {
		g.fields(field.Type(), f.write(field.Type()), "v."+field.Name())
	}
	for _, col := range c.Columns {
		if col.Flat {
			g.pointerFree(col.typ, "v."+col.Path)
		}
	}
	c.Guards = g.statements
}

// guards are statements that no longer compile when something changes that the
// container was generated for.
type guards struct {
	file       *goFile
	seen       map[string]bool // types, as they are written
	statements []string
}

// fields guards against a field that is added to a struct, or a component to a
// vector that is split. It lists all fields without their names, so it is not
// for structs of other packages (where go vet objects to that) or with blank
// fields (which have no value to list). The types of the fields are guarded by
// the code that copies them to columns.
func (g *guards) fields(t types.Type, name, path string) {
	switch u := t.Underlying().(type) {
	case *types.Array:
		g.statements = append(g.statements, fmt.Sprintf("_ = [1]struct{}{}[len(%s)-%d]", path, u.Len()))
	case *types.Struct:
		if named, ok := types.Unalias(t).(*types.Named); ok && named.Obj().Pkg() != g.file.src.pkg.Types {
			return
		}
		var values []string
		for f := range u.Fields() {
			if f.Name() == "_" || !f.Exported() && f.Pkg() != g.file.src.pkg.Types {
				return
			}
			values = append(values, path+"."+f.Name())
		}
		g.statements = append(g.statements, "_ = "+name+"{"+strings.Join(values, ", ")+"}")
	}
}

// pointerFree guards against pointers in a type that has none now. A type with
// a name is converted to what the name stands for: that compiles only if it
// still does, or, for a number, if it is still a number. The expression x is of
// type t.
func (g *guards) pointerFree(t types.Type, x string) {
	f := g.file
	u := t.Underlying()
	if _, ok := t.(interface{ Obj() *types.TypeName }); ok {
		name := f.write(t)
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
				g.pointerFree(field.Type(), "*new("+f.write(field.Type())+")")
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
			for i+1 < st.NumFields() && !st.Field(i+1).Embedded() && types.Identical(st.Field(i+1).Type(), field.Type()) {
				i++
				names = append(names, st.Field(i).Name())
			}
			text = strings.Join(names, ", ") + " " + text
		}
		lists = append(lists, text)
	}
	return "struct{ " + strings.Join(lists, "; ") + " }"
}
