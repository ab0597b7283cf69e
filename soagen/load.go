package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/token"
	"go/types"
	"go/version"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"
)

// source is a struct that was asked for, and the package around it.
type source struct {
	pkg  *packages.Package
	obj  *types.TypeName
	st   *types.Struct // nil if the type checker could not make sense of it
	file *ast.File     // the one that declares it
	dir  string        // positions are given relative to it
}

// mode loads what is imported from its export data, which is fast. Packages
// that do not compile have none; sourceMode reads them too.
const (
	mode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
		packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedModule
	sourceMode = mode | packages.NeedDeps
)

// load reads the package in dir and finds the structs in it, as if the file
// output were not there, so that neither its absence nor what an older run wrote
// to it stands in the way. The rest of the package may use the container that
// is yet to be generated: type errors count only where the structs are.
func load(dir, output string, typeNames []string) ([]*source, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	srcs, err := loadMode(mode, dir, output, typeNames)
	if err == nil && slices.ContainsFunc(srcs, (*source).unknown) {
		srcs, err = loadMode(sourceMode, dir, output, typeNames)
	}
	if err != nil {
		return nil, err
	}
	for _, src := range srcs {
		if err := src.errorInStruct(); err != nil {
			return nil, err
		}
	}
	return srcs, nil
}

func loadMode(mode packages.LoadMode, dir, output string, typeNames []string) ([]*source, error) {
	cfg := &packages.Config{Mode: mode, Dir: dir, Fset: token.NewFileSet()}
	if path := filepath.Join(dir, output); exists(path) {
		cfg.Overlay = map[string][]byte{path: []byte("//go:build ignore\n\npackage ignored\n")}
	}
	pkgs, err := packages.Load(cfg, ".")
	if err != nil {
		return nil, errors.New(oneLine(err.Error()))
	}
	if len(pkgs) != 1 {
		return nil, misuse{fmt.Errorf("%s has %d packages; want the folder of one, in a module", dir, len(pkgs))}
	}
	pkg := &source{pkg: pkgs[0], dir: dir}
	for _, e := range pkg.pkg.Errors {
		if e.Kind == packages.ParseError {
			return nil, pkg.errorAt(position(e.Pos), e.Msg)
		}
	}
	if len(pkg.pkg.GoFiles) == 0 {
		return nil, misuse{fmt.Errorf("no Go files in %s for this system; want the folder of the structs' package", dir)}
	}
	if len(pkg.pkg.Syntax) == 0 {
		if len(pkg.pkg.Errors) > 0 {
			e := pkg.pkg.Errors[0]
			return nil, pkg.errorAt(position(e.Pos), e.Msg)
		}
		return nil, fmt.Errorf("no Go files in %s", dir)
	}
	var srcs []*source
	for _, name := range typeNames {
		src := *pkg
		if err := src.find(name); err != nil {
			return nil, misuse{err}
		}
		srcs = append(srcs, &src)
	}
	return srcs, nil
}

// find looks up the struct.
func (src *source) find(typ string) error {
	obj, ok := src.pkg.Types.Scope().Lookup(typ).(*types.TypeName)
	if !ok {
		return src.noSuchType(typ)
	}
	src.obj = obj
	src.file = src.fileOf(obj.Pos())
	named := types.Unalias(obj.Type())
	if t, ok := obj.Type().(interface{ TypeParams() *types.TypeParamList }); ok && t.TypeParams().Len() > 0 {
		return src.errorf(obj.Pos(), "%s is generic; want a struct without type parameters", typ)
	}
	if named.Underlying() == types.Typ[types.Invalid] {
		return nil // for the caller to try again, or to look for the reason
	}
	src.st, ok = named.Underlying().(*types.Struct)
	if !ok {
		return src.errorf(obj.Pos(), "%s is not a struct but %s", typ, kind(named.Underlying()))
	}
	return nil
}

// unknown reports whether there is a field that the type checker could not make
// sense of.
func (src *source) unknown() bool {
	if src.st == nil {
		return true
	}
	for f := range src.st.Fields() {
		if !valid(f.Type()) {
			return true
		}
	}
	return false
}

// errorInStruct returns the first type error inside the declaration of the
// struct, or else what keeps the type of a field from being known.
func (src *source) errorInStruct() error {
	at := []*types.TypeName{src.obj}
	if src.unknown() {
		at = src.partsOf(src.obj.Type())
	}
	for _, obj := range at {
		decl := src.declaration(obj)
		for _, e := range src.pkg.TypeErrors {
			if decl != nil && decl.Pos() <= e.Pos && e.Pos < decl.End() {
				return src.errorf(e.Pos, "%s", e.Msg)
			}
		}
	}
	if src.unknown() {
		for _, spec := range src.file.Imports {
			path, _ := strconv.Unquote(spec.Path.Value)
			if p := src.pkg.Imports[path]; p != nil && len(p.Errors) > 0 {
				return src.errorf(spec.Path.Pos(), "%s", p.Errors[0].Msg)
			}
		}
		return src.errorf(src.obj.Pos(), "%s has a field of a type that does not compile", src.obj.Name())
	}
	if m := src.pkg.Module; m != nil && m.GoVersion != "" && version.Compare("go"+m.GoVersion, "go1.23") < 0 {
		return fmt.Errorf("%s says go %s; the generated code needs 1.23 or later", filepath.Base(m.GoMod), m.GoVersion)
	}
	return nil
}

// partsOf lists the names of the types of this package that a value of type t
// is made of, itself first.
func (src *source) partsOf(t types.Type) (parts []*types.TypeName) {
	var walk func(types.Type)
	walk = func(t types.Type) {
		if named, ok := types.Unalias(t).(*types.Named); ok {
			if named.Obj().Pkg() != src.pkg.Types || slices.Contains(parts, named.Obj()) {
				return
			}
			parts = append(parts, named.Obj())
			children(named.Underlying(), walk)
		}
		children(t, walk)
	}
	walk(t)
	return parts
}

// declaration returns the declaration of a type.
func (src *source) declaration(obj *types.TypeName) (spec *ast.TypeSpec) {
	ast.Inspect(src.fileOf(obj.Pos()), func(n ast.Node) bool {
		if ts, ok := n.(*ast.TypeSpec); ok && ts.Name.Pos() == obj.Pos() {
			spec = ts
		}
		return spec == nil
	})
	return spec
}

func (src *source) fileOf(pos token.Pos) *ast.File {
	for _, f := range src.pkg.Syntax {
		if f.FileStart <= pos && pos <= f.FileEnd {
			return f
		}
	}
	return src.pkg.Syntax[0]
}

// constraint returns a //go:build line for the generated file, or "": where the
// file that declares the struct is left out, the container must be, too.
func (src *source) constraint() string {
	var terms []string
	for _, group := range src.file.Comments {
		if group.Pos() > src.file.Package {
			break
		}
		for _, c := range group.List {
			if expr, ok := strings.CutPrefix(c.Text, "//go:build "); ok {
				terms = append(terms, expr)
			}
		}
	}
	for _, word := range suffixes(filepath.Base(src.pkg.Fset.Position(src.file.Package).Filename)) {
		if len(terms) == 1 && strings.Contains(terms[0], "||") {
			terms[0] = "(" + terms[0] + ")"
		}
		terms = append(terms, word)
	}
	if terms == nil {
		return ""
	}
	return "//go:build " + strings.Join(terms, " && ")
}

// suffixes returns what a file name like x_linux_arm64.go says about the
// systems that the file is for.
func suffixes(name string) []string {
	words := strings.Split(strings.TrimSuffix(name, ".go"), "_")[1:]
	known := func(word string) bool {
		nowhere := build.Context{
			GOOS: "none", GOARCH: "none", Compiler: "gc",
			OpenFile: func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("package p\n")), nil },
		}
		match, err := nowhere.MatchFile(".", "x_"+word+".go")
		return err == nil && !match
	}
	n := len(words)
	switch {
	case n == 0 || !known(words[n-1]):
		return nil
	case n > 1 && known(words[n-2]):
		return words[n-2:]
	}
	return words[n-1:]
}

func (src *source) noSuchType(typ string) error {
	scope := src.pkg.Types.Scope()
	if obj := scope.Lookup(typ); obj != nil {
		return src.errorf(obj.Pos(), "%s is not a type", typ)
	}
	var structs []string
	for _, name := range scope.Names() {
		if t, ok := scope.Lookup(name).(*types.TypeName); ok {
			if _, ok := t.Type().Underlying().(*types.Struct); ok {
				structs = append(structs, name)
			}
		}
	}
	what := fmt.Sprintf("package %s has no type %s", src.pkg.Name, typ)
	switch n := len(structs); {
	case n == 0:
		what += ", and no struct outside of its tests"
	case n > 10:
		what += fmt.Sprintf("; its structs are %s and %d more", strings.Join(structs[:9], ", "), n-9)
	default:
		what += "; its structs are " + strings.Join(structs, ", ")
	}
	// Under go generate, the mistake is in the line that called us.
	if file, line := os.Getenv("GOFILE"), os.Getenv("GOLINE"); exists(filepath.Join(src.dir, file)) {
		if n, err := strconv.Atoi(line); err == nil && file != "" {
			return &sourceError{token.Position{Filename: file, Line: n, Column: 1}, what}
		}
	}
	return src.errorf(src.pkg.Syntax[0].Package, "%s", what)
}

func (src *source) errorf(pos token.Pos, format string, args ...any) error {
	return src.errorAt(src.pkg.Fset.Position(pos), fmt.Sprintf(format, args...))
}

func (src *source) errorAt(pos token.Position, msg string) error {
	if !pos.IsValid() {
		return errors.New(oneLine(msg))
	}
	pos.Filename = relative(src.dir, pos.Filename)
	return &sourceError{pos, oneLine(msg)}
}

// where says where something else is, for the middle of a message.
func (src *source) where(pos token.Pos) string {
	p := src.pkg.Fset.Position(pos)
	p.Filename = relative(src.dir, p.Filename)
	return p.String()
}

// relative shortens the name of a file in or near dir.
func relative(dir, name string) string {
	if rel, err := filepath.Rel(dir, name); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return name
}

var positionRE = regexp.MustCompile(`^(.+?):(\d+)(?::(\d+))?$`)

// position parses the file:line:column of an error of go list.
func position(s string) token.Position {
	m := positionRE.FindStringSubmatch(s)
	if m == nil {
		return token.Position{}
	}
	line, _ := strconv.Atoi(m[2])
	col, _ := strconv.Atoi(m[3])
	return token.Position{Filename: m[1], Line: line, Column: col}
}

// oneLine keeps the first line of a message that says something, with the next
// if that completes it; the go command likes to put a title above.
func oneLine(msg string) string {
	var said string
	for line := range strings.Lines(msg) {
		if line = strings.TrimSpace(line); line == "" || strings.HasPrefix(line, "# ") {
			continue
		}
		said += line
		if !strings.HasSuffix(said, ":") {
			break
		}
		said += " "
	}
	return strings.TrimSpace(said)
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
