// Package testbinary makes test binaries that serve their benchmarks as package measure asks for
// them: it finds packages, adds the server to their tests by an overlay of the go command, so that
// no file of theirs is changed, and links them in one order after the other.
package testbinary

import (
	"context"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"raysteps/scripts/internal/measure"
	"raysteps/scripts/internal/tool"
)

// Package is a package with benchmarks.
type Package struct {
	Dir, ImportPath, Name     string
	Module                    struct{ Path, Dir string }
	TestGoFiles, XTestGoFiles []string
	Functions                 []string              // benchmarks
	Error                     *struct{ Err string } // why the go command cannot load it, or nil

	env     []string
	overlay string // file
	skips   bool   // whether its tests call Skip
}

// added names what the overlay adds: a folder of the module with the server, two files and
// a test each, of which the first that runs serves the benchmarks of both. An external test may
// import its package with a dot, so the tests have two names. Imports have names that no package has.
const (
	added = "raysteps_ab"
	test  = "package %s\n\nimport (\n\traysteps_testing \"testing\"\n\traysteps_ab %q\n)\n\nfunc init() {\n%s}\n\nfunc Test_raysteps_ab%s(t *raysteps_testing.T) {\n\tif err := raysteps_ab.Serve(); err != nil {\n\t\tt.Fatal(err)\n\t}\n}\n"
)

// Find returns the packages that patterns of the go command name in a folder. One that the go
// command cannot load has an Error, unless that is so of all. The overlay is written to another
// folder, which the caller removes, and in which the go command has its temporary files.
func Find(ctx context.Context, dir, overlay string, env []string, patterns ...string) ([]*Package, error) {
	return find(ctx, dir, overlay, env, patterns, false)
}

// FindPlanted does what [Find] does, and puts a call of [measure.Work] into the loops of benchmarks.
func FindPlanted(
	ctx context.Context, dir, overlay string, env []string, patterns ...string,
) ([]*Package, error) {
	return find(ctx, dir, overlay, env, patterns, true)
}

func find(
	ctx context.Context, dir, overlay string, env, patterns []string, planted bool,
) ([]*Package, error) {
	if err := os.MkdirAll(overlay, 0o700); err != nil {
		return nil, err
	}
	env = append(slices.Clip(env), "GOTMPDIR="+overlay)
	all, err := list(ctx, dir, env, patterns)
	if err != nil {
		return nil, err
	}
	sources := map[string]string{}
	for _, p := range all {
		p.env, p.overlay = env, filepath.Join(overlay, "overlay.json")
		if p.Error != nil || p.Module.Dir == "" {
			continue
		}
		sources[filepath.Join(p.Module.Dir, added, "serve.go")] = strings.Replace(measure.ServerSource, "package measure", "package "+added, 1)
		for i, files := range [][]string{p.TestGoFiles, p.XTestGoFiles} {
			if err := p.addTests(sources, []string{"", "_test"}[i], files, planted); err != nil {
				return nil, err
			}
		}
	}
	return all, writeOverlay(overlay, sources)
}

// list returns what the go command says of packages: if it fails, of each what it can say.
func list(ctx context.Context, dir string, env, patterns []string) (all []*Package, err error) {
	args := append([]string{"list", "-json=Dir,ImportPath,Name,TestGoFiles,XTestGoFiles,Module,Error"}, patterns...)
	text, failed := tool.Output(ctx, dir, env, "go", args...)
	if failed != nil {
		text, _ = tool.Output(ctx, dir, env, "go", slices.Insert(args, 1, "-e")...)
	}
	loaded := false
	for list := json.NewDecoder(strings.NewReader(text)); list.More(); {
		p := &Package{}
		if err := list.Decode(p); err != nil {
			return nil, err
		}
		all, loaded = append(all, p), loaded || p.Error == nil
	}
	if !loaded {
		return nil, failed
	}
	return all, nil
}

// addTests adds the sources of an overlay that serve the benchmarks of test files of a package, whose
// name has a suffix.
func (p *Package) addTests(sources map[string]string, suffix string, files []string, planted bool) error {
	calls, server := "", p.Module.Path+"/"+added
	for _, name := range files {
		source, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			return err
		}
		// Its errors are the compiler's to say.
		file, _ := parser.ParseFile(token.NewFileSet(), name, source, parser.SkipObjectResolution)
		for _, declaration := range file.Decls {
			if f, ok := declaration.(*ast.FuncDecl); ok && isBenchmark(f) {
				calls += fmt.Sprintf("\t%s.Add(%q, %[2]s)\n", added, f.Name.Name)
				p.Functions = append(p.Functions, f.Name.Name)
			}
		}
		p.skips = p.skips || strings.Contains(string(source), ".Skip") // reads no more than it has to
		if text, ok := plant(file, source, server); ok && planted {
			sources[filepath.Join(p.Dir, name)] = text
		}
	}
	sources[filepath.Join(p.Dir, added+suffix+"_test.go")] = fmt.Sprintf(test, p.Name+suffix, server, calls, suffix)
	return nil
}

// isBenchmark reports what the go command takes for a benchmark, by the same rules.
func isBenchmark(f *ast.FuncDecl) bool {
	rest, ok := strings.CutPrefix(f.Name.Name, "Benchmark")
	first, _ := utf8.DecodeRuneInString(rest)
	t := f.Type
	return ok && !(rest != "" && unicode.IsLower(first)) && f.Recv == nil && t.TypeParams == nil &&
		t.Results.NumFields() == 0 && t.Params.NumFields() == 1 && points(t.Params.List[0].Type, "B")
}

// points reports whether a type is a pointer to one of the testing package, by its name.
func points(t ast.Expr, name string) bool {
	pointer, ok := t.(*ast.StarExpr)
	if !ok {
		return false
	}
	switch t := pointer.X.(type) {
	case *ast.Ident: // imported with a dot
		return t.Name == name
	case *ast.SelectorExpr:
		return t.Sel.Name == name
	}
	return false
}

// writeOverlay writes texts and overlay.json for the go command, by which they stand in
// place of files, to a folder.
func writeOverlay(folder string, texts map[string]string) error {
	replace := map[string]string{}
	for file, text := range texts {
		replace[file] = filepath.Join(folder, fmt.Sprint(len(replace), ".go"))
		if err := os.WriteFile(replace[file], []byte(text), 0o600); err != nil {
			return err
		}
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "overlay.json"), text, 0o600)
}
