package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"go/ast"
	"go/format"
	"go/token"
	"go/types"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/template"
)

// This module has an allocator of aligned memory; other modules cannot import
// it, and their containers bring the few lines that they need.
const (
	homeModule = "raysteps"
	memPath    = "raysteps/common/mem"
)

// container is what the template is executed with.
type container struct {
	Command    string
	Constraint string
	Package    string
	Std, Other []string // imports
	Type       string   // the struct's name
	Elem       string   // its type: with type arguments, if it is generic
	SoA        string   // the container's name
	Self       string   // its type
	Params     string   // the type parameters with their constraints
	New        string
	Mem        bool // whether to import common/mem
	Align, Pad int
	Columns    []*column
	Skipped    string   // a sentence on the fields without a column, or ""
	Guards     []string // expressions that compile if the fields are as they were; %[1]s is an element
}

// Doc is the comment of the container's type.
func (c *container) Doc() string {
	flat, own := c.Flat(), c.Own()
	doc := c.SoA + " is a sequence of [" + c.Type + "] values kept as a structure of arrays: one column a field, " +
		"so that a loop over one field reads nothing else."
	if flat {
		what := "The columns"
		if own {
			what = "Columns without pointers"
		}
		doc += fmt.Sprintf(" %s share a block of memory, in which each starts at a multiple of %d bytes.", what, c.Align)
	}
	if flat && own {
		doc += " Columns with pointers have memory of their own, of their own type, so that the garbage collector sees the pointers."
	}
	if c.Pad > 1 && flat {
		doc += fmt.Sprintf(" The padded columns go on with pad values to a multiple of %d elements, "+
			"so that code that takes that many at a time needs no special case for the rest.", c.Pad)
	}
	return doc + `

A column is a slice of the container's own memory, for reading and writing in
place. Whatever adds elements may move it, so take it again afterwards.

The zero value is empty and ready to use. A copy made by assignment shares
memory with the original; one made by Clone does not. Any number of goroutines
may read at once, but none while another adds, removes or changes elements.`
}

// comment writes text as a comment. Blank lines separate paragraphs.
func comment(text string) string {
	var b strings.Builder
	for i, paragraph := range strings.Split(text, "\n\n") {
		if i > 0 {
			b.WriteString("//\n")
		}
		line := "//"
		for word := range strings.FieldsSeq(paragraph) {
			if len(line)+1+len(word) > 80 {
				b.WriteString(line + "\n")
				line = "//"
			}
			line += " " + word
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

func (c *container) First() string   { return c.Columns[0].Name }
func (c *container) AlignLess1() int { return c.Align - 1 }
func (c *container) PadLess1() int   { return c.Pad - 1 }

// Flat reports whether there are columns in the shared block, and Own whether
// there are others.
func (c *container) Flat() bool {
	return slices.ContainsFunc(c.Columns, func(c *column) bool { return c.Flat })
}
func (c *container) Own() bool {
	return slices.ContainsFunc(c.Columns, func(c *column) bool { return !c.Flat })
}

// Wipe reports whether elements that are removed must be overwritten: there
// are pointers in them to forget, or they become padding.
func (c *container) Wipe(col *column) bool { return !col.Flat || c.Pad > 1 }

// NeedZero reports whether there is a column that is overwritten with zeros.
func (c *container) NeedZero() bool {
	return slices.ContainsFunc(c.Columns, func(col *column) bool { return c.Wipe(col) && col.PadValue == "" })
}

func (c *container) UsesFill() bool { return slices.ContainsFunc(c.Columns, c.Wipe) }

//go:embed container.go.tmpl
var containerTemplate string

// atName is a name in the template that steps aside for names of the user's:
// where the template has @i, the code has i, or i2 if i is a type that the
// code uses.
var atName = regexp.MustCompile(`@[A-Za-z]+`)

// members are those that name fields and methods of the container.
var members = []string{"count", "cols", "check", "resize"}

// methods are the names of the container's methods that are always there.
var methods = []string{"Len", "Cap", "Append", "At", "Set", "Swap", "RemoveSwap", "RemoveOrdered",
	"Truncate", "Clear", "Grow", "Clone", "All"}

// wellKnown are method names that go vet wants another signature of.
var wellKnown = []string{"GobDecode", "GobEncode", "MarshalJSON", "MarshalXML", "ReadByte", "ReadRune",
	"UnmarshalJSON", "UnmarshalXML", "UnreadByte", "UnreadRune", "WriteByte"}

// predeclared are the names of Go itself that the template uses.
var predeclared = []string{"any", "bool", "byte", "copy", "false", "int", "len", "make", "panic", "string", "true", "uint", "uintptr"}

// generate returns the file that the options ask for, for the package in dir.
func generate(dir string, opts options) ([]byte, error) {
	src, err := load(dir, opts.out, opts.typ)
	if err != nil {
		return nil, err
	}
	cols, skipped, err := src.columns(opts.pad)
	if err != nil {
		return nil, err
	}
	c := &container{
		Command:    opts.command,
		Constraint: src.constraint(),
		Package:    src.pkg.Name,
		Type:       opts.typ,
		SoA:        opts.soa,
		Align:      opts.align,
		Pad:        opts.pad,
		Columns:    cols,
	}
	switch len(skipped) {
	case 0:
	case 1:
		c.Skipped = " " + skipped[0] + " has no column and is zero."
	default:
		c.Skipped = " " + enumerate(skipped) + " have no columns and are zero."
	}
	text, err := src.name(c, opts.standalone)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := template.Must(template.New("").Funcs(template.FuncMap{"comment": comment}).Parse(text)).Execute(&b, c); err != nil {
		return nil, fmt.Errorf("%s: %v", opts.typ, err)
	}
	// Formatting breaks a long line at first and indents what is in it only the
	// next time round.
	out := b.Bytes()
	for again := true; again; {
		formatted, err := format.Source(out)
		if err != nil {
			return nil, fmt.Errorf("%s: the generated code is not Go: %v", opts.typ, err)
		}
		again = !bytes.Equal(formatted, out)
		out = formatted
	}
	return out, nil
}

// naming gives names to everything in the generated file. The names that are
// part of the container's interface are fixed, and refused if they collide with
// something; all others step aside.
type naming struct {
	src   *source
	c     *container
	spell *spelling

	pkgLevel names             // taken in the package
	imports  map[string]string // names by path
	at       map[string]string // what the template's @names are
}

// name completes c and returns the template with its local names put in.
func (src *source) name(c *container, standalone bool) (string, error) {
	n := &naming{
		src: src, c: c,
		spell: &spelling{
			pkg:      src.pkg.Types,
			packages: map[string]*types.Package{},
			local:    map[string]bool{c.Type: true},
			universe: map[string]bool{},
		},
		pkgLevel: names{},
		imports:  map[string]string{},
		at:       map[string]string{},
	}
	for _, step := range []func() error{n.spellTypes, n.declare, func() error { return n.importAll(standalone) }, n.write, n.methods} {
		if err := step(); err != nil {
			return "", err
		}
	}
	return n.rename(), nil
}

// spellTypes finds out what the types in the generated file are spelled with.
func (n *naming) spellTypes() error {
	for _, col := range n.c.Columns {
		if problem := n.spell.add(col.typ); problem != "" {
			return n.src.errorf(col.pos, "the type of column %s cannot be written: %s", col.Name, problem)
		}
	}
	for p := range n.src.params.TypeParams() {
		if problem := n.spell.add(p.Constraint()); problem != "" {
			return n.src.errorf(p.Obj().Pos(), "the constraint of %s cannot be written: %s", p.Obj().Name(), problem)
		}
	}
	for _, name := range predeclared {
		n.spell.universe[name] = true
	}
	return nil
}

// declare names what the generated file declares in the package.
func (n *naming) declare() error {
	scope := n.src.pkg.Types.Scope()
	n.c.New = "new" + upperFirst(n.c.SoA)
	if token.IsExported(n.c.SoA) {
		n.c.New = "New" + n.c.SoA
	}
	for _, name := range []string{n.c.SoA, n.c.New} {
		if obj := scope.Lookup(name); obj != nil {
			return n.src.errorf(n.src.obj.Pos(), "%s is declared already, at %s; choose another name for the container with -soa",
				name, n.src.where(obj.Pos()))
		}
		n.pkgLevel[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(n.spell.universe)) {
		if obj := scope.Lookup(name); obj != nil {
			return n.src.errorf(obj.Pos(), "%s hides Go's own %s, which the generated code needs", name, name)
		}
	}
	for _, name := range scope.Names() {
		n.pkgLevel[name] = true
	}
	for p := range n.src.params.TypeParams() {
		name := p.Obj().Name()
		if n.spell.universe[name] || name == n.c.Type || name == n.c.SoA {
			return n.src.errorf(p.Obj().Pos(), "type parameter %s hides the %s that the generated code needs", name, name)
		}
		n.pkgLevel[name] = true
	}
	for _, what := range []string{"Error", "Cut", "Fill", "Block", "Pointers"} {
		n.at[what] = n.pkgLevel.pick(lowerFirst(n.c.SoA) + what)
	}
	return nil
}

// importAll names the packages that the generated file imports.
func (n *naming) importAll(standalone bool) error {
	add := func(path, name string) {
		if _, ok := n.imports[path]; ok {
			return
		}
		picked := n.pkgLevel.pick(name)
		n.imports[path] = picked
		if spec := importSpec(path, name, picked); n.src.standard(path) {
			n.c.Std = append(n.c.Std, spec)
		} else {
			n.c.Other = append(n.c.Other, spec)
		}
	}
	add("iter", "iter")
	add("strconv", "strconv")
	if n.c.Flat() {
		add("unsafe", "unsafe")
		if !standalone && n.src.hasMem() {
			n.c.Mem = true
			add(memPath, "mem")
		} else {
			add("reflect", "reflect")
		}
	}
	if slices.ContainsFunc(n.c.Columns, func(col *column) bool { return col.pad.call != "" }) {
		add("math", "math")
	}
	for _, path := range slices.Sorted(maps.Keys(n.spell.packages)) {
		add(path, n.spell.packages[path].Name())
	}
	for path, name := range n.imports {
		switch path {
		case "iter", "math", "reflect", "strconv", "unsafe":
			n.at[path] = name
		case memPath:
			n.at["mem"] = name
		}
	}
	return nil
}

// write writes the types and pad values down.
func (n *naming) write() error {
	qualify := func(p *types.Package) string {
		if p == n.src.pkg.Types {
			return ""
		}
		return n.imports[p.Path()]
	}
	n.c.Elem, n.c.Self = n.c.Type, n.c.SoA
	if n.src.params.Len() > 0 {
		var params, args []string
		for p := range n.src.params.TypeParams() {
			name := p.Obj().Name()
			if name == "_" {
				name = n.pkgLevel.pick("T")
			}
			n.spell.local[name] = true
			args = append(args, name)
			constraint := types.TypeString(p.Constraint(), qualify)
			if strings.HasPrefix(constraint, "*") {
				constraint = "interface{ " + constraint + " }" // [P *T] would be an array
			}
			params = append(params, name+" "+constraint)
		}
		n.c.Params = "[" + strings.Join(params, ", ") + "]"
		n.c.Elem += "[" + strings.Join(args, ", ") + "]"
		n.c.Self += "[" + strings.Join(args, ", ") + "]"
	}
	for _, col := range n.c.Columns {
		col.Type = types.TypeString(col.typ, qualify)
		switch call := n.at["math"] + "." + col.pad.call; {
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
	n.c.Guards = n.src.guards(n.c, qualify)
	return nil
}

// guards makes expressions that no longer compile when a field is added to the
// struct, or a component to a vector that is split. They list all fields
// without their names, so they are not for structs of other packages (where go
// vet objects to that) or with blank fields (which have no value to list).
func (src *source) guards(c *container, qualify types.Qualifier) (exprs []string) {
	add := func(t types.Type, name, prefix string) {
		switch u := t.Underlying().(type) {
		case *types.Array:
			exprs = append(exprs, fmt.Sprintf("[1]struct{}{}[len(%%[1]s%s)-%d]", prefix, u.Len()))
		case *types.Struct:
			if named, ok := types.Unalias(t).(*types.Named); ok && named.Obj().Pkg() != src.pkg.Types {
				return
			}
			var values []string
			for f := range u.Fields() {
				if f.Name() == "_" || !f.Exported() && f.Pkg() != src.pkg.Types {
					return
				}
				values = append(values, "%[1]s"+prefix+"."+f.Name())
			}
			exprs = append(exprs, name+"{"+strings.Join(values, ", ")+"}")
		}
	}
	add(src.obj.Type(), c.Elem, "")
	for _, f := range src.splits {
		add(f.Type(), types.TypeString(f.Type(), qualify), "."+f.Name())
	}
	return exprs
}

// methods checks that the names of the columns can be those of methods, and
// names what the container has besides.
func (n *naming) methods() error {
	fixed := slices.Clone(methods)
	if n.c.Pad > 1 {
		fixed = append(fixed, "PaddedLen")
	}
	has := map[string]string{}
	for _, name := range fixed {
		has[name] = fmt.Sprintf("the method %s of %s", name, n.c.SoA)
	}
	for _, name := range wellKnown {
		has[name] = fmt.Sprintf("the well-known method %s, of which go vet wants another signature", name)
	}
	add := func(col *column, name string) error {
		if other, ok := has[name]; ok {
			return n.src.errorf(col.pos, "column %s of %s collides with %s; rename it with `soa:\"name=...\"`", name, col.Path, other)
		}
		has[name] = fmt.Sprintf("the column of %s, at %s", col.Path, n.src.where(col.pos))
		return nil
	}
	for _, col := range n.c.Columns {
		if err := add(col, col.Name); err != nil {
			return err
		}
	}
	for _, col := range n.c.Columns {
		if n.c.Pad > 1 && col.Flat {
			col.Padded = col.Name + "Padded"
			if err := add(col, col.Padded); err != nil {
				return err
			}
		}
	}
	for _, file := range n.src.pkg.Syntax {
		for _, decl := range file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || receiver(f) != n.c.SoA {
				continue
			}
			if other, ok := has[f.Name.Name]; ok && !slices.Contains(wellKnown, f.Name.Name) {
				return n.src.errorf(f.Name.Pos(), "method %s collides with %s, which is generated", f.Name.Name, other)
			}
			has[f.Name.Name] = "a method"
		}
	}
	taken := names{}
	for name := range has {
		taken[name] = true
	}
	for _, what := range members {
		n.at[what] = taken.pick(what)
	}
	return nil
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

// rename puts names in for the template's @names, those of local variables so
// that they hide nothing that the code around them needs.
func (n *naming) rename() string {
	taken := names{n.c.SoA: true, n.c.New: true}
	for name := range n.spell.local {
		taken[name] = true
	}
	for _, name := range n.at {
		taken[name] = true
	}
	for _, name := range n.imports {
		taken[name] = true
	}
	for _, name := range members { // a method's name hides nothing
		delete(taken, n.at[name])
	}
	return atName.ReplaceAllStringFunc(containerTemplate, func(m string) string {
		what := m[1:]
		if _, ok := n.at[what]; !ok {
			n.at[what] = taken.pick(what)
		}
		return n.at[what]
	})
}

// standard reports whether the package is in the standard library.
func (src *source) standard(path string) bool {
	first, _, _ := strings.Cut(path, "/")
	if m := src.pkg.Module; m != nil && first == strings.Split(m.Path, "/")[0] {
		return false
	}
	return !strings.Contains(first, ".")
}

// hasMem reports whether the package can import the allocator of this module.
func (src *source) hasMem() bool {
	m := src.pkg.Module
	return m != nil && m.Path == homeModule && src.pkg.PkgPath != memPath && exists(filepath.Join(m.Dir, "common", "mem"))
}

// enumerate lists words as English does.
func enumerate(words []string) string {
	if n := len(words); n > 1 {
		return strings.Join(words[:n-1], ", ") + " and " + words[n-1]
	}
	return strings.Join(words, "")
}
