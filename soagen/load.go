package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
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

// mode loads what is imported from its export data, which is fast, and only what has none,
// since it does not compile, from its source.
const mode = packages.NeedName | packages.NeedFiles | packages.NeedCompiledGoFiles | packages.NeedImports |
	packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedModule

// load reads the package in dir and finds the structs in it, as if the file
// output were not there, so that neither its absence nor what an older run wrote
// to it stands in the way. The rest of the package may use the container that
// is yet to be generated: type errors count only where the structs are.
func load(dir, output string, typeNames []string) ([]*source, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	cfg := &packages.Config{Mode: mode, Dir: dir, Fset: token.NewFileSet()}
	path := filepath.Join(dir, output)
	if _, err := os.Lstat(path); err == nil {
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
			return nil, pkg.errorAt(e.Pos, e.Msg)
		}
	}
	if len(pkg.pkg.GoFiles) == 0 {
		return nil, misuse{fmt.Errorf("no Go files in %s for this system; want the folder of the structs' package", dir)}
	}
	if len(pkg.pkg.Syntax) == 0 {
		if len(pkg.pkg.Errors) > 0 {
			e := pkg.pkg.Errors[0]
			return nil, pkg.errorAt(e.Pos, e.Msg)
		}
		return nil, fmt.Errorf("no Go files in %s", dir)
	}
	var srcs []*source
	for _, name := range typeNames {
		src := *pkg
		if err := src.find(name); err != nil {
			return nil, misuse{err}
		}
		if err := src.errorInStruct(); err != nil {
			return nil, err
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
		return nil // for errorInStruct to look for the reason
	}
	src.st, ok = named.Underlying().(*types.Struct)
	if !ok {
		return src.errorf(obj.Pos(), "%s is %s; want a struct", typ, src.spelling(named.Underlying()))
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
		return src.errorf(obj.Pos(), "%s is not a type; want a struct", typ)
	}
	var structs []string
	for _, name := range scope.Names() {
		if t, ok := scope.Lookup(name).(*types.TypeName); ok {
			if _, ok := t.Type().Underlying().(*types.Struct); ok {
				structs = append(structs, name)
			}
		}
	}
	others := ", and no struct outside of its tests"
	if structs != nil {
		others = "; its structs are " + strings.Join(structs, ", ")
	}
	return src.errorf(src.pkg.Syntax[0].Package, "package %s has no type %s%s", src.pkg.Name, typ, others)
}

func (src *source) errorf(pos token.Pos, format string, args ...any) error {
	return src.errorAt(src.where(pos), fmt.Sprintf(format, args...))
}

// errorAt returns an error at file:line:column, or nowhere if go list does not know where.
func (src *source) errorAt(pos, msg string) error {
	if pos == "" || pos == "-" {
		return errors.New(oneLine(msg))
	}
	return &sourceError{src.relative(pos), oneLine(msg)}
}

// where says where something is.
func (src *source) where(pos token.Pos) string {
	return src.relative(src.pkg.Fset.Position(pos).String())
}

// relative shortens the name of a file in the package's folder.
func (src *source) relative(name string) string {
	return strings.TrimPrefix(name, src.dir+string(filepath.Separator))
}

// spelling returns a type as the package may write it, for a message.
func (src *source) spelling(t types.Type) string {
	return types.TypeString(t, types.RelativeTo(src.pkg.Types))
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
